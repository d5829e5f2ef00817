// What is tested of the samples only: they are known to contain everything.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { colouredPixels, layouts, open, picture, settled } from "./browser.mjs";
import { launch } from "./chromium.mjs";
import { buildTemplate, fill } from "./page.mjs";
import { sample } from "./sample.mjs";

const { folder, template } = buildTemplate();
const file = join(folder, "sample.html");
fill(template, sample(), file);

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("everything can be reached with the keyboard", async () => {
  const { page, close } = await open(browser, file);
  const wanted = [".theme-toggle", ".count", ".contents a", ".filter", ".chapter-filter", ".claim-link", ".u-over", ".space-surface", ".legend-entry", ".tools button", ".play", ".time-slider", ".view-surface", ".files a"];
  const reached = new Set();
  for (let k = 0; k < 400 && reached.size < wanted.length; k++) {
    await page.keyboard.press("Tab");
    const matching = await page.evaluate((selectors) => selectors.filter((s) => document.activeElement.matches(s)), wanted);
    for (const selector of matching) reached.add(selector);
  }
  assert.deepEqual(wanted.filter((selector) => !reached.has(selector)), []);
  await close();
});

test("on a phone, the contents open and close", async () => {
  const { page, close } = await open(browser, file, { viewport: layouts[1].viewport, draw: false });
  const contents = page.locator(".contents");
  assert.equal(await contents.isVisible(), false);
  await page.locator(".contents-button").click();
  assert.equal(await contents.isVisible(), true);
  await contents.getByRole("link", { name: "Mobile robot" }).click();
  assert.equal(await contents.isVisible(), false);
  assert.match(page.url(), /#cm\/robot$/);
  await close();
});

test("a count of the summary shows its claims", async () => {
  const { page, close } = await open(browser, file, { draw: false });
  await page.locator(".count.verdict-corrected").click();
  assert.deepEqual(
    await page.locator(".all-claims .claim:visible").evaluateAll((rows) => rows.map((row) => row.dataset.verdict)),
    ["corrected"],
  );
  await close();
});

test("what went wrong and what was corrected is visible", async () => {
  const { page, close } = await open(browser, file, { draw: false });
  assert.ok(await page.getByText("the solution is not finite").isVisible());
  assert.ok(await page.locator(".all-claims").getByText("is wrong: with the sign as printed").isVisible());
  assert.equal(await page.locator(".claim-note code").first().textContent(), "+");
  await close();
});

test("a figure can be enlarged and goes back", async () => {
  const { page, problems, close } = await open(browser, file);
  for (const id of ["cm/particle/energy", "cm/particle/space"]) {
    const figure = page.locator(`[id="${id}"]`);
    await figure.scrollIntoViewIfNeeded();
    const canvas = figure.locator(".drawing canvas").first();
    const width = async () => (await canvas.boundingBox()).width;
    const small = await width();
    await figure.getByRole("button", { name: "Enlarge" }).click();
    await settled(page);
    assert.ok((await width()) > 1.5 * small);
    assert.ok((await colouredPixels(canvas)) > 20);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal(await width(), small);
    assert.equal(await page.locator("dialog").count(), 0);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("the values shown are those of the data", async () => {
  const { page, close } = await open(browser, file);
  const figure = page.locator('[id="cm/particle/convergence"]');
  await figure.scrollIntoViewIfNeeded();
  const box = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width - 8, box.y + 20);
  await page.mouse.move(box.x + box.width - 6, box.y + 20);
  assert.match(await figure.locator(".legend-heading").textContent(), /= 0\.4$/);
  assert.deepEqual(await figure.locator(".legend-value").allTextContents(), ["0.048", "0.00256", "0.01024", "0.16"]);
  await close();
});

test("nothing moves by itself", async () => {
  const { page, close } = await open(browser, file);
  const canvas = page.locator(".view canvas").first();
  await canvas.scrollIntoViewIfNeeded();
  await settled(page);
  const old = await picture(canvas);
  await page.waitForTimeout(300);
  assert.equal(await picture(canvas), old);
  await close();
});

test("axes have labels however large the numbers are", async () => {
  for (const size of [1, 1e39, 1e200, 1e-200]) {
    const report = sample();
    const experiment = report.chapters[0].experiments[0];
    const series = [{ name: "s", style: "line", x: [0, 1, 2], y: [0, size, 3 * size] }];
    experiment.figures = [{ id: "f", title: "f", kind: "line", x: { label: "x" }, y: { label: "y" }, series }];
    report.chapters = [{ ...report.chapters[0], experiments: [{ ...experiment, claims: [], animations: [] }] }];
    const path = join(folder, "sizes.html");
    fill(template, report, path);
    const { page, problems, close } = await open(browser, path);
    const written = await page.locator(".drawing canvas").first().evaluate((canvas) => {
      // Left of the plot and its ticks there is nothing but the labels of the axis.
      const left = canvas.closest(".drawing").querySelector(".u-over").offsetLeft - 6;
      const { data } = canvas.getContext("2d").getImageData(0, 0, left * devicePixelRatio, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 100).length;
    });
    assert.ok(written > 20, `no labels for ${size}`);
    assert.deepEqual(problems, []);
    await close();
  }
});

test("text of a report is never markup", async () => {
  const report = sample();
  report.title = 'A <img src="x" onerror="alert(1)"> & </script> title';
  report.chapters[0].experiments[0].figures[0].series[0].name = "<b>&";
  const hostile = join(folder, "hostile.html");
  fill(template, report, hostile);
  const { page, problems, close } = await open(browser, hostile);
  assert.equal(await page.locator("h1").textContent(), report.title);
  assert.equal(await page.locator("h1 img").count(), 0);
  assert.equal(await page.locator(".legend-name").first().textContent(), "<b>&");
  assert.deepEqual(problems, []);
  await close();
});

test("without WebGL there are messages, paths and simpler pictures", async () => {
  const plain = await launch({ webgl: false });
  const { page, problems, close } = await open(plain, file);
  const { chapters } = sample();
  const animations = chapters.flatMap((chapter) => chapter.experiments.flatMap((experiment) => experiment.animations));
  assert.equal(await page.locator(".player-fallback").count(), animations.length);
  for (const canvas of await page.locator(".player-fallback canvas").all()) assert.ok((await colouredPixels(canvas)) > 20);
  assert.equal(await page.locator(".space-picture g.series").count(), 3);
  assert.deepEqual(problems, []);
  await close();
  await plain.close();
});

test("a template without a report says so", async () => {
  const { page, problems, close } = await open(browser, template, { draw: false });
  assert.ok(await page.getByText("contains no report").isVisible());
  assert.deepEqual(problems, []);
  await close();
});
