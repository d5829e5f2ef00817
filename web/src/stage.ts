import {
  AmbientLight,
  ArrowHelper,
  CircleGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Euler,
  Group,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Scene,
  Vector3,
} from "three";
import type { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import type { Animation, Track } from "./report";
import { type Body, makeBody } from "./bodies";
import { fatLines, segments } from "./fatlines";
import { ink, seriesColour } from "./palette";
import { isDark } from "./theme";
import { poseAt } from "./track";

/** Where the tracks of an animation lie, and how large things are drawn there. */
export interface Extent {
  /** On a crossing of grid lines. */
  centre: Vector3;
  /** Half the sides of the ground. */
  ground: { x: number; y: number };
  /** Up to where bodies reach. */
  height: number;
  /** Half the largest side of the tracks' bounding box. */
  radius: number;
  /** How many times larger than it is the body is drawn. */
  enlargement: number;
  spacing: number;
}

export function extentOf(animation: Animation): Extent {
  const low = new Vector3(Infinity, Infinity, 0);
  const high = new Vector3(-Infinity, -Infinity, 0);
  for (const track of animation.tracks) {
    for (let i = 0; i < track.t.length; i++) {
      const p = new Vector3(track.x[i], track.y[i], animation.body === "particle" ? track.z[i] : 0);
      if (!Number.isFinite(p.x + p.y + p.z)) continue;
      low.min(p);
      high.max(p);
    }
  }
  if (low.x > high.x) low.set(-1, -1, 0), high.set(1, 1, 0);
  const half = high.clone().sub(low).multiplyScalar(0.5);
  const radius = Math.max(half.x, half.y, half.z, 2 * animation.size);
  const power = 10 ** Math.floor(Math.log10(radius));
  const spacing = radius / power > 5 ? 2 * power : radius / power > 2 ? power : power / 2;
  const reach = (side: number) => Math.ceil((1.1 * Math.max(side, 0.35 * radius) + spacing / 2) / spacing) * spacing;
  // Below this, the body would be a dot in a view of the whole motion.
  const smallest = 0.09 * radius;
  const enlargement = 1.5 * animation.size < smallest && animation.size > 0 ? smallest / animation.size : 1;
  const centre = high.clone().add(low).multiplyScalar(0.5);
  const onGrid = (value: number) => Math.round(value / spacing) * spacing;
  return {
    centre: new Vector3(onGrid(centre.x), onGrid(centre.y), centre.z),
    ground: { x: reach(half.x), y: reach(half.y) },
    height: high.z + animation.size * enlargement,
    radius,
    enlargement,
    spacing,
  };
}

interface Actor {
  track: Track;
  body: Body;
  trail: LineSegments2;
  /** From the last sample to where the body is. */
  tip: LineSegments2;
  drop: { line: LineSegments2; shadow: Mesh } | null;
}

function inclination(animation: Animation): Euler {
  return new Euler(animation.slope.y, animation.slope.x, 0);
}

/** Corners of what there is to see of an animation. */
export function corners(animation: Animation, extent: Extent): Vector3[] {
  const { centre, ground, height } = extent;
  const tilt = inclination(animation);
  return [-1, 1].flatMap((sx) =>
    [-1, 1].flatMap((sy) =>
      [0, height].map((z) => new Vector3(centre.x + sx * ground.x, centre.y + sy * ground.y, z).applyEuler(tilt)),
    ),
  );
}

/** A scene with the ground and the bodies of some tracks. */
export class Stage {
  readonly scene = new Scene();
  /** Everything that is tilted with the ground. */
  private readonly incline = new Group();
  private readonly actors: Actor[];

  constructor(
    private readonly animation: Animation,
    private readonly extent: Extent,
    tracks: readonly { track: Track; index: number }[],
  ) {
    this.incline.rotation.copy(inclination(animation));
    this.scene.add(this.incline, new AmbientLight(0xffffff, 1.9));
    const sun = new DirectionalLight(0xffffff, 1.8);
    sun.position.set(-1, -2, 4);
    this.scene.add(sun);
    this.addGround();
    this.actors = tracks.map(({ track, index }) => this.addActor(track, index));
  }

  setTime(time: number): void {
    for (const { track, body, trail, tip, drop } of this.actors) {
      const pose = poseAt(track, time);
      body.setPose(pose);
      trail.geometry.instanceCount = pose.index;
      trail.visible = pose.index > 0;
      const from = this.onTrail(track, pose.index);
      const to = new Vector3(pose.x, pose.y, this.trailHeight(pose.z));
      tip.geometry.setPositions([...from.toArray(), ...to.toArray()]);
      if (drop) {
        drop.line.geometry.setPositions([pose.x, pose.y, this.lift(), pose.x, pose.y, pose.z]);
        drop.shadow.position.set(pose.x, pose.y, this.lift());
      }
    }
  }

  /** Where the first body is, in the scene. */
  position(time: number): Vector3 {
    const first = this.actors[0];
    const { x, y, z } = first ? poseAt(first.track, time) : this.extent.centre;
    return this.incline.localToWorld(new Vector3(x, y, this.animation.body === "particle" ? z : 0));
  }

  private get size(): number {
    return this.animation.size * this.extent.enlargement;
  }

  /** Lines on the ground are drawn a little above it. */
  private lift(): number {
    return 0.002 * this.extent.radius;
  }

  private trailHeight(z: number): number {
    return this.animation.body === "particle" ? z : 2 * this.lift();
  }

  private onTrail(track: Track, i: number): Vector3 {
    return new Vector3(track.x[i], track.y[i], this.trailHeight(track.z[i] ?? 0));
  }

  private addActor(track: Track, index: number): Actor {
    const colour = seriesColour(index);
    const body = makeBody(this.animation.body, this.size, { body: colour, accent: isDark() ? "#f3f4f6" : "#20242a" });
    const points = track.t.map((_, i) => this.onTrail(track, i));
    // Not a transparent line, whose segments would overlap in dots.
    const pale = new Color(colour).lerp(new Color(ink().paper), 0.35).getStyle();
    const whole = fatLines(points, { colour: pale, width: 1.2 });
    const trail = fatLines(points, { colour, width: 2.4 });
    const tip = segments([0, 0, 0, 0, 0, 0], { colour, width: 2.4 });
    // On the same spot, the path behind the body hides the one ahead.
    whole.renderOrder = 1;
    trail.renderOrder = tip.renderOrder = 2;
    this.incline.add(whole, trail, tip, body.object);
    return { track, body, trail, tip, drop: this.animation.body === "particle" ? this.addDrop() : null };
  }

  private addDrop(): NonNullable<Actor["drop"]> {
    const line = segments([0, 0, 0, 0, 0, 0], { colour: ink().line, width: 1.2 });
    const shadow = new Mesh(
      new CircleGeometry(this.size, 32),
      new MeshBasicMaterial({ color: ink().line, transparent: true, opacity: 0.6, side: DoubleSide, depthWrite: false }),
    );
    this.incline.add(line, shadow);
    return { line, shadow };
  }

  private addGround(): void {
    const { centre, ground, spacing } = this.extent;
    const { x: mx, y: my } = centre;
    const plane = new Mesh(
      new PlaneGeometry(2 * ground.x, 2 * ground.y),
      new MeshBasicMaterial({
        color: isDark() ? "#20252c" : "#f4f3ef",
        side: DoubleSide,
        transparent: true,
        opacity: 0.9,
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 2,
        depthWrite: false,
      }),
    );
    plane.position.set(mx, my, 0);
    plane.renderOrder = -2;
    const ends: number[] = [];
    for (let k = 0; k <= Math.round((2 * ground.y) / spacing); k++) {
      const y = my - ground.y + k * spacing;
      ends.push(mx - ground.x, y, 0, mx + ground.x, y, 0);
    }
    for (let k = 0; k <= Math.round((2 * ground.x) / spacing); k++) {
      const x = mx - ground.x + k * spacing;
      ends.push(x, my - ground.y, 0, x, my + ground.y, 0);
    }
    const grid = segments(ends, { colour: isDark() ? "#363d47" : "#d9d7d0", width: 1 });
    grid.renderOrder = -1;
    this.incline.add(plane, grid);
    this.addSlopeArrow(mx, my);
  }

  /** An arrow beside the ground that points down the slope. */
  private addSlopeArrow(mx: number, my: number): void {
    const { x, y } = this.animation.slope;
    if (x === 0 && y === 0) return;
    const { ground, radius } = this.extent;
    const down = new Vector3(Math.sin(x), -Math.sin(y), 0).normalize();
    const length = 0.3 * radius;
    const start = new Vector3(mx - ground.x - 0.1 * radius, my - ground.y, 0);
    // Inside the length of the ground, whichever way it points.
    if (down.y < 0) start.y += length;
    this.incline.add(new ArrowHelper(down, start, length, ink().faint, 0.3 * length, 0.18 * length));
  }
}
