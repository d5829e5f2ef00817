import { Box3, Euler, Vector3 } from "three";
import { makeBody } from "./bodies";
import type { Animation, Columns, Track } from "./report";
import { type Frame, frameAt, isPoint, pointAt, pointOf, rotationAt } from "./track";

/** Where the tracks of an animation lie, and how large things are drawn there. */
export interface Extent {
  /** Of everything; on the ground, if that is a plane. */
  centre: Vector3;
  /** Half the sides of what is seen from above. */
  sides: { x: number; y: number };
  /** Half the sides of a plane ground, which fades towards them. */
  ground: { x: number; y: number };
  /** Points on the outside of what there is to see. */
  outline: Vector3[];
  /** Half the largest side of the box around everything. */
  radius: number;
  /** Of balls that have no size. */
  smallest: number;
  /** The radius inside which all bodies of a track lie, about its anchor, as they are drawn. */
  reach: number;
  /** How many times larger than they are bodies are drawn. */
  enlargement: number;
  spacing: number;
}

/** Where bodies are held when they are drawn larger than they are: where they touch the ground, if that is known. */
export function anchorColumns(track: Track): Columns {
  return track.traces[0]?.point ?? track.bodies[0]?.position ?? [];
}

/** At most so many samples of a track, the first and the last among them. */
function someFrames(track: Track, most: number): Frame[] {
  const last = track.t.length - 1;
  const count = Math.min(most, last);
  return Array.from({ length: count + 1 }, (_, k) => frameAt(track, track.t[count === 0 ? 0 : Math.round((k * last) / count)] ?? 0));
}

function paths(animation: Animation): Vector3[] {
  return animation.tracks.flatMap((track) => {
    const stride = Math.ceil(track.t.length / 300);
    const columns = anchorColumns(track);
    return track.t.flatMap((_, i) => {
      const point = pointOf(columns, i);
      return i % stride === 0 && isPoint(point) ? [point] : [];
    });
  });
}

function cornersOf({ min, max }: Box3): Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}

/** Corners of bodies at some times, with the anchor of each. */
function bodyCorners(animation: Animation, smallest: number): { point: Vector3; anchor: Vector3 }[] {
  const paint = { body: "#000000", accent: "#000000", ghost: 0 };
  const boxes = animation.bodies.map((body) => cornersOf(new Box3().setFromObject(makeBody(body, smallest, paint))));
  return animation.tracks.flatMap((track) =>
    someFrames(track, 40).flatMap((frame) => {
      const anchor = pointAt(anchorColumns(track), frame);
      return track.bodies.flatMap(({ position, rotation, end }, b) => {
        const place = pointAt(position, frame);
        const points = end
          ? [place, pointAt(end, frame)]
          : (boxes[b] ?? []).map((corner) => corner.clone().applyQuaternion(rotationAt(rotation, frame)).add(place));
        return points.map((point) => ({ point, anchor }));
      });
    }),
  );
}

/** A sphere that bodies roll on, or the bowl that they roll in. */
function groundPoints({ kind, radius, centre }: Animation["ground"]): Vector3[] {
  if (kind !== "sphere" && kind !== "bowl") return [];
  const directions = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => (k * Math.PI) / 4);
  const heights = kind === "sphere" ? [-1, -0.7, 0, 0.7, 1] : [-1, -0.7, 0];
  const origin = new Vector3(centre[0], centre[1], centre[2]);
  return heights.flatMap((z) => {
    const r = Math.sqrt(1 - z * z);
    return directions.map((a) => new Vector3(r * Math.cos(a), r * Math.sin(a), z).multiplyScalar(radius).add(origin));
  });
}

export function extentOf(animation: Animation): Extent {
  const { kind, centre: middle } = animation.ground;
  const path = paths(animation);
  const curved = groundPoints(animation.ground);
  const moved = new Box3().setFromPoints([...path, ...curved]).getSize(new Vector3());
  const motion = Math.max(moved.x, moved.y, moved.z, 0) / 2;
  const smallest = motion > 0 ? 0.06 * motion : 1;
  const corners = bodyCorners(animation, smallest);
  const size = Math.max(0, ...corners.map(({ point, anchor }) => point.distanceTo(anchor))) || 1;
  // Below this, bodies would be dots in a view of the whole motion.
  const visible = (0.13 * motion) / size;
  const enlargement = visible > 1.3 ? visible : 1;
  const height = kind === "plane" ? (middle[2] ?? 0) : -Infinity;
  const outline = [
    ...path,
    ...curved,
    ...corners.map(({ point, anchor }) => {
      const drawn = point.sub(anchor).multiplyScalar(enlargement).add(anchor);
      // The corners of the box around a body that rolls are below the ground.
      if (anchor.z >= height) drawn.z = Math.max(drawn.z, height);
      return drawn;
    }),
  ];
  const box = new Box3().setFromPoints(outline);
  const half = box.getSize(new Vector3()).multiplyScalar(0.5);
  const radius = Math.max(half.x, half.y, half.z);
  const power = 10 ** Math.floor(Math.log10(radius));
  const spacing = radius / power > 5 ? 2 * power : radius / power > 2 ? power : power / 2;
  const sides = { x: Math.max(half.x, 0.3 * radius), y: Math.max(half.y, 0.3 * radius) };
  const centre = box.getCenter(new Vector3());
  return {
    centre: kind === "plane" ? centre.setZ(height) : centre,
    sides,
    ground: { x: 1.2 * sides.x + 1.6 * radius, y: 1.2 * sides.y + 1.6 * radius },
    outline: outline.map((point) => point.applyEuler(inclination(animation))),
    radius,
    smallest,
    reach: size * enlargement,
    enlargement,
    spacing,
  };
}

export function inclination(animation: Animation): Euler {
  const { slope } = animation.ground;
  return new Euler(slope.y, slope.x, 0);
}
