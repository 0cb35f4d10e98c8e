#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_packages.sh SOURCE_DIR BUILD_DIR PACKAGE...: packs what the build tree has into BUILD_DIR/packages, and beside
# it, in next/, hilgate again as the next version: the same files under a higher number.
set -euo pipefail
source=$1 build=$2
shift 2

"$source/packaging/build.sh" --programs "$build" "$@"
debs=$build/packages
work=$(mktemp -d "$build/next.XXXXXX")
trap 'rm -rf "$work"' EXIT
dpkg-deb -R "$debs"/hilgate_*.deb "$work/next"
sed -i "s/^Version: .*/&+next/" "$work/next/DEBIAN/control"
rm -rf "$debs/next"
mkdir "$debs/next"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/next" "$debs/next/" >/dev/null
ls -l "$debs/next"
