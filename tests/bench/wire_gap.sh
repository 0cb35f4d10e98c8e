#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long frames do not pass when a gateway is killed whose ports have `fail: wire` (`heartbeat: {stale: 10ms}`):
# the longest time between two frames of a stream with one each millisecond, for each kill.
#
# usage: sudo tests/bench/wire_gap.sh BUILD [KILLS [HILGATE]]
#   BUILD    a build with the test fault_tests; KILLS, 100
#   HILGATE  another program to measure than BUILD/bin/hilgate, such as one of an optimised build
#
# Prints p50, p99 and the longest gap. Runs in namespaces of its own.
set -euo pipefail

build=$(readlink -f "${1:?usage: sudo tests/bench/wire_gap.sh BUILD [KILLS [HILGATE]]}")
kills=${2:-100}
hilgate=$(readlink -f "${3:-$build/bin/hilgate}")
((EUID == 0)) || { echo "wire_gap.sh: namespaces and XDP need root: run it with sudo" >&2; exit 2; }

if [[ -z ${HILGATE_OWN_NAMESPACES:-} ]]; then
  self=$(readlink -f "$0")
  exec "${self%/*}/../in_namespaces.sh" "$self" "$build" "$kills" "$hilgate"
fi
# Also where BUILD/bin/hilgate is what the test was built for.
[[ $hilgate == "$build/bin/hilgate" ]] || mount --bind "$hilgate" "$build/bin/hilgate"
HILGATE_KILLS=$kills "$build/tests/fault_tests" --gtest_filter=Killed.WireJoinsTheRobotsAloneAfterAGap |
  sed -n 's/^| SIGKILL.* | \([0-9]* kills: gap .*\) | .*$/\1/p' | grep .
