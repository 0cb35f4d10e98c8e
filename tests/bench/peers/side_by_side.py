#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hilgate side by side with what people use: the same UDP packets of 64-byte frames, by the same generator and
receiver (`hilgate bench stream`), between the same two interfaces, in turns; docs/explanation/comparisons.md explains
each comparison.

usage: sudo tests/bench/peers/side_by_side.py HILGATE [--mahimahi FOLDER] [--guest IMAGE] [--json FILE] [...]

Prints a Markdown table: for each peer and measure minimum, median and maximum of the rounds for hilgate, for the peer,
and of the ratio, which is of one round each. Peers that cannot be measured here are named with the reason. Runs in
namespaces of its own. Exit status: 0 measured, 1 nothing could be measured, 2 wrong use.
"""

import argparse
import datetime
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from bench_rig import TwoRobots, enter_own_namespaces, host  # noqa: E402

import devices  # noqa: E402

# About 1, 10 and 100 k; primes, so that frames meet the grid of a timer at all its phases.
RATES = (997, 9_973, 99_991)
NAMES = ("1k", "10k", "100k")
MEASURES = ("rate", *(f"{what} at {name}" for what in ("p50", "p99", "loss") for name in NAMES))
KEYS = ("min", "median", "max")
OVERLOADED = 0.05  # share lost from which on the delay of the rest says nothing about the delay that was asked for
GOALS = {"socat": {}, "ns3": {"rate": 10}, "netem": {"p99": 10}, "mm-delay": {"p99": 10, "rate": 10},
         "mm-link": {"p99": 10, "rate": 10}}


class Rig:
    """What devices are told."""

    def __init__(self, options, folder, private):
        self.hilgate = str(pathlib.Path(options.hilgate).resolve())
        self.mahimahi = options.mahimahi and pathlib.Path(options.mahimahi).resolve()
        self.delay_us, self.link_mbps = options.delay * 1000, options.link
        self.seconds, self.realtime = options.seconds, options.realtime
        self.folder, self.private = folder, private
        self.robots = TwoRobots()

    def first(self, priority):
        """What a command begins with that is to run before the other programs of this machine."""
        return ["chrt", "--fifo", str(priority)] if self.realtime else []

    def stream(self, ends, delay_us, *further):
        asked = subprocess.run([*self.first(3), self.hilgate, "bench", "stream", "--json", "--from", ends[0], "--to",
                                ends[1], "--delay", f"{delay_us}us", *further],
                               capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            raise SystemExit(f"side_by_side.py: hilgate bench stream: {asked.stderr.strip()}")
        return json.loads(asked.stdout)

    def wait_for_frames(self, device):
        """Until it carries some."""
        deadline = time.monotonic() + 20
        while self.stream(device.ends, self.delay_us, "--rate", "1000", "--duration", "20ms")["loads"][0]["loss"] > 0.9:
            if time.monotonic() > deadline:
                device.end()
                raise devices.Missing("it carries no frames")

    def measure(self, device, delay_us):
        """Figures by measure."""
        rates = [word for rate in RATES for word in ("--rate", str(rate))]
        said = self.stream(device.ends, delay_us, *rates, "--duration", f"{round(self.seconds * 1000)}ms", "--highest")
        figures = {"rate": said["highest"]["rate"], "limited": said["highest"]["generator_limits"]}
        for name, load in zip(NAMES, said["loads"]):
            figures[f"loss at {name}"] = load["loss"]
            if load["loss"] < OVERLOADED and load["p99_us"] is not None:
                figures[f"p50 at {name}"] = load["p50_us"]
                figures[f"p99 at {name}"] = load["p99_us"]
        return figures


def groups(rig):
    """Devices that are asked for the same: name, delay in us, what makes each; hilgate first."""
    def cable(*keys):
        return [f"links: [{{from: '*', to: '*', {', '.join(keys)}}}]"] if keys else []
    delay = f"delay: {rig.delay_us}us"
    ours = devices.Hilgate
    return [
        (0, lambda: ours(rig, cable()), {"socat": lambda: devices.Socat(rig)}),
        (rig.delay_us, lambda: ours(rig, cable(delay)), {
            "ns3": lambda: devices.Ns3(rig), "netem": lambda: devices.Netem(rig),
            "mm-delay": lambda: devices.MahimahiDelay(rig)}),
        # The time of 60 bytes on it; the link is idle half of the time at the highest of the rates.
        (60 * 8 / rig.link_mbps, lambda: ours(rig, cable(f"rate: {rig.link_mbps} Mbit/s")), {
            "mm-link": lambda: devices.MahimahiLink(rig)}),
    ]


def measure_rounds(rig, options):
    """Rounds by peer, a list of pairs (hilgate's figures, the peer's); and the reasons for those that are missing."""
    rounds, missing = {}, {}
    wanted = [(round(delay), ours, {name: make for name, make in peers.items() if name in options.peers})
              for delay, ours, peers in groups(rig)]

    def figures_of(make, delay):
        device = make()
        try:
            return rig.measure(device, delay)
        finally:
            device.end()

    for number in range(options.rounds):
        for delay, ours, peers in wanted:
            peers = {name: make for name, make in peers.items() if name not in missing}
            found = {}
            order = [*peers.items(), ("hilgate", ours)]
            for name, make in order if number % 2 == 0 else reversed(order):
                if not peers.keys() - missing.keys():
                    break
                print(f"round {number + 1} of {options.rounds}: {name}, {delay} us", file=sys.stderr, flush=True)
                try:
                    found[name] = figures_of(make, delay)
                except devices.Missing as reason:
                    missing[name] = str(reason)
            for name in peers:
                if name in found:
                    rounds.setdefault(name, []).append((found["hilgate"], found[name]))
    return rounds, missing


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)} if values else None


def row_of(peer, measure, pairs):
    """Of the rounds that have both; `overloaded` counts those in which one lost too much to have a delay."""
    kind = measure.split()[0]
    sides = [[figures[measure] for figures in side if measure in figures] for side in zip(*pairs)]
    both = [(ours[measure], theirs[measure]) for ours, theirs in pairs if measure in ours and measure in theirs]
    row = {"peer": peer, "measure": measure, "unit": {"rate": "frames/s", "loss": ""}.get(kind, "us"),
           "ours": spread(sides[0]), "theirs": spread(sides[1]), "rounds": len(pairs), "goal": GOALS[peer].get(kind),
           "overloaded": [len(pairs) - len(side) for side in sides], "ratio": None}
    if kind == "rate":  # hilgate might take more than could be offered: its figures are lower bounds
        row["limited"] = sum(ours["limited"] for ours, _ in pairs)
    if kind != "loss":
        row["ratio"] = spread([a / b if kind == "rate" else b / a for a, b in both if a > 0 and b > 0])
    return row


def rows_of(rounds, where):
    """A row for each peer and measure."""
    return [row_of(peer, measure, pairs) | {"where": where} for peer, pairs in rounds.items() for measure in MEASURES]


def in_guest(options, folder):
    """netem, and hilgate beside it, in a guest: the document that this program writes there."""
    here = pathlib.Path(__file__).resolve().parent
    result = folder / "guest.json"
    done = subprocess.run([str(here / "netem_guest.sh"), options.guest, str(pathlib.Path(options.hilgate).resolve()),
                           str(result), "--rounds", str(options.rounds), "--seconds", str(options.seconds), "--delay",
                           str(options.delay)], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not result.exists():
        return None, ((done.stdout + done.stderr).strip().splitlines() or ["no result"])[-1]
    return json.loads(result.read_text(encoding="utf-8")), ""


def text_of(value, unit):
    """Of one number."""
    if value is None:
        return "-"
    if unit == "":
        return f"{100 * value:.2f} %"
    if unit == "us":
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    return f"{value / 1000:.0f} k"


def spread_text(figures, unit):
    return "-" if figures is None else ", ".join(text_of(figures[key], unit) for key in KEYS)


def verdict(row):
    """About the goal."""
    if row["goal"] is None:
        return ""
    ours, theirs = row["overloaded"]
    if ours:
        found = f"missed: hilgate was overloaded in {ours} of {row['rounds']} rounds"
    elif row["ratio"] is None:
        found = "met: the peer was overloaded" if theirs else "not measured"
    elif row["ratio"]["min"] >= row["goal"]:
        found = "met"
    else:
        found = "met by the median" if row["ratio"]["median"] >= row["goal"] else "missed"
    return f"{row['goal']}: {found}"


def line_of(row):
    where = " (guest)" if row["where"] == "guest" else ""
    unit = f", {row['unit']}" if row["unit"] else ""
    limited = f" (or more in {row['limited']} rounds)" if row.get("limited") else ""
    ratio = "-" if row["ratio"] is None else ", ".join(f"{row['ratio'][key]:.2g}" for key in KEYS)
    return (f"| {row['peer']}{where} | {row['measure']}{unit} | {spread_text(row['ours'], row['unit'])}{limited}"
            f" | {spread_text(row['theirs'], row['unit'])} | {ratio} | {verdict(row)} |")


def table(document):
    """As Markdown."""
    lines = ["| peer | measure | hilgate | the peer | times better | goal |", "| --- | --- | --- | --- | --- | --- |"]
    for row in document["rows"]:
        if row["unit"] or max(row["ours"]["max"], row["theirs"]["max"]) > 0:  # losses of none go without saying
            lines.append(line_of(row))
    for name, reason in document["missing"].items():
        lines.append(f"\n{name} was not measured: {reason}")
    machine = document["host"]
    lines.append(f"\n{document['rounds']} rounds, {document['seconds']:.0f} s; {machine['processor']},"
                 f" {machine['processors']} processors, Linux {machine['kernel']}, load {machine['load']} before and"
                 f" {machine['load_after']} after")
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("hilgate", help="an optimised build, such as build/release/bin/hilgate, and"
                        " ns3_link beside it")
    parser.add_argument("--peers", default=",".join(GOALS), help="of %(default)s")
    parser.add_argument("--mahimahi", metavar="FOLDER", help="that has mm-delay and mm-link")
    parser.add_argument("--guest", metavar="FOLDER", help="an image by tests/guest/image.sh, for netem where this"
                        " kernel has none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of each load, 1")
    parser.add_argument("--delay", type=int, default=10, help="that is asked for, ms, 10")
    parser.add_argument("--link", type=int, default=96, help="rate of links, Mbit/s, in steps of 12; 96")
    parser.add_argument("--realtime", action="store_true", help="hilgate, peers and traffic run before all others"
                        " (SCHED_FIFO); the kernel then stops whoever polls for 50 ms of each second")
    parser.add_argument("--json", metavar="FILE", help="to write")
    options = parser.parse_args()
    options.peers = options.peers.split(",")
    unknown = [name for name in options.peers if name not in GOALS]
    if unknown:
        parser.error(f"unknown peer '{unknown[0]}'; there are {', '.join(GOALS)}")
    if options.rounds < 1 or options.delay < 1 or options.seconds <= 0 or options.link < 12 or options.link % 12:
        parser.error("rounds, seconds and delay are above 0, and links are in steps of 12 Mbit/s")
    if os.geteuid() != 0:
        parser.error("namespaces and XDP need root: run it with sudo")
    return options


def main():
    options = parse()
    enter_own_namespaces()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # devices end then, too
    begun, machine = time.monotonic(), host()
    began = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    with tempfile.TemporaryDirectory() as name:
        private = pathlib.Path("/run/hilgate/peers")  # on a file system of these namespaces alone
        private.mkdir(mode=0o755)
        rig = Rig(options, pathlib.Path(name), private)
        rounds, missing = measure_rounds(rig, options)
        rows = rows_of(rounds, "host")
        guest = None
        if "netem" in missing and not options.guest:
            missing["netem"] += "; --guest names an image of a guest that has"
        elif "netem" in missing:
            guest, reason = in_guest(options, pathlib.Path(name))
            if guest:
                del missing["netem"]
                rows += [row | {"where": "guest"} for row in guest["rows"]]
            else:
                missing["netem"] += f"; in the guest: {reason}"
    machine["load_after"] = round(os.getloadavg()[0], 1)
    version = subprocess.run([options.hilgate, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    document = {"bench": "side_by_side", "date": began, "version": version, "host": machine,
                "command": "tests/bench/peers/side_by_side.py" + (" --realtime" if options.realtime else ""),
                "rounds": options.rounds, "delay_ms": options.delay, "seconds": time.monotonic() - begun, "rows": rows,
                "missing": missing}
    if guest:
        document["guest"] = guest["host"]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(document))
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
