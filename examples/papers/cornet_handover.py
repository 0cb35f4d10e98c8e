#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 9: three walks between two access points, RSSI over place, with the gap of the handover.

Access points at (100, 100) and (200, 100) m, walks (0, 100)-(300, 100), (0, 80)-(300, 80) and (0, 0)-(300, 100), all
three at once; datagrams from a robot on the cable show what the gap costs. RSSI is 0 while a robot is not associated.
Assumptions: log-distance loss with n = 3, change to an access point that is 1 dB stronger, 400 ms for the change."""

import bisect
import contextlib

import experiment
import numpy as np
from datagrams import Stream
from experiment import BAD, hilgate, plt

LEAD_S, EVERY_S, BREAK_S = 2.0, 0.02, 0.4
LOSS = {"model": "log_distance", "exponent": 3, "reference_loss": "40 dB", "reference_distance": "1 m"}
WALKS = {"one": ((0, 100), (300, 100)), "two": ((0, 80), (300, 80)), "three": ((0, 0), (300, 100))}


def lay_out(run, walk_s):
    radio = run.radio("wifi_cornet", "wifi_11n_2g4_adhoc",
                      channel={"path_loss": LOSS, "shadowing": None})
    robots = {name: {"radio": radio} for name in WALKS}
    robots["server"] = {"wired": True}
    tracks = {name: [{"at": f"{at_s * 1000:.0f}ms", "position": [f"{x}m", f"{y}m", "1m"]}
                     for at_s, (x, y) in ((0, begin), (LEAD_S, begin), (LEAD_S + walk_s, end))]
              for name, (begin, end) in WALKS.items()}
    tracks["server"] = [{"at": "0s", "position": ["150m", "150m", "1m"]}]
    points = {name: {"position": [f"{x}m", "100m", "3m"], "radio": radio, "channel": channel}
              for name, x, channel in (("west", 100, 1), ("east", 200, 6))}
    return run.configuration("cornet-handover", robots, profiles=["radios"],
                             physics={"type": "trajectory", "tracks": tracks},
                             netsim={"type": "embedded", "access_points": points, "distribution": {"delay": "100us"},
                                     "roaming": {"hysteresis": "1 dB", "break": f"{BREAK_S * 1000:.0f}ms"}},
                             record={"folder": "records", "every": "10ms"})


class Association:
    """Which access point a robot is at, by simulation time."""

    def __init__(self, stations, robot):
        mine = sorted((row["sim_s"], row["access_point"] if row["state"] == "associated" else None)
                      for row in stations if row["robot"] == robot)
        self.times, self.points = [at for at, _ in mine], [point for _, point in mine]

    def at(self, sim_s):
        place = bisect.bisect_right(self.times, sim_s) - 1
        return self.points[place] if place >= 0 else None


def traces(tables, walk_s):
    """{walk: [(x in m, RSSI in dBm or 0)]} on a grid of 0.25 m."""
    found = {}
    for name in WALKS:
        association = Association(tables["stations"], name)
        levels = {}
        for point in ("west", "east"):
            mine = [(row["sim_s"], row["rssi_dbm"]) for row in tables["links"]
                    if row["from"] == point and row["to"] == name]
            levels[point] = np.array(mine).T
        rows = []
        for x in np.arange(0, 300, 0.25):
            sim_s = LEAD_S + x * walk_s / 300
            point = association.at(sim_s)
            rows.append((x, float(np.interp(sim_s, *levels[point])) if point else 0.0))
        found[name] = np.array(rows)
    return found


def gap_of(trace):
    """The positions at which the gap in association begins and ends, after the first association."""
    first = np.argmax(trace[:, 1] != 0)
    without = np.flatnonzero(trace[first:, 1] == 0) + first
    return (trace[without[0], 0], trace[without[-1], 0]) if len(without) else None


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        walk_s = run.by_length(9, 60, 120)
        file = lay_out(run, walk_s)
        with run.lab(file) as lab, contextlib.ExitStack() as open_streams:
            streams = {name: open_streams.enter_context(Stream(run, lab, "server", name, EVERY_S, 64, port=port))
                       for port, name in enumerate(WALKS, 5000)}
            with hilgate.Run(file) as gateway:
                start = experiment.began(gateway) + LEAD_S
                experiment.wait_until(start + walk_s)
                stations = {each["robot"]: each for each in gateway.status().raw["stations"]}
        found = traces(run.tables(file), walk_s)
        drawing, axes = plt.subplots(3, 1, figsize=(9, 8), sharex=True)
        for each, (name, trace) in zip(axes, found.items()):
            begin, end = WALKS[name]
            each.plot(trace[:, 0], trace[:, 1], color="#1767a8", linewidth=1.2)
            lost = [(sent - start) * 300 / walk_s for _, sent, heard in streams[name].rows() if heard is None]
            lost = [x for x in lost if 0 <= x <= 300]
            each.plot(lost, np.full(len(lost), 4), "|", color=BAD, markersize=6, label="lost datagrams")
            each.set_ylim(-95, 12)
            each.set(ylabel="RSSI, dBm", title=f"{begin} to {end} m")
            each.legend(loc="upper right")
        axes[-1].set_xlabel("x, m")
        run.picture("Fig. 9", drawing, "RSSI along three walks; 0 while not associated; red: lost datagrams")
        gaps = {name: gap_of(trace) for name, trace in found.items()}
        found_gaps = "; ".join(f"{name}: {gap[0]:.1f} to {gap[1]:.1f} m" if gap else f"{name}: no gap"
                               for name, gap in gaps.items())
        run.says("Fig. 9", "RSSI is 0 while a robot is at neither, between the access points",
                 all(gap and 120 < gap[0] <= gap[1] < 195 for gap in gaps.values()), found_gaps)
        run.says("Fig. 9", "that is near x = 150",
                 all(gap and 140 <= gap[0] and gap[1] <= 160 for gap in gaps.values()), found_gaps,
                 needs="a slower walk: beacons are smoothed for some tenths of a second")
        handovers = {name: stations[name]["handovers"] for name in WALKS}
        run.says("Fig. 9", "each walk has one handover", set(handovers.values()) == {1},
                 ", ".join(f"{name}: {count}" for name, count in handovers.items()))
        tops = {name: [trace[half][np.argmax(np.where(trace[half, 1] == 0, -200, trace[half, 1])), 0]
                       for half in (trace[:, 0] < 145, trace[:, 0] > 155)] for name, trace in found.items()}
        run.says("Fig. 9", "RSSI peaks where a walk passes an access point", all(
            abs(top - x) < 4 for name in ("one", "two") for top, x in zip(tops[name], (100, 200))),
            "; ".join(f"{name}: x = {west:.0f} and {east:.0f}" for name, (west, east) in tops.items()))
        best = {name: trace[trace[:, 1] != 0, 1].max() for name, trace in found.items()}
        run.says("Fig. 9", "the closer a walk passes, the higher its peak", best["one"] > best["two"] > best["three"],
                 ", ".join(f"{level:.0f} dBm" for level in best.values()))
        inside, outside = [], []
        for name, stream in streams.items():
            for _, sent, heard in stream.rows():
                x = (sent - start) * 300 / walk_s
                if gaps[name] and gaps[name][0] <= x <= gaps[name][1]:
                    inside.append(heard is None)
                elif 80 <= x <= 120 or 180 <= x <= 220:
                    outside.append(heard is None)
        run.says("Fig. 9", "what is sent during the gap is lost, and what is sent outside of it is not",
                 inside and np.mean(inside) > 0.5 and np.mean(outside) < 0.05,
                 f"{100 * np.mean(inside or [0]):.0f} % and {100 * np.mean(outside or [1]):.1f} % lost",
                 needs="an idle machine")


main()
