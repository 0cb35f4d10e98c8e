#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads in programs that they are hardened: PIE, full RELRO, stack protector, FORTIFY, no executable stack and, on x86,
# CET's mark in our own objects' code. One line for each fault.
# usage: hardening_test.sh PROGRAM ...
set -euo pipefail
faults=0
fault() {
  echo "$1: $2"
  faults=$((faults + 1))
}
for program in "$@"; do
  header=$(readelf -hW "$program")
  segments=$(readelf -lW "$program")
  dynamic=$(readelf -dW "$program")
  symbols=$(readelf --dyn-syms -W "$program")
  grep -q 'Type:.*DYN' <<< "$header" || fault "$program" "no PIE: its code lies at fixed addresses"
  grep -q 'GNU_RELRO' <<< "$segments" || fault "$program" "no RELRO: relocations stay writable"
  grep -Eq 'FLAGS.*(BIND_NOW|NOW)' <<< "$dynamic" || fault "$program" "no BIND_NOW: RELRO is partial"
  grep -E 'GNU_STACK' <<< "$segments" | grep -q 'RWE' && fault "$program" "the stack is executable"
  grep -q '__stack_chk_fail' <<< "$symbols" || fault "$program" "no stack protector"
  grep -Eq '__[a-z]+_chk@' <<< "$symbols" || fault "$program" "no FORTIFY: no checked function is used"
  if grep -q 'X86-64' <<< "$header"; then
    pads=$(objdump -d --no-show-raw-insn "$program" | grep -c endbr64 || true)
    [[ $pads -gt 100 ]] || fault "$program" "no CET: $pads landing pads"
  fi
done
[[ $faults == 0 ]] && echo "$# programs are hardened"
exit $((faults > 0))
