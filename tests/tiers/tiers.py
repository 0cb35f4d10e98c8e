#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which tests belong to which tier: extended.txt names those that only `sudo ./test.sh --all` runs.

usage: tiers.py extended          their names as one expression for ctest's --exclude-regex
       tiers.py fit SECONDS       of these, in their order, the names of those that fit into SECONDS, one line each
       tiers.py check BUILD       fails when a file names a test or a property that BUILD has not
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def rows(name):
    """The lines of a list, each split at its first space."""
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            first, rest = line.split(" ", 1)
            yield first, rest


def fit(seconds):
    """Tests in their order whose seconds, with a fifth to spare, add up to no more than `seconds`."""
    for name, cost in rows("extended.txt"):
        cost = int(cost) * 1.2
        if cost <= seconds:
            seconds -= cost
            yield name


def faults(build):
    """What the lists name and the build has not. Suites of packages that are not installed are no fault."""
    # In a folder of its own: ctest would write its logs into the build's, over those of the run that this is a part of.
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(f'subdirs("{pathlib.Path(build).resolve()}")\n')
        listing = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True,
                                 check=True).stdout
    known = {test["name"]: test.get("command") for test in json.loads(listing)["tests"]}
    optional = {"gz_netns_test", "ns3_netns_test", "ros2_netns_test", "demo_gz", "demo_ns3", "threads_tsan", "fuzz"}
    for name, _ in rows("extended.txt"):
        if name not in known and name not in optional:
            yield f"extended.txt: there is no test {name}"
    for name, rest in rows("smoke.txt"):
        expression = rest.split(" ", 1)[1]
        if name not in known and name in optional:
            continue
        if not known.get(name):
            yield f"smoke.txt: there is no built test {name}"
            continue
        program = known[name][0]
        for part in expression.split(":"):
            listed = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={part}"], capture_output=True,
                                    text=True, check=True).stdout
            if not re.search(r"^  \S", listed, re.M):
                yield f"smoke.txt: {name} has no property {part}"


def main(arguments):
    match arguments:
        case ["extended"]:
            print(f"^({'|'.join(name for name, _ in rows('extended.txt'))})$")
        case ["fit", seconds]:
            print("\n".join(fit(float(seconds))))
        case ["check", build]:
            found = list(faults(build))
            print("\n".join(found) or "tiers: every name is known")
            return 1 if found else 0
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
