#!/usr/bin/env bash
# Line coverage of src/ after the tests of a coverage build: coverage.sh BUILD
set -euo pipefail
build=$1
top=$(cd "$(dirname "$0")/.." && pwd)
(cd "$build" && find . -name '*.gcda' -path '*src*' -print0 | xargs -0 gcov -r -s "$top" -n) 2>/dev/null |
  awk -v top="$top/" '
    /^File/ { gsub(/\x27/, ""); file = $2 }
    /^Lines executed/ { split($0, part, /[:%]/); sub(/.* of /, ""); n = $0; if (file ~ /^src\//) { lines[file] = n; pct[file] = part[2] }; file = "" }
    END { for (f in lines) { printf "%6.2f%% of %5d  %s\n", pct[f], lines[f], f; all += lines[f]; hit += lines[f] * pct[f] / 100 }
          printf "%6.2f%% of %5d  total\n", 100 * hit / all, all }' | sort -k4 | tee "$build/coverage.txt"
