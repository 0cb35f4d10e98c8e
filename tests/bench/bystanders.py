#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What two robots notice of a third that floods: delay p50 and p99 and losses of a frame each 2 ms, in turns without
a flood, with one beside the gateway (on an interface that is no port: what the flood costs whoever shares processors
with it), with one to a fourth robot, and with one to all. In turns as well: a bridge of the kernel as yardstick, and
each program that is named. Gateway (`scheduling: realtime`) and bystanders have real-time priority, and the flood has
not: real robots share no processor with the gateway, and a wait for one would be measured. In namespaces of its own.

usage: sudo tests/bench/bystanders.py HILGATE[,HILGATE...] [ROBOTS [SECONDS [ROUNDS]]]
  HILGATE  optimised builds, such as build/release/bin/hilgate; ROBOTS, 16, at least 4
  SECONDS  of each measurement, 3; ROUNDS, 3

Prints the medians over the rounds.
"""

import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from bench_rig import Gateway, enter_own_namespaces, run

ETHERTYPE = 0x9998
PAUSE_S = 0.002
RUN = "bystanders"
# Robot and role of the flood.
FLOODS = {"quiet": None, "flood beside": ("beside", "flood-all"), "flood to one": (2, "flood-one"),
          "flood to all": (2, "flood-all")}
STAMP = struct.Struct("=Q")
HEAD = 14


def mac(number):
    return bytes.fromhex(f"0268670000{number + 1:02x}")


def packet_socket(kind=0):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(kind))
    port.bind(("eth0", kind))
    return port


def send(seconds):
    """Robot 0 to robot 1; prints how many."""
    port = packet_socket()
    head = mac(1) + mac(0) + struct.pack("!H", ETHERTYPE)
    due = time.monotonic()
    end = due + seconds
    sent = 0
    while due < end:
        port.send(head + STAMP.pack(time.monotonic_ns()) + bytes(60))
        sent += 1
        due += PAUSE_S
        time.sleep(max(0, due - time.monotonic()))
    print(sent)


def receive(seconds):
    """Prints the delays, ns."""
    port = packet_socket(ETHERTYPE)
    port.settimeout(0.1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            frame = port.recv(2048)
        except TimeoutError:
            continue
        print(time.monotonic_ns() - STAMP.unpack_from(frame, HEAD)[0])


def flood(seconds, to):
    """Robot 2; prints how many."""
    port = packet_socket()
    frame = to + mac(2) + struct.pack("!H", 0x9999) + bytes(60)
    end = time.monotonic() + seconds
    sent = 0
    while time.monotonic() < end:
        for _ in range(64):
            try:
                port.send(frame)
                sent += 1
            except OSError:
                time.sleep(0.0001)
    print(sent)


def start(robot, role, seconds):
    priority = [] if role.startswith("flood") else ["chrt", "-f", "20"]
    return subprocess.Popen([*priority, "ip", "netns", "exec", f"r{robot}", sys.executable, __file__, f"--{role}",
                             str(seconds)],
                            stdout=subprocess.PIPE, text=True)


def prepare(folder, robots):
    """Robots on veth pairs, and the configuration of a run between them; `rbeside` is on none of its ports."""
    run("ip netns add rbeside && ip link add beside type veth peer name eth0 netns rbeside && ip link set beside up"
        " && ip -n rbeside link set eth0 up")
    ports, names = ["ports:"], ["robots:"]
    for n in range(robots):
        run(f"ip netns add r{n} && ip link add hg-{n} type veth peer name eth0 netns r{n} && ip link set hg-{n} up"
            f" && ip -n r{n} link set eth0 address {mac(n).hex(':')} up")
        ports.append(f"  p{n}: {{interface: hg-{n}, fail: none}}")
        names.append(f"  r{n}: {{port: p{n}, mac: '{mac(n).hex(':')}'}}")
    lines = [f"name: {RUN}", "scheduling: realtime", "memory: {frames: 65536}", "netsim: {type: wire}", *ports, *names]
    (folder / "run.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Bridge:
    """The yardstick."""

    def __init__(self, robots):
        run("ip link add br0 type bridge forward_delay 0 && ip link set br0 up")
        for n in range(robots):
            run(f"ip link set hg-{n} master br0 && bridge fdb replace {mac(n).hex(':')} dev hg-{n} master static")
        time.sleep(1)

    def end(self):
        run("ip link del br0")


def measure(seconds, flood_of):
    """p50 and p99, ms, the share of lost frames, and thousands of frames a second of the flood."""
    listener = start(1, "receive", seconds + 3)
    time.sleep(0.3)
    others = [start(*flood_of, seconds)] if flood_of else []
    sender = start(0, "send", seconds)
    sent = int(sender.communicate()[0])
    flooded = sum(int(other.communicate()[0]) for other in others) / seconds / 1000
    delays = sorted(int(line) / 1e6 for line in listener.communicate()[0].split())
    if not delays:
        return [0, 0, 1, flooded]
    return [delays[len(delays) // 2], delays[(len(delays) - 1) * 99 // 100], 1 - len(delays) / sent, flooded]


def compare(programs, robots, seconds, rounds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, robots)
        kinds = {"bridge": lambda: Bridge(robots)} | {p: lambda p=p: Gateway(p, folder / "run.yaml") for p in programs}
        figures = {(kind, flooding): [] for kind in kinds for flooding in FLOODS}
        for _ in range(rounds):
            for kind, make in kinds.items():
                between = make()
                for flooding, flood_of in FLOODS.items():
                    figures[kind, flooding].append(measure(seconds, flood_of))
                between.end()
        for (kind, flooding), rows in figures.items():
            p50, p99, lost, flooded = (statistics.median(row[i] for row in rows) for i in range(4))
            print(f"{kind}, {flooding}: p50 {p50:.3f} ms, p99 {p99:.3f} ms ({min(row[1] for row in rows):.3f} to "
                  f"{max(row[1] for row in rows):.3f}), {100 * lost:.2f} % lost; flood {flooded:.0f} k/s")
        print(f"load {os.getloadavg()[0]:.1f}")


def main():
    if len(sys.argv) == 3 and sys.argv[1].startswith("--"):
        roles = {"--send": send, "--receive": receive, "--flood-all": lambda s: flood(s, b"\xff" * 6),
                 "--flood-one": lambda s: flood(s, mac(3))}
        roles[sys.argv[1]](float(sys.argv[2]))
        return 0
    if not 2 <= len(sys.argv) <= 5 or os.geteuid() != 0:
        print(__doc__.strip().splitlines()[7], file=sys.stderr)
        return 2
    enter_own_namespaces()
    numbers = [int(argument) for argument in sys.argv[2:]] + [16, 3, 3][len(sys.argv) - 2:]
    compare([str(pathlib.Path(program).resolve()) for program in sys.argv[1].split(",")], *numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
