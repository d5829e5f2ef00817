"""How the energy of an ensemble spreads.   python3 energy.py RESULT.h5 FROM TO   (needs numpy and h5py)

For each method and step: mean and standard deviation of E(t) - E(0) over the members; the exponent of t in the standard
deviation and the constant D in "variance = constant + D t", fitted to the times between FROM and TO; and the exponent of the
step in D. Error bars are standard deviations over 1000 bootstrap samples of the members. A member that fails has no energy
any more: it is counted, and a method is fitted only to times that all its members reach.
"""
import sys
import h5py
import numpy as np

file = h5py.File(sys.argv[1])
first, last = float(sys.argv[2]), float(sys.argv[3])
errors = file["times/energy"][:] - file["times/energy"][:, :1]
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
        e = errors[(method == k) & (step == h)]
        print(name if isinstance(name, str) else name.decode(), f"h = {h:g}" if h else "", f"({len(e)} members)")
        for t, values in zip(times, e.T):
            there = values[np.isfinite(values)]
            if t > 0 and len(there) > 1:
                print(f"  t = {t:<8g} mean {there.mean():10.3g} ± {there.std(ddof=1) / len(there)**0.5:<8.2g} standard deviation"
                      f" {there.std(ddof=1):<9.3g} largest {abs(there).max():<9.3g} failed {len(values) - len(there)}")
        use = (times >= first) & (times <= last) & np.isfinite(e).all(axis=0)
        if use.sum() < 2:
            continue
        samples = e[draw.integers(len(e), size=(1000, len(e)))][:, :, use]
        (exponent, d), (exponents, ds) = fits(e[:, use], times[use]), fits(samples, times[use])
        print(f"  t = {times[use][0]:g} to {times[use][-1]:g}: exponent of t {exponent:.3f} ± {exponents.std():.3f},"
              f" D = {d:.3g} ± {ds.std():.1g}")
        scaling.append((h, d, ds))
    if len(scaling) > 1 and all((ds > 0).all() for _, _, ds in scaling):
        h, d, ds = (np.array(column) for column in zip(*scaling))
        print(f"  exponent of h in D: {slope(np.log(h), np.log(d)):.2f} ± {slope(np.log(h), np.log(ds.T)).std():.2f}")
