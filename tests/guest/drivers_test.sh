#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# drivers_test.sh BUILD [SUITE [DRIVER]]...: a gateway on two ports of each driver that QEMU offers, with each kernel of
# image.sh, one guest after the other; its robots are namespaces of the same guest. What a driver does is in
# BUILD/guest/drivers-SUITE-DRIVER/facts, and at the end on the terminal; docs/reference/nics.md says what was found.
# Ends with 77 (skipped) when QEMU, the image (image.sh) or root is missing.
set -euo pipefail
build=$(readlink -f "$1")
wanted=("${@:2}")
here=$(dirname "$(readlink -f "$0")")
image=$build/guest/image
work=$build/guest

skip() {
  echo "skipped: $*; tests/guest/run.sh does it all"
  exit 77
}
((EUID == 0)) || skip "the appliance is installed as root"
[[ $(qemu-system-x86_64 --version 2>/dev/null) == *"version 10."* ]] || skip "no QEMU 10, which has igb"
[[ -f $image/made-from ]] || skip "no image in $image"

# shellcheck source=tests/guest/guests.sh
source "$here/guests.sh"

# As QEMU has them. virtio's DMA goes past the IOMMU, and the kernel's interface for it, unless the platform is said to
# matter; AF_XDP's zero-copy and vfio want it to.
declare -A devices=(
  [virtio]='virtio-net-pci,disable-legacy=on'
  [virtio-platform]='virtio-net-pci,disable-legacy=on,iommu_platform=on'
  [igb]=igb
  [e1000e]=e1000e
  [vmxnet3]=vmxnet3
)

# is_wanted SUITE DRIVER
is_wanted() {
  ((${#wanted[@]} == 0)) && return
  for word in "${wanted[@]}"; do [[ $word == "$1" || $word == "$2" || $word == "$1/$2" ]] && return; done
  return 1
}

# try SUITE DRIVER: false when a check failed.
try() {
  local suite=$1 driver=$2 name=drivers-$1-$2 side number=0 begun=$SECONDS iommu arguments=()
  kernel=$image
  [[ $suite == bookworm ]] || kernel=$image/$suite
  rm -rf "${work:?}/$name"
  mkdir -p "$sockets/case/guest"
  iommu=yes
  [[ $driver == virtio ]] && iommu=no
  echo "$iommu" >"$sockets/case/guest/iommu"
  disk "$name" "$here/common" "$here/drivers" "$sockets/case" "$sockets/installed"
  # Drivers in the kernel pass by it (iommu=pt), DPDK's by vfio do not.
  [[ $iommu == yes ]] && arguments+=(-device "intel-iommu,intremap=on,caching-mode=on")
  # The guest's second serial port is its own QEMU's monitor.
  arguments+=(-chardev "socket,id=monitor,path=$sockets/$name,server=on,wait=off" -mon 'chardev=monitor,mode=readline'
    -chardev "socket,id=guest,path=$sockets/$name" -serial chardev:guest)
  for side in left right; do
    number=$((number + 1))
    arguments+=(-device "pcie-root-port,id=port-$side,chassis=$number,slot=$number"
      -netdev "hubport,id=hub-$side,hubid=$number"
      -device "${devices[$driver]},id=nic-$side,netdev=hub-$side,bus=port-$side,mac=52:54:00:00:01:0$number"
      -netdev "hubport,id=hub-robot-$side,hubid=$number"
      -device "virtio-net-pci,netdev=hub-robot-$side,mac=02:68:67:00:00:0$number")
  done
  append="intel_iommu=on iommu=pt" boot "$name" 2 "${arguments[@]}"
  end_of "${guests[-1]}" $((SECONDS + limit_s))
  found_by "$name"
  echo "== $driver, $suite ($((SECONDS - begun)) s)"
  cat "$work/$name/facts" 2>/dev/null || true
  grep '^FAILED' "$work/$name/checks" || true
  grep -qx end "$work/$name/checks" && ! grep -q '^FAILED' "$work/$name/checks"
}

mkdir -p "$work" "$sockets/installed"
DESTDIR=$sockets/installed cmake --install "$build" --strip >"$work/install"
status=0
for suite in bookworm bookworm-backports trixie-backports; do
  for driver in virtio virtio-platform igb e1000e vmxnet3; do
    if is_wanted "$suite" "$driver"; then try "$suite" "$driver" || status=1; fi
  done
done
echo "took $SECONDS s; everything the guests found is in $work"
exit "$status"
