#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes profiles.md: what each radio profile was compared with, from `validation:` of the profiles.

The figures of `validation:` must be those that the reference values of tests/oracles give; others are faults. Whole airs
are those of airs.json, which `tests/oracles/air_rows.py HILGATE . --write` measures.

usage: generate.py HILGATE [--check]     HILGATE: the built program; --check compares and writes nothing
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "oracles"))

import air_rows  # noqa: E402
PAGE = HERE / "profiles.md"
AIRS = HERE / "airs.json"
FITS = HERE / "fits.json"
ORACLES = {"ns3": "ns3-3.37.csv", "closed_form": "analytic.csv"}  # by the kind of reference
NAMES = {"ns3": "ns-3 3.37", "closed_form": "closed form", "measured": "measured"}
SHARE = 0.95


def answer(hilgate, *arguments):
    run = subprocess.run([hilgate, "radio", *arguments, "--json"], capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"{hilgate} radio {' '.join(arguments)}: {run.stderr}")
    return json.loads(run.stdout)


def deviations(hilgate):
    """{(kind of reference, "model/quantity"): (unit, inputs of the rows, absolute deviations)}"""
    found = {}
    for kind, name in ORACLES.items():
        file = ROOT / "tests" / "oracles" / name
        units = {number: line.split(",")[4] for number, line in enumerate(file.read_text().splitlines(), 1)}
        for row in answer(hilgate, "oracle", str(file)):
            key = kind, f"{row['model']}/{row['quantity']}"
            unit, inputs, values = found.setdefault(key, (units[row["line"]], [], []))
            inputs.append(row["inputs"])
            values.append(abs(row["deviation"]))
    return found


def figure(value, unit):
    """Two digits; what is below the digits in which ns-3's values are printed is 0."""
    value = 0 if value < 1e-6 else float(f"{value:.2g}")
    return f"{value:g}" + ("" if unit == "1" else f" {unit}")


def figures(kind, rows, known):
    """points, median and 95 % of the rows together; they have one unit. Rows are "model/quantity", or "model/quantity TEXT"
    for those with TEXT in their inputs."""
    units, values = set(), []
    for name in rows:
        model, _, part = name.partition(" ")
        unit, inputs, deviated = known.get((kind, model), ("", [], []))
        chosen = [value for text, value in zip(inputs, deviated) if part in text]
        if not chosen:
            raise ValueError(f"no rows of '{name}' in tests/oracles/{ORACLES[kind]}")
        units.add(unit)
        values += chosen
    if len(units) > 1:
        raise ValueError(f"rows of different units: {', '.join(sorted(units))}")
    values.sort()
    unit = units.pop()
    most = values[math.ceil(SHARE * len(values)) - 1]
    return {"points": len(values), "median": figure(statistics.median(values), unit), "most": figure(most, unit)}


def faults_of(profile, known):
    for one in profile["validation"]["compared"]:
        if one["with"] not in ORACLES:
            continue  # its figures are those of its source
        try:
            expected = figures(one["with"], one["rows"], known)
        except ValueError as error:
            yield f"{profile['file']}: validation: {one['quantity']}: {error}"
            continue
        for key, value in expected.items():
            if one[key] != value:
                yield f"{profile['file']}: validation: {one['quantity']}: {key} is {one[key]}; the rows give {value}"


def length(metres):
    return f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"


def airs():
    """Lines about whole airs, and faults."""
    found = json.loads(AIRS.read_text())
    faults = [f"docs/validation/airs.json: {name}: not of the rows of tests/oracles/air_rows.py, or missing"
              for name in sorted(set(found) ^ set(air_rows.ROWS))]
    lines = ["## Whole airs", "",
             "Stations with medium access, rate control, queues and interference, in simulated time, by shipped profiles without",
             "shadowing and fading. `tests/oracles/air_rows.py` states each arrangement; a test fails where goodput differs by more",
             "than 10 %, loss by more than 3 points or range by more than 15 %.", ""]
    for name, rows in found.items():
        if name not in air_rows.ROWS:
            continue
        text = " ".join((air_rows.ROWS[name].run.__doc__ or "").split())
        lines += [f"### {name.replace('_', ' ')}", "", *([text, ""] if text else []),
                  f"| quantity | {air_rows.ROWS[name].source} | hilgate |", "| --- | --- | --- |"]
        lines += [f"| `{label}` | {reference} | {measured} |" for label, reference, measured in rows] + [""]
    return lines, faults


