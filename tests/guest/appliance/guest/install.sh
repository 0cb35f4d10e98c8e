#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an administrator does once after `cmake --install` (docs/how-to/usage.md and ptp.md). Before systemd runs.
set -e
shipped=/usr/local/share/hilgate
systemd-sysusers

# The shipped configuration, with the interfaces of this machine, and sim time for the robots.
sed -i 's/^    interface: enp2s0 .*/    interface: left/; s/^    interface: enp3s0.*/    interface: right/' \
  /etc/hilgate/hilgate.yaml
cat /guest/clock.yaml >>/etc/hilgate/hilgate.yaml

# ptp4l as slave of the lab, by software stamps, on a clock that it leaves alone.
mkdir -p /etc/hilgate/ptp
sed 's/^\[enp1s0\]/[lab0]/; s/^time_stamping .*/time_stamping software/; s/^free_running .*/free_running 1/' \
  $shipped/ptp/lab-slave.conf >/etc/hilgate/ptp/lab-slave.conf

systemctl enable hilgate.service hilgate-ptp4l@lab-slave.service lab.service guest-test.service systemd-networkd.service
