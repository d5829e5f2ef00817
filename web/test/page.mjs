import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));

/** A folder for the pages of a test run; it is gone when the run ends. */
export const folder = mkdtempSync(join(tmpdir(), "rattleback-web-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export function buildTemplate(name) {
  const path = join(folder, name);
  execFileSync(process.execPath, [join(web, "build.mjs"), path], { stdio: "inherit" });
  return path;
}

/** The template that all tests share. */
export const template = buildTemplate("template.html");

/** Does what the command does: puts a report into the template. Returns the path of the page. */
export function fill(report, name) {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  const path = join(folder, name);
  writeFileSync(path, readFileSync(template, "utf8").replace("/*REPORT*/", () => json));
  return path;
}
