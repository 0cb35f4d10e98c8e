#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# guest_test.sh BUILD: hilgate as an appliance, in QEMU. One guest is the appliance as `cmake --install` makes it,
# another has two robots; their two wires are pairs of unix sockets. What the guests found is in
# BUILD/guest/{appliance,robot}.
# Ends with 77 (skipped) when QEMU, the image (image.sh) or root is missing.
set -euo pipefail
build=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
image=$build/guest/image
work=$build/guest

skip() {
  echo "skipped: $*; tests/guest/run.sh does it all"
  exit 77
}
((EUID == 0)) || skip "the appliance is installed as root"
[[ $(qemu-system-x86_64 --version 2>/dev/null) == *"version 10."* ]] ||
  skip "no QEMU 10, which has a NIC whose PTP clock runs as it should"
[[ -f $image/made-from ]] || skip "no image in $image"

# shellcheck source=tests/guest/guests.sh
source "$here/guests.sh"

# wire NAME END OTHER-END: a network backend; datagrams, so that either end may come first.
wire() {
  echo "dgram,id=$1,local.type=unix,local.path=$sockets/$1-$2,remote.type=unix,remote.path=$sockets/$1-$3"
}

rm -rf "${work:?}"/{appliance,robot}
mkdir -p "$work/appliance" "$sockets/installed"
DESTDIR=$sockets/installed cmake --install "$build" --strip >"$work/appliance/install"
disk appliance "$here/common" "$here/appliance" "$sockets/installed"
disk robot "$here/common" "$here/robot"
mkfifo "$sockets/host.in" "$sockets/host.out"
boot appliance 2 -chardev "pipe,id=host,path=$sockets/host" -serial chardev:host \
  -netdev "$(wire left gateway robot)" -device virtio-net-pci,netdev=left,mac=52:54:00:00:01:01 \
  -device pcie-root-port,id=root-port,chassis=1,slot=1 \
  -netdev "$(wire right gateway robot)" -device igb,netdev=right,bus=root-port,mac=52:54:00:00:01:02
boot robot 1 \
  -netdev "$(wire left robot gateway)" -device virtio-net-pci,netdev=left,mac=02:68:67:00:00:01 \
  -netdev "$(wire right robot gateway)" -device virtio-net-pci,netdev=right,mac=02:68:67:00:00:02
appliance=${guests[0]} robot=${guests[1]}
end_of "$robot"
kill -0 "$appliance" 2>/dev/null && echo finished >"$sockets/host.in"
end_of "$appliance"

status=0
for guest in appliance robot; do
  found_by "$guest"
  sed "s/^/$guest: /" "$work/$guest/checks" || status=1
  if grep -q '^FAILED' "$work/$guest/checks" || ! grep -qx end "$work/$guest/checks"; then
    status=1
  fi
done
echo "took $SECONDS s; everything the guests found is in $work"
((status == 0))
