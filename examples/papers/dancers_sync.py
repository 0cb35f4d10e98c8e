#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The synchronisation diagram: iterations of 10 ms, network steps of 1 ms, physics steps of 5 ms; physics waits.

The gateway coordinates two simulators that speak DANCERS' protocol (hilgate sim), in lockstep. Physics takes 3 ms for a
step and the network simulator 2 ms, which makes it the slower one. What lies between them and the gateway notes when
each BEGIN and END passed; the diagram is drawn from that."""

import pathlib
import select
import socket
import subprocess
import threading
import time

import experiment
import numpy as np
from experiment import BAD, plt
from matplotlib.patches import Rectangle

ITERATION_MS, STEPS_MS = 10, {"physics": 5, "network": 1}
SLOW_MS = {"physics": 3, "network": 2}
COLOURS = {"physics": "#c8641b", "network": "#1767a8"}


class Wire(threading.Thread):
    """Passes on what gateway and simulator say, and notes when."""

    def __init__(self, near, far):
        super().__init__(daemon=True)
        pathlib.Path(near).unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(near)
        self._listener.listen(1)
        self._far = far
        self.messages = []  # (CLOCK_MONOTONIC, "begin" or "end")

    def run(self):
        simulator, _ = self._listener.accept()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gateway, simulator:
            gateway.connect(self._far)
            while True:
                for end, other, what in ((gateway, simulator, "begin"), (simulator, gateway, "end")):
                    if select.select([end], [], [], 0.0005)[0]:
                        data = end.recv(1 << 16)
                        if not data:
                            return
                        self.messages.append((time.monotonic(), what))
                        other.sendall(data)


def busy(messages):
    """[(begin, end)] of each step."""
    spans, began = [], None
    for at, what in messages:
        if what == "begin":
            began = at
        elif began is not None:
            spans.append((began, at))
            began = None
    return spans


def record(run, seconds):
    sockets = {name: str(run.folder / f"{name}.sock") for name in STEPS_MS}
    file = run.configuration(
        "dancers-sync", {"red": {}, "blue": {}}, pace="lockstep", window=f"{ITERATION_MS}ms",
        physics={"type": "dancers", "address": f"unix:{sockets['physics']}", "step": f"{STEPS_MS['physics']}ms"},
        netsim={"type": "dancers", "address": f"unix:{sockets['network']}", "step": f"{STEPS_MS['network']}ms"})
    with run.gateway(file) as (_, gateway):
        wires, simulators = {}, []
        for name in STEPS_MS:
            wires[name] = Wire(f"{sockets[name]}.near", sockets[name])
            wires[name].start()
            simulators.append(subprocess.Popen(
                [run.hilgate, "sim", name, "--protocol", "dancers", "--socket", f"unix:{sockets[name]}.near",
                 "--connect", "--window", f"{STEPS_MS[name]}ms", "--slow", f"{SLOW_MS[name]}ms"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        try:
            gateway.wait(lambda status: status.sim_time_s > seconds, 120)
        finally:
            for each in simulators:
                each.terminate()
                each.wait()
    return {name: busy(wire.messages) for name, wire in wires.items()}


def draw(run, steps, first, iterations):
    """So many iterations, from the network's step `first` on; times from where it began."""
    per = {name: ITERATION_MS // length for name, length in STEPS_MS.items()}
    zero = steps["network"][first * per["network"]][0]
    drawing, axes = plt.subplots(figsize=(12, 3.4))
    ends = []
    for lane, name in enumerate(("network", "physics")):
        shown = range(first * per[name], (first + iterations) * per[name])
        for number in shown:
            begin, end = (1000 * (at - zero) for at in steps[name][number])
            axes.add_patch(Rectangle((begin, lane + 0.1), end - begin, 0.8, facecolor=COLOURS[name], alpha=0.85,
                                     edgecolor="white"))
            label = f"{number * STEPS_MS[name]}"
            axes.text((begin + end) / 2, lane + 0.5, label, ha="center", va="center", color="white", fontsize=7)
        if name == "physics":
            for iteration in range(first, first + iterations):
                end = steps[name][(iteration + 1) * per[name] - 1][1]
                then = steps[name][(iteration + 1) * per[name]][0]
                axes.add_patch(Rectangle((1000 * (end - zero), lane + 0.35), 1000 * (then - end), 0.3, facecolor="none",
                                         edgecolor=BAD, hatch="////", linewidth=0))
                axes.text(500 * (end + then - 2 * zero), lane + 0.78, "waits", ha="center", color=BAD, fontsize=8)
        ends.append(steps[name][(first + iterations) * per[name]][0])
    for iteration in range(first, first + iterations + 1):
        begin = 1000 * (min(steps[name][iteration * per[name]][0] for name in STEPS_MS) - zero)
        axes.axvline(begin, color="0.3", linewidth=1, linestyle="--")
        axes.text(begin, 2.12, f" iteration {iteration}", fontsize=8)
    axes.set(xlim=(-2, 1000 * (max(ends) - zero) + 8), ylim=(0, 2.3), yticks=[0.5, 1.5],
             yticklabels=["network,\nsteps of 1 ms", "physics,\nsteps of 5 ms"], xlabel="wall time, ms")
    axes.grid(False)
    run.picture("synchronisation", drawing,
                "steps by wall time; their numbers are the simulated time they begin at, ms")


def main():
    with experiment.Experiment(__file__, "DANCERS", __doc__) as run:
        steps = record(run, run.by_length(0.3, 0.6, 2))
        done = min(len(steps[name]) * STEPS_MS[name] // ITERATION_MS for name in STEPS_MS) - 2
        per = {name: ITERATION_MS // length for name, length in STEPS_MS.items()}
        draw(run, steps, 3, 3)

        def spans(name, iteration):
            return steps[name][iteration * per[name]:(iteration + 1) * per[name]]
        whole = range(2, done)
        began = [min(spans(name, each)[0][0] for name in STEPS_MS) for each in whole]
        ended = [max(spans(name, each)[-1][1] for name in STEPS_MS) for each in whole]
        run.says("diagram", "an iteration of 10 ms is 2 steps of physics and 10 of the network",
                 all(spans(name, each)[-1][1] <= begin for name in STEPS_MS
                     for each, begin in zip(whole, began[1:])), f"in each of {len(whole)} iterations")
        run.says("diagram", "the next iteration begins when both have ended this one",
                 all(end <= begin for end, begin in zip(ended, began[1:])),
                 f"none of {len(whole)} began before")
        takes = {name: np.median([each[-1][1] - each[0][0] for each in (spans(name, i) for i in whole)])
                 for name in STEPS_MS}
        waits = np.median([begin - spans("physics", each)[-1][1] for each, begin in zip(whole, began[1:])])
        run.says("diagram", "the network simulator is the slower one, so physics waits",
                 takes["network"] > takes["physics"] and waits > 0.003,
                 f"an iteration takes the network {1000 * takes['network']:.0f} ms and physics "
                 f"{1000 * takes['physics']:.0f} ms, which then waits {1000 * waits:.0f} ms (medians)")
        at_once = [abs(spans("physics", each)[0][0] - spans("network", each)[0][0]) for each in whole]
        run.says("diagram", "both simulate at the same time", all(
            spans("physics", each)[0][0] < spans("network", each)[-1][1] and
            spans("network", each)[0][0] < spans("physics", each)[-1][1] for each in whole),
            f"they begin {1000 * np.median(at_once):.1f} ms apart in the median", needs="an idle machine")


main()
