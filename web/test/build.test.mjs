import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { buildTemplate, template } from "./page.mjs";

const first = readFileSync(template, "utf8");

test("the template has one place for the report", () => {
  assert.equal(first.split('<script type="application/json" id="report">/*REPORT*/</script>').length, 2);
  assert.equal(first.split("/*REPORT*/").length, 2);
});

test("the template is the same whenever it is built", () => {
  assert.equal(readFileSync(buildTemplate("again.html"), "utf8"), first);
});

test("the template refers to nothing outside itself", () => {
  const markup = first.replace(/(<script[^>]*>)[^]*?<\/script>/g, "$1");
  assert.doesNotMatch(markup, /<(script|img|iframe)[^>]*\ssrc=/i);
  assert.doesNotMatch(markup, /<link[^>]*href="(?!data:)/i);
  assert.doesNotMatch(markup, /url\((?!["']?data:)[^)]/i);
  assert.doesNotMatch(markup, /@import/);
});

test("the template evaluates no text as code", () => {
  assert.doesNotMatch(first, /\beval\(|new Function\(/);
});

test("the lock file names no registry", () => {
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
  for (const [name, { resolved }] of Object.entries(lock.packages)) assert.equal(resolved, undefined, name);
});
