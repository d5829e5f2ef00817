import type { Experiment, Report } from "./report";
import { h } from "./dom";
import type { FilteredTable } from "./filtered";
import { inline } from "./text";
import { verdictIcon, worst } from "./verdict";

function entry(experiment: Experiment): HTMLElement {
  const verdict = worst(experiment.claims);
  return h(
    "li",
    {},
    h(
      "a",
      { href: `#${encodeURI(experiment.id)}` },
      h("span", {}, inline(experiment.title)),
      verdict && verdict !== "confirmed" ? verdictIcon(verdict) : null,
    ),
  );
}

/** The navigation: beside the page where there is room, else behind a button. */
export class Contents {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;

  constructor(report: Report, tables: readonly FilteredTable[]) {
    const chapters = report.chapters.map((chapter) =>
      h(
        "li",
        { class: "contents-chapter" },
        chapter.title ? h("a", { href: `#${encodeURI(chapter.id)}` }, inline(chapter.title)) : null,
        h("ul", {}, ...chapter.experiments.map(entry)),
      ),
    );
    this.element = h(
      "nav",
      { class: "contents", id: "contents", "aria-label": "Contents" },
      h("ul", {}, ...tables.map(({ title, element }) => h("li", {}, h("a", { href: `#${element.id}` }, title))), ...chapters),
    );
    this.button = h(
      "button",
      {
        type: "button",
        class: "contents-button",
        "aria-expanded": "false",
        "aria-controls": "contents",
        click: () => this.setOpen(!this.element.classList.contains("open")),
      },
      "Contents",
    );
    this.element.addEventListener("click", (event) => {
      if ((event.target as Element).closest("a")) this.setOpen(false);
    });
  }

  /** Marks the part of the page that is being read. */
  follow(sections: Iterable<Element>): void {
    const links = new Map([...this.element.querySelectorAll("a")].map((link) => [decodeURI(link.hash.slice(1)), link]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          for (const link of links.values()) link.removeAttribute("aria-current");
          const link = links.get(target.id);
          link?.setAttribute("aria-current", "true");
        }
      },
      { rootMargin: "-15% 0px -80% 0px" },
    );
    for (const section of sections) observer.observe(section);
  }

  private setOpen(open: boolean): void {
    this.element.classList.toggle("open", open);
    this.button.setAttribute("aria-expanded", String(open));
  }
}
