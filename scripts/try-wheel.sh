#!/usr/bin/env bash
# Makes the wheel as `pip install .` does, in an isolated environment, and tries it: in a new virtual environment, beside
# heyoka, casadi and sympy, and in a Debian without our packages (needs root and debootstrap; else left out).
#   scripts/try-wheel.sh [PYTHON] [FOLDER]
# FOLDER keeps what was made; it is a temporary one otherwise. RATTLEBACK_MIRROR is where the Debian comes from.
set -euo pipefail
python=${1:-/usr/bin/python3}
folder=${2:-$(mktemp -d)}
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
cd "$folder"

run=$(cat << 'END'
import rattleback as rb
s = rb.model("chaplygin-sleigh")
assert "LLVM" not in open("/proc/self/maps").read() and "jit" not in open("/proc/self/maps").read()
s.run("dla:order=4", step=0.01, time=1000)  # a short run is interpreted
assert "rattleback-jit" in open("/proc/self/maps").read()  # or nothing was compiled
ours = s.run("dla:order=4", step=0.1, time=10)
reference = s.run("reference", step=0.1, time=10)
print("dla and reference differ by", float(abs(ours.q[-1] - reference.q[-1]).max()))
assert abs(ours.q[-1] - reference.q[-1]).max() < 1e-3
assert rb.model("quadratic-particle").analyse()["hamiltonizable"]["multiplier"]["expression"] == "1/sqrt(y^2 + 1)"
ours.save("run.h5", force=True)
assert (rb.open("run.h5").q == ours.q).all()
ours.report("run.html", force=True)
END
)

# Compiles something with each of four packages, in the order of the arguments.
beside=$(cat << 'END'
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
import casadi, heyoka, numpy, rattleback, sympy
def ours():
    assert rattleback.model("quadratic-particle").run("dla", step=0.1, time=1).outcome == "finished"
def theirs():
    x, v = heyoka.make_vars("x", "v")
    ta = heyoka.taylor_adaptive([(x, v), (v, -heyoka.sin(x))], [0.1, 0.0])
    ta.propagate_until(1.0)
    assert abs(ta.state[0]) < 0.1
    a = casadi.SX.sym("a")
    assert abs(float(casadi.Function("f", [a], [casadi.sin(a)])(0.5)) - 0.479425538604203) < 1e-15
    assert rattleback.to_sympy(rattleback.sin(rattleback.symbols("y"))) == sympy.sin(sympy.Symbol("y"))
for act in (ours, theirs) if sys.argv[1] == "rattleback" else (theirs, ours):
    act()
ours(), theirs()
print("used together, imported as", *sys.argv[1:])
END
)

rm -rf fresh
"$python" -m venv fresh
fresh/bin/pip -q install --upgrade pip
fresh/bin/pip -q wheel --no-deps --wheel-dir wheels "$source"
wheel=$(ls -t wheels/rattleback-*-"$(fresh/bin/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')"-*.whl | head -n 1)
echo "$wheel: $(du -h "$wheel" | cut -f 1)"
fresh/bin/pip -q install "$wheel"
fresh/bin/python -c "$run"
fresh/bin/python - << 'END'
import resource, subprocess, sys
def once():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import rattleback"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(f"import rattleback: {min(once() for _ in range(5)):.3f} s of CPU time")
END
fresh/bin/pip -q install heyoka casadi sympy
fresh/bin/python -c "$beside" rattleback heyoka casadi sympy
fresh/bin/python -c "$beside" sympy casadi heyoka rattleback

if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null || [ "$python" != /usr/bin/python3 ]; then
  echo "LEFT OUT: a Debian without our packages needs root, debootstrap and /usr/bin/python3"
  exit
fi
if [ ! -x debian/usr/bin/python3 ]; then
  debootstrap --variant=minbase --include=python3,python3-venv bookworm debian ${RATTLEBACK_MIRROR:-} > debootstrap.log
fi
[ -z "$(find debian/usr/lib -name 'libLLVM*' -o -name 'libsundials*' -o -name 'libsleef*' -o -name 'libhdf5*')" ]
fresh/bin/pip -q download --only-binary :all: --dest debian/wheels "numpy>=1.24"
cp "$wheel" debian/wheels
chroot debian /bin/sh -c 'python3 -m venv /venv && /venv/bin/pip -q install --no-index --find-links /wheels rattleback'
mkdir -p debian/proc
mount -t proc proc debian/proc
trap 'umount "$folder/debian/proc"' EXIT
chroot debian /venv/bin/python -c "$run"
echo "used in a Debian with $(chroot debian dpkg --get-selections | wc -l) packages"
