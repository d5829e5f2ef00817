// What every report must pass: the samples, and the pages named in RATTLEBACK_PAGES.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { describe } from "node:test";
import { blanks, canvasOf, drawAll, isBlank, layouts, picture, settled, shared } from "./browser.mjs";
import { fill } from "./page.mjs";
import { sample, smallSample } from "./sample.mjs";

const size = (file) => statSync(file).size;
const given = (process.env.RATTLEBACK_PAGES ?? "").split(":").filter((path) => path !== "");
const ways = layouts.flatMap((layout) => ["light", "dark"].map((colorScheme) => ({ ...layout, colorScheme })));

// The samples are looked at in every way, and everything on them is tried. Real pages are looked at in two ways, and one
// figure of each kind is tried on the smallest page that has it: what it does, others of its kind do too, and a large page
// takes a tenth of a second for every click and every look.
const pages = [
  { file: fill(sample(), "sample.html"), ways, isSample: true },
  { file: fill(smallSample(), "small.html"), ways, isSample: true },
  ...given.sort((a, b) => size(a) - size(b)).map((file) => ({ file, ways: [ways[0], ways[3]], isSample: false })),
];

/** Chooses one of each kind; `kindOf` runs in the page. */
async function oneOfEach(elements, kindOf, known = new Set()) {
  const chosen = [];
  for (const element of elements) {
    const kind = await element.evaluate(kindOf);
    if (!known.has(kind)) chosen.push(element);
    known.add(kind);
  }
  return chosen;
}

const triedOnRealPages = new Set();
const kindOf = (element) => /figure-\w+/.exec(element.className)?.[0] ?? "animation";

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
  // The browser encodes a picture in the idle time of a frame, and waits a second for one.
  const frames = () => settled(page);
  const [result] = await Promise.all([page.waitForEvent("download"), button.click().then(frames)]);
  return { name: result.suggestedFilename(), content: readFileSync(await result.path()) };
}

/** Draws of a figure whose picture must change with an action. */
async function changes(page, canvas, what, action) {
  const old = await picture(canvas);
  await action();
  await settled(page);
  assert.notEqual(await picture(canvas), old, what);
}

