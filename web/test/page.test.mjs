// What every report must pass: the samples, and the pages named in RATTLEBACK_PAGES.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { canvasOf, colouredPixels, layouts, open, picture, settled } from "./browser.mjs";
import { launch } from "./chromium.mjs";
import { buildTemplate, fill } from "./page.mjs";
import { sample, smallSample } from "./sample.mjs";

const { folder, template } = buildTemplate();
fill(template, sample(), join(folder, "sample.html"));
fill(template, smallSample(), join(folder, "small.html"));
const given = (process.env.RATTLEBACK_PAGES ?? "").split(":").filter((path) => path !== "");
const files = [join(folder, "sample.html"), join(folder, "small.html"), ...given];

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function dragAcross(page, element, from, to) {
  const box = await element.boundingBox();
  const point = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...point(from));
  await page.mouse.down();
  await page.mouse.move(...point([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
  await page.mouse.move(...point(to));
  await page.mouse.up();
  await settled(page);
}

async function download(page, button) {
  const [result] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: result.suggestedFilename(), content: readFileSync(await result.path()) };
}

/** Draws of a figure whose picture must change with an action. */
async function changes(page, canvas, what, action) {
  const old = await picture(canvas);
  await action();
  await settled(page);
  assert.notEqual(await picture(canvas), old, what);
}

/** All of a short list; of a long one, so many from everywhere in it: what one figure does, its neighbours do too. */
function someOf(list, most) {
  const stride = Math.ceil(list.length / most);
  return list.filter((_, i) => i % stride === 0);
}

/** The samples are tested in every way; of real pages, for drawing in software takes a while, a part is enough. */
const isSample = (file) => !given.includes(file);

for (const file of files) {
  const ways = layouts.flatMap((layout) => ["light", "dark"].map((colorScheme) => ({ ...layout, colorScheme })));
  describe(basename(file), () => {
    for (const [i, { name, viewport, colorScheme }] of ways.entries()) {
      if (isSample(file) || i % 3 === 0) {
        test(`${name}, ${colorScheme}: everything is drawn, nothing complains`, async () => {
          const { page, problems, close } = await open(browser, file, { viewport, colorScheme });
          assert.equal(await page.locator("html").getAttribute("data-theme"), colorScheme);
          for (const figure of await page.locator("figure.figure").all()) {
            assert.ok((await colouredPixels(canvasOf(figure))) > 20, `${await figure.getAttribute("id")} is blank`);
          }
          for (const animation of await page.locator(".animation").all()) {
            for (const canvas of await animation.locator("canvas").all()) {
              assert.ok((await colouredPixels(canvas)) > 20, `${await animation.getAttribute("id")} is blank`);
            }
          }
          assert.equal(await page.locator(".katex-error").count(), 0, "formulas with errors");
          assert.equal(await page.getByText(/\$[^$]+\$/).count(), 0, "formulas left as text");
          const overflow = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.scrollingElement;
            return scrollWidth - clientWidth;
          });
          assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the window`);
          assert.deepEqual(problems, []);
          await close();
        });
      }
    }

    test("figures that are far away are drawn when they come near", async () => {
      const { page, problems, close } = await open(browser, file, { draw: false });
      const last = page.locator("figure.figure").last();
      if ((await last.count()) > 0) {
        await last.scrollIntoViewIfNeeded();
        await last.locator(".drawing canvas").first().waitFor();
      }
      assert.deepEqual(problems, []);
      await close();
    });

    test("ids are unique and links inside the page lead somewhere", async () => {
      const { page, close } = await open(browser, file, { draw: false });
      const faults = await page.evaluate(() => {
        const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
        const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
        const links = [...document.querySelectorAll('a[href^="#"]')].map((link) => decodeURI(link.hash.slice(1)));
        return [...twice, ...links.filter((id) => !document.getElementById(id))];
      });
      assert.deepEqual(faults, []);
      await close();
    });

    test("series, scales, zoom, values and files of figures", { timeout: 600000 }, async () => {
      const { page, problems, close } = await open(browser, file, { draw: false });
      for (const figure of someOf(await page.locator("figure.figure").all(), isSample(file) ? 30 : 6)) {
        const id = await figure.getAttribute("id");
        const canvas = canvasOf(figure);
        const isSpace = /figure-space/.test(await figure.getAttribute("class"));
        await figure.scrollIntoViewIfNeeded();
        await figure.locator(".drawing canvas").first().waitFor();
        await settled(page);
        await figureToggles(page, figure, canvas, id);
        if (isSpace) await spaceTurns(page, figure, canvas, id);
        else await planeZooms(page, figure, canvas, id);
        await figureSaves(page, figure, id);
      }
      assert.deepEqual(problems, []);
      await close();
    });

    test("animations play, and the slider moves them", { timeout: 600000 }, async () => {
      const { page, problems, close } = await open(browser, file, { draw: false });
      for (const animation of someOf(await page.locator(".animation").all(), isSample(file) ? 10 : 2)) {
        const id = await animation.getAttribute("id");
        const clock = animation.locator(".clock");
        await animation.scrollIntoViewIfNeeded();
        await animation.locator(".controls").scrollIntoViewIfNeeded();
        await animation.locator(".view canvas").first().waitFor();
        await settled(page);
        const start = await clock.textContent();
        const canvas = animation.locator(".view canvas").first();
        await changes(page, canvas, `${id}: slider`, () => animation.locator(".time-slider").fill("400"));
        const middle = await clock.textContent();
        assert.notEqual(middle, start);
        const play = animation.locator(".play");
        await play.click();
        assert.equal(await play.textContent(), "Pause");
        await page.waitForFunction(([element, text]) => element.textContent !== text, [await clock.elementHandle(), middle]);
        await play.click();
        assert.equal(await play.textContent(), "Play");
        await settled(page);
        await changes(page, canvas, `${id}: camera`, () => dragAcross(page, canvas, [0.3, 0.5], [0.6, 0.6]));
        const overlay = animation.locator(".overlay");
        if ((await overlay.count()) > 0) {
          const views = await animation.locator(".view").count();
          await overlay.click();
          assert.equal(await animation.locator(".view").count(), 1);
          await overlay.click();
          assert.equal(await animation.locator(".view").count(), views);
        }
      }
      assert.deepEqual(problems, []);
      await close();
    });

    test("the theme can be changed, and is redrawn", async () => {
      const { page, problems, close } = await open(browser, file);
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      const canvas = page.locator(".drawing canvas, .view canvas").first();
      const old = (await canvas.count()) > 0 ? await picture(canvas) : null;
      await page.locator(".theme-toggle").click();
      await settled(page);
      assert.notEqual(await background(), light);
      if (old !== null) assert.notEqual(await picture(canvas), old);
      assert.deepEqual(problems, []);
      await close();
    });

    test("on paper, figures and animations are vector pictures", async () => {
      const { page, problems, close } = await open(browser, file, { colorScheme: "dark", draw: false });
      const expected = await page.locator("figure.figure, .animation").count();
      await page.evaluate(() => {
        addEventListener("beforeprint", () => (document.body.dataset.pictures = document.querySelectorAll(".print-picture > svg").length));
      });
      await page.pdf();
      assert.equal(await page.locator("body").getAttribute("data-pictures"), String(expected));
      assert.equal(await page.locator(".print-picture").count(), 0);
      assert.deepEqual(problems, []);
      await close();
    });

    test("claims can be filtered", async () => {
      const { page, problems, close } = await open(browser, file, { draw: false });
      const all = page.locator(".all-claims");
      if ((await all.count()) === 0) {
        assert.equal(await page.locator(".claim, .summary").count(), 0);
      } else {
        const more = all.locator(".show-all");
        if (await more.isVisible()) await more.click();
        const shown = all.locator(".claim:visible");
        const total = await shown.count();
        assert.equal(await page.locator(".experiment .claim").count(), total);
        for (const button of await all.locator(".filter").all()) {
          const verdict = await button.getAttribute("data-verdict");
          const expected = await all.locator(`.claim[data-verdict="${verdict}"]`).count();
          await button.click();
          assert.equal(await shown.count(), expected);
          await button.click();
        }
        assert.equal(await shown.count(), total);
        const chapters = all.locator(".chapter-filter");
        if ((await chapters.count()) > 0) {
          let sum = 0;
          for (const option of (await chapters.locator("option").all()).slice(1)) {
            await chapters.selectOption(await option.getAttribute("value"));
            sum += await shown.count();
          }
          assert.equal(sum, total);
        }
      }
      assert.deepEqual(problems, []);
      await close();
    });
  });
}

async function figureToggles(page, figure, canvas, id) {
  const entries = await figure.locator(".legend-entry").all();
  for (const entry of entries.slice(0, 3)) {
    const old = await picture(canvas);
    await entry.click();
    await settled(page);
    assert.equal(await entry.getAttribute("aria-pressed"), "false");
    assert.notEqual(await picture(canvas), old, `${id}: a series is hidden`);
    await entry.click();
    await settled(page);
    assert.equal(await picture(canvas), old, `${id}: a series is shown again`);
  }
  for (const axis of ["x", "y"]) {
    const button = figure.locator(`.scale-${axis}`);
    if ((await button.count()) === 0) continue;
    const pressed = await button.getAttribute("aria-pressed");
    // Another scale is another plot with another canvas.
    const old = await picture(canvasOf(figure));
    await button.click();
    await settled(page);
    assert.notEqual(await button.getAttribute("aria-pressed"), pressed);
    assert.notEqual(await picture(canvasOf(figure)), old, `${id}: log ${axis}`);
    assert.ok((await colouredPixels(canvasOf(figure))) > 20, `${id}: log ${axis} is blank`);
    await button.click();
    await settled(page);
  }
}

async function planeZooms(page, figure, canvas, id) {
  const over = figure.locator(".u-over");
  await over.scrollIntoViewIfNeeded();
  const home = await picture(canvas);
  await changes(page, canvas, `${id}: zoom`, () => dragAcross(page, over, [0.3, 0.3], [0.7, 0.75]));
  const box = await over.boundingBox();
  const values = figure.locator(".legend-value");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2);
  await settled(page);
  assert.match((await values.allTextContents()).join(""), /\d/, `${id}: values under the cursor`);
  assert.notEqual(await figure.locator(".legend-heading").textContent(), "");
  await over.dblclick();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: double click resets`);
  await over.focus();
  await changes(page, canvas, `${id}: keys`, () => page.keyboard.press("+"));
  await figure.getByRole("button", { name: "Reset" }).click();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: the button resets`);
}

async function spaceTurns(page, figure, canvas, id) {
  const surface = figure.locator(".space-surface");
  await surface.scrollIntoViewIfNeeded();
  const home = await picture(canvas);
  await changes(page, canvas, `${id}: turning`, () => dragAcross(page, surface, [0.4, 0.5], [0.6, 0.55]));
  const box = await surface.boundingBox();
  let seen = "";
  for (let k = 1; k < 20 && seen === ""; k++) {
    await page.mouse.move(box.x + (box.width * k) / 20, box.y + box.height / 2);
    seen = (await figure.locator(".legend-value").allTextContents()).join("");
  }
  assert.match(seen, /\d/, `${id}: values under the cursor`);
  await surface.focus();
  await changes(page, canvas, `${id}: keys`, () => page.keyboard.press("ArrowLeft"));
  await figure.getByRole("button", { name: "Reset" }).click();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: the button resets`);
}

async function figureSaves(page, figure, id) {
  const button = (name) => figure.getByRole("button", { name, exact: true });
  const entries = await figure.locator(".legend-entry").all();
  const inspect = (markup) =>
    page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, "image/svg+xml");
      const curves = [...document.querySelectorAll("g.series")];
      return {
        wellFormed: document.querySelector("parsererror") === null,
        curves: curves.length,
        drawn: curves.every((curve) => [...curve.querySelectorAll("path")].some((path) => path.getAttribute("d") !== "")),
        texts: document.querySelectorAll("text").length,
        raw: document.documentElement.textContent.includes("\\") || document.documentElement.textContent.includes("$"),
      };
    }, markup);
  const svg = await download(page, button("SVG"));
  assert.match(svg.name, /\.svg$/);
  const whole = await inspect(svg.content.toString("utf8"));
  assert.ok(whole.wellFormed, `${id}: SVG is XML`);
  assert.equal(whole.curves, entries.length, `${id}: curves of the SVG`);
  assert.ok(whole.drawn, `${id}: an empty curve in the SVG`);
  assert.ok(whole.texts > entries.length + 3, `${id}: axes and legend of the SVG`);
  assert.ok(!whole.raw, `${id}: LaTeX in the SVG`);
  assert.doesNotMatch(svg.content.toString("utf8"), /NaN|undefined/);
  if (entries.length > 1) {
    await entries[0].click();
    const fewer = await inspect((await download(page, button("SVG"))).content.toString("utf8"));
    assert.equal(fewer.curves, entries.length - 1, `${id}: a hidden series is not saved`);
    await entries[0].click();
  }
  const png = await download(page, button("PNG"));
  assert.match(png.name, /\.png$/);
  assert.equal(png.content.subarray(1, 4).toString("latin1"), "PNG");
  assert.equal(png.content.readUInt32BE(16), 2160, `${id}: width of the PNG`);
  assert.ok(png.content.readUInt32BE(20) > 1000, `${id}: height of the PNG`);
}
