#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sudo tests/guest/run.sh: the guest test from nothing: installs QEMU, builds the release programs and the guests' image,
# and runs the test that carries CTest's label `guest`.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
if ((EUID != 0)); then
  echo "run.sh: making the image takes root: run 'sudo tests/guest/run.sh'" >&2
  exit 2
fi

.ci/install-packages.sh
missing=()
for package in qemu-system-x86 seabios ipxe-qemu debootstrap; do
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
if ((${#missing[@]} > 0)); then
  apt-get -q update
  DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}"
fi
trap 'chown -R --reference=. build' EXIT # what root builds in somebody's tree shall be theirs
cmake --preset release
cmake --build --preset release --target hilgate hilgated
tests/guest/image.sh build/release build/release/guest/image
ctest --preset guest
