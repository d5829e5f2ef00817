import type { Track } from "./report";

export interface Pose {
  x: number;
  y: number;
  z: number;
  heading: number;
  roll: number;
  /** Index of the last sample at or before the time. */
  index: number;
  /** Whether the track ends before the time. */
  ended: boolean;
}

/** Where the body of a track is at a time: linear between samples, at rest before the first and after the last. */
export function poseAt(track: Track, time: number): Pose {
  const { t } = track;
  const last = t.length - 1;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const start = t[low] ?? 0;
  const end = t[high] ?? start;
  const s = end > start ? Math.min(Math.max((time - start) / (end - start), 0), 1) : 0;
  const mix = (values: number[]) => {
    const a = values[low] ?? 0;
    return a + s * ((values[high] ?? a) - a);
  };
  return {
    x: mix(track.x),
    y: mix(track.y),
    z: mix(track.z),
    heading: mix(track.heading),
    roll: mix(track.roll),
    index: s === 1 ? high : low,
    ended: time > (t[last] ?? 0) + 1e-9 * Math.abs(time),
  };
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
