#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian through `netsim: wire` beside a bridge of the kernel, between the same two namespaces, in turns.

usage: sudo tests/bench/plain_bridge.py HILGATE [--rounds 5] [--seconds 4] [--realtime] [--poll] [--kernel-links]
                                        [--json]
  HILGATE     an optimised build, such as build/release/bin/hilgate
  --realtime  `scheduling: realtime` for the gateway, where robots do not share its processors
  --poll      the gateway polls on the last processor, and the programs of both sides have the others: a free core
  --kernel-links  `kernel: {links: true}`, with which the kernel forwards the frames of a perfect cable; robots' ends
              have GRO, with the bridge too, because an end of a veth pair takes such frames only while it polls

  --json      the figures as figures.py --add takes them

Prints minimum, median and maximum of the rounds and the ratio of the medians, gateway to bridge:
  tcp, tcp 10      iperf3, one and ten flows, Mbit/s; the aim is 0.5
  dds              ddsperf (Cyclone DDS), 1 kB samples as fast as it can, those that were heard, kS/s; the aim is 0.5
  dds p50, p99     ddsperf, there and back 100 times a second, us; the aim of p50 is 1.5
  ping p50, p99    there and back 100 times a second, us
  one way p50, p99 `hilgate bench stream`, 997 frames a second, us; p99: the aim is 2 where a processor is free
Figures of a machine that does other work are worth nothing. Needs root, iperf3, ddsperf, ping. In namespaces of its
own.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from bench_rig import Gateway, TwoRobots, enter_own_namespaces, figure, figures_document, host, run, spread

ADDRESSES = {"red": "10.90.0.1", "blue": "10.90.0.2"}
DDS = ("CYCLONEDDS_URI=<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"eth0\"/></Interfaces>"
       "</General></Domain></CycloneDDS>")


class Bridge:
    """The yardstick."""

    def __init__(self):
        run("ip link add br0 type bridge forward_delay 0 && ip link set br0 up"
            " && ip link set hg-red master br0 && ip link set hg-blue master br0")
        time.sleep(1)

    def end(self):
        run("ip link del br0")