for (const { file, ways, isSample } of pages) {
  describe(basename(file), () => {
    const look = shared(file);
    const toTry = async (page, selector, context) => {
      const all = await page.$$(selector);
      const chosen = isSample ? all : await oneOfEach(all, kindOf, triedOnRealPages);
      if (chosen.length === 0) context.skip("nothing of a kind that was not tried on a smaller page");
      return chosen;
    };

    look("figures that are far away are drawn when they come near", async (page) => {
      const last = page.locator("figure.figure").last();
      if ((await last.count()) === 0) return;
      const isFar = await last.evaluate((element) => element.getBoundingClientRect().top > 2 * innerHeight);
      if (isFar) assert.equal(await canvasOf(last).count(), 0, "drawn too early");
      await last.scrollIntoViewIfNeeded();
      await canvasOf(last).waitFor();
    });

    look("ids are unique and links inside the page lead somewhere", async (page) => {
      const faults = await page.evaluate(() => {
        const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
        const known = new Set(ids);
        const twice = ids.filter((id) => !known.delete(id));
        const links = [...document.querySelectorAll('a[href^="#"]')].map((link) => decodeURI(link.hash.slice(1)));
        return [...twice, ...links.filter((id) => !document.getElementById(id))];
      });
      assert.deepEqual(faults, []);
    });

    look("claims and statements can be filtered", async (page) => {
      if ((await page.locator(".all-claims").count()) === 0) assert.equal(await page.locator(".claim, .summary").count(), 0);
      else await filters(page, ".all-claims", ".claim", await page.locator(".experiment .claim").count());
      const statements = page.locator(".all-statements");
      if ((await statements.count()) > 0) await filters(page, ".all-statements", ".statement", await statements.locator(".statement").count());
    });

    /** The rows of a table, by verdict and by chapter. */
    async function filters(page, table, rowsOf, total) {
      const all = page.locator(table);
      const filter = all.locator(".filter").first();
      await filter.click();
      assert.equal(await filter.getAttribute("aria-pressed"), "true");
      await filter.click();
      assert.equal(await filter.getAttribute("aria-pressed"), "false");
      const more = all.locator(".show-all");
      if (await more.isVisible()) await more.click();
      // The others without a frame in between: a table of hundreds of claims is drawn slowly.
      const counts = await all.evaluate((section, rowsOf) => {
        const rows = [...section.querySelectorAll(rowsOf)];
        const shown = () => rows.filter((row) => row.checkVisibility()).length;
        const all = shown();
        const verdicts = [...section.querySelectorAll(".filter")].map((button) => {
          button.click();
          const left = shown();
          button.click();
          return { left, expected: rows.filter((row) => row.dataset.verdict === button.dataset.verdict).length };
        });
        const select = section.querySelector(".chapter-filter");
        const choose = (value) => {
          select.value = value;
          select.dispatchEvent(new Event("change"));
          return shown();
        };
        const chapters = select ? [...select.options].slice(1).map(({ value }) => choose(value)) : [all];
        return { all, verdicts, chapters, again: select ? choose("") : shown() };
      }, rowsOf);
      assert.equal(counts.all, total);
      for (const { left, expected } of counts.verdicts) assert.equal(left, expected);
      assert.equal(counts.chapters.reduce((sum, count) => sum + count, 0), total);
      assert.equal(counts.again, total);
    }

    look("series, scales, zoom, values and files of figures", async (page, context) => {
      const figures = await toTry(page, "figure.figure", context);
      const saved = await oneOfEach(figures, kindOf);
      for (const figure of figures) {
        const id = await figure.getAttribute("id");
        await figure.scrollIntoViewIfNeeded();
        const canvas = await figure.waitForSelector(".drawing canvas");
        await settled(page);
        await figureToggles(page, figure, canvas, id);
        if (await figure.$(".space-surface")) await spaceTurns(page, figure, canvas, id);
        else if (await figure.$(".map-surface")) await mapReads(page, figure, id);
        else {
          await planeScales(page, figure, id);
          await planeZooms(page, figure, id);
        }
        // What is in the files of the others is tested on paper.
        if (saved.includes(figure)) await figureSaves(page, figure, id);
      }
    });

    look("animations play, and the slider moves them", async (page, context) => {
      for (const [i, animation] of (await toTry(page, ".animation", context)).entries()) {
        const id = await animation.getAttribute("id");
        await animation.scrollIntoViewIfNeeded();
        const canvas = await animation.waitForSelector(".view canvas");
        const [clock, slider, play] = await Promise.all([".clock", ".time-slider", ".play"].map((part) => animation.$(part)));
        await play.scrollIntoViewIfNeeded();
        await settled(page);
        const start = await clock.textContent();
        const home = await picture(canvas);
        await changes(page, canvas, `${id}: slider`, () => slider.fill("400"));
        assert.notEqual(await clock.textContent(), start);
        // Time goes on in the same way for every body.
        if (i === 0) await plays(page, play, clock);
        await changes(page, canvas, `${id}: camera`, () => dragAcross(page, canvas, [0.3, 0.5], [0.6, 0.6]));
        const overlay = await animation.$(".overlay");
        if (overlay) {
          const views = async () => (await animation.$$(".view")).length;
          const sideBySide = await views();
          await overlay.click();
          assert.equal(await views(), 1);
          await overlay.click();
          assert.equal(await views(), sideBySide);
        }
        await slider.fill("0");
        await (await animation.$('button:text-is("Reset view")')).click();
        await settled(page);
        assert.equal(await picture(canvas), home, `${id}: back at the beginning`);
      }
    });

    look("bodies are drawn as the document has them", async (page) => {
      const animations = await page.evaluate(() => {
        const { chapters } = JSON.parse(document.getElementById("report").textContent);
        return chapters.flatMap(({ experiments }) =>
          experiments.flatMap(({ id, animations }) =>
            animations.map(({ id: own, ground, tracks }) => ({
              id: `${id}/${own}`,
              flat: ground.slope.x === 0 && ground.slope.y === 0,
              ends: [Math.min(...tracks.map(({ t }) => t[0])), Math.max(...tracks.map(({ t }) => t.at(-1)))],
              ...tracks[0],
            })),
          ),
        );
      });
      const flat = animations.find((animation) => animation.flat && animation.bodies.some(({ rotation }) => rotation));
      if (!flat) return;
      const { id, t, bodies, ends } = flat;
      const element = page.locator(`[id="${id}"]`);
      await element.scrollIntoViewIfNeeded();
      await element.locator(".view").first().waitFor();
      for (const sample of [0, Math.floor(t.length / 3), t.length - 1]) {
        const place = (1000 * (t[sample] - ends[0])) / (ends[1] - ends[0]);
        await element.locator(".time-slider").evaluate((slider, value) => {
          slider.value = value;
          slider.dispatchEvent(new Event("input"));
        }, place);
        await settled(page);
        const poses = await element.locator(".view").first().evaluate((view) => view.poses()[0]);
        const at = (column) => column[column.length === 1 ? 0 : sample];
        for (const [k, { rotation }] of bodies.entries()) {
          if (!rotation) continue;
          const [w, x, y, z] = rotation.map(at);
          // What e₁ and e₃ become, whatever the size the body is drawn with.
          const first = [w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)];
          const third = [2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z];
          for (const [from, expected] of [[0, first], [8, third]]) {
            const drawn = poses[k].slice(from, from + 3);
            const length = Math.hypot(...drawn);
            for (const i of [0, 1, 2]) assert.ok(Math.abs(drawn[i] / length - expected[i]) < 1e-6, `${id}: body ${k} at ${t[sample]}: ${drawn} is not ${expected}`);
          }
        }
      }
      await element.locator(".time-slider").fill("0");
      await settled(page);
    });

    look("the theme can be changed, and is redrawn", async (page) => {
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      const canvas = page.locator(".drawing canvas, .view canvas").first();
      const old = (await canvas.count()) > 0 ? await picture(canvas) : null;
      const toggle = page.locator(".theme-toggle");
      await toggle.click();
      await settled(page);
      assert.notEqual(await background(), light);
      if (old !== null) assert.notEqual(await picture(canvas), old);
      await toggle.click();
      await settled(page);
      assert.equal(await background(), light);
      if (old !== null) assert.equal(await picture(canvas), old);
      // A reader's choice is kept; without one, the page follows the system again.
      await page.evaluate(() => localStorage.clear());
    });

    for (const { name, viewport, colorScheme } of ways) {
      look(`${name}, ${colorScheme}: everything is drawn, nothing complains`, async (page) => {
        await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })]);
        await drawAll(page);
        assert.equal(await page.locator("html").getAttribute("data-theme"), colorScheme);
        assert.deepEqual(await blanks(page), [], "blank");
        assert.equal(await page.locator(".katex-error").count(), 0, "formulas with errors");
        assert.deepEqual(await textsWithDollars(page), [], "formulas left as text");
        const overflow = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.scrollingElement;
          return scrollWidth - clientWidth;
        });
        assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the window`);
      });
    }

    look("on paper, figures and animations are vector pictures", async (page) => {
      await drawAll(page);
      // What printing does before and after it makes pages, which of a large report takes longer than all other tests.
      const found = await page.evaluate(() => {
        window.dispatchEvent(new Event("beforeprint"));
        const pictures = [...document.querySelectorAll("figure.figure, .animation")].map((element) => ({
          id: element.id,
          series: element.querySelectorAll(".legend-entry, .view-name").length,
          markup: element.querySelector(".print-picture > svg")?.outerHTML ?? "",
        }));
        window.dispatchEvent(new Event("afterprint"));
        return pictures;
      });
      assert.equal(await page.locator(".print-picture").count(), 0);
      const seen = await inspect(page, found.map(({ markup }) => markup));
      for (const [i, { id, series, markup }] of found.entries()) isComplete(seen[i], markup, series, id);
    });
  });
}

/** Outside of formulas there are dollars only in what is to be typed. */
function textsWithDollars(page) {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (data.includes("$") && !parentElement.closest("script, style, code")) found.push(data);
    }
    return found;
  });
}

async function plays(page, play, clock) {
  const before = await clock.textContent();
  await play.click();
  assert.equal(await play.textContent(), "Pause");
  await page.waitForFunction(([element, text]) => element.textContent !== text, [clock, before]);
  // A key needs no place on the screen, which Playwright would look for in several frames of the motion.
  await page.keyboard.press("Space");
  assert.equal(await play.textContent(), "Play");
  await settled(page);
}

async function figureToggles(page, figure, canvas, id) {
  const entries = await figure.$$(".legend-entry");
  for (const entry of [entries[0], ...entries.slice(1).slice(-1)]) {
    const old = await picture(canvas);
    await entry.click();
    await settled(page);
    assert.equal(await entry.getAttribute("aria-pressed"), "false");
    assert.notEqual(await picture(canvas), old, `${id}: a series is hidden`);
    await entry.click();
    await settled(page);
    assert.equal(await picture(canvas), old, `${id}: a series is shown again`);
  }
}

async function planeScales(page, figure, id) {
  for (const axis of ["x", "y"]) {
    const button = await figure.$(`.scale-${axis}`);
    if (!button) continue;
    const pressed = await button.getAttribute("aria-pressed");
    // Another scale is another plot with another canvas.
    const canvas = () => figure.$(".drawing canvas");
    const old = await picture(await canvas());
    await button.click();
    await settled(page);
    assert.notEqual(await button.getAttribute("aria-pressed"), pressed);
    assert.notEqual(await picture(await canvas()), old, `${id}: log ${axis}`);
    assert.ok(!(await isBlank(await canvas())), `${id}: log ${axis} is blank`);
    await button.click();
    await settled(page);
  }
}

/** What the legend says of the point under the cursor. */
function legendValues(figure) {
  return figure.$$eval(".legend-value", (values) => values.map((value) => value.textContent).join(""));
}

async function planeZooms(page, figure, id) {
  const canvas = await figure.$(".drawing canvas");
  const over = await figure.$(".u-over");
  await over.scrollIntoViewIfNeeded();
  const home = await picture(canvas);
  await changes(page, canvas, `${id}: zoom`, () => dragAcross(page, over, [0.3, 0.3], [0.7, 0.75]));
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2);
  await settled(page);
  assert.match(await legendValues(figure), /\d/, `${id}: values under the cursor`);
  assert.notEqual(await figure.$eval(".legend-heading", (heading) => heading.textContent), "");
  await over.dblclick();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: double click resets`);
  await over.focus();
  await changes(page, canvas, `${id}: keys`, () => page.keyboard.press("+"));
  await (await tool(figure, "Reset")).click();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: the button resets`);
}

async function mapReads(page, figure, id) {
  await (await figure.$(".map-surface")).hover();
  await settled(page);
  assert.notEqual(await legendValues(figure), "", `${id}: the value under the cursor`);
  assert.match(await figure.$eval(".legend-heading", (heading) => heading.textContent), /= .*\d.*= .*\d/, `${id}: where it is`);
}

async function spaceTurns(page, figure, canvas, id) {
  const surface = await figure.$(".space-surface");
  await surface.scrollIntoViewIfNeeded();
  const home = await picture(canvas);
  await changes(page, canvas, `${id}: turning`, () => dragAcross(page, surface, [0.4, 0.5], [0.6, 0.55]));
  const box = await surface.boundingBox();
  let seen = "";
  for (let k = 1; k < 20 && seen === ""; k++) {
    await page.mouse.move(box.x + (box.width * k) / 20, box.y + box.height / 2);
    seen = await legendValues(figure);
  }
  assert.match(seen, /\d/, `${id}: values under the cursor`);
  await surface.focus();
  await changes(page, canvas, `${id}: keys`, () => page.keyboard.press("ArrowLeft"));
  await (await tool(figure, "Reset")).click();
  await settled(page);
  assert.equal(await picture(canvas), home, `${id}: the button resets`);
}

function tool(figure, name) {
  return figure.$(`.tools button:text-is("${name}")`);
}

/** What there is in SVG files. */
function inspect(page, files) {
  return page.evaluate(
    (texts) =>
      texts.map((text) => {
        const document = new DOMParser().parseFromString(text, "image/svg+xml");
        const curves = [...document.querySelectorAll("g.series")];
        return {
          wellFormed: document.querySelector("parsererror") === null,
          curves: curves.length,
          drawn: curves.every((curve) => [...curve.querySelectorAll("path")].some((path) => path.getAttribute("d") !== "")),
          texts: document.querySelectorAll("text").length,
          raw: document.documentElement.textContent.includes("\\") || document.documentElement.textContent.includes("$"),
        };
      }),
    files,
  );
}

function isComplete(seen, markup, series, id) {
  assert.ok(seen.wellFormed, `${id}: SVG is XML`);
  assert.equal(seen.curves, series, `${id}: curves of the SVG`);
  assert.ok(seen.drawn, `${id}: an empty curve in the SVG`);
  assert.ok(seen.texts > series + 3, `${id}: axes and legend of the SVG`);
  assert.ok(!seen.raw, `${id}: LaTeX in the SVG`);
  assert.doesNotMatch(markup, /NaN|undefined/, id);
}

async function figureSaves(page, figure, id) {
  const entries = await figure.$$(".legend-entry");
  const svg = await download(page, await tool(figure, "SVG"));
  assert.match(svg.name, /\.svg$/);
  const markup = svg.content.toString("utf8");
  isComplete((await inspect(page, [markup]))[0], markup, entries.length, id);
  if (entries.length > 1) {
    await entries[0].click();
    const [fewer] = await inspect(page, [(await download(page, await tool(figure, "SVG"))).content.toString("utf8")]);
    assert.equal(fewer.curves, entries.length - 1, `${id}: a hidden series is not saved`);
    await entries[0].click();
  }
  const png = await download(page, await tool(figure, "PNG"));
  assert.match(png.name, /\.png$/);
  assert.equal(png.content.subarray(1, 4).toString("latin1"), "PNG");
  assert.equal(png.content.readUInt32BE(16), 2160, `${id}: width of the PNG`);
  assert.ok(png.content.readUInt32BE(20) > 1000, `${id}: height of the PNG`);
}
