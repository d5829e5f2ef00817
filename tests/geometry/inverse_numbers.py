#!/usr/bin/python3
"""Algebraic Helmholtz conditions for the systems of Mestdag, Bloch & Fernandez (ME), and their free Lagrangians.

For q'' = f(q, v), Gamma = v d/dq + f d/dv, D^i_j = -1/2 df^i/dv^j (ME's nabla^i_j), a multiplier g satisfies

    g symmetric,   dg_ij/dv^k = dg_ik/dv^j,   Gamma(g) = g D + D^T g,   g Phi symmetric,
    Phi^k_j = Gamma(df^k/dv^j) - 2 df^k/dq^j - 1/2 df^k/dv^l df^l/dv^j

(ME prints d/dv instead of d/dq in the second term). The derivative of Phi. Gamma of "g Phi symmetric" is
"(g D + D^T g) Phi + g Gamma(Phi) symmetric"; since g Phi is symmetric, D^T g Phi = D^T Phi^T g = (g Phi D)^T, whose
antisymmetric part is minus that of g Phi D. What is left is "g (nabla Phi) symmetric" with

    nabla Phi = Gamma(Phi) + D Phi - Phi D,    (nabla Phi)^i_j = Gamma(Phi^i_j) + D^i_m Phi^m_j - D^m_j Phi^i_m.

ME prints - D^i_m Phi^m_j: the sign of its first term is wrong, that of the second is right. "sign" checks this with the
Hessian of a Lagrangian without any symmetry (the free Lagrangians satisfy the misprinted condition as well, so they
cannot tell): residuals of all conditions with the right signs, and those of ME's nabla Phi. In the same way, with
dg_ij/dv^k totally symmetric, the sum over the cyclic permutations of (i, k, l) of d/dv^l (g_ij T^j_k - g_kj T^j_i)
gives for T = Phi, nabla Phi, nabla nabla Phi

    g_ij R^j_kl + g_lj R^j_ik + g_kj R^j_li = 0,   R^j_kl = dT^j_k/dv^l - dT^j_l/dv^k   (i < k < l is enough).

Systems, r1 r2 s_b being the coordinates in this order, s_b' = -A_b(r1) r2', N = (I2 + sum I_b A_b^2)^(-1/2),
K = sum I_b A_b A_b', potential V(r2) (zero in ME's (4) and (5)):

    r1'' = 0,  r2'' = -N^2 K r1' r2' - N^2 V',  and
    (4)        s_b'' = -(A_b' - N^2 K A_b) r1' r2'
    (5), (14)  s_b'' =  (A_b' - N^2 K A_b) r1' s_b' / A_b + A_b N^2 V'

"on constraint" is the largest difference of these accelerations from Lagrange-d'Alembert's at an admissible velocity.

For each system, at one rational point (q, v): Phi and nabla Phi (first index: row, upper), and for the tensors
"Phi" = {Phi}, "nabla" = {Phi, nabla Phi}, "nabla2" = {Phi, nabla Phi, nabla^2 Phi}, "nabla3" (one more), each also with
the R conditions of the same tensors (suffix "+R"):
    dimension      of the space of symmetric g
    gap            the smallest nonzero and the largest zero singular value (each condition scaled by its tensor)
    singular       whether every g of the space is singular
    rank           the largest rank of a g of the space
    null           common null vectors of all g of the space, reduced row echelon form
    basis          of the space, entries g_ij (i <= j, row by row), reduced row echelon form
Points are generic, and away from the constraint: a second point must give the same dimensions and ranks ("again").

"free": the free Lagrangians (6) of particle, knife edge and disk, (7) of the disk, all constants C = 1; residuals at
several points: of their Euler-Lagrange equations against (5); of the Hamiltonians and of the constraints of ME's
Proposition 2; of the Hessian in the conditions above. All residuals are absolute, below 1e-50 when zero.

    python3 tests/geometry/inverse_numbers.py     # writes inverse_numbers.json; needs sympy and mpmath
"""
import itertools
import json
import os

import mpmath as mp
import sympy as sp

mp.mp.dps = 60
ZERO = mp.mpf(10) ** -45
HERE = os.path.dirname(os.path.abspath(__file__))
Q = sp.Rational


