#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/reference/faults.md against the tests: every test of tests/fault/ has a row there, and every
row a test under tests/ or a program of tests/world/. Prints one line per fault; exit status 1 if there is any.

usage: rows.py ROOT
       rows.py ROOT --elsewhere   prints the rows of tests in other folders than tests/fault/
"""

import pathlib
import re
import sys

TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
ROW = re.compile(r"^\|.*\| `(?:(?:\w+/)?(\w+)\.(\w+)(?:/\w+)?|(\w+_worlds))` \|$", re.MULTILINE)
WORLD = re.compile(r"^add_test\(NAME (\w+_worlds) ", re.MULTILINE)


def tests_in(folder):
    """{(suite, name)} of the tests in the sources of a folder."""
    return {found for path in folder.rglob("*_test.cc") for found in TEST.findall(path.read_text(encoding="utf-8"))}


def rows_of(root):
    """The rows, each with its (suite, name), or (world, "")."""
    for row in ROW.finditer((root / "docs/reference/faults.md").read_text(encoding="utf-8")):
        suite, name, world = row.groups()
        yield row.group(0), (world, "") if world else (suite, name)


def faults(root):
    """What is wrong, a line each."""
    rows = {test for _, test in rows_of(root)}
    worlds = WORLD.findall((root / "tests/world/CMakeLists.txt").read_text(encoding="utf-8"))
    known = tests_in(root / "tests") | {(world, "") for world in worlds}
    for suite, name in sorted(tests_in(root / "tests/fault") - rows):
        yield f"docs/reference/faults.md: no row of {suite}.{name}; run tests/fault/record.sh"
    for suite, name in sorted(rows - known):
        yield f"docs/reference/faults.md: a row of {suite}.{name}, which is no test; run tests/fault/record.sh"


def elsewhere(root):
    """Rows of tests that record.sh does not run."""
    here = tests_in(root / "tests/fault")
    return [row for row, test in rows_of(root) if test not in here]


def main():
    if sys.argv[2:] == ["--elsewhere"]:
        print("\n".join(elsewhere(pathlib.Path(sys.argv[1]))))
        return 0
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "rows: docs/reference/faults.md has a row for every fault test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
