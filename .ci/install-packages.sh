#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that hilgate is built, tested and shown with. Asks nothing, may be run again at any
# time, and leaves apt alone when all are there. DECISIONS.md says why each library is used.
set -euo pipefail

packages=(
  # build
  build-essential cmake ninja-build pkg-config ccache
  # the eBPF side: compiler, skeleton generator, loaders
  clang-14 llvm-14 bpftool libbpf-dev libxdp-dev libelf-dev zlib1g-dev linux-libc-dev
  # libraries
  libyaml-cpp-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev libasio-dev libsystemd-dev libdpdk-dev
  protobuf-compiler libprotobuf-dev libzmq3-dev cppzmq-dev libtinyxml2-dev libpng-dev libns3-dev
  libignition-transport-dev libignition-msgs-dev
  # tests (testpmd is the benches' yardstick)
  libgtest-dev libgmock-dev libbenchmark-dev libclang-rt-14-dev shellcheck tshark systemd dpdk dpdk-dev
  # network namespaces, traffic and the report of the demo
  linuxptp iproute2 ethtool iputils-ping iputils-arping procps util-linux iperf3 python3 python3-matplotlib python3-protobuf
)

# dpkg-query fails when it has never heard of one of the names, and still lists the others.
installed=" $(dpkg-query -W -f '${Package}/${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
  [[ $installed == *" $package/installed "* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "packages: all ${#packages[@]} are installed"
  exit 0
fi

if ((EUID != 0)); then
  echo "packages: ${missing[*]} must be installed, which takes root: run 'sudo $0'" >&2
  exit 1
fi
echo "packages: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive # tshark would ask whether others than root may capture; the answer stays "no"
apt=(apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -q -y)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
