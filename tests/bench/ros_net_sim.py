#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hilgate beside ROS-NetSim's coordinator: the same simulators (`hilgate sim`), in turn with the one and
with the other, so that both meet the same machine.

usage: sudo tests/bench/ros_net_sim.py CHECKOUT [--hilgate BINARY] [--rounds 5] [--seconds 4] [--cpu N]
  --cpu     everything of both sides on this processor: three programs that take turns wait for one another's
            processors to wake up otherwise, which on virtual machines takes longer than a window
  CHECKOUT  a checkout of ROS-NetSim of your own; it stays as it is. BINARY: an optimised build.

Prints, as minimum, median and maximum of the rounds and as ratio of the medians:
  windows/s   windows of simulators that answer at once
  packets     the highest rate (UDP, 100 B) of which no packet was lost, to an eighth of a doubling; and how many arrive
              of the highest rate that is offered, which is more than a sender and a receiver here may manage
  rtt p50/p99 ping 100 times a second, windows of 1 ms, of simulators that take so long for one, or of pace wall
Figures of a machine that does other work are worth nothing. Needs root, iperf3, protoc, and Python's protobuf, numpy
and yaml. Runs in namespaces of its own.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WINDOWS = 8000  # of their coordinator; of hilgate, those of --seconds, after some to warm up
WARM = 400
RATES = (500, 1000, 2000, 4000, 8000, 16000, 32000, 64000)  # packets/s
PACKET = 100  # B of UDP payload
PATIENCE = 60  # s


def load_reference():
    path = ROOT / "examples" / "simulators" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Simulator:
    """`hilgate sim`, with the times at which it was connected and gone."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        self.connected = threading.Event()
        self.gone = threading.Event()
        self.since = self.until = 0.0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            if "connected" in line and not self.connected.is_set():
                self.since = time.monotonic()
                self.connected.set()
        self.process.wait()
        self.until = time.monotonic()
        self.gone.set()

    def stop(self):
        self.process.terminate()
        self.gone.wait(10)


class Side:
    """A coordinator with its two simulators; `robot(n)` is the beginning of a command line at robot n."""

    paced_by = ("--slow", "1ms")

    def __init__(self, bench, further_network=(), further_physics=()):
        self.bench = bench
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="side-", dir=bench.folder))
        self.reference = bench.module.Reference(bench.checkout, self.folder)
        hilgate, robots = bench.hilgate, bench.module.ROBOTS
        addresses = [word for ip in robots for word in ("--ip", ip)]
        common = ["--protocol", "rosnetsim", "--window", "1ms"]
        self.physics = Simulator([hilgate, "sim", "physics", *common, *further_physics,
                                  "--socket", f"unix:{self.reference.physics}"])
        self.network = Simulator([hilgate, "sim", "network", *common, *addresses, *further_network,
                                  "--socket", f"unix:{self.reference.network}"])
        bench.module.wait_for(self.reference.physics)
        bench.module.wait_for(self.reference.network)

    def stop(self):
        self.network.stop()
        self.physics.stop()
        shutil.rmtree(self.folder)


class Theirs(Side):
    namespace = "hilgate-bench"

    def __enter__(self):
        self.inside = ["ip", "netns", "exec", self.namespace]
        subprocess.run(["ip", "netns", "add", self.namespace], check=True)
        subprocess.run([*self.inside, "ip", "link", "set", "lo", "up"], check=True)
        script = "network_coordinator/scripts/network_coordinator.py"
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            path = self.reference.checkout / script
            argv = [*self.inside, sys.executable, str(path), str(self.reference.configuration)]
            self.coordinator = subprocess.Popen(argv, env=self.reference.environment, stdin=subprocess.PIPE,
                                                stdout=log, stderr=log)
        return self

    def robot(self, _number):
        return self.inside

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self.coordinator.stdin.write(b"\n")  # whatever can be read there stops it
            self.coordinator.stdin.close()
            self.coordinator.wait(20)
        self.coordinator.kill()
        self.coordinator.wait()
        self.stop()
        subprocess.run(["ip", "netns", "del", self.namespace], check=False)


class Ours(Side):
    pace = "lockstep"

    def __enter__(self):
        self.file = self.folder / "hilgate.yaml"
        robots = self.bench.module.ROBOTS
        ports = "".join(f"  p{n}: {{interface: hg-rns{n}}}\n" for n in range(len(robots)))
        ends = "".join(f"  r{n}: {{port: p{n}, mac: '02:68:67:09:01:0{n + 1}', ip: {ip}}}\n"
                       for n, ip in enumerate(robots))
        self.file.write_text(
            f"name: rns\nwindow: 1ms\npace: {self.pace}\nports:\n{ports}robots:\n{ends}"
            f"physics: {{type: rosnetsim, address: 'unix:{self.reference.physics}', sight: los}}\n"
            f"netsim: {{type: rosnetsim, address: 'unix:{self.reference.network}', expiry: 10s}}\nlab: {{}}\n")
        subprocess.run([self.bench.hilgate, "lab", "up", self.file], check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.gateway = subprocess.Popen([self.bench.hilgate, "run", self.file], stdout=log, stderr=log)
        return self

    def robot(self, number):
        return [self.bench.hilgate, "lab", "exec", str(self.file), f"r{number}", "--"]

    def __exit__(self, *_):
        self.gateway.terminate()
        try:
            self.gateway.wait(20)
        except subprocess.TimeoutExpired:
            self.gateway.kill()
            self.gateway.wait()
        subprocess.run([self.bench.hilgate, "lab", "down", self.file], check=False, stdout=subprocess.DEVNULL)
        self.stop()


class OursAtWall(Ours):
    pace = "wall"
    paced_by = ()


def wait_until_it_pings(side, robots):
    deadline = time.monotonic() + PATIENCE
    argv = [*side.robot(0), "ping", "-q", "-c", "1", "-W", "2", "-I", robots[0], robots[1]]
    while subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        if time.monotonic() > deadline:
            sys.exit(f"{type(side).__name__}: no ping is answered in {PATIENCE} s; the log is:\n"
                     + (side.folder / "log").read_text(encoding="utf-8")[-2000:])
        time.sleep(0.2)


def their_windows_per_second(bench):
    """From when both simulators were connected, which windows need, to the last window of the network's."""
    with Theirs(bench, ["--die-at", str(WINDOWS)]) as side:
        if not side.network.gone.wait(PATIENCE):
            sys.exit(f"their coordinator: {WINDOWS} windows took more than {PATIENCE} s")
        return WINDOWS / (side.network.until - max(side.network.since, side.physics.since))


