#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How late windows of 1 ms begin on a machine that is in use: a gateway between two `hilgate sim` of the native
protocol, and iperf3 (UDP) between its two robots, all on the processors that there are; in turns with `scheduling:
normal` and `realtime`. Runs in namespaces of its own.

usage: sudo tests/bench/window_starts.py HILGATE [SECONDS [ROUNDS [RATE]]]
  HILGATE  an optimised build, such as build/release/bin/hilgate
  SECONDS  of each run, 10; ROUNDS of one run each, 5; RATE of iperf3, 100M; 0 is without

Prints for each run the 99th percentile of lateness, the share of windows that began more than 100 us late by cause, and
the share missed; then minimum, median and maximum of the percentiles.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bench_rig import BetweenSimulators, enter_own_namespaces, run, start, status

ROBOTS = ("red", "blue")
RUN = "window-starts"
SCHEDULING = ("normal", "realtime")
WINDOW = "1ms"


def prepare(folder):
    """Robots with addresses, and a configuration for each kind of scheduling."""
    for n, name in enumerate(ROBOTS, 1):
        run(f"ip netns add {name} && ip link add hg-{name} type veth peer name eth0 netns {name}"
            f" && ip link set hg-{name} up"
            f" && ip netns exec {name} ethtool -K eth0 tx off rx off tso off gso off gro off"
            f" && ip -n {name} link set eth0 address 02:68:67:00:00:{n:02x} up"
            f" && ip -n {name} address add 10.9.0.{n}/24 dev eth0")
    between = BetweenSimulators(folder, RUN, WINDOW, ROBOTS)
    for scheduling in SCHEDULING:
        (folder / f"{scheduling}.yaml").write_text("\n".join([*between.lines, f"scheduling: {scheduling}", ""]),
                                                   encoding="utf-8")
    return between


def wait_for_windows(hilgate):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if status(hilgate, RUN)["window"]["number"] > 100:
                return
        except subprocess.CalledProcessError:
            pass  # not there yet
        time.sleep(0.1)
    raise SystemExit("window_starts.py: the run does not begin")


def measure(hilgate, folder, between, scheduling, seconds, rate):
    """The status at the end of a run."""
    programs = []
    try:
        programs.append(start([hilgate, "run", str(folder / f"{scheduling}.yaml")]))
        programs += between.start_simulators(hilgate)
        wait_for_windows(hilgate)
        if rate != "0":
            programs.append(start(["ip", "netns", "exec", ROBOTS[1], "iperf3", "-s"]))
            time.sleep(0.5)
            programs.append(start(["ip", "netns", "exec", ROBOTS[0], "iperf3", "-c", "10.9.0.2", "-u", "-b", rate, "-t",
                                   str(seconds + 5)]))
        time.sleep(seconds)
        return status(hilgate, RUN)
    finally:
        for program in reversed(programs):
            program.terminate()
            program.wait()


def compare(hilgate, seconds, rounds, rate):
    p99 = {scheduling: [] for scheduling in SCHEDULING}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        between = prepare(folder)
        for _ in range(rounds):
            for scheduling, figures in p99.items():
                end = measure(hilgate, folder, between, scheduling, seconds, rate)
                window, count = end["window"], end["window"]["number"]
                late = window["late_starts"]
                figures.append(window["boundary_p99_us"])
                print(f"{scheduling}: p99 {figures[-1]:.0f} us late; more than 100 us:"
                      f" {100 * late['processor'] / count:.2f} % for want of a processor,"
                      f" {100 * late['own_work'] / count:.2f} % by own work;"
                      f" {100 * window['missed'] / count:.2f} % of {count} missed;"
                      f" {end['totals']['out']} frames", flush=True)
    for scheduling, figures in p99.items():
        print(f"{scheduling}: p99 {min(figures):.0f}, {statistics.median(figures):.0f}, {max(figures):.0f} us"
              " (minimum, median, maximum)")
    print(f"load {os.getloadavg()[0]:.1f}")


def main():
    if not 2 <= len(sys.argv) <= 5 or os.geteuid() != 0:
        print(__doc__.strip().splitlines()[4], file=sys.stderr)
        return 2
    enter_own_namespaces()
    arguments = sys.argv[1:] + ["", "10", "5", "100M"][len(sys.argv) - 1:]
    compare(str(pathlib.Path(arguments[0]).resolve()), float(arguments[1]), int(arguments[2]), arguments[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
