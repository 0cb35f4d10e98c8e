# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Packages of other suites of Debian, from the mirror that apt on this machine uses already; this machine's sources stay
# as they are. For the scripts that source this.

# debian_mirror: that mirror.
debian_mirror() {
  # shellcheck disable=SC2016 # apt puts in what this is
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -n 1
}

# suites FOLDER SUITE...: `apt_options` for apt-get and apt-cache that know these suites and no others; their lists lie
# in FOLDER.
suites() {
  local folder mirror
  folder=$(readlink -f "$1")
  shift
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || {
    echo "apt knows no Debian mirror; 'apt-get update' may help" >&2
    return 1
  }
  mkdir -p "$folder/lists/partial"
  for suite in "$@"; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
  done >"$folder/sources"
  apt_options=(-q -o "Dir::Etc::SourceList=$folder/sources" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$folder/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Sandbox::User=root -o DPkg::Lock::Timeout=600)
  apt-get "${apt_options[@]}" update
}
