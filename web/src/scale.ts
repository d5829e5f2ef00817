export type Scale = "linear" | "log";
export type Range = readonly [number, number];
export type Values = readonly (number | null)[];

export function forward(scale: Scale, value: number): number {
  return scale === "log" ? Math.log10(value) : value;
}

export function backward(scale: Scale, position: number): number {
  return scale === "log" ? 10 ** position : position;
}

export function usable(scale: Scale, value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value) && (scale === "linear" || value > 0);
}

function extent(scale: Scale, columns: readonly Values[]): Range | null {
  let low = Infinity;
  let high = -Infinity;
  for (const values of columns) {
    for (const value of values) {
      if (!usable(scale, value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

/** Whether a logarithmic axis is possible and looks different from a linear one. */
export function suitsLog(columns: readonly Values[]): boolean {
  const found = extent("linear", columns);
  return found !== null && found[0] > 0 && found[1] > 1.1 * found[0];
}

/** The range of the data with a margin on both sides, as a fraction of the range. */
export function paddedRange(scale: Scale, columns: readonly Values[], margin: number): Range {
  const found = extent(scale, columns);
  if (!found) return scale === "log" ? [0.1, 10] : [-1, 1];
  const low = forward(scale, found[0]);
  const high = forward(scale, found[1]);
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Rounding errors of a constant are not a signal that should fill the figure.
  const constant = high - low <= 1e-14 * size;
  const pad = constant ? (scale === "log" ? 0.5 : 0.1 * size || 1) : margin * (high - low);
  return [backward(scale, low - pad), backward(scale, high + pad)];
}

/** The part of a range between two fractions of it. */
export function part(scale: Scale, range: Range, from: number, to: number): Range {
  const low = forward(scale, range[0]);
  const span = forward(scale, range[1]) - low;
  return [backward(scale, low + from * span), backward(scale, low + to * span)];
}

/** Whether doubles can still tell the ends and the ticks between them apart. */
export function resolvable(scale: Scale, range: Range): boolean {
  const low = forward(scale, range[0]);
  const high = forward(scale, range[1]);
  const span = high - low;
  return Number.isFinite(span) && span > 1e-13 * Math.max(Math.abs(low), Math.abs(high)) && span > 1e-300;
}
