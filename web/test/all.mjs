// All tests in one process: they share a template and a browser.
import { readdirSync } from "node:fs";

for (const name of readdirSync(new URL(".", import.meta.url))) {
  if (name.endsWith(".test.mjs")) await import(`./${name}`);
}
