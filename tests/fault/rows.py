#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/reference/faults.md against the tests: every test of tests/fault/ has a row there, and every
row a test under tests/. Prints one line per fault; exit status 1 if there is any.

usage: rows.py ROOT
"""

import pathlib
import re
import sys

TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
ROW = re.compile(r"^\|.*\| `(?:\w+/)?(\w+)\.(\w+)(?:/\w+)?` \|$", re.MULTILINE)


def tests_in(folder):
    """{(suite, name)} of the tests in the sources of a folder."""
    return {found for path in folder.rglob("*_test.cc") for found in TEST.findall(path.read_text(encoding="utf-8"))}


def faults(root):
    """What is wrong, a line each."""
    rows = set(ROW.findall((root / "docs/reference/faults.md").read_text(encoding="utf-8")))
    for suite, name in sorted(tests_in(root / "tests/fault") - rows):
        yield f"docs/reference/faults.md: no row of {suite}.{name}; run tests/fault/record.sh"
    for suite, name in sorted(rows - tests_in(root / "tests")):
        yield f"docs/reference/faults.md: a row of {suite}.{name}, which is no test; run tests/fault/record.sh"


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "rows: docs/reference/faults.md has a row for every fault test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
