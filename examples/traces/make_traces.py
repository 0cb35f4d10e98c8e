#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the example traces of this folder. No measurement: made by formulas, so that every figure can be calculated.

usage: make_traces.py [--check]     --check: compares the files and writes nothing
"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def steps():
    """TheaterQ, 1 ms steps: 100 of them. The rate is a wave around 50 Mbit/s, every tenth step loses a tenth."""
    lines = ["# KEEP us, LATENCY ns, RATE bit/s, LOSS of 4294967295, LIMIT frames\n"]
    for i in range(100):
        rate = round(50e6 + 40e6 * math.sin(2 * math.pi * i / 50))
        latency = 5_000_000 + 50_000 * (i % 20)
        loss = round(0.1 * 4294967295) if i % 10 == 9 else 0
        lines.append(f"1000,{latency},{rate},{loss},100\n")
    return "".join(lines)


def cell_uplink():
    """Mahimahi, one second: 12 opportunities in 10 ms, bursts as a scheduler grants them, and 120 ms of silence."""
    instants = [10 * k + ms for k in range(100) if not 40 <= k < 52 for ms in (1, 1, 1, 2, 2, 2, 5, 5, 5, 9, 9, 9)]
    return "".join(f"{ms}\n" for ms in [*instants, 1000])


def satellite():
    """Named columns: a link that changes its path every 15 s, with a short loss at each change."""
    lines = ["time_s,rate_mbps,rtt_ms,loss_pct\n"]
    for i in range(120):
        at = i / 2
        path = int(at // 15)
        change = at % 15 == 0 and at > 0
        lines.append(f"{at:g},{(180, 90, 140, 220)[path]},{(42, 58, 36, 50)[path]},{20 if change else 0.1}\n")
    return "".join(lines)


def sawtooth():
    """netem-trace: 1 to 10 Mbit/s and again, 100 ms each."""
    tenth = {"secs": 0, "nanos": 100_000_000}
    pattern = [{"StaticBwConfig": {"bw": {"gbps": 0, "bps": mbps * 1_000_000}, "duration": tenth}}
               for mbps in range(1, 11)]
    return json.dumps({"RepeatedBwPatternConfig": {"pattern": pattern, "count": 3}}, indent=1) + "\n"


FILES = {"steps-1ms.csv": steps, "cell-uplink.mahimahi": cell_uplink, "satellite.csv": satellite,
         "sawtooth.json": sawtooth}


def main():
    check = sys.argv[1:] == ["--check"]
    wrong = []
    for name, text in FILES.items():
        file = HERE / name
        if not check:
            file.write_text(text(), encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text():
            wrong.append(f"{file} is not as make_traces.py writes it")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
