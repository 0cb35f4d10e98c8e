#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# The first process of a guest: finds the root file system, lays the input disk (a tar file) over it, and hands over to
# systemd. What the input disk brings is then there from the first unit on, as on a machine that has been installed.
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
/bin/busybox mount -t devtmpfs none /dev
for module in /modules/*; do /bin/busybox insmod "$module"; done
tenths=0
while [ ! -b /dev/vdb ] && [ $tenths -lt 300 ]; do
  /bin/busybox sleep 0.1
  tenths=$((tenths + 1))
done
/bin/busybox mount -t ext4 -o rw /dev/vda /mnt
/bin/busybox tar xf /dev/vdb -C /mnt
for tree in dev proc; do /bin/busybox mount -o bind /$tree /mnt/$tree; done
/bin/busybox chroot /mnt /bin/sh /guest/install.sh
for tree in dev proc; do /bin/busybox umount /mnt/$tree; done
exec /bin/busybox switch_root /mnt /sbin/init
