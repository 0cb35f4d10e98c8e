#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# package_test.sh SOURCE_DIR DEBS_DIR PACKAGE...: does with the packages of make_packages.sh, on a bare Debian 12, what
# people do: install, first configuration, upgrade with an edited configuration, remove, purge.
set -euo pipefail
source=$1 debs=$2
shift 2
packages=("$@")
here=$(dirname "$(readlink -f "$0")")
bare=$source/.ci/bare-root
cache=${HILGATE_ROOTS:-/var/cache/hilgate-roots}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

status=0
"$bare" make bare git ca-certificates sudo || status=$?
if ((status == 69)); then
  echo "SKIPPED: no bare Debian can be made on this machine" >&2
  exit 77
fi
((status == 0)) || fail "no bare Debian"

work=$(mktemp -d "$cache/package.XXXXXX") # no overlay or memory: systems are laid there
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir "$work/debs"
for package in "${packages[@]}"; do cp "$debs/${package}"_*.deb "$work/debs/"; done
cp -r "$debs/next" "$work/debs/"
version=$(dpkg-deb -f "$work"/debs/hilgate_*.deb Version)
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error --tag-display-limit 0 "$work"/debs/*.deb || fail "lintian"
fi

"$bare" copy bare "$work/root"
cp "$here/inside.sh" "$work/debs/"
step() {
  "$bare" in "$work/root" --bind "$work/debs:/mnt" --bind "$cache/archives:/var/cache/apt/archives" \
    env ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$@" </dev/null
}
step bash /mnt/inside.sh install "$version" || fail "installation"
step unshare --net --mount bash /mnt/inside.sh first || fail "the first configuration"
step bash /mnt/inside.sh upgrade || fail "upgrade"
step bash /mnt/inside.sh remove "${packages[@]}" || fail "removal"
echo "the packages are installed, used, upgraded and removed as they should be"
