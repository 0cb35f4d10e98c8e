#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flies the patrol: traffic through a gateway that is about to run, and what it measures, into a folder for report.py.

usage: drive.py HILGATE FOLDER SECONDS, with FOLDER as scenario.lay_out() made it and the lab up."""

import json
import math
import pathlib
import signal
import sys
import time

import scenario
import traffic

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from hilgate import GatewayError, control  # noqa: E402

STATUS_EVERY_S = 0.2
START_S = 60  # the gateway has so long to come up


class Gateway:
    """Status documents of the gateway."""

    def __init__(self):
        self.samples = []  # (CLOCK_MONOTONIC, status)

    def await_start(self):
        deadline = time.monotonic() + START_S
        while True:
            try:
                return self.ask()
            except traffic.RunFailed:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def ask(self):
        before = time.monotonic()
        try:
            status = control.request("patrol", "status")
        except GatewayError as error:
            raise traffic.RunFailed(f"the gateway does not answer: {error}") from None
        self.samples.append(((before + time.monotonic()) / 2, status))
        return status

    def started(self):
        """When the simulation was at 0, on CLOCK_MONOTONIC."""
        return min(at - status["window"]["sim_time_s"] for at, status in self.samples)

    def settle(self, seconds):
        """Waits until no frame is held, so that the last account is closed."""
        deadline = time.monotonic() + seconds
        while self.ask()["totals"]["held"] > 0 and time.monotonic() < deadline:
            time.sleep(STATUS_EVERY_S)


class LiveLine:
    """One line that follows the patrol; on no terminal, a line now and then."""

    def __init__(self, seconds):
        self._seconds, self._terminal = seconds, sys.stdout.isatty()
        self._every = 0 if self._terminal else max(2.0, seconds / 10)
        self._next = 0.0

    def show(self, at, status, flow, probe):
        if at < self._next:
            return
        self._next = at + self._every
        now = time.monotonic()
        heard = [delay for sent, delay in probe.rows()[-400:] if delay is not None and sent + delay > now - 1]
        delay = f"{1000 * sorted(heard)[len(heard) // 2]:4.0f} ms" if heard else "   - ms"
        silent = max(0.0, 1 - len(heard) * traffic.PROBE_INTERVAL_S)
        link = next(link for link in status["links"] if link["from"] == "red" and link["to"] == "blue")
        sight = "LOS      " if link["line_of_sight"] else "no LOS "
        line = (f"{max(0, at):5.1f} / {self._seconds:.0f} s | {scenario.phase_at(at / self._seconds).title:22} | "
                f"{distance(status):3.0f} m {sight}| {flow.intervals[-1][3]:5.2f} Mbit/s | {delay} | "
                f"{100 * silent:3.0f} % of probes missing")
        print(f"\r{line}\033[K" if self._terminal else line, end="" if self._terminal else "\n", flush=True)

    def end(self):
        if self._terminal:
            print()


def distance(status):
    one, other = (next(robot for robot in status["robots"] if robot["name"] == name) for name in scenario.ROBOTS)
    return math.dist(one["position"], other["position"])


def patrol(gateway, flow, probe, begin, seconds):
    live = LiveLine(seconds)
    turn = time.monotonic()
    while time.monotonic() < begin + seconds:
        status = gateway.ask()
        flow.check()
        probe.check()
        live.show(time.monotonic() - begin, status, flow, probe)
        turn += STATUS_EVERY_S
        time.sleep(max(0.0, turn - time.monotonic()))
    live.end()


def write(folder, gateway, flow, probe, begin, seconds):
    with open(folder / "measured.json", "w", encoding="utf-8") as file:
        json.dump({
            "seconds": seconds,
            "netsim": (folder / "netsim").read_text(),
            "rates": [(at - begin, rate) for at, rate in flow.rates()],
            "probes": [(sent - begin, delay) for sent, delay in probe.rows()],
            "status": [(at - begin, status) for at, status in gateway.samples],
        }, file)


def drive(hilgate, folder, seconds):
    def lab_exec(robot):
        return [hilgate, "lab", "exec", str(folder / "patrol.yaml"), robot, "--"]

    blue, _ = scenario.ROBOTS["blue"]
    gateway = Gateway()
    running = []
    try:
        # What takes its time on a slow machine and needs no gateway comes before it.
        traffic.introduce(lab_exec, scenario.ROBOTS)
        flow = traffic.TcpFlow(lab_exec, 0.1 if seconds <= 30 else 0.25, seconds + scenario.LEAD_IN_S)
        running.append(flow)
        probe = traffic.Probe(lab_exec, hilgate, folder / "probe.csv")
        running.append(probe)
        gateway.await_start()
        flow.start(blue)
        for _ in range(5):  # the quickest answer gives the best start of the simulation
            gateway.ask()
        begin = gateway.started() + scenario.LEAD_IN_S
        left = begin + seconds - time.monotonic()
        if left < seconds:
            print(f"the patrol began {seconds - left:.1f} s before the traffic did; this machine is slow")
        probe.start(blue, left)
        patrol(gateway, flow, probe, begin, seconds)
        probe.finish()
        flow.stop()
        gateway.settle(3)
    finally:
        for program in running:
            program.stop()
    write(folder, gateway, flow, probe, begin, seconds)


def main():
    hilgate, folder, seconds = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, _: sys.exit(128 + signum))
    try:
        drive(hilgate, folder, seconds)
    except traffic.RunFailed as error:
        print(f"\ndrive.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
