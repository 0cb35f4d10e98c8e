#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 10: inverted pendulums held by PID over UDP through the gateway: position error and time to settle over loss.

A robot with pendulums for each probability of loss, for states and for commands; 5 ms of delay each way.
The carts begin 0.5 m beside where they should stand. Gains, rates, disturbance, loss on both ways are assumptions."""

import sys
import time

import experiment
import numpy as np
from datagrams import address_of
from experiment import BAD, plt
from pendulum import START_M, STEP_S

LOSSES = (0, 20, 40, 50, 55, 60)  # %
SETTLED_M = 0.1


def run_plants(run, seconds, count):
    """{loss: positions by step and pendulum; NaN once it has fallen}."""
    names = {loss: f"plant-{loss}" for loss in LOSSES}
    links = [{"from": source, "to": target, "delay": "5ms", "loss": f"{loss} %"}
             for loss, name in names.items() for source, target in ((name, "controller"), ("controller", name))]
    file = run.configuration("cornet-pendulum", {"controller": {}, **{name: {} for name in names.values()}},
                             netsim={"type": "wire"}, links=links)
    script = [sys.executable, "-B", str(experiment.ROOT / "examples/papers/pendulum.py")]
    with run.gateway(file) as (lab, gateway):
        controller = lab.start("controller", [*script, "control"])
        try:
            time.sleep(1)
            running = [lab.start(name, [*script, "plants", address_of(lab, "controller"), str(seconds), str(count), "1",
                                        str(run.folder / f"{name}.npy")]) for name in names.values()]
            if any(each.wait() for each in running):
                raise RuntimeError("a plant failed")
            status = gateway.status()
        finally:
            controller.terminate()
            controller.wait()
    lost = {loss: status.link(name, "controller") for loss, name in names.items()}
    lost = {loss: (link.dropped.get("configured_loss", 0), link.deliveries) for loss, link in lost.items()}
    return {loss: np.load(run.folder / f"{name}.npy") for loss, name in names.items()}, lost


def settled(positions):
    """Time in s after which a cart stays within SETTLED_M for 2 s; the whole run where it never does or falls."""
    window = int(2 / STEP_S)
    times = []
    for track in positions.T:
        inside = np.abs(np.nan_to_num(track, nan=9)) < SETTLED_M
        runs = np.convolve(inside, np.ones(window), "valid") == window
        times.append(np.argmax(runs) * STEP_S if runs.any() else len(track) * STEP_S)
    return np.array(times)


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        seconds, count = run.by_length((8, 4), (20, 12), (40, 24))
        positions, lost = run_plants(run, seconds, count)
        times = {loss: settled(each) for loss, each in positions.items()}
        errors = {loss: np.ma.masked_invalid(np.abs(each)).mean(axis=1) for loss, each in positions.items()}
        mean = {loss: float(np.mean(np.nan_to_num(np.abs(each), nan=START_M))) for loss, each in positions.items()}
        fallen = {loss: float(np.isnan(each[-1]).mean()) for loss, each in positions.items()}
        drawing, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6))
        for loss, error in errors.items():
            left.plot(np.arange(len(error)) * STEP_S, error, label=f"loss {loss} %: {100 * fallen[loss]:.0f} % fell",
                      color=plt.cm.viridis(loss / 66))
        left.set(xlabel="time, s", ylabel="mean position error, m (of those that stand)", ylim=(0, 1))
        left.legend()
        right.boxplot(times.values(), labels=[str(loss) for loss in times], medianprops={"color": BAD})
        right.set(xlabel="loss each way, %", ylabel="time to settle, s")
        run.picture("Fig. 10", drawing, "position error and time to settle over loss")
        run.says("Fig. 10", "the gateway loses the configured share",
                 all(abs(count - loss / 100 * sent) <= 4 * np.sqrt(loss / 100 * (1 - loss / 100) * sent)
                     for loss, (count, sent) in lost.items()),
                 ", ".join(f"{100 * count / max(1, sent):.1f} % of {loss} %" for loss, (count, sent) in lost.items()) +
                 ", within four standard deviations")
        run.says("Fig. 10", "without loss the pendulum is held and the cart returns to its position", fallen[0] == 0 and
                 np.median(times[0]) < 6, f"within {np.median(times[0]):.1f} s, none of {count} fell",
                 needs="an idle machine")
        def thirds(values):  # of little, of more, of much loss
            return [float(np.mean(values[i:i + 2])) for i in (0, 2, 4)]
        little, more, much = thirds([each.mean() for each in times.values()])
        run.says("Fig. 10", "the time to converge grows with the loss", little < more < much,
                 ", ".join(f"{each.mean():.1f} s with {loss} %" for loss, each in times.items()) +
                 f" ({seconds} s where one falls)", needs="a longer run")
        little, more, much = thirds(list(mean.values()))
        run.says("Fig. 10", "the position error grows with the loss", little < more < much,
                 ", ".join(f"{each:.2f} m with {loss} %" for loss, each in mean.items()) + " (fallen: 0.5 m)",
                 needs="a longer run")


main()
