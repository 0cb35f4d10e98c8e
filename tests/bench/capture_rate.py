#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a capture of every frame costs the path: frames per second that cross between two robots on veth, offered
100 000 a second by iperf3, in turns without a capture and with one; and whether what the capture's file has and what it
counts as missed are all the frames. Runs in namespaces of its own.

usage: sudo tests/bench/capture_rate.py HILGATE [FRAMES_PER_SECOND [SECONDS [ROUNDS]]]
  HILGATE            an optimised build, such as build/release/bin/hilgate
  FRAMES_PER_SECOND  offered, 100000; SECONDS of each turn, 5; ROUNDS, 5

Prints each round, and minimum, median and maximum of the ratios.
"""

import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from bench_rig import enter_own_namespaces, run, status

RUN = "capture-rate"
PAYLOAD = 64
CONFIGURATION = f"""
name: {RUN}
window: 10ms
ports: {{a: {{interface: hgc-red}}, b: {{interface: hgc-blue}}}}
robots:
  red: {{port: a, mac: '02:68:67:00:00:01', ip: 10.79.0.1}}
  blue: {{port: b, mac: '02:68:67:00:00:02', ip: 10.79.0.2}}
netsim: {{type: wire}}
lab: {{}}
"""


class Bench:
    def __init__(self, hilgate, rate, seconds, folder):
        self.hilgate, self.rate, self.seconds, self.folder = hilgate, rate, seconds, folder

    def wait_until_up(self):
        for _ in range(200):
            if subprocess.run([self.hilgate, "status", RUN, "--json"], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        sys.exit("the gateway does not come up")

    def frames_per_second(self):
        """Released by the gateway while iperf3 sends."""
        sender = subprocess.Popen(
            ["ip", "netns", "exec", f"hg-{RUN}-red", "iperf3", "-u", "-c", "10.79.0.2", "-l", str(PAYLOAD), "-b",
             str(self.rate * PAYLOAD * 8), "-t", str(self.seconds + 2)], stdout=subprocess.DEVNULL)
        time.sleep(1)
        before, begun = status(self.hilgate, RUN), time.monotonic()
        time.sleep(self.seconds)
        after, ended = status(self.hilgate, RUN), time.monotonic()
        sender.wait()
        return (after["totals"]["out"] - before["totals"]["out"]) / (ended - begun)

    def with_capture(self):
        """The same with a capture, and how many frames it missed."""
        file = self.folder / "all.pcapng"
        capture = subprocess.Popen([self.hilgate, "capture", "--run", RUN, "-w", str(file)],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(1)
        rate = self.frames_per_second()
        capture.send_signal(signal.SIGINT)
        said = capture.communicate()[0]
        size = file.stat().st_size
        file.unlink()
        return rate, said.strip().splitlines()[-1], size


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    enter_own_namespaces()
    hilgate = os.path.abspath(sys.argv[1])
    rate, seconds, rounds = (int(value) for value in (sys.argv[2:] + ["100000", "5", "5"][len(sys.argv) - 2:]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = folder / "capture.yaml"
        file.write_text(CONFIGURATION)
        run(f"{hilgate} lab up {file}")
        gateway = subprocess.Popen([hilgate, "run", str(file)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(["ip", "netns", "exec", f"hg-{RUN}-blue", "iperf3", "-s"], stdout=subprocess.DEVNULL)
        try:
            bench = Bench(hilgate, rate, seconds, folder)
            bench.wait_until_up()
            ratios = []
            for _ in range(rounds):
                plain = bench.frames_per_second()
                captured, said, size = bench.with_capture()
                ratios.append(captured / plain)
                print(f"without {plain:.0f}/s, with {captured:.0f}/s, ratio {ratios[-1]:.2f}, file {size >> 20} MiB; "
                      f"{said}", flush=True)
            print(f"ratio: min {min(ratios):.2f}, median {statistics.median(ratios):.2f}, max {max(ratios):.2f}")
        finally:
            for process in (server, gateway):
                process.terminate()
                process.wait()
            subprocess.run([hilgate, "lab", "down", str(file)], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
