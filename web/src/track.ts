import { Quaternion, Vector3 } from "three";
import type { Columns, Track } from "./report";

/** Between which samples of a track a time lies. */
export interface Frame {
  low: number;
  high: number;
  /** 0 at the lower sample, 1 at the upper. */
  share: number;
  /** Index of the last sample at or before the time. */
  index: number;
  /** Whether the track ends before the time. */
  ended: boolean;
}

/** At rest before the first sample and after the last. */
export function frameAt(track: Track, time: number): Frame {
  const { t } = track;
  const last = t.length - 1;
  let low = 0;
  let high = Math.max(last, 0);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const start = t[low] ?? 0;
  const end = t[high] ?? start;
  const share = end > start ? Math.min(Math.max((time - start) / (end - start), 0), 1) : 0;
  return { low, high, share, index: share === 1 ? high : low, ended: time > (t[last] ?? 0) + 1e-9 * Math.abs(time) };
}

/** A number of a column in a sample; columns of what never changes have one entry. */
function entry(columns: Columns, k: number, sample: number): number {
  const column = columns[k] ?? [];
  return column[column.length === 1 ? 0 : sample] ?? NaN;
}

export function pointOf(columns: Columns, sample: number): Vector3 {
  return new Vector3(entry(columns, 0, sample), entry(columns, 1, sample), entry(columns, 2, sample));
}

/** Linear between samples; where one of them is no point, the other. */
export function pointAt(columns: Columns, frame: Frame): Vector3 {
  const from = pointOf(columns, frame.low);
  const to = pointOf(columns, frame.high);
  if (!isPoint(from)) return isPoint(to) ? to : new Vector3();
  return isPoint(to) ? from.lerp(to, frame.share) : from;
}

export function isPoint({ x, y, z }: Vector3): boolean {
  return Number.isFinite(x + y + z);
}

function quaternionOf(columns: Columns, sample: number): Quaternion {
  const at = (k: number) => entry(columns, k, sample);
  const q = new Quaternion(at(1), at(2), at(3), at(0));
  return Number.isFinite(q.length()) ? q.normalize() : new Quaternion();
}

/** On the shortest way from one sample to the next, at a constant rate. */
export function rotationAt(columns: Columns | undefined, frame: Frame): Quaternion {
  if (!columns) return new Quaternion();
  return quaternionOf(columns, frame.low).slerp(quaternionOf(columns, frame.high), frame.share);
}

/** The line that stands for a track where there is room for one: that of its first point, or of its first body. */
export function pathOf(track: Track): { x: number[]; y: number[]; z: number[] } {
  const columns = track.traces[0]?.point ?? track.bodies[0]?.position ?? [];
  const points = track.t.map((_, i) => pointOf(columns, i));
  return { x: points.map(({ x }) => x), y: points.map(({ y }) => y), z: points.map(({ z }) => z) };
}

export function timeRange(tracks: readonly Track[]): [number, number] {
  let from = Infinity;
  let to = -Infinity;
  for (const { t } of tracks) {
    from = Math.min(from, t[0] ?? Infinity);
    to = Math.max(to, t[t.length - 1] ?? -Infinity);
  }
  return from <= to ? [from, to] : [0, 1];
}
