#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install-packages.sh LIST...: installs the Debian 12 packages of .ci/packages/LIST.txt (build, run, demo, test, ns3, gz).
# Asks nothing, may be run again at any time, and leaves apt alone when all are there.
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
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
