# SPDX-License-Identifier: Apache-2.0
"""What the checks of the tree and their tests share: a command line, and a tree of files that a test writes."""

import pathlib
import sys
import tempfile
import unittest


def main(name, usage, check):
    """The program NAME.py ROOT: prints the faults that check(ROOT) finds; exit status 1 if there are any."""
    if len(sys.argv) != 2:
        print(usage.strip().splitlines()[-1], file=sys.stderr)
        return 2
    faults = check(pathlib.Path(sys.argv[1]))
    print("\n".join(faults) if faults else f"{name}: no faults")
    return 1 if faults else 0


class TreeTest(unittest.TestCase):
    """A test with a tree of its own below self.root."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
