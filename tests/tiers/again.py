#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what failed in the last run of ctest once more, one test after the other: of a GoogleTest program only the cases
that failed.

usage: again.py BUILD SECONDS

Nothing runs, and the exit status is 1, when more than four tests failed or when they took more than SECONDS. Otherwise
the exit status is 0 if all pass now; `BUILD/Testing/unsteady` then has their names.
"""

import os
import pathlib
import re
import subprocess
import sys

MOST = 4
SECTION = re.compile(r"^\d+/\d+ Test: (\S+)\n(.*?)^Test time = +([\d.]+) sec", re.M | re.S)
CASE = re.compile(r"^\[  FAILED  \] (\w[^\s,]*).* \((\d+) ms\)$", re.M)
SUMMARY = re.compile(r"^ *(\d+) FAILED TESTS?$", re.M)


def failures(logs):
    """Of each failed test its name, the names of its failed cases (none: all of it) and the seconds that it took."""
    failed = {line.split(":", 1)[1] for line in (logs / "LastTestsFailed.log").read_text().split("\n") if line}
    for name, output, seconds in SECTION.findall((logs / "LastTest.log").read_text(errors="replace")):
        if name not in failed:
            continue
        cases = dict(CASE.findall(output))
        summary = SUMMARY.search(output)
        if summary and int(summary[1]) == len(cases):  # a program that crashed, or was stopped, has no summary
            yield name, sorted(cases), sum(map(int, cases.values())) / 1000
        else:
            yield name, [], float(seconds)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    build, limit = pathlib.Path(arguments[0]), float(arguments[1])
    logs = build / "Testing" / "Temporary"
    found = list(failures(logs))
    names = [name for name, _, _ in found]
    seconds = sum(each for _, _, each in found)
    if not found or len(found) > MOST or seconds > limit:
        print(f"again: {len(found)} failed tests of {seconds:.0f} s, limits: {MOST} tests, {limit:.0f} s: "
              f"{' '.join(names)}")
        return 1
    for name, cases, _ in found:
        print(f"again: {name} {' '.join(cases)}", flush=True)
        environment = os.environ | ({"GTEST_FILTER": ":".join(cases)} if cases else {})
        if subprocess.run(["ctest", "--preset", "dev", "--tests-regex", f"^{name}$"], env=environment).returncode:
            return 1
    (build / "Testing" / "unsteady").write_text(" ".join(" ".join([name, *cases]) for name, cases, _ in found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
