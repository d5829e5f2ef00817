import { pieces } from "./text";

/** Text in one style: where no typeset formula is possible (SVG, names read aloud), a formula is a row of these. */
export interface Run {
  text: string;
  /** 1 for a superscript, -1 for a subscript. */
  shift: -1 | 0 | 1;
  italic: boolean;
}

const symbols: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ",
  vartheta: "ϑ", iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ",
  upsilon: "υ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ",
  Xi: "Ξ", Pi: "Π", Sigma: "Σ", Upsilon: "Υ", Phi: "Φ", Psi: "Ψ", Omega: "Ω", cdot: "·", times: "×", pm: "±", mp: "∓",
  leq: "≤", le: "≤", geq: "≥", ge: "≥", neq: "≠", ne: "≠", approx: "≈", sim: "∼", infty: "∞", partial: "∂", nabla: "∇",
  int: "∫", sum: "∑", prod: "∏", to: "→", rightarrow: "→", mapsto: "↦", in: "∈", ell: "ℓ", hbar: "ℏ", ldots: "…",
  cdots: "⋯", dots: "…", langle: "⟨", rangle: "⟩", vert: "|", Vert: "‖", lVert: "‖", rVert: "‖", lvert: "|", rvert: "|",
  "|": "‖", "{": "{", "}": "}", "%": "%", "_": "_", "&": "&", "#": "#", quad: " ", qquad: "  ", circ: "∘", prime: "′",
  ",": " ", ";": " ", ":": " ", " ": " ", "!": "", left: "", right: "", displaystyle: "", big: "", Big: "",
};

const accents: Record<string, string> = {
  dot: "\u0307", ddot: "\u0308", hat: "\u0302", widehat: "\u0302", bar: "\u0304", overline: "\u0304", tilde: "\u0303",
  widetilde: "\u0303", vec: "\u20d7",
};

const upright = new Set(["mathrm", "text", "operatorname", "textrm", "mathbf", "mathsf", "textit", "mathit", "mathcal"]);

class Reader {
  private at = 0;
  private readonly tokens: string[];

  constructor(latex: string) {
    this.tokens = latex.match(/\\[a-zA-Z]+\s*|\\.|\s+|./gsu) ?? [];
  }

  read(shift: Run["shift"]): Run[] {
    const runs: Run[] = [];
    while (this.at < this.tokens.length) {
      const token = this.tokens[this.at] ?? "";
      if (token === "}") break;
      this.at++;
      if (token === "^") runs.push(...this.argument(1));
      else if (token === "_") runs.push(...this.argument(-1));
      else if (token === "-" && shift === 0 && !startsTerm(runs)) runs.push({ text: " − ", shift, italic: false });
      else if (token === "{") runs.push(...this.group(shift));
      else if (token.startsWith("\\")) runs.push(...this.command(token.slice(1).trim() || " ", shift));
      else if (token.trim() !== "") runs.push(character(token, shift));
    }
    return runs;
  }

  private group(shift: Run["shift"]): Run[] {
    const runs = this.read(shift);
    this.at++;
    return runs;
  }

  private argument(shift: Run["shift"]): Run[] {
    while (this.tokens[this.at]?.trim() === "") this.at++;
    const token = this.tokens[this.at++] ?? "";
    if (token === "{") return this.group(shift);
    return token.startsWith("\\") ? this.command(token.slice(1).trim(), shift) : [character(token, shift)];
  }

  private command(name: string, shift: Run["shift"]): Run[] {
    const accent = accents[name];
    if (accent !== undefined) {
      const [first, ...rest] = this.argument(shift);
      return first ? [{ ...first, text: first.text + accent }, ...rest] : [];
    }
    if (name === "frac" || name === "tfrac" || name === "dfrac") {
      const numerator = this.argument(shift);
      const denominator = this.argument(shift);
      return [...bracketed(numerator, shift), character("/", shift), ...bracketed(denominator, shift)];
    }
    if (name === "sqrt") return [character("√", shift), ...bracketed(this.argument(shift), shift)];
    if (upright.has(name)) return this.argument(shift).map((run) => ({ ...run, italic: false }));
    const symbol = symbols[name];
    if (symbol !== undefined) return symbol === "" ? [] : [character(symbol, shift)];
    return [{ text: name, shift, italic: false }];
  }
}

function character(text: string, shift: Run["shift"]): Run {
  const spaced = shift === 0 && /^[=<>≤≥≈≠+→∈]$/u.test(text) ? ` ${text} ` : text;
  return { text: text === "-" ? "−" : text === "'" ? "′" : spaced, shift, italic: /^[a-zA-Zα-ω]$/u.test(text) };
}

/** Whether what comes next is the first of a term, so that a minus before it is its sign. */
function startsTerm(before: readonly Run[]): boolean {
  const last = before[before.length - 1];
  return !last || /[(=<>≤≥≈,+|·]\s*$/u.test(last.text);
}

function bracketed(runs: Run[], shift: Run["shift"]): Run[] {
  return runs.length <= 1 ? runs : [character("(", shift), ...runs, character(")", shift)];
}

export function runs(text: string): Run[] {
  const result: Run[] = [];
  for (const piece of pieces(text)) {
    const parts =
      piece.kind === "formula"
        ? new Reader(piece.text).read(0)
        : [{ text: piece.text, shift: 0 as const, italic: false }];
    for (const part of parts) {
      const last = result[result.length - 1];
      if (last && last.shift === part.shift && last.italic === part.italic) last.text += part.text;
      else result.push({ ...part });
    }
  }
  return result;
}

export function plain(text: string): string {
  return runs(text)
    .map((run) => run.text)
    .join("");
}
