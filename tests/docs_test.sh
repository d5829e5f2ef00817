#!/usr/bin/env bash
# What the documents show is what the programs do: code in the README stands in the example it
# names, and the output beside it is what the example prints.   docs_test.sh SOURCE BUILD
set -euo pipefail
source=$1
build=$2
failed=0
complain() { echo "$1"; failed=1; }
squeeze() { sed 's/[[:space:]]\+/ /g; s/^ //; s/ $//'; }

code=$(awk '/^```cpp/ {on = 1; next} /^```/ {on = 0} on' "$source/README.md" | squeeze)
example=$(squeeze < "$source/examples/first_model.cpp")
while IFS= read -r line; do
  grep -qF -- "$line" <<< "$example" || complain "README.md shows a line that examples/first_model.cpp does not have: $line"
done <<< "$code"

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
