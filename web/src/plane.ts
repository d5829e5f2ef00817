import uPlot from "uplot";
import type { Figure, Series } from "./report";
import { type Projected, projected, visibleLines, visiblePoints } from "./curves";
import { h, setPressed } from "./dom";
import type { Drawing, Readout } from "./drawing";
import { frame, type Frame, type Layout, type View } from "./frame";
import { dashes, ink, markPath, markRadius, seriesColour } from "./palette";
import { planeSvg } from "./planesvg";
import { paddedRange, part, resolvable, suitsLog, usable, type Scale } from "./scale";
import { inline } from "./text";
import { onThemeChange } from "./theme";
import { number, type Ticks } from "./ticks";

const fontSize = 12;
const font = `${fontSize}px ui-sans-serif, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif`;

const measureText = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text: string) => {
    if (!context) return 7 * text.length;
    context.font = font;
    return context.measureText(text).width;
  };
})();

export interface PlaneOptions {
  /** Pixels; without, the height follows from the width. */
  height?: number;
  onReadout?: (readout: Readout | null) => void;
  /** Called with x where the reader clicks. */
  onPick?: (x: number) => void;
}

/** Figures of the kinds "line" and "path". */
export class PlaneDrawing implements Drawing {
  readonly element = h("div", { class: "plane" });
  readonly switches: HTMLElement[] = [];
  private readonly plotHost = h("div", { class: "plot" });
  private readonly yLabel = h("div", { class: "axis-label axis-label-y" });
  private readonly xLabel = h("div", { class: "axis-label axis-label-x" });
  private readonly markerLine = h("div", { class: "marker", hidden: true });
  private readonly visible: boolean[];
  private readonly equalUnits: boolean;
  private home: View;
  private view: View;
  private frame: Frame;
  private plot: uPlot | null = null;
  private nearest: (number | null)[] = [];
  private markerAt: number | null = null;
  private projections: Projected[] = [];
  private projectedFor: Frame | null = null;

  constructor(
    private readonly figure: Figure,
    private readonly options: PlaneOptions = {},
  ) {
    this.visible = figure.series.map(() => true);
    this.equalUnits = figure.kind === "path";
    this.home = this.viewOfAll(figure.x.scale ?? "linear", figure.y.scale ?? "linear");
    this.view = this.home;
    this.frame = this.framed();
    this.element.append(this.yLabel, this.plotHost, this.xLabel);
    if (figure.kind === "line") this.addScaleSwitches();
    onThemeChange(() => this.plot?.redraw(false));
  }

  resize(): void {
    if (this.plot) this.show();
    else this.create();
  }

  setVisible(series: number, visible: boolean): void {
    this.visible[series] = visible;
    // uPlot's own switch would also choose other scales.
    this.plot?.redraw(false);
  }

  reset(): void {
    this.setView(this.home);
  }

  svg(): string {
    return planeSvg(this.figure, this.frame.view, this.equalUnits, this.visible);
  }

  /** Puts a vertical line at x. */
  setMarker(x: number): void {
    this.markerAt = x;
    this.placeMarker();
  }

  private viewOfAll(xScale: Scale, yScale: Scale): View {
    const { series } = this.figure;
    // A row with only one usable coordinate is not drawn and must not count.
    const drawn = (scale: Scale, one: "x" | "y", other: "x" | "y", otherScale: Scale) =>
      paddedRange(
        scale,
        series.map((s) => s[one].filter((_, i) => usable(otherScale, s[other][i]))),
        one === "x" && this.figure.kind === "line" ? 0.02 : 0.06,
      );
    return { x: drawn(xScale, "x", "y", yScale), y: drawn(yScale, "y", "x", xScale), xScale, yScale };
  }

  private addScaleSwitches(): void {
    for (const axis of ["y", "x"] as const) {
      const columns = this.figure.series.map((s) => s[axis]);
      if (this.figure[axis].scale !== "log" && !suitsLog(columns)) continue;
      const key = axis === "x" ? "xScale" : "yScale";
      const button = h("button", {
        type: "button",
        class: `scale-${axis}`,
        title: `Logarithmic ${axis} axis`,
        click: () => {
          const scale: Scale = this.view[key] === "log" ? "linear" : "log";
          this.home = this.viewOfAll(axis === "x" ? scale : this.view.xScale, axis === "y" ? scale : this.view.yScale);
          this.view = this.home;
          setPressed(button, scale === "log");
          this.create();
        },
      });
      button.textContent = `log ${axis}`;
      setPressed(button, this.view[key] === "log");
      this.switches.push(button);
    }
  }

