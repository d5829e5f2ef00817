import type { Claim, Statement } from "./report";
import { h, parseSvg } from "./dom";

/** On claims, and on statements of papers. */
export type Verdict = Claim["verdict"] | NonNullable<Statement["verdict"]> | "unjudged";

export const claimVerdicts: readonly Claim["verdict"][] = ["confirmed", "corrected", "contradicted", "failed"];
export const verdicts: readonly Verdict[] = [
  "confirmed", "corrected", "contradicted", "mixed", "answered", "failed", "open", "unjudged",
];

export const meanings: Record<Verdict, string> = {
  confirmed: "It holds as stated.",
  corrected: "It holds after a correction that a note explains.",
  contradicted: "It does not hold, as a note explains.",
  mixed: "Some of the claims that judge it are contradicted, and some are not.",
  answered: "The paper asks, and claims answer.",
  failed: "A check did not come out as it should.",
  open: "It could be judged, or built, and is not.",
  unjudged: "There is nothing to judge, for the reason that is given.",
};

export function wordOf(verdict: Verdict): string {
  return verdict === "unjudged" ? "no verdict" : verdict;
}

// Each verdict has a shape of its own, so that colour is not the only difference.
const shapes: Record<Verdict, string> = {
  confirmed: "M3.5 8.5l3 3 6-7",
  corrected: "M3.5 12.5l.6-2.6 6.4-6.4 2 2-6.4 6.4z",
  contradicted: "M3.5 6h9M3.5 10h9M10.5 3l-5 10",
  mixed: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  answered: "M5 5.5a3 3 0 1 1 3.6 3.4c-.5.2-.6.5-.6 1.1M8 13v.1",
  failed: "M4 4l8 8M12 4l-8 8",
  open: "M8 3.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9",
  unjudged: "M4 8h8",
};

export function verdictIcon(verdict: Verdict): HTMLElement {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${shapes[verdict]}" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return h("span", { class: `verdict-icon verdict-${verdict}` }, parseSvg(svg));
}

export function verdictBadge(verdict: Verdict): HTMLElement {
  return h("span", { class: `verdict verdict-${verdict}`, title: meanings[verdict] }, verdictIcon(verdict), wordOf(verdict));
}

export function countOf(claims: readonly Claim[], verdict: Verdict): number {
  return claims.filter((claim) => claim.verdict === verdict).length;
}

/** The verdict of an experiment that most deserves attention. */
export function worst(claims: readonly Claim[]): Verdict | null {
  return [...claimVerdicts].reverse().find((verdict) => countOf(claims, verdict) > 0) ?? null;
}
