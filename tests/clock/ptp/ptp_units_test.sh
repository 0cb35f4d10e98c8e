#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ptp_units_test.sh SOURCE_DIR: systemd takes the PTP units, and ptp4l every role's configuration. Needs root; ptp4l
# runs in a network namespace, without CAP_SYS_TIME.
set -euo pipefail
source_dir=$1/systemd/ptp
ns=hgt-clock-units-$$
work=$(mktemp -d)
cleanup() {
  ip netns del "$ns" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# A template is verified as an instance.
for unit in ptp4l phc2sys; do
  cp "$source_dir/hilgate-$unit@.service" "$work/hilgate-$unit@lab-slave.service"
done
said=$(systemd-analyze verify --man=no --recursive-errors=no "$work"/*.service 2>&1) || fail "systemd-analyze: $said"
[[ -z $said ]] || fail "systemd-analyze warns: $said"

ip netns add "$ns"
for i in 1 2 3; do
  ip -n "$ns" link add "enp${i}s0" type veth peer name "peer$i"
  ip -n "$ns" addr add "10.78.$i.1/24" dev "enp${i}s0"
  ip -n "$ns" link set "peer$i" up
  ip -n "$ns" link set "enp${i}s0" up
done
for role in lab-slave robots-master boundary; do
  sed "s|^uds_address .*|uds_address $work/$role.uds|" "$source_dir/$role.conf" >"$work/$role.conf"
  # 124: it was still at work when its time was over.
  status=0
  timeout 2 ip netns exec "$ns" setpriv --bounding-set=-sys_time --inh-caps=-sys_time \
    ptp4l -f "$work/$role.conf" -S --free_running 1 -m >"$work/$role.log" 2>&1 || status=$?
  ((status == 124 || status == 0)) || fail "ptp4l ends with $status on $role.conf: $(cat "$work/$role.log")"
  grep -q 'INITIALIZING to LISTENING\|INITIALIZING to MASTER\|to LISTENING on INIT_COMPLETE' "$work/$role.log" ||
    fail "ptp4l does not come up with $role.conf: $(cat "$work/$role.log")"
done
echo "units and configurations for PTP are as they should be"
