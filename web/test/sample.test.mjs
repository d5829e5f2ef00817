// What is tested of the samples only: they are known to contain everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blanks, canvasOf, isBlank, layouts, open, picture, settled, shared } from "./browser.mjs";
import { launch } from "./chromium.mjs";
import { fill, template } from "./page.mjs";
import { sample, spins, turn } from "./sample.mjs";

const file = fill(sample(), "sample.html");
const look = shared(file, { draw: true });

look("everything can be reached with the keyboard", async (page) => {
  const wanted = [".theme-toggle", ".count", ".contents a", ".filter", ".chapter-filter", ".claim-link", ".u-over", ".space-surface", ".legend-entry", ".tools button", ".play", ".time-slider", ".view-surface", ".files a"];
  const reached = new Set();
  for (let k = 0; k < 400 && reached.size < wanted.length; k++) {
    await page.keyboard.press("Tab");
    const matching = await page.evaluate((selectors) => selectors.filter((s) => document.activeElement.matches(s)), wanted);
    for (const selector of matching) reached.add(selector);
  }
  assert.deepEqual(wanted.filter((selector) => !reached.has(selector)), []);
});

/** The rotations and places that bodies of the first track of a view are drawn with, at a time. */
async function drawn(page, animation, time, end) {
  await animation.locator(".time-slider").fill(String((1000 * time) / end));
  await settled(page);
  return animation.locator(".view").first().evaluate((view) => view.poses()[0]);
}

