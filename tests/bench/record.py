#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs core_bench and appends one JSON line with machine and commit to baseline.ndjson.

Compare lines of the same machine only; `load` tells how busy it was with other things (1-minute average at the start).

usage: record.py BUILD_FOLDER      for example build/release
"""

import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def measure(program):
    """Nanoseconds per frame by benchmark: the median of three repetitions."""
    command = [program, "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_min_time=0.05",
               "--benchmark_report_aggregates_only=true"]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {run["run_name"]: round(1e9 / run["items_per_second"], 2)
            for run in result["benchmarks"] if run["aggregate_name"] == "median"}


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    load = round(os.getloadavg()[0], 1)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True,
                            cwd=HERE)
    line = {"commit": commit.stdout.strip(), "cpu": cpu_model(), "cores": os.cpu_count(), "kernel": platform.release(),
            "load": load, "ns_per_frame": measure(pathlib.Path(sys.argv[1]).resolve() / "tests/core_bench")}
    with (HERE / "baseline.ndjson").open("a") as file:
        file.write(json.dumps(line) + "\n")
    print(json.dumps(line, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
