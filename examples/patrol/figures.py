# SPDX-License-Identifier: Apache-2.0
"""The paper's pictures (ROS-NetSim, Fig. 7 to 11) and the map, each as the text of an SVG."""

import io
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

import scenario  # noqa: E402

INK, MUTED, GRID = "#1c2733", "#66717d", "#e4e8ec"
RATE, DELAY, LOST = "#1767a8", "#c8641b", "#b3202c"
PHASE_TINT = {"los": "#e3f1e6", "apart": "#f1f3f6", "behind": "#fdeedd", "again": "#e3f1e6", "far": "#fae4e4",
              "back": "#f1f3f6"}
PHASE_INK = {"los": "#2c8a4b", "apart": "#7a8794", "behind": "#d98324", "again": "#5f9c70", "far": "#b3202c",
             "back": "#7a8794"}
MATERIAL = {"house": "#d5dbe1", "trees": "#a9d3a5"}
LOSS_COLOURS = LinearSegmentedColormap.from_list("loss", ["#2c8a4b", "#e8b81e", "#b3202c"])
WIDE, HALF = (9.6, 3.1), (4.7, 3.3)

plt.rcParams.update({
    "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.7, "axes.axisbelow": True, "xtick.color": MUTED,
    "ytick.color": MUTED, "axes.spines.top": False, "axes.spines.right": False, "text.color": INK,
    "figure.constrained_layout.use": True, "legend.frameon": False,
})


def svg(figure, name):
    """The figure as an element to put into a page; ids carry its name, since a page holds several."""
    matplotlib.rcParams["svg.hashsalt"] = name
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    element = text.getvalue()[text.getvalue().index("<svg"):]
    element = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", element, 1), 1)
    return re.sub(r'id="(figure|axes|patch|line2d|text|matplotlib|xtick|ytick|legend|PathCollection|LineCollection'
                  r'|QuadMesh|FillBetweenPolyCollection|PolyCollection)', rf'id="{name}-\1', element)


def shade(axes, measured, labels=False):
    for phase in scenario.PHASES:
        begin, end = phase.begin * measured.seconds, phase.end * measured.seconds
        axes.axvspan(begin, end, color=PHASE_TINT[phase.key], linewidth=0)
        if labels and phase.end - phase.begin > 0.05:  # there is room for it
            axes.text((begin + end) / 2, 1.02, phase.title, transform=axes.get_xaxis_transform(), ha="center",
                      va="bottom", fontsize=8, color=PHASE_INK[phase.key])
    axes.set_xlim(0, measured.seconds)
    axes.set_xlabel("time, s")


def density(values, grid):
    """Gaussian kernel estimate; a third of the width of Silverman's rule, which is meant for a single hump."""
    spread = min(np.std(values), (np.percentile(values, 75) - np.percentile(values, 25)) / 1.34) or np.std(values)
    width = max(0.3 * spread * len(values) ** -0.2, (grid[-1] - grid[0]) / 200)
    distances = (grid[:, None] - values[None, :]) / width
    return np.exp(-0.5 * distances**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))


def rate_over_time(measured):
    figure, (axes, below) = plt.subplots(2, 1, figsize=(WIDE[0], 4.2), sharex=True, height_ratios=[3, 1])
    shade(axes, measured, labels=True)
    axes.set_xlabel("")
    axes.fill_between(measured.rate_t, measured.rate, color=RATE, alpha=0.18, linewidth=0)
    axes.plot(measured.rate_t, measured.rate, color=RATE, linewidth=1.3)
    axes.set_ylabel("TCP rate, Mbit/s")
    axes.set_ylim(0)
    shade(below, measured)
    below.plot(measured.status_t, measured.distance, color=INK, linewidth=1.1)
    below.fill_between(measured.status_t, 0, measured.distance, where=~measured.in_sight, color=LOST, alpha=0.18,
                       linewidth=0, label="no line of sight")
    below.set_ylabel("distance, m")
    below.set_ylim(0)
    below.legend(loc="upper left", fontsize=8)
    return svg(figure, "fig7")


def rate_histogram(measured):
    return histogram(measured.rate, "TCP rate, Mbit/s", RATE, "fig8")


