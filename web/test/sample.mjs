// A report that uses everything a report can contain, with plausible numbers.

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));

/** Numbers between 0 and 1, the same in every run. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (1103515245 * state + 12345) % 2147483648;
    return state / 2147483648;
  };
}

const particleSystem = {
  name: "harmonic-particle",
  title: "Nonholonomic particle in a harmonic potential",
  lagrangian:
    "\\frac{1}{2} \\left(\\dot{x}^{2} + \\dot{y}^{2} + \\dot{z}^{2}\\right) - \\left(x^{2} + y^{2}\\right)",
  constraints: ["\\dot{z} - y \\dot{x}"],
  parameters: [],
};

const sleighSystem = {
  name: "chaplygin-sleigh",
  title: "Chaplygin sleigh on an incline",
  lagrangian:
    "\\frac{1}{2} \\left(m \\left(\\dot{x}^{2} + \\dot{y}^{2}\\right) + \\left(I + m a^{2}\\right) \\dot{\\theta}^{2} + 2 m a \\dot{\\theta} \\left(\\dot{y} \\cos \\theta - \\dot{x} \\sin \\theta\\right)\\right) - m g \\left(y + a \\sin \\theta\\right)",
  constraints: ["\\dot{y} \\cos \\theta - \\dot{x} \\sin \\theta"],
  parameters: ["m = 1", "I = 1", "a = 1", "g = 0.1"],
};

const robotSystem = {
  name: "mobile-robot",
  title: "Mobile robot with fixed orientation",
  lagrangian:
    "\\frac{1}{2} m \\left(\\dot{x}^{2} + \\dot{y}^{2}\\right) + \\frac{1}{2} I \\dot{\\theta}^{2} + \\frac{3}{2} I_{w} \\dot{\\psi}^{2} - k \\sin \\psi",
  constraints: ["\\dot{x} - R \\cos \\theta \\, \\dot{\\psi}", "\\dot{y} - R \\sin \\theta \\, \\dot{\\psi}"],
  parameters: ["m = 1", "$I_w = 1$", "R = 1", "k = 10"],
};

function energyFigure() {
  const random = generator(1);
  const t = range(1251, (i) => 0.2 * i);
  return {
    id: "energy",
    title: "Fig. 1: error of the energy $E = v \\cdot L_v - L$",
    caption: "The discrete method holds the energy; Runge–Kutta loses it at a rate of $h^4$.",
    kind: "line",
    x: { label: "time $t$" },
    y: { label: "$|E - E_0|$", scale: "log" },
    series: [
      { name: "dla", style: "line", x: t, y: t.map((s) => 2e-3 * Math.abs(Math.sin(1.3 * s)) * (1 + 0.2 * random())) },
      { name: "dla:order=6", style: "line", x: t, y: t.map((s) => 3e-8 * Math.abs(Math.sin(1.3 * s + 0.4)) ** 2) },
      { name: "rk4", style: "line", dashed: true, x: t, y: t.map((s) => 1e-6 + 4e-5 * s) },
      { name: "reference", style: "line", x: t, y: t.map((s, i) => (i % 100 === 50 ? null : 1e-14 * (0.2 + random()) * Math.sqrt(1 + s))) },
    ],
  };
}

function mapFigure() {
  const cells = range(30 * 20, (k) => [0.1 * (k % 30) - 1.5, Math.floor(k / 30)]);
  return {
    id: "map",
    title: "Fig. 9: when it turns round, $t(\\Omega_3)$",
    kind: "map",
    x: { label: "spin $\\Omega_3$" },
    y: { label: "tilt" },
    z: { label: "$t$" },
    series: [
      {
        name: "stones",
        style: "line",
        x: cells.map(([x]) => x),
        y: cells.map(([, y]) => y),
        z: cells.map(([x, y]) => (x > 1 ? null : x * x + 0.1 * y)),
      },
    ],
  };
}

function convergenceFigure() {
  const h = range(8, (i) => 0.4 / 2 ** i);
  const order = (p, c) => h.map((step) => c * step ** p);
  return {
    id: "convergence",
    title: "Error at $t = 10$ against the step",
    kind: "line",
    x: { label: "step $h$", scale: "log" },
    y: { label: "error", scale: "log" },
    series: [
      { name: "dla", style: "both", x: h, y: order(2, 0.3) },
      { name: "dla:order=4", style: "both", x: h, y: order(4, 0.1) },
      { name: "rk4 (with a rather long name that has to be wrapped on narrow screens)", style: "both", dashed: true, x: h, y: order(4, 0.4) },
      { name: "$h^2$", style: "points", x: h, y: order(2, 1) },
    ],
  };
}

function offsetFigure() {
  const random = generator(7);
  const t = range(400, (i) => 0.5 * i);
  return {
    id: "momentum",
    title: "Energy, close up",
    kind: "line",
    x: { label: "$t$" },
    y: { label: "$E$" },
    series: [{ name: "dla:order=10", style: "line", x: t, y: t.map(() => 1.5 + 4e-10 * (random() - 0.5)) }],
  };
}

function pathFigure() {
  const s = range(900, (i) => 0.02 * i);
  return {
    id: "path",
    title: "Fig. 2: path in the plane",
    kind: "path",
    x: { label: "$x$" },
    y: { label: "$y$" },
    series: [
      { name: "reference", style: "line", x: s.map((a) => Math.cos(a) * (1 + 0.15 * Math.sin(7.3 * a))), y: s.map((a) => Math.sin(a) * (1 + 0.15 * Math.sin(7.3 * a))) },
      { name: "dla", style: "points", x: range(60, (i) => 1.2 * Math.cos(0.4 * i)), y: range(60, (i) => (i === 20 ? null : 0.8 * Math.sin(0.4 * i))) },
    ],
  };
}

function spaceFigure() {
  const s = range(1500, (i) => 0.03 * i);
  const curve = (c) => ({
    x: s.map((a) => Math.cos(a) * (1 + 0.1 * c)),
    y: s.map((a) => Math.sin(1.1 * a)),
    z: s.map((a, i) => (i === 700 ? null : 0.8 * Math.sin(0.37 * a + c))),
  });
  return {
    id: "space",
    title: "The motion in space",
    caption: "Turn it with the mouse.",
    kind: "space",
    x: { label: "$x$" },
    y: { label: "$y$" },
    z: { label: "$\\dot{z}_1$" },
    series: [
      { name: "reference", style: "line", ...curve(0) },
      { name: "rk4", style: "line", dashed: true, ...curve(0.6) },
      { name: "samples", style: "points", x: s.filter((_, i) => i % 50 === 0).map((a) => Math.cos(a)), y: s.filter((_, i) => i % 50 === 0).map((a) => Math.sin(1.1 * a)), z: s.filter((_, i) => i % 50 === 0).map((a) => 0.8 * Math.sin(0.37 * a)) },
    ],
  };
}

function cloudFigure() {
  const random = generator(3);
  const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  const cloud = (n, cx, cy, a, b) => {
    const points = range(n, () => [a * gauss(), b * gauss()]);
    return { x: points.map(([u, v]) => cx + u - 0.4 * v), y: points.map(([u, v]) => cy + 0.5 * u + v) };
  };
  return {
    id: "cloud",
    title: "A cloud of points under the method",
    kind: "path",
    x: { label: "$q_1$" },
    y: { label: "$p_1$" },
    series: [
      { name: "$t = 0$", style: "points", ...cloud(120, 0, 0, 0.1, 0.1) },
      { name: "$t = 4$", style: "points", ...cloud(120, 1, 0.4, 0.2, 0.05) },
      { name: "$t = 8$", style: "points", ...cloud(500, 1.6, -0.3, 0.28, 0.035) },
    ],
  };
}

function backtrackingFigure() {
  const s = range(300, (i) => 0.05 * i);
  return {
    id: "phase",
    title: "A line over an x that goes back and forth",
    kind: "line",
    x: { label: "$\\theta$" },
    y: { label: "$\\dot\\theta$" },
    series: range(10, (k) => ({
      name: `orbit ${k + 1}`,
      style: "line",
      x: s.map((a) => (0.2 + 0.1 * k) * Math.cos(a)),
      y: s.map((a) => (0.3 + 0.12 * k) * Math.sin(a)),
    })),
  };
}

const columns = (samples, size) => range(size, (k) => samples.map((sample) => sample[k] ?? 0));

/** The quaternion of a rotation by an angle about an axis of length 1. */
export function turn(angle, [x, y, z]) {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), s * x, s * y, s * z];
}