class Class:
    """A system of ME's class: inertias, A_b(r1), V(r2)."""

    def __init__(self, names, I, A, V=0):
        self.names, self.n = names, len(names)
        self.q = sp.symbols(names, real=True)
        self.v = sp.symbols(["d" + x for x in names], real=True)
        r1, r2 = self.q[:2]
        self.I, self.A = [sp.sympify(x) for x in I], [sp.sympify(a(r1)) for a in A]
        self.V = sp.sympify(V(r2)) if V else sp.Integer(0)
        self.B = [sp.diff(a, r1) for a in self.A]
        self.M = sp.simplify(self.I[1] + sum(i * a**2 for i, a in zip(self.I[2:], self.A)))  # N^-2
        self.K = sum(i * a * b for i, a, b in zip(self.I[2:], self.A, self.B))
        self.force = sp.diff(self.V, r2)

    def start(self):
        v1, v2 = self.v[:2]
        return [sp.Integer(0), -self.K / self.M * v1 * v2 - self.force / self.M]

    def system4(self):
        v1, v2 = self.v[:2]
        assert self.V == 0
        return self.start() + [-(b - self.K * a / self.M) * v1 * v2 for a, b in zip(self.A, self.B)]

    def system5(self):
        v1 = self.v[0]
        return self.start() + [sp.simplify((b - self.K * a / self.M) / a) * v1 * s + a * self.force / self.M
                               for a, b, s in zip(self.A, self.B, self.v[2:])]

    def on_constraint(self, f, point):
        """Largest difference from Lagrange-d'Alembert, M a = -V_q + J^T lambda, J v = 0."""
        n, m = self.n, len(self.A)
        q, v = list(point[:n]), list(point[n:])
        at = dict(zip(self.q, q))
        J = sp.zeros(m, n)
        for k, a in enumerate(self.A):
            J[k, 1], J[k, 2 + k] = a, 1
            v[2 + k] = -a.subs(at) * v[1]
        rate = (J.diff(self.q[0]) * self.v[0]) * sp.Matrix(self.v)
        at.update(zip(self.v, v))
        S = sp.zeros(n + m, n + m)
        for k in range(n):
            S[k, k] = self.I[k]
        S[:n, n:], S[n:, :n] = -J.T, J
        right = sp.Matrix([0, -self.force] + [0] * (n - 2) + [-x for x in rate])
        number = lambda X: mp.matrix(X.subs(at).evalf(60).tolist())
        a = mp.lu_solve(number(S), number(right))
        ours = number(sp.Matrix(f))
        return max(abs(a[k] - ours[k]) for k in range(n))


def number(x):
    return mp.mpf(x.p) / x.q


class Helmholtz:
    """The tensors Phi, nabla Phi, ... of q'' = f(q, v), symbolically, and their R."""

    def __init__(self, q, v, f, depth, sign=1):
        self.q, self.v, self.n = q, v, len(q)
        f, q, v = sp.Matrix(f), sp.Matrix(q), sp.Matrix(v)
        self.f = f
        F, D = f.jacobian(v), -f.jacobian(v) / 2
        gamma = lambda T: T.applyfunc(lambda x: sum(sp.diff(x, a) * b + sp.diff(x, b) * c for a, b, c in zip(q, v, f)))
        self.D = D
        T = gamma(F) - 2 * f.jacobian(q) - F * F / 2
        self.T = []
        for k in range(depth + 1):
            T = T.applyfunc(tidy)
            self.T.append(T)
            if k < depth:
                T = gamma(T) + sign * D * T - T * D
        arguments = [*self.q, *self.v]
        self.tensor = [sp.lambdify(arguments, T.tolist(), "mpmath", cse=True) for T in self.T]
        self.slope = [sp.lambdify(arguments, [T.diff(x).tolist() for x in v], "mpmath", cse=True) for T in self.T]
        self.nabla = sp.lambdify(arguments, D.tolist(), "mpmath", cse=True)

    def conditions(self, point):
        """For each tensor: rows of "g T symmetric" and of the R condition, scaled by the tensor."""
        n = self.n
        index = {}
        for k, (i, j) in enumerate(itertools.combinations_with_replacement(range(n), 2)):
            index[i, j] = index[j, i] = k
        size = n * (n + 1) // 2
        out = []
        for tensor, slope in zip(self.tensor, self.slope):
            T, S = tensor(*point), slope(*point)
            phi, cyclic = [], []
            for i, k in itertools.combinations(range(n), 2):
                row = [mp.mpf(0)] * size
                for j in range(n):
                    row[index[i, j]] += T[j][k]
                    row[index[k, j]] -= T[j][i]
                phi.append(row)
            R = lambda j, k, l: S[l][j][k] - S[k][j][l]
            for i, k, l in itertools.combinations(range(n), 3):
                row = [mp.mpf(0)] * size
                for a, b, c in ((i, k, l), (l, i, k), (k, l, i)):
                    for j in range(n):
                        row[index[a, j]] += R(j, b, c)
                cyclic.append(row)
            flat = [abs(x) for r in T for x in r]
            flat2 = [abs(x) for s in S for r in s for x in r]
            scale = lambda rows, m: [[x / m for x in r] for r in rows] if m > ZERO else rows
            out.append((scale(phi, max(flat)), scale(cyclic, max(flat2))))
        return out


