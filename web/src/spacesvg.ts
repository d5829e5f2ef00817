import { Vector3 } from "three";
import type { Figure } from "./report";
import { visibleLines, visiblePoints } from "./curves";
import type { Orbit } from "./orbit";
import { ink, markRadius } from "./palette";
import type { SpaceBox } from "./spacebox";
import { shownSeries, svgDocument, svgLegend, svgLine, svgSeries, svgText, svgWidth } from "./svg";

const box = { left: 0, top: 40, width: svgWidth, height: 520 };

/** A space figure as its camera sees it. */
export function spaceSvg(
  figure: Figure,
  space: SpaceBox,
  points: readonly (readonly (Vector3 | null)[])[],
  orbit: Orbit,
  visible: readonly boolean[],
): string {
  const colours = ink(false);
  orbit.place(box.width / box.height);
  const project = (point: Vector3) => point.clone().project(orbit.camera);
  const pixel = (point: Vector3): [number, number] => {
    const at = project(point);
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  };
  const far = space.farCorner(orbit.camera.position);
  const parts = [svgText(24, 26, figure.title, { size: 15, kind: "title" })];
  const grid = space.grid(far);
  for (let i = 0; i + 1 < grid.length; i += 2) {
    const a = grid[i];
    const b = grid[i + 1];
    if (a && b) parts.push(svgLine(...pixel(a), ...pixel(b), colours.grid));
  }
  for (const label of space.labels(far, project)) {
    const [x, y] = pixel(label.at);
    parts.push(svgText(x, y + 4, label.text, { size: label.kind === "name" ? 14 : 11, anchor: "middle" }));
  }
  const shown = shownSeries(figure, visible);
  for (const { series, index } of shown) {
    const row = points[index] ?? [];
    const xs = new Float64Array(row.length).fill(NaN);
    const ys = new Float64Array(row.length).fill(NaN);
    row.forEach((point, i) => {
      if (point) [xs[i], ys[i]] = pixel(point);
    });
    const lines = series.style === "points" ? [] : visibleLines(xs, ys, box, 0.1);
    const marks = series.style === "line" ? [] : visiblePoints(xs, ys, box, 0.25);
    parts.push(svgSeries(series, index, lines, marks, markRadius(row.length)));
  }
  const bottom = box.top + box.height;
  const legend = svgLegend(shown, 24, bottom + 8, svgWidth - 48);
  parts.push(legend.markup);
  return svgDocument(svgWidth, bottom + legend.height + 16, figure.title, parts.join(""));
}
