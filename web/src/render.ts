import { type Camera, PCFShadowMap, type Scene, WebGLRenderer } from "three";

// One WebGL context draws all views of the page, as browsers allow only about sixteen; each view is a copy of its picture.
let shared: WebGLRenderer | null | undefined;

function create(): WebGLRenderer | null {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { alpha: true, antialias: true, premultipliedAlpha: true });
  if (!context) return null;
  const renderer = new WebGLRenderer({ canvas, context, alpha: true, antialias: true });
  renderer.setClearColor(0x000000, 0);
  renderer.setPixelRatio(1);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}

function renderer(): WebGLRenderer | null {
  if (shared === undefined) shared = create();
  return shared;
}

export function canRender(): boolean {
  return renderer() !== null;
}

/** Draws a scene into a 2D canvas, as large as it is on the page. */
export function paint(scene: Scene, camera: Camera, canvas: HTMLCanvasElement): void {
  const gl = renderer();
  const context = canvas.getContext("2d");
  if (!gl || !context) return;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const source = gl.domElement;
  if (source.width < width || source.height < height) {
    gl.setSize(Math.max(source.width, width), Math.max(source.height, height), false);
  }
  gl.setViewport(0, 0, width, height);
  gl.clear();
  gl.render(scene, camera);
  context.clearRect(0, 0, width, height);
  context.drawImage(source, 0, source.height - height, width, height, 0, 0, width, height);
}

/** Widths of lines and sizes of points are in pixels of the canvas. */
export function pixels(size: number): number {
  return size * Math.min(window.devicePixelRatio || 1, 2);
}
