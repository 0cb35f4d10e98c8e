#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# small.sh FOLDER: makes FOLDER/{vmlinuz,initrd.gz}, a virtual machine without a disk that boots in seconds on an
# emulated processor: Debian's kernel for clouds, busybox, and iperf3 as a server. It has the address that its kernel's
# command line has as `robot=10.77.0.2/24`. Keeps what is there when the packages are still the same. The kernel comes
# from this machine's own mirror.
set -euo pipefail
folder=$1
here=$(dirname "$(readlink -f "$0")")
package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-[0-9]/ {print $2; exit}')
[[ -n $package ]] || {
  echo "small.sh: apt knows no linux-image-cloud-amd64; 'apt-get update' may help" >&2
  exit 1
}
wanted="$package $(cat "$here"/small.sh "$here"/small-init.sh | sha256sum) $(dpkg-query -W iperf3 busybox-static)"
if [[ -f $folder/made-from && $(<"$folder/made-from") == "$wanted" ]]; then
  exit 0
fi

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
apt-get -q -o APT::Sandbox::User=root download "$package" >fetched 2>&1 || {
  cat fetched >&2
  exit 1
}
dpkg -x ./*.deb kernel # unpacked and not installed: hooks and an initrd of Debian's are not needed

mkdir -p root/{bin,proc,sys,dev,tmp,modules} # iperf3 has files in /tmp
number=10
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci failover net_failover \
  virtio_net; do
  number=$((number + 1)) # each needs those before it
  find kernel -name "$module.ko*" -exec cp {} "root/modules/" \; -quit
  for file in root/modules/"$module".ko*; do mv "$file" "root/modules/$number-$(basename "$file")"; done
done
find root/modules -name '*.xz' -exec xz -d {} +
cp /bin/busybox /usr/bin/iperf3 root/bin/
ldd /usr/bin/iperf3 | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "root$(dirname "$library")"
  cp -L "$library" "root$library"
done
cp "$here/small-init.sh" root/init
chmod 755 root/init
(cd root && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >initrd.gz
cp kernel/boot/vmlinuz-* vmlinuz
rm -rf kernel root fetched ./*.deb
printf '%s' "$wanted" >made-from
