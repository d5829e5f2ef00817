import type { Figure } from "./report";
import { h, parseSvg } from "./dom";
import type { Drawing, Readout } from "./drawing";
import { type Box, frame, type Frame, xPosition, yPosition } from "./frame";
import { ink } from "./palette";
import { paddedRange, type Range, type Scale, usable } from "./scale";
import { svgDocument, svgLine, svgText, svgWidth, textWidth } from "./svg";
import { onThemeChange } from "./theme";
import { fraction, number, ticks } from "./ticks";

// Viridis (S. van der Walt and N. Smith): as light as it is large, also for the colour blind and in print.
const viridis = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
] as const;

function colourAt(place: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, place)) * (viridis.length - 1);
  const k = Math.min(viridis.length - 2, Math.floor(at));
  const [from, to] = [viridis[k] ?? viridis[0], viridis[k + 1] ?? viridis[0]];
  const mixed = from.map((value, i) => Math.round(value + (at - k) * ((to[i] ?? value) - value)));
  return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0];
}

/** The values of one coordinate of a grid, in order. */
function places(values: readonly (number | null)[], scale: Scale): number[] {
  return [...new Set(values.filter((value) => usable(scale, value)))].sort((a, b) => a - b);
}

/** From the middle of the first cell to that of the last, and half a cell more on both sides. */
function cellRange(grid: number[], scale: Scale): Range {
  const first = grid[0] ?? 0;
  const last = grid[grid.length - 1] ?? 1;
  if (grid.length < 2) return paddedRange(scale, [grid], 0.5);
  if (scale === "log") {
    const half = Math.log10(last / first) / (grid.length - 1) / 2;
    return [first * 10 ** -half, last * 10 ** half];
  }
  const half = (last - first) / (grid.length - 1) / 2;
  return [first - half, last + half];
}

/** Figures of the kind "map": the colour of a cell is the third number of a point of a grid; cells without have none. */
export class MapDrawing implements Drawing {
  readonly element = h("div", { class: "plane map" });
  readonly switches: HTMLElement[] = [];
  private readonly canvas = h("canvas", { class: "map-surface" });
  private readonly cells = document.createElement("canvas");
  private readonly columns: number[];
  private readonly rows: number[];
  private readonly values: (number | null)[];
  private readonly colourScale: Scale;
  private readonly colours: Range;
  private readonly axes = h("div", { class: "map-axes" });
  private visible = true;
  private frame: Frame | null = null;

  constructor(
    private readonly figure: Figure,
    private readonly onReadout: (readout: Readout | null) => void,
  ) {
    const series = figure.series[0];
    if (!series?.z) throw new Error("a map has one series with three coordinates");
    this.colourScale = figure.z?.scale ?? "linear";
    this.columns = places(series.x, figure.x.scale ?? "linear");
    this.rows = places(series.y, figure.y.scale ?? "linear");
    const column = new Map(this.columns.map((value, i) => [value, i]));
    const row = new Map(this.rows.map((value, i) => [value, i]));
    this.values = new Array<number | null>(this.columns.length * this.rows.length).fill(null);
    series.z.forEach((value, k) => {
      const i = column.get(series.x[k] ?? NaN);
      const j = row.get(series.y[k] ?? NaN);
      if (i !== undefined && j !== undefined && usable(this.colourScale, value)) this.values[j * this.columns.length + i] = value;
    });
    this.colours = paddedRange(this.colourScale, [this.values], 0);
    this.paintCells();
    this.element.append(this.axes, this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.onReadout(null));
    onThemeChange(() => this.resize());
  }

  setVisible(_series: number, visible: boolean): void {
    this.visible = visible;
    this.resize();
  }

  reset(): void {
    this.resize();
  }

