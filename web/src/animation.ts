import type { Animation, Figure } from "./report";
import { h, setPressed } from "./dom";
import { type Extent, extentOf } from "./extent";
import { whenNear, whenWidthChanges } from "./lazy";
import { Orbit, orbitHint, overview } from "./orbit";
import { seriesColour } from "./palette";
import { plain } from "./plaintext";
import { PlaneDrawing } from "./plane";
import { printAs } from "./print";
import { canRender, paint } from "./render";
import { Stage } from "./stage";
import { inline } from "./text";
import { onThemeChange } from "./theme";
import { number } from "./ticks";
import { frameAt, pathOf, timeRange } from "./track";

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The speed at which a motion takes about fifteen seconds. */
function comfortableSpeed(duration: number): number {
  return speeds.reduce((best, speed) =>
    Math.abs(Math.log(duration / speed / 15)) < Math.abs(Math.log(duration / best / 15)) ? speed : best,
  );
}

function pathFigure(animation: Animation): Figure {
  return {
    id: `${animation.id}-path`,
    title: animation.title,
    kind: "path",
    x: { label: "$x$" },
    y: { label: "$y$" },
    series: animation.tracks.map((track) => {
      const { x, y } = pathOf(track);
      return { name: track.name, style: "line", x, y };
    }),
  };
}

function energyFigure(animation: Animation): Figure {
  return {
    id: `${animation.id}-energy`,
    title: `${animation.title}: energy`,
    kind: "line",
    x: { label: "time $t$" },
    y: { label: "energy" },
    series: animation.tracks.map(({ name, t, energy }) => ({ name, style: "line", x: t, y: energy })),
  };
}

/** One picture of the motion: of one track, or of all on the same ground. */
class View {
  readonly canvas = h("canvas");
  readonly element: HTMLElement;
  private stage: Stage;
  private readonly states: HTMLElement[];

  constructor(
    private readonly animation: Animation,
    private readonly extent: Extent,
    private readonly tracks: { track: Animation["tracks"][number]; index: number }[],
    orbit: Orbit,
  ) {
    const surface = h("div", { class: "view-surface", "aria-label": orbitHint("Moving body") }, this.canvas);
    orbit.attach(surface);
    this.states = tracks.map(() => h("span", { class: "view-state" }));
    const names = tracks.map(({ track, index }, i) => {
      const dot = h("span", { class: "dot" });
      const colour = () => (dot.style.background = seriesColour(index));
      colour();
      onThemeChange(colour);
      return h("span", { class: "view-name" }, dot, inline(track.name), this.states[i]);
    });
    this.element = h("div", { class: "view" }, h("div", { class: "view-names" }, ...names), surface);
    // For those who want to know how bodies are drawn, such as tests.
    Object.assign(this.element, { poses: () => this.stage.poses() });
    this.stage = this.build();
    onThemeChange(() => (this.stage = this.build()));
  }

  draw(time: number, orbit: Orbit, follow: boolean): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0) return;
    this.stage.setTime(time);
    if (follow) orbit.lookAt(this.stage.position(time));
    orbit.place(clientWidth / Math.max(clientHeight, 1));
    paint(this.stage.scene, orbit.camera, this.canvas);
    this.tracks.forEach(({ track }, i) => {
      const state = this.states[i];
      if (state) state.textContent = frameAt(track, time).ended ? "ended" : "";
    });
  }

  private build(): Stage {
    return new Stage(this.animation, this.extent, this.tracks);
  }
}

class Player {
  readonly element = h("div", { class: "player" });
  private readonly views = h("div", { class: "views" });
  private readonly extent: Extent;
  private readonly orbit: Orbit;
  private readonly range: [number, number];
  private readonly energy: PlaneDrawing | null;
  private readonly slider: HTMLInputElement;
  private readonly clock = h("output", { class: "clock" });
  private readonly playButton: HTMLButtonElement;
  private readonly sideBySide: View[];
  private overlay: View | null = null;
  private shown: View[];
  private follow = false;
  private speed: number;
  private time: number;
  private playing = false;
  /** To be seen again. */
  private waits = false;
  private lastFrame = 0;
  private pending = false;

  constructor(
    private readonly animation: Animation,
    /** It begins by itself and starts again at its end. */
    private readonly endless = false,
  ) {
    this.extent = extentOf(animation);
    this.range = timeRange(animation.tracks);
    this.time = this.range[0];
    this.speed = endless ? 1 : comfortableSpeed(this.range[1] - this.range[0]);
    this.orbit = new Orbit(overview(this.extent.outline, -1.1, 0.55), () => this.request());
    this.sideBySide = animation.tracks.map((track, index) => new View(animation, this.extent, [{ track, index }], this.orbit));
    this.shown = this.sideBySide;
    this.views.append(...this.shown.map((view) => view.element));
    this.slider = h("input", {
      type: "range",
      class: "time-slider",
      min: "0",
      max: "1000",
      step: "any",
      value: "0",
      "aria-label": "Time",
      input: () => this.seek(this.range[0] + (Number(this.slider.value) / 1000) * (this.range[1] - this.range[0])),
    });
    this.playButton = h("button", { type: "button", class: "play", click: () => this.toggle() }, "Play");
    const hasEnergy = !endless && animation.tracks.some((track) => track.energy.length > 0);
    this.energy = hasEnergy ? new PlaneDrawing(energyFigure(animation), { height: 130, onPick: (t) => this.seek(t) }) : null;
    this.energy?.element.classList.add("energy");
    this.element.append(this.views, this.controls());
    if (this.energy) this.element.append(this.energy.element);
    const { enlargement } = this.extent;
    if (enlargement > 1.05) {
      this.element.append(h("p", { class: "notice" }, `Bodies are drawn ${number(enlargement, 2)} times as large as they are.`));
    }
    new IntersectionObserver((entries) => {
      const isSeen = entries.some((entry) => entry.isIntersecting);
      if (!isSeen && this.playing) {
        this.pause();
        this.waits = this.endless;
      } else if (isSeen && this.waits) this.toggle();
    }).observe(this.element);
    onThemeChange(() => this.request());
  }

