#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# demo_test.sh SOURCE_DIR BUILD_DIR CASE: runs the demo as a person would, with the programs of a build tree, and looks
# at what it leaves behind. What else the demo does, installing and building, .ci/run sees on a bare machine.
set -euo pipefail
set -m # a background job is a process group of its own and takes SIGINT, as one in a terminal does
demo=$1/demo.sh
built=$2
case=$3
work=$(mktemp -d)
job=""

fail() {
  echo "FAILED: $*" >&2
  if [[ -f $work/output ]]; then cat "$work/output" >&2; fi
  exit 1
}

clean_up() {
  if [[ -n $job ]]; then kill -TERM -- "-$job" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clean_up EXIT

# What a demo makes and must not leave, by the names it gives.
traces() {
  ip netns list | grep '^hg-patrol-' || true
  ip -o link show | grep -o 'hgp-[a-z]*' || true
  compgen -G '/run/hilgate/*patrol*' || true
  compgen -G '/tmp/hilgate-demo.*' || true
  pgrep -a -f 'hilgate-demo[.]' || true
  pgrep -a -f '^iperf3 .* (5201|5202) ' || true
  cat /sys/kernel/mm/hugepages/*/nr_hugepages
}

start() {
  traces >"$work/before"
  "$demo" --programs "$built" --seconds "$@" --report "$work/report" >"$work/output" 2>&1 </dev/null &
  job=$!
}

# Waits until the output has a line like this.
wait_for() {
  local deadline=$((SECONDS + 1500))
  until grep -q -e "$1" "$work/output"; do
    kill -0 "$job" 2>/dev/null || fail "the demo ended before '$1'"
    ((SECONDS < deadline)) || fail "no '$1' in $deadline s"
    sleep 0.1
  done
}

ends_with() {
  local status=0
  wait "$job" || status=$?
  job=""
  ((status == $1)) || fail "exit status $status instead of $1"
}

leaves_nothing() {
  # The kernel lets go of namespaces and their links a moment after their last user has gone.
  local deadline=$((SECONDS + 10))
  until traces >"$work/after" && cmp -s "$work/before" "$work/after"; do
    if ((SECONDS > deadline)); then
      diff "$work/before" "$work/after" >&2 || true
      fail "something was left behind"
    fi
    sleep 0.2
  done
}

case $case in
  short | ns3 | gz)
    # TCP needs seconds, however short the patrol, to be as fast again as it was before the building.
    if [[ $case == short ]]; then start 20; else start 20 --with "$case"; fi
    ends_with 0
    leaves_nothing
    for file in index.html samples.csv summary.json; do
      [[ -s $work/report/$file ]] || fail "no $file in the report"
    done
    ! grep -q '"holds": false' "$work/report/summary.json" || fail "a check does not hold"
    [[ $(grep -c '<svg' "$work/report/index.html") -ge 6 ]] || fail "pictures are missing"
    ! grep -E '(src|href)="(https?:)?//' "$work/report/index.html" || fail "the page needs something beside itself"
    ;;
  interrupted)
    start 60
    wait_for '== patrol'
    wait_for 'Mbit/s'
    kill -INT -- "-$job"
    ends_with 130
    leaves_nothing
    ;;
  gateway-lost)
    start 60
    wait_for 'Mbit/s'
    gateway=$(pgrep -P "$job" -x hilgate) || fail "the demo has no gateway"
    kill -KILL "$gateway"
    ends_with 1
    grep -q 'the gateway does not answer' "$work/output" || fail "it does not say what is wrong"
    leaves_nothing
    ;;
  refusals)
    for arguments in '--seconds 9' '--seconds 3601' '--seconds ten' '--seconds' '--fast' '--programs /nowhere'; do
      status=0
      # shellcheck disable=SC2086 # words on purpose
      "$demo" $arguments >"$work/output" 2>&1 || status=$?
      ((status == 2)) || fail "'$arguments': exit status $status instead of 2"
    done
    ;;
  *) fail "no case '$case'" ;;
esac
echo "$case: as it should be"
