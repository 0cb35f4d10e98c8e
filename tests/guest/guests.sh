# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Guests in QEMU, for the scripts that source this: with `image`, a folder by image.sh, and `work`, a folder in which
# each guest gets one for what it finds. Guests end with the script.
image=${image:?} work=${work:?}
kernel=$image # the folder of vmlinuz and initrd.gz of the guests that boot next
limit_s=1200
sockets=$(mktemp -d /tmp/hilgate-guest-XXXXXX) # a socket's path must be short
guests=()

clean_up_guests() {
  local status=$?
  trap '' INT TERM
  for guest in "${guests[@]}"; do kill -KILL "$guest" 2>/dev/null || true; done
  wait
  rm -rf "$sockets"
  exit "$status"
}
trap clean_up_guests EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# disk NAME TREE...: trees that are laid over NAME's root file system, and an empty disk for what it finds.
disk() {
  local name=$1 stage=$sockets/stage
  shift
  rm -rf "$stage"
  mkdir -p "$stage" "$work/$name"
  for tree in "$@"; do cp -r "$tree/." "$stage"; done
  chown -R 0:0 "$stage"
  tar cf "$work/$name/in.tar" -C "$stage" .
  truncate -s %512 "$work/$name/in.tar"
  truncate -s 64M "$work/$name/out.raw"
  rm -rf "$stage"
}

# boot NAME PROCESSORS QEMU-ARGUMENTS...; `append` has more words for the kernel.
boot() {
  local processors=$2 folder=$work/$1
  local words="console=ttyS0 quiet systemd.show_status=0 loglevel=4 panic=-1 net.ifnames=0 mitigations=off"
  words+=" no_timer_check" # the test of the timer fails where a busy host lets the guest wait
  shift 2
  # /dev/kvm may be there and not work, so the processor is always emulated. QEMU then hands out the host's own TSC,
  # which is invariant, but has to be told to say so.
  qemu-system-x86_64 -accel tcg,thread=multi -M q35 -cpu max,+invtsc,x-force-features=on -smp "$processors" -m 1024 \
    -nodefaults -no-user-config -display none -no-reboot -serial "file:$folder/console" \
    -kernel "$kernel/vmlinuz" -initrd "$kernel/initrd.gz" \
    -append "$words ${append:-}" \
    -drive "file=$image/root.ext4,format=raw,if=none,id=root,snapshot=on" -device virtio-blk-pci,drive=root \
    -drive "file=$folder/in.tar,format=raw,if=none,id=in,readonly=on" -device virtio-blk-pci,drive=in \
    -drive "file=$folder/out.raw,format=raw,if=none,id=out" -device virtio-blk-pci,drive=out \
    -device virtio-rng-pci "$@" >"$folder/qemu" 2>&1 &
  guests+=($!)
}

# end_of PID [SECONDS]: waits for a guest to turn itself off, by that time of the script.
end_of() {
  while kill -0 "$1" 2>/dev/null; do
    ((SECONDS < ${2:-limit_s})) || {
      echo "FAILED: a guest is not through after $limit_s s; see $work/*/console" >&2
      exit 1
    }
    sleep 1
  done
}

# found_by NAME: unpacks what a guest has found into its folder.
found_by() {
  tar xf "$work/$1/out.raw" -C "$work/$1" 2>/dev/null || true
  rm -f "$work/$1"/{in.tar,out.raw}
}
