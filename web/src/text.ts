import katex from "katex";
import { h } from "./dom";

export type Piece = { kind: "text" | "code" | "formula"; text: string };

/** A text of the report, cut at its formulas and code. */
export function pieces(text: string): Piece[] {
  const result: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(/\$([^$]+)\$|`([^`]+)`/g)) {
    if (match.index > end) result.push({ kind: "text", text: text.slice(end, match.index) });
    if (match[1] !== undefined) result.push({ kind: "formula", text: match[1] });
    else result.push({ kind: "code", text: match[2] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < text.length) result.push({ kind: "text", text: text.slice(end) });
  return result;
}

export function formula(latex: string): HTMLElement {
  const element = h("span", { class: "formula" });
  katex.render(latex, element, { throwOnError: false, strict: "ignore" });
  return element;
}

/** A formula in large style that may break at its relations and sums, which KaTeX's display mode does not. */
export function displayFormula(latex: string): HTMLElement {
  const element = formula(`\\displaystyle ${latex}`);
  element.classList.add("display");
  return element;
}

const wordJoiner = "\u2060";

export function inline(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const all = pieces(text);
  for (const [i, piece] of all.entries()) {
    // Brackets and commas stay on the line of their formula.
    if (piece.kind === "formula") {
      if (/\S$/.test(all[i - 1]?.text ?? "")) fragment.append(wordJoiner);
      fragment.append(formula(piece.text));
      if (/^\S/.test(all[i + 1]?.text ?? "")) fragment.append(wordJoiner);
    }
    else if (piece.kind === "code") fragment.append(h("code", {}, piece.text));
    else fragment.append(piece.text);
  }
  return fragment;
}

export function paragraphs(text: string | undefined): HTMLElement[] {
  return (text ?? "")
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => h("p", {}, inline(part.trim())));
}
