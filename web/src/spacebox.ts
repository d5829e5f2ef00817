import { Vector3 } from "three";
import type { Axis, Figure, Series } from "./report";
import { forward, paddedRange, type Range, type Scale, usable } from "./scale";
import { fraction, ticks, type Ticks } from "./ticks";

export interface Label {
  at: Vector3;
  text: string;
  kind: "tick" | "name";
}

interface Dimension {
  axis: Axis;
  scale: Scale;
  range: Range;
  ticks: Ticks;
  /** Half the length of this side of the box. */
  half: number;
}

type Three<T> = [T, T, T];

function columns(series: Series): Three<Series["x"]> {
  return [series.x, series.y, series.z ?? series.x.map(() => 0)];
}

/** The box around a space figure: where data lie in it, and its walls as seen from a camera. */
export class SpaceBox {
  private readonly dimensions: Three<Dimension>;
  constructor(figure: Figure) {
    const axes: Three<Axis> = [figure.x, figure.y, figure.z ?? { label: "$z$" }];
    const ranges = axes.map((axis, d) => {
      const values = figure.series.map((s) => columns(s)[d as 0 | 1 | 2]);
      return paddedRange(axis.scale ?? "linear", values, 0.03);
    });
    const spans = axes.map((axis, d) => {
      const [low, high] = ranges[d] ?? [0, 1];
      return forward(axis.scale ?? "linear", high) - forward(axis.scale ?? "linear", low);
    });
    const largest = Math.max(...spans);
    const linear = axes.every((axis) => axis.scale !== "log");
    // The same unit on all axes, unless one would be too short to see anything.
    const equalUnits = linear && Math.min(...spans) > 0.2 * largest;
    const dimension = (d: 0 | 1 | 2): Dimension => {
      const axis = axes[d];
      const range = ranges[d] ?? [0, 1];
      const scale = axis.scale ?? "linear";
      const half = equalUnits ? (spans[d] ?? 1) / largest : d === 2 ? 0.7 : 1;
      return { axis, scale, range, ticks: ticks(scale, range, Math.max(2, 5 * half)), half };
    };
    this.dimensions = [dimension(0), dimension(1), dimension(2)];
  }

  private coordinate(d: 0 | 1 | 2, value: number): number {
    const { scale, range, half } = this.dimensions[d];
    return half * (2 * fraction(scale, range, value) - 1);
  }

  /** Points of a series inside the box, null where there is a gap. */
  points(series: Series): (Vector3 | null)[] {
    const [xs, ys, zs] = columns(series);
    return xs.map((x, i) => {
      const y = ys[i];
      const z = zs[i];
      const [dx, dy, dz] = this.dimensions;
      if (!usable(dx.scale, x) || !usable(dy.scale, y) || !usable(dz.scale, z)) return null;
      return new Vector3(this.coordinate(0, x), this.coordinate(1, y), this.coordinate(2, z));
    });
  }

  /** Signs of the coordinates of the corner that is farthest from the camera. */
  farCorner(camera: Vector3): Three<number> {
    return [camera.x > 0 ? -1 : 1, camera.y > 0 ? -1 : 1, camera.z > 0 ? -1 : 1];
  }

  /** Pairs of ends of lines: the grid on the three walls that meet in the farthest corner. */
  grid(far: Three<number>): Vector3[] {
    const lines: Vector3[] = [];
    const corner = this.dimensions.map((dimension, d) => (far[d] ?? 1) * dimension.half);
    for (const d of [0, 1, 2] as const) {
      const { major } = this.dimensions[d].ticks;
      const marks = [-this.dimensions[d].half, ...major.map((v) => this.coordinate(d, v)), this.dimensions[d].half];
      for (const e of [0, 1, 2] as const) {
        if (e === d) continue;
        // A line in direction e at each mark of d, on the wall on which the third coordinate is constant.
        for (const mark of marks) {
          for (const sign of [-1, 1]) {
            const end = [...corner];
            end[d] = mark;
            end[e] = sign * this.dimensions[e].half;
            lines.push(new Vector3(end[0], end[1], end[2]));
          }
        }
      }
    }
    return lines;
  }

  /** Ticks and names of the axes, outside the box along the edges that border the grid. */
  labels(far: Three<number>, project: (point: Vector3) => Vector3): Label[] {
    const result: Label[] = [];
    const half = this.dimensions.map((dimension) => dimension.half);
    const corner = half.map((length, d) => (far[d] ?? 1) * length);
    for (const d of [0, 1, 2] as const) {
      // Coordinates other than d of the edge, before and after moving outwards.
      const edge = [...corner];
      const outward = [0, 0, 0];
      if (d === 2) {
        const a = project(new Vector3(-(corner[0] ?? 0), corner[1], 0));
        const b = project(new Vector3(corner[0], -(corner[1] ?? 0), 0));
        const side = a.x < b.x ? 0 : 1;
        edge[side] = -(corner[side] ?? 0);
        outward[side] = -(far[side] ?? 1);
      } else {
        const other = d === 0 ? 1 : 0;
        edge[other] = -(corner[other] ?? 0);
        outward[other] = -(far[other] ?? 1);
      }
      const at = (value: number, distance: number) => {
        const p = edge.map((c, e) => c + distance * (outward[e] ?? 0));
        p[d] = value;
        return new Vector3(p[0], p[1], p[2]);
      };
      const { axis, ticks: marks } = this.dimensions[d];
      marks.major.forEach((value, i) => {
        result.push({ at: at(this.coordinate(d, value), 0.12), text: marks.labels[i] ?? "", kind: "tick" });
      });
      result.push({ at: at(0, 0.36), text: [axis.label, marks.note].join(" ").trim(), kind: "name" });
    }
    return result;
  }
}
