#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A gateway whose two ports have one driver, and two robots in namespaces of the same guest, whose NICs are virtio's.
# What a driver does is found out and written to `facts`, "WHAT: RESULT"; what hilgate has to do whatever the driver is
# a check.
# /dev/ttyS1 is the monitor of this guest's own QEMU, which pulls the cables.
# shellcheck source=tests/guest/common/guest/gateway.sh
source /guest/gateway.sh
run=drivers
stty -F /dev/ttyS1 raw -echo # before anything is read: an echo would be commands to the monitor
exec 5<>/dev/ttyS1
cat <&5 >monitor &
monitor=$!
printf '\r\n' >&5 # ends what its greeting may have become, before anybody listened

fact() { say "$1: $2"; echo "$1: $2" >>facts; }
interface_of() { ip -br link | awk -v mac="$1" '$3 == mac {print $1}'; }
pci_of() { # virtio's interface is a child of the PCI device
  local device
  device=$(readlink -f "/sys/class/net/$1/device")
  [[ -e $device/vendor && -e $device/driver && $(basename "$device") == *:*:*.* ]] || device=$(dirname "$device")
  basename "$device"
}
pings() { ip netns exec red ping -c "$1" -i 0.2 -W 5 -s "${2:-56}" 10.77.0.2 | awk '/ received/ {print $4 " of " $1}'; }
passes() { ip netns exec red ping -c 1 -W 2 10.77.0.2; }
# Mbit/s of TCP from red to blue.
tcp() {
  timeout 60 ip netns exec red iperf3 -c 10.77.0.2 -t 3 -f m 2>iperf-errors | awk '/receiver/ {print $7 " Mbit/s"}'
}
cable() { printf 'set_link nic-%s %s\r\n' "$1" "$2" >&5; }
is_up() { status >/dev/null; }
port_is() { field_is "s['ports'][0]['state']" "$1"; }
is_over() { ! kill -0 "$gateway" 2>/dev/null; }
is_up_or_over() { is_over || is_up; }

