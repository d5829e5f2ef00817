import type { Figure } from "./report";
import { projected, visibleLines, visiblePoints } from "./curves";
import { frame, type View, xPosition, yPosition } from "./frame";
import { ink, markRadius } from "./palette";
import { shownSeries, svgDocument, svgLegend, svgLine, svgSeries, svgText, svgWidth, textWidth } from "./svg";

const height = { line: 470, path: 620, space: 620, map: 470 };

/** A plane figure as a picture for print. */
export function planeSvg(figure: Figure, view: View, equalUnits: boolean, visible: readonly boolean[]): string {
  const colours = ink(false);
  const total = height[figure.kind];
  const { view: seen, box, x, y } = frame(
    view,
    { width: svgWidth, height: total, top: 44, right: 22, bottom: 52, left: 46, measure: (text) => textWidth(text, 12) },
    equalUnits,
  );
  const bottom = box.top + box.height;
  const right = box.left + box.width;
  const parts: string[] = [svgText(box.left, 24, figure.title, { size: 15, kind: "title" })];
  x.major.forEach((value, i) => {
    const at = xPosition(seen, box, value);
    parts.push(svgLine(at, box.top, at, bottom, colours.grid), svgLine(at, bottom, at, bottom + 5, colours.line));
    parts.push(svgText(at, bottom + 19, x.labels[i] ?? "", { size: 12, anchor: "middle" }));
  });
  y.major.forEach((value, i) => {
    const at = yPosition(seen, box, value);
    parts.push(svgLine(box.left, at, right, at, colours.grid), svgLine(box.left - 5, at, box.left, at, colours.line));
    parts.push(svgText(box.left - 9, at + 4, y.labels[i] ?? "", { size: 12, anchor: "end" }));
  });
  for (const value of x.minor) {
    const at = xPosition(seen, box, value);
    parts.push(svgLine(at, bottom, at, bottom + 3, colours.line));
  }
  for (const value of y.minor) {
    const at = yPosition(seen, box, value);
    parts.push(svgLine(box.left - 3, at, box.left, at, colours.line));
  }
  const shown = shownSeries(figure, visible);
  parts.push(
    // A nested picture clips without an id, which would have to be unique in a page of many.
    `<svg x="${box.left}" y="${box.top}" width="${box.width}" height="${box.height}" viewBox="${box.left} ${box.top} ${box.width} ${box.height}" overflow="hidden">`,
    ...shown.map(({ series, index }) => {
      const { xs, ys } = projected(series, seen, box);
      const lines = series.style === "points" ? [] : visibleLines(xs, ys, box, 0.1);
      const points = series.style === "line" ? [] : visiblePoints(xs, ys, box, 0.25);
      return svgSeries(series, index, lines, points, markRadius(series.x.length));
    }),
    "</svg>",
    `<rect x="${box.left}" y="${box.top}" width="${box.width}" height="${box.height}" fill="none" stroke="${colours.line}"/>`,
    svgText(box.left + box.width / 2, bottom + 42, [figure.x.label, x.note].join("  ").trim(), { anchor: "middle" }),
    svgText(22, box.top + box.height / 2, [figure.y.label, y.note].join("  ").trim(), { anchor: "middle", rotated: true }),
  );
  const legend = svgLegend(shown, box.left, total + 6, box.width);
  parts.push(legend.markup);
  return svgDocument(svgWidth, total + legend.height + 12, figure.title, parts.join(""));
}
