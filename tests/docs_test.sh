#!/usr/bin/env bash
# What the documents show is what the programs do.   docs_test.sh SOURCE BUILD
#   ```cpp      every line stands in an example, and the examples run
#   ```toml     a first line "# NAME.toml" makes it a file for the commands after it
#   ```console  "$ command" is run; each line after it is a line of its output, up to white space. "..." stands for any
#               lines, "(exit status N)" for an exit status that is not 0. What takes five minutes hangs
set -euo pipefail
source=$1
build=$2
failed=0
complain() { echo "$1"; failed=1; }
squeeze() { sed 's/[[:space:]]\+/ /g; s/^ //; s/ $//'; }
documents=("$source"/README.md "$source"/docs/*.md)

examples=$(cat "$source"/examples/*.cpp | squeeze)
for document in "${documents[@]}"; do
  while IFS= read -r line; do
    [ "$line" = "…" ] || grep -qF -- "$line" <<< "$examples" || complain "$document shows a line that no example has: $line"
  done < <(awk '/^```cpp/ {on = 1; next} /^```/ {on = 0} on' "$document" | squeeze)
done
for example in "$source"/examples/*.cpp; do
  timeout -k 5 300 "$build/$(basename "$example" .cpp)" > /dev/null < /dev/null || complain "$example fails"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$build:$PATH"

# check DOCUMENT COMMAND EXPECTED
check() {
  local wanted=0 output status=0 line
  output=$(cd "$scratch" && timeout -k 5 300 bash -c "$2" 2>&1 < /dev/null) || status=$?
  output=$(squeeze <<< "$output")
  while IFS= read -r line; do
    case "$line" in
      '(exit status '*) wanted=${line//[^0-9]/} ;;
      '' | ...) ;;
      *) grep -qxF -- "$line" <<< "$output" || complain "$1: '$2' does not print: $line"$'\n'"$output" ;;
    esac
  done < <(squeeze <<< "$3")
  [ "$status" = "$wanted" ] || complain "$1: '$2' ends with status $status, not $wanted"
}
for document in "${documents[@]}"; do
  block=none command= expected= file=
  while IFS= read -r line; do
    case "$block:$line" in
      none:'```console') block=console command= expected= ;;
      none:'```toml') block=toml file= ;;
      none:*) ;;
      toml:'```') block=none ;;
      toml:'# '*.toml) [ -n "$file" ] || { file="$scratch/${line#\# }"; : > "$file"; } ; echo "$line" >> "$file" ;;
      toml:*) [ -z "$file" ] || echo "$line" >> "$file" ;;
      console:'```' | console:'$ '*)
        [ -z "$command" ] || check "$document" "$command" "$expected"
        command=${line#\$ } expected=
        [ "$line" != '```' ] || { block=none command=; } ;;
      console:*) expected+="$line"$'\n' ;;
    esac
  done < "$document"
done

# The catalogue's page has every model.
for model in "$source"/models/*.toml; do
  grep -qF "models/$(basename "$model"))" "$source/docs/catalogue.md" || complain "docs/catalogue.md does not mention $model"
done
# Ensembles that documents name, and that take too long to be run here, can be read.
while IFS= read -r ensemble; do
  "$build/rattleback" ensemble "$source/$ensemble" --dry-run > /dev/null || complain "the documents name $ensemble, which is no ensemble"
done < <(grep -ohP 'rattleback ensemble \Kexamples/\S+\.toml' "${documents[@]}" | sort -u)
# Every file a document links to exists.
for document in "${documents[@]}" "$source"/CONTRIBUTING.md; do
  while IFS= read -r target; do
    [ -e "$(dirname "$document")/$target" ] || complain "$document links to $target, which does not exist"
  done < <(grep -oP '\]\(\K[^)#:]+(?=\))' "$document" || true)
done
# Every target the documents mention exists.
while IFS= read -r target; do
  grep -qE "^$target:" "$source/Makefile" || complain "the documents mention 'make $target', which does not exist"
done < <(grep -ohP '(`|^    )make \K[a-z]+(?=[` #]|$)' "$source"/README.md "$source"/CONTRIBUTING.md "$source"/docs/*.md | sort -u)
exit "$failed"
