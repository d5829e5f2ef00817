import { backward, forward, type Range, type Scale } from "./scale";
import { fraction, ticks, type Ticks } from "./ticks";

/** What of a plane a figure shows. */
export interface View {
  x: Range;
  y: Range;
  xScale: Scale;
  yScale: Scale;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a figure of a given size has its axes. */
export interface Frame {
  view: View;
  box: Box;
  x: Ticks;
  y: Ticks;
}

export interface Layout {
  width: number;
  height: number;
  /** Space for what is around the box; left of it, in addition to the labels' width. */
  top: number;
  right: number;
  bottom: number;
  left: number;
  /** Width of a text in pixels. */
  measure: (text: string) => number;
}

function widened(range: Range, scale: Scale, factor: number): Range {
  const low = forward(scale, range[0]);
  const high = forward(scale, range[1]);
  const extra = ((factor - 1) * (high - low)) / 2;
  return [backward(scale, low - extra), backward(scale, high + extra)];
}

/** The smallest view around another in which both axes have the same unit. */
function withEqualUnits(view: View, box: Box): View {
  const x = (view.x[1] - view.x[0]) / box.width;
  const y = (view.y[1] - view.y[0]) / box.height;
  return x < y ? { ...view, x: widened(view.x, "linear", y / x) } : { ...view, y: widened(view.y, "linear", x / y) };
}

export function frame(wanted: View, layout: Layout, equalUnits: boolean): Frame {
  const height = Math.max(20, layout.height - layout.top - layout.bottom);
  const rows = Math.max(3, height / 45);
  const labelWidth = (y: Ticks) => Math.max(0, ...y.labels.map(layout.measure));
  let y = ticks(wanted.yScale, wanted.y, rows);
  let left = Math.ceil(layout.left + labelWidth(y));
  const boxAt = (edge: number): Box => ({
    left: edge,
    top: layout.top,
    width: Math.max(20, layout.width - edge - layout.right),
    height,
  });
  let view = wanted;
  if (equalUnits) {
    view = withEqualUnits(wanted, boxAt(left));
    y = ticks(view.yScale, view.y, rows);
    left = Math.ceil(layout.left + labelWidth(y));
    view = withEqualUnits(wanted, boxAt(left));
    y = ticks(view.yScale, view.y, rows);
  }
  const box = boxAt(left);
  let x = ticks(view.xScale, view.x, box.width / 75);
  const widest = Math.max(0, ...x.labels.map(layout.measure));
  if (widest > 60) x = ticks(view.xScale, view.x, box.width / (widest + 20));
  return { view, box, x, y };
}

export function xPosition(view: View, box: Box, value: number): number {
  return box.left + box.width * fraction(view.xScale, view.x, value);
}

export function yPosition(view: View, box: Box, value: number): number {
  return box.top + box.height * (1 - fraction(view.yScale, view.y, value));
}
