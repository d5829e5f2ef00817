import type { Chapter, Claim, Experiment, Report } from "./report";
import { h } from "./dom";
import { cell, FilteredTable, tableOf } from "./filtered";
import { plain } from "./plaintext";
import { inline, paragraphs } from "./text";
import { verdictBadge } from "./verdict";

interface Row {
  claim: Claim;
  experiment: Experiment;
  chapter: Chapter;
}

export function rowsOf(report: Report): Row[] {
  return report.chapters.flatMap((chapter) =>
    chapter.experiments.flatMap((experiment) => experiment.claims.map((claim) => ({ claim, experiment, chapter }))),
  );
}

const heads = ["Verdict", "Claim", "Quantity", "Measured", "Expected"];

/** Its row, and its note below. */
function claimBody(claim: Claim, link: Experiment | null): HTMLTableSectionElement {
  const row = h(
    "tr",
    {},
    cell("Verdict", "claim-verdict", verdictBadge(claim.verdict)),
    cell(
      "Claim",
      "claim-says",
      inline(claim.says),
      claim.place ? h("span", { class: "place" }, inline(claim.place)) : null,
      link ? h("a", { class: "claim-link", href: `#${encodeURI(link.id)}` }, inline(link.title)) : null,
    ),
    cell("Quantity", "claim-quantity", inline(claim.quantity)),
    cell("Measured", "claim-measured", inline(claim.measured)),
    cell("Expected", "claim-expected", inline(claim.expected)),
  );
  const body = h("tbody", { class: `claim claim-${claim.verdict}`, "data-verdict": claim.verdict }, row);
  if (claim.note) {
    body.append(h("tr", { class: "claim-note-row" }, h("td"), h("td", { colspan: "4", class: "claim-note" }, ...paragraphs(claim.note))));
  }
  return body;
}

export function experimentClaims(experiment: Experiment): HTMLElement | null {
  if (experiment.claims.length === 0) return null;
  return h(
    "section",
    { class: "experiment-claims" },
    h("h4", {}, "Claims"),
    tableOf(heads, experiment.claims.map((claim) => claimBody(claim, null)), `Claims checked in ${plain(experiment.title)}`),
  );
}

/** The table of all claims of the report; null if there are none. */
export function allClaims(report: Report): FilteredTable | null {
  const rows = rowsOf(report).map(({ claim, experiment, chapter }) => ({
    verdict: claim.verdict,
    chapter,
    body: claimBody(claim, experiment),
  }));
  return rows.length > 0 ? new FilteredTable("claims", heads, rows, report.chapters) : null;
}
