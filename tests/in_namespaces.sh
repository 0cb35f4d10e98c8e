#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# in_namespaces.sh COMMAND...: runs it where interfaces, mounts, sockets of runs and BPF objects are its own, and gone
# afterwards. Needs root. Inside, HILGATE_OWN_NAMESPACES is set, so that a script can begin with
#   [[ -n ${HILGATE_OWN_NAMESPACES:-} ]] || exec .../in_namespaces.sh "$0" "$@"
set -euo pipefail
if [[ -z ${HILGATE_OWN_NAMESPACES:-} ]]; then
  export HILGATE_OWN_NAMESPACES=1
  exec unshare --mount --net --propagation private "$0" "$@"
fi
groups=$(mktemp -d) # containers need those of control
mount --rbind /sys/fs/cgroup "$groups"
mount -t sysfs sysfs /sys
mount --rbind "$groups" /sys/fs/cgroup
umount -l "$groups"
rmdir "$groups"
mount -t bpf bpf /sys/fs/bpf
mkdir -p /run/netns /run/hilgate
mount -t tmpfs tmpfs /run/netns
mount -t tmpfs tmpfs /run/hilgate
ip link set lo up
exec "$@"
