#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# machines_test.sh BUILD: robots of `hilgate lab` that are virtual machines: one at a TAP device, whose peer is a
# container where runc is installed, and one at a vhost-user port. Real ping and iperf3 through the gateway; a machine
# that is killed is reported and started again; `lab down` leaves nothing. Ends with 77 (skipped) when QEMU, root or the
# guest's kernel is missing. Its results are in BUILD/guest/machines.
set -euo pipefail
build=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
hilgate=$build/bin/hilgate
image=$build/guest/small

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "network namespaces need root"
command -v qemu-system-x86_64 iperf3 busybox >/dev/null ||
  skip "no QEMU, iperf3 or busybox (Debian packages qemu-system-x86, iperf3, busybox-static)"
"$here/small.sh" "$image" || skip "no kernel for the guest"
[[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec "$here/../in_namespaces.sh" "$0" "$@"

work=$build/guest/machines
rm -rf "$work"
mkdir -p "$work"
folder=$(mktemp -d /tmp/hilgate-machines-XXXXXX) # a socket's path must be short
run=""

clean_up() {
  local status=$? file
  for file in "$folder"/*.yaml; do "$hilgate" lab down "$file" >/dev/null 2>&1 || true; done
  if [[ -n $run ]]; then kill -KILL "$run" 2>/dev/null || true; fi
  wait
  rm -rf "$folder"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 143' INT TERM

fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$work"/* >&2
  exit 1
}

# eventually SECONDS COMMAND...
eventually() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

# red_is_up FILE: the guest has booted.
red_is_up() { eventually 120 grep -q 'small: up' "/run/hilgate-lab/$1/red.output"; }

# traffic NAME MTU COMMAND...: ping, also with frames as long as the MTU, and iperf3 in both directions, from the other
# robot, in whose network COMMAND runs.
traffic() {
  local name=$1 mtu=$2 direction reverse
  shift 2
  "$@" ping -c 10 -i 0.2 -W 10 10.77.0.1 >"$work/$name.ping" || fail "$name: ping"
  grep -q ' 0% packet loss' "$work/$name.ping" || fail "$name: pings are lost"
  "$@" ping -c 3 -i 0.2 -W 10 -M "do" -s $((mtu - 28)) 10.77.0.1 >"$work/$name.long" || fail "$name: long pings"
  for direction in to from; do
    reverse=()
    if [[ $direction == from ]]; then reverse=(--reverse); fi
    # The server is started again after a test that it did not like.
    # shellcheck disable=SC2016 # the inner shell's words
    eventually 60 sh -c '"$@" >"$0"' "$work/$name.iperf3.$direction" \
      "$@" iperf3 --client 10.77.0.1 --time 3 "${reverse[@]}" || fail "$name: iperf3 $direction the machine"
    echo "$name: iperf3 $direction the machine:" \
      "$(grep -o '[0-9.]* [A-Z]*bits/sec.*receiver' "$work/$name.iperf3.$direction")"
  done
}

start_run() {
  "$hilgate" run "$folder/$1.yaml" >"$work/$1.run" 2>&1 &
  run=$!
  eventually 30 grep -q ': running' "$work/$1.run" || fail "$1: the gateway does not run"
}

end_run() {
  kill -TERM "$run"
  wait "$run" || fail "the gateway ended with $?"
  run=""
}

words="console=ttyS0 quiet net.ifnames=0 no_timer_check mitigations=off robot=10.77.0.1/24"
vm="vm: {kernel: $image/vmlinuz, initrd: $image/initrd.gz, memory: 128 MiB, processor: emulated, append: \"$words\"}"
robots="robots: {red: {port: red, mac: \"02:68:67:00:00:01\", ip: 10.77.0.1}, \
blue: {port: blue, mac: \"02:68:67:00:00:02\", ip: 10.77.0.2}}"

container=""
if command -v runc >/dev/null; then
  mkdir -p "$folder/bundle/rootfs/bin"
  cp "$(command -v busybox)" "$folder/bundle/rootfs/bin/busybox"
  runc spec --bundle "$folder/bundle"
  container=", blue: {container: {bundle: bundle, command: [/bin/busybox, sleep, \"100000\"]}}"
fi
cat >"$folder/tap.yaml" <<END
name: mt$$
ports: {red: {driver: tap, interface: hg-red}, blue: {interface: hg-blue}}
$robots
netsim: {type: wire}
lab: {mtu: 1400 B, machines: {red: {$vm}$container}}
END
"$hilgate" lab up "$folder/tap.yaml" >"$work/tap.up" 2>&1 || fail "tap: lab up"
start_run tap
red_is_up "mt$$" || fail "tap: the machine does not boot"
grep -q 'MTU 1400' "/run/hilgate-lab/mt$$/red.output" || fail "tap: the machine has not the lab's MTU"
traffic tap 1400 "$hilgate" lab exec "$folder/tap.yaml" blue --
"$hilgate" lab status "$folder/tap.yaml" >"$work/tap.status" || fail "tap: the lab is not up"
qemu=$(pgrep -f "^qemu-system-x86_64 -name mt$$.red ") || fail "tap: there is no QEMU"
kill -KILL "$qemu"
eventually 10 sh -c "! '$hilgate' lab status '$folder/tap.yaml'" || fail "tap: the end of the machine is not seen"
"$hilgate" lab status "$folder/tap.yaml" >"$work/tap.ended" || true
grep -q 'its virtual machine was ended by signal 9' "$work/tap.ended" ||
  fail "tap: the end of the machine is not reported"
"$hilgate" lab up "$folder/tap.yaml" >"$work/tap.again" 2>&1 || fail "tap: lab up again"
red_is_up "mt$$" || fail "tap: the machine does not boot again"
"$hilgate" lab exec "$folder/tap.yaml" blue -- ping -c 3 -W 10 10.77.0.1 >"$work/tap.ping" || fail "tap: ping, again"
end_run
"$hilgate" lab down "$folder/tap.yaml" >"$work/tap.down" || fail "tap: lab down"
pgrep -f "^qemu-system-x86_64 -name mt$$.red " && fail "tap: QEMU is left"
[[ ! -e /sys/class/net/hg-red ]] || fail "tap: the TAP device is left"

cat >"$folder/vhost.yaml" <<END
name: mv$$
ports:
  red: {driver: vhost_user, socket: $folder/red.sock}
  blue:
    driver: dpdk
    device: net_af_packet0
    device_arguments: "iface=hg-blue,blocksz=4096,framesz=2048,framecnt=512,qpairs=1"
$robots
memory: {frames: 4096}
netsim: {type: wire}
lab: {machines: {red: {$vm}}}
END
ip netns add blue
ip link add name hg-blue type veth peer name eth0 address 02:68:67:00:00:02 netns blue
ip -n blue address add 10.77.0.2/24 dev eth0
for off in "ethtool -K hg-blue" "ip netns exec blue ethtool -K eth0"; do
  $off rx off tx off tso off gso off gro off >/dev/null
done
ip -n blue link set eth0 up
ip link set hg-blue up
"$hilgate" lab up "$folder/vhost.yaml" >"$work/vhost.up" 2>&1 || fail "vhost: lab up"
start_run vhost # the machine waits for it
red_is_up "mv$$" || fail "vhost: the machine does not boot"
traffic vhost 1500 ip netns exec blue
end_run
start_run vhost # the machine connects again
ip netns exec blue ping -c 10 -i 0.5 -W 10 10.77.0.1 >"$work/vhost.ping" ||
  fail "vhost: ping after a restart of the gateway"
end_run
"$hilgate" lab down "$folder/vhost.yaml" >"$work/vhost.down" || fail "vhost: lab down"
pgrep -f "^qemu-system-x86_64 -name mv$$.red " && fail "vhost: QEMU is left"
echo "machines: passed in $SECONDS s"
