#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many windows simulators miss while a hostile peer is at their sockets, and without it: a gateway between two
`hilgate sim` of the native protocol, with a window each 10 ms, in turns quiet and with a peer that connects, floods and
comes again without a pause. Runs in namespaces of its own.

usage: sudo tests/bench/missed_windows.py HILGATE [SECONDS [ROUNDS]]
  HILGATE  an optimised build, such as build/release/bin/hilgate
  SECONDS  of each interval, 20; ROUNDS of one quiet and one hostile interval, 3

Prints missed windows as a share of all, per cent, for each interval and in all.
"""

import os
import pathlib
import socket
import sys
import tempfile
import time

from bench_rig import BetweenSimulators, enter_own_namespaces, run, start, status

WINDOW = "10ms"
ROBOTS = ("red", "blue")
RUN = "missed-windows"


def prepare(folder):
    """Ports, and the configuration of a run between two simulators."""
    for name in ROBOTS:
        run(f"ip link add hg-{name} type veth peer name r-{name} && ip link set hg-{name} up"
            f" && ip link set r-{name} up")
    between = BetweenSimulators(folder, RUN, WINDOW, ROBOTS, ", patience: 0s")
    (folder / "run.yaml").write_text("\n".join([*between.lines, "memory: {frames: 4096}", ""]), encoding="utf-8")
    return between


def windows(hilgate):
    """(windows, windows missed) of both simulators until now."""
    window = status(hilgate, RUN)["window"]
    simulators = window["simulators"]
    return window["number"] * len(simulators), sum(simulator["missed"] for simulator in simulators)


def be_hostile(sockets, seconds):
    """Comes to both sockets in turn, says as much as is taken, and comes again; how often it came."""
    noise = b"\x5a" * 65536
    came = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(0.02)
            try:
                peer.connect(str(sockets[came % 2]))
                came += 1
                while time.monotonic() < end:
                    peer.send(noise)
            except OSError:
                pass  # sent away, or no room to wait
    return came


def measure(hilgate, seconds, rounds, sockets):
    total = {"quiet": [0, 0], "hostile": [0, 0]}
    for _ in range(rounds):
        for kind, sums in total.items():
            before = windows(hilgate)
            came = be_hostile(sockets, seconds) if kind == "hostile" else time.sleep(seconds)
            after = windows(hilgate)
            took = [after[i] - before[i] for i in range(2)]
            for i in range(2):
                sums[i] += took[i]
            what = f", came {came} times" if came else ""
            print(f"{kind}: {100 * took[1] / took[0]:.2f} % of {took[0]} windows missed{what}", flush=True)
    for kind, (count, missed) in total.items():
        print(f"{kind} in all: {100 * missed / count:.2f} % of {count}")
    print(f"load {os.getloadavg()[0]:.1f}")


def main():
    if not 2 <= len(sys.argv) <= 4 or os.geteuid() != 0:
        print(__doc__.strip().splitlines()[4], file=sys.stderr)
        return 2
    enter_own_namespaces()
    hilgate = str(pathlib.Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    programs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        between = prepare(folder)
        try:
            programs.append(start([hilgate, "run", str(folder / "run.yaml")]))
            programs += between.start_simulators(hilgate)
            time.sleep(3)  # until windows follow each other
            measure(hilgate, seconds, rounds, list(between.sockets.values()))
        finally:
            for program in reversed(programs):
                program.terminate()
                program.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
