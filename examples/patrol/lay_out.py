#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out a patrol of SECONDS in FOLDER, with the air of NETSIM: embedded, ns3 or gz.

usage: lay_out.py FOLDER SECONDS NETSIM"""

import sys

import scenario

if __name__ == "__main__":
    print(f"configuration: {scenario.lay_out(sys.argv[1], float(sys.argv[2]), sys.argv[3])}")
