#!/usr/bin/env python3
"""The figure long_run_energy.svg: energy error of the quadratic particle over T = 10^6 with h = 0.2.

    PATH=build:$PATH python3 docs/figures/long_run_energy.py

runs `rattleback run quadratic-particle -m METHOD --step 0.2 --time 1e6 --every 50` for three methods and draws the largest
|E - E(0)| of the recorded nodes in each of 200 intervals, on a logarithmic scale.
"""
import csv
import math
import pathlib
import subprocess
import tempfile

METHODS = {"rk4": "#b23", "dla:midpoint": "#26a", "dla:midpoint:order=4": "#283"}
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 330, 64, 44, 16, 28
LOW, HIGH, END = -6.0, 0.5, 1e6


def errors(method):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.csv"
        subprocess.run(["rattleback", "run", "quadratic-particle", "-m", method, "--step", "0.2", "--time", "1e6",
                        "--every", "50", "-o", str(file), "--quiet"], check=True)
        rows = [(float(r["time"]), abs(float(r["energy"]) - 1.5)) for r in csv.DictReader(file.open())][1:]
    size = len(rows) // 200
    return [(rows[i][0], max(e for _, e in rows[i:i + size])) for i in range(0, size * 200, size)]


def x(t):
    return LEFT + t / END * (WIDTH - LEFT - RIGHT)


def y(error):
    return TOP + (HIGH - math.log10(max(error, 1e-16))) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM)


def text(at_x, at_y, words, anchor="middle", colour="#333"):
    return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
         f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
for power in range(int(LOW), 1):
    lines.append(f'<path d="M{LEFT} {y(10 ** power):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
    lines.append(text(LEFT - 8, y(10 ** power) + 4, f"10<tspan dy='-5' font-size='9'>{power}</tspan>", "end"))
for k in range(6):
    lines.append(text(x(k * 2e5), HEIGHT - BOTTOM + 18, f"{k * 2}·10<tspan dy='-5' font-size='9'>5</tspan>" if k else "0"))
lines.append(text(0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 8, "t"))
lines.append(f'<text transform="translate(16 {0.5 * (TOP + HEIGHT - BOTTOM):.0f}) rotate(-90)" text-anchor="middle" fill="#333">'
             "energy error</text>")
for method, colour in METHODS.items():
    points = errors(method)
    path = "L".join(f"{x(t):.1f} {y(e):.1f}" for t, e in points)
    lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    lines.append(text(WIDTH - RIGHT - 6, y(points[-1][1]) - 6, method, "end", colour))
lines.append("</svg>")
(pathlib.Path(__file__).parent / "long_run_energy.svg").write_text("\n".join(lines) + "\n")
