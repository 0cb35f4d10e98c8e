#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netem and hilgate between the same two interfaces of this guest.
# shellcheck disable=SC2046 # words are meant
/side-by-side/tests/bench/peers/side_by_side.py /side-by-side/bin/hilgate --peers netem --json result.json \
  $(</side-by-side/arguments) >table 2>progress
check "measures" "$?" 0