def fits():
    lines = ["## Fits to measurements", "",
             "Public data sets, by commands of [My own radio](../tutorials/my-own-radio.md) and of [Measured links](../how-to/traces.md); docs/validation/fits.json",
             "has these rows. Errors are those of rows that took no part in the fit.", ""]
    for fit in json.loads(FITS.read_text()):
        lines += [f"### {fit['data']}", "", f"{fit['source']}. {fit['split']}.", ""]
        lines += ["| quantity | aimed at | reached | |", "| --- | --- | --- | --- |"]
        lines += [f"| {one['quantity']} | {one['target']} | {one['reached']} | {'met' if one['met'] else 'missed'} |" for one in fit["rows"]]
        lines += ["", *(f"* {why}" for why in fit["why"]), "", "```", *fit["commands"], "```", ""]
    return lines


def page(profiles, airs_lines):
    lines = ["# What radio profiles were compared with", "",
             "<!-- Generated by docs/validation/generate.py from the `validation:` of the profiles; do not edit. -->", "",
             "Deviations are those of the models that a profile consists of, from reference values: those that ns-3 3.37",
             "computes, and closed forms (tests/oracles). Median, and the most of 95 % of the points. No shipped profile has been",
             "compared with a measurement: how near a model is to a radio in its surroundings is not known. What `hilgate radio fit`",
             "reaches with measurements is [below](#fits-to-measurements).", "",
             "| profile | compared with | quantity | points | median | 95 % | distances | rates |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for profile in profiles:
        validation = profile["validation"]
        distance = validation["distance_m"]
        ends = f"{length(distance[0])} to {length(distance[1])}" if distance else "none"
        rates = validation["rates"] or "none"
        if not validation["compared"]:
            lines.append(f"| `{profile['id']}` | nothing | | | | | none | none |")
        for place, one in enumerate(validation["compared"]):
            first = place == 0
            cells = [f"`{profile['id']}`" if first else "", NAMES[one["with"]], one["quantity"], str(one["points"]),
                     one["median"], one["most"], ends if first else "", rates if first else ""]
            lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## Assumptions and unverified values", "",
              "Values of a profile without a source: an assumption has a known effect on the range, an unverified value has not been",
              "compared with a data sheet. `hilgate radio show PROFILE` has the source and the effect of each.", "",
              "| profile | assumptions | unverified |", "| --- | --- | --- |"]
    for profile in profiles:
        tags = [entry["tag"] for entry in profile["provenance"]]
        unverified = [f"`{entry['key']}`" for entry in profile["provenance"] if entry["tag"] == "unverified"]
        lines.append(f"| `{profile['id']}` | {tags.count('assumption')} | {', '.join(unverified) or 'none'} |")
    return "\n".join(lines + ["", *fits(), *airs_lines])


def main():
    arguments = [one for one in sys.argv[1:] if one != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    hilgate = str(pathlib.Path(arguments[0]).resolve())
    known = deviations(hilgate)
    folder = ROOT / "rf_profiles" / "profiles"
    profiles = [answer(hilgate, "show", str(file)) for file in sorted(folder.glob("*.yaml"))]
    for profile in profiles:
        profile["file"] = str(pathlib.Path(profile["file"]).relative_to(ROOT))
    faults = [fault for profile in profiles for fault in faults_of(profile, known)]
    airs_lines, airs_faults = airs()
    faults += airs_faults
    text = page(profiles, airs_lines)
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        faults.append("docs/validation/profiles.md is not as generate.py writes it: run it without --check")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
