#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page that stays open keeps: the heap of Chromium after a collection, each minute, with traffic behind it.

usage: sudo PYTHONPATH=python HILGATE=build/release/bin/hilgate /usr/bin/python3 tests/web/long_look.py [MINUTES]

MINUTES, 60. Exit status 1 when the heap of the last quarter is more than a tenth above that of the second: in the first
ten minutes the page fills what it keeps to look back.
"""

import os
import pathlib
import statistics
import sys
import time

from browser import Browser
from conftest import yard

IN_NAMESPACES = str(pathlib.Path(__file__).resolve().parents[1] / "in_namespaces.sh")


def main():
    if not os.environ.get("HILGATE_OWN_NAMESPACES"):
        os.execv(IN_NAMESPACES, [IN_NAMESPACES, sys.executable, *sys.argv])
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    browser = Browser()
    try:
        with yard() as running:
            browser.open(running.page)
            heaps = []
            for minute in range(1, minutes + 1):
                time.sleep(60)
                browser.call("HeapProfiler.collectGarbage")
                heaps.append(browser.call("Runtime.getHeapUsage")["usedSize"] / 2**20)
                nodes = browser.evaluate("document.getElementsByTagName('*').length")
                print(f"{minute} min: {heaps[-1]:.1f} MiB, {nodes} elements", flush=True)
    finally:
        browser.close()
    quarter = max(1, len(heaps) // 4)
    before, after = statistics.median(heaps[quarter:2 * quarter]), statistics.median(heaps[-quarter:])
    print(f"median of the second quarter {before:.1f} MiB, of the last {after:.1f} MiB")
    return 1 if after > 1.1 * before else 0


if __name__ == "__main__":
    sys.exit(main())
