#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# The first and only process of the machine that small.sh makes.
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
/bin/busybox mount -t devtmpfs none /dev
for module in /modules/*; do /bin/busybox insmod "$module"; done
address=$(/bin/busybox sed -n 's/.*robot=\([^ ]*\).*/\1/p' /proc/cmdline)
/bin/busybox ip link set lo up
/bin/busybox ip link set eth0 up
/bin/busybox ip address add "$address" dev eth0
echo "small: up with $address, MTU $(/bin/busybox cat /sys/class/net/eth0/mtu)"
while true; do iperf3 --server; done
