#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figs. 2 to 4: walls, reflected rays and levels all over a floor of 200 x 200 cells.

The experiment has no packets: the figures are stages of the model, and the data is that of the models a run uses
(examples/shell-mataric). The paper's floor is not published, so shapes can be compared and values cannot."""

import subprocess

import experiment
import numpy as np
from experiment import BAD, INK, column, plt
from matplotlib.colors import ListedColormap

FLOOR = experiment.ROOT / "examples/shell-mataric"
SENDERS = {"a": (5, 33), "b": (24.5, 9), "c": (44, 43)}  # as in figures.cc
PAPER = ((0.985525, 0.590345), (0.662603, 0.843989), (0.762548, 0.388172))


class Floor:
    def __init__(self):
        self.picture = plt.imread(FLOOR / "building.png")[::-1, :, 0]  # the north is up there
        self.side = self.picture.shape[0]
        self.walls = self.picture < 0.9

    def show(self, figure, axes, values, title, label, **options):
        image = axes.imshow(values, origin="lower", extent=(0, 50, 0, 50), **options)
        axes.imshow(np.where(self.walls, 1.0, np.nan), origin="lower", extent=(0, 50, 0, 50),
                    cmap=ListedColormap([INK]), alpha=0.75, interpolation="nearest")
        axes.set(xlabel="x, m", ylabel="y, m", title=title)
        axes.grid(False)
        figure.colorbar(image, ax=axes, label=label, shrink=0.8)

    def grid(self, rows, name):
        return column(rows, name).reshape(self.side, self.side)


def figure2(run, floor, rows):
    drawing, axes = plt.subplots(1, 3, figsize=(13, 3.9))
    near, far = [], []
    for each, (name, place) in zip(axes, SENDERS.items()):
        walls = floor.grid(rows, f"walls_{name}_db")
        floor.show(drawing, each, walls, f"transmitter {name}", "attenuation of walls, dB", cmap="magma_r")
        each.plot(*place, "o", color="white", markeredgecolor=BAD, markersize=7)
        y, x = np.mgrid[0:floor.side, 0:floor.side] * 0.25 + 0.125
        distance = np.hypot(x - place[0], y - place[1])
        near.append(walls[distance < 2].max())
        far.append(walls[distance > 30].mean())
    run.picture("Fig. 2", drawing, "attenuation of walls from each of three transmitters")
    same = [np.array_equal(column(rows, f"walls_{a}_db"), column(rows, f"walls_{b}_db")) for a, b in ("ab", "bc", "ac")]
    run.says("Fig. 2", "one map of the path attenuation factor for each transmitter's position", not any(same),
             "three maps, no two alike")
    run.says("Fig. 2", "brick and partitions add up with every wall that the straight line crosses",
             max(near) == 0 and min(far) >= 12 and all(value % 0.5 == 0 for value in column(rows, "walls_a_db")),
             f"0 dB within 2 m of a transmitter, {min(far):.0f} to {max(far):.0f} dB in the mean beyond 30 m")


def figure3(run, rays, shapes):
    drawing, axes = plt.subplots(1, 3, figsize=(13, 5.4), subplot_kw={"projection": "polar"})
    for number, (each, shape) in enumerate(zip(axes, shapes)):
        mine = [ray for ray in rays if ray["receiver"] == number]
        bins = np.linspace(-np.pi, np.pi, 73)
        power, _ = np.histogram(column(mine, "azimuth_rad"), bins, weights=column(mine, "power"))
        level = np.maximum(10 * np.log10(np.maximum(power, 1e-9)) + 45, 0)
        each.bar((bins[:-1] + bins[1:]) / 2, level, width=np.diff(bins), color="#1767a8", alpha=0.8)
        for turn in (0, np.pi):
            each.plot([0, shape["azimuth_rad"] + turn], [0, 45], color=BAD, linewidth=1.4)
        each.set_rlim(0, 45)
        each.set_rticks([5, 25, 45], ["-40", "-20", "0 dB"])
        each.set_title(f"{'abc'[number]}  at ({shape['x_m']:g}, {shape['y_m']:g}) m, {len(mine)} rays\n"
                       f"Λ {shape['spread']:.6f}  γ {shape['constriction']:.6f}  Θ {shape['azimuth_rad']:.6f}", pad=16)
    run.picture("Fig. 3", drawing, "power by the direction it comes from; red: where the level changes fastest")
    inside = all(0 <= shape["spread"] <= 1 and 0 <= shape["constriction"] <= 1 and
                 abs(shape["azimuth_rad"]) <= np.pi / 2 + 1e-9 for shape in shapes)
    triples = "; ".join(f"{'abc'[i]} ({each['spread']:.3f}, {each['constriction']:.3f}, {each['azimuth_rad']:.3f})"
                        for i, each in enumerate(shapes))
    run.says("Fig. 3", "a triple (Λ, γ, Θ) for each position, from the power of the rays that reflections bring there",
             inside, triples)
    off = max(abs(shape[key] - value) for shape, paper in zip(shapes, PAPER)
              for key, value in zip(("spread", "constriction"), paper))
    run.says("Fig. 3", "such positions are a (Λ .985525, γ .590345), b (.662603, .843989), c (.762548, .388172)",
             off < 0.1, f"the most similar positions of this floor are at most {off:.3f} off in Λ and γ")
    run.says("Fig. 3", "Θ is .291113, .046750, -.191796 there", False, "others",
             because="Θ goes with how the floor lies, and the paper's floor is not published; its printed formula also "
             "mirrors Θ")