  private layout(): Layout {
    const width = this.element.clientWidth || 480;
    const ratio = this.equalUnits ? 0.8 : 0.6;
    const enlarged = this.element.closest("dialog") !== null;
    const room = enlarged ? Math.max(240, window.innerHeight - 260) : this.equalUnits ? 460 : 360;
    const height = this.options.height ?? Math.round(Math.min(room, Math.max(230, ratio * width)));
    return { width, height, top: 8, right: 14, bottom: 28, left: 16, measure: measureText };
  }

  private framed(): Frame {
    return frame(this.view, this.layout(), this.equalUnits);
  }

  private setView(view: View): void {
    if (!resolvable(view.xScale, view.x) || !resolvable(view.yScale, view.y)) return;
    this.view = view;
    this.show();
  }

  /** Makes the plot show the current view in the current size. */
  private show(): void {
    const { plot } = this;
    if (!plot) return;
    const { width, height } = this.layout();
    this.frame = this.framed();
    this.showLabels();
    plot.batch(() => {
      if (plot.width !== width || plot.height !== height) plot.setSize({ width, height });
      plot.setScale("x", { min: this.frame.view.x[0], max: this.frame.view.x[1] });
      plot.setScale("y", { min: this.frame.view.y[0], max: this.frame.view.y[1] });
      // The width of the labels may have changed, which uPlot finds out only here.
      plot.redraw(false, true);
    });
    this.placeMarker();
  }

  private showLabels(): void {
    const label = (element: HTMLElement, text: string, note: string) => {
      element.replaceChildren(inline(text), note === "" ? "" : h("span", { class: "axis-note" }, note));
    };
    label(this.yLabel, this.figure.y.label, this.frame.y.note);
    label(this.xLabel, this.figure.x.label, this.frame.x.note);
    this.xLabel.style.paddingLeft = `${this.frame.box.left}px`;
  }

  private create(): void {
    this.plot?.destroy();
    const { width, height, top, right } = this.layout();
    this.frame = this.framed();
    this.showLabels();
    const { view } = this.frame;
    const scale = (type: Scale, [min, max]: readonly [number, number]): uPlot.Scale => ({
      time: false,
      distr: type === "log" ? 3 : 1,
      min,
      max,
    });
    const series = this.figure.series.map(
      (_, i): uPlot.Series => ({
        facets: [
          { scale: "x", auto: false },
          { scale: "y", auto: false },
        ],
        paths: (plot) => this.drawSeries(plot, i),
      }),
    );
    const data = [null, ...this.figure.series.map((s) => [s.x, s.y])];
    this.plot = new uPlot(
      {
        mode: 2,
        width,
        height,
        padding: [top, right, 0, 0],
        legend: { show: false },
        scales: { x: scale(view.xScale, view.x), y: scale(view.yScale, view.y) },
        axes: [this.axis("x"), this.axis("y")],
        series: [{}, ...series],
        cursor: {
          drag: { x: true, y: true, uni: 20, dist: 4, setScale: false },
          dataIdx: (plot, i) => this.findNearest(plot, i - 1),
          points: {
            size: 8,
            width: 2,
            stroke: () => ink().paper,
            fill: (_, i) => seriesColour(i - 1),
          },
          bind: { dblclick: () => () => (this.reset(), null) },
        },
        hooks: {
          setSelect: [(plot) => this.zoomToSelection(plot)],
          setCursor: [(plot) => this.report(plot)],
        },
      },
      data as unknown as uPlot.AlignedData,
      this.plotHost,
    );
    this.plot.over.append(this.markerLine);
    this.listen(this.plot.over);
    this.placeMarker();
  }

