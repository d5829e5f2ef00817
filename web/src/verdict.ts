import type { Claim } from "./report";
import { h, parseSvg } from "./dom";

export type Verdict = Claim["verdict"];

export const verdicts: readonly Verdict[] = ["confirmed", "corrected", "contradicted", "failed"];

export const meanings: Record<Verdict, string> = {
  confirmed: "The claim holds as stated.",
  corrected: "The claim holds after a correction that the note explains.",
  contradicted: "The paper's claim does not hold, as the note explains.",
  failed: "The check did not come out as it should.",
};

// Each verdict has a shape of its own, so that colour is not the only difference.
const shapes: Record<Verdict, string> = {
  confirmed: "M3.5 8.5l3 3 6-7",
  corrected: "M3.5 12.5l.6-2.6 6.4-6.4 2 2-6.4 6.4z",
  contradicted: "M3.5 6h9M3.5 10h9M10.5 3l-5 10",
  failed: "M4 4l8 8M12 4l-8 8",
};

export function verdictIcon(verdict: Verdict): HTMLElement {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${shapes[verdict]}" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return h("span", { class: `verdict-icon verdict-${verdict}` }, parseSvg(svg));
}

export function verdictBadge(verdict: Verdict): HTMLElement {
  return h("span", { class: `verdict verdict-${verdict}`, title: meanings[verdict] }, verdictIcon(verdict), verdict);
}

export function countOf(claims: readonly Claim[], verdict: Verdict): number {
  return claims.filter((claim) => claim.verdict === verdict).length;
}

/** The verdict of an experiment that most deserves attention. */
export function worst(claims: readonly Claim[]): Verdict | null {
  return [...verdicts].reverse().find((verdict) => countOf(claims, verdict) > 0) ?? null;
}
