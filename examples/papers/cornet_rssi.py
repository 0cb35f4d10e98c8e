#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 8: RSSI of a robot that walks from (0, 0) to (100, 0) m past an access point, for several propagation models.

A robot walks for each model, all through one gateway and each on a channel of its own; datagrams from the access point
say how far it is heard. The access point is at (10, 0), for the last trace at (60, 0). Radio: 802.11n of the library;
the paper's parameters of the models are not in its text."""

import contextlib

import experiment
import numpy as np
from datagrams import Stream
from experiment import hilgate, plt

LEAD_S, EVERY_S = 2.0, 0.04
LOG = {"model": "mininet_wifi", "exponent": 3}
# name: path loss, system loss of both ends together in dB, where the access point is
TRACES = {
    "friis": ({"model": "friis"}, 0, 10),
    "two-ray": ({"model": "two_ray_ground"}, 0, 10),
    "itu": ({"model": "itu_p1238", "building": "office", "storey": "3 m"}, 0, 10),
    "log-0": (LOG, 0, 10),
    "log-16": (LOG, 16, 10),
    "log-26": (LOG, 26, 10),
    "elsewhere": (LOG, 16, 60),
}
TITLES = {"friis": "Friis", "two-ray": "two-ray ground", "itu": "ITU indoor", "log-0": "log distance, n = 3",
          "log-16": "the same, system loss 16 dB", "log-26": "the same, system loss 26 dB",
          "elsewhere": "system loss 16 dB, access point at (60, 0)"}


def lay_out(run, walk_s):
    robots, tracks = {}, {}
    for name, (loss, system_db, at) in TRACES.items():
        radio = run.radio(f"wifi_{name}", "wifi_11n_2g4_adhoc", mac={"domain": name},
                          phy={"cable_loss": f"{system_db / 2:g} dB"}, channel={"path_loss": loss, "shadowing": None})
        robots[f"ap-{name}"], robots[f"robot-{name}"] = {"radio": radio}, {"radio": radio}
        tracks[f"ap-{name}"] = [{"at": "0s", "position": [f"{at}m", "0m", "2m"]}]
        tracks[f"robot-{name}"] = [{"at": f"{at_s * 1000:.0f}ms", "position": [f"{x}m", "0m", "1m"]}
                                   for at_s, x in ((0, 0), (LEAD_S, 0), (LEAD_S + walk_s, 100))]
    return run.configuration("cornet-rssi", robots, profiles=["radios"],
                             physics={"type": "trajectory", "tracks": tracks}, netsim={"type": "embedded"},
                             record={"folder": "records", "every": "20ms"})


def walk(run, walk_s):
    """{name: [(x in m, RSSI in dBm)]} and {name: [(x, received)]}."""
    file = lay_out(run, walk_s)
    with run.lab(file) as lab, contextlib.ExitStack() as open_streams:
        streams = {name: open_streams.enter_context(
            Stream(run, lab, f"ap-{name}", f"robot-{name}", EVERY_S, 64)) for name in TRACES}
        with hilgate.Run(file) as gateway:
            start = experiment.began(gateway) + LEAD_S
            experiment.wait_until(start + walk_s)
    links = run.tables(file)["links"]
    levels, heard = {}, {}
    for name, stream in streams.items():
        mine = [row for row in links if row["from"] == f"ap-{name}" and row["to"] == f"robot-{name}"]
        x = np.array([(row["sim_s"] - LEAD_S) * 100 / walk_s for row in mine])
        inside = (x >= 0) & (x <= 100)
        levels[name] = np.column_stack([x, [row["rssi_dbm"] for row in mine]])[inside]
        x_sent = [((sent - start) * 100 / walk_s, at is not None) for _, sent, at in stream.rows()]
        heard[name] = np.array([each for each in x_sent if 0 <= each[0] <= 100])
    return levels, heard


def reach(heard, at):
    """How far from the access point half of the datagrams still arrive, in steps of 5 m."""
    far = 0
    for begin in range(at, 100, 5):
        inside = heard[(heard[:, 0] >= begin) & (heard[:, 0] < begin + 5), 1]
        if len(inside) and inside.mean() >= 0.5:
            far = begin + 5 - at
    return far


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        levels, heard = walk(run, run.by_length(8, 20, 50))
        reaches = {name: reach(heard[name], at) for name, (_, _, at) in TRACES.items()}
        drawing, axes = plt.subplots(figsize=(9, 5))
        for name, level in levels.items():
            axes.plot(level[:, 0], level[:, 1], label=f"{TITLES[name]}: received for {reaches[name]} m", linewidth=1.3,
                      linestyle="--" if name == "elsewhere" else "-")
        axes.set(xlabel="position x, m", ylabel="RSSI, dBm")
        axes.legend()
        run.picture("Fig. 8", drawing, "RSSI along the walk, and how far datagrams were received")
        peaks = {name: level[np.argmax(level[:, 1]), 0] for name, level in levels.items()}
        near = [abs(peaks[name] - at) for name, (_, _, at) in TRACES.items()]
        run.says("Fig. 8", "RSSI is highest at the access point, at x = 10 and for the last trace elsewhere",
                 max(near) <= 2.5, f"at most {max(near):.1f} m from it")
        falling = {name: np.interp([20, 40, 60, 80, 99], *level.T) for name, level in levels.items()
                   if name != "elsewhere"}
        run.says("Fig. 8", "it falls with the distance for every model",
                 all((np.diff(each) < 0).all() for each in falling.values()),
                 "; ".join(f"{TITLES[name]} {each[0]:.0f} to {each[-1]:.0f} dBm" for name, each in falling.items()))
        last = [each[-1] for each in falling.values()]
        run.says("Fig. 8", "the models differ", max(last) - min(last) > 10,
                 f"by {max(last) - min(last):.0f} dB at 99 m")
        ranges = [reaches[name] for name in ("log-0", "log-16", "log-26")]
        run.says("Fig. 8", "the higher the system loss, the shorter the range", ranges[0] > ranges[1] > ranges[2],
                 f"{ranges[0]}, {ranges[1]} and {ranges[2]} m with 0, 16 and 26 dB (90 m are all there are)",
                 needs="an idle machine")


main()
