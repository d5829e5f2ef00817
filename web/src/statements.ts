import type { Chapter, Report, Statement } from "./report";
import { h } from "./dom";
import { cell, FilteredTable } from "./filtered";
import { inline } from "./text";
import { verdictBadge } from "./verdict";

const heads = ["Verdict", "Where", "What", "Judged by, or why not"];

function judges(statement: Statement, chapter: Chapter): HTMLElement[] {
  return statement.judged.map(({ experiment, claims }) => {
    const title = chapter.experiments.find(({ id }) => id === experiment)?.title ?? experiment;
    return h(
      "p",
      {},
      h("a", { href: `#${encodeURI(experiment)}` }, inline(title)),
      ` (${claims} claim${claims === 1 ? "" : "s"})`,
    );
  });
}

function statementBody(statement: Statement, chapter: Chapter): HTMLTableSectionElement {
  const { label, kind, says, verdict = "unjudged", reason, note } = statement;
  return h(
    "tbody",
    { class: `statement statement-${verdict}`, "data-verdict": verdict },
    h(
      "tr",
      {},
      cell("Verdict", "claim-verdict", verdictBadge(verdict)),
      cell("Where", "statement-label", label, h("span", { class: "place" }, chapter.id)),
      cell("What", "claim-says", kind === "question" ? h("em", {}, "Question: ") : null, inline(says)),
      cell(
        "Why",
        "statement-judges",
        ...judges(statement, chapter),
        reason ? h("p", {}, inline(reason)) : null,
        note ? h("p", { class: "statement-note" }, inline(note)) : null,
      ),
    ),
  );
}

/** The table of all statements of papers; null if there are none. */
export function allStatements(report: Report): FilteredTable | null {
  const chapters = report.chapters.filter(({ statements }) => (statements ?? []).length > 0);
  const rows = chapters.flatMap((chapter) =>
    (chapter.statements ?? []).map((statement) => ({
      verdict: statement.verdict ?? ("unjudged" as const),
      chapter,
      body: statementBody(statement, chapter),
    })),
  );
  return rows.length > 0 ? new FilteredTable("statements", heads, rows, chapters) : null;
}
