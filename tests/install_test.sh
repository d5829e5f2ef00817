#!/usr/bin/env bash
# An installation works where it is put: the catalogue and the compiler are found from the program.   install_test.sh BUILD
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix/somewhere" > /dev/null
mv "$prefix/somewhere" "$prefix/else"
cd "$prefix"
[ "$(env -i ASAN_OPTIONS="${ASAN_OPTIONS:-}" else/bin/rattleback models --json | grep -c '"name"')" -ge 18 ]
env -i ASAN_OPTIONS="${ASAN_OPTIONS:-}" else/bin/rattleback run chaplygin-sleigh -m rk4 --json | grep -q '"outcome": "finished"'
