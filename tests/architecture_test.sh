#!/usr/bin/env bash
# A folder of src/ may include only itself and those before it in this list (docs/architecture.md);
# LLVM is included by src/kernel/llvm/ alone, MPI by src/ensemble/mpi/, CLI11 by src/cli/parse.cpp.
set -euo pipefail
cd "$1"
order=(expr kernel mech geometry method flow observe ensemble io experiment report bench cli)
failed=0
complain() { echo "$1"; failed=1; }
for folder in src/*/; do
  name=$(basename "$folder")
  allowed=" "
  known=no
  for earlier in "${order[@]}"; do
    allowed+="$earlier "
    [ "$earlier" = "$name" ] && { known=yes; break; }
  done
  [ "$known" = yes ] || complain "src/$name is not in the list of folders in $0"
  while IFS=: read -r file line included; do
    [[ "$allowed" == *" $included "* ]] || complain "$file:$line: src/$name must not include $included/"
  done < <(grep -rnoP '#include "rattleback/\K[a-z]+(?=/)' "$folder" "include/rattleback/$name" 2>/dev/null || true)
done
while IFS=: read -r file line _; do
  [[ "$file" == src/kernel/llvm/* ]] || complain "$file:$line: only src/kernel/llvm/ may include LLVM"
done < <(grep -rn --include='*.[ch]pp' '#include <llvm/' src include tests examples benchmarks || true)
while IFS=: read -r file line _; do
  [[ "$file" == src/ensemble/mpi/* ]] || complain "$file:$line: only src/ensemble/mpi/ may include MPI"
done < <(grep -rn --include='*.[ch]pp' '#include <mpi' src include tests examples benchmarks || true)
while IFS=: read -r file line _; do
  [ "$file" = src/cli/parse.cpp ] || complain "$file:$line: only src/cli/parse.cpp may include CLI11"
done < <(grep -rn --include='*.[ch]pp' '#include <CLI/' src include tests examples benchmarks || true)
exit "$failed"
