#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format would change no C or C++ file of the tree. Prints the first place of each file that it would
change; exit status 1 if there is any.

usage: format.py ROOT CLANG_FORMAT
"""

import pathlib
import subprocess
import sys

import tidy


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1])
    files = [path for path in tidy.files(root) if path.endswith(tidy.SOURCE)]
    run = subprocess.run([sys.argv[2], "--dry-run", "-Werror", "--ferror-limit=1", *files], cwd=root,
                         capture_output=True, text=True, check=False)
    if run.returncode == 0:
        print(f"format: {len(files)} files are as clang-format writes them")
        return 0
    print(run.stderr + "To format them: clang-format-14 -i FILE...", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
