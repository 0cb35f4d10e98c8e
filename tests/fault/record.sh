#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fault suite of a build and writes docs/faults.md. As root.
# usage: tests/fault/record.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for suite in "$build"/tests/fault_*test; do
  HILGATE_FAULTS=$rows HILGATE_CHANGE_SECONDS=60 "$suite" > /dev/null || { echo "record: $suite failed" >&2; exit 1; }
done
mkdir -p docs
{
  echo "# Faults and what the gateway promises"
  echo
  echo "Written by \`tests/fault/record.sh\`; each row is a test of \`tests/fault/\` (ctest label \`fault\`)."
  echo "Times are of a debug build on a busy machine."
  echo
  echo "| Fault | Promise | Measured |"
  echo "|---|---|---|"
  sort "$rows"
} > docs/faults.md
