// What tests do with a page: open it, watch it, look at its pixels.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

export const layouts = [
  { name: "desktop", viewport: { width: 1280, height: 800 } },
  { name: "phone", viewport: { width: 390, height: 844 } },
];

let running;

/** The browser that all tests share. */
export function browser() {
  return (running ??= launch());
}

after(async () => (await running)?.close());

/** Runs inside the page: pixels are looked at where they are, for bringing them out takes longer than drawing them. */
function installEyes() {
  // A copy is read: the browser warns of canvases that are read often unless they are made for it.
  const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const pixels = (canvas) => {
    const { width, height } = Object.assign(copy.canvas, { width: canvas.width, height: canvas.height });
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, width, height).data;
  };
  window.eyes = {
    /** Axes and grids are grey, to within 20 of 255; curves and bodies, also those in the shade, are not. */
    isBlank(canvas) {
      const data = pixels(canvas);
      let coloured = 0;
      for (let i = 0; i < data.length && coloured <= 20; i += 4) {
        const r = data[i];
        const g = data[i + 1];
        const b = data[i + 2];
        if (data[i + 3] > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 30) coloured++;
      }
      return coloured <= 20;
    },
    /** FNV-1a, a pixel at a time. */
    fingerprint(canvas) {
      let hash = 0x811c9dc5;
      for (const pixel of new Uint32Array(pixels(canvas).buffer)) hash = Math.imul(hash ^ pixel, 0x01000193);
      return `${canvas.width}x${canvas.height}:${hash}`;
    },
  };
}

/** Opens a page and collects everything that must not happen. */
export async function open(file, { viewport = layouts[0].viewport, colorScheme = "light", draw = true, using = browser() } = {}) {
  const context = await (await using).newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  await context.addInitScript(installEyes);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    // How fast the machine draws is not the page's fault.
    if (/GL Driver Message \(OpenGL, Performance/.test(message.text())) return;
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  if (draw) await drawAll(page);
  return { page, problems, close: () => context.close() };
}

/**
 * Makes tests of a page that is opened once, for opening and drawing take longer than looking. They run in the order in
 * which they are made, and each leaves the page as it found it; after one that fails, the next opens the page anew.
 */
export function shared(file, options = { draw: false }) {
  let opened = null;
  async function close() {
    const view = await opened;
    opened = null;
    await view?.close();
  }
  after(close);
  return (name, action) =>
    test(name, { timeout: 300000 }, async (context) => {
      const { page, problems } = await (opened ??= open(file, options));
      try {
        await action(page, context);
        assert.deepEqual(problems.splice(0), []);
      } catch (error) {
        await close();
        throw error;
      }
    });
}

/** Draws what has not come near the window yet. */
export async function drawAll(page) {
  await page.evaluate(() => document.dispatchEvent(new Event("rattleback:draw-all")));
  await settled(page);
}

/** Waits until what was asked for is on the screen, or for more frames. */
export function settled(page, frames = 3) {
  return page.evaluate(
    (count) =>
      new Promise((done) => {
        const next = (left) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
        next(count);
      }),
    frames,
  );
}

/** Whether nothing is to be seen on a canvas but axes and grids. */
export function isBlank(canvas) {
  return canvas.evaluate((element) => window.eyes.isBlank(element));
}

/** The ids of figures and animations that lack a picture. */
export function blanks(page) {
  return page.evaluate(() => {
    const pictures = (element) => [...element.querySelectorAll(element.matches("figure") ? ".drawing canvas" : "canvas")];
    return [...document.querySelectorAll("figure.figure, .animation")]
      .filter((element) => pictures(element).length === 0 || pictures(element).some(window.eyes.isBlank))
      .map((element) => element.id);
  });
}

/** A fingerprint of what a canvas shows. */
export function picture(canvas) {
  return canvas.evaluate((element) => window.eyes.fingerprint(element));
}

/** The canvas of a figure of any kind. */
export function canvasOf(figure) {
  return figure.locator(".drawing canvas").first();
}
