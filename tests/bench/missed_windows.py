#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many windows simulators miss while a hostile peer is at the gateway's sockets, and without it: a gateway between
two `hilgate sim` of the native protocol, with a window each 10 ms, in turns quiet and with a peer of each kind, which
comes again without a pause. Runs in namespaces of its own.

usage: sudo tests/bench/missed_windows.py HILGATE [SECONDS [ROUNDS]]
  HILGATE  an optimised build, such as build/release/bin/hilgate
  SECONDS  of each interval, 20; ROUNDS of one quiet and one hostile interval for each kind, 3

Prints missed windows and all windows for each kind of peer.
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


def again_and_again(say, first=b"", pause=0.0, reads=False):
    """A peer that says this until the time is over or it is sent away, and reads the answers or nothing."""

    def act(peer, end):
        peer.send(first)
        while time.monotonic() < end:
            peer.send(say)
            while reads and not peer.recv(1 << 20).endswith(b"\n"):
                pass
            time.sleep(pause)

    return act


def leave(_peer, _end):
    """Nothing more."""


NOISE = b"\x5a" * 65536
STATUS = b'{"command": "status"}\n'
SIMULATORS = {"floods": again_and_again(NOISE),
              "announces 4 GiB": again_and_again(NOISE, first=b"\xff\xff\xff\xff"),
              "says a byte each 10 ms of a message that is never whole":
                  again_and_again(b"\x5a", first=b"\0\0\1\0", pause=0.01),
              "leaves at once": leave}
CONTROL = {"floods": again_and_again(NOISE), "leaves at once": leave,
           "asks and reads nothing": again_and_again(STATUS),
           "asks and reads": again_and_again(STATUS, reads=True)}


def be_hostile(sockets, act, seconds):
    """Comes to the sockets in turn, acts until it is sent away, and comes again; how often it came."""
    came = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(min(1, max(0.02, end - time.monotonic())))
            try:
                peer.connect(str(sockets[came % len(sockets)]))
                came += 1
                act(peer, end)
            except OSError:
                pass  # sent away, or no room to wait
    return came


def measure_kind(hilgate, seconds, rounds, kind, hostile):
    """Quiet and hostile in turns; one line."""
    total = {"quiet": [0, 0], "hostile": [0, 0]}
    came = 0
    for _ in range(rounds):
        for state, sums in total.items():
            before = windows(hilgate)
            came += hostile(seconds) if state == "hostile" else time.sleep(seconds) or 0
            after = windows(hilgate)
            for i in range(2):
                sums[i] += after[i] - before[i]
    shares = {state: f"{missed} of {count} ({100 * missed / count:.2f} %)" for state, (count, missed) in total.items()}
    print(f"{kind}: came {came} times; missed {shares['hostile']}; quiet {shares['quiet']}", flush=True)


def measure(hilgate, seconds, rounds, simulators, control):
    for sockets, name, kinds in ((simulators, "simulators' sockets", SIMULATORS), (control, "control socket", CONTROL)):
        for kind, act in kinds.items():
            measure_kind(hilgate, seconds, rounds, f"{name}, {kind}",
                         lambda span, sockets=sockets, act=act: be_hostile(sockets, act, span))
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
            measure(hilgate, seconds, rounds, list(between.sockets.values()), [f"/run/hilgate/{RUN}.sock"])
        finally:
            for program in reversed(programs):
                program.terminate()
                program.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
