import { forward, type Range, type Scale } from "./scale";

export interface Ticks {
  major: number[];
  /** One for each of `major`. */
  labels: string[];
  minor: number[];
  /** What all labels have in common, "×10⁻⁹ + 1.5", or nothing. */
  note: string;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function powerOfTen(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => superscripts[Number(digit)] ?? digit);
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

function withMinus(text: string): string {
  return text.replace("-", "−");
}

/** A number for people, with up to `digits` significant digits. */
export function number(value: number, digits = 6): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return withMinus(String(Number(value.toPrecision(digits))));
  const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e");
  return withMinus(`${Number(mantissa)}·${powerOfTen(Number(exponent))}`);
}

function niceStep(span: number, count: number): { step: number; parts: number } {
  const raw = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const ratio = raw / power;
  if (ratio <= 1) return { step: power, parts: 5 };
  if (ratio <= 2) return { step: 2 * power, parts: 4 };
  if (ratio <= 5) return { step: 5 * power, parts: 5 };
  return { step: 10 * power, parts: 5 };
}

function multiples(step: number, [low, high]: Range): number[] {
  const result: number[] = [];
  const slack = 1e-9 * ((high - low) / step);
  const last = Math.floor(high / step + slack);
  for (let k = Math.ceil(low / step - slack); k <= last; k++) result.push(k * step);
  return result;
}

function linearTicks(range: Range, count: number): Ticks {
  const [low, high] = range;
  const span = high - low;
  const { step, parts } = niceStep(span, count);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  let offset = 0;
  if (largest / step > 2e5) {
    const unit = 10 ** Math.ceil(Math.log10(span));
    offset = Number((Math.round((low + high) / 2 / unit) * unit).toPrecision(15));
  }
  // Ticks are counted from the offset so that labels are exact however far away zero is.
  const shifted: Range = [low - offset, high - offset];
  const relative = multiples(step, shifted);
  const size = Math.max(...relative.map(Math.abs), step);
  const magnitude = Math.floor(Math.log10(size) + 1e-9);
  const exponent = magnitude >= 5 || magnitude <= -4 ? magnitude : 0;
  const decimals = Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9));
  const labels = relative.map((value) => withMinus((value / 10 ** exponent).toFixed(decimals)).replace(/^−(0\.?0*)$/, "$1"));
  const note = [
    exponent === 0 ? "" : `×${powerOfTen(exponent)}`,
    offset === 0 ? "" : `${offset < 0 ? "−" : "+"} ${number(Math.abs(offset), 15)}`,
  ];
  return {
    major: relative.map((value) => value + offset),
    labels,
    minor: multiples(step / parts, shifted).map((value) => value + offset),
    note: note.join(" ").trim(),
  };
}

function decades(range: Range): number[] {
  const result: number[] = [];
  for (let k = Math.floor(Math.log10(range[0])); k <= Math.ceil(Math.log10(range[1])); k++) result.push(k);
  return result;
}

function logTicks(range: Range, count: number): Ticks {
  const inside = (value: number) => value >= range[0] * (1 - 1e-9) && value <= range[1] * (1 + 1e-9);
  const exponents = decades(range);
  const span = forward("log", range[1]) - forward("log", range[0]);
  if (span >= 2) {
    const stride = Math.max(1, Math.ceil(span / Math.max(count, 1)));
    const major = exponents.filter((k) => k % stride === 0 && inside(10 ** k));
    const steps = stride === 1 ? [2, 3, 4, 5, 6, 7, 8, 9] : [1];
    return {
      major: major.map((k) => 10 ** k),
      labels: major.map(powerOfTen),
      minor: exponents.flatMap((k) => steps.map((m) => m * 10 ** k)).filter(inside),
      note: "",
    };
  }
  const values = exponents.flatMap((k) => [1, 2, 5].map((m) => Number(`${m}e${k}`))).filter(inside);
  if (values.length < 3) return linearTicks(range, count);
  return {
    major: values,
    labels: values.map((value) => number(value, 1)),
    minor: exponents.flatMap((k) => [3, 4, 6, 7, 8, 9].map((m) => m * 10 ** k)).filter(inside),
    note: "",
  };
}

/** About `count` ticks inside a range. */
export function ticks(scale: Scale, range: Range, count: number): Ticks {
  return scale === "log" ? logTicks(range, count) : linearTicks(range, count);
}

/** The fraction of a range at which a value lies. */
export function fraction(scale: Scale, range: Range, value: number): number {
  const low = forward(scale, range[0]);
  return (forward(scale, value) - low) / (forward(scale, range[1]) - low);
}