def tidy(x):
    if x == 0:
        return x
    y = sp.factor(sp.trigsimp(sp.together(x))) if sp.count_ops(x) < 60 else sp.together(sp.expand(x))
    return y if sp.count_ops(y) < sp.count_ops(x) else x


def null_space(rows, size):
    """Basis of the kernel, smallest nonzero and largest zero singular value."""
    rows = rows + [[mp.mpf(0)] * size for _ in range(max(0, size - len(rows)))]
    U, s, V = mp.svd_r(mp.matrix(rows), full_matrices=False)
    s = list(s)
    rank = sum(x > ZERO for x in s)
    basis = [[V[k, j] for j in range(size)] for k in range(rank, size)]
    return basis, (s[rank - 1] if rank else None), (s[rank] if rank < size else None)


def echelon(rows):
    """Reduced row echelon form of independent rows."""
    rows = [list(r) for r in rows]
    done = 0
    for column in range(len(rows[0]) if rows else 0):
        if done == len(rows):
            break
        best = max(range(done, len(rows)), key=lambda r: abs(rows[r][column]))
        if abs(rows[best][column]) < mp.mpf(10) ** -35:
            continue
        rows[done], rows[best] = rows[best], rows[done]
        rows[done] = [x / rows[done][column] for x in rows[done]]
        for r in range(len(rows)):
            if r != done:
                rows[r] = [x - rows[r][column] * y for x, y in zip(rows[r], rows[done])]
        done += 1
    return rows


def matrix(entries, n):
    g = mp.zeros(n)
    for x, (i, j) in zip(entries, itertools.combinations_with_replacement(range(n), 2)):
        g[i, j] = g[j, i] = x
    return g


def digits(x, d=30):
    return mp.nstr(mp.chop(x, mp.mpf(10) ** -40), d)


def table(T, d=30):
    return [[digits(x, d) for x in row] for row in T]


def small(x):
    return None if x is None else mp.nstr(x, 3)


def space(rows, n):
    size = n * (n + 1) // 2
    basis, least, most = null_space(rows, size)
    out = {"dimension": len(basis), "gap": [small(least), small(most)], "singular": True, "rank": 0}
    if basis:
        for trial in range(4):  # fixed generic combinations
            weights = [mp.mpf((7 * trial + 3 * k * k + 5 * k + 2) % 13 - 6) + mp.mpf(1) / (k + 2) for k in range(len(basis))]
            g = mp.zeros(n)
            for w, b in zip(weights, basis):
                g += w * matrix(b, n)
            s = list(mp.svd_r(g, compute_uv=False))
            out["rank"] = max(out["rank"], sum(x > mp.mpf(10) ** -40 * s[0] for x in s))
            assert not any(mp.mpf(10) ** -40 * s[0] < x < mp.mpf(10) ** -12 * s[0] for x in s), "no gap"
        out["singular"] = out["rank"] < n
        stack = [[g[i, j] for j in range(n)] for g in (matrix(b, n) for b in basis) for i in range(n)]
        common, _, _ = null_space(stack, n)
        out["null"] = table(echelon(common))
        out["basis"] = table(echelon(basis), 25)
    return out


