import { isDark } from "./theme";

// Hues after Okabe & Ito, told apart with every common colour blindness, darkened or lightened to stand out from paper
// and from a dark screen.
const onLight = ["#0f6cb3", "#c8500f", "#00846a", "#a3478f", "#9a7400", "#3f97cf", "#55585e", "#7a4a24"];
const onDark = ["#62b0ee", "#f0905f", "#3fcca6", "#dd9dd0", "#e3b94d", "#a3d6f7", "#b9bec6", "#cf9f75"];

export function seriesColour(index: number, dark: boolean = isDark()): string {
  const colours = dark ? onDark : onLight;
  return colours[index % colours.length] ?? "#888888";
}

const names = ["blue", "orange", "green", "purple", "yellow", "sky", "grey", "brown"];

/** A colour of a body: one of the palette by its name, white, black, or "#rrggbb". */
export function bodyColour(colour: string, dark: boolean = isDark()): string {
  const index = names.indexOf(colour);
  if (index >= 0) return seriesColour(index, dark);
  if (colour === "white") return "#f4f4f1";
  if (colour === "black") return dark ? "#4a4f57" : "#23272d";
  return colour;
}

/** Lengths of dashes and gaps in pixels; series that share a colour differ in these. */
export function dashes(index: number, dashed: boolean | undefined): number[] {
  if (dashed) return index < onLight.length ? [6, 4] : [8, 3, 2, 3];
  return index < onLight.length ? [] : [2, 3];
}

const shapes = ["circle", "square", "triangle", "diamond"] as const;

/** The outline of a mark about (x, y), as commands of an SVG path. */
export function markPath(index: number, radius: number, x = 0, y = 0): string {
  const short = (value: number) => String(Number(value.toFixed(1)));
  const from = (dx: number, dy: number) => `M${short(x + dx)} ${short(y + dy)}`;
  const r = radius;
  const s = 0.86 * radius;
  const d = 1.2 * radius;
  switch (shapes[index % shapes.length]) {
    case "square":
      return `${from(-s, -s)}h${short(2 * s)}v${short(2 * s)}h${short(-2 * s)}z`;
    case "triangle":
      return `${from(0, -r)}l${short(r)} ${short(r + s)}h${short(-2 * r)}z`;
    case "diamond":
      return `${from(0, -d)}l${short(d)} ${short(d)}l${short(-d)} ${short(d)}l${short(-d)} ${short(-d)}z`;
    default:
      return `${from(-r, 0)}a${short(r)} ${short(r)} 0 1 1 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 1 ${short(-2 * r)} 0z`;
  }
}

export function markRadius(count: number): number {
  return count > 2000 ? 1.2 : count > 300 ? 1.8 : 3;
}

export interface Ink {
  text: string;
  faint: string;
  line: string;
  grid: string;
  paper: string;
}

export function ink(dark: boolean = isDark()): Ink {
  return dark
    ? { text: "#e4e6ea", faint: "#a3a9b3", line: "#7d848f", grid: "#2d323a", paper: "#16191d" }
    : { text: "#1d2126", faint: "#5a616b", line: "#8a919b", grid: "#e6e8eb", paper: "#ffffff" };
}
