import { BufferGeometry, CanvasTexture, LineBasicMaterial, LineSegments, Object3D, Points, PointsMaterial, Scene, Vector3 } from "three";
import type { Figure } from "./report";
import { h, parseSvg } from "./dom";
import type { Drawing, Readout } from "./drawing";
import { fatLines } from "./fatlines";
import { Orbit, orbitHint } from "./orbit";
import { ink, markPath, markRadius, seriesColour } from "./palette";
import { canRender, paint, pixels } from "./render";
import { SpaceBox } from "./spacebox";
import { spaceSvg } from "./spacesvg";
import { inline } from "./text";
import { onThemeChange } from "./theme";
import { number } from "./ticks";

/** The mark of a series as a picture, white so that its colour is that of the material. */
function markTexture(index: number): CanvasTexture {
  const canvas = h("canvas", { width: "64", height: "64" });
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = "#ffffff";
    context.fill(new Path2D(markPath(index, 25, 32, 32)));
  }
  return new CanvasTexture(canvas);
}

/** Figures of the kind "space". */
export class SpaceDrawing implements Drawing {
  readonly element = h("div", { class: "space" });
  readonly switches: HTMLElement[] = [];
  private readonly canvas = h("canvas", { class: "space-canvas" });
  private readonly labels = h("div", { class: "space-labels", "aria-hidden": "true" });
  private readonly picture = h("div", { class: "space-picture" });
  private readonly box: SpaceBox;
  private readonly points: (Vector3 | null)[][];
  private readonly orbit: Orbit;
  private readonly visible: boolean[];
  private scene: Scene | null = null;
  private curves: Object3D[] = [];
  private walls: LineSegments | null = null;
  private wallsKey = "";
  private pending = false;

  constructor(
    private readonly figure: Figure,
    private readonly onReadout: (readout: Readout | null) => void,
  ) {
    this.box = new SpaceBox(figure);
    this.points = figure.series.map((series) => this.box.points(series));
    this.visible = figure.series.map(() => true);
    this.orbit = new Orbit({ azimuth: -0.9, elevation: 0.42, distance: 5.8, target: new Vector3(0, 0, -0.08) }, () => this.request());
    const surface = h("div", { class: "space-surface", "aria-label": orbitHint("Curves in space") });
    if (canRender()) surface.append(this.canvas, this.labels);
    else surface.append(this.picture);
    this.orbit.attach(surface);
    surface.addEventListener("pointermove", (event) => this.pick(event, surface));
    surface.addEventListener("pointerleave", () => this.onReadout(null));
    this.element.append(surface);
    if (!canRender()) {
      this.element.append(h("p", { class: "notice" }, "WebGL is not available; this is a simpler drawing of the figure."));
    }
    onThemeChange(() => {
      if (this.scene) this.build();
    });
  }

  resize(): void {
    if (this.scene || !canRender()) this.draw();
    else this.build();
  }

  setVisible(series: number, visible: boolean): void {
    this.visible[series] = visible;
    const curve = this.curves[series];
    if (curve) curve.visible = visible;
    this.request();
  }

  reset(): void {
    this.orbit.reset();
  }

  svg(): string {
    return spaceSvg(this.figure, this.box, this.points, this.orbit, this.visible);
  }

  private build(): void {
    const scene = new Scene();
    this.curves = this.figure.series.map((series, i) => {
      const curve = new Object3D();
      const colour = seriesColour(i);
      const points = this.points[i] ?? [];
      if (series.style !== "points") {
        curve.add(fatLines(points, { colour, width: 1.8, dashed: series.dashed ?? false }));
      }
      if (series.style !== "line") {
        const geometry = new BufferGeometry().setFromPoints(points.filter((p): p is Vector3 => p !== null));
        const size = pixels(2.6 * markRadius(points.length));
        const material = new PointsMaterial({ color: colour, size, sizeAttenuation: false, map: markTexture(i), alphaTest: 0.5 });
        curve.add(new Points(geometry, material));
      }
      curve.visible = this.visible[i] ?? true;
      scene.add(curve);
      return curve;
    });
    this.scene = scene;
    this.walls = null;
    this.wallsKey = "";
    this.draw();
  }

  /** Draws once before the next frame, however often it is asked to. */
  private request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!canRender()) {
      this.picture.replaceChildren(parseSvg(this.svg()));
      return;
    }
    if (!this.scene) return;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.orbit.place(width / Math.max(height, 1));
    const far = this.box.farCorner(this.orbit.camera.position);
    if (this.wallsKey !== far.join()) {
      this.wallsKey = far.join();
      if (this.walls) this.scene.remove(this.walls);
      this.walls = new LineSegments(
        new BufferGeometry().setFromPoints(this.box.grid(far)),
        new LineBasicMaterial({ color: ink().grid }),
      );
      this.walls.renderOrder = -1;
      this.scene.add(this.walls);
    }
    paint(this.scene, this.orbit.camera, this.canvas);
    this.placeLabels(far, width, height);
  }

  private placeLabels(far: [number, number, number], width: number, height: number): void {
    const project = (point: Vector3) => point.clone().project(this.orbit.camera);
    const labels = this.box.labels(far, project);
    labels.forEach((label, i) => {
      let element = this.labels.children[i] as HTMLElement | undefined;
      if (!element) {
        element = h("span", { class: `space-label space-label-${label.kind}` }, inline(label.text));
        this.labels.append(element);
      }
      const at = project(label.at);
      const x = ((at.x + 1) / 2) * width;
      const y = ((1 - at.y) / 2) * height;
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }

  /** Reports, of each series, the point nearest to the mouse if one is near. */
  private pick(event: PointerEvent, surface: HTMLElement): void {
    if (event.buttons !== 0) return;
    const bounds = surface.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    this.orbit.place(bounds.width / Math.max(bounds.height, 1));
    const at = new Vector3();
    let shortest = 30 ** 2;
    let found: { series: number; index: number } | null = null;
    this.points.forEach((points, series) => {
      if (!this.visible[series]) return;
      points.forEach((point, index) => {
        if (!point) return;
        at.copy(point).project(this.orbit.camera);
        const dx = ((at.x + 1) / 2) * bounds.width - x;
        const dy = ((1 - at.y) / 2) * bounds.height - y;
        const distance = dx * dx + dy * dy;
        if (distance < shortest) {
          shortest = distance;
          found = { series, index };
        }
      });
    });
    this.onReadout(this.readout(found));
  }

  private readout(found: { series: number; index: number } | null): Readout | null {
    if (!found) return null;
    const { series, index } = found;
    const { x, y, z = [] } = this.figure.series[series] ?? { x: [], y: [] };
    const values = this.figure.series.map((_, i) =>
      i === series ? `(${[x[index], y[index], z[index]].map((v) => number(v ?? NaN, 4)).join(", ")})` : null,
    );
    const names = [this.figure.x, this.figure.y, this.figure.z].map((axis) => axis?.label ?? "").join(", ");
    return { heading: `(${names}) at the nearest point`, values };
  }
}