SETS = [("Phi", 1), ("nabla", 2), ("nabla2", 3), ("nabla3", 4)]


def spaces(system, point):
    conditions = system.conditions(point)
    out = {}
    for name, count in SETS:
        plain = [r for phi, _ in conditions[:count] for r in phi]
        out[name] = space(plain, system.n)
        out[name + "+R"] = space(plain + [r for _, c in conditions[:count] for r in c], system.n)
    return out


POINTS = {3: ([Q(7, 10), Q(3, 5), Q(-2, 5), Q(11, 10), Q(4, 5), Q(-13, 10)],
              [Q(-9, 8), Q(-5, 7), Q(3, 11), Q(-6, 5), Q(7, 6), Q(5, 9)]),
          4: ([Q(7, 10), Q(3, 5), Q(-2, 5), Q(9, 10), Q(11, 10), Q(4, 5), Q(-13, 10), Q(17, 10)],
              [Q(-9, 8), Q(-5, 7), Q(3, 11), Q(2, 7), Q(-6, 5), Q(7, 6), Q(5, 9), Q(-8, 7)])}

PARTICLE = Class(["x", "y", "z"], [1, 1, 1], [lambda x: x])
KNIFE = Class(["phi", "x", "y"], [1, 1, 1], [lambda p: -sp.tan(p)])
DISK = Class(["phi", "theta", "x", "y"], [Q(1, 4), Q(1, 2), 1, 1], [lambda p: -sp.cos(p), lambda p: -sp.sin(p)])
INCLINE = Class(["phi", "x", "y"], [1, 1, 1], [lambda p: -sp.tan(p)], lambda x: -x / 10)
PARTICLE_SQUARE = Class(["x", "y", "z"], [1, 1, 1], [lambda x: x], lambda y: y**2 / 2)
PARTICLE_SINE = Class(["x", "y", "z"], [1, 1, 1], [lambda x: x], lambda y: sp.sin(y))
ROBOT = Class(["theta", "psi", "x", "y"], [1, 3, 1, 1], [lambda p: -sp.cos(p), lambda p: -sp.sin(p)],
              lambda p: 10 * sp.sin(p))

SYSTEMS = {
    "particle (4)": (PARTICLE, PARTICLE.system4()),
    "particle (5)": (PARTICLE, PARTICLE.system5()),
    "knife edge (4)": (KNIFE, KNIFE.system4()),
    "knife edge (5)": (KNIFE, KNIFE.system5()),
    "disk (4)": (DISK, DISK.system4()),
    "disk (5)": (DISK, DISK.system5()),
    "knife edge incline (14)": (INCLINE, INCLINE.system5()),
    "particle y^2/2 (14)": (PARTICLE_SQUARE, PARTICLE_SQUARE.system5()),
    "particle sin y (14)": (PARTICLE_SINE, PARTICLE_SINE.system5()),
    "mobile robot (14)": (ROBOT, ROBOT.system5()),
}


def examine(name):
    system, f = SYSTEMS[name]
    n = system.n
    first, second = POINTS[n]
    helmholtz = Helmholtz(system.q, system.v, f, 3)
    point, again = [[number(x) for x in p] for p in (first, second)]
    phi, nabla = [t(*point) for t in helmholtz.tensor[:2]]
    out = {"coordinates": system.names, "q": [str(x) for x in first[:n]], "v": [str(x) for x in first[n:]],
           "f": [digits(x) for x in sp.lambdify([*system.q, *system.v], list(f), "mpmath")(*point)],
           "on constraint": small(max(system.on_constraint(f, first), system.on_constraint(f, second))),
           "Phi": table(phi), "nabla Phi": table(nabla), "spaces": spaces(helmholtz, point)}
    other = spaces(helmholtz, again)
    out["again"] = {"q": [str(x) for x in second[:n]], "v": [str(x) for x in second[n:]],
                    "same": all(out["spaces"][k][x] == other[k][x] for k in other for x in ("dimension", "rank"))}
    print(f"{name}: on constraint {out['on constraint']}, same at the second point: {out['again']['same']}")
    for k, s in out["spaces"].items():
        null = [[mp.nstr(mp.mpf(x), 6) for x in r] for r in s.get("null", [])]
        print(f"   {k:9s} dim {s['dimension']} rank {s['rank']} gap {s['gap']} {'SINGULAR' if s['singular'] else ''}"
              f" {null or ''}", flush=True)
    return out


