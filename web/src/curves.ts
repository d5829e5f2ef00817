import type { Series } from "./report";
import { type Box, type View, xPosition, yPosition } from "./frame";
import { usable } from "./scale";

/** Corners of a polygonal line: x0, y0, x1, y1, … */
export type Polyline = number[];

interface Segment {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The part of a segment inside a box (Liang & Barsky). */
function clipped(segment: Segment, box: Box): Segment | null {
  const { x0, y0, x1, y1 } = segment;
  const dx = x1 - x0;
  const dy = y1 - y0;
  let from = 0;
  let to = 1;
  const sides: [number, number][] = [
    [-dx, x0 - box.left],
    [dx, box.left + box.width - x0],
    [-dy, y0 - box.top],
    [dy, box.top + box.height - y0],
  ];
  for (const [p, q] of sides) {
    if (p === 0) {
      if (q < 0) return null;
    } else if (p < 0) from = Math.max(from, q / p);
    else to = Math.min(to, q / p);
  }
  if (from > to) return null;
  return { x0: x0 + from * dx, y0: y0 + from * dy, x1: x0 + to * dx, y1: y0 + to * dy };
}

/** Joins segments to polylines; corners closer than a tolerance to the one before are left out. */
class Pen {
  readonly lines: Polyline[] = [];
  private line: Polyline | null = null;
  private lastX = NaN;
  private lastY = NaN;
  private skipped = false;

  constructor(private readonly tolerance: number) {}

  segment({ x0, y0, x1, y1 }: Segment): void {
    if (!this.line || x0 !== this.lastX || y0 !== this.lastY) {
      this.lift();
      this.line = [x0, y0];
      this.lines.push(this.line);
    }
    const n = this.line.length;
    this.skipped =
      Math.abs(x1 - (this.line[n - 2] ?? NaN)) < this.tolerance && Math.abs(y1 - (this.line[n - 1] ?? NaN)) < this.tolerance;
    if (!this.skipped) this.line.push(x1, y1);
    this.lastX = x1;
    this.lastY = y1;
  }

  lift(): void {
    if (this.line && this.skipped) this.line.push(this.lastX, this.lastY);
    this.line = null;
    this.skipped = false;
  }
}

/** What is seen of a polygonal line through points; a point that is not a number makes a gap. */
export function visibleLines(xs: ArrayLike<number>, ys: ArrayLike<number>, box: Box, tolerance: number): Polyline[] {
  // Outside the box by a little more than half a line's width, so that its cut is not seen.
  const outer = { left: box.left - 4, top: box.top - 4, width: box.width + 8, height: box.height + 8 };
  const right = outer.left + outer.width;
  const bottom = outer.top + outer.height;
  const inside = (x: number, y: number) => x >= outer.left && x <= right && y >= outer.top && y <= bottom;
  const pen = new Pen(tolerance);
  let x0 = NaN;
  let y0 = NaN;
  for (let i = 0; i < xs.length; i++) {
    const x1 = xs[i] ?? NaN;
    const y1 = ys[i] ?? NaN;
    if (Number.isNaN(x0 + y0) || Number.isNaN(x1 + y1)) pen.lift();
    else {
      const whole = { x0, y0, x1, y1 };
      const seen = inside(x0, y0) && inside(x1, y1) ? whole : clipped(whole, outer);
      if (seen) pen.segment(seen);
      else pen.lift();
    }
    x0 = x1;
    y0 = y1;
  }
  pen.lift();
  return pen.lines;
}

/** Pixel coordinates of a series, NaN where there is nothing to draw. */
export interface Projected {
  xs: Float64Array;
  ys: Float64Array;
}

export function projected(series: Series, view: View, box: Box): Projected {
  const n = series.x.length;
  const xs = new Float64Array(n).fill(NaN);
  const ys = new Float64Array(n).fill(NaN);
  for (let i = 0; i < n; i++) {
    const x = series.x[i];
    const y = series.y[i];
    if (!usable(view.xScale, x) || !usable(view.yScale, y)) continue;
    xs[i] = xPosition(view, box, x);
    ys[i] = yPosition(view, box, y);
  }
  return { xs, ys };
}

/** Points inside a box, x0, y0, x1, y1, …; of several on the same spot, one. */
export function visiblePoints(xs: ArrayLike<number>, ys: ArrayLike<number>, box: Box, tolerance: number): number[] {
  const result: number[] = [];
  const taken = new Set<number>();
  const stride = Math.ceil(box.width / tolerance) + 1;
  for (let i = 0; i < xs.length; i++) {
    const x = (xs[i] ?? NaN) - box.left;
    const y = (ys[i] ?? NaN) - box.top;
    if (!(x >= -1 && x <= box.width + 1 && y >= -1 && y <= box.height + 1)) continue;
    const spot = Math.round(x / tolerance) + stride * Math.round(y / tolerance);
    if (taken.has(spot)) continue;
    taken.add(spot);
    result.push(x + box.left, y + box.top);
  }
  return result;
}
