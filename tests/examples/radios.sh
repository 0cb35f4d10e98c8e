#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/radios as it is written: Wi-Fi is lost, the second radio keeps the vehicle, and the scenario judges both.
# Without the second radio the same flight fails. In namespaces of its own, on a copy of the example.
# usage: radios.sh HILGATE SOURCE
set -euo pipefail
hilgate=$1 source=$2
[[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec "$source/tests/in_namespaces.sh" "$0" "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/radios" "$work/"
cd "$work/radios"
fail() {
  echo "radios: $*" >&2
  exit 1
}
fly() {
  status=0
  ./fly.sh "$hilgate" >said 2>&1 || status=$?
  cat said
}

fly
((status == 0)) || fail "the flight with two radios has exit status $status"
sed -i 's/^end: 20s$/&\nsteps: [{at: 0s, leave: uav.sik}]/; /uav.wifi, to: ground.sik/d' radios.yaml
fly
((status == 1)) || fail "the flight without the telemetry radio has exit status $status instead of 1"
grep -q '^radios.yaml:[0-9]*: uav.sik > ground.sik' said || fail "the link that is not as expected is not named"
