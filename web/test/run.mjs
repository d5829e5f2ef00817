// Runs the tests; without a browser, says so and exits with the code that CTest takes for skipped.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "./chromium.mjs";

if (!findChromium()) {
  console.log("SKIPPED: Chromium is not installed");
  process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
const { status } = spawnSync(process.execPath, [...process.argv.slice(2), join(here, "all.mjs")], { stdio: "inherit" });
process.exit(status ?? 1);
