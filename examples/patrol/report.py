#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what drive.py measured, prints the result table and writes index.html, samples.csv and summary.json.

usage: report.py FOLDER REPORT. Exit status 1: the patrol did not come out as the paper's, and it says where."""

import csv
import json
import pathlib
import sys

import page
import scenario
import shape
from measured import Measured


def print_table(summary):
    print(f"\n{'phase':24}{'time, s':>10}{'distance, m':>13}{'in sight':>10}{'Mbit/s':>9}{'p50 ms':>8}{'p99 ms':>8}"
          f"{'lost':>8}")
    for row in summary["phases"]:
        time = f"{row['begin_s']:g}-{row['end_s']:g}"
        metres = "{:.0f}-{:.0f}".format(*row["distance_m"])
        print(f"{row['title']:24}{time:>10}{metres:>13}{100 * row['in_sight']:>8.0f} %{row['rate_mbps']:>9.2f}"
              f"{page.milliseconds(row['delay_p50_ms']):>8}{page.milliseconds(row['delay_p99_ms']):>8}"
              f"{100 * row['probe_loss']:>6.1f} %")
    print("\ndropped by the gateway")
    for row in summary["phases"]:
        print(f"  {row['title']:24}{page.causes(row['dropped'])}")
    print(page.account(summary), "\n")
    for each in summary["checks"]:
        print(f"{'holds' if each['holds'] else 'FAILS'}  {each['name']}: {each['found']}")


def write_samples(measured, path):
    with open(path, "w", newline="", encoding="ascii") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["t_s", "phase", "distance_m", "line_of_sight", "snr_db", "rate_mbps", "delay_p50_s",
                       "probe_loss"])
        for t, rate, delay, loss in measured.binned():
            rows.writerow([f"{t:.3f}", scenario.phase_at(t / measured.seconds).key,
                           f"{measured.at(t, measured.distance):.2f}", int(measured.at(t, measured.in_sight) > 0.5),
                           f"{measured.at(t, measured.snr):.2f}", f"{rate:.3f}",
                           "" if delay != delay else f"{delay:.6f}", "" if loss != loss else f"{loss:.4f}"])


def main():
    measured, report = Measured(pathlib.Path(sys.argv[1]) / "measured.json"), pathlib.Path(sys.argv[2])
    summary = shape.summary_of(measured)
    print_table(summary)
    report.mkdir(parents=True, exist_ok=True)
    write_samples(measured, report / "samples.csv")
    (report / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    (report / "index.html").write_text(page.page(measured, summary), encoding="utf-8")
    failed = [each for each in summary["checks"] if not each["holds"]]
    for each in failed:
        print(f"report.py: {each['name']}: expected {each['wanted']}, found {each['found']}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
