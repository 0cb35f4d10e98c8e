#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the data of shell-mataric-figures.

usage: plot.py FOLDER; writes figure2.png, figure4.png, figure6.png and figure7.png beside the CSV files.
"""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy


def read(folder, name):
    return numpy.genfromtxt(folder / f"{name}.csv", delimiter=",", names=True)


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=120)
    plt.close(figure)


def level_map(folder):
    data = read(folder, "figure2")
    columns = len(numpy.unique(data["x_m"]))
    figure, axes = plt.subplots(figsize=(6, 5))
    extent = (data["x_m"].min(), data["x_m"].max(), data["y_m"].min(), data["y_m"].max())
    image = axes.imshow(data["level_dbm"].reshape(-1, columns), origin="lower", extent=extent, cmap="viridis")
    figure.colorbar(image, label="level, dBm")
    axes.set(xlabel="x, m", ylabel="y, m", title="Level from one sender: distance and partitions")
    save(figure, folder, "figure2")


def walk(folder):
    data = read(folder, "figure4")
    figure, axes = plt.subplots(figsize=(8, 4))
    axes.plot(data["x_m"], data["level_dbm"], lw=0.6, label="with multipath")
    axes.plot(data["x_m"], data["mean_dbm"], lw=1.5, label="distance and partitions")
    axes.set(xlabel="x, m", ylabel="level, dBm", title="Along the corridor")
    axes.legend()
    save(figure, folder, "figure4")


def reception(folder):
    data = read(folder, "figure6")
    figure, axes = plt.subplots(figsize=(8, 4))
    axes.plot(data["distance_m"], data["prr"], ".", ms=2, label="one way")
    axes.plot(data["distance_m"], data["prr_back"], ".", ms=2, label="the other")
    axes.set(xlabel="distance, m", ylabel="packet reception rate", title="MICA2, 50 bytes, hardware of high asymmetry")
    axes.legend()
    save(figure, folder, "figure6")


def interference(folder):
    data = read(folder, "figure7")
    figure, axes = plt.subplots(figsize=(8, 4))
    axes.plot(data["interferer_m"], data["prr_alone"], "--", label="alone")
    axes.plot(data["interferer_m"], data["prr_halved"], label="interference halved")
    axes.plot(data["interferer_m"], data["prr_sum"], label="plain sum of powers")
    axes.set(xlabel="interferer's distance, m", ylabel="packet reception rate", title="Two senders at once")
    axes.legend()
    save(figure, folder, "figure7")


def main():
    folder = pathlib.Path(sys.argv[1])
    for draw in (level_map, walk, reception, interference):
        draw(folder)


main()