  start(): void {
    this.energy?.resize();
    this.draw();
    whenWidthChanges(this.views, () => {
      this.energy?.resize();
      this.request();
    });
    if (this.endless && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.toggle();
  }

  private controls(): HTMLElement {
    const speed = h(
      "select",
      { "aria-label": "Speed", change: () => (this.speed = Number(speed.value)) },
      ...speeds.map((value) => h("option", { value: String(value), selected: value === this.speed }, `×${value}`)),
    );
    const follow = h("button", {
      type: "button",
      title: "The camera follows the body",
      click: () => {
        this.follow = !this.follow;
        setPressed(follow, this.follow);
        if (this.follow) this.orbit.zoom(0.4);
        else this.orbit.reset();
      },
    });
    follow.textContent = "Follow";
    setPressed(follow, false);
    const overlay = h("button", {
      type: "button",
      class: "overlay",
      title: "All in one view",
      click: () => {
        setPressed(overlay, !this.isOverlaid());
        this.setOverlaid(!this.isOverlaid());
      },
    });
    overlay.textContent = "Overlay";
    setPressed(overlay, false);
    return h(
      "div",
      { class: "controls" },
      this.playButton,
      this.slider,
      this.clock,
      h("label", { class: "speed" }, speed),
      this.endless ? null : follow,
      this.animation.tracks.length > 1 && !this.endless ? overlay : null,
      h("button", { type: "button", title: "Camera as at the beginning", click: () => this.orbit.reset() }, "Reset view"),
    );
  }

  private isOverlaid(): boolean {
    return this.shown !== this.sideBySide;
  }

  private setOverlaid(overlaid: boolean): void {
    if (overlaid) {
      const tracks = this.animation.tracks.map((track, index) => ({ track, index }));
      this.overlay ??= new View(this.animation, this.extent, tracks, this.orbit);
      this.shown = [this.overlay];
    } else this.shown = this.sideBySide;
    this.views.replaceChildren(...this.shown.map((view) => view.element));
    this.draw();
  }

  private seek(time: number): void {
    this.time = Math.min(Math.max(time, this.range[0]), this.range[1]);
    this.request();
  }

  private toggle(): void {
    this.waits = false;
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.time >= this.range[1]) this.time = this.range[0];
    this.playing = true;
    this.playButton.textContent = "Pause";
    this.lastFrame = performance.now();
    this.request();
  }

  private pause(): void {
    this.playing = false;
    this.playButton.textContent = "Play";
  }

  private request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      if (this.playing) this.advance(now);
      this.draw();
    });
  }

  private advance(now: number): void {
    // A long pause between frames, as in a hidden tab, is not a jump.
    const elapsed = Math.min(Math.max(now - this.lastFrame, 0), 100) / 1000;
    this.lastFrame = now;
    this.time = Math.min(this.time + elapsed * this.speed, this.range[1]);
    if (this.time < this.range[1]) return;
    if (this.endless) this.time = this.range[0];
    else this.pause();
  }

  private draw(): void {
    for (const view of this.shown) view.draw(this.time, this.orbit, this.follow);
    const [from, to] = this.range;
    this.slider.value = String((1000 * (this.time - from)) / (to - from || 1));
    this.clock.textContent = `t = ${this.time.toFixed(2)} of ${number(to, 4)}`;
    this.energy?.setMarker(this.time);
    if (this.playing) this.request();
  }
}

function fallback(animation: Animation): { element: HTMLElement; start(): void } {
  const path = new PlaneDrawing(pathFigure(animation));
  const names = animation.tracks.map((track, i) => {
    const dot = h("span", { class: "dot" });
    dot.style.background = seriesColour(i);
    return h("span", { class: "view-name" }, dot, inline(track.name));
  });
  const element = h(
    "div",
    { class: "player player-fallback" },
    h("p", { class: "notice" }, "WebGL is not available in this browser, so the motion cannot be shown; this is its path."),
    h("div", { class: "view-names" }, ...names),
    path.element,
  );
  const start = () => {
    path.resize();
    whenWidthChanges(element, () => path.resize());
  };
  return { element, start };
}

function hostOf(animation: Animation, endless = false): HTMLElement {
  const host = h("div", { class: "animation-host" });
  whenNear(host, () => {
    const player = canRender() ? new Player(animation, endless) : fallback(animation);
    host.append(player.element);
    player.start();
  });
  printAs(host, () => new PlaneDrawing(pathFigure(animation)).svg());
  return host;
}

/** What a page begins with: a motion that goes on and on, and what it is. */
export function openingElement(animation: Animation, id: string): HTMLElement {
  return h(
    "section",
    { class: "animation opening", id, "aria-label": `Animation: ${plain(animation.title)}` },
    hostOf(animation, true),
    h("p", { class: "opening-text" }, inline(animation.opening ?? "")),
  );
}

export function animationElement(animation: Animation, id: string): HTMLElement {
  return h(
    "section",
    { class: "animation", id, "aria-label": `Animation: ${plain(animation.title)}` },
    h("h4", {}, inline(animation.title)),
    hostOf(animation),
  );
}
