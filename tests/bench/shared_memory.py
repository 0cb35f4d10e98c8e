#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames through two memif ports, whose peer is dpdk-testpmd, beside those through two veth ports, in turns.

usage: sudo tests/bench/shared_memory.py HILGATE [--rounds 5] [--seconds 3] [--json] [--perf FILE]
  HILGATE  an optimised build, such as build/release/bin/hilgate
  --perf   FILE gets what the packet loop's processor does in a last round, by perf

memif: testpmd has both robots, and sends each frame that one gets from the other, 64 B, so that 512 frames a direction
are always on their way; the gateway's loop has the first processor and testpmd the last. veth: `hilgate bench
passthrough`, whose figure is the yardstick; the aim is 5. Prints minimum, median and maximum of the rounds. Figures of
a machine that does other work are worth nothing. Needs root, dpdk-testpmd and two processors. In namespaces of its own.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench_rig import Gateway, enter_own_namespaces, figure, figures_document, spread, status

NAME = "bench-memif"
MACS = ("02:68:67:00:00:01", "02:68:67:00:00:02")
BURSTS = 16  # of 32 frames, of each direction; fewer than a ring has entries


def processors():
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise SystemExit("shared_memory.py: needs two processors, one for the gateway and one for its peer")
    return allowed[0], allowed[-1]


def configuration(folder):
    return "\n".join([f"name: {NAME}", f"packet_loop: {{cpu: {processors()[0]}, idle: poll}}", "netsim: {type: wire}",
                      "ports:", *(f"  p{n}: {{driver: memif, socket: {folder}/{n}.sock}}" for n in range(2)),
                      "robots:", *(f"  r{n}: {{port: p{n}, mac: '{mac}'}}" for n, mac in enumerate(MACS)), ""])


def testpmd(folder):
    ours, theirs = processors()
    words = ["dpdk-testpmd", "-l", f"{ours},{theirs}", "--main-lcore", str(ours), "--no-huge", "-m", "256", "--no-pci",
             "--no-telemetry", "--file-prefix=bench-memif-peer"]
    for n, mac in enumerate(MACS):
        words += ["--vdev", f"net_memif{n},role=client,id=0,socket={folder}/{n}.sock,socket-abstract=no,mac={mac}"]
    words += ["--", "-i", "--total-num-mbufs=16384", "--no-mlockall", "--forward-mode=mac", "--no-lsc-interrupt",
              f"--eth-peer=0,{MACS[1]}", f"--eth-peer=1,{MACS[0]}"]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            text=True)


def released(hilgate):
    ports = status(hilgate, NAME)["ports"]
    return sum(port["counts"]["released"] for port in ports), all(port["state"] == "up" for port in ports)


def memif(hilgate, seconds, perf):
    """Frames per second through the gateway, of both directions."""
    with tempfile.TemporaryDirectory(prefix="hilgate-bench-") as folder:
        file = pathlib.Path(folder) / "memif.yaml"
        file.write_text(configuration(folder), encoding="utf-8")
        gateway = Gateway(hilgate, file)
        peer = testpmd(folder)
        try:
            end = time.monotonic() + 30
            while not released(hilgate)[1]:
                if time.monotonic() > end:
                    raise SystemExit("shared_memory.py: testpmd does not connect")
                time.sleep(0.1)
            time.sleep(1)
            peer.stdin.write(f"start tx_first {BURSTS}\n")
            peer.stdin.flush()
            time.sleep(1)
            before, began = released(hilgate)[0], time.monotonic()
            if perf:
                profile(perf, seconds)
            else:
                time.sleep(seconds)
            after, ended = released(hilgate)[0], time.monotonic()
        finally:
            peer.kill()
            peer.wait()
            gateway.end()
    if after == before:
        raise SystemExit("shared_memory.py: nothing came through")
    return (after - before) / (ended - began)


def profile(file, seconds):
    with tempfile.NamedTemporaryFile() as data:
        subprocess.run(["perf", "record", "-q", "-C", ",".join(map(str, processors())), "-o", data.name, "--", "sleep",
                        str(seconds)], check=True, stderr=subprocess.DEVNULL)
        with open(file, "w", encoding="utf-8") as out:
            subprocess.run(["perf", "report", "-i", data.name, "--stdio", "--no-children", "--sort", "cpu,comm,symbol",
                            "--percent-limit", "1"], check=True, stdout=out, stderr=subprocess.DEVNULL)


def veth(hilgate, seconds):
    answer = subprocess.run([hilgate, "bench", "passthrough", "--seconds", str(seconds), "--json"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return json.loads(answer)["pps"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("hilgate")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--perf", metavar="FILE")
    options = parser.parse_args()
    enter_own_namespaces()
    hilgate = str(pathlib.Path(options.hilgate).resolve())
    rounds = [(memif(hilgate, options.seconds, None), veth(hilgate, options.seconds)) for _ in range(options.rounds)]
    if options.perf:
        memif(hilgate, options.seconds, options.perf)
    ours, theirs = zip(*rounds)
    if options.json:
        json.dump(figures_document([figure("memif.64", "64 B between two memif ports", "frames/s", ours, theirs,
                                           "two veth ports", "tests/bench/shared_memory.py")]), sys.stdout, indent=1)
        print()
        return
    print(f"{'':12}{'min':>9} {'median':>9} {'max':>9}")
    for name, values in (("memif, k/s", [value / 1e3 for value in ours]),
                         ("veth, k/s", [value / 1e3 for value in theirs]), ("ratio", [x / y for x, y in rounds])):
        print(f"{name:12}{spread(values)}")


if __name__ == "__main__":
    main()
