#!/usr/bin/env bash
# Runs fuzzers of a build with the corpus of the repository: fuzz.sh BUILD RUNS NAME…
set -euo pipefail
build=$1
runs=$2
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
for name in "$@"; do
  fuzzer=$build/${name}_fuzzer
  found=$(mktemp -d)
  trap 'rm -rf "$found"' EXIT
  length=1200
  case "$name" in parse | quantity) length=200 ;; esac  # an expression is shorter than a file
  echo "$name: $runs inputs"
  # New inputs go to a scratch folder; a finding is kept beside the build.
  "$fuzzer" -runs="$runs" -max_len="$length" -timeout=10 -rss_limit_mb=2048 -seed=1 -print_final_stats=1 -verbosity=0 \
    -dict="$top/tests/fuzz/$name.dict" -artifact_prefix="$build/$name-finding-" \
    "$found" "$top/tests/fuzz/corpus/$name"
done
