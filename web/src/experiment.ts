import type { Chapter, Experiment, Run, System } from "./report";
import { animationElement } from "./animation";
import { experimentClaims } from "./claims";
import { h } from "./dom";
import { figureElement } from "./figure";
import { displayFormula, inline, paragraphs } from "./text";

function systemElement(system: System): HTMLElement {
  const constraints = system.constraints.map((constraint) => h("li", {}, displayFormula(`${constraint} = 0`)));
  return h(
    "div",
    { class: "system" },
    h("h4", {}, inline(system.title), h("code", { class: "system-name" }, system.name)),
    h(
      "dl",
      {},
      h("dt", {}, "Lagrangian"),
      h("dd", {}, displayFormula(`L = ${system.lagrangian}`)),
      constraints.length > 0 ? h("dt", {}, constraints.length > 1 ? "Constraints" : "Constraint") : null,
      constraints.length > 0 ? h("dd", {}, h("ul", {}, ...constraints)) : null,
      system.parameters.length > 0 ? h("dt", {}, "Parameters") : null,
      system.parameters.length > 0
        ? h("dd", { class: "parameters" }, ...system.parameters.map((text) => h("span", {}, inline(text))))
        : null,
    ),
  );
}

function runRow(run: Run): HTMLElement {
  const cell = (label: string, ...content: (Node | string | null)[]) => h("td", { "data-label": label }, h("div", {}, ...content));
  return h(
    "tr",
    { class: run.failure ? "run-failed" : undefined },
    cell("Run", h("strong", {}, inline(run.name))),
    cell("System", run.system),
    cell("Method", h("code", {}, inline(run.method))),
    cell(
      "Details",
      h("span", { class: "settings" }, ...run.settings.map((text) => h("span", {}, inline(text)))),
      run.failure ? h("p", { class: "failure" }, h("b", {}, "Stopped: "), inline(run.failure)) : null,
    ),
  );
}

function runsElement(runs: readonly Run[]): HTMLElement | null {
  if (runs.length === 0) return null;
  const heads = ["Run", "System", "Method", "Details"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "section",
    { class: "runs" },
    h("h4", {}, "Runs"),
    h("table", { class: "runs-table" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...runs.map(runRow))),
  );
}

function filesElement(files: readonly string[]): HTMLElement | null {
  if (files.length === 0) return null;
  const address = (file: string) => file.split("/").map(encodeURIComponent).join("/");
  const links = files.map((file) => h("li", {}, h("a", { href: address(file) }, file)));
  return h("section", { class: "files" }, h("h4", {}, "Data"), h("ul", {}, ...links));
}

function experimentElement(experiment: Experiment): HTMLElement {
  const { id, figures, animations } = experiment;
  return h(
    "section",
    { class: "experiment", id },
    h(
      "h3",
      {},
      h("a", { class: "anchor", href: `#${encodeURI(id)}` }, inline(experiment.title)),
      experiment.place ? h("span", { class: "place" }, inline(experiment.place)) : null,
    ),
    ...paragraphs(experiment.text),
    experiment.systems.length > 0 ? h("div", { class: "systems" }, ...experiment.systems.map(systemElement)) : null,
    figures.length > 0 ? h("div", { class: "figures" }, ...figures.map((f) => figureElement(f, `${id}/${f.id}`))) : null,
    ...animations.map((a) => animationElement(a, `${id}/${a.id}`)),
    experimentClaims(experiment),
    runsElement(experiment.runs),
    filesElement(experiment.files),
  );
}

export function chapterElement(chapter: Chapter): HTMLElement {
  return h(
    "section",
    { class: "chapter", id: chapter.id },
    chapter.title ? h("h2", {}, inline(chapter.title)) : null,
    chapter.citation ? h("p", { class: "citation" }, inline(chapter.citation)) : null,
    ...paragraphs(chapter.text),
    ...chapter.experiments.map(experimentElement),
  );
}