def window_number(bench):
    said = subprocess.run([bench.hilgate, "status", "rns", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False)
    return json.loads(said.stdout)["window"]["number"] if said.returncode == 0 else 0


def our_windows_per_second(bench):
    deadline = time.monotonic() + PATIENCE
    with Ours(bench):
        while (first := window_number(bench)) < WARM:
            if time.monotonic() > deadline:
                sys.exit(f"hilgate: {WARM} windows took more than {PATIENCE} s")
            time.sleep(0.05)
        since = time.monotonic()
        time.sleep(bench.seconds)
        return (window_number(bench) - first) / (time.monotonic() - since)


def offer(bench, side, rate):
    """UDP from robot 0 to robot 1: packets a second that were sent and lost; None where iperf3 could say nothing."""
    robots = bench.module.ROBOTS
    server = subprocess.Popen([*side.robot(1), "iperf3", "-s", "-1", "-B", robots[1]], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    argv = [*side.robot(0), "iperf3", "-u", "-J", "-c", robots[1], "-B", robots[0], "-b", str(rate * PACKET * 8), "-l",
            str(PACKET), "-t", str(bench.seconds)]
    try:
        said = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False, timeout=PATIENCE + bench.seconds)
        result = json.loads(said.stdout)["end"]["sum"]
        return result["packets"] / bench.seconds, result["lost_packets"] / bench.seconds
    except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
        return None
    finally:
        server.terminate()
        server.wait()


def passes_without_loss(bench, side, rate):
    """Also not where the sender itself could not send so much."""
    offered = offer(bench, side, rate)
    return offered is not None and offered[1] == 0 and offered[0] >= 0.9 * rate


def packet_rates(bench, kind):
    """The highest rate of which nothing was lost, to an eighth of a doubling, and what arrives of the highest rate."""
    with kind(bench) as side:
        wait_until_it_pings(side, bench.module.ROBOTS)
        best = 0
        for rate in RATES:
            if not passes_without_loss(bench, side, rate):
                break
            best = rate
        for step in (0.5, 0.25, 0.125) if 0 < best < RATES[-1] else ():
            higher = round(best * 2 ** step)
            if passes_without_loss(bench, side, higher):
                best = higher
        flood = offer(bench, side, RATES[-1])
        return best, flood[0] - flood[1] if flood else 0


def round_trips(bench, kind):
    robots = bench.module.ROBOTS
    with kind(bench, kind.paced_by, kind.paced_by) as side:
        wait_until_it_pings(side, robots)
        argv = [*side.robot(0), "ping", "-i", "0.01", "-c", str(100 * bench.seconds), "-W", "2", "-I", robots[0],
                robots[1]]
        said = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False).stdout
    times = sorted(float(ms) for ms in re.findall(r"time=([0-9.]+) ms", said))
    if len(times) < 50 * bench.seconds:
        print(f"{kind.__name__}: {len(times)} of {100 * bench.seconds} pings were answered; the machine is too busy "
              "for windows of 1 ms, and this round has no figure of it", file=sys.stderr)
        return None
    return statistics.median(times), times[int(0.99 * len(times))]