  resize(): void {
    const enlarged = this.element.closest("dialog") !== null;
    const width = this.element.clientWidth || 480;
    const room = enlarged ? Math.max(240, window.innerHeight - 260) : 400;
    const height = Math.round(Math.min(room, Math.max(260, 0.7 * width)));
    const { markup, frame: framed } = this.drawn(width, height, ink());
    this.frame = framed;
    this.axes.replaceChildren(
      parseSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="ui-sans-serif, Helvetica, Arial, sans-serif">${markup}</svg>`),
    );
    const { box } = framed;
    const { canvas } = this;
    Object.assign(canvas.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    const context = canvas.getContext("2d");
    if (!context || !this.visible) return;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.cells, 0, 0, canvas.width, canvas.height);
  }

  svg(): string {
    const height = 520;
    const title = svgText(20, 24, this.figure.title, { size: 15, kind: "title" });
    const { markup, frame: framed } = this.drawn(svgWidth, height - 40, ink(false));
    const cells = this.visible ? this.cellPaths(framed.box) : "";
    return svgDocument(svgWidth, height, this.figure.title, `${title}<g transform="translate(0 40)">${cells}${markup}</g>`);
  }

  /** Cells of nearly the same colour are one path. */
  private cellPaths({ left, top, width, height }: Box): string {
    const levels = 64;
    const [wide, high] = [this.columns.length, this.rows.length];
    const paths = new Array<string>(levels).fill("");
    const levelOf = (k: number) => {
      const value = this.values[k];
      if (value === null || value === undefined) return null;
      return Math.min(levels - 1, Math.floor(levels * fraction(this.colourScale, this.colours, value)));
    };
    const short = (value: number) => value.toFixed(1);
    for (let j = 0; j < high; j++) {
      for (let i = 0; i < wide; ) {
        const level = levelOf(j * wide + i);
        let end = i + 1;
        while (end < wide && levelOf(j * wide + end) === level) end++;
        if (level !== null) {
          const [x, y] = [left + (i * width) / wide, top + ((high - 1 - j) * height) / high];
          const run = ((end - i) * width) / wide;
          paths[level] += `M${short(x)} ${short(y)}h${short(run)}v${short(height / high)}h${short(-run)}z`;
        }
        i = end;
      }
    }
    const drawn = paths.map((d, level) => (d === "" ? "" : `<path d="${d}" fill="rgb(${colourAt((level + 0.5) / levels).join(",")})"/>`));
    return `<g class="series" shape-rendering="crispEdges">${drawn.join("")}</g>`;
  }

  private paintCells(): void {
    const [wide, high] = [this.columns.length, this.rows.length];
    this.cells.width = Math.max(1, wide);
    this.cells.height = Math.max(1, high);
    const context = this.cells.getContext("2d");
    if (!context || wide === 0 || high === 0) return;
    const pixels = context.createImageData(wide, high);
    this.values.forEach((value, k) => {
      if (value === null) return;
      const at = 4 * ((high - 1 - Math.floor(k / wide)) * wide + (k % wide)); // rows go upwards
      pixels.data.set([...colourAt(fraction(this.colourScale, this.colours, value)), 255], at);
    });
    context.putImageData(pixels, 0, 0);
  }

  /** Axes and the bar of colours. */
  private drawn(width: number, height: number, colours: ReturnType<typeof ink>): { markup: string; frame: Frame } {
    const { figure } = this;
    const xScale = figure.x.scale ?? "linear";
    const yScale = figure.y.scale ?? "linear";
    const bar = ticks(this.colourScale, this.colours, 6);
    const barLabels = Math.max(0, ...bar.labels.map((label) => textWidth(label, 12)));
    const framed = frame(
      { x: cellRange(this.columns, xScale), y: cellRange(this.rows, yScale), xScale, yScale },
      { width, height, top: 8, right: 62 + barLabels, bottom: 50, left: 40, measure: (text) => textWidth(text, 12) },
      false,
    );
    const { view, box, x, y } = framed;
    const bottom = box.top + box.height;
    const parts: string[] = [];
    const style = { size: 12, colour: colours.text };
    x.major.forEach((value, i) => {
      const at = xPosition(view, box, value);
      parts.push(svgLine(at, bottom, at, bottom + 5, colours.line));
      parts.push(svgText(at, bottom + 19, x.labels[i] ?? "", { ...style, anchor: "middle" }));
    });
    y.major.forEach((value, i) => {
      const at = yPosition(view, box, value);
      parts.push(svgLine(box.left - 5, at, box.left, at, colours.line));
      parts.push(svgText(box.left - 9, at + 4, y.labels[i] ?? "", { ...style, anchor: "end" }));
    });
    const left = box.left + box.width + 18;
    const strips = 60;
    for (let k = 0; k < strips; k++) {
      const stripHeight = box.height / strips;
      const colour = colourAt((k + 0.5) / strips).join(",");
      parts.push(
        `<rect x="${left}" y="${(bottom - (k + 1) * stripHeight).toFixed(2)}" width="14" height="${(stripHeight + 0.5).toFixed(2)}" fill="rgb(${colour})"/>`,
      );
    }
    bar.major.forEach((value, i) => {
      const at = bottom - box.height * fraction(this.colourScale, this.colours, value);
      parts.push(svgLine(left + 14, at, left + 18, at, colours.line));
      parts.push(svgText(left + 22, at + 4, bar.labels[i] ?? "", style));
    });
    const label = (text: string, note: string) => [text, note].join("  ").trim();
    parts.push(
      `<rect x="${box.left}" y="${box.top}" width="${box.width}" height="${box.height}" fill="none" stroke="${colours.line}"/>`,
      svgText(box.left + box.width / 2, bottom + 42, label(figure.x.label, x.note), { anchor: "middle", colour: colours.text }),
      svgText(16, box.top + box.height / 2, label(figure.y.label, y.note), { anchor: "middle", rotated: true, colour: colours.text }),
      svgText(width - 6, box.top + box.height / 2, label(figure.z?.label ?? "", bar.note), { anchor: "middle", rotated: true, colour: colours.text }),
    );
    return { markup: parts.join(""), frame: framed };
  }

  private point(event: PointerEvent): void {
    if (!this.frame) return;
    const { box } = this.frame;
    const { left, top } = this.canvas.getBoundingClientRect();
    const i = Math.floor(((event.clientX - left) / box.width) * this.columns.length);
    const j = Math.floor((1 - (event.clientY - top) / box.height) * this.rows.length);
    const [x, y] = [this.columns[i], this.rows[j]];
    if (x === undefined || y === undefined) {
      this.onReadout(null);
      return;
    }
    const value = this.values[j * this.columns.length + i];
    this.onReadout({
      heading: `${this.figure.x.label} = ${number(x)}, ${this.figure.y.label} = ${number(y)}`,
      values: [value === null || value === undefined ? "none" : number(value)],
    });
  }
}