/** First b, then a. */
export function after([a, b, c, d], [e, f, g, h]) {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

const x = [1, 0, 0];
const y = [0, 1, 0];
const z = [0, 0, 1];

/** `motion` gives the positions, rotations and ends of bodies and the points of traces at a time. */
function track(name, end, n, energy, motion) {
  const t = range(n + 1, (i) => (end * i) / n);
  const samples = t.map(motion);
  const [first] = samples;
  return {
    name,
    t,
    energy: t.map(energy),
    bodies: first.bodies.map((body, b) => ({
      position: columns(samples.map(({ bodies }) => bodies[b].position), 3),
      ...(body.rotation && { rotation: columns(samples.map(({ bodies }) => bodies[b].rotation), 4) }),
      ...(body.end && { end: columns(samples.map(({ bodies }) => bodies[b].end), 3) }),
    })),
    traces: first.traces.map((trace, k) => ({
      point: columns(samples.map(({ traces }) => traces[k].point), 3),
      ...(trace.onBody && { onBody: columns(samples.map(({ traces }) => traces[k].onBody), 3) }),
    })),
  };
}

/** One body that goes along a path, heading somewhere and rolling. */
function upright(name, end, n, motion) {
  return track(name, end, n, (t) => motion(t).energy, (t) => {
    const { at, heading = 0, roll = 0, above = 0 } = motion(t);
    const [px, py, pz = 0] = at;
    return { bodies: [{ position: [px, py, pz + above], rotation: after(turn(heading, z), turn(roll, y)) }], traces: [{ point: [px, py, pz] }] };
  });
}

const plane = { kind: "plane", radius: 0, centre: [0, 0, 0], slope: { x: 0, y: 0 } };
const body = (shape, sizes, more = {}) => ({ name: shape, shape, axis: "z", marks: "none", sizes, ...more });
const one = (id, title, ground, description, tracks) => ({ id, title, bodies: [description], traces: [{ name: "path" }], ground, tracks });

/** Bodies of all shapes in a row, turning about different axes at constant rates. */
export const spins = [0.9, -0.4, 1.3, 0.5, 0.2, 0.7, -1.1, 0.6, 0.8, 0.3, 0.45, -0.2].map((rate, k) => ({ rate, axis: [[0.6, 0, 0.8], [0, 0.6, 0.8], z][k % 3] }));
const shapes = [
  body("ball", { radius: [0.4] }, { marks: "octants" }),
  body("ellipsoid", { radii: [0.5, 0.3, 0.2] }, { marks: "rings", colour: "orange" }),
  body("disk", { radius: [0.4], thickness: [0.05] }, { axis: "y" }),
  body("wheel", { radius: [0.4], thickness: [0.12] }, { axis: "y", colour: "#7755aa" }),
  body("torus", { radius: [0.35], tube: [0.1] }, { axis: "x", marks: "octants" }),
  body("box", { size: [0.6, 0.4, 0.2] }, { colour: "green" }),
  body("cylinder", { radius: [0.2], length: [0.7] }, { axis: "x" }),
  body("cone", { radius: [0.3], length: [0.6] }),
  body("prism", { outline: [0, 0, 0.6, 0, 0.3, 0.5], height: [0.2] }),
  body("revolution", { profile: [0, -0.3, 0.3, 0.1, 0.05, 0.2, 0, 0.4] }, { marks: "rings" }),
  body("blade", { length: [0.4] }),
  body("sleigh", { length: [0.3] }),
  body("rod", { radius: [0.05] }, { colour: "grey" }),
];
const place = (k) => [1.1 * (k % 4), 1.1 * Math.floor(k / 4), 0.6];

const animations = {
  particle: one("particle", "Particle", plane, body("ball", { radius: [0] }), [
    upright("dla", 20, 400, (t) => ({ at: [Math.cos(1.3 * t), 0.7 * Math.sin(1.3 * t), 1 + 0.5 * Math.sin(0.6 * t)], energy: 1.5 + 1e-3 * Math.sin(2.6 * t) })),
    upright("rk4", 12, 60, (t) => ({ at: [(1 + 0.02 * t) * Math.cos(1.3 * t), 0.7 * Math.sin(1.3 * t), 1 + 0.5 * Math.sin(0.6 * t)], energy: 1.5 + 1e-3 * t })),
    upright("reference", 20, 800, (t) => ({ at: [Math.cos(1.3 * t), 0.7 * Math.sin(1.3 * t), 1 + 0.45 * Math.sin(0.6 * t)], energy: 1.5 })),
  ]),
  blade: one("blade", "Knife edge on a slope of 5°", { ...plane, slope: { x: 0.0873, y: 0 } }, body("blade", { length: [0.3] }), [
    upright("reference", 24, 600, (t) => ({ at: [1 - Math.cos(t), 0.5 * t - 0.5 * Math.sin(t)], heading: t, energy: 1 })),
  ]),
  sleigh: one("sleigh", "Chaplygin sleigh on an incline", { ...plane, slope: { x: 0, y: 0.1 } }, body("sleigh", { length: [1] }), [
    upright("dla", 30, 250, (t) => ({ at: [3 * Math.sin(0.3 * t), -0.04 * t * t], heading: -Math.PI / 2 - 0.9 * Math.cos(0.3 * t) * Math.exp(-0.05 * t), energy: 0.01 * Math.sin(t) })),
    upright("rk4", 25, 100, (t) => ({ at: [3.1 * Math.sin(0.3 * t), -0.041 * t * t], heading: -Math.PI / 2 - 0.9 * Math.cos(0.3 * t) * Math.exp(-0.05 * t), energy: 0.001 * t })),
  ]),
  disk: {
    ...one("disk", "Vertical rolling disk", plane, body("disk", { radius: [1], thickness: [0.1] }, { axis: "y" }), [
      upright("free", 60, 600, (t) => ({ at: [2 * Math.sin(0.3 + 0.5 * t), -2 * Math.cos(0.3 + 0.5 * t)], above: 1, heading: 0.3 + 0.5 * t, roll: t, energy: 0.78 + 1e-4 * Math.sin(t) })),
      upright("free-modified", 60, 600, (t) => ({ at: [2 * Math.sin(0.3 + 0.5 * t), -2 * Math.cos(0.3 + 0.5 * t)], above: 1, heading: 0.3 + 0.5 * t, roll: t, energy: 0.78 })),
    ]),
    opening: "A disk that rolls in a circle with $\\dot\\varphi = 0.5$.",
  },
  ball: {
    id: "ball",
    title: "Ball on a sphere",
    bodies: [body("ball", { radius: [0.3] }, { marks: "octants" })],
    traces: [{ name: "contact", body: 0 }],
    ground: { kind: "sphere", radius: 1, centre: [0, 0, 0], slope: { x: 0, y: 0 } },
    // Around the equator: the ball of radius b on one of radius a turns (a + b)/b times as fast as it goes round.
    tracks: [
      track("dla", 6, 300, () => 1, (t) => {
        const [c, s] = [Math.cos(t), Math.sin(t)];
        const back = turn(t / 0.3, z);
        return { bodies: [{ position: [1.3 * c, 1.3 * s, 0], rotation: turn((1.3 * t) / 0.3, z) }], traces: [{ point: [c, s, 0], onBody: [-0.3 * (back[0] ** 2 - back[3] ** 2), 0.6 * back[0] * back[3], 0] }] };
      }),
    ],
  },
  shapes: {
    id: "shapes",
    title: "All shapes",
    bodies: shapes,
    traces: [{ name: "tip" }],
    ground: { kind: "bowl", radius: 4, centre: [1.6, 1.6, 3], slope: { x: 0, y: 0 } },
    tracks: [
      track("exact", 10, 40, () => 2, (t) => ({
        bodies: shapes.map(({ shape }, k) => (shape === "rod" ? { position: place(k), end: [place(k)[0], 3.3, 1.2 + 0.3 * Math.sin(t)] } : { position: place(k), rotation: turn(spins[k].rate * t, spins[k].axis) })),
        traces: [{ point: [0.4 * Math.cos(t), 0.4 * Math.sin(t), 1.1] }],
      })),
    ],
  },
};

const claims = {
  confirmed: {
    says: "The discrete Lagrange–d'Alembert method keeps the energy bounded.",
    place: "Fig. 2",
    quantity: "max[dla: |energy − 1.5|]",
    measured: "2.1e-3",
    expected: "below 1e-2",
    verdict: "confirmed",
  },
  corrected: {
    says: "The constraint $\\dot z = y \\dot x$ is preserved to rounding.",
    place: "(61)",
    quantity: "max[dla: |constraint|]",
    measured: "3.6e-15",
    expected: "below 1e-12",
    verdict: "corrected",
    note: "In (61) the sign of $y_{k+1}$ is wrong: with the sign as printed the constraint fails by 0.2 after one step.\n\nWith `+` it holds.",
  },
  contradicted: {
    says: "The method has order 4.",
    place: "Table 1",
    quantity: "slope[log error / log h]",
    measured: "2.003",
    expected: "between 3.8 and 4.2",
    verdict: "contradicted",
    note: "The starting step has order 2 only, which the paper's error plot also shows.",
  },
  failed: {
    says: "Runge–Kutta reaches the end.",
    quantity: "end[rk4: t]",
    measured: "none: the run stopped at t = 131.2",
    expected: "250",
    verdict: "failed",
  },
};

export function sample() {
  return {
    kind: "reproduce",
    title: "Two papers on nonholonomic integrators, recomputed",
    text: "Every figure is computed anew from the Lagrangian $L(q, v)$ and the constraints; nothing is copied from a paper.\n\nA claim of a paper is a quantity, a number that was measured, and what the paper says about it. The command `rattleback show` prints a system.",
    program: "rattleback 0.9.0",
    command: "rattleback reproduce cm fbo -o report.html",
    chapters: [
      {
        id: "cm",
        title: "Non-holonomic integrators",
        citation: "J. Cortés and S. Martínez, Non-holonomic integrators, Nonlinearity 14 (2001) 1365–1392",
        text: "The paper introduces the discrete Lagrange–d'Alembert principle: $D_1 L_d(q_k, q_{k+1}) + D_2 L_d(q_{k-1}, q_k) = \\lambda_a \\mu^a(q_k)$.",
        statements: [
          {
            label: "Theorem 5.3",
            kind: "theorem",
            says: "The flow satisfies the discrete momentum equation $J_{k+1} - J_k = \\ldots$",
            verdict: "mixed",
            judged: [{ experiment: "cm/particle", claims: 2 }, { experiment: "cm/robot", claims: 1 }],
            note: "Not on the robot.",
          },
          { label: "Definition 4.1", kind: "definition", says: "Discrete Lagrangians", judged: [], reason: "A definition." },
          {
            label: "Section 6",
            kind: "question",
            says: "Is there a longer name for something that has to be wrapped?",
            verdict: "answered",
            judged: [{ experiment: "cm/robot", claims: 1 }],
          },
        ],
        experiments: [
          {
            id: "cm/particle",
            title: "Nonholonomic particle",
            place: "Figs. 1 and 2",
            text: "A particle in space with the constraint $\\dot z = y \\dot x$, $h = 0.2$, to $t = 250$.",
            systems: [particleSystem],
            runs: [
              { name: "dla", system: "harmonic-particle", method: "dla", settings: ["h = 0.2", "1250 steps", "q0 = (1, 0, 0)"] },
              { name: "dla6", system: "harmonic-particle", method: "dla:order=6", settings: ["h = 0.2", "1250 steps"] },
              { name: "rk4", system: "harmonic-particle", method: "rk4", settings: ["h = 0.2", "1250 steps", "from two positions"], failure: "after 656 steps at t = 131.2: the solution is not finite" },
              { name: "reference-with-a-long-name-that-does-not-break", system: "harmonic-particle", method: "reference:tolerance=3e-15,projection=orthogonal,start=two-points", settings: ["$\\epsilon = 3 \\cdot 10^{-15}$"] },
            ],
            claims: [claims.confirmed, claims.corrected],
            figures: [energyFigure(), convergenceFigure(), mapFigure(), pathFigure(), spaceFigure()],
            animations: [animations.particle],
            files: ["data/cm-particle.h5", "data/cm particle energy.csv"],
          },
          {
            id: "cm/robot",
            title: "Mobile robot",
            place: "Section 6.2",
            systems: [robotSystem],
            runs: [{ name: "dla", system: "mobile-robot", method: "cloud of 120 points under conformal:M", settings: [] }],
            claims: [claims.contradicted, claims.failed],
            figures: [offsetFigure()],
            animations: [animations.ball],
            files: [],
          },
        ],
      },
      {
        id: "fbo",
        title: "Variational integrators for Hamiltonizable nonholonomic systems",
        citation: "O. E. Fernandez, A. M. Bloch and P. J. Olver, Journal of Geometric Mechanics 4 (2012) 137–163",
        experiments: [
          {
            id: "fbo/knife-edge",
            title: "Knife edge, sleigh and disk, $\\alpha = 5^\\circ$",
            text: "Three bodies.",
            systems: [sleighSystem, robotSystem],
            runs: [],
            claims: range(14, () => claims.confirmed),
            figures: [cloudFigure(), backtrackingFigure()],
            animations: [animations.blade, animations.sleigh, animations.disk, animations.shapes],
            files: ["data/knife.h5"],
          },
        ],
      },
    ],
  };
}

/** A report of one run: no claims, no title of its chapter. */
export function smallSample() {
  return {
    kind: "run",
    title: "Chaplygin sleigh on an incline",
    program: "rattleback 0.9.0",
    chapters: [
      {
        id: "run",
        title: "",
        experiments: [
          { id: "run/run", title: "Run", systems: [sleighSystem], runs: [], claims: [], figures: [pathFigure()], animations: [animations.sleigh], files: [] },
        ],
      },
    ],
  };
}
