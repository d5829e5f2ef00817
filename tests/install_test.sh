#!/usr/bin/env bash
# An installation works where it is put: the command finds what belongs to it, and programs outside the tree find the
# package.   install_test.sh SOURCE BUILD
set -euo pipefail
source=$1
build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
complain() { echo "$1"; exit 1; }
cmake --install "$build" --prefix "$place/somewhere" > /dev/null
mv "$place/somewhere" "$place/else"
cd "$place"
prefix=$place/else
clean() { env -i PATH=/usr/bin:/bin ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$@"; }

[ "$(clean else/bin/rattleback models --json | grep -c '"name"')" -ge 18 ]
clean else/bin/rattleback run chaplygin-sleigh -m rk4 --json | grep -q '"outcome": "finished"'
clean else/bin/rattleback run chaplygin-sleigh --json | grep -q '"outcome": "finished"' # CVODE
for file in man/man1/rattleback.1 man/man1/rattleback-run.1 bash-completion/completions/rattleback \
    zsh/*/_rattleback fish/vendor_completions.d/rattleback.fish; do
  [ -s "$(echo else/share/$file)" ] || complain "$file is not installed"
done

# A program that reads a model and integrates it.
cmake -S "$source/examples/package" -B outside -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" > /dev/null
cmake --build outside > /dev/null
needed=$(ldd outside/rolling)
for library in qhull hdf5 sundials LLVM mpi; do
  ! grep -qi "lib$library" <<< "$needed" || complain "a program that integrates with dla needs $library: $needed"
done
compiled=$(clean env RATTLEBACK_PREFIX="$prefix" outside/rolling)
grep -q ', compiled)' <<< "$compiled" || complain "the compiler is not found: $compiled"
rm "$prefix"/lib*/rattleback/librattleback-jit.so "$prefix"/lib*/*/rattleback/librattleback-jit.so 2>/dev/null || true
interpreted=$(clean env RATTLEBACK_PREFIX="$prefix" outside/rolling)
[ "$interpreted" = "${compiled/, compiled/, interpreted}" ] || complain "not the same without a compiler: $interpreted"
cp "$source/models/rolling-disk.toml" mine.toml
clean outside/rolling mine.toml | grep -q "energy" || complain "a model file is not read"

# Parts that the package does not have are refused.
sed 's/COMPONENTS core/COMPONENTS wheels/' "$source/examples/package/CMakeLists.txt" > CMakeLists.txt
answer=$(cmake -S . -B refused -DCMAKE_PREFIX_PATH="$prefix" 2>&1) && complain "an unknown component is accepted"
grep -q "no component wheels" <<< "$answer" || complain "not the message about an unknown component: $answer"
