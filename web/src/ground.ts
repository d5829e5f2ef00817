import {
  ArrowHelper,
  BackSide,
  Color,
  DoubleSide,
  FrontSide,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Extent } from "./extent";
import { segments } from "./fatlines";
import { ink } from "./palette";
import type { Animation } from "./report";
import { isDark } from "./theme";

function colours(): { ground: string; grid: string } {
  return isDark() ? { ground: "#20252c", grid: "#39414c" } : { ground: "#f3f2ee", grid: "#d8d6cf" };
}

/** Colour and grid of the floor, which fade with the distance from the middle. */
function floorMaterial({ ground, centre, spacing }: Extent): ShaderMaterial {
  const { ground: floor, grid } = colours();
  return new ShaderMaterial({
    uniforms: {
      floor: { value: new Color(floor) },
      grid: { value: new Color(grid) },
      spacing: { value: spacing },
      // The grid goes through the origin of space.
      middle: { value: new Vector2(centre.x, centre.y) },
      reach: { value: new Vector2(ground.x, ground.y) },
    },
    vertexShader: `
      varying vec2 place;
      void main() {
        place = position.xy;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 floor;
      uniform vec3 grid;
      uniform float spacing;
      uniform vec2 middle;
      uniform vec2 reach;
      varying vec2 place;
      void main() {
        vec2 cell = (place + middle) / spacing;
        vec2 pixel = fwidth(cell);
        vec2 away = abs(fract(cell - 0.5) - 0.5);
        vec2 drawn = (1.0 - smoothstep(0.25 * pixel, 1.1 * pixel, away)) * (1.0 - smoothstep(0.15, 0.45, pixel));
        float faded = 1.0 - smoothstep(0.3, 1.0, length(place / reach));
        gl_FragColor = vec4(mix(floor, grid, max(drawn.x, drawn.y)), faded);
        #include <colorspace_fragment>
      }`,
    side: DoubleSide,
    transparent: true,
    depthWrite: false,
  });
}

function plane(extent: Extent): Object3D[] {
  const { centre, ground } = extent;
  const geometry = new PlaneGeometry(2 * ground.x, 2 * ground.y);
  const floor = new Mesh(geometry, floorMaterial(extent));
  const shade = new Mesh(geometry, new ShadowMaterial({ opacity: isDark() ? 0.55 : 0.28, depthWrite: false }));
  shade.receiveShadow = true;
  floor.renderOrder = -2;
  shade.renderOrder = -1;
  for (const each of [floor, shade]) each.position.copy(centre);
  return [floor, shade];
}

/** A sphere that bodies roll on, or the lower half of one that they roll in, with circles of latitude and longitude. */
function curved({ kind, radius, centre }: Animation["ground"]): Object3D[] {
  const isBowl = kind === "bowl";
  const geometry = new SphereGeometry(radius, 96, 64, 0, 2 * Math.PI, isBowl ? Math.PI / 2 : 0, isBowl ? Math.PI / 2 : Math.PI);
  geometry.rotateX(Math.PI / 2);
  const surface = new Mesh(
    geometry,
    new MeshStandardMaterial({
      color: colours().ground,
      roughness: 0.9,
      side: isBowl ? BackSide : FrontSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    }),
  );
  surface.receiveShadow = true;
  const ends: number[] = [];
  const point = (latitude: number, longitude: number) => [
    radius * Math.cos(latitude) * Math.cos(longitude),
    radius * Math.cos(latitude) * Math.sin(longitude),
    radius * Math.sin(latitude),
  ];
  const step = Math.PI / 48;
  for (let k = -5; k <= (isBowl ? 0 : 5); k++) {
    const latitude = (k * Math.PI) / 12;
    for (let a = 0; a < 2 * Math.PI - 1e-9; a += step) ends.push(...point(latitude, a), ...point(latitude, a + step));
  }
  for (let k = 0; k < 24; k++) {
    const longitude = (k * Math.PI) / 12;
    const top = isBowl ? 0 : Math.PI / 2;
    for (let a = -Math.PI / 2; a < top - 1e-9; a += step) ends.push(...point(a, longitude), ...point(a + step, longitude));
  }
  const grid = segments(ends, { colour: colours().grid, width: 1 });
  for (const object of [surface, grid]) object.position.set(centre[0] ?? 0, centre[1] ?? 0, centre[2] ?? 0);
  return [surface, grid];
}

/** An arrow beside the ground that points down the slope. */
function slopeArrow({ x, y }: Animation["ground"]["slope"], { centre, sides, radius }: Extent): Object3D[] {
  if (x === 0 && y === 0) return [];
  const down = new Vector3(Math.sin(x), -Math.sin(y), 0).normalize();
  const length = 0.3 * radius;
  const start = new Vector3(centre.x - sides.x - 0.15 * radius, centre.y - sides.y, 0);
  // Inside the length of the ground, whichever way it points.
  if (down.y < 0) start.y += length;
  return [new ArrowHelper(down, start, length, ink().faint, 0.3 * length, 0.18 * length)];
}

export function groundObjects(ground: Animation["ground"], extent: Extent): Object3D[] {
  if (ground.kind === "none") return [];
  if (ground.kind === "plane") return [...plane(extent), ...slopeArrow(ground.slope, extent)];
  return curved(ground);
}

/** A point that lies on the ground, lifted a little so that lines there are seen. */
export function lifted(point: Vector3, ground: Animation["ground"], lift: number): Vector3 {
  const centre = new Vector3(ground.centre[0], ground.centre[1], ground.centre[2]);
  if (ground.kind === "plane") {
    if (Math.abs(point.z - centre.z) < lift) point.z = centre.z + lift;
  } else if (ground.kind !== "none") {
    const away = point.clone().sub(centre);
    const distance = away.length();
    if (Math.abs(distance - ground.radius) < lift) point.addScaledVector(away, (ground.kind === "sphere" ? lift : -lift) / distance);
  }
  return point;
}
