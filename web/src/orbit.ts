import { Box3, PerspectiveCamera, Vector3 } from "three";

export interface Position {
  azimuth: number;
  elevation: number;
  distance: number;
  target: Vector3;
  /** The narrowest view, width to height, that shows everything from there. */
  aspect?: number;
}

/** A camera that circles a point; several elements can steer the same one. */
export class Orbit {
  readonly camera = new PerspectiveCamera(28, 1, 0.01, 1000);
  private now: Position;

  constructor(
    private readonly home: Position,
    private readonly onChange: () => void,
    aspect = 1,
  ) {
    this.camera.up.set(0, 0, 1);
    this.now = { ...home, target: home.target.clone() };
    this.place(aspect);
  }

  /** Puts the camera in place for a view of a given width to height. */
  place(aspect: number): void {
    const { azimuth, elevation, target } = this.now;
    // A narrow view needs more distance to show the same width.
    const distance = this.now.distance * Math.max(1, (this.home.aspect ?? 1.15) / aspect);
    this.camera.position.set(
      target.x + distance * Math.cos(elevation) * Math.cos(azimuth),
      target.y + distance * Math.cos(elevation) * Math.sin(azimuth),
      target.z + distance * Math.sin(elevation),
    );
    this.camera.near = distance / 100;
    this.camera.far = distance * 20;
    this.camera.aspect = aspect;
    this.camera.lookAt(target);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  lookAt(target: Vector3): void {
    this.now.target.copy(target);
  }

  reset(): void {
    this.now = { ...this.home, target: this.home.target.clone() };
    this.onChange();
  }

  zoom(factor: number): void {
    this.now.distance = Math.min(Math.max(this.now.distance * factor, this.home.distance / 20), this.home.distance * 5);
    this.onChange();
  }

  private turn(azimuth: number, elevation: number): void {
    this.now.azimuth += azimuth;
    this.now.elevation = Math.min(Math.max(this.now.elevation + elevation, -1.5), 1.5);
    this.onChange();
  }

  /** Lets mouse, fingers and keys on an element move the camera. */
  attach(element: HTMLElement): void {
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    const fingers = new Map<number, { x: number; y: number }>();
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    const release = (event: PointerEvent) => fingers.delete(event.pointerId);
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    element.addEventListener("pointermove", (event) => {
      const last = fingers.get(event.pointerId);
      if (!last) return;
      const next = { x: event.clientX, y: event.clientY };
      if (fingers.size === 1) this.turn(-0.008 * (next.x - last.x), 0.008 * (next.y - last.y));
      else {
        const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1] ?? last;
        const gap = (finger: { x: number; y: number }) => Math.hypot(finger.x - other.x, finger.y - other.y);
        this.zoom(Math.max(gap(last), 1) / Math.max(gap(next), 1));
      }
      fingers.set(event.pointerId, next);
    });
    element.addEventListener(
      "wheel",
      (event) => {
        // The wheel scrolls the page, except over a view that was clicked or is enlarged.
        if (document.activeElement !== element && !event.ctrlKey && !element.closest("dialog")) return;
        event.preventDefault();
        this.zoom(Math.exp(0.0015 * event.deltaY));
      },
      { passive: false },
    );
    element.addEventListener("dblclick", () => this.reset());
    element.addEventListener("keydown", (event) => {
      const actions: Record<string, () => void> = {
        ArrowLeft: () => this.turn(0.1, 0),
        ArrowRight: () => this.turn(-0.1, 0),
        ArrowUp: () => this.turn(0, 0.1),
        ArrowDown: () => this.turn(0, -0.1),
        "+": () => this.zoom(0.85),
        "=": () => this.zoom(0.85),
        "-": () => this.zoom(1.18),
        "0": () => this.reset(),
      };
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
  }
}

/** The position in a direction from which a camera sees points as large as possible, in a view half again as wide as high. */
export function overview(points: readonly Vector3[], azimuth: number, elevation: number): Position {
  const target = new Box3().setFromPoints([...points]).getCenter(new Vector3());
  const size = Math.max(...points.map((point) => point.distanceTo(target)));
  let distance = 4 * size;
  let narrowest = 1.5;
  // Perspective enlarges what is near, so the middle of the picture is not that of the points: each round corrects both.
  for (let round = 0; round < 8; round++) {
    const { camera } = new Orbit({ azimuth, elevation, distance, target }, () => undefined, 1.5);
    const seen = points.map((point) => point.clone().project(camera));
    const top = Math.max(...seen.map((point) => point.y));
    const bottom = Math.min(...seen.map((point) => point.y));
    const right = Math.max(...seen.map((point) => point.x));
    const left = Math.min(...seen.map((point) => point.x));
    const half = distance * Math.tan((camera.fov * Math.PI) / 360);
    const [across, up] = [0, 1].map((k) => new Vector3().setFromMatrixColumn(camera.matrixWorld, k));
    if (up) target.addScaledVector(up, (half * (top + bottom)) / 2);
    if (across) target.addScaledVector(across, (1.5 * half * (left + right)) / 2);
    const reach = Math.max((top - bottom) / 2, (right - left) / 2);
    narrowest = (1.5 * (right - left)) / 2 / reach;
    distance *= 0.5 + 0.5 * (reach / 0.86);
  }
  return { azimuth, elevation, distance, target, aspect: narrowest };
}

export function orbitHint(what: string): string {
  return `${what}. Arrow keys turn the view, plus and minus zoom, 0 resets.`;
}