  private axis(name: "x" | "y"): uPlot.Axis {
    const own = (): Ticks => this.frame[name];
    const ofMajor = (_: uPlot, splits: number[]) => splits.map((_, i) => (i < own().major.length ? splits[i] : null));
    return {
      scale: name,
      font,
      stroke: () => ink().faint,
      gap: 5,
      size: () => (name === "y" ? this.frame.box.left : this.layout().bottom),
      // uPlot leaves out an axis for which none of its increments is large enough; splits need none, but this one always is.
      incrs: (_plot, _axis, low, high) => [Math.max(5, high - low)],
      // Major ticks first: labels and grid belong to the beginning of the list.
      splits: () => [...own().major, ...own().minor],
      values: () => [...own().labels, ...own().minor.map(() => "")],
      filter: (_, splits) => splits,
      grid: { stroke: () => ink().grid, width: 1, filter: ofMajor as uPlot.Axis.Filter },
      ticks: { stroke: () => ink().line, width: 1, size: 4, filter: (_, splits) => splits },
      border: { show: true, stroke: () => ink().line, width: 1 },
    };
  }

  private drawSeries(plot: uPlot, i: number): null {
    const series = this.figure.series[i];
    if (!series || !this.visible[i]) return null;
    const { ctx, bbox } = plot;
    const ratio = uPlot.pxRatio;
    const { xs, ys } = projected(series, this.frame.view, bbox);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = seriesColour(i);
    ctx.lineWidth = 1.6 * ratio;
    ctx.lineJoin = "round";
    if (series.style !== "points") {
      ctx.setLineDash(dashes(i, series.dashed).map((length) => length * ratio));
      for (const line of visibleLines(xs, ys, bbox, 0.4)) {
        ctx.beginPath();
        for (let k = 0; k < line.length; k += 2) ctx.lineTo(line[k] ?? 0, line[k + 1] ?? 0);
        ctx.stroke();
      }
    }
    if (series.style !== "line") {
      const radius = markRadius(series.x.length);
      const mark = new Path2D(markPath(i, radius * ratio));
      const points = visiblePoints(xs, ys, bbox, 0.5);
      for (let k = 0; k < points.length; k += 2) {
        const x = points[k] ?? 0;
        const y = points[k + 1] ?? 0;
        ctx.translate(x, y);
        ctx.fill(mark);
        ctx.translate(-x, -y);
      }
    }
    ctx.restore();
    return null;
  }

  /** The point of a series that the cursor means: over x for "line", the nearest in the plane for "path". */
  private findNearest(plot: uPlot, i: number): number | null {
    const series = this.figure.series[i];
    const left = plot.cursor.left ?? -1;
    const top = plot.cursor.top ?? -1;
    let best: number | null = null;
    if (series && this.visible[i] && left >= 0) {
      const { xs, ys } = this.onScreen(plot, i, series);
      // Of several points over the same x, the one nearest to the cursor.
      const vertical = this.equalUnits ? 1 : 1e-6;
      let shortest = Infinity;
      for (let k = 0; k < xs.length; k++) {
        const dx = (xs[k] ?? NaN) - left;
        const dy = (ys[k] ?? NaN) - top;
        const distance = dx * dx + vertical * dy * dy;
        if (distance < shortest) {
          shortest = distance;
          best = k;
        }
      }
    }
    this.nearest[i] = best;
    return best;
  }

  /** Pixel coordinates of a series in the plot's area, kept while the view stays. */
  private onScreen(plot: uPlot, i: number, series: Series): Projected {
    if (this.projectedFor !== this.frame) {
      this.projectedFor = this.frame;
      this.projections = [];
    }
    const { clientWidth: width, clientHeight: height } = plot.over;
    return (this.projections[i] ??= projected(series, this.frame.view, { left: 0, top: 0, width, height }));
  }

  private report(plot: uPlot): void {
    const { onReadout } = this.options;
    if (!onReadout) return;
    const left = plot.cursor.left ?? -1;
    if (left < 0) {
      onReadout(null);
      return;
    }
    const values = this.figure.series.map((series, i) => {
      const k = this.nearest[i];
      if (k === null || k === undefined || !this.visible[i]) return null;
      const y = number(series.y[k] ?? NaN);
      return this.equalUnits ? `(${number(series.x[k] ?? NaN)}, ${y})` : y;
    });
    const x = plot.posToVal(left, "x");
    const y = plot.posToVal(plot.cursor.top ?? 0, "y");
    const { x: xAxis, y: yAxis } = this.figure;
    onReadout({
      heading: this.equalUnits
        ? `(${xAxis.label}, ${yAxis.label}) = (${number(x, 4)}, ${number(y, 4)})`
        : `${xAxis.label} = ${number(this.snapped() ?? x, 5)}`,
      values,
    });
  }