def row(name, unit, values):
    return f"{name:<28} {min(values):>10.3g} {statistics.median(values):>10.3g} {max(values):>10.3g}  {unit}"


def report(results):
    print(f"\n{'':<28} {'min':>10} {'median':>10} {'max':>10}")
    for (what, who), (unit, values) in results.items():
        print(row(f"{what}, {who}", unit, values))
    print()
    for what in dict.fromkeys(what for what, _ in results):
        middle = {who: statistics.median(values) for (w, who), (_, values) in results.items() if w == what}
        for who, value in middle.items():
            if who != "theirs" and middle.get("theirs", 0) > 0:
                print(f"{what}: {who} is {value / middle['theirs']:.2f} times theirs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--hilgate", default=str(ROOT / "build/release/bin/hilgate"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each rate and of each series of pings")
    parser.add_argument("--cpu", type=int, help="everything on this processor")
    bench = parser.parse_args()
    if bench.cpu is not None:
        if bench.cpu not in os.sched_getaffinity(0):
            parser.error(f"--cpu: there is no processor {bench.cpu} here")
        os.sched_setaffinity(0, {bench.cpu})
    if os.geteuid() != 0:
        parser.error("namespaces need root: run it with sudo")
    if not (bench.checkout / "network_coordinator" / "scripts" / "network_coordinator.py").is_file():
        parser.error(f"{bench.checkout} is no checkout of ROS-NetSim: it has no network_coordinator/scripts")
    if not shutil.which("iperf3"):
        parser.error("iperf3 is missing: apt-get install iperf3")
    bench.hilgate = str(pathlib.Path(bench.hilgate).resolve())
    bench.checkout = bench.checkout.resolve()
    bench.module = load_reference()
    results = {}

    def add(what, who, unit, value):
        results.setdefault((what, who), (unit, []))[1].append(value)

    with tempfile.TemporaryDirectory(prefix="hilgate-rns-") as folder:
        bench.folder = folder
        for number in range(bench.rounds):
            for kind, who, windows in ((Theirs, "theirs", their_windows_per_second),
                                       (Ours, "hilgate lockstep", our_windows_per_second)):
                add("windows", who, "1/s", windows(bench))
                without_loss, arrived = packet_rates(bench, kind)
                add("packets without loss", who, "1/s", without_loss)
                add(f"packets of {RATES[-1]}", who, "1/s", arrived)
            for kind, who in ((Theirs, "theirs"), (OursAtWall, "hilgate wall"), (Ours, "hilgate lockstep")):
                if times := round_trips(bench, kind):
                    add("rtt p50", who, "ms", times[0])
                    add("rtt p99", who, "ms", times[1])
            print(f"round {number + 1} of {bench.rounds} done", file=sys.stderr)
    report(results)


if __name__ == "__main__":
    main()
