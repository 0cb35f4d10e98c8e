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

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

WINDOW = "10ms"
ROBOTS = ("red", "blue")
RUN = "missed-windows"


def enter_namespaces(arguments):
    """Starts this program again where sockets, interfaces and BPF objects are its own."""
    if os.environ.get("HILGATE_MISSED_INSIDE"):
        return
    os.environ["HILGATE_MISSED_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", sys.executable, *arguments])


def run(command):
    subprocess.run(command, shell=True, check=True)


def prepare(folder):
    """The configuration of a run between two simulators; returns the sockets of physics and network."""
    run("mount -t sysfs sysfs /sys && mount -t bpf bpf /sys/fs/bpf && mkdir -p /run/hilgate"
        " && mount -t tmpfs tmpfs /run/hilgate && ip link set lo up")
    sockets = [folder / "physics", folder / "netsim"]
    lines = [f"name: {RUN}", f"window: {WINDOW}", "late: hold_last", "memory: {frames: 4096}",
             f"physics: {{type: native, address: 'unix:{sockets[0]}', patience: 0s}}",
             f"netsim: {{type: native, address: 'unix:{sockets[1]}', patience: 0s, answers: links}}", "ports:"]
    for name in ROBOTS:
        run(f"ip link add hg-{name} type veth peer name r-{name} && ip link set hg-{name} up"
            f" && ip link set r-{name} up")
        lines.append(f"  {name}: {{interface: hg-{name}, fail: none}}")
    lines.append("robots:")
    lines += [f"  {name}: {{port: {name}, mac: '02:68:67:00:00:{n:02x}'}}" for n, name in enumerate(ROBOTS, 1)]
    (folder / "run.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sockets


def windows(hilgate):
    """(windows, windows missed) of both simulators until now."""
    status = json.loads(subprocess.run([hilgate, "status", RUN, "--json"], check=True, capture_output=True).stdout)
    simulators = status["window"]["simulators"]
    return status["window"]["number"] * len(simulators), sum(simulator["missed"] for simulator in simulators)


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
    enter_namespaces(sys.argv)
    hilgate = str(pathlib.Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    programs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sockets = prepare(folder)
        try:
            programs.append(subprocess.Popen([hilgate, "run", str(folder / "run.yaml")], stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))
            for kind, path in zip(("physics", "network"), sockets):
                programs.append(subprocess.Popen([hilgate, "sim", kind, "--protocol", "native", "--socket",
                                                  f"unix:{path}", "--robots", str(len(ROBOTS)), "--window", WINDOW],
                                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(3)  # until windows follow each other
            measure(hilgate, seconds, rounds, sockets)
        finally:
            for program in reversed(programs):
                program.terminate()
                program.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
