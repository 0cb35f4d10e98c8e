# SPDX-License-Identifier: Apache-2.0
"""The report as one self-contained HTML page."""

import html

import figures
import scenario

STYLE = """
:root { color-scheme: light; }
body { margin: 0; background: #f4f6f8; color: #1c2733;
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 0 0 2px; }
p { margin: 4px 0 12px; color: #4a5561; }
section { background: #fff; border: 1px solid #e4e8ec; border-radius: 10px; padding: 18px 20px; margin-top: 18px; }
svg { width: 100%; height: auto; display: block; }
svg text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif !important; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 18px; }
.pair section { min-width: 0; }
@media (max-width: 760px) { .pair { grid-template-columns: 1fr; gap: 0; } }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: #66717d; font-size: 13px; }
td:nth-child(-n+3), .number { white-space: nowrap; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid #eef1f3; vertical-align: top; }
.number { text-align: right; }
.yes { color: #2c8a4b; font-weight: 600; } .no { color: #b3202c; font-weight: 600; }
"""


def cell(text, kind=""):
    return f'<td class="{kind}">{html.escape(str(text))}</td>' if kind else f"<td>{html.escape(str(text))}</td>"


def phase_table(summary):
    head = ("phase", "time, s", "distance, m", "in sight", "rate, Mbit/s", "delay p50, ms", "delay p99, ms",
            "probes lost", "dropped by the gateway")
    rows = []
    for row in summary["phases"]:
        numbers = (f"{row['begin_s']:g} – {row['end_s']:g}", "{:.0f} – {:.0f}".format(*row["distance_m"]),
                   f"{100 * row['in_sight']:.0f} %", f"{row['rate_mbps']:.2f}", milliseconds(row["delay_p50_ms"]),
                   milliseconds(row["delay_p99_ms"]), f"{100 * row['probe_loss']:.1f} %")
        rows.append(cell(row["title"]) + "".join(cell(each, "number") for each in numbers) +
                    cell(causes(row["dropped"])))
    heads = "".join(f'<th class="{"number" if 0 < i < 8 else ""}">{each}</th>' for i, each in enumerate(head))
    return f'<div class="table"><table><tr>{heads}</tr>' + "".join(f"<tr>{row}</tr>" for row in rows) + "</table></div>"


def milliseconds(value):
    return "–" if value is None else f"{value:.0f}"


def causes(dropped):
    return ", ".join(f"{cause.replace('_', ' ')} {count}" for cause, count in dropped.items()) or "none"


def check_table(summary):
    rows = []
    for each in summary["checks"]:
        mark = cell("holds", "yes") if each["holds"] else cell("fails", "no")
        rows.append(f"<tr>{mark}{cell(each['name'])}{cell(each['found'])}{cell(each['wanted'])}</tr>")
    head = "<tr><th></th><th>shape</th><th>found</th><th>expected</th></tr>"
    return f'<div class="table"><table>{head}' + "".join(rows) + "</table></div>"


def section(title, text, body):
    return f"<section><h2>{html.escape(title)}</h2><p>{html.escape(text)}</p>{body}</section>"


def account(summary):
    totals = summary["totals"]
    dropped = sum(totals["dropped"].values())
    return (f"{totals['in']} deliveries taken in = {totals['out']} released + {dropped} dropped + "
            f"{totals['held']} held; balanced in {summary['balanced_samples']} of {summary['samples']} samples.")


def page(measured, summary):
    body = [
        "<h1>Two UAVs on patrol</h1>",
        f"<p>{summary['seconds']:g} s around a block of 180 x 120 m; a saturating TCP flow and a probe every 10 ms "
        f"from red to blue, through hilgate with {scenario.NETSIM_TITLES[summary['netsim']]}. The scenario and the "
        "numbering of the pictures are those of the ROS-NetSim paper.</p>",
        section("Result", account(summary), phase_table(summary)),
        section("Checks against the paper's results", "Statements that the measurements above must satisfy.",
                check_table(summary)),
        section("Map", "Both tracks, coloured by the loss of probes; numbers are seconds.",
                figures.block_map(measured)),
        section("Rate over time", "Fig. 7: what TCP delivers at blue, and how far apart the two are.",
                figures.rate_over_time(measured)),
        section("Delay over time", "Fig. 9: one-way delay of each probe; dashes below the axis are lost ones.",
                figures.delay_over_time(measured)),
        '<div class="pair">' + section("Rates", "Fig. 8: histogram and density.", figures.rate_histogram(measured)) +
        section("Delays", "Fig. 10: histogram and density.", figures.delay_histogram(measured)) + "</div>",
        section("Rate against delay", "Fig. 11: one point per interval.", figures.rate_against_delay(measured)),
    ]
    return ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>hilgate: two UAVs on patrol</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{STYLE}</style></head><body><main>{''.join(body)}</main></body></html>\n")
