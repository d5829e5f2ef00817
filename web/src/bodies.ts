import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  DoubleSide,
  ExtrudeGeometry,
  LatheGeometry,
  Object3D,
  Shape,
  SphereGeometry,
  TorusGeometry,
  Vector2,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { between, meshOf, type Paint, type Surface } from "./materials";
import type { BodyDescription } from "./report";

type Sizes = (name: string) => number[];

function at<T extends Object3D>(object: T, x: number, y: number, z: number): T {
  object.position.set(x, y, z);
  return object;
}

/** Turned about z from points (radius, height), with edges that are a little round. */
function turned(profile: readonly (readonly [number, number])[], segments = 96): BufferGeometry {
  const geometry = new LatheGeometry(profile.map(([r, z]) => new Vector2(r, z)), segments);
  geometry.rotateX(Math.PI / 2);
  return geometry;
}

/** A cylinder about z with its centre at the origin, with bevelled edges. */
function drum(radius: number, length: number): BufferGeometry {
  const e = Math.min(0.12 * length, 0.06 * radius);
  const h = length / 2;
  const profile: [number, number][] = [[0, -h]];
  for (let k = 0; k <= 4; k++) {
    const angle = (k * Math.PI) / 8;
    profile.push([radius - e + e * Math.sin(angle), -h + e - e * Math.cos(angle)]);
  }
  for (let k = 0; k <= 4; k++) {
    const angle = (k * Math.PI) / 8;
    profile.push([radius - e + e * Math.cos(angle), h - e + e * Math.sin(angle)]);
  }
  profile.push([0, h]);
  // A lathe smooths over its corners; flat ends need points beside them.
  profile.splice(1, 0, [radius - 1.02 * e, -h]);
  profile.splice(profile.length - 1, 0, [radius - 1.02 * e, h]);
  return turned(profile);
}

/** Makes what is built about z stand about another axis. */
function about(axis: BodyDescription["axis"], object: Object3D): Object3D {
  const group = new Object3D();
  if (axis === "y") object.rotation.x = -Math.PI / 2;
  if (axis === "x") object.rotation.y = Math.PI / 2;
  group.add(object);
  return group;
}

function group(...objects: Object3D[]): Object3D {
  return new Object3D().add(...objects);
}

/** A round thing with a mark on each side, so that its turning is seen; about z. */
function disk(radius: number, thickness: number, paint: Paint, surface: Surface): Object3D {
  const face = meshOf(drum(radius, thickness), paint.body, paint, { ...surface, roughness: 0.4 });
  if (surface.marks !== "none") return face;
  const inlay = between(paint.body, "#ffffff", 0.82);
  const height = 1.04 * thickness;
  const ring = meshOf(new TorusGeometry(0.82 * radius, 0.025 * radius, 12, 96), inlay, paint);
  ring.scale.z = height / (0.05 * radius);
  const bar = meshOf(new BoxGeometry(1.58 * radius, 0.055 * radius, height), inlay, paint);
  const dot = at(meshOf(drum(0.15 * radius, 1.02 * height), paint.accent, paint), 0.5 * radius, 0, 0);
  return group(face, ring, bar, dot);
}

/** A tyre, a rim, spokes and a hub; one spoke is of another colour. */
function wheel(radius: number, thickness: number, paint: Paint): Object3D {
  const tube = thickness / 2;
  const rubber = between(paint.accent, "#3a3f46", 0.55);
  const tyre = meshOf(new TorusGeometry(radius - tube, tube, 24, 96), rubber, paint, { roughness: 0.85 });
  const rim = meshOf(new TorusGeometry(radius - 2 * tube, 0.45 * tube, 16, 96), paint.body, paint, { roughness: 0.35 });
  const hub = meshOf(drum(0.14 * radius, 1.1 * thickness), paint.body, paint, { roughness: 0.35 });
  const count = 6;
  const spokes = Array.from({ length: count }, (_, k) => {
    const length = radius - 2 * tube;
    const geometry = new CylinderGeometry(0.035 * radius, 0.035 * radius, length, 12).translate(0, length / 2, 0);
    const spoke = meshOf(geometry, k === 0 ? paint.accent : paint.body, paint);
    spoke.rotation.z = (2 * Math.PI * k) / count;
    return spoke;
  });
  return group(tyre, rim, hub, ...spokes);
}

function outlined(points: readonly number[]): Shape {
  const shape = new Shape();
  for (let k = 0; k + 1 < points.length; k += 2) {
    if (k === 0) shape.moveTo(points[k] ?? 0, points[k + 1] ?? 0);
    else shape.lineTo(points[k] ?? 0, points[k + 1] ?? 0);
  }
  shape.closePath();
  return shape;
}

function prism(outline: readonly number[], height: number): BufferGeometry {
  const bevel = 0.18 * height;
  const geometry = new ExtrudeGeometry(outlined(outline), {
    depth: height - 2 * bevel,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: 3,
  });
  return geometry.translate(0, 0, bevel);
}

