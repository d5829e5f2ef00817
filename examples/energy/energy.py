"""How the energy of an ensemble spreads.   python3 energy.py RESULT.h5 FROM TO   (needs numpy and h5py)

For each method and step: mean and standard deviation of E(t) - E(0) over the members; the exponent of t in the standard
deviation and the constant D in "variance = constant + D t", fitted to the times between FROM and TO; and the exponent of the
step in D, from one step to the next. Error bars are standard deviations over 1000 bootstrap samples of the members. A member
that has failed has no energy any more: it is counted, also among those that are off by more than 10 %, and a method is fitted
only to times that all its members reach.
"""
import sys
import h5py
import numpy as np

file = h5py.File(sys.argv[1])
first, last = float(sys.argv[2]), float(sys.argv[3])
start = file["times/energy"][:, :1]
errors = file["times/energy"][:] - start
times = np.nanmax(file["times/time"][:], axis=0)
method = file["method"][:]
step = file["varied/step"][:] if "varied/step" in file else np.zeros(len(method))
draw = np.random.default_rng(1)


def slope(x, y):  # of the straight line, by least squares, for each row of y
    x = x - x.mean()
    return y @ x / (x @ x)


def fits(e, t):  # exponent of t, and D; each time weighs by its relative error
    variance = e.var(axis=-2, ddof=1)
    by_t = slope(1 / t, variance / t)  # variance/t = D + constant/t
    return slope(np.log(t), 0.5 * np.log(variance)), (variance / t).mean(axis=-1) - by_t * (1 / t).mean()


for k, name in enumerate(file.attrs["methods"]):
    scaling = []
    for h in sorted(set(step[method == k]), reverse=True):
        members = (method == k) & (step == h)
        e, allowed = errors[members], 0.1 * abs(start[members, 0])
        print(name if isinstance(name, str) else name.decode(), f"h = {h:g}" if h else "", f"({len(e)} members)")
        for t, values in zip(times, e.T):
            there = values[np.isfinite(values)]
            if t > 0:
                spread = there.std(ddof=1) if len(there) > 1 else np.nan
                mean = there.mean() if len(there) else np.nan
                print(f"  t = {t:<8g} mean {mean:10.3g} ± {spread / max(len(there), 1)**0.5:<8.2g} standard deviation {spread:<9.3g}"
                      f" failed {len(values) - len(there):<4} off by 10 % {(~(abs(values) <= allowed)).sum()}")
        use = (times >= first) & (times <= last) & np.isfinite(e).all(axis=0)
        if use.sum() < 2:
            continue
        samples = e[draw.integers(len(e), size=(1000, len(e)))][:, :, use]
        (exponent, d), (exponents, ds) = fits(e[:, use], times[use]), fits(samples, times[use])
        print(f"  t = {times[use][0]:g} to {times[use][-1]:g}: exponent of t {exponent:.3f} ± {exponents.std():.3f},"
              f" D = {d:.3g} ± {ds.std():.1g}")
        scaling.append((h, d, ds))
    for (h, d, ds), (half, e, es) in zip(scaling, scaling[1:]):
        exponent, exponents = (np.log(a / b) / np.log(h / half) for a, b in ((d, e), (ds, es)))
        print(f"  D from h = {h:g} to {half:g}: exponent of h {exponent:.2f} ± {exponents.std():.2f}")
