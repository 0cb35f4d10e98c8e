#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The appliance: what systemd made of the shipped units, the clock, and what reload, watchdog, kill and stop do. The
# robot guest sends its traffic before the host says "finished" on the second serial port.
stty -F /dev/ttyS1 raw -echo
exec 4</dev/ttyS1
# shellcheck source=tests/guest/common/guest/gateway.sh
source /guest/gateway.sh

unit=hilgate.service
configuration=/etc/hilgate/hilgate.yaml
property() { systemctl show -P "$2" "$1"; }
property_is() { [[ $(property $unit "$1") == "$2" ]]; }
is_up() { property_is ActiveState active && status; }

check "kernel 6.1" "$(uname -r)" "6.1.*"

check "the unit is active" "$(property $unit ActiveState)" active
property_is ActiveState active || journalctl -u $unit -o cat -n 60 --no-pager
check "at its first start" "$(property $unit NRestarts)" 0
pid=$(property $unit MainPID)
check "runs as its user" "$(stat -c %U "/proc/$pid")" hilgate
# NET_BIND_SERVICE 10, NET_ADMIN 12, NET_RAW 13, IPC_LOCK 14, PERFMON 38, BPF 39
check "with its six capabilities" "$(awk '/CapEff/ {print $2}' "/proc/$pid/status")" 000000c000007400
ptp4l_up=$(property hilgate-ptp4l@lab-slave.service ActiveEnterTimestampMonotonic)
started=$(property $unit ExecMainStartTimestampMonotonic)
check "ptp4l is active" "$(property hilgate-ptp4l@lab-slave.service ActiveState)" active
check "the unit started after ptp4l ($ptp4l_up and $started us)" "$((ptp4l_up > 0 && started > ptp4l_up))" 1
check "an XDP program is on the left port" "$(programs left)" 1
check "and on the right port" "$(programs right)" 1
runuser -u hilgate -- hilgate status hilgate >status.txt
check "its user may ask it" "$?" 0
runuser -u nobody -- hilgate status hilgate >status-nobody.txt 2>&1
check "others may not" "$?" 1

check "udev gives the PHC to the group" "$(stat -c %G:%a /dev/ptp0)" hilgate:660
check "which is the right port's" "$(basename /sys/class/net/right/device/ptp/*)" ptp0
runuser -u hilgate -- hilgate clock status --reference phc --phc right --duration 5s --json >clock-phc 2>&1
check "the group reads it" "$?" 0
runuser -u hilgate -- hilgate clock status --reference ptp4l --socket /run/hilgate-ptp4l-lab-slave --duration 10s \
  --json >clock-ptp4l 2>&1
check "and asks ptp4l" "$?" 0

check "the run takes its time from the PHC" "$(field "s['clock']['source'] + ' ' + s['clock']['state']")" "phc tracking"
measures() { [[ $(field "s['clock']['measurements'] > 20") == True ]]; }
eventually 60 "and measures it" measures

hilgate doctor $configuration >doctor.txt 2>&1
status >status-first
say "waiting for the robots"
read -r word <&4
check "the robots are through" "$word" finished
status >status-robots
check "every frame is accounted for" "$(field "s['totals']['balanced']")" True
check "frames went both ways" "$(field "all(link['released'] >= 18 for link in s['links'])")" True

check "a slave has asked for the path delay" "$(field "s['clock']['serves'][0]['delay_answers'] > 0")" True

# Reload: a change is taken without a new process, a mistake is refused and the run goes on.
sed -i 's/^window: .*//; s/^# window: .*/window: 2ms/' $configuration
systemctl reload $unit
eventually 60 "reload takes a new window" field_is "s['window']['length_us']" 2000.0
check "in the same process" "$(property $unit MainPID)" "$pid"
sed -i 's/^window: .*/window: 2 parsecs/' $configuration
systemctl reload $unit
is_refused() { journalctl -u $unit -o cat | grep -q "reload refused"; }
eventually 60 "reload refuses a mistake" is_refused
check "a mistake is not taken" "$(field "s['window']['length_us']")" 2000.0
check "and does not end the process" "$(property $unit MainPID)" "$pid"
sed -i 's/^window: .*/window: 1ms/' $configuration

# A process that hangs or dies is replaced.
replaced() { is_up && [[ $(property $unit MainPID) != "$1" ]]; }
kill -STOP "$pid"
eventually 120 "the watchdog replaces a process that hangs" replaced "$pid"
check "as its first restart" "$(property $unit NRestarts)" 1
pid=$(property $unit MainPID)
kill -KILL "$pid"
eventually 120 "a process that is killed is replaced" replaced "$pid"
check "as its second restart" "$(property $unit NRestarts)" 2

systemctl stop $unit
check "stops well" "$(property $unit Result) $(property $unit ActiveState)" "success inactive"
check "leaving no XDP program on the left port" "$(programs left)" 0
check "nor on the right port" "$(programs right)" 0
check "nor a socket" "$(find /run/hilgate -name 'hilgate.sock')" ""

# Fail modes keep programs and maps in the BPF file system, as the unit's user.
sed -i 's/^    interface: \(left\|right\)$/&\n    fail: wire/' $configuration
systemctl start $unit
eventually 120 "starts with a fail mode" is_up
pid=$(property $unit MainPID)
kill -KILL "$pid"
check "whose program stays when the process dies" "$(programs left)" 1
eventually 120 "until the next process takes it over" replaced "$pid"
systemctl stop $unit

sed -i 's/^window: .*/window: 2 parsecs/' $configuration
systemctl reset-failed $unit
systemctl start $unit
eventually 60 "a wrong configuration fails" property_is ActiveState failed
check "with status 2" "$(property $unit ExecMainStatus)" 2
check "and is not tried again" "$(property $unit NRestarts)" 0
