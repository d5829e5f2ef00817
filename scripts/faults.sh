#!/usr/bin/env bash
# The whole fault suite on a build, of which the tests run a part: faults.sh BUILD [TIMES]
# TIMES is how many times as many hostile files are made as in the tests. RATTLEBACK_SEED changes the random choices.
set -euo pipefail
build=$1
export RATTLEBACK_FAULTS=${2:-20}
status=0
for program in "faults_test" "interrupt_test" "hostile_test" "method_test --gtest_filter=*Units*"; do
  echo "== $program"
  # shellcheck disable=SC2086  # a program and its arguments
  "$build"/$program --gtest_brief=1 || status=1
done
exit "$status"
