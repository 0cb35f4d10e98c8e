# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A gateway in this guest, by what it says of itself.
run=hilgate # its name

status() { hilgate status "$run" --json; }
# field PYTHON: an expression over the status. Debian's smallest Python has no json, which Python itself can read but
# for three names.
field() {
  status | python3 -c "import sys; true, false, null = True, False, None; s = eval(sys.stdin.read()); print($1)"
}
field_is() { [[ $(field "$1") == "$2" ]]; }
programs() { ip -d link show "$1" | grep -c 'prog/xdp'; }