class OwnGateway(Gateway):
    """Its ports are the host's again afterwards, whatever their fail mode."""

    def __init__(self, program, configuration):
        super().__init__(program, configuration)
        self.program = program
        time.sleep(1)  # a link is the kernel's two windows after the start

    def end(self):
        super().end()
        subprocess.run([self.program, "detach", "plain"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)


BEGIN_WITH = []  # of each program but the gateway


def at(robot, *words):
    return ["ip", "netns", "exec", robot, *BEGIN_WITH, *words]


def leave_a_processor():
    """Takes the last one from the programs that are started; its number."""
    *others, last = sorted(os.sched_getaffinity(0))
    BEGIN_WITH[:] = ["taskset", "-c", ",".join(map(str, others))]
    return last


def heard(words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False).stdout


def quantiles(values):
    values = sorted(values)
    if not values:
        raise SystemExit("plain_bridge.py: nothing came through")
    return values[len(values) // 2], values[(len(values) - 1) * 99 // 100]


def ping(seconds):
    said = heard(at("red", "ping", "-i", "0.01", "-c", str(100 * seconds), ADDRESSES["blue"]))
    return quantiles([1000 * float(ms) for ms in re.findall(r"time=([0-9.]+) ms", said)])


def tcp(seconds, flows):
    server = subprocess.Popen(at("blue", "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    said = json.loads(heard(at("red", "iperf3", "-J", "-c", ADDRESSES["blue"], "-t", str(seconds), "-P", str(flows))))
    server.wait(10)
    return said["end"]["sum_received"]["bits_per_second"] / 1e6


def ddsperf(seconds, listener, *speaker):
    """What both said."""
    other = subprocess.Popen(at("blue", "env", DDS, "ddsperf", listener), stdout=subprocess.PIPE, text=True)
    time.sleep(0.5)
    said = heard(at("red", "env", DDS, "ddsperf", "-Q", "minmatch:1", "-Q", "maxwait:10", "-D", str(seconds + 2),
                    *speaker))
    other.send_signal(signal.SIGINT)
    return said, other.communicate(timeout=20)[0]


def dds_rate(seconds):
    """The median of the seconds, of what was heard, in thousands of samples a second."""
    _, listener = ddsperf(seconds, "sub", "pub", "size", "1k")
    rates = [float(rate) for rate in re.findall(r"rate ([0-9.]+) kS/s", listener)]
    if not rates:
        raise SystemExit(f"plain_bridge.py: ddsperf has heard nothing:\n{listener}")
    return statistics.median(rates)


def dds_round_trip(seconds):
    """ddsperf says mean, minimum, median, 90 %, 99 % and maximum of each second, us."""
    said, _ = ddsperf(seconds, "pong", "ping", "100Hz", "size", "100")
    rows = re.findall(r" mean [0-9.]+us min [0-9.]+us? 50% ([0-9.]+)us? 90% [0-9.]+us? 99% ([0-9.]+)us?", said)
    if not rows:
        raise SystemExit(f"plain_bridge.py: no round trips in what ddsperf said:\n{said}")
    return tuple(statistics.median(float(row[i]) for row in rows) for i in range(2))


def one_way(hilgate, seconds):
    said = json.loads(heard([*BEGIN_WITH, hilgate, "bench", "stream", "--json", "--from", "red:eth0", "--to",
                             "blue:eth0", "--rate", "997", "--duration", f"{seconds}s"]))["loads"][0]
    return said["p50_us"], said["p99_us"]


def measure(hilgate, seconds):
    figures = {"tcp": tcp(seconds, 1), "tcp 10": tcp(seconds, 10), "dds": dds_rate(seconds)}
    for name, (p50, p99) in (("dds", dds_round_trip(seconds)), ("ping", ping(seconds)),
                             ("one way", one_way(hilgate, seconds))):
        figures[f"{name} p50"], figures[f"{name} p99"] = p50, p99
    return figures


FIGURES = {"tcp": ("TCP, one flow", "Mbit/s"), "tcp 10": ("TCP, ten flows", "Mbit/s"),
           "dds": ("DDS, 1 kB samples", "kS/s"), "dds p50": ("DDS, round trip, p50", "us"),
           "ping p50": ("ping, round trip, p50", "us"), "one way p99": ("one way, 1000 frames a second, p99", "us")}
MODES = {"poll": ("poll.", "with a core for the loop: ", " --poll"),
         "kernel_links": ("kernel.", "links in the kernel: ", " --kernel-links")}


def figures(options, rows):
    key, begin, option = next((words for mode, words in MODES.items() if getattr(options, mode)), ("", "", ""))
    return [figure(f"plain_bridge.{key}{name.replace(' ', '_')}", f"{begin}{text}, `netsim: wire`", unit,
                   [row[name] for row in rows["hilgate"]], [row[name] for row in rows["bridge"]],
                   "a bridge of the kernel", f"tests/bench/plain_bridge.py{option}")
            for name, (text, unit) in FIGURES.items()]


def compare(options, folder):
    robots = TwoRobots()
    for robot, address in ADDRESSES.items():
        run(f"ip -n {robot} addr add {address}/24 dev eth0 && ip -n {robot} link set lo up")
    file = folder / "run.yaml"
    scheduling = ["scheduling: realtime"] if options.realtime else []
    if options.poll:
        scheduling.append(f"packet_loop: {{idle: poll, cpu: {leave_a_processor()}}}")
    fail = "none"
    if options.kernel_links:
        fail = "block"  # links are the kernel's only where it knows what to do without a gateway
        scheduling.append("kernel: {links: true}")
        for robot in ADDRESSES:
            run(f"ip netns exec {robot} ethtool -K eth0 gro on")
    lines = robots.configuration("plain", "netsim: {type: wire}", *scheduling, fail=fail)
    file.write_text(lines, encoding="utf-8")
    kinds = {"bridge": Bridge, "hilgate": lambda: OwnGateway(options.hilgate, file)}
    rows = {kind: [] for kind in kinds}
    for number in range(options.rounds):
        for kind, make in kinds.items():
            between = make()
            rows[kind].append(measure(options.hilgate, options.seconds))
            between.end()
        print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)
    if options.json:
        json.dump(figures_document(figures(options, rows)), sys.stdout, indent=1)
        print()
        return
    print(f"{'':16} {'bridge':>29}   {'hilgate':>29}   ratio of medians")
    for name in rows["bridge"][0]:
        theirs, ours = ([row[name] for row in rows[kind]] for kind in kinds)
        ratio = statistics.median(ours) / statistics.median(theirs)
        print(f"{name:16} {spread(theirs)}   {spread(ours)}   {ratio:.2f}")
    print(json.dumps(host()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hilgate", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each measurement")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--poll", action="store_true")
    parser.add_argument("--kernel-links", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("namespaces need root: run it with sudo")
    for program in ("iperf3", "ddsperf", "ping"):
        if not shutil.which(program):
            parser.error(f"{program} is missing")
    enter_own_namespaces()
    options.hilgate = str(options.hilgate.resolve())
    with tempfile.TemporaryDirectory() as folder:
        compare(options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
