#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netem_guest.sh IMAGE HILGATE RESULT ARGUMENTS...: netem beside hilgate where a kernel has it, in a guest in QEMU,
# whose processors are emulated: both are slow, and what counts is their ratio. IMAGE is a folder by
# tests/guest/image.sh, HILGATE a program; RESULT is what side_by_side.py writes there with
# ARGUMENTS.
set -euo pipefail
image=$1 hilgate=$2 result=$3
shift 3
here=$(dirname "$(readlink -f "$0")")
tests=$(readlink -f "$here/../..")

fail() { echo "$1"; exit 1; }
command -v qemu-system-x86_64 >/dev/null || fail "there is no qemu-system-x86_64: apt-get install qemu-system-x86"
[[ -f $image/made-from ]] || fail "no image in $image: tests/guest/image.sh makes one"

work=$(mktemp -d /tmp/hilgate-netem-XXXXXX)
# shellcheck source=tests/guest/guests.sh
source "$tests/guest/guests.sh"

program=$sockets/program/side-by-side
mkdir -p "$program"/{bin,tests/bench}
strip -o "$program/bin/hilgate" "$hilgate"
cp "$tests/in_namespaces.sh" "$program/tests"
cp -r "$tests/bench/bench_rig.py" "$here" "$program/tests/bench"
echo "$@" >"$program/arguments"

disk netem "$tests/guest/common" "$here/guest" "$sockets/program"
boot netem 2
end_of "${guests[0]}"
found_by netem
cp "$work/netem/result.json" "$result" || fail "the guest measured nothing; $work/netem has what it said"
rm -rf "$work"
