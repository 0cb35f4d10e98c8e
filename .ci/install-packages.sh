#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install-packages.sh LIST...: installs the Debian 12 packages of .ci/packages/LIST.txt (build, run, demo, test, ns3, gz, ros2, place).
# Asks nothing, may be run again at any time, and leaves apt alone when all are there. Starts and enables no service.
set -euo pipefail
lists=$(dirname "$(readlink -f "$0")")/packages

(($# > 0)) || { sed -n '3,4p' "$0" >&2; exit 2; }
packages=()
for list in "$@"; do
  [[ -f $lists/$list.txt ]] || { echo "packages: there is no list '$list' in $lists" >&2; exit 2; }
  mapfile -t -O ${#packages[@]} packages < <(grep -v '^#' "$lists/$list.txt")
done

# dpkg-query fails when it has never heard of one of the names, and still lists the others.
installed=" $(dpkg-query -W -f '${Package}/${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
  [[ $installed == *" $package/installed "* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "packages: all ${#packages[@]} of $* are installed"
  exit 0
fi

if ((EUID != 0)); then
  echo "packages: ${missing[*]} must be installed, which needs root: run 'sudo $0 $*'" >&2
  exit 1
fi
echo "packages: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive # tshark would ask whether others than root may capture; the answer stays "no"
apt=(apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -q -y)
# Daemons that tests run in namespaces of their own must not run on this machine: not now, and not after it boots.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
fi
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
mapfile -t daemons < <(printf '%s\n' "${missing[@]}" | grep -v '^systemd')
mapfile -t units < <(((${#daemons[@]} == 0)) || dpkg -L "${daemons[@]}" | sed -nE 's,^(/usr)?/lib/systemd/system/([^/@]+\.(service|socket))$,\2,p')
if ((${#units[@]} > 0)) && command -v systemctl > /dev/null; then
  systemctl --quiet disable "${units[@]}" 2> /dev/null || true # some are of the kind that nobody enables
fi