  /** x of the points shown, if the series agree about it. */
  private snapped(): number | null {
    const xs = new Set<number | null | undefined>();
    this.figure.series.forEach((series, i) => {
      const k = this.nearest[i];
      if (k !== null && k !== undefined && this.visible[i]) xs.add(series.x[k]);
    });
    const [only] = xs;
    return xs.size === 1 ? (only ?? null) : null;
  }

  private zoomToSelection(plot: uPlot): void {
    const { left, top, width, height } = plot.select;
    if (width <= 0 || height <= 0) return;
    const { view } = this.frame;
    const w = plot.over.clientWidth;
    const hgt = plot.over.clientHeight;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.setView({
      ...view,
      x: part(view.xScale, view.x, left / w, (left + width) / w),
      y: part(view.yScale, view.y, 1 - (top + height) / hgt, 1 - top / hgt),
    });
  }

  /** Moves and scales the view; fractions of it, from the lower left. */
  private move(dx: number, dy: number, factor: number): void {
    const { view } = this.frame;
    const margin = (factor - 1) / 2;
    this.setView({
      ...view,
      x: part(view.xScale, view.x, dx - margin, 1 + dx + margin),
      y: part(view.yScale, view.y, dy - margin, 1 + dy + margin),
    });
  }

  private listen(over: HTMLElement): void {
    over.tabIndex = 0;
    over.setAttribute("role", "group");
    over.setAttribute("aria-label", "Plot. Arrow keys move, plus and minus zoom, 0 resets.");
    over.addEventListener("keydown", (event) => {
      const step = 0.1;
      const actions: Record<string, () => void> = {
        ArrowLeft: () => this.move(-step, 0, 1),
        ArrowRight: () => this.move(step, 0, 1),
        ArrowUp: () => this.move(0, step, 1),
        ArrowDown: () => this.move(0, -step, 1),
        "+": () => this.move(0, 0, 0.8),
        "=": () => this.move(0, 0, 0.8),
        "-": () => this.move(0, 0, 1.25),
        "0": () => this.reset(),
      };
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    const { onPick } = this.options;
    if (onPick) {
      over.addEventListener("click", (event) => {
        if (this.plot) onPick(this.plot.posToVal(event.offsetX, "x"));
      });
    }
    pinch(over, (dx, dy, factor) => this.move(dx, dy, factor));
  }

  private placeMarker(): void {
    this.markerLine.hidden = this.markerAt === null || !this.plot;
    if (this.markerAt === null || !this.plot) return;
    const left = this.plot.valToPos(this.markerAt, "x");
    this.markerLine.style.transform = `translateX(${left.toFixed(1)}px)`;
  }
}

/** Two fingers move and zoom; one finger scrolls the page as everywhere. */
function pinch(element: HTMLElement, move: (dx: number, dy: number, factor: number) => void): void {
  let last: { x: number; y: number; distance: number } | null = null;
  const measure = (touches: TouchList) => {
    const [a, b] = [touches[0], touches[1]];
    if (!a || !b || touches.length !== 2) return null;
    return {
      x: (a.clientX + b.clientX) / 2,
      y: (a.clientY + b.clientY) / 2,
      distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
    };
  };
  element.addEventListener("touchstart", (event) => (last = measure(event.touches)), { passive: true });
  element.addEventListener("touchend", () => (last = null));
  element.addEventListener(
    "touchmove",
    (event) => {
      const now = measure(event.touches);
      if (!now || !last) return;
      event.preventDefault();
      const { clientWidth, clientHeight } = element;
      move((last.x - now.x) / clientWidth, (now.y - last.y) / clientHeight, last.distance / Math.max(now.distance, 1));
      last = now;
    },
    { passive: false },
  );
}
