#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the guest's test when systemd has done what it does at boot, leaves what it found on the output disk, and turns
# the guest off. The host reads `checks`, a line each: "ok WHAT" or "FAILED WHAT: HOW".
out=/run/out
mkdir -p "$out"
cd "$out" || exit 1

say() { echo "$(cut -d' ' -f1 /proc/uptime) $*"; }

ok() { say "ok $1"; echo "ok $1" >>checks; }
failed() { say "FAILED $1: $2"; echo "FAILED $1: $2" >>checks; }

# check WHAT GOT PATTERN: is what was got as it should be?
check() {
  # shellcheck disable=SC2053 # a pattern is meant
  if [[ $2 == $3 ]]; then ok "$1"; else failed "$1" "'$2' and not '$3'"; fi
}

uptime_s() { cut -d. -f1 /proc/uptime; } # the wall clock may be stepped, by decades

# within SECONDS COMMAND...: is it so, sooner or later?
within() {
  local end=$(($(uptime_s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    (($(uptime_s) < end)) || return 1
    sleep 1
  done
}

# eventually SECONDS WHAT COMMAND...
eventually() {
  local seconds=$1 what=$2
  shift 2
  if within "$seconds" "$@"; then ok "$what"; else failed "$what" "not within $seconds s: $*"; fi
}

say "kernel $(uname -r)"
check "boots without a failed unit" "$(systemctl is-system-running --wait)" running
systemctl list-units --failed --plain --no-legend >failed-units
# shellcheck source=/dev/null
source /guest/test.sh
journalctl -b -o short-monotonic >journal
echo end >>checks
say "end"
tar cf /dev/vdc -C "$out" .
sync
systemctl poweroff --no-block
