#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What looking costs: a page that is open, Prometheus that scrapes each second, and hilgate-ros2 that publishes links
at 10 Hz, on a run of 64 robots with embedded radios, of which one sends to another; in turns without them and with
them. Gateway and sender have real-time priority, and who looks has not: real robots share no processor with them. Runs
in namespaces of its own.

usage: sudo tests/bench/eyes_cost.py HILGATE [ROBOTS [SECONDS [ROUNDS [FRAMES_PER_SECOND]]]]
  HILGATE  an optimised build, such as build/release/bin/hilgate, with hilgate-ros2 beside it
  ROBOTS, 64; SECONDS of each turn, 10; ROUNDS, 5; FRAMES_PER_SECOND that are sent, 50000; 0: as many as go, which needs
  processors to spare

Prints each round, and minimum, median and maximum of the packet rate with them over that without (aim: above 0.99), and
of the control thread's processor time that they cost (aim: below 10 % of a processor).
"""

import json
import os
import pathlib
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

from bench_rig import enter_own_namespaces, run

RUN = "eyes-cost"
SPACING_M = 20
SETTLE_S = 2
BURST = 64  # frames


def mac(number):
    return f"02:68:67:00:{number >> 8:02x}:{number & 0xff:02x}"


# What this script does beside itself, by its first argument.
def send(rate):
    """Robot 0 to robot 1."""
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    port.bind(("r-0", 0))
    frame = bytes.fromhex((mac(1) + mac(0)).replace(":", "")) + struct.pack("!H", 0x9999) + bytes(60)
    pause = BURST / float(rate) if float(rate) > 0 else 0
    due = time.monotonic()
    while True:
        for _ in range(BURST):
            try:
                port.send(frame)
            except OSError:
                time.sleep(0.0001)
        due += pause
        if pause > 0:
            time.sleep(max(0, due - time.monotonic()))


def watch(address):
    """An open page; prints a line for each report."""
    with urllib.request.urlopen(f"{address}events") as events:
        for line in events:
            if line.startswith(b"data: "):
                print("report", flush=True)


def scrape(address):
    """Prometheus, each second; prints a line for each scrape."""
    while True:
        begin = time.monotonic()
        urllib.request.urlopen(f"{address}metrics").read()
        print("scrape", flush=True)
        time.sleep(max(0, 1 - (time.monotonic() - begin)))


def prepare(folder, robots):
    """Robots on a square grid, on veth pairs."""
    run("sysctl -q net.ipv6.conf.default.disable_ipv6=1")
    side = round(robots ** 0.5 + 0.499)
    tracks, ports, names = [], [], []
    for n in range(robots):
        run(f"ip link add hg-{n} type veth peer name r-{n} && ip link set hg-{n} up && ip link set r-{n} up")
        ports.append(f"  p{n}: {{interface: hg-{n}, fail: none}}")
        names.append(f"  r{n}: {{port: p{n}, mac: '{mac(n)}', radio: wifi_11n_2g4_adhoc}}")
        x, y = SPACING_M * (n % side), SPACING_M * (n // side)
        tracks.append(f"    r{n}: [{{at: 0s, position: [{x}m, {y}m, 2m]}}]")
    lines = [f"name: {RUN}", "window: 10ms", "memory: {frames: 65536}", "netsim: {type: embedded}", "physics:",
             "  type: trajectory", "  tracks:", *tracks, "ports:", *ports, "robots:", *names]
    file = folder / "run.yaml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def start(command, said=None):
    """A process; with `said`, also what it says that matches, when it does."""
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    process.log = log
    deadline = time.monotonic() + 60
    while said:
        log.seek(0)
        if found := re.search(said, log.read()):
            return process, found.group(0)
        if process.poll() is not None or time.monotonic() > deadline:
            log.seek(0)
            sys.exit(f"{' '.join(command)} does not come up: {log.read()}")
        time.sleep(0.05)
    return process


def end(process):
    """Returns how many lines it has said."""
    process.terminate()
    process.wait()
    process.log.seek(0)
    return len(process.log.readlines())


class Eyes:
    """Page, Prometheus and ROS 2."""

    def __init__(self, hilgate):
        self.web, page = start([hilgate, "web", RUN, "--listen", "127.0.0.1:0"], r"http://\S+")
        self.metrics, source = start([hilgate, "metrics", RUN, "--listen", "127.0.0.1:0"], r"http://\S+/")
        settings = {"run": RUN, "control_socket": f"/run/hilgate/{RUN}.sock",
                    "output": {"place": {"domain": 77, "interface": "lo"}, "links": 100_000_000}}  # ns
        self.ros2 = start([str(pathlib.Path(hilgate).with_name("hilgate-ros2")), json.dumps(settings)])
        self.watcher = start([sys.executable, __file__, "--watch", page])
        self.scraper = start([sys.executable, __file__, "--scrape", source])
        time.sleep(SETTLE_S)
        for process in (self.web, self.metrics, self.ros2, self.watcher, self.scraper):
            if process.poll() is not None:
                process.log.seek(0)
                sys.exit(f"eyes_cost.py: {process.args[:2]} has ended: {process.log.read()}")

    def end(self):
        """How many reports and scrapes there were."""
        counts = end(self.watcher), end(self.scraper)
        for process in (self.ros2, self.metrics, self.web):
            end(process)
        return counts


class Bench:
    def __init__(self, hilgate, gateway, seconds):
        self.hilgate, self.gateway, self.seconds = hilgate, gateway, seconds

    def frames(self):
        done = subprocess.run([self.hilgate, "status", RUN, "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)["totals"]["frames_captured"]

    def control_s(self):
        """Processor time of the control thread, which is the first of the process."""
        process = self.gateway.pid
        return int(pathlib.Path(f"/proc/{process}/task/{process}/schedstat").read_text().split()[0]) / 1e9

    def turn(self):
        """Frames per second, and the control thread's share of a processor."""
        frames, begin = self.frames(), time.monotonic()
        control, control_begin = self.control_s(), time.monotonic()
        time.sleep(self.seconds)
        share = (self.control_s() - control) / (time.monotonic() - control_begin)
        return (self.frames() - frames) / (time.monotonic() - begin), share

    def round(self):
        without = self.turn()
        eyes = Eyes(self.hilgate)
        with_them = self.turn()
        reports, scrapes = eyes.end()
        ratio, cost = with_them[0] / without[0], with_them[1] - without[1]
        print(f"without {without[0]:.0f} frames/s, with {with_them[0]:.0f}/s, ratio {ratio:.3f}; control thread "
              f"{100 * without[1]:.1f} %, {100 * with_them[1]:.1f} %, cost {100 * cost:.1f} %; "
              f"{reports} reports, {scrapes} scrapes in {self.seconds + SETTLE_S:.0f} s", flush=True)
        return ratio, cost


