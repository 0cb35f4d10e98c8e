#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fault suite of a build and writes docs/reference/faults.md. As root. Tests that this build leaves out, and
# those of other folders, keep their rows.
# usage: tests/fault/record.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
rows=$(mktemp)
output=$(mktemp)
trap 'rm -f "$rows" "$output"' EXIT
run() {
  if ! HILGATE_FAULTS=$rows "$@" > "$output"; then
    grep -A4 -aE 'Failure|^\[  FAILED' "$output" >&2
    echo "record: $* failed" >&2
    exit 1
  fi
  # shellcheck disable=SC2016 # code quotes of Markdown
  sed -n 's/^\[  SKIPPED \] \([^ ]*\) (.*/| `\1` |/p' "$output" | while read -r end; do
    grep -F "$end" docs/reference/faults.md >> "$rows" || true
  done
}
HILGATE_CHANGE_SECONDS=60 run "$build/tests/fault_tests"
python3 tests/fault/rows.py . --elsewhere >> "$rows"
mkdir -p docs
{
  echo "# Faults and what the gateway promises"
  echo
  echo "Written by \`tests/fault/record.sh\`; each row is a test, of \`tests/fault/\` where something is measured."
  echo "Times are of a debug build on a busy machine of two cores. \"Other pair\": two robots that have nothing to do"
  echo "with the fault and send a frame each 2 ms; after every fault on a running gateway the books balance, and it"
  echo "holds as many descriptors, threads, BPF programs and maps as before. The simulators are on this machine, too,"
  echo "so that the tests leave 40 points of room for missed windows; with an optimised build on an idle machine"
  echo "\`tests/bench/missed_windows.py\` measures what is promised ([figures.md](figures.md))."
  echo
  echo "| Fault | Promise | Measured | Test |"
  echo "|---|---|---|---|"
  sort "$rows"
} > docs/reference/faults.md
