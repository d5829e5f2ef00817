"""Times at which a ball bounces on a table of height a sin(w t), for tests/flow/event_test.cpp: zeros of
z + v s - g s^2/2 - a sin(w (t + s)) in 30 digits."""
from mpmath import mp, mpf, sin, cos, findroot, nstr

mp.dps = 30
g, a, w, e = mpf("9.81"), mpf("0.1"), mpf(2), mpf("0.8")
t, z, v = mpf(0), mpf(1), mpf(0)
while True:
    height = lambda s: z + v * s - g * s * s / 2 - a * sin(w * (t + s))
    s, ds = mpf("1e-6"), mpf("1e-4")
    while height(s + ds) > 0:
        s += ds
    s = findroot(height, (s, s + ds), solver="anderson", tol=1e-28)
    t, z, v = t + s, z + v * s - g * s * s / 2, v - g * s
    if t > 2:
        break
    v = -e * v + (1 + e) * a * w * cos(w * t)
    print(nstr(t, 20), nstr(v, 20))