def free(system, form):
    """Residuals for a free Lagrangian with all constants C = 1."""
    q, v, n = system.q, system.v, system.n
    N = 1 / sp.sqrt(system.M)
    p = sp.symbols(["p_" + x for x in system.names], real=True)
    I1, I2 = system.I[:2]
    tail = sum(s**2 / (a * v[0]) for s, a in zip(v[2:], system.A))
    part = sum(a * x**2 for a, x in zip(system.A, p[2:]))
    if form == 6:
        L = I1 * v[0]**2 / 2 + (v[1]**2 / v[0] + tail) / (2 * N)
        H = (p[0] + N / 2 * (p[1]**2 + part))**2 / (2 * I1)
        constraints = [x + p[1] for x in p[2:]]
    else:
        assert sp.diff(system.M, q[0]) == 0
        L = I1 * v[0]**2 / 2 + I2 * v[1]**2 / 2 + tail / (2 * N)
        rate = (p[0] + N / 2 * part) / I1
        H = p[1]**2 / (2 * I2) + I1 * rate**2 / 2
        constraints = [I2 * N * rate * x + p[1] for x in p[2:]]
    momentum = [sp.diff(L, x) for x in v]
    hessian = sp.Matrix(momentum).jacobian(v)
    force = sp.Matrix([sp.diff(L, x) for x in q]) - sp.Matrix(momentum).jacobian(q) * sp.Matrix(v)
    energy = sum(x * y for x, y in zip(momentum, v)) - L
    arguments = [*q, *v]
    f = sp.Matrix(system.system5())
    D = -f.jacobian(v) / 2
    gamma = hessian.applyfunc(lambda x: sum(sp.diff(x, a) * b + sp.diff(x, b) * c for a, b, c in zip(q, v, f)))
    number = lambda x: sp.lambdify(arguments, x, "mpmath")
    Hq = sp.lambdify([*q, *p], [H] + [sp.diff(H, x) for x in p] + [-sp.diff(H, x) for x in q], "mpmath")
    image = sp.lambdify([*q, *p], constraints, "mpmath")
    helmholtz, misprint = Helmholtz(q, v, f, 1), Helmholtz(q, v, f, 1, sign=-1)
    worst = {}

    def note(key, x, least=False):
        x = abs(x)
        worst[key] = min(worst.get(key, mp.inf), x) if least else max(worst.get(key, 0), x)

    for point in POINTS[n]:
        x = [mp.mpf(a.p) / a.q for a in point]
        g = mp.matrix(number(hessian.tolist())(*x))
        fq = mp.matrix(number(list(f))(*x))
        F = mp.matrix(number(list(force))(*x))
        P = number(momentum)(*x)
        note("Euler-Lagrange", max(map(abs, mp.lu_solve(g, F) - fq)))
        note("determinant of the Hessian", mp.det(g), least=True)
        h = Hq(*x[:n], *P)
        note("Hamiltonian", h[0] - number(energy)(*x))
        note("dH/dp", max(abs(a - b) for a, b in zip(h[1:n + 1], x[n:])))
        Lq = number([sp.diff(L, a) for a in q])(*x)
        note("dH/dq", max(abs(a - b) for a, b in zip(h[n + 1:], Lq)))
        note("constraints off the constraint", max(map(abs, image(*x[:n], *P))), least=True)
        Dn = mp.matrix(number(D.tolist())(*x))
        rest = mp.matrix(number(gamma.tolist())(*x)) - g * Dn - Dn.T * g
        note("hessian nabla condition", max(abs(rest[i, j]) for i in range(n) for j in range(n)))
        entries = [g[i, j] for i, j in itertools.combinations_with_replacement(range(n), 2)]
        products = lambda rows: max(abs(sum(a * b for a, b in zip(r, entries))) for r in rows)
        conditions = helmholtz.conditions(x)
        note("hessian Phi", products(conditions[0][0]))
        note("hessian nabla Phi", products(conditions[1][0]))
        note("hessian R", max(products(c) for _, c in conditions))
        note("hessian nabla Phi misprint", products(misprint.conditions(x)[1][0]))
        for k, a in enumerate(system.A):
            x[n + 2 + k] = -mp.mpf(a.subs(q[0], x[0])) * x[n + 1]
        note("constraints", max(map(abs, image(*x[:n], *number(momentum)(*x)))))
    out = {k: small(x) for k, x in worst.items()}
    print(f"({form}) {system.names}: " + ", ".join(f"{k} {x}" for k, x in out.items()), flush=True)
    return out


