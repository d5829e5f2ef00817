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
for file in man/man1/rattleback.1 man/man1/rattleback-run.1 bash-completion/completions/rattleback \
    zsh/*/_rattleback fish/vendor_completions.d/rattleback.fish; do
  [ -s "$(echo else/share/$file)" ] || { echo "$file is not installed"; exit 1; }
done
