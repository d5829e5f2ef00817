#!/usr/bin/env bash
# Runs every fuzzer of a build with the corpus of the repository: fuzz.sh BUILD RUNS
set -euo pipefail
build=$1
runs=$2
top=$(cd "$(dirname "$0")/.." && pwd)
for fuzzer in "$build"/*_fuzzer; do
  name=$(basename "$fuzzer" _fuzzer)
  found=$(mktemp -d)
  trap 'rm -rf "$found"' EXIT
  length=200
  [ "$name" = model ] && length=1200  # a model is longer than an expression
  echo "$name: $runs inputs"
  # New inputs go to a scratch folder; a finding is kept beside the build.
  "$fuzzer" -runs="$runs" -max_len="$length" -timeout=60 -rss_limit_mb=2048 -seed=1 -print_final_stats=1 -verbosity=0 \
    -dict="$top/tests/fuzz/$name.dict" -artifact_prefix="$build/$name-finding-" \
    "$found" "$top/tests/fuzz/corpus/$name"
done
