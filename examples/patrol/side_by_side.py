#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws several reports of the patrol in one page: rate, delay and loss over time, and a table by phase.

For example: side_by_side.py patrols.html embedded=report ns-3=report/ns3

usage: side_by_side.py PAGE.html NAME=REPORT..."""

import csv
import html
import json
import pathlib
import sys

import figures
import page
import scenario

COLOURS = ("#1767a8", "#c8641b", "#2c8a4b", "#7a4fa3")
CURVES = (("rate_mbps", 1, "TCP rate, Mbit/s"), ("delay_p50_s", 1000, "median delay, ms"),
          ("probe_loss", 100, "probes lost, %"))


class Report:
    def __init__(self, name, folder):
        self.name = name
        self.summary = json.loads((folder / "summary.json").read_text())
        with open(folder / "samples.csv", newline="", encoding="ascii") as file:
            self.samples = list(csv.DictReader(file))

    def curve(self, column, factor):
        """(part of the patrol, value) where there is a value; patrols may differ in length."""
        return [(float(row["t_s"]) / self.summary["seconds"], factor * float(row[column]))
                for row in self.samples if row[column]]


def curves(reports):
    figure, lines = figures.plt.subplots(len(CURVES), 1, figsize=(figures.WIDE[0], 7), sharex=True)
    for axes, (column, factor, label) in zip(lines, CURVES):
        for phase in scenario.PHASES:
            axes.axvspan(100 * phase.begin, 100 * phase.end, color=figures.PHASE_TINT[phase.key], linewidth=0)
        for report, colour in zip(reports, COLOURS):
            points = report.curve(column, factor)
            axes.plot([100 * t for t, _ in points], [value for _, value in points], color=colour, linewidth=1.3,
                      label=report.name)
        axes.set_ylabel(label)
        axes.set_ylim(0)
    lines[0].set_xlim(0, 100)
    lines[0].legend(fontsize=8, loc="upper right")
    lines[-1].set_xlabel("time, % of the patrol")
    return figures.svg(figure, "side")


def table(reports):
    head = "".join(f"<th class='number'>{html.escape(report.name)}</th>" for report in reports)
    rows = []
    for index, phase in enumerate(scenario.PHASES):
        phases = [report.summary["phases"][index] for report in reports]
        for title, text in (("rate, Mbit/s", lambda row: f"{row['rate_mbps']:.2f}"),
                            ("delay p50, ms", lambda row: page.milliseconds(row["delay_p50_ms"])),
                            ("probes lost", lambda row: f"{100 * row['probe_loss']:.1f} %")):
            cells = "".join(page.cell(text(row), "number") for row in phases)
            rows.append(f"<tr>{page.cell(phase.title)}{page.cell(title)}{cells}</tr>")
    return f'<div class="table"><table><tr><th>phase</th><th></th>{head}</tr>' + "".join(rows) + "</table></div>"


def main():
    if len(sys.argv) < 3 or not all("=" in each for each in sys.argv[2:]):
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    reports = [Report(name, pathlib.Path(folder)) for name, folder in (each.split("=", 1) for each in sys.argv[2:])]
    body = ("<h1>The patrol, side by side</h1>" +
            page.section("Over time", "All patrols on one axis.", curves(reports)) +
            page.section("By phase", "Each patrol's own report has the details.", table(reports)))
    pathlib.Path(sys.argv[1]).write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>hilgate: patrols side by side</title>'
        f"<style>{page.STYLE}</style></head><body><main>{body}</main></body></html>\n", encoding="utf-8")
    print(f"drawn: {sys.argv[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