def delay_over_time(measured):
    figure, axes = plt.subplots(figsize=WIDE)
    shade(axes, measured, labels=True)
    heard = ~measured.lost
    axes.scatter(measured.probe_t[heard], 1000 * measured.delay[heard], s=3, color=DELAY, alpha=0.35, linewidths=0,
                 rasterized=False)
    t, _, median, _ = measured.binned().T
    axes.plot(t, 1000 * median, color=INK, linewidth=1.0, label="median of an interval")
    axes.plot(measured.probe_t[measured.lost], np.full(measured.lost.sum(), -0.03), "|", color=LOST, markersize=5,
              alpha=0.5, transform=axes.get_xaxis_transform(), clip_on=False, label="lost probe")
    axes.set_ylabel("one-way delay, ms")
    axes.set_ylim(0)
    axes.legend(loc="upper right", fontsize=8)
    return svg(figure, "fig9")


def delay_histogram(measured):
    return histogram(1000 * measured.delay[~measured.lost], "one-way delay, ms", DELAY, "fig10")


def histogram(values, label, colour, name):
    figure, axes = plt.subplots(figsize=HALF)
    high = np.percentile(values, 99.8) * 1.05 + 1e-9
    axes.hist(values, bins=40, range=(0, high), density=True, color=colour, alpha=0.35, linewidth=0)
    grid = np.linspace(0, high, 300)
    axes.plot(grid, density(values, grid), color=colour, linewidth=1.6)
    axes.set_xlim(0, high)
    axes.set_xlabel(label)
    axes.set_ylabel("density")
    return svg(figure, name)


def rate_against_delay(measured):
    figure, axes = plt.subplots(figsize=WIDE)
    bins = measured.binned()
    bins = bins[~np.isnan(bins[:, 2])]
    for phase in scenario.PHASES:
        inside = bins[(bins[:, 0] >= phase.begin * measured.seconds) & (bins[:, 0] < phase.end * measured.seconds)]
        if len(inside):
            axes.scatter(1000 * inside[:, 2], inside[:, 1], s=14, alpha=0.65, linewidths=0, color=PHASE_INK[phase.key],
                         label=phase.title)
    axes.set_xlabel("median one-way delay, ms")
    axes.set_ylabel("TCP rate, Mbit/s")
    axes.set_xlim(0)
    axes.set_ylim(0)
    axes.legend(fontsize=7.5)
    return svg(figure, "fig11")


def block_map(measured):
    figure, axes = plt.subplots(figsize=(9.6, 5.6))
    for building in scenario.buildings():
        axes.add_patch(Rectangle((building.x_m, building.y_m), building.width_m, building.depth_m,
                                 facecolor=MATERIAL[building.material],
                                 edgecolor="#b9c2cb", linewidth=1))
        axes.text(building.x_m + building.width_m / 2, building.y_m + building.depth_m / 2, building.name, ha="center",
                  va="center", fontsize=8, color=MUTED)
    flown = (measured.status_t >= 0) & (measured.status_t <= measured.seconds)
    loss = np.array([measured.probes_around(t, measured.seconds / 50)[1] for t in measured.status_t[flown]])
    for name in scenario.ROBOTS:
        track(axes, measured, name, flown, loss)
    bar = figure.colorbar(axes.collections[0], ax=axes, shrink=0.6, pad=0.01, label="probes lost, red to blue")
    bar.outline.set_visible(False)
    axes.set_xlim(-4, 184)
    axes.set_ylim(-6, 122)
    axes.set_aspect("equal")
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    return svg(figure, "map")


def track(axes, measured, name, flown, loss):
    points = measured.positions[name][flown][:, :2]
    segments = np.stack([points[:-1], points[1:]], axis=1)
    lines = LineCollection(segments, cmap=LOSS_COLOURS, norm=plt.Normalize(0, 1), linewidths=3.2, capstyle="round")
    lines.set_array(np.nan_to_num((loss[:-1] + loss[1:]) / 2))
    axes.add_collection(lines)
    t = measured.status_t[flown]
    for part in np.arange(0, 13) / 13:
        x, y = (np.interp(part * measured.seconds, t, points[:, axis]) for axis in (0, 1))
        axes.plot(x, y, "o", color="white", markeredgecolor=INK, markersize=4.2, zorder=5)
        axes.annotate(f"{part * measured.seconds:g}", (x, y), textcoords="offset points", xytext=(4, 4), fontsize=7,
                      color=INK, zorder=6)
    axes.annotate(name, points[0], textcoords="offset points", xytext=(-4, -13), fontsize=10, weight="bold",
                  color={"red": "#b3202c", "blue": RATE}[name], zorder=6)