def compare(hilgate, robots, seconds, rounds, rate):
    with tempfile.TemporaryDirectory() as name:
        file = prepare(pathlib.Path(name), robots)
        gateway, _ = start(["chrt", "-f", "10", hilgate, "run", str(file)], r"running, \d+ robots")
        sender = start(["chrt", "-f", "5", sys.executable, __file__, "--send", str(rate)])
        try:
            time.sleep(SETTLE_S)
            bench = Bench(hilgate, gateway, seconds)
            figures = [bench.round() for _ in range(rounds)]
        finally:
            end(sender)
            end(gateway)
    ratios, costs = zip(*figures)
    print(f"ratio: min {min(ratios):.3f}, median {statistics.median(ratios):.3f}, max {max(ratios):.3f}")
    print(f"control thread: min {100 * min(costs):.1f} %, median {100 * statistics.median(costs):.1f} %, "
          f"max {100 * max(costs):.1f} %; load {os.getloadavg()[0]:.1f}")


def main():
    if len(sys.argv) == 3 and sys.argv[1].startswith("--"):
        {"--send": send, "--watch": watch, "--scrape": scrape}[sys.argv[1]](sys.argv[2])
        return 0
    if not 2 <= len(sys.argv) <= 6 or os.geteuid() != 0:
        print(__doc__.strip().splitlines()[5], file=sys.stderr)
        return 2
    enter_own_namespaces()
    numbers = [int(argument) for argument in sys.argv[2:]] + [64, 10, 5, 50000][len(sys.argv) - 2:]
    compare(str(pathlib.Path(sys.argv[1]).resolve()), *numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
