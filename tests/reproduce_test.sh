#!/usr/bin/env bash
# Reproduces all papers and makes one page of each kind.   reproduce_test.sh SOURCE BUILD PAGES
set -euo pipefail
source=$1
build=$2
pages=$3
rm -rf "$pages"
mkdir -p "$pages"
cd "$pages"
rattleback=$build/rattleback

# Every claim as it should be, or the exit status is 1.
"$rattleback" reproduce all -o reproduced --markdown papers.md --quiet
"$rattleback" reproduce cm fe me ev/3.4-oscillators gv/5.3-free -o again --quiet
(cd again && find . -type f ! -name '*.html') | while IFS= read -r file; do
  cmp "reproduced/$file" "again/$file" || { echo "the data of two runs differ"; exit 1; }
done
rm -r again

# The documents show the same claims with the same numbers; round-off is not the same on all machines.
numbers='-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?'
compare() {
  awk -v pattern="$numbers" '
    function close_to(a, b) { d = a - b; if (d < 0) d = -d; s = a < 0 ? -a : a; return d <= 0.02 * s || (s < 1e-9 && b < 1e-9 && b > -1e-9) }
    NR == FNR { line[NR] = $0; count = NR; next }
    { old = line[FNR]; new = $0; a = old; b = new; gsub(pattern, "#", a); gsub(pattern, "#", b); same = (a == b)
      while (same && match(old, pattern)) {
        x = substr(old, RSTART, RLENGTH); old = substr(old, RSTART + RLENGTH)
        match(new, pattern); y = substr(new, RSTART, RLENGTH); new = substr(new, RSTART + RLENGTH)
        if (!close_to(x + 0, y + 0)) same = 0
      }
      if (!same) { print "docs/papers.md:" FNR ": " line[FNR]; print "now:            " $0; bad = 1 } }
    END { if (FNR != count) { print "docs/papers.md has " count " lines, now there are " FNR; bad = 1 } exit bad }' "$1" "$2"
}
compare "$source/docs/papers.md" papers.md || {
  echo "make it anew: rattleback reproduce all --markdown docs/papers.md"
  exit 1
}

"$rattleback" run rolling-disk -m dla --observe midpoint-energy,symplectic --report run.html --quiet
"$rattleback" compare chaplygin-sleigh -m reference,dla,rk4 --report compare.html --quiet
"$rattleback" converge quadratic-particle -m dla,dla:order=4,rk4 --time 5 --to 400 --count 6 --report converge.html --quiet
