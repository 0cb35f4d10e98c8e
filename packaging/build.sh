#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/build.sh [--version V] [--programs DIR] [PACKAGE...]: builds Debian packages in build/packages: hilgate,
# hilgate-ns3, hilgate-gz, hilgate-ros2, hilgate-site, hilgate-place, hilgate-doc, python3-hilgate; without names, all eight. Uses the
# release programs of build/release, as the demo does; with --programs those that the build tree DIR has, as they are, and packs into DIR/packages, quickly: for tests.
# Installing what building takes needs root where it is missing.
set -euo pipefail
called_in=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."

version="" programs="" packages=()
while (($# > 0)); do
  case $1 in
    --version) (($# >= 2)) || { echo "build.sh: --version needs a value" >&2; exit 2; }; version=$2; shift 2 ;;
    --programs) (($# >= 2)) || { echo "build.sh: --programs needs a folder" >&2; exit 2; }; programs=$2; shift 2 ;;
    hilgate | hilgate-ns3 | hilgate-gz | hilgate-ros2 | hilgate-site | hilgate-place | hilgate-doc | python3-hilgate) packages+=("$1"); shift ;;
    *) sed -n '3,6p' "$0" >&2; exit 2 ;;
  esac
done
if ((${#packages[@]} == 0)); then packages=(hilgate hilgate-ns3 hilgate-gz hilgate-ros2 hilgate-site hilgate-place hilgate-doc python3-hilgate); fi

lists=(build package) targets=()
for package in "${packages[@]}"; do
  case $package in
    hilgate) targets+=(hilgate hilgated) ;;
    hilgate-ns3) lists+=(ns3) targets+=(hilgate-ns3) ;;
    hilgate-gz) lists+=(gz) targets+=(hilgate-gz) ;;
    hilgate-ros2) lists+=(ros2) targets+=(hilgate-ros2) ;;
    hilgate-site) lists+=(ros2) targets+=(hilgate-site) ;;
    hilgate-place) lists+=(place) targets+=(hilgate-place) ;;
  esac
done
if [[ -n $programs ]]; then
  built=$(cd "$called_in" && realpath -m "$programs") out=$built/packages compression="-Zgzip -z1"
  [[ -f $built/CMakeCache.txt ]] || { echo "build.sh: $programs is no build tree: $built has no CMakeCache.txt" >&2; exit 2; }
  .ci/install-packages.sh package
else
  built=$PWD/build/release out=$PWD/build/packages compression=""
  .ci/install-packages.sh "${lists[@]}"
  trap 'chown -R --reference=. build' EXIT # what root builds in a user's tree belongs to the user
  cmake --preset release -D HILGATE_TESTS=OFF >/dev/null
  if ((${#targets[@]} > 0)); then
    cmake --build --preset release --target "${targets[@]}" --parallel "$(nproc)"
  fi
fi

# debhelper works in a folder of its own; dpkg puts the packages next to it.
work=$built/package
rm -rf "$work" "$built"/*.deb
mkdir -p "$work" "$out"
cp -a packaging/debian "$work/"
version=${version:-$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$built/CMakeCache.txt")}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
export SOURCE_DATE_EPOCH
printf 'hilgate (%s) bookworm; urgency=medium\n\n  * As of %s.\n\n -- hilgate developers <maintainers@hilgate.invalid>  %s\n' "$version" \
  "$(git describe --always --dirty 2>/dev/null || echo "this source")" "$(date -R -d "@$SOURCE_DATE_EPOCH")" \
  >"$work/debian/changelog"

# Of the packages that were not asked for, nothing is packed.
for package in hilgate hilgate-ns3 hilgate-gz hilgate-ros2 hilgate-site hilgate-place hilgate-doc python3-hilgate; do
  [[ " ${packages[*]} " == *" $package "* ]] || DH_OPTIONS+=" -N$package"
done
export DH_OPTIONS=${DH_OPTIONS:-} HILGATE_SOURCE=$PWD HILGATE_COMPRESSION=$compression
log=$built/package.log
(cd "$work" && dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes) >"$log" 2>&1 ||
  { tail -n 20 "$log" >&2; echo "build.sh: packing failed; see $log" >&2; exit 1; }
for package in "${packages[@]}"; do
  rm -f "$out/${package}"_*.deb
  mv "$built/${package}"_*.deb "$out/"
done
rm -rf "$work" "$built"/hilgate_*.{buildinfo,changes}
ls -l "$out"
