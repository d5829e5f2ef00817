import "katex/dist/katex.min.css";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import type { Report } from "./report";
import { allClaims } from "./claims";
import { Contents } from "./contents";
import { h } from "./dom";
import { chapterElement } from "./experiment";
import { header } from "./header";
import { plain } from "./plaintext";
import { initPrint } from "./print";
import { allStatements } from "./statements";
import { initTheme } from "./theme";

function show(report: Report): void {
  document.title = `${plain(report.title)} · Rattleback`;
  const claims = allClaims(report);
  const tables = [allStatements(report), claims].filter((table) => table !== null);
  const contents = new Contents(report, tables);
  const main = h("main", {}, ...tables.map(({ element }) => element), ...report.chapters.map(chapterElement));
  document.body.append(
    h("a", { class: "skip", href: "#main" }, "Skip to the content"),
    header(report, claims, contents.button),
    h("div", { class: "columns" }, contents.element, main),
    h("footer", {}, `Made by ${report.program}.`),
  );
  main.id = "main";
  contents.follow(main.querySelectorAll(".filtered, .chapter, .experiment"));
  // The browser looked for the fragment before the page was built.
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

initTheme();
initPrint();
const text = document.getElementById("report")?.textContent?.trim() ?? "";
if (text.startsWith("{")) show(JSON.parse(text) as Report);
else document.body.append(h("p", { class: "notice" }, "This page is a template; it contains no report."));
