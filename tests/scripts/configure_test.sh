#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# configure_test.sh SOURCE FOLDER: everything can be configured where the optional packages (Cyclone DDS, Gazebo, ns-3,
# DPDK, GDAL) are not installed. FOLDER is made anew.
set -euo pipefail
rm -rf "$2"
mkdir -p "$2"
cat >"$2/pkg-config" <<'END'
#!/bin/sh
case "$*" in
*CycloneDDS* | *ignition-* | *ns3-* | *libdpdk* | *gdal*) exit 1 ;;
esac
exec pkg-config "$@"
END
chmod +x "$2/pkg-config"
cmake -S "$1" -B "$2/build" -G Ninja -D PKG_CONFIG_EXECUTABLE="$2/pkg-config" >"$2/output" 2>&1 || {
  cat "$2/output"
  exit 1
}
ninja -C "$2/build" -t targets all >"$2/targets" # a pipe into grep -q would end ninja early, and with it the check
for program in hilgate-site hilgate-ros2 hilgate-gz hilgate-ns3 hilgate-place; do
  if grep -q "/$program:" "$2/targets"; then
    echo "$program is built without its package: this test hides none"
    exit 1
  fi
done
