#!/usr/bin/env bash
# Compile time, size and calls of the same module with nanobind (of pip) and pybind11 (of Debian).   measure.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
/usr/bin/python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q nanobind
cmake -S "$here" -B "$folder" -DPython_EXECUTABLE="$folder/venv/bin/python" \
  -Dnanobind_ROOT="$("$folder/venv/bin/python" -m nanobind --cmake_dir)" > /dev/null
cmake --build "$folder" > /dev/null
for name in with_nanobind with_pybind11; do
  touch "$here/$name.cpp"
  echo "$name"
  ( TIMEFORMAT='  %U s to compile'; time cmake --build "$folder" --target "$name" > /dev/null )
  strip "$folder/$name".*.so
  echo "  $(stat -c %s "$folder/$name".*.so) bytes"
  PYTHONPATH=$folder "$folder/venv/bin/python" -c "
import time, timeit, $name as m
sim = m.Sim()
for what, call in (('step()', sim.step), ('step(n=1)', lambda: sim.step(n=1))):
    best = min(timeit.repeat(call, number=200000, repeat=5, timer=time.process_time))
    print(f'  {what} {best / 200000 * 1e9:.0f} ns')"
done
