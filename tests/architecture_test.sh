#!/usr/bin/env bash
# Who may include whom, and who links to what (docs/architecture.md).   architecture_test.sh SOURCE BUILD
set -euo pipefail
cd "$1"
build=$2
failed=0
complain() { echo "$1"; failed=1; }

# A folder of src/ includes only itself and those before it in this list, by whichever path.
order=(base expr model kernel mech geometry method flow observe io ensemble experiment report answer bench cli)
folders=$(IFS='|'; echo "${order[*]}")
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
  done < <(grep -rnoP "#include \"((\.\./)+|src/|rattleback/)?\K($folders)(?=/)" "$folder" "include/rattleback/$name" 2>/dev/null || true)
done

# Each of these is included in one place.
only() { # only PLACE HEADER
  while IFS=: read -r file line _; do
    [[ "$file" == $1* ]] || complain "$file:$line: only $1 may include $2"
  done < <(grep -rn --include='*.[ch]pp' "#include <$2" src include examples benchmarks || true)
}
only src/kernel/llvm/ llvm/
only src/ensemble/mpi/ mpi
only src/cli/parse.cpp CLI/
only src/model/toml_file.hpp toml++
for header in src/*/*.hpp src/*/*.cpp; do
  case "$header" in src/method/cvode/* | src/bench/*) continue ;; esac
  ! grep -qE '#include <(cvode|ida|nvector|sun)' "$header" || complain "$header: only src/method/cvode/ and src/bench/ may include SUNDIALS"
done
! grep -rnE '#include <(boost|Eigen|hdf5|nlohmann|toml|fmt)' include | grep -v kernel/quadruple.hpp ||
  complain "public headers include nothing but the standard library; kernel/quadruple.hpp includes Boost"

# Two types of one name are one to the linker, whatever they contain. Their headers are never seen together, so the
# compiler does not complain.
defined=$(grep -rlE '^namespace ' --include='*.hpp' src include | while IFS= read -r header; do
  awk '/^namespace [a-z:]+ \{/ {within = $2}
    match($0, /^(class|struct|enum class) [A-Z][A-Za-z0-9]* /) && !/;$/ {
      split(substr($0, RSTART, RLENGTH), words, " "); name = words[length(words)]; print within "::" name }' "$header" | sort -u
done | sort | uniq -d)
for name in $defined; do complain "$name is defined in two headers"; done

# Who links to what: the libraries as they are exported.
exported=$(find "$build/CMakeFiles/Export" -name rattlebackTargets.cmake | head -1)
[ -n "$exported" ] || complain "no exported libraries in $build"
links() { # links LIBRARY: its own link interface
  awk -v target="set_target_properties(rattleback::$1 " 'index($0, target) {on = 1} on && /INTERFACE_LINK_LIBRARIES/ {print; exit} on && /^\)/ {exit}' "$exported"
}
for library in base expr model kernel quadruple mech geometry method flow observe io ensemble experiment report answer; do
  found=$(links $library)
  for pair in "Qhull observe" "hdf5 io,ensemble,experiment" "quadmath quadruple" "SUNDIALS nobody" "LLVM nobody"; do
    read -r needed users <<< "$pair"
    [[ "$found" != *"$needed"* ]] || [[ ",$users," == *",$library,"* ]] || complain "rattleback::$library links to $needed; only $users may"
  done
done
exit "$failed"