/** Stands on its edge. */
function blade(size: number, paint: Paint): Object3D {
  const outline = new Shape();
  outline.moveTo(-size, 0.55 * size);
  outline.lineTo(-size, 0.18 * size);
  outline.quadraticCurveTo(-0.9 * size, 0, -0.5 * size, 0);
  outline.lineTo(0.5 * size, 0);
  outline.quadraticCurveTo(0.95 * size, 0, 1.15 * size, 0.55 * size);
  outline.closePath();
  const thickness = 0.05 * size;
  const geometry = new ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false });
  geometry.rotateX(Math.PI / 2).translate(0, thickness / 2, 0);
  const edge = meshOf(geometry, paint.body, paint, { roughness: 0.3, metalness: 0.3 });
  const grip = at(meshOf(new RoundedBoxGeometry(1.5 * size, 0.16 * size, 0.1 * size, 3, 0.04 * size), paint.accent, paint), 0, 0, 0.6 * size);
  return group(edge, grip);
}

/** A plate with its knife at the origin and its centre of mass, a ball, at the distance of its length. */
function sleigh(size: number, paint: Paint): Object3D {
  const height = 0.34 * size;
  const deck = [-0.4, 0.16, -0.4, -0.16, 1.5, -0.75, 1.5, 0.75].map((number) => number * size);
  const plate = at(meshOf(prism(deck, 0.09 * size), paint.body, paint), 0, 0, height);
  const knife = at(meshOf(new BoxGeometry(0.7 * size, 0.04 * size, height), paint.accent, paint), 0, 0, height / 2);
  const centre = at(meshOf(new SphereGeometry(0.13 * size, 32, 16), paint.accent, paint), size, 0, height + 0.12 * size);
  const feet = [-1, 1].map((side) =>
    at(meshOf(new SphereGeometry(height / 2, 32, 16), paint.accent, paint), 1.35 * size, 0.58 * side * size, height / 2),
  );
  return group(plate, knife, centre, ...feet);
}

function ellipsoid(radii: readonly number[], paint: Paint, surface: Surface): Object3D {
  const [x = 1, y = 1, z = 1] = radii;
  const mesh = meshOf(new SphereGeometry(1, 96, 48), paint.body, paint, { ...surface, stretch: [x, y, z], roughness: 0.38 });
  mesh.scale.set(x, y, z);
  // So that traces on it are not stretched with it.
  return group(mesh);
}

function pairs(numbers: readonly number[]): [number, number][] {
  return Array.from({ length: numbers.length >> 1 }, (_, k) => [numbers[2 * k] ?? 0, numbers[2 * k + 1] ?? 0]);
}

function shaped({ shape, axis, marks }: BodyDescription, sizes: Sizes, paint: Paint): Object3D {
  const one = (name: string) => sizes(name)[0] ?? 1;
  const surface: Surface = { marks };
  switch (shape) {
    case "ball": {
      const radius = one("radius");
      return ellipsoid([radius, radius, radius], paint, surface);
    }
    case "ellipsoid":
      return ellipsoid(sizes("radii"), paint, surface);
    case "disk":
      return about(axis, disk(one("radius"), one("thickness"), paint, surface));
    case "wheel":
      return about(axis, wheel(one("radius"), one("thickness"), paint));
    case "torus":
      return about(axis, meshOf(new TorusGeometry(one("radius"), one("tube"), 32, 128), paint.body, paint, { ...surface, size: one("radius") }));
    case "box": {
      const [x = 1, y = 1, z = 1] = sizes("size");
      return meshOf(new RoundedBoxGeometry(x, y, z, 4, 0.12 * Math.min(x, y, z)), paint.body, paint, { ...surface, size: Math.max(x, y, z) / 2 });
    }
    case "cylinder":
      return about(axis, meshOf(drum(one("radius"), one("length")), paint.body, paint, { ...surface, size: one("radius") }));
    case "cone": {
      const [radius, length] = [one("radius"), one("length")];
      const profile: [number, number][] = [[0, 0], [0.985 * radius, 0.985 * length], [radius, length], [0.97 * radius, 1.01 * length], [0, 1.01 * length]];
      return about(axis, meshOf(turned(profile), paint.body, paint, { ...surface, size: radius }));
    }
    case "rod":
      return meshOf(new CylinderGeometry(one("radius"), one("radius"), 1, 32).rotateX(Math.PI / 2).translate(0, 0, 0.5), paint.body, paint);
    case "prism":
      return meshOf(prism(sizes("outline"), one("height")), paint.body, paint, surface);
    case "revolution": {
      const profile = pairs(sizes("profile"));
      const size = Math.max(...profile.map(([r]) => r));
      return about(axis, meshOf(turned(profile), paint.body, paint, { ...surface, size, side: DoubleSide }));
    }
    case "blade":
      return blade(one("length"), paint);
    case "sleigh":
      return sleigh(one("length"), paint);
  }
}

/** A ball without a size is given one. */
function sizesOf(body: BodyDescription, smallest: number): Sizes {
  return (name) => (body.sizes[name] ?? [1]).map((size) => (body.shape === "ball" && size === 0 ? smallest : size));
}

export function makeBody(body: BodyDescription, smallest: number, paint: Paint): Object3D {
  return shaped(body, sizesOf(body, smallest), paint);
}
