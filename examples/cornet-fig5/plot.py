#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots what cornet-fig5 writes:  build/release/bin/cornet-fig5 > fig5.csv && python3 plot.py fig5.csv fig5.png"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

source, target = sys.argv[1:3]
with open(source, newline="") as file:
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
rows = [row for row in rows if 5 <= row["physics_s"] <= 20]
time = [row["physics_s"] for row in rows]


def column(name):
    return [row[name] for row in rows]


figure, axes = plt.subplots(3, 1, sharex=True, figsize=(9, 7))
for axis, name, title in (
    (axes[0], "synchronised_m", "synchronised: 1 s of network delay is 1 s of simulation time"),
    (axes[1], "unsynchronised_m", "not synchronised: 1 s of wall time is 0.49 to 0.65 s of simulation time"),
):
    axis.plot([t + 1 for t in time], column("leader_m"), color="0.7", linewidth=4, label="leader, 1 s later")
    axis.plot(time, column(name), color="C0", linewidth=1.2, label="position received by the follower")
    axis.set_xlim(time[0] + 1, time[-1])
    axis.set_ylabel("position, m")
    axis.set_title(title, fontsize=10)
    axis.legend(loc="upper right", fontsize=8)
axes[2].plot(time, column("real_time_factor"), color="C1")
axes[2].set_ylabel("real-time factor")
axes[2].set_xlabel("simulation time, s")
axes[2].set_ylim(0.4, 0.7)
figure.tight_layout()
figure.savefig(target, dpi=120)