def figure4(run, floor, rows):
    maps = (("sum_dbm", "sum of both", "dBm", "viridis"), ("large_dbm", "large scale", "dBm", "viridis"),
            ("small_db", "small scale", "dB", "RdBu_r"), ("variance_per_m2", "variance of the rate", "1/m²", "magma"))
    drawing, axes = plt.subplots(2, 2, figsize=(11, 9))
    for each, (name, title, unit, colours) in zip(axes.flat, maps):
        values = floor.grid(rows, name)
        limits = {"vmin": -12, "vmax": 12} if name == "small_db" else {}
        floor.show(drawing, each, values, title, unit, cmap=colours, **limits)
    run.picture("Fig. 4", drawing, "level over the floor: sum, large scale, small scale, variance")
    free = ~floor.walls
    total, large, small = (floor.grid(rows, name) for name in ("sum_dbm", "large_dbm", "small_db"))
    run.says("Fig. 4", "the level is the sum of a large-scale and a small-scale part",
             np.abs(total - large - small).max() < 0.021, f"to {np.abs(total - large - small).max():.2f} dB in every "
             "cell (values are rounded to 0.01 dB)")
    roughness = [np.abs(np.diff(each, axis=1))[free[:, 1:] & free[:, :-1]].mean() for each in (large, small)]
    run.says("Fig. 4", "the large-scale map is smooth between walls, the small-scale one is not",
             roughness[0] < 0.3 * roughness[1], f"from cell to cell {roughness[0]:.2f} dB and {roughness[1]:.2f} dB in "
             "the mean")
    variance, direct = floor.grid(rows, "variance_per_m2"), floor.grid(rows, "direct_share")
    cells = free & (direct < 0.999999)
    low, high = np.percentile(variance[cells], [25, 75])
    spread = [small[cells & chosen].std() for chosen in (variance <= low, variance >= high)]
    run.says("Fig. 4", "the small-scale part swings more where the variance is larger", spread[1] > spread[0],
             f"standard deviation {spread[0]:.1f} dB in the quarter of cells with the least variance, "
             f"{spread[1]:.1f} dB in that with the most")
    run.says("Fig. 4", "the small-scale part is drawn from the variance map", False,
             "it is drawn from the share of the power that walls have reflected (Rice)",
             because="the paper's variance is that of the voltage's rate over distance and no level: it sets how fast "
             "the level changes (rf_profiles/survey/grid_rays.h)")


def main():
    with experiment.Experiment(__file__, "Shell and Mataric", __doc__) as run:
        subprocess.run([run.program("shell-mataric-figures"), FLOOR / "building.yaml",
                        FLOOR / "radios/mica2_building.yaml", run.folder], check=True)
        floor = Floor()
        figure2(run, floor, experiment.read(run.folder / "figure2.csv"))
        figure3(run, experiment.read(run.folder / "figure3-rays.csv"),
                experiment.read(run.folder / "figure3-shapes.csv"))
        figure4(run, floor, experiment.read(run.folder / "figure4.csv"))


main()
