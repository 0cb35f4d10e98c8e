#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy with the repository's .clang-tidy over the folders whose faults hurt most: what every frame passes,
and what handles the operating system's objects. Each folder is read as one file that includes all of its headers and
sources. Prints what clang-tidy objects to; exit status 1 if that is anything. The target `tidy-all` has the whole
product checked, which takes hours of a core.

usage: clang_tidy.py ROOT CLANG_TIDY
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = ("host", "frame", "path", "path/hold", "path/fate")


def unity(root, folder):
    """A source that includes all files of a folder, headers first."""
    files = sorted(path for kind in ("*.h", "*.cc") for path in (root / folder).glob(kind))
    files.sort(key=lambda path: path.suffix, reverse=True)
    return "".join(f'#include "{path.relative_to(root).as_posix()}"\n' for path in files)


def check(root, program, folder, scratch):
    """What clang-tidy says of a folder, as text; empty when nothing."""
    source = scratch / (folder.replace("/", "_") + ".cc")
    source.write_text(unity(root, folder))
    # The including of sources is this script's doing, and no fault of the product.
    command = [program, "--quiet", f"--config-file={root / '.clang-tidy'}", "--checks=-bugprone-suspicious-include",
               source, "--", "-std=c++20", f"-I{root}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode != 0 else ""


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    root, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(pool.map(lambda folder: check(root, program, folder, pathlib.Path(name)), FOLDERS))
    print("".join(faults) or f"clang_tidy: no faults in {', '.join(FOLDERS)}")
    return 1 if any(faults) else 0


if __name__ == "__main__":
    sys.exit(main())
