import type { Chapter, Claim, Experiment, Report } from "./report";
import { h, setPressed } from "./dom";
import { plain } from "./plaintext";
import { inline, paragraphs } from "./text";
import { countOf, meanings, type Verdict, verdictBadge, verdictIcon, verdicts } from "./verdict";

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

function cell(label: string, kind: string, ...content: (Node | string | null)[]): HTMLElement {
  return h("td", { "data-label": label, class: kind }, h("div", {}, ...content));
}

/** A claim is a body of the table of its own: its row, and its note below. */
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

function table(bodies: HTMLTableSectionElement[], caption: string): HTMLElement {
  const heads = ["Verdict", "Claim", "Quantity", "Measured", "Expected"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "table",
    { class: "claims-table" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, ...heads)),
    ...bodies,
  );
}

export function experimentClaims(experiment: Experiment): HTMLElement | null {
  if (experiment.claims.length === 0) return null;
  return h(
    "section",
    { class: "experiment-claims" },
    h("h4", {}, "Claims"),
    table(experiment.claims.map((claim) => claimBody(claim, null)), `Claims checked in ${plain(experiment.title)}`),
  );
}

/** Of a long table, this many rows are shown at first. */
const firstRows = 12;

/** The table of all claims of the report. */
export class AllClaims {
  readonly element: HTMLElement;
  private readonly chosen = new Set<Verdict>();
  private readonly buttons = new Map<Verdict, HTMLButtonElement>();
  private readonly chapter: HTMLSelectElement;
  private readonly count = h("output", { class: "claims-count" });
  private readonly bodies: HTMLTableSectionElement[];
  private readonly more = h("button", { type: "button", class: "show-all", click: () => this.showAll() });
  private limit = firstRows;

  constructor(
    private readonly rows: Row[],
    chapters: readonly Chapter[],
  ) {
    this.bodies = rows.map(({ claim, experiment }) => claimBody(claim, experiment));
    const claims = rows.map(({ claim }) => claim);
    for (const verdict of verdicts.filter((v) => countOf(claims, v) > 0)) {
      const button = h(
        "button",
        { type: "button", class: `filter verdict-${verdict}`, "data-verdict": verdict, title: meanings[verdict], click: () => this.toggle(verdict) },
        verdictIcon(verdict),
        `${verdict} `,
        h("b", {}, String(countOf(claims, verdict))),
      );
      setPressed(button, false);
      this.buttons.set(verdict, button);
    }
    this.chapter = h(
      "select",
      { "aria-label": "Chapter", class: "chapter-filter", change: () => this.filter() },
      h("option", { value: "" }, "All chapters"),
      ...chapters.map((chapter) => h("option", { value: chapter.id }, plain(chapter.title) || chapter.id)),
    );
    this.element = h(
      "section",
      { class: "all-claims", id: "claims" },
      h("h2", {}, "Claims"),
      h(
        "div",
        { class: "filters", role: "group", "aria-label": "Filter of the claims" },
        ...this.buttons.values(),
        chapters.length > 1 ? this.chapter : null,
        this.count,
      ),
      table(this.bodies, "All claims of this report"),
      this.more,
    );
    this.filter();
  }

  /** Shows only the claims with one verdict. */
  showOnly(verdict: Verdict): void {
    this.chosen.clear();
    this.chosen.add(verdict);
    this.chapter.value = "";
    this.filter();
  }

  private showAll(): void {
    this.limit = Infinity;
    this.filter();
  }

  private toggle(verdict: Verdict): void {
    if (!this.chosen.delete(verdict)) this.chosen.add(verdict);
    this.filter();
  }

  private filter(): void {
    for (const [verdict, button] of this.buttons) setPressed(button, this.chosen.has(verdict));
    let shown = 0;
    this.rows.forEach(({ claim, chapter }, i) => {
      const matches =
        (this.chosen.size === 0 || this.chosen.has(claim.verdict)) &&
        (this.chapter.value === "" || this.chapter.value === chapter.id);
      const body = this.bodies[i];
      if (body) {
        body.hidden = !matches;
        body.classList.toggle("beyond", shown >= this.limit);
      }
      if (matches) shown++;
    });
    this.more.hidden = shown <= this.limit;
    this.more.textContent = `Show all ${shown} claims`;
    this.count.textContent = shown === this.rows.length ? `${shown} claims` : `${shown} of ${this.rows.length} claims`;
  }
}