# configuration PORT-KEYS [MORE]: with these keys of both ports.
configuration() {
  cat <<END
name: $run
${2:-}
ports:
  left: {$1}
  right: {${1//left/right}}
robots:
  red: {port: left, mac: "02:68:67:00:00:01", ip: 10.77.0.1}
  blue: {port: right, mac: "02:68:67:00:00:02", ip: 10.77.0.2}
netsim: {type: wire}
END
}
start() { # CONFIGURATION
  hilgate run "$1" >"$1.log" 2>&1 &
  gateway=$!
  within 90 is_up_or_over && is_up
}
stop() {
  kill -TERM "$gateway" 2>/dev/null
  within 30 is_over || kill -KILL "$gateway"
  wait "$gateway"
  hilgate detach $run >/dev/null 2>&1
}

nics_are_there() { [[ $(ip -br link | grep -cE '02:68:67:00:00:0[12]|52:54:00:00:01:0[12]') == 4 ]]; }
eventually 120 "the NICs are there" nics_are_there
for robot in red:1 blue:2; do
  name=${robot%:*} number=${robot#*:}
  ip netns add "$name"
  ip link set "$(interface_of "02:68:67:00:00:0$number")" name "$name" netns "$name"
  ip -n "$name" link set lo up
  ip -n "$name" addr add "10.77.0.$number/24" dev "$name"
  ip -n "$name" link set "$name" up
done
ip link set "$(interface_of 52:54:00:00:01:01)" name left
ip link set "$(interface_of 52:54:00:00:01:02)" name right
pci=("$(pci_of left)" "$(pci_of right)")
driver=$(basename "$(readlink -f "/sys/bus/pci/devices/${pci[0]}/driver")")
fact kernel "$(uname -r)"
fact driver "$driver, ethtool: $(ethtool -i left | awk '/^driver/ {print $2}')"
ip netns exec blue iperf3 -s >iperf-server 2>&1 &
server=$!

# ---- AF_XDP ----

configuration "interface: left" >auto
start auto || cat auto.log
hilgate doctor auto >doctor.txt 2>&1
fact doctor "$(grep -E 'left: xdp' doctor.txt | tr -s ' ')"
fact mode "$(field "s['ports'][0]['mode']")"
status >status.json
hilgate status "$run" >status.txt
eventually 30 "frames pass" passes
fact ping "$(pings 10)"
full=$(pings 10 1472)
fact "ping of 1472 B" "$full"
check "frames as long as the MTU pass" "$((${full%% *} >= 8))" 1
fact tcp "$(tcp)"

ip link set left down
eventually 30 "a port that is set down is said to be down" port_is down
ip link set left up
eventually 60 "and comes back" port_is up
eventually 30 "with its frames" passes

cable left off
eventually 60 "a cable that is pulled is said to be no carrier" port_is "no carrier"
cable left on
eventually 60 "and comes back when it is put in" port_is up
eventually 30 "with its frames" passes

fact "MTU 9000 under way" "$(ip link set left mtu 9000 2>&1 && echo accepted)"
fact "then the port" "$(field "s['ports'][0]['state'] + ' ' + s['ports'][0]['mode'] + ' ' + s['ports'][0]['problem']")"
ip link set left mtu 1400
eventually 60 "a port takes another MTU" field_is "s['ports'][0]['mtu']" 1400
eventually 30 "with its frames" passes
fact "ping of 1300 B at MTU 1400" "$(pings 5 1300)"
ip link set left mtu 1500
eventually 60 "and its old MTU" field_is "s['ports'][0]['mtu']" 1500
eventually 30 "with its frames" passes
balanced() { field_is "s['totals']['balanced']" True; }
eventually 10 "every frame is accounted for" balanced
status >status-last.json
stop
check "leaves no XDP program" "$(programs left)" 0

# Whatever the mode, frames as long as the MTU must pass. Zero-copy takes large buffers with some drivers.
for mode in zero-copy native auto; do
  configuration "interface: left, xdp: $mode" "memory: {frame_size: 4096 B}" >"$mode-4096"
  if start "$mode-4096"; then
    eventually 30 "frames pass with xdp: $mode and buffers of 4096 B" passes
    full=$(pings 10 1472)
    chosen=$(field "s['ports'][0]['mode']")
    fact "xdp: $mode, buffers of 4096 B" "$chosen, ping of 1472 B $full, tcp $(tcp)"
    check "as long as the MTU, too, with xdp: $mode" "$((${full%% *} >= 8))" 1
    status >"status-$mode.json"
    stop
    [[ $mode == zero-copy ]] && zero_copy=yes
  else
    fact "xdp: $mode, buffers of 4096 B" "refused: $(tail -n 1 "$mode-4096.log")"
  fi
done
[[ -z ${zero_copy:-} ]] || check "auto chooses zero-copy where it works" "$chosen" "*zero-copy*"

for mode in wire block; do
  configuration "interface: left, fail: $mode" >"fail-$mode"
  start "fail-$mode"
  eventually 30 "frames pass with fail: $mode" passes
  kill -KILL "$gateway"
  wait "$gateway"
  if [[ $mode == wire ]]; then
    eventually 30 "and through the kernel when the gateway was killed" passes
    fact "fail: wire" "ping $(pings 10), tcp $(tcp)"
  else
    check "and not when the gateway was killed" "$(pings 5)" "0 of 5"
  fi
  hilgate detach $run
  check "detach leaves no program" "$(programs left)" 0
done

configuration "interface: left" >large
ip link set left mtu 9000 2>/dev/null
ip link set right mtu 9000 2>/dev/null
start large
fact "with MTU $(cat /sys/class/net/left/mtu) from the start" "$(field "s['ports'][0]['mode']")"
eventually 30 "frames pass then" passes
stop
ip link set left mtu 1500
ip link set right mtu 1500

# ---- DPDK ----

# Debian's kernels have no vfio without an IOMMU (CONFIG_VFIO_NOIOMMU); uio_pci_generic needs none.
sysctl -qw vm.nr_hugepages=128
mkdir -p /dev/hugepages
mountpoint -q /dev/hugepages || mount -t hugetlbfs nodev /dev/hugepages
modprobe vfio-pci
modprobe uio_pci_generic
fact "an IOMMU" "$(find /sys/class/iommu -mindepth 1 | wc -l)"
bind() { # DRIVER
  local device
  for device in "${pci[@]}"; do
    echo "$1" >"/sys/bus/pci/devices/$device/driver_override"
    echo "$device" >"/sys/bus/pci/devices/$device/driver/unbind" 2>/dev/null
    echo "$device" >/sys/bus/pci/drivers_probe
  done
  [[ $(basename "$(readlink -f "/sys/bus/pci/devices/${pci[0]}/driver")") == "$1" ]]
}
sed "s/left: {.*/left: {driver: dpdk, device: \"${pci[0]}\"}/
  s/right: {.*/right: {driver: dpdk, device: \"${pci[1]}\"}/" auto >dpdk

dpdk_by() { # DRIVER
  local by=$1
  bind "$by" || {
    failed "devices are bound to $by" "$(dmesg | grep -iE 'vfio|uio' | tail -n 2)"
    return
  }
  cp dpdk "dpdk-$by"
  hilgate doctor "dpdk-$by" >"doctor-$by.txt" 2>&1
  fact "doctor, $by" "$(grep -E 'port|dpdk|hugepages' "doctor-$by.txt" | tr -s ' ' | tr '\n' ';')"
  start "dpdk-$by" || {
    failed "starts with DPDK by $by" "$(tail -n 1 "dpdk-$by.log")"
    return
  }
  fact "dpdk, $by" "$(field "s['ports'][0]['mode']")"
  eventually 60 "frames pass by DPDK and $by" passes
  fact "dpdk ping, $by" "$(pings 10)"
  fact "dpdk tcp, $by" "$(tcp)"
  status >"status-$by.json"
  cable left off
  eventually 60 "DPDK says that a cable is pulled" port_is "no carrier"
  cable left on
  eventually 60 "and that it is back" port_is up
  eventually 60 "with its frames" passes
  eventually 10 "every frame of DPDK is accounted for" balanced
  stop
  check "ends well with DPDK" "$(grep -c 'stopped:' "dpdk-$by.log")" 1
}
[[ $(</guest/iommu) == yes ]] && dpdk_by vfio-pci
# virtio's driver in DPDK wants an IOMMU where the device does.
[[ $(</guest/iommu) == yes && $driver == virtio-pci ]] || dpdk_by uio_pci_generic

kill "$server" "$monitor"
wait "$server" "$monitor"
exec 5>&-
