#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sudo ./test.sh [--all]: installs what is missing, builds with sanitizers (preset dev: clang, ASan, UBSan, -Werror) and
# tests. Units, properties, worlds and smoke tests in namespaces run; with --all every test that needs no special
# hardware: all suites in namespaces, fault injection, fuzzers, ThreadSanitizer, packages, systemd and the papers
# (tests/tiers). Ends with ctest's summary and ctest's exit status.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

if (($# > 1)) || [[ ${1---all} != --all ]]; then
  echo "usage: sudo ./test.sh [--all]" >&2
  exit 2
fi
if ((EUID != 0)); then
  echo "test.sh: the tests create network namespaces and load BPF programs, which needs root: run 'sudo ./test.sh'" >&2
  exit 2
fi
jobs=$(nproc)

step() { printf '\n== %s (%d s so far)\n' "$*" "$SECONDS"; }

# What root builds in somebody's tree shall be theirs.
give_back() {
  if [[ -d build ]]; then
    chown -R --reference=. build
  fi
}
trap give_back EXIT

step "packages"
.ci/install-packages.sh build run demo ns3 gz ros2 place package test
step "configure"
cmake --preset dev
step "build with $jobs jobs"
cmake --build --preset dev --parallel "$jobs"
step "tests"
choice=(--exclude-regex "$(tests/tiers/tiers.py extended)")
if [[ ${1-} == --all ]]; then
  choice=(--label-exclude '^(guest|smoke)$')
fi
ctest --preset dev "${choice[@]}" --parallel $((jobs + 1)) # most of them wait for something
