// What tests do with a page: open it, watch it, look at its pixels.
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

export const layouts = [
  { name: "desktop", viewport: { width: 1280, height: 800 } },
  { name: "phone", viewport: { width: 390, height: 844 } },
];

/** Opens a page and collects everything that must not happen. */
export async function open(browser, file, { viewport = layouts[0].viewport, colorScheme = "light", draw = true } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  if (draw) {
    await page.evaluate(() => document.dispatchEvent(new Event("rattleback:draw-all")));
    await settled(page);
  }
  return { page, problems, close: () => context.close() };
}

/** Waits until what was asked for is on the screen. */
export function settled(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );
}

/** How many pixels of a canvas are coloured: axes and grids are grey, curves are not. */
export function colouredPixels(canvas) {
  return canvas.evaluate((element) => {
    const { width, height } = element;
    const { data } = element.getContext("2d").getImageData(0, 0, width, height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const r = data[i];
      const g = data[i + 1];
      const b = data[i + 2];
      if (data[i + 3] > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 50) count++;
    }
    return count;
  });
}

/** A fingerprint of what a canvas shows. */
export async function picture(canvas) {
  const url = await canvas.evaluate((element) => element.toDataURL());
  return createHash("sha256").update(url).digest("hex");
}

/** The canvas of a figure of any kind. */
export function canvasOf(figure) {
  return figure.locator(".drawing canvas").first();
}
