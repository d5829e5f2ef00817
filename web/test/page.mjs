import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));

/** A folder for the pages of a test run, with the template in it; it is gone when the run ends. */
export function buildTemplate() {
  const folder = mkdtempSync(join(tmpdir(), "rattleback-web-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const template = join(folder, "template.html");
  execFileSync(process.execPath, [join(web, "build.mjs"), template], { stdio: "inherit" });
  return { folder, template };
}

/** Does what the command does: puts a report into the template. */
export function fill(template, report, outfile) {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  writeFileSync(outfile, readFileSync(template, "utf8").replace("/*REPORT*/", () => json));
}
