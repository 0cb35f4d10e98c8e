#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of figures in docs/reference/figures.md and README.md, made from docs/reference/figures.json: results of
programs that measure in rounds, with minimum, median and maximum. A ratio above 1 means that hilgate is better.

usage: tests/bench/figures.py [--add RESULT [--note NOTE]] [--check]
  --add    a document by `hilgate bench all --json`, `hilgate certify --json`, `side_by_side.py --json` or
           `shared_memory.py --json`: its figures take the place of those of the same measures, or are new
  --note   what is to be known of the host, such as "busy: compiling"
  --check  changes nothing; exit status 1 where a table differs from figures.json

Without an option it writes both tables.
"""

import argparse
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE = ROOT / "docs/reference/figures.json"
PAGE = ROOT / "docs/reference/figures.md"
SUMMARY = ROOT / "README.md"
SUMMARIZED = ("throughput.64", "passthrough.64", "rosnetsim.rate", "ns3.p50 at 10k", "netem.p50 at 10k")
BEGIN, END = "<!-- figures: tests/bench/figures.py -->", "<!-- end of figures -->"
FEWEST = 5  # runs
CERTIFIED = ("core.ndr.64", "wire.ndr.64", "release.p50", "release.p99", "wire.delay50.p50", "wire.delay50.p99",
             "live.gap.p50", "live.start", "windows.rate")
PEERS = {"socat": "socat", "ns3": "ns-3 3.37, real time", "netem": "netem", "mm-delay": "mm-delay (Mahimahi)",
         "mm-link": "mm-link (Mahimahi)"}
KEYS = ("min", "median", "max")
TIMES = ("ns", "us", "ms", "s")  # units of which less is better


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def host_of(document):
    machine = document["host"]
    kernel = ".".join(machine["kernel"].split("-")[0].split(".")[:2])
    return f"{machine['processor']}, {machine['processors']} processors, Linux {kernel}, load {machine['load']:.1f}"


def certified(document):
    """Figures of `hilgate certify`."""
    for line in document["lines"]:
        if line["key"] not in CERTIFIED or len(line["rounds"]) < FEWEST:
            continue
        yardstick, ratio = line["yardstick"]["spread"], None
        beside = document["samples"].get(line["yardstick"]["key"], [])
        if yardstick and len(beside) == len(line["rounds"]) and all(beside) and all(line["rounds"]):
            ratio = spread([theirs / ours if line["unit"] in TIMES else ours / theirs
                            for ours, theirs in zip(line["rounds"], beside)])
        yield {"key": line["key"], "measure": line["text"], "unit": line["unit"], "ours": line["spread"],
               "yardstick": yardstick and {"name": line["yardstick"]["text"], **yardstick}, "ratio": ratio,
               "runs": len(line["rounds"]), "command": f"hilgate certify --length {document['form']}"}


def side_by_side(document):
    """Figures beside those of peers."""
    for row in document["rows"]:
        if row["rounds"] < FEWEST or row["ratio"] is None or any(row["overloaded"]):
            continue
        rate = row["measure"] == "rate"
        what = "highest rate with 0.5 % lost" if rate else f"delay error, {row['measure']} frames/s"
        guest = ", both in an emulated guest" if row["where"] == "guest" else ""
        yield {"key": f"{row['peer']}.{row['measure']}", "measure": what + guest, "unit": row["unit"],
               "ours": row["ours"], "yardstick": {"name": PEERS[row["peer"]], **row["theirs"]},
               "ratio": row["ratio"], "or_more": bool(row.get("limited")), "runs": row["rounds"],
               "command": document["command"]}


def benches(document):
    """Figures of `hilgate bench all`."""
    for figure in document["figures"]:
        if figure["rounds"] < FEWEST:
            continue
        yardstick = figure.get("yardstick")
        yield {"key": figure["name"], "measure": figure["text"], "unit": figure["unit"], "ours": figure["value"],
               "yardstick": yardstick and yardstick["value"] and {"name": yardstick["name"], **yardstick["value"]},
               "ratio": figure.get("ratio"), "runs": figure["rounds"],
               "command": figure.get("command", "hilgate bench all")}


def rows_of(document, note):
    kinds = {"hilgate_certify": certified, "hilgate_bench": benches, "bench": side_by_side}
    for key, read in kinds.items():
        if key in document:
            date = document.get("date") or document["began"][:10]
            host = host_of(document) + (f"; {note}" if note else "")
            return [row | {"host": host, "date": date} for row in read(document)]
    raise SystemExit("figures.py: no document of `hilgate certify`, `hilgate bench all` or side_by_side.py")


def number(value, unit):
    if value is None:
        return ""
    for factor, letter in ((1e6, " M"), (1e3, " k")):
        if unit in ("frames/s", "windows/s") and value >= factor:
            return f"{value / factor:.3g}{letter}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def text(figures, unit):
    if figures is None:
        return "-"
    if figures["min"] is None:
        return number(figures["median"], unit)
    if figures["median"] is None:
        return f"{number(figures['min'], unit)} to {number(figures['max'], unit)}"
    return ", ".join(number(figures[key], unit) for key in KEYS)


def ratio_text(ratio):
    if ratio is None:
        return "-"
    return ", ".join(f"{ratio[key]:.2f}" if ratio[key] < 10 else f"{ratio[key]:.0f}"
                     for key in KEYS if ratio[key] is not None)


def table(rows):
    lines = ["| measure | this version | yardstick | ratio | command | host |", "| --- | --- | --- | --- | --- | --- |"]
    hosts = {}
    for row in rows:
        host = hosts.setdefault(f"{row['host']}, {row['date']}", len(hosts) + 1)
        yardstick = row["yardstick"]
        if yardstick:
            beside = yardstick["name"] + (f": {text(yardstick, row['unit'])}" if "median" in yardstick else "")
        more = " or more" if row.get("or_more") else ""
        unit = f", {row['unit']}" if row["unit"] else ""
        lines.append(f"| {row['measure']}{unit} | {text(row['ours'], row['unit'])}{more}"
                     f" | {beside if yardstick else '-'} | {ratio_text(row['ratio'])} | `{row['command']}` | {host} |")
    lines += ["", "Hosts: " + "; ".join(f"({number}) {name}" for name, number in hosts.items()) + "."]
    return "\n".join(lines)


def page_with(page, rows):
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--add", metavar="RESULT")
    parser.add_argument("--note", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows = json.loads(STORE.read_text(encoding="utf-8"))
    if options.add:
        added = rows_of(json.loads(pathlib.Path(options.add).read_text(encoding="utf-8")), options.note)
        if not added:
            raise SystemExit(f"figures.py: {options.add} has no figure of {FEWEST} rounds or more")
        by_key = {row["key"]: row for row in added}
        rows = [by_key.pop(row["key"], row) for row in rows] + list(by_key.values())
        STORE.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    status = 0
    for path, shown in ((PAGE, rows), (SUMMARY, [row for row in rows if row["key"] in SUMMARIZED])):
        page = path.read_text(encoding="utf-8")
        wanted = page_with(page, shown)
        if options.check and wanted != page:
            print(f"{path.relative_to(ROOT)}:1: its figures are not those of docs/reference/figures.json; "
                  "run tests/bench/figures.py")
            status = 1
        elif not options.check:
            path.write_text(wanted, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
