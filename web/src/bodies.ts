import {
  BoxGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Mesh,
  MeshLambertMaterial,
  Object3D,
  Shape,
  SphereGeometry,
} from "three";
import type { Animation } from "./report";
import type { Pose } from "./track";

/** A body with its contact point at the origin, x ahead, z up. */
export interface Body {
  object: Object3D;
  setPose(pose: Pose): void;
}

export interface BodyColours {
  body: string;
  accent: string;
}

function mesh(geometry: ConstructorParameters<typeof Mesh>[0], colour: string, opacity = 1): Mesh {
  return new Mesh(geometry, new MeshLambertMaterial({ color: colour, transparent: opacity < 1, opacity }));
}

function at<T extends Object3D>(object: T, x: number, y: number, z: number): T {
  object.position.set(x, y, z);
  return object;
}

/** A wheel about the y axis with a spoke and a mark, so that its rolling is seen. */
function wheel(radius: number, thickness: number, colours: BodyColours): Object3D {
  const group = new Object3D();
  group.add(mesh(new CylinderGeometry(radius, radius, thickness, 64), colours.body));
  const spoke = mesh(new BoxGeometry(1.9 * radius, 1.12 * thickness, 0.05 * radius), colours.accent);
  const second = mesh(new BoxGeometry(0.05 * radius, 1.12 * thickness, 1.9 * radius), colours.accent);
  const dot = at(mesh(new CylinderGeometry(0.16 * radius, 0.16 * radius, 1.3 * thickness, 24), colours.accent), 0.72 * radius, 0, 0);
  group.add(spoke, second, dot);
  return group;
}

function particle(size: number, colours: BodyColours): Body {
  const object = new Object3D();
  object.add(mesh(new SphereGeometry(size, 32, 16), colours.body));
  return { object, setPose: (pose) => object.position.set(pose.x, pose.y, pose.z) };
}

/** Stands on the ground and turns as a whole. */
function standing(object: Object3D): Body {
  return {
    object,
    setPose(pose) {
      object.position.set(pose.x, pose.y, 0);
      object.rotation.z = pose.heading;
    },
  };
}

function blade(size: number, colours: BodyColours): Body {
  const outline = new Shape();
  outline.moveTo(-size, 0.55 * size);
  outline.lineTo(-size, 0.18 * size);
  outline.quadraticCurveTo(-0.9 * size, 0, -0.5 * size, 0);
  outline.lineTo(0.5 * size, 0);
  outline.quadraticCurveTo(0.95 * size, 0, 1.15 * size, 0.55 * size);
  outline.closePath();
  const thickness = 0.05 * size;
  const edge = mesh(new ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false }), colours.body);
  edge.rotation.x = Math.PI / 2;
  edge.position.y = thickness / 2;
  const grip = at(mesh(new BoxGeometry(1.5 * size, 0.16 * size, 0.1 * size), colours.accent), 0, 0, 0.6 * size);
  const object = new Object3D();
  object.add(edge, grip);
  return standing(object);
}

function sleigh(size: number, colours: BodyColours): Body {
  const deck = new Shape();
  deck.moveTo(-0.4 * size, 0.14 * size);
  deck.lineTo(-0.4 * size, -0.14 * size);
  deck.lineTo(1.5 * size, -0.75 * size);
  deck.lineTo(1.5 * size, 0.75 * size);
  deck.closePath();
  const height = 0.34 * size;
  const object = new Object3D();
  const plate = at(mesh(new ExtrudeGeometry(deck, { depth: 0.07 * size, bevelEnabled: false }), colours.body), 0, 0, height);
  const knife = at(mesh(new BoxGeometry(0.7 * size, 0.04 * size, height), colours.accent), 0, 0, height / 2);
  const centre = at(mesh(new SphereGeometry(0.13 * size, 24, 12), colours.accent), size, 0, height + 0.1 * size);
  object.add(plate, knife, centre);
  for (const side of [-1, 1]) {
    object.add(at(mesh(new SphereGeometry(height / 2, 24, 12), colours.accent), 1.35 * size, 0.58 * side * size, height / 2));
  }
  return standing(object);
}

function disk(size: number, colours: BodyColours): Body {
  const object = new Object3D();
  const rolling = at(wheel(size, 0.1 * size, colours), 0, 0, size);
  object.add(rolling);
  return {
    object,
    setPose(pose) {
      object.position.set(pose.x, pose.y, 0);
      object.rotation.z = pose.heading;
      rolling.rotation.y = pose.roll;
    },
  };
}

/** Its wheels are steered together while the platform keeps its orientation; the arrow on top shows where they point. */
function robot(size: number, colours: BodyColours): Body {
  const object = new Object3D();
  const radius = 0.32 * size;
  const platform = at(mesh(new CylinderGeometry(size, size, 0.1 * size, 64), colours.body, 0.85), 0, 0, 2.1 * radius);
  platform.rotation.x = Math.PI / 2;
  object.add(platform);
  const wheels = [0, 1, 2].map((k) => {
    const angle = Math.PI / 2 + (2 * Math.PI * k) / 3;
    const steered = at(new Object3D(), 0.72 * size * Math.cos(angle), 0.72 * size * Math.sin(angle), radius);
    const rolling = wheel(radius, 0.16 * size, colours);
    steered.add(rolling);
    object.add(steered);
    return { steered, rolling };
  });
  const arrow = new Shape();
  arrow.moveTo(0.75 * size, 0);
  arrow.lineTo(-0.35 * size, 0.3 * size);
  arrow.lineTo(-0.15 * size, 0);
  arrow.lineTo(-0.35 * size, -0.3 * size);
  arrow.closePath();
  const pointer = at(mesh(new ExtrudeGeometry(arrow, { depth: 0.05 * size, bevelEnabled: false }), colours.accent), 0, 0, 2.1 * radius + 0.05 * size);
  object.add(pointer);
  return {
    object,
    setPose(pose) {
      object.position.set(pose.x, pose.y, 0);
      pointer.rotation.z = pose.heading;
      for (const { steered, rolling } of wheels) {
        steered.rotation.z = pose.heading;
        rolling.rotation.y = pose.roll;
      }
    },
  };
}

const makers: Record<Animation["body"], (size: number, colours: BodyColours) => Body> = {
  particle,
  blade,
  sleigh,
  disk,
  robot,
};

export function makeBody(kind: Animation["body"], size: number, colours: BodyColours): Body {
  return makers[kind](size, colours);
}
