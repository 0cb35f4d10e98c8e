#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzers of BUILD, a tree of the preset dev (clang, libFuzzer, ASan, UBSan) with its target `fuzzers`, as
many at a time as there are cores. Seeds are tests/fuzz/corpus/NAME, words tests/fuzz/words/NAME.dict; what a
run finds new is kept in BUILD/corpus/NAME, and an input that fails in BUILD/findings.

usage: run.py SOURCE BUILD [--idle] [--seconds S | --executions N] [--most-seconds S] [--timeout S] [--seed N]
              [--record FILE] [NAME ...]
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SANITIZERS = {
    "ASAN_OPTIONS": "intercept_tls_get_addr=0:detect_stack_use_after_return=0:allocator_may_return_null=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
IDLE_TIMEOUT_S = 300  # of an input, by the wall, while others may have all processors
# Files of the tree that are seeds as they are.
SEEDS = {"configuration": ("examples/first", "examples/simulators", "examples/serial"),
         "profile": ("rf_profiles/profiles",)}
EXECUTIONS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)$", re.M)
COVERAGE = re.compile(r"\bcov: (\d+) ft: (\d+)")
FINDING = re.compile(r"Test unit written to (\S+)")
ROW = re.compile(r"^\| `(\w+)` \|")


def command(source, folder, name, limits, scratch):
    """Of one fuzzer, with folders of its own."""
    found = folder / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    (folder / "findings").mkdir(exist_ok=True)
    parts = [folder / "fuzz" / f"fuzz_{name}", *limits, "-rss_limit_mb=2048", "-malloc_limit_mb=1024",
             "-print_final_stats=1", f"-artifact_prefix={folder}/findings/{name}-"]
    words = source / "tests/fuzz/words" / f"{name}.dict"
    if words.exists():
        parts.append(f"-dict={words}")
    own = scratch / name
    own.mkdir()
    seeds = [source / folder for folder in (f"tests/fuzz/corpus/{name}", *SEEDS.get(name, ()))]
    return parts + [found] + [each for each in seeds if each.is_dir()], own


def run(source, folder, name, limits, scratch):
    """Name, executions, edges covered, seconds and, when the fuzzer failed, what it says."""
    parts, own = command(source, folder, name, limits, scratch)
    begin = time.monotonic()
    done = subprocess.run(parts, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                          cwd=own, env={**os.environ, **SANITIZERS, "TMPDIR": str(own)}, check=False)
    executed = EXECUTIONS.search(done.stderr)
    covered = COVERAGE.findall(done.stderr)
    figures = {"name": name, "executions": int(executed.group(1)) if executed else 0,
               "edges": int(covered[-1][0]) if covered else 0, "seconds": time.monotonic() - begin, "failure": ""}
    if done.returncode != 0:
        finding = FINDING.search(done.stderr)
        again = f"{parts[0]} {finding.group(1)}" if finding else f"exit status {done.returncode}"
        figures["failure"] = f"{done.stderr[-6000:]}\nfuzz_{name} failed; again: {again}\n"
    return figures


def row(figures):
    return (f"| `{figures['name']}` | {figures['executions']} | {figures['edges']} | {figures['seconds']:.0f} "
            f"| {1 if figures['failure'] else 0} |")


def record(file, results):
    """Puts new rows into the table of a document; rows of fuzzers that did not run stay."""
    lines = file.read_text().splitlines()
    rows = {ROW.match(line).group(1): line for line in lines if ROW.match(line)}
    rows.update({each["name"]: row(each) for each in results})
    head = next(i for i, line in enumerate(lines) if line.startswith("|---"))
    rest = [line for line in lines[head + 1:] if not ROW.match(line)]
    file.write_text("\n".join(lines[:head + 1] + [rows[name] for name in sorted(rows)] + rest) + "\n")


def fuzzers(source):
    return re.findall(r"^hilgate_fuzz\((\w+)", (source / "tests/fuzz/CMakeLists.txt").read_text(), re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=30, help="of each fuzzer")
    parser.add_argument("--executions", type=float, help="of each fuzzer, instead of --seconds")
    parser.add_argument("--most-seconds", type=int, default=0, help="of each fuzzer, with --executions; 0: no limit")
    parser.add_argument("--timeout", type=int, default=20,
                        help="seconds that an input may take; more where others take the processors")
    parser.add_argument("--idle", action="store_true",
                        help="one at a time, on what other programs leave of the processors; an input may take longer")
    parser.add_argument("--seed", type=int, default=1, help="0: another one each time")
    parser.add_argument("--record", type=pathlib.Path, help="a document whose table gets the figures")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    source, folder = options.source.resolve(), options.build.resolve()
    limits = [f"-max_total_time={options.seconds}"]
    if options.executions:
        limits = [f"-runs={int(options.executions)}", f"-max_total_time={options.most_seconds}"]
    at_a_time = os.cpu_count()
    if options.idle:
        at_a_time, options.timeout = 1, max(options.timeout, IDLE_TIMEOUT_S)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    limits += [f"-seed={options.seed}", f"-timeout={options.timeout}"]
    names = options.names or fuzzers(source)
    missing = [name for name in names if not (folder / "fuzz" / f"fuzz_{name}").exists()]
    if missing:
        sys.exit(f"{folder} has no fuzzer {', '.join(missing)}: cmake --preset dev && "
                 "cmake --build --preset dev -t fuzzers")
    results = []
    memory = next(filter(os.path.isdir, ["/dev/shm"]), None)  # some fuzzers write a file for each input
    with (tempfile.TemporaryDirectory(dir=memory) as scratch,
          concurrent.futures.ThreadPoolExecutor(at_a_time) as pool):
        for figures in pool.map(lambda name: run(source, folder, name, limits, pathlib.Path(scratch)), names):
            print(row(figures), flush=True)
            results.append(figures)
    if options.record:
        record(options.record, results)
    failures = "".join(figures["failure"] for figures in results)
    print(failures or f"{len(results)} fuzzers, {sum(each['executions'] for each in results)} executions, no finding")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