/** Row by row. */
function matrixOf([w, x, y, z]) {
  return [
    [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
  ];
}

function largestDifference(drawnMatrix, quaternion, scale = 1) {
  const expected = matrixOf(quaternion);
  const differences = expected.flatMap((row, i) => row.map((entry, j) => Math.abs(drawnMatrix[4 * j + i] - scale * entry)));
  return Math.max(...differences);
}

// What turns at a constant rate does so between samples too: 0.25 apart, up to 0.3 radians. Small turns are interpolated
// to some 1e-7, a ten-thousandth of a pixel.
look("bodies are drawn as they are turned", async (page) => {
  const animation = page.locator('[id="fbo/knife-edge/shapes"]');
  await animation.scrollIntoViewIfNeeded();
  for (const time of [0, 0.25, 3.1, 6.66, 10]) {
    const poses = await drawn(page, animation, time, 10);
    for (const [k, { rate, axis }] of spins.entries()) {
      assert.ok(largestDifference(poses[k], turn(rate * time, axis)) < 1e-6, `body ${k} at ${time}`);
    }
  }
  await drawn(page, animation, 0, 10);
});

look("a rod ends where it should", async (page) => {
  const animation = page.locator('[id="fbo/knife-edge/shapes"]');
  await animation.scrollIntoViewIfNeeded();
  const [time, k] = [2.5, spins.length];
  const pose = (await drawn(page, animation, time, 10))[k];
  const end = [8, 9, 10].map((i) => pose[i] + pose[i + 4]);
  const expected = [0, 3.3, 1.2 + 0.3 * Math.sin(time)];
  for (const i of [0, 1, 2]) assert.ok(Math.abs(end[i] - expected[i]) < 1e-9, `${end} instead of ${expected}`);
  await drawn(page, animation, 0, 10);
});

look("the page begins with a motion", async (page) => {
  const opening = page.locator(".page-header .opening");
  assert.equal(await opening.count(), 1);
  assert.match(await opening.locator(".opening-text").textContent(), /^A disk that rolls in a circle/);
  assert.ok(await opening.locator(".play").isVisible());
});

test("on a phone, the contents open and close", async () => {
  const { page, close } = await open(file, { viewport: layouts[1].viewport, draw: false });
  const contents = page.locator(".contents");
  assert.equal(await contents.isVisible(), false);
  await page.locator(".contents-button").click();
  assert.equal(await contents.isVisible(), true);
  await contents.getByRole("link", { name: "Mobile robot" }).click();
  assert.equal(await contents.isVisible(), false);
  assert.match(page.url(), /#cm\/robot$/);
  await close();
});

look("a count of the summary shows its claims", async (page) => {
  await page.locator(".count.verdict-corrected").click();
  assert.deepEqual(
    await page.locator(".all-claims .claim:visible").evaluateAll((rows) => rows.map((row) => row.dataset.verdict)),
    ["corrected"],
  );
  await page.locator(".all-claims .filter.verdict-corrected").click();
});

look("what went wrong and what was corrected is visible", async (page) => {
  assert.ok(await page.getByText("the solution is not finite").isVisible());
  assert.ok(await page.locator(".all-claims").getByText("is wrong: with the sign as printed").isVisible());
  assert.equal(await page.locator(".claim-note code").first().textContent(), "+");
});

look("statements say by what they are judged, or why not", async (page) => {
  const rows = page.locator(".all-statements .statement");
  assert.deepEqual(
    await rows.evaluateAll((all) => all.map((row) => [row.querySelector(".verdict").textContent, row.querySelector(".statement-label").textContent])),
    [["mixed", "Theorem 5.3cm"], ["no verdict", "Definition 4.1cm"], ["answered", "Section 6cm"]],
  );
  await rows.first().getByRole("link", { name: "Nonholonomic particle" }).click();
  assert.match(page.url(), /#cm\/particle$/);
  assert.ok(await rows.nth(1).getByText("A definition.").isVisible());
});

look("a figure can be enlarged and goes back", async (page) => {
  for (const id of ["cm/particle/energy", "cm/particle/space"]) {
    const figure = page.locator(`[id="${id}"]`);
    await figure.scrollIntoViewIfNeeded();
    const canvas = canvasOf(figure);
    const width = async () => (await canvas.boundingBox()).width;
    const small = await width();
    await figure.getByRole("button", { name: "Enlarge" }).click();
    await settled(page);
    assert.ok((await width()) > 1.5 * small);
    assert.ok(!(await isBlank(canvas)));
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal(await width(), small);
    assert.equal(await page.locator("dialog").count(), 0);
  }
});

look("the values shown are those of the data", async (page) => {
  const figure = page.locator('[id="cm/particle/convergence"]');
  await figure.scrollIntoViewIfNeeded();
  const box = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width - 8, box.y + 20);
  await page.mouse.move(box.x + box.width - 6, box.y + 20);
  assert.match(await figure.locator(".legend-heading").textContent(), /= 0\.4$/);
  assert.deepEqual(await figure.locator(".legend-value").allTextContents(), ["0.048", "0.00256", "0.01024", "0.16"]);
});

look("nothing moves by itself", async (page) => {
  const canvas = page.locator(".view canvas").first();
  await canvas.scrollIntoViewIfNeeded();
  await settled(page);
  const old = await picture(canvas);
  await settled(page, 20);
  assert.equal(await picture(canvas), old);
});

/** A report of one experiment of the sample, with some figures instead of its own. */
function reportOf(figures) {
  const report = sample();
  const [chapter] = report.chapters;
  const [experiment] = chapter.experiments;
  return { ...report, chapters: [{ ...chapter, experiments: [{ ...experiment, claims: [], figures, animations: [] }] }] };
}

test("axes have labels however large the numbers are", async () => {
  const figures = [1, 1e39, 1e200, 1e-200].map((size) => {
    const series = [{ name: "s", style: "line", x: [0, 1, 2], y: [0, size, 3 * size] }];
    return { id: `${size}`, title: `${size}`, kind: "line", x: { label: "x" }, y: { label: "y" }, series };
  });
  const { page, problems, close } = await open(fill(reportOf(figures), "sizes.html"));
  const written = await page.locator(".drawing canvas").evaluateAll((canvases) =>
    canvases.map((canvas) => {
      // Left of the plot and its ticks there is nothing but the labels of the axis.
      const left = canvas.closest(".drawing").querySelector(".u-over").offsetLeft - 6;
      const { data } = canvas.getContext("2d").getImageData(0, 0, left * devicePixelRatio, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 100).length;
    }),
  );
  assert.equal(written.length, figures.length);
  for (const [i, { id }] of figures.entries()) assert.ok(written[i] > 20, `no labels for ${id}`);
  assert.deepEqual(problems, []);
  await close();
});

test("text of a report is never markup", async () => {
  const [figure] = sample().chapters[0].experiments[0].figures;
  figure.series[0].name = "<b>&";
  const report = { ...reportOf([figure]), title: 'A <img src="x" onerror="alert(1)"> & </script> title' };
  const { page, problems, close } = await open(fill(report, "hostile.html"));
  assert.equal(await page.locator("h1").textContent(), report.title);
  assert.equal(await page.locator("h1 img").count(), 0);
  assert.equal(await page.locator(".legend-name").first().textContent(), "<b>&");
  assert.deepEqual(problems, []);
  await close();
});

test("a page that is opened on a phone in the dark is drawn so, and is printed in vector pictures", async () => {
  const { page, problems, close } = await open(file, { viewport: layouts[1].viewport, colorScheme: "dark" });
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.deepEqual(await blanks(page), [], "blank");
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

test("without WebGL there are messages, paths and simpler pictures", async () => {
  const plain = await launch({ webgl: false });
  const { page, problems, close } = await open(file, { using: plain });
  const { chapters } = sample();
  const animations = chapters.flatMap((chapter) => chapter.experiments.flatMap((experiment) => experiment.animations));
  // And the one that the page begins with.
  assert.equal(await page.locator(".player-fallback").count(), animations.length + 1);
  for (const canvas of await page.locator(".player-fallback canvas").all()) assert.ok(!(await isBlank(canvas)));
  assert.equal(await page.locator(".space-picture g.series").count(), 3);
  assert.deepEqual(problems, []);
  await close();
  await plain.close();
});

test("a template without a report says so", async () => {
  const { page, problems, close } = await open(template, { draw: false });
  assert.ok(await page.getByText("contains no report").isVisible());
  assert.deepEqual(problems, []);
  await close();
});
