import { Color, DirectionalLight, Group, HemisphereLight, type Object3D, Scene, Vector3 } from "three";
import type { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { makeBody } from "./bodies";
import { anchorColumns, type Extent, inclination } from "./extent";
import { fatLines, segments } from "./fatlines";
import { groundObjects, lifted } from "./ground";
import type { Paint } from "./materials";
import { bodyColour, ink, seriesColour } from "./palette";
import type { Animation, Columns, Track } from "./report";
import { isDark } from "./theme";
import { type Frame, frameAt, isPoint, pointAt, pointOf, rotationAt } from "./track";

/** A line that a point leaves behind. */
interface Trail {
  columns: Columns;
  place: (point: Vector3) => Vector3;
  line: LineSegments2;
  /** From the last sample to where the point is. */
  tip: LineSegments2;
}

interface Actor {
  track: Track;
  /** All bodies, larger than they are about the anchor. */
  group: Group;
  bodies: Object3D[];
  trails: Trail[];
  /** From a ball in the air to the ground. */
  drop: LineSegments2 | null;
}

const upwards = new Vector3(0, 0, 1);

/** A scene with the ground and the bodies of some tracks. */
export class Stage {
  readonly scene = new Scene();
  /** Everything that is tilted with the ground. */
  private readonly incline = new Group();
  private readonly sun = new DirectionalLight(0xffffff, 2.3);
  private readonly actors: Actor[];

  constructor(
    private readonly animation: Animation,
    private readonly extent: Extent,
    tracks: readonly { track: Track; index: number }[],
  ) {
    this.incline.rotation.copy(inclination(animation));
    const sky = isDark() ? new HemisphereLight(0xdfe9ff, 0x30353d, 1.1) : new HemisphereLight(0xffffff, 0xb9b2a6, 1.9);
    sky.position.set(0, 0, 1);
    const fill = new DirectionalLight(0xffffff, 0.5);
    fill.position.set(3, -1, 1);
    if (isDark()) this.sun.intensity = 1.8;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.02 * extent.reach;
    this.scene.add(this.incline, sky, fill, this.sun, this.sun.target);
    this.incline.add(...groundObjects(animation.ground, extent));
    this.actors = tracks.map(({ track, index }, k) => this.addActor(track, index, k, tracks.length));
  }

  setTime(time: number): void {
    const seen: Vector3[] = [];
    for (const { track, group, bodies, trails, drop } of this.actors) {
      const frame = frameAt(track, time);
      const anchor = pointAt(anchorColumns(track), frame);
      seen.push(anchor);
      group.position.copy(anchor).multiplyScalar(1 - this.extent.enlargement);
      bodies.forEach((body, k) => this.pose(body, track.bodies[k], frame));
      for (const trail of trails) drawTrail(trail, frame);
      drop?.geometry.setPositions([anchor.x, anchor.y, this.extent.centre.z, ...anchor.toArray()]);
    }
    this.shine(seen);
  }

  /** Where the first body is, in the scene. */
  position(time: number): Vector3 {
    const first = this.actors[0];
    const point = first ? pointAt(anchorColumns(first.track), frameAt(first.track, time)) : this.extent.centre.clone();
    return this.incline.localToWorld(point);
  }

  /** The frames of the bodies as they were drawn last: four by four matrices, column by column, of each track. */
  poses(): number[][][] {
    return this.actors.map(({ bodies }) => bodies.map((body) => body.matrixWorld.toArray()));
  }

  private pose(object: Object3D, body: Track["bodies"][number] | undefined, frame: Frame): void {
    if (!body) return;
    object.position.copy(pointAt(body.position, frame));
    if (!body.end) {
      object.quaternion.copy(rotationAt(body.rotation, frame));
      return;
    }
    const along = pointAt(body.end, frame).sub(object.position);
    const length = along.length();
    object.quaternion.setFromUnitVectors(upwards, length > 0 ? along.divideScalar(length) : upwards);
    object.scale.set(1, 1, Math.max(length, 1e-9));
  }

  /** The sun's shadows have a resolution: they are cast where bodies are. */
  private shine(places: readonly Vector3[]): void {
    const middle = places.reduce((sum, place) => sum.addScaledVector(place, 1 / places.length), new Vector3());
    const spread = Math.max(0, ...places.map((place) => place.distanceTo(middle)));
    const size = Math.min(spread + 2.2 * this.extent.reach, 2 * this.extent.radius + this.extent.reach);
    const target = this.incline.localToWorld(middle.clone());
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -size, right: size, top: size, bottom: -size, near: 0.5 * size, far: 7 * size });
    camera.updateProjectionMatrix();
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(new Vector3(-0.42, -0.5, 1).normalize(), 3.5 * size);
  }

  private addActor(track: Track, index: number, order: number, count: number): Actor {
    const colour = seriesColour(index);
    const group = new Group();
    group.scale.setScalar(this.extent.enlargement);
    const bodies = this.animation.bodies.map((body) => {
      const paint: Paint = {
        // In a view of several tracks, colours tell these apart.
        body: (count === 1 && body.colour && bodyColour(body.colour)) || colour,
        accent: isDark() ? "#eceff3" : "#20242a",
        ghost: order,
      };
      return makeBody(body, this.extent.smallest, paint);
    });
    if (bodies.length > 0) group.add(...bodies);
    this.incline.add(group);
    const trails = this.animation.traces.flatMap(({ body }, k) => this.addTrails(track.traces[k], bodies[body ?? -1], colour));
    const only = this.animation.bodies[0];
    const flies = this.animation.bodies.length === 1 && only?.shape === "ball" && this.animation.ground.kind === "plane" && !track.bodies[0]?.rotation;
    const drop = flies ? segments([0, 0, 0, 0, 0, 0], { colour: ink().line, width: 1.2 }) : null;
    if (drop) this.incline.add(drop);
    return { track, group, bodies, trails, drop };
  }

  private addTrails(trace: Track["traces"][number] | undefined, body: Object3D | undefined, colour: string): Trail[] {
    if (!trace) return [];
    const lift = 0.004 * this.extent.radius;
    const onGround = (point: Vector3) => lifted(point, this.animation.ground, lift);
    const trails = [this.addTrail(trace.point, this.incline, colour, onGround)];
    if (trace.onBody && body) {
      const pen = isDark() ? "#ffd166" : "#ffb703";
      // Out of the surface, as seen from the middle of the body.
      trails.push(this.addTrail(trace.onBody, body, pen, (point) => point.multiplyScalar(1.012), false));
    }
    return trails;
  }

  private addTrail(columns: Columns, parent: Object3D, colour: string, place: Trail["place"], future = true): Trail {
    const count = Math.max(...columns.map((column) => column.length));
    const points = Array.from({ length: count }, (_, i) => {
      const point = pointOf(columns, i);
      return isPoint(point) ? place(point) : null;
    });
    const line = fatLines(points.map((point, i) => point ?? points[i - 1] ?? new Vector3()), { colour, width: 2 });
    const tip = segments([0, 0, 0, 0, 0, 0], { colour, width: 2 });
    if (future) {
      // Not a transparent line, whose segments would overlap in dots.
      const pale = new Color(colour).lerp(new Color(ink().paper), 0.62).getStyle();
      const whole = fatLines(points, { colour: pale, width: 1.2 });
      whole.renderOrder = 1;
      parent.add(whole);
    }
    // On the same spot, the path behind the body hides the one ahead.
    line.renderOrder = tip.renderOrder = 2;
    parent.add(line, tip);
    return { columns, place, line, tip };
  }
}

function drawTrail({ columns, place, line, tip }: Trail, frame: Frame): void {
  line.geometry.instanceCount = frame.index;
  line.visible = frame.index > 0;
  const from = place(pointAt(columns, { ...frame, low: frame.index, high: frame.index, share: 0 }));
  const to = place(pointAt(columns, frame));
  tip.geometry.setPositions([...from.toArray(), ...to.toArray()]);
}