def signs():
    """The Hessian of a Lagrangian without symmetry satisfies all conditions, but not the misprinted one."""
    q = sp.symbols("x y z", real=True)
    v = sp.symbols("u v w", real=True)
    (x, y, z), (a, b, c) = q, v
    L = ((2 + x * y) * a**2 + (3 + z**2) * b**2 + (1 + x**2 + y) * c**2) / 2 + z * a * b + (x - y) * b * c \
        + a**3 * y / 5 + a * b * c * z / 3 + c**4 * x / 7 + x * a * z - x**2 * z - y * z**3 + x * y
    momentum = sp.Matrix([L]).jacobian(v).T
    hessian = momentum.jacobian(v)
    force = sp.Matrix([L]).jacobian(q).T - momentum.jacobian(q) * sp.Matrix(v)
    with mp.workdps(240):  # nested central differences with step 1e-40: errors below 1e-70
        start = [number(a) for a in POINTS[3][0]]
        G, F = [sp.lambdify([*q, *v], T.tolist(), "mpmath", cse=True) for T in (hessian, force)]
        g = lambda s: mp.matrix(G(*s))
        f = lambda s: mp.lu_solve(g(s), mp.matrix(F(*s)))
        e = mp.mpf(10) ** -40
        along = lambda T, s, d: (T([a + e * b for a, b in zip(s, d)]) - T([a - e * b for a, b in zip(s, d)])) / (2 * e)
        unit = lambda k: [mp.mpf(j == k) for j in range(6)]

        def jacobian(s, first):
            columns = [along(f, s, unit(first + k)) for k in range(3)]
            return mp.matrix([[columns[j][i] for j in range(3)] for i in range(3)])

        fv = lambda s: jacobian(s, 3)
        gamma = lambda T, s: along(T, s, [*s[3:], *f(s)])
        phi = lambda s: gamma(fv, s) - 2 * jacobian(s, 0) - fv(s) * fv(s) / 2
        g0, D, P, DP = g(start), -fv(start) / 2, phi(start), gamma(phi, start)
        S = [along(phi, start, unit(3 + k)) for k in range(3)]
        R = lambda j, k, l: S[l][j, k] - S[k][j, l]
        skew = lambda T: max(abs(x) for x in g0 * T - (g0 * T).T)
        out = {"nabla condition": max(abs(x) for x in gamma(g, start) - g0 * D - D.T * g0), "Phi": skew(P),
               "nabla Phi": skew(DP + D * P - P * D), "nabla Phi as printed": skew(DP - D * P - P * D),
               "R": abs(sum(g0[i, j] * R(j, k, l) for i, k, l in ((0, 1, 2), (2, 0, 1), (1, 2, 0)) for j in range(3))),
               "R, first term alone": abs(sum(g0[0, j] * R(j, 1, 2) for j in range(3)))}
    out = {k: small(x) for k, x in out.items()}
    print("signs:", out, flush=True)
    return out


def main():
    out = {"sign": signs(), "free": {"particle (6)": free(PARTICLE, 6), "knife edge (6)": free(KNIFE, 6),
                                     "disk (6)": free(DISK, 6), "disk (7)": free(DISK, 7)}}
    out["systems"] = {name: examine(name) for name in SYSTEMS}
    with open(os.path.join(HERE, "inverse_numbers.json"), "w") as file:
        json.dump(out, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
