#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 11: teleoperation in a warehouse, an operator on the cable and robots on Wi-Fi, in range and out of it.

The operator sends commands (20 Hz) to two robots and gets the pictures of their cameras (240 kbit/s each). Robots drive
away from the access point for as long as commands come, and stop when none has come for half a second: where they are
is their own doing and goes back to the gateway as CORNET's positions. One aisle is open to the access point, the other
behind racks. Sizes, racks, radio (log distance, n = 3, system loss 24 dB) and rates are assumptions."""

import pathlib
import sys
import time

import experiment
import numpy as np
from datagrams import address_of
from experiment import BAD, plt
from matplotlib.patches import Rectangle
from teleoperated import STALE_S

LANES = {"racks": 5.0, "aisle": 15.0}  # x; racks stand between the first one and the access point
RACKS = [((6.5, 4), (7.5, 50)), ((8, 4), (9, 50))]
AP = (10.0, 0.0)


def lay_out(run):
    radio = run.radio("wifi_warehouse", "wifi_11n_2g4_adhoc", phy={"cable_loss": "12 dB"},
                      channel={"path_loss": {"model": "log_distance", "exponent": 3, "reference_loss": "40 dB",
                                             "reference_distance": "1 m"}, "shadowing": None})
    sockets = {each: str(run.folder / f"{each}.sock") for each in ("clock", "positions")}
    boxes = [{"name": f"rack-{number}", "material": "rack",
              "box": {"min": [f"{low[0]}m", f"{low[1]}m", "0m"], "max": [f"{high[0]}m", f"{high[1]}m", "6m"]}}
             for number, (low, high) in enumerate(RACKS)]
    file = run.configuration(
        "cornet-warehouse", {"operator": {"wired": True}, **{name: {"radio": radio} for name in LANES}},
        window="10ms", profiles=["radios"],
        physics={"type": "cornet", **sockets, "materials": {"rack": {"loss": "5 dB"}}, "obstacles": boxes},
        netsim={"type": "embedded", "distribution": {"delay": "100us"}, "access_points": {
            "ap": {"position": [f"{AP[0]}m", f"{AP[1]}m", "3m"], "radio": radio}}})
    return file, sockets["positions"]


def drive(run, seconds, speed):
    """{robot: rows of time, y, driving, pictures sent}, {robot: [(time, picture)]} as the operator got them."""
    file, positions = lay_out(run)
    script = [sys.executable, "-B", str(pathlib.Path(__file__).with_name("teleoperated.py"))]
    with run.gateway(file) as (lab, _):
        addresses = {name: address_of(lab, name) for name in ("operator", *LANES)}
        robots = [lab.start(name, [*script, "robot", name, addresses["operator"], str(speed), str(seconds + 3),
                                   positions, str(run.folder / f"{name}.txt")]) for name in LANES]
        time.sleep(1)
        operator = lab.start("operator", [*script, "operator", str(seconds), str(run.folder / "operator.txt"),
                                          *(f"{name}={addresses[name]}" for name in LANES)])
        if any(each.wait() for each in (*robots, operator)):
            raise RuntimeError("a robot or the operator failed")
    tracks = {name: np.loadtxt(run.folder / f"{name}.txt", ndmin=2) for name in LANES}
    seen = {name: [] for name in LANES}
    for line in (run.folder / "operator.txt").read_text().splitlines():
        at, name, picture = line.split()
        seen[name].append((float(at), int(picture)))
    return tracks, {name: np.array(each).reshape(-1, 2) for name, each in seen.items()}


def share_seen(track, pictures):
    """Of the pictures that a robot sent on the first 60 % of its way, after the first that the operator saw."""
    inside = track[track[:, 1] < 2 + 0.6 * (track[-1, 1] - 2)]
    first, last = pictures.min(initial=inside[-1, 3]), inside[-1, 3]
    return len(set(pictures[pictures < last])) / max(1, last - first)


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        seconds, speed = run.by_length((15, 8.0), (25, 4.0), (60, 1.6))
        tracks, seen = drive(run, seconds, speed)
        begin = min(track[0, 0] for track in tracks.values())
        drawing, (top, rate, hall) = plt.subplots(1, 3, figsize=(13, 4.4), width_ratios=[3, 3, 1.3])
        ends, stops, pictures = {}, {}, {}
        for (name, track), colour in zip(tracks.items(), ("#1767a8", "#c8641b")):
            top.plot(track[:, 0] - begin, track[:, 1], color=colour, label=name)
            edges = np.arange(0, seconds + 1, 1.0)
            counted, _ = np.histogram(seen[name][:, 0] - begin, edges)
            rate.step(edges[:-1], counted, where="post", color=colour, label=name)
            hall.plot([LANES[name]] * 2, [2, track[-1, 1]], color=colour, linewidth=2)
            hall.plot(LANES[name], track[-1, 1], "s", color=colour)
            ends[name], driving = track[-1, 1], track[track[:, 2] == 1]
            stops[name] = driving[-1, 0] - begin if len(driving) else 0
            pictures[name] = counted
        top.set(xlabel="time, s", ylabel="way along the aisle, m")
        top.legend()
        rate.set(xlabel="time, s", ylabel="pictures a second at the operator")
        rate.legend()
        hall.plot(*AP, "^", color=BAD, markersize=9)
        for low, high in RACKS:
            hall.add_patch(Rectangle(low, high[0] - low[0], high[1] - low[1], color="0.6"))
        hall.set(xlim=(0, 20), ylim=(-3, max(ends.values()) + 5), xlabel="x, m", ylabel="y, m", title="where they stop")
        run.picture("Fig. 11", drawing, "way, pictures of the camera, and where the robots stop")
        run.says("Fig. 11", "robots are controlled while they are in range", min(ends.values()) > 7,
                 ", ".join(f"{name} was driven {end - 2:.0f} m" for name, end in ends.items()))
        run.says("Fig. 11", "out of range they stop", max(stops.values()) < seconds - 1,
                 ", ".join(f"{name} at {ends[name]:.0f} m, after {stop:.1f} s" for name, stop in stops.items()) +
                 f" of {seconds} s, {STALE_S} s after the last command")
        run.says("Fig. 11", "behind racks the range is shorter", ends["racks"] < ends["aisle"] - 5,
                 f"{ends['racks']:.0f} m against {ends['aisle']:.0f} m in the free aisle")
        shares = {name: share_seen(tracks[name], seen[name][:, 1]) for name in LANES}
        run.says("Fig. 11", "the camera is seen in range", min(shares.values()) > 0.9,
                 ", ".join(f"{100 * each:.1f} % of the pictures of {name}" for name, each in shares.items()) +
                 ", sent in the first 60 % of the way", needs="an idle machine")


main()
