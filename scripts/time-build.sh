#!/usr/bin/env bash
# What a command costs in a new clone of this repository, in CPU seconds (user + system) and on the clock.
#
#   scripts/time-build.sh                   make run, without a compiler cache
#   scripts/time-build.sh .ci/run           another command
#   scripts/time-build.sh --cache .ci/run   with the cache as it is: ccache of earlier builds, in whichever folder
set -euo pipefail
export CCACHE_DISABLE=1
[ "${1:-}" != --cache ] || { unset CCACHE_DISABLE; shift; }
command=("$@")
[ ${#command[@]} -gt 0 ] || command=(make run)
top=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
git clone --quiet "$top" "$place/rattleback"
cd "$place/rattleback"
TIMEFORMAT="${command[*]}: %U s user, %S s system, %R s on the clock"
status=0
time "${command[@]}" || status=$?
exit "$status"
