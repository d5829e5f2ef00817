import type { Report } from "./report";
import { openingElement } from "./animation";
import { rowsOf } from "./claims";
import { h } from "./dom";
import type { FilteredTable } from "./filtered";
import { inline, paragraphs } from "./text";
import { themeButton } from "./theme";
import { claimVerdicts, countOf, meanings, verdictIcon } from "./verdict";

function summary(report: Report, claimsTable: FilteredTable | null): HTMLElement | null {
  const claims = rowsOf(report).map(({ claim }) => claim);
  if (!claimsTable || claims.length === 0) return null;
  const items = claimVerdicts.map((verdict) => {
    const count = countOf(claims, verdict);
    return h(
      "li",
      {},
      h(
        "a",
        {
          class: `count verdict-${verdict}${count === 0 ? " count-zero" : ""}`,
          href: "#claims",
          title: meanings[verdict],
          click: () => count > 0 && claimsTable.showOnly(verdict),
        },
        verdictIcon(verdict),
        h("span", { class: "count-number" }, String(count)),
        h("span", { class: "count-word" }, verdict),
      ),
    );
  });
  return h("ul", { class: "summary", "aria-label": `${claims.length} claims` }, ...items);
}

/** The first animation that is there for it. */
function opening(report: Report): HTMLElement | null {
  const animations = report.chapters.flatMap(({ experiments }) => experiments.flatMap((experiment) => experiment.animations));
  const first = animations.find((animation) => animation.opening);
  return first ? openingElement(first, "opening") : null;
}

export function header(report: Report, claimsTable: FilteredTable | null, contentsButton: HTMLElement): HTMLElement {
  return h(
    "header",
    { class: "page-header" },
    h("div", { class: "bar" }, contentsButton, h("span", { class: "program" }, report.program), themeButton()),
    h("h1", {}, inline(report.title)),
    opening(report),
    report.command
      ? h("p", { class: "command" }, h("code", {}, h("span", { class: "prompt", "aria-hidden": "true" }, "$ "), report.command))
      : null,
    ...paragraphs(report.text),
    summary(report, claimsTable),
  );
}
