#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/how-to/mesh.md as it is written: the line breaks, recovers, and judges itself; captures name the relays. The same
# line of radios that do not forward fails. In namespaces of its own, on a copy of the example.
# usage: mesh.sh HILGATE SOURCE
set -euo pipefail
hilgate=$1 source=$2
[[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec "$source/tests/in_namespaces.sh" "$0" "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/mesh" "$work/"
cd "$work/mesh"
fail() {
  echo "mesh: $*" >&2
  exit 1
}
run() {
  status=0
  "$hilgate" try line.yaml -- a ping -q -i 0.1 10.88.0.5 >output 2>&1 || status=$?
  cat output
}

echo "capture: {file: $work/frames.pcapng}" >>line.yaml
run
((status == 0)) || fail "the line has exit status $status"
tshark -r "$work/frames.pcapng" -T fields -e frame.comment 2>/dev/null >comments
grep -q '^a>e .* via=b,c,d' comments || fail "no frame of the capture names its relays"
grep -q 'drop=no_route' comments || fail "no frame of the capture is dropped as no_route"

mkdir profiles
sed '/^  mesh:/,/^    header/d; /mac\.mesh/d; s/^id: .*/id: alone/' \
  "$source/rf_profiles/profiles/wifi_11s.yaml" >profiles/alone.yaml
sed -i '/^capture/d; s/radio: wifi_11s/radio: alone/; s/^window:/profiles: [profiles]\n&/' line.yaml
run
((status == 1)) || fail "radios that do not forward have exit status $status instead of 1"
grep -q '^broken.yaml:3: a > e' output || fail "the link that is not as expected is not named"
