#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the embedded 802.11n model with ns-3: runs ns3_comparison, prints its table with what differs, draws both
curves.

usage: ns3_comparison.py PROGRAM [--rates RATE_CONTROL] [--seconds S] [--weakest=DBM] [--csv FILE] [--draw FILE.svg]
       PROGRAM is build/release/tests/ns3_comparison; with --csv FILE that exists, FILE is shown instead of a new
       run."""

import argparse
import collections
import csv
import pathlib
import subprocess

# Where ns-3 delivers more than a twentieth: goodput and delay relative, loss in points.
WITHIN = {"goodput_mbps": 0.10, "delay_ms": 0.15, "loss": 0.03}
DELIVERS = 0.05


def rows_of(options):
    file = pathlib.Path(options.csv) if options.csv else None
    if file and file.exists():
        text = file.read_text(encoding="ascii")
    else:
        text = subprocess.run([options.program, options.rates, options.seconds, options.weakest], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        if file:
            file.write_text(text, encoding="ascii")
    points = collections.defaultdict(dict)
    for row in csv.DictReader(text.splitlines()):
        key = (row["load"], row["sight"], float(row["distance_m"]))
        points[key][row["who"]] = {name: float(row[name]) for name in (*WITHIN, "retries")}
    return points


def difference(name, ours, theirs):
    if name == "loss":
        return ours - theirs
    return (ours - theirs) / theirs if theirs > 0 else 0.0


def show(points):
    print(f"{'load':10}{'sight':6}{'m':>5} |{'Mbit/s':>8}{'ns-3':>8}{'':>8} |{'ms':>8}{'ns-3':>8}{'':>8} |"
          f"{'lost':>8}{'ns-3':>8}{'':>9}")
    met = collections.Counter()
    judged = 0
    for (load, sight, distance), who in points.items():
        ours, theirs = who["embedded"], who["ns3"]
        judges = theirs["loss"] < 1 - DELIVERS
        judged += judges
        text = f"{load:10}{sight:6}{distance:5.0f} |"
        for name, percent in (("goodput_mbps", False), ("delay_ms", False), ("loss", True)):
            off = difference(name, ours[name], theirs[name])
            good = abs(off) <= WITHIN[name]
            met[name] += good and judges
            scale = 100 if percent else 1
            mark = " " if good or not judges else "!"
            text += f"{scale * ours[name]:8.2f}{scale * theirs[name]:8.2f}{100 * off:+7.1f}{mark} |"
        print(text)
    for name, limit in WITHIN.items():
        print(f"{name}: within {100 * limit:g} {'points' if name == 'loss' else '%'} at {met[name]} of {judged} points")


def draw(points, file):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    loads = sorted({load for load, _, _ in points})
    figure, grid = plt.subplots(3, len(loads), figsize=(11, 9), sharex=True, squeeze=False, constrained_layout=True)
    for column, load in enumerate(loads):
        for line, (name, label) in enumerate((("goodput_mbps", "goodput, Mbit/s"), ("delay_ms", "mean delay, ms"),
                                              ("loss", "lost"))):
            axes = grid[line][column]
            for sight, colour in (("los", "#1767a8"), ("nlos", "#c8641b")):
                mine = [(key[2], who) for key, who in points.items() if key[:2] == (load, sight)]
                for who, style in (("embedded", "-"), ("ns3", "o--")):
                    axes.plot([x for x, _ in mine], [each[who][name] for _, each in mine], style, color=colour,
                              markersize=4, label=f"{who}, {sight}")
            axes.set_ylabel(label)
            axes.grid(True, color="#e4e8ec")
            if name == "delay_ms":
                axes.set_yscale("log")
        grid[0][column].set_title(load)
        grid[2][column].set_xlabel("distance, m")
    grid[0][0].legend(fontsize=8)
    figure.savefig(file, metadata={"Date": None})
    print(f"drawn: {file}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rates", default="ideal")
    parser.add_argument("--seconds", default="2")
    parser.add_argument("--weakest", default="-82",
                        help="dBm of the weakest preamble that ns-3 detects [-82, ns-3's own]")
    parser.add_argument("--csv")
    parser.add_argument("--draw")
    options = parser.parse_args()
    points = rows_of(options)
    show(points)
    if options.draw:
        draw(points, options.draw)


if __name__ == "__main__":
    main()
