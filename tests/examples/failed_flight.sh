#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The steps of docs/tutorials/failed-flight.md in their order: the flight fails where it should, the notebook finds why,
# its replay is the same, another position of the ground station helps, the scenario and the pytest test find the
# failure. In namespaces of its own, on a copy of the example.
# usage: failed_flight.sh HILGATE SOURCE
set -euo pipefail
hilgate=$1 source=$2
[[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec "$source/tests/in_namespaces.sh" "$0" "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/failed-flight" "$work/"
cd "$work/failed-flight"
fail() {
  echo "failed_flight: $*" >&2
  exit 1
}
status_of() {
  status=0
  "$@" >said 2>&1 || status=$?
  cat said
}

status_of ./fly.sh "$hilgate" --scenario telemetry.yaml
((status == 1)) || fail "the scenario's exit status is $status instead of 1"
grep -q '^telemetry.yaml:5: uav > ground, 12 s to 20 s: loss was' said || fail "the line that is not met is not named"
if grep -q '^telemetry.yaml:4:' said; then fail "telemetry is lost along the street"; fi

status_of "$hilgate" record show runs/flight-*
((status == 0)) || fail "the record is not whole"
"$hilgate" report runs/flight-* -o flight.html
grep -q 'uav&gt;ground' flight.html || fail "the report has no such link"

status_of env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$source/python" HILGATE="$hilgate" \
  /usr/bin/python3 "$source/tests/examples/run_notebook.py" flight.ipynb
((status == 0)) || fail "a cell of the notebook fails"
grep -q '^the warehouse$' said || fail "the notebook does not find what went wrong"

status_of "$hilgate" replay runs/flight-* --frames flight.pcapng
((status == 0)) || fail "the replay's exit status is $status"
grep -q 'all as recorded' said || fail "the replay is another run"

corner='physics.tracks.ground=[{at: 0s, position: [75m, -10m, 2m]}]'
status_of "$hilgate" sweep flight.yaml --seeds 3 --frames flight.pcapng -o places \
  --set "$corner,[{at: 0s, position: [0m, 0m, 2m]}]"
((status == 0)) || fail "the sweep's exit status is $status"
mapfile -t losses < <(awk '$1 == "uav>ground" {print $4}' said)
((${#losses[@]} == 2)) || fail "the sweep has ${#losses[@]} rows of the link instead of 2"
awk -v corner="${losses[0]}" -v street="${losses[1]}" 'BEGIN {exit !(corner < 1 && street > 10)}' ||
  fail "the corner loses ${losses[0]} %, the street ${losses[1]} %"

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source/python HILGATE=$hilgate /usr/bin/python3 -m pytest -q -p no:cacheprovider .
