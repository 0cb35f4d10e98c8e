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
limit_s=1200

skip() {
  echo "skipped: $*; tests/guest/run.sh does it all"
  exit 77
}
((EUID == 0)) || skip "the appliance is installed as root"
[[ $(qemu-system-x86_64 --version 2>/dev/null) == *"version 10."* ]] ||
  skip "no QEMU 10, which has a NIC whose PTP clock runs as it should"
[[ -f $image/made-from ]] || skip "no image in $image"

sockets=$(mktemp -d /tmp/hilgate-guest-XXXXXX) # a socket's path must be short
guests=()
clean_up() {
  local status=$?
  trap '' INT TERM
  for guest in "${guests[@]}"; do kill -KILL "$guest" 2>/dev/null || true; done
  wait
  rm -rf "$sockets"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# disk NAME: the tar file that is laid over NAME's root file system, and an empty disk for what it finds.
disk() {
  local stage=$sockets/stage
  rm -rf "$stage" "${work:?}/$1"
  mkdir -p "$stage" "$work/$1"
  cp -r "$here/common/." "$here/$1/." "$stage"
  if [[ $1 == appliance ]]; then
    DESTDIR=$stage cmake --install "$build" --strip >"$work/$1/install"
  fi
  chown -R 0:0 "$stage"
  tar cf "$work/$1/in.tar" -C "$stage" .
  truncate -s %512 "$work/$1/in.tar"
  truncate -s 64M "$work/$1/out.raw"
  rm -rf "$stage"
}

# boot NAME PROCESSORS QEMU-ARGUMENTS...
boot() {
  local processors=$2 folder=$work/$1
  shift 2
  # /dev/kvm may be there and not work, so the processor is always emulated. QEMU then hands out the host's own TSC,
  # which is invariant, but has to be told to say so.
  qemu-system-x86_64 -accel tcg,thread=multi -M q35 -cpu max,+invtsc,x-force-features=on -smp "$processors" -m 1024 \
    -nodefaults -no-user-config -display none -no-reboot -serial "file:$folder/console" \
    -kernel "$image/vmlinuz" -initrd "$image/initrd.gz" \
    -append "console=ttyS0 quiet systemd.show_status=0 loglevel=4 panic=-1 net.ifnames=0 mitigations=off" \
    -drive "file=$image/root.ext4,format=raw,if=none,id=root,snapshot=on" -device virtio-blk-pci,drive=root \
    -drive "file=$folder/in.tar,format=raw,if=none,id=in,readonly=on" -device virtio-blk-pci,drive=in \
    -drive "file=$folder/out.raw,format=raw,if=none,id=out" -device virtio-blk-pci,drive=out \
    -device virtio-rng-pci "$@" >"$folder/qemu" 2>&1 &
  guests+=($!)
}

# wire NAME END OTHER-END: a network backend; datagrams, so that either end may come first.
wire() {
  echo "dgram,id=$1,local.type=unix,local.path=$sockets/$1-$2,remote.type=unix,remote.path=$sockets/$1-$3"
}

# end_of PID: waits for a guest to turn itself off.
end_of() {
  while kill -0 "$1" 2>/dev/null; do
    ((SECONDS < limit_s)) || {
      echo "FAILED: a guest is not through after $limit_s s; see $work/*/console" >&2
      exit 1
    }
    sleep 1
  done
}

disk appliance
disk robot
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
  tar xf "$work/$guest/out.raw" -C "$work/$guest" 2>/dev/null || true
  rm -f "$work/$guest"/{in.tar,out.raw}
  sed "s/^/$guest: /" "$work/$guest/checks" || status=1
  if grep -q '^FAILED' "$work/$guest/checks" || ! grep -qx end "$work/$guest/checks"; then
    status=1
  fi
done
echo "took $SECONDS s; everything the guests found is in $work"
((status == 0))
