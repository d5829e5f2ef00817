import {
  type BufferGeometry,
  Color,
  FrontSide,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  type Object3D,
  type Side,
  Vector3,
} from "three";
import type { BodyDescription } from "./report";

/** How the meshes of a body are painted. */
export interface Paint {
  body: string;
  accent: string;
  /** 0: solid; the first ghost is 1. Where ghosts coincide with what comes before them, that is seen. */
  ghost: number;
}

// Patterns are functions of the place on the surface, in the frame of the body, so that they have no seams and no pixels.
const patterns: Record<BodyDescription["marks"], string> = {
  none: "",
  octants: `
    vec3 side = clamp(vMarked / max(fwidth(vMarked), vec3(1e-9)), -1.0, 1.0);  // on a plane across an axis nothing changes
    diffuseColor.rgb = mix(markColour, diffuseColor.rgb, 0.5 + 0.5 * side.x * side.y * side.z);`,
  rings: `
    vec3 away = smoothstep(vec3(0.0), 1.5 * fwidth(vMarked), abs(vMarked) - markWidth);
    diffuseColor.rgb = mix(markColour, diffuseColor.rgb, min(away.x, min(away.y, away.z)));`,
};

function mark(material: MeshStandardMaterial, marks: BodyDescription["marks"], colour: string, size: number, stretch: readonly [number, number, number]): void {
  if (marks === "none") return;
  // Lines are as wide in every direction, whatever the geometry is stretched by.
  const middle = Math.cbrt(stretch[0] * stretch[1] * stretch[2]);
  const widths = new Vector3(...stretch.map((by) => size * Math.min(0.025 * (middle / by), 0.08)));
  material.onBeforeCompile = (shader) => {
    shader.uniforms["markColour"] = { value: new Color(colour) };
    shader.uniforms["markWidth"] = { value: widths };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vMarked;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvMarked = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vMarked;\nuniform vec3 markColour;\nuniform vec3 markWidth;")
      .replace("#include <color_fragment>", `#include <color_fragment>\n${patterns[marks]}`);
  };
  material.customProgramCacheKey = () => marks;
}

export interface Surface {
  marks?: BodyDescription["marks"];
  /** By what the geometry is stretched. */
  stretch?: readonly [number, number, number];
  /** Of the geometry, for the width of what is painted on it. */
  size?: number;
  roughness?: number;
  metalness?: number;
  side?: Side;
}

/** A colour between two. */
export function between(a: string, b: string, share: number): string {
  return `#${new Color(a).lerp(new Color(b), share).getHexString()}`;
}

/** Whether a colour is nearer to white than to black. */
function isLight(colour: string): boolean {
  const { r, g, b } = new Color(colour);
  return 0.3 * r + 0.6 * g + 0.1 * b > 0.4;
}

export function meshOf(geometry: BufferGeometry, colour: string, paint: Paint, surface: Surface = {}): Object3D {
  const { marks = "none", size = 1, stretch = [1, 1, 1], roughness = 0.5, metalness = 0.02, side = FrontSide } = surface;
  const material = new MeshStandardMaterial({ color: colour, roughness, metalness, side });
  mark(material, marks, between(colour, isLight(colour) ? "#101820" : "#ffffff", marks === "octants" ? 0.78 : 0.72), size, stretch);
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = true;
  mesh.receiveShadow = paint.ghost === 0;
  if (paint.ghost === 0) return mesh;
  // A ghost is drawn behind what it coincides with, and only its front is: its depth comes first, then its colour.
  const depth = new Mesh(geometry, new MeshBasicMaterial({ colorWrite: false, side }));
  for (const each of [material, depth.material]) {
    each.polygonOffset = true;
    each.polygonOffsetFactor = 1.5 * paint.ghost;
    each.polygonOffsetUnits = 8 * paint.ghost;
  }
  material.transparent = true;
  material.opacity = 0.42;
  material.depthWrite = false;
  mesh.castShadow = false;
  depth.renderOrder = 10 * paint.ghost;
  // Among what is opaque there is no order with what is transparent.
  depth.material.transparent = true;
  mesh.renderOrder = 10 * paint.ghost + 1;
  mesh.add(depth);
  return mesh;
}
