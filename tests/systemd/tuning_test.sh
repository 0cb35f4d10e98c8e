#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tuning_test.sh HOST_TUNING: what the script changes on a copy of /proc and /sys, and that it puts all of it back.
set -euo pipefail
tuning=$1
ROOT=$(mktemp -d)
export ROOT
trap 'rm -rf "$ROOT"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

is() { # is FILE VALUE
  [[ $(<"$ROOT/$1") == "$2" ]] || fail "$1 is '$(<"$ROOT/$1")', not '$2'"
}

put() { # put FILE VALUE
  mkdir -p "$(dirname "$ROOT/$1")"
  echo "$2" >"$ROOT/$1"
}

cpus=sys/devices/system/cpu
put $cpus/online 0-3
put $cpus/cpu0/cpufreq/scaling_governor schedutil
put $cpus/cpu1/cpufreq/scaling_governor performance
put proc/irq/24/smp_affinity_list 0-3
put proc/irq/25/smp_affinity_list 2
pages=sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
put $pages 3
mkdir -p "$ROOT/run"

# Without cores, interrupts stay where they are.
"$tuning" start >/dev/null
is $cpus/cpu0/cpufreq/scaling_governor performance
is proc/irq/24/smp_affinity_list 0-3
"$tuning" stop >/dev/null
is $cpus/cpu0/cpufreq/scaling_governor schedutil

said=$(CORES=2-3 "$tuning" start)
is proc/irq/24/smp_affinity_list 0,1
is proc/irq/25/smp_affinity_list 0,1
grep -q "scaling_governor: performance, was schedutil" <<<"$said" || fail "it does not say what was before: $said"

# One that was killed is undone by the next start, so that what is noted is what was there before the first.
CORES=1 "$tuning" start >/dev/null
is proc/irq/25/smp_affinity_list 0,2,3
"$tuning" stop >/dev/null
is proc/irq/24/smp_affinity_list 0-3
is proc/irq/25/smp_affinity_list 2
is $cpus/cpu0/cpufreq/scaling_governor schedutil
is $cpus/cpu1/cpufreq/scaling_governor performance
[[ -z $(find "$ROOT/run" -type f) ]] || fail "notes are left"

if CORES=0-3 "$tuning" start 2>/dev/null; then fail "it leaves no processor for interrupts"; fi
"$tuning" stop >/dev/null

"$tuning" hugepages 512 >/dev/null
is $pages 512
"$tuning" hugepages 600 >/dev/null
"$tuning" undo-hugepages >/dev/null
is $pages 3
echo "settings are changed, noted and put back"
