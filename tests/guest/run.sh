#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sudo tests/guest/run.sh: the guest test from nothing: installs QEMU, builds the release programs and the guests'
# image, and runs the test that carries CTest's label `guest`.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
if ((EUID != 0)); then
  echo "run.sh: making the image takes root: run 'sudo tests/guest/run.sh'" >&2
  exit 2
fi

.ci/install-packages.sh build run demo test
# QEMU 7.2 has no NIC whose PTP clock runs (the 82574 of 7.2 stands still, that of 10.0 runs 2.5 times too fast; the
# 82576 of 10.0 is right), so QEMU comes from backports.
if ! command -v debootstrap >/dev/null || [[ $(qemu-system-x86_64 --version 2>/dev/null) != *"version 10."* ]]; then
  lists=$(mktemp -d)
  trap 'rm -rf "$lists"' EXIT
  # shellcheck source=tests/guest/suites.sh
  source tests/guest/suites.sh
  suites "$lists" bookworm bookworm-backports
  DEBIAN_FRONTEND=noninteractive apt-get "${apt_options[@]}" -y install --no-install-recommends -t bookworm-backports \
    qemu-system-x86 seabios ipxe-qemu debootstrap
  rm -rf "$lists"
fi
trap 'chown -R --reference=. build' EXIT # what root builds in somebody's tree shall be theirs
cmake --preset release
cmake --build --preset release --target hilgate hilgated
tests/guest/image.sh build/release build/release/guest/image
ctest --preset guest
