// Pictures of a page for people: node test/screenshots.mjs PAGE OUTDIR
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

const [file, outdir] = process.argv.slice(2);
if (!file || !outdir) {
  console.error("usage: node test/screenshots.mjs PAGE OUTDIR");
  process.exit(2);
}
mkdirSync(outdir, { recursive: true });
const browser = await launch();

async function open(width, height, colorScheme, scale = 1) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: scale });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.evaluate(() => document.dispatchEvent(new Event("rattleback:draw-all")));
  await page.waitForTimeout(800);
  return page;
}

for (const [name, width, height, scheme, scale] of [
  ["desktop-light", 1280, 800, "light", 1],
  ["desktop-dark", 1280, 800, "dark", 1],
  ["phone", 390, 844, "light", 2],
]) {
  const page = await open(width, height, scheme, scale);
  await page.screenshot({ path: join(outdir, `${name}.png`) });
  const experiments = await page.locator(".filtered, .experiment").all();
  for (const experiment of experiments) {
    const id = (await experiment.getAttribute("id")).replace(/[^\w-]+/g, "-");
    await experiment.screenshot({ path: join(outdir, `${name}-${id}.png`) });
  }
  if (name === "desktop-light") await page.pdf({ path: join(outdir, "print.pdf"), format: "A4", printBackground: true });
  await page.context().close();
}
await browser.close();
