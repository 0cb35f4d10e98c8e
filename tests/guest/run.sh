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

.ci/install-packages.sh build run test
# QEMU 7.2 has no NIC whose PTP clock runs (the 82574 of 7.2 stands still, that of 10.0 runs 2.5 times too fast; the
# 82576 of 10.0 is right), so QEMU comes from backports, on the mirror that apt uses already. Debian's
# sources on this machine stay as they are.
if ! command -v debootstrap >/dev/null || [[ $(qemu-system-x86_64 --version 2>/dev/null) != *"version 10."* ]]; then
  apt=$(mktemp -d)
  trap 'rm -rf "$apt"' EXIT
  mkdir -p "$apt/lists/partial"
  # shellcheck disable=SC2016 # apt puts in what this is
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    'Component: main' | head -n 1)
  for suite in bookworm bookworm-backports; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >>"$apt/sources"
  done
  get=(apt-get -q -o "Dir::Etc::SourceList=$apt/sources" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$apt/lists" -o DPkg::Lock::Timeout=600)
  "${get[@]}" update
  DEBIAN_FRONTEND=noninteractive "${get[@]}" -y install --no-install-recommends -t bookworm-backports \
    qemu-system-x86 seabios ipxe-qemu debootstrap
  rm -rf "$apt"
fi
trap 'chown -R --reference=. build' EXIT # what root builds in somebody's tree shall be theirs
cmake --preset release
cmake --build --preset release --target hilgate hilgated hilgate-bench
tests/guest/image.sh build/release build/release/guest/image
ctest --preset guest
