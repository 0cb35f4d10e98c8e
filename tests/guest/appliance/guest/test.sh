#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The appliance: what systemd made of the shipped units, the clock, and what reload, watchdog, kill and stop do. The robot
# guest sends its traffic before the host says "finished" on the second serial port.
stty -F /dev/ttyS1 raw -echo
exec 4</dev/ttyS1

property() { systemctl show -P "$2" "$1"; }
status() { hilgate status hilgate --json; }
# field PYTHON: an expression over the status
field() { status | python3 -c "import json, sys; s = json.load(sys.stdin); print($1)"; }
is() { [[ $(field "$1") == "$2" ]]; }

check "kernel 6.1" "$(uname -r)" "6.1.*"

unit=hilgate.service
check "the unit is active" "$(property $unit ActiveState)" active
check "at its first start" "$(property $unit NRestarts)" 0
pid=$(property $unit MainPID)
check "runs as its user" "$(stat -c %U "/proc/$pid")" hilgate
# NET_BIND_SERVICE 10, NET_ADMIN 12, NET_RAW 13, IPC_LOCK 14, BPF 39
check "with its five capabilities" "$(awk '/CapEff/ {print $2}' "/proc/$pid/status")" 0000008000007400
ptp4l_up=$(property hilgate-ptp4l@lab-slave.service ActiveEnterTimestampMonotonic)
started=$(property $unit ExecMainStartTimestampMonotonic)
check "ptp4l is active" "$(property hilgate-ptp4l@lab-slave.service ActiveState)" active
check "the unit started after ptp4l ($ptp4l_up and $started us)" "$((ptp4l_up > 0 && started > ptp4l_up))" 1

check "udev gives the PHC to the group" "$(stat -c %G:%a /dev/ptp0)" hilgate:660
check "which is the NIC's" "$(basename /sys/class/net/right/device/ptp/*)" ptp0
runuser -u hilgate -- hilgate clock status --reference phc --phc right --duration 5s --json >clock-phc 2>clock-phc-error
check "the group reads it" "$?" 0
runuser -u hilgate -- hilgate clock status --reference ptp4l --socket /run/hilgate-ptp4l-lab-slave --duration 10s \
  --json >clock-ptp4l 2>clock-ptp4l-error
check "and asks ptp4l" "$?" 0

hilgate doctor /etc/hilgate/hilgate.yaml >doctor.txt 2>&1
status >status-first
hilgate status hilgate >status-text
say "waiting for the robots"
read -r word <&4
check "the robots are through" "$word" finished
status >status-robots
