import type { Chapter } from "./report";
import { h, setPressed } from "./dom";
import { plain } from "./plaintext";
import { meanings, type Verdict, verdictIcon, verdicts, wordOf } from "./verdict";

/** Of a long table, this many rows are shown at first. */
const firstRows = 12;

export interface FilteredRow {
  verdict: Verdict;
  chapter: Chapter;
  /** A row is a body of the table of its own. */
  body: HTMLTableSectionElement;
}

export function tableOf(heads: readonly string[], bodies: HTMLTableSectionElement[], caption: string): HTMLElement {
  return h(
    "table",
    { class: "verdicts-table" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)))),
    ...bodies,
  );
}

export function cell(label: string, kind: string, ...content: (Node | string | null)[]): HTMLElement {
  return h("td", { "data-label": label, class: kind }, h("div", {}, ...content));
}

/** A table of the whole report, of which verdicts and chapters can be chosen. */
export class FilteredTable {
  readonly element: HTMLElement;
  readonly title: string;
  private readonly chosen = new Set<Verdict>();
  private readonly buttons = new Map<Verdict, HTMLButtonElement>();
  private readonly chapter: HTMLSelectElement;
  private readonly count = h("output", { class: "rows-count" });
  private readonly more = h("button", { type: "button", class: "show-all", click: () => this.showAll() });
  private limit = firstRows;

  constructor(
    /** "claims": the id of the section, and what its rows are. */
    private readonly noun: string,
    heads: readonly string[],
    private readonly rows: readonly FilteredRow[],
    chapters: readonly Chapter[],
  ) {
    this.title = noun.charAt(0).toUpperCase() + noun.slice(1);
    for (const verdict of verdicts) {
      const count = rows.filter((row) => row.verdict === verdict).length;
      if (count === 0) continue;
      const button = h(
        "button",
        { type: "button", class: `filter verdict-${verdict}`, "data-verdict": verdict, title: meanings[verdict], click: () => this.toggle(verdict) },
        verdictIcon(verdict),
        `${wordOf(verdict)} `,
        h("b", {}, String(count)),
      );
      setPressed(button, false);
      this.buttons.set(verdict, button);
    }
    this.chapter = h(
      "select",
      { "aria-label": `Chapter of the ${noun}`, class: "chapter-filter", change: () => this.filter() },
      h("option", { value: "" }, "All chapters"),
      ...chapters.map((chapter) => h("option", { value: chapter.id }, plain(chapter.title) || chapter.id)),
    );
    this.element = h(
      "section",
      { class: `filtered all-${noun}`, id: noun },
      h("h2", {}, this.title),
      h(
        "div",
        { class: "filters", role: "group", "aria-label": `Filter of the ${noun}` },
        ...this.buttons.values(),
        chapters.length > 1 ? this.chapter : null,
        this.count,
      ),
      tableOf(heads, rows.map(({ body }) => body), `All ${noun} of this report`),
      this.more,
    );
    this.filter();
  }

  /** Shows only the rows with one verdict. */
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
    for (const { verdict, chapter, body } of this.rows) {
      const matches =
        (this.chosen.size === 0 || this.chosen.has(verdict)) &&
        (this.chapter.value === "" || this.chapter.value === chapter.id);
      body.hidden = !matches;
      body.classList.toggle("beyond", shown >= this.limit);
      if (matches) shown++;
    }
    this.more.hidden = shown <= this.limit;
    this.more.textContent = `Show all ${shown} ${this.noun}`;
    this.count.textContent =
      shown === this.rows.length ? `${shown} ${this.noun}` : `${shown} of ${this.rows.length} ${this.noun}`;
  }
}
