#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh BUILD FOLDER: makes FOLDER/root.ext4, a Debian 12 with systemd, linuxptp and the libraries that the programs
# in BUILD/bin are linked with, and nothing of hilgate itself: that comes on the input disk at every boot. It boots with
# each of three kernels, FOLDER/{vmlinuz,initrd.gz} of bookworm and FOLDER/SUITE/{vmlinuz,initrd.gz} of the others.
# Keeps what is there when the packages are still the same. As root; packages come from this machine's own mirror.
set -euo pipefail
build=$1 folder=$2
here=$(dirname "$(readlink -f "$0")")

kernels_of=(bookworm bookworm-backports trixie-backports)
packages=(systemd systemd-sysv udev dbus kmod iproute2 iputils-ping procps linuxptp ethtool busybox-static
  python3 iperf3)
# What DPDK has for the devices of QEMU.
packages+=(librte-bus-pci23 librte-mempool-ring23 librte-net-virtio23 librte-net-e1000-23 librte-net-vmxnet3-23)
mapfile -t libraries < <(ldd "$build"/bin/hilgate{,d,-bench} | awk '$3 ~ /^\// {print $3}' | sort -u)
for library in "${libraries[@]}"; do # dpkg knows some by the path with /usr and some by the one without
  owner=$(dpkg-query -S "$library" 2>/dev/null || dpkg-query -S "$(readlink -f "$library")")
  packages+=("${owner%%:*}")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
wanted="$(cat "$here"/{image,suites,initrd-init}.sh | sha256sum) ${packages[*]}"
# shellcheck source=tests/guest/suites.sh
source "$here/suites.sh"
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

# kernel SUITE FOLDER: the modules of the suite's kernel into the tree; its vmlinuz, and an initrd, into FOLDER. virtio
# and ext4 are modules, which busybox loads in their order on the way to the root file system.
kernel() {
  local suite=$1 folder=$2 modules version number=10 file wanted_packages
  echo "image: kernel of $suite"
  suites lists "$suite" >/dev/null
  mapfile -t wanted_packages < <(apt-cache "${apt_options[@]}" depends --recurse --no-recommends --no-suggests \
    --no-conflicts --no-breaks --no-replaces linux-image-amd64 | grep '^linux-[a-z]*-[0-9]')
  # Unpacked and not installed: hooks and an initrd of Debian's are not needed.
  mkdir -p kernel "$folder"
  (cd kernel && apt-get "${apt_options[@]}" download "${wanted_packages[@]}" >/dev/null)
  for file in kernel/*.deb; do dpkg -x "$file" kernel; done
  modules=$(find kernel -type d -path '*lib/modules/*' -prune)
  version=$(basename "$modules")
  for unused in gpu media staging infiniband iio hid; do rm -rf "$modules/kernel/drivers/$unused"; done
  rm -rf "$modules/kernel/sound"
  mkdir -p "$root/lib/modules"
  cp -a "$modules" "$root/lib/modules/"
  chroot "$root" depmod "$version"
  find kernel -name 'vmlinuz*' -type f -exec cp {} "$folder/vmlinuz" \; # in /boot, later beside the modules
  rm -rf kernel lists

  mkdir -p initrd/{bin,proc,sys,dev,mnt,modules}
  cp "$root/bin/busybox" initrd/bin/
  cp "$here/initrd-init.sh" initrd/init
  chmod 755 initrd/init
  for module in virtio_pci virtio_blk ext4; do chroot "$root" modprobe -S "$version" --show-depends "$module"; done |
    awk '/^insmod/ && !seen[$2]++ {print $2}' |
    while read -r file; do
      number=$((number + 1))
      cp "$root/$file" "initrd/modules/$number-$(basename "$file")"
    done
  find initrd/modules -name '*.xz' -exec xz -d {} +
  (cd initrd && find . | "$root/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1) >"$folder/initrd.gz"
  rm -rf initrd
}
kernel "${kernels_of[0]}" .
for suite in "${kernels_of[@]:1}"; do kernel "$suite" "$suite"; done
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

chroot "$root" passwd -dq root
echo guest >"$root/etc/hostname"
echo '/dev/vda / ext4 rw 0 1' >"$root/etc/fstab"
for unit in timemaster systemd-timesyncd; do ln -sf /dev/null "$root/etc/systemd/system/$unit.service"; done

mke2fs -q -t ext4 -d "$root" root.ext4 2G
rm -rf "$root"
printf '%s' "$wanted" >made-from
