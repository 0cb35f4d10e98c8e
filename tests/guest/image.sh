#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh BUILD FOLDER: makes FOLDER/{vmlinuz,initrd.gz,root.ext4}, a Debian 12 with systemd, linuxptp and the
# libraries that the programs in BUILD/bin are linked with, and nothing of hilgate itself: that comes on the input disk
# at every boot. Keeps what is there when the packages are still the same. As root; packages come from this machine's
# own mirror.
set -euo pipefail
build=$1 folder=$2
here=$(dirname "$(readlink -f "$0")")

packages=(systemd systemd-sysv udev dbus kmod iproute2 iputils-ping procps linuxptp ethtool busybox-static
  python3)
mapfile -t libraries < <(ldd "$build"/bin/hilgate{,d,-bench} | awk '$3 ~ /^\// {print $3}' | sort -u)
for library in "${libraries[@]}"; do # dpkg knows some by the path with /usr and some by the one without
  owner=$(dpkg-query -S "$library" 2>/dev/null || dpkg-query -S "$(readlink -f "$library")")
  packages+=("${owner%%:*}")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
wanted="$(sha256sum <"$here/image.sh") $(sha256sum <"$here/initrd-init.sh") ${packages[*]}"
if [[ -f $folder/made-from && $(<"$folder/made-from") == "$wanted" ]]; then
  exit 0
fi

# shellcheck disable=SC2016 # apt puts in what these are
read -r mirror suite < <(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
  'Origin: Debian' 'Component: main') || true
[[ -n ${suite:-} ]] || { echo "image.sh: apt knows no Debian mirror; 'apt-get update' may help" >&2; exit 1; }
[[ $suite == bookworm ]] || { echo "image.sh: this machine's first source is '$suite', not bookworm" >&2; exit 1; }

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
root=$PWD/tree
echo "image: debootstrap $suite with ${#packages[@]} packages from $mirror"
debootstrap --variant=minbase --include="$(IFS=,; echo "${packages[*]}")" "$suite" "$root" "$mirror" >debootstrap.log ||
  { tail -n 5 debootstrap.log >&2; exit 1; }

echo "image: kernel"
cp /etc/resolv.conf "$root/etc/"
chroot "$root" apt-get -qq update
kernel=$(chroot "$root" apt-cache depends linux-image-amd64 | awk '/Depends:/ {print $2; exit}')
# Unpacked and not installed: hooks and an initrd of Debian's are not needed.
chroot "$root" sh -c "cd /opt && apt-get -qq -o APT::Sandbox::User=root download $kernel"
dpkg -x "$root"/opt/linux-image-*.deb kernel
rm "$root"/opt/*.deb
modules=$(find kernel -type d -path '*lib/modules/*' -prune)
version=$(basename "$modules")
for unused in gpu media staging infiniband iio hid; do rm -rf "$modules/kernel/drivers/$unused"; done
rm -rf "$modules/kernel/sound"
mkdir -p "$root/lib/modules"
cp -a "$modules" "$root/lib/modules/"
chroot "$root" depmod "$version"
cp "kernel/boot/vmlinuz-$version" vmlinuz
rm -rf kernel "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

chroot "$root" passwd -dq root
echo guest >"$root/etc/hostname"
echo '/dev/vda / ext4 rw 0 1' >"$root/etc/fstab"
for unit in timemaster systemd-timesyncd; do ln -sf /dev/null "$root/etc/systemd/system/$unit.service"; done

# virtio and ext4 are modules, which busybox loads in their order on the way to the root file system.
echo "image: initrd"
mkdir -p initrd/{bin,proc,sys,dev,mnt,modules}
cp "$root/bin/busybox" initrd/bin/
cp "$here/initrd-init.sh" initrd/init
chmod 755 initrd/init
number=10
for module in virtio_pci virtio_blk ext4; do chroot "$root" modprobe -S "$version" --show-depends "$module"; done |
  awk '/^insmod/ && !seen[$2]++ {print $2}' |
  while read -r file; do
    number=$((number + 1))
    cp "$root/$file" "initrd/modules/$number-$(basename "$file")"
  done
(cd initrd && find . | "$root/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1) >initrd.gz
mke2fs -q -t ext4 -d "$root" root.ext4 2G
rm -rf initrd "$root"
printf '%s' "$wanted" >made-from
