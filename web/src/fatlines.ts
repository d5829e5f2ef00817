import { type Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { pixels } from "./render";

export interface FatLineStyle {
  colour: string;
  width: number;
  dashed?: boolean;
}

/** Lines with a width, which plain WebGL lines do not have, between consecutive points; null makes a gap. */
export function fatLines(points: readonly (Vector3 | null)[], style: FatLineStyle): LineSegments2 {
  const ends: number[] = [];
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1];
    const b = points[i];
    if (a && b) ends.push(a.x, a.y, a.z, b.x, b.y, b.z);
  }
  return segments(ends, style);
}

/** Lines from pairs of ends. */
export function segments(ends: number[], style: FatLineStyle): LineSegments2 {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(ends.length === 0 ? [0, 0, 0, 0, 0, 0] : ends);
  const material = new LineMaterial({
    color: style.colour,
    linewidth: pixels(style.width),
    dashed: style.dashed ?? false,
    dashSize: 0.04,
    gapSize: 0.028,
    transparent: true,
    depthWrite: false,
  });
  const lines = new LineSegments2(geometry, material);
  if (style.dashed) lines.computeLineDistances();
  lines.frustumCulled = false;
  return lines;
}
