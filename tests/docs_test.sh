#!/usr/bin/env bash
# What the documents show is what the programs do: their C++ stands in the examples, the examples run,
# and the output in the README is what its example prints.   docs_test.sh SOURCE BUILD
set -euo pipefail
source=$1
build=$2
failed=0
complain() { echo "$1"; failed=1; }
squeeze() { sed 's/[[:space:]]\+/ /g; s/^ //; s/ $//'; }

examples=$(cat "$source"/examples/*.cpp | squeeze)
for document in "$source"/README.md "$source"/docs/*.md; do
  while IFS= read -r line; do
    [ "$line" = "…" ] || grep -qF -- "$line" <<< "$examples" || complain "$document shows a line that no example has: $line"
  done < <(awk '/^```cpp/ {on = 1; next} /^```/ {on = 0} on' "$document" | squeeze)
done
"$build/many_trajectories" > /dev/null || complain "examples/many_trajectories.cpp fails"

shown=$(grep -A1 'build/first_model$' "$source/README.md" | tail -n 1 | squeeze)
printed=$("$build/first_model" | squeeze)
[ "$shown" = "$printed" ] || complain "README.md says '$shown', the example prints '$printed'"

# Every file a document links to exists.
for document in "$source"/README.md "$source"/CONTRIBUTING.md "$source"/docs/*.md; do
  while IFS= read -r target; do
    [ -e "$(dirname "$document")/$target" ] || complain "$document links to $target, which does not exist"
  done < <(grep -oP '\]\(\K[^)#:]+(?=\))' "$document" || true)
done
# Every target the documents mention exists.
while IFS= read -r target; do
  grep -qE "^$target:" "$source/Makefile" || complain "the documents mention 'make $target', which does not exist"
done < <(grep -ohP '`?make \K[a-z]+(?=[` #])' "$source"/README.md "$source"/CONTRIBUTING.md "$source"/docs/*.md | sort -u)
exit "$failed"
