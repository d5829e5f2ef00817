// What a report consists of. The command writes one such document as JSON into the page (src/report/page.cpp); the page
// shows it. Texts may contain formulas between dollar signs, as in "the energy $E = v\cdot L_v - L$", `code` between
// backquotes, and paragraphs separated by empty lines; nothing else in them is markup.

export interface Report {
  kind: "reproduce" | "run" | "compare" | "converge";
  title: string;
  text?: string;
  /** Name and version of the program. */
  program: string;
  /** The command that made the report, as it was typed. */
  command?: string;
  /** A paper each; one without a title for a report of a single problem. */
  chapters: Chapter[];
}

export interface Chapter {
  /** Unique in the report, fit for a fragment of a URL: "cm". */
  id: string;
  title: string;
  /** Authors, title, journal of a paper. */
  citation?: string;
  text?: string;
  /** What the paper states, shows and asks, in its order; if all its experiments are there. */
  statements?: Statement[];
  experiments: Experiment[];
}

/** A statement of a paper and what became of it. */
export interface Statement {
  /** As one looks it up: "Theorem 5.3", "Section 6.1". */
  label: string;
  kind: string;
  says: string;
  /** What follows from the verdicts on the claims that judge it; none if there is nothing to judge. */
  verdict?: "confirmed" | "corrected" | "contradicted" | "mixed" | "answered" | "failed" | "open";
  /** Ids of experiments, and how many of their claims judge it. */
  judged: { experiment: string; claims: number }[];
  /** If no claim judges it: why there is nothing to judge, or what is missing. */
  reason?: string;
  note?: string;
}

export interface Experiment {
  /** Unique in the report: "cm/particle". */
  id: string;
  title: string;
  /** Which part of the paper: "Figs. 1 and 2". */
  place?: string;
  text?: string;
  systems: System[];
  runs: Run[];
  claims: Claim[];
  figures: Figure[];
  animations: Animation[];
  /** Files with the data, relative to the page. */
  files: string[];
}

/** A mechanical system; formulas are LaTeX without dollar signs. */
export interface System {
  /** In the catalogue, or of its file. */
  name: string;
  title: string;
  lagrangian: string;
  /** Left-hand sides of constraints, which are zero. */
  constraints: string[];
  /** Text for people, "g = 0.1". */
  parameters: string[];
}

/** How the data of an experiment were made: one row of a table. */
export interface Run {
  name: string;
  system: string;
  /** A method's name, or what else was computed: "cloud of 120 points under conformal:M". */
  method: string;
  /** "h = 0.2", "1250 steps", "from two positions", "q0 = (1, 0, 0)", … */
  settings: string[];
  /** What there is to say about its end, if it did not reach it. */
  failure?: string;
}

export interface Claim {
  /** What the paper says, in words. */
  says: string;
  /** Where it says so: "Fig. 2", "(61)". */
  place?: string;
  /** What was measured, as a formula in text: "max[dla: |energy − 1.5|]". */
  quantity: string;
  /** The measured value as text, with as many digits as make sense, or why there is none. */
  measured: string;
  /** What it was compared with: "below 1e-3", "between 3.8 and 4.2". */
  expected: string;
  /**
   * confirmed; corrected: confirmed after a correction that the note explains; contradicted: the paper's claim does
   * not hold, as the note explains; failed: it should hold, or fail, and does not.
   */
  verdict: "confirmed" | "corrected" | "contradicted" | "failed";
  note?: string;
}

export interface Axis {
  label: string;
  scale?: "linear" | "log";
}

export interface Figure {
  /** Unique in the experiment. */
  id: string;
  /** "Fig. 1: energy". */
  title: string;
  caption?: string;
  /** line: y over x; path: a curve in the plane, both axes with the same unit; space: a curve in three dimensions; map: points of a grid whose z is a colour. */
  kind: "line" | "path" | "space" | "map";
  x: Axis;
  y: Axis;
  z?: Axis;
  series: Series[];
}

export interface Series {
  name: string;
  /** line, points, or both. */
  style: "line" | "points" | "both";
  dashed?: boolean;
  /** null where there is no number. Lengths are equal. x of a line need not increase. */
  x: (number | null)[];
  y: (number | null)[];
  z?: (number | null)[];
}

/** A motion to look at; one track for each method, all with the same bodies. */
export interface Animation {
  id: string;
  title: string;
  /** A page begins with the first animation that has one, and with this text about it. */
  opening?: string;
  bodies: BodyDescription[];
  /** Lines that points leave behind; `body` is the index of one that they leave a line on, too. */
  traces: { name: string; body?: number }[];
  ground: {
    kind: "plane" | "sphere" | "bowl" | "none";
    /** Of a sphere or a bowl. */
    radius: number;
    /** Of a plane, only its height counts. */
    centre: number[];
    /** Angle in radians by which the ground falls in the direction of +x, or rises in the direction of +y; 0 for a horizontal one. */
    slope: { x: number; y: number };
  };
  tracks: Track[];
}

/** What a body looks like in its own frame (docs/models.md). */
export interface BodyDescription {
  name: string;
  shape:
    | "ball"
    | "ellipsoid"
    | "disk"
    | "wheel"
    | "torus"
    | "box"
    | "cylinder"
    | "cone"
    | "rod"
    | "prism"
    | "revolution"
    | "blade"
    | "sleigh";
  /** Of what is round. */
  axis: "x" | "y" | "z";
  marks: "none" | "octants" | "rings";
  /** "#rrggbb" or a name; without one, that of the track. */
  colour?: string;
  /** radius, length, … ; a ball of radius 0 is as large as it needs to be to be seen. */
  sizes: Record<string, number[]>;
}

/** Numbers for each sample, x, y and z or w, x, y and z; of what never changes, one. */
export type Columns = number[][];

export interface Track {
  name: string;
  t: number[];
  /** Shown in a strip below, of all tracks in one figure. */
  energy: number[];
  /** For each body: where the origin of its frame is, unit quaternions from its frame to space, and the end of a rod. */
  bodies: { position: Columns; rotation?: Columns; end?: Columns }[];
  /** For each trace: the point in space, and in the frame of the body that it is on. */
  traces: { point: Columns; onBody?: Columns }[];
}
