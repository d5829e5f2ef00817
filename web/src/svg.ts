import { dashes, ink, markPath, seriesColour } from "./palette";
import { runs } from "./plaintext";
import type { Polyline } from "./curves";
import type { Figure, Series } from "./report";

const svgFont = "Helvetica, Arial, 'Liberation Sans', sans-serif";
export const svgWidth = 720;

const black = ink(false);

const context = document.createElement("canvas").getContext("2d");

export function textWidth(text: string, size: number): number {
  if (!context) return 0.55 * size * text.length;
  context.font = `${size}px ${svgFont}`;
  return runs(text).reduce((sum, run) => {
    return sum + (context?.measureText(run.text).width ?? 0) * (run.shift === 0 ? 1 : 0.72);
  }, 0);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}

export interface TextStyle {
  size?: number;
  anchor?: "start" | "middle" | "end";
  colour?: string;
  rotated?: boolean;
  kind?: "title";
}

export function svgText(x: number, y: number, text: string, style: TextStyle = {}): string {
  const { size = 13, anchor = "start", colour = black.text, rotated = false, kind } = style;
  let shift = 0;
  const spans = runs(text).map((run) => {
    // Each shift is relative to where the run before ended.
    const target = -0.38 * run.shift * size;
    const dy = target - shift;
    shift = target;
    const attributes = [
      Math.abs(dy) > 0.01 ? ` dy="${dy.toFixed(1)}"` : "",
      run.shift === 0 ? "" : ` font-size="${(0.72 * size).toFixed(1)}"`,
      run.italic ? ' font-style="italic"' : "",
    ].join("");
    return `<tspan${attributes}>${escaped(run.text)}</tspan>`;
  });
  const place = rotated ? `transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(-90)"` : `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
  return `<text ${place} font-size="${size}" text-anchor="${anchor}" fill="${colour}"${kind ? ` class="${kind}" font-weight="600"` : ""} xml:space="preserve">${spans.join("")}</text>`;
}

export function svgLine(x1: number, y1: number, x2: number, y2: number, colour: string, width = 1): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="${colour}" stroke-width="${width}"/>`;
}

/** A series as one group: a path for its lines, one for its marks. */
export function svgSeries(series: Series, index: number, lines: Polyline[], points: number[], radius: number): string {
  const colour = seriesColour(index, false);
  let content = "";
  if (series.style !== "points") {
    const commands = lines.map((line) => {
      let d = "";
      for (let k = 0; k < line.length; k += 2) {
        d += `${k === 0 ? "M" : "L"}${(line[k] ?? 0).toFixed(1)} ${(line[k + 1] ?? 0).toFixed(1)}`;
      }
      return d;
    });
    content += `<path d="${commands.join("")}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"${dashAttribute(index, series)}/>`;
  }
  if (series.style !== "line") {
    let d = "";
    for (let k = 0; k < points.length; k += 2) d += markPath(index, radius, points[k], points[k + 1]);
    content += `<path d="${d}" fill="${colour}"/>`;
  }
  return `<g class="series" data-name="${escaped(series.name)}">${content}</g>`;
}

function dashAttribute(index: number, series: Series): string {
  const pattern = dashes(index, series.dashed);
  return pattern.length === 0 ? "" : ` stroke-dasharray="${pattern.join(" ")}"`;
}

/** A sample of a series' line and mark, 26 wide, centred at half of `height`. */
export function swatch(series: Series, index: number, colour: string, height = 12): string {
  const y = height / 2;
  const line =
    series.style === "points"
      ? ""
      : `<path d="M1 ${y}H25" fill="none" stroke="${colour}" stroke-width="2"${dashAttribute(index, series)}/>`;
  const mark =
    series.style === "line" ? "" : `<path d="${markPath(index, 3.4)}" transform="translate(13 ${y})" fill="${colour}"/>`;
  return line + mark;
}

interface Entry {
  series: Series;
  index: number;
}

/** The legend in rows, and how high it is. */
export function svgLegend(entries: Entry[], left: number, top: number, width: number): { markup: string; height: number } {
  let markup = "";
  let x = left;
  let y = top;
  for (const { series, index } of entries) {
    const advance = 34 + textWidth(series.name, 12) + 18;
    if (x > left && x + advance > left + width) {
      x = left;
      y += 18;
    }
    markup += `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)})">${swatch(series, index, seriesColour(index, false))}</g>`;
    markup += svgText(x + 32, y + 10, series.name, { size: 12 });
    x += advance;
  }
  return { markup, height: entries.length === 0 ? 0 : y - top + 20 };
}

export function shownSeries(figure: Figure, visible: readonly boolean[]): Entry[] {
  return figure.series.map((series, index) => ({ series, index })).filter(({ index }) => visible[index]);
}

export function svgDocument(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${Math.ceil(height)}" viewBox="0 0 ${width} ${Math.ceil(height)}" font-family="${svgFont}"><title>${escaped(runs(title).map((run) => run.text).join(""))}</title><rect width="100%" height="100%" fill="#ffffff"/>${content}</svg>`;
}
