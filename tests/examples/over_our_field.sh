#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The steps of docs/tutorials/over-our-field.md in their order: the log is shown, the configuration has the scene, the
# picture is drawn, the link is lost behind the hall and returns, status names the hall, the replay is the same, a mast
# on the roof helps. In namespaces of its own, on a copy of the example.
# usage: over_our_field.sh HILGATE SOURCE
set -euo pipefail
hilgate=$1 source=$2
[[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec "$source/tests/in_namespaces.sh" "$0" "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/places" "$work/"
cd "$work/places"
fail() {
  echo "over_our_field: $*" >&2
  exit 1
}
has() {
  grep -q -- "$1" output || fail "'$1' is not in the output of $2"
}

/usr/bin/python3 -B make_flight.py made.ulg
cmp flight.ulg made.ulg || fail "make_flight.py makes another flight.ulg"

"$hilgate" track show flight.ulg >output
has '^flight: 341 positions, 2026-09-01T08:00:00.000Z to 2026-09-01T08:01:08.000Z' "track show"
"$hilgate" check field.yaml >output
has "valid: run 'field', 2 robots" check
has '4 buildings from 8, -111 m to 137, 53 m' check
"$hilgate" map field.yaml --at 34s --height 5m -o field.svg
grep -q 'received 5 m above ground' field.svg || fail "the picture has no legend"

status=0
"$hilgate" try field.yaml -- uav ping -q -i 0.05 ground >output 2>&1 &
flight=$!
for ((second = 0; second < 90; ++second)); do
  "$hilgate" status field >seen 2>/dev/null && grep -q 'building way 101' seen && break
  kill -0 "$flight" 2>/dev/null || break
  sleep 1
done
wait "$flight" || status=$?
cat output
((status == 0)) || fail "the flight's exit status is $status"
has 'behind-the-hall.yaml: 6 expectations, all met' try
grep -q '^uav -> ground: No line of sight: building way 101 (wall_stone) stands between them' seen ||
  fail "status does not name the hall"

"$hilgate" replay runs/field-* --frames field.pcapng >output
has 'all as recorded' replay
"$hilgate" report runs/field-* -o field.html
grep -q 'uav&gt;ground' field.html || fail "the report has no such link"

stand='[{at: 0s, position: [0m, 0m, 2m]}]' mast='[{at: 0s, position: [0m, 0m, 12m]}]'
roof='[{at: 0s, position: [50m, 0m, 16m]}]'
"$hilgate" sweep field.yaml --seeds 2 --duration 66s --interval 100ms -o masts \
  --set "physics.tracks.ground=$stand,$mast,$roof" >output
cat output
mapfile -t losses < <(awk '$1 == "uav>ground" {print $4}' output)
((${#losses[@]} == 3)) || fail "the sweep has ${#losses[@]} rows of the link instead of 3"
awk -v stand="${losses[0]}" -v mast="${losses[1]}" -v roof="${losses[2]}" \
  'BEGIN {exit !(stand > 25 && mast < stand && mast > 20 && roof < 1)}' ||
  fail "the stand loses ${losses[0]} %, the mast ${losses[1]} %, the roof ${losses[2]} %"
