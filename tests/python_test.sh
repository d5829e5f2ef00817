#!/usr/bin/env bash
# The Python package does what docs/python.md and its docstrings say.   python_test.sh SOURCE BUILD [PYTHON]
set -euo pipefail
source=$1
build=$2
python=${3:-}
skip() { echo "SKIPPED: the tests of the Python package need $1"; exit 77; }
[ -n "$python" ] && compgen -G "$build/python/rattleback/_core*.so" > /dev/null || skip "python3-dev and pybind11-dev"
"$python" -c 'import numpy, pytest' 2> /dev/null || skip "python3-numpy and python3-pytest"
cd "$build" # not beside the sources, which are no package
RATTLEBACK_COMMAND="$build/rattleback" PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -p no:cacheprovider -r s "$source/python/tests"
