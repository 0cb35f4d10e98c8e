# SPDX-License-Identifier: Apache-2.0
"""What the benches of this folder that run whole gateways have in common."""

import json
import os
import pathlib
import subprocess
import sys

IN_NAMESPACES = str(pathlib.Path(__file__).resolve().parents[1] / "in_namespaces.sh")


def enter_own_namespaces():
    """Runs this program again in namespaces of its own, unless it is there already."""
    if not os.environ.get("HILGATE_OWN_NAMESPACES"):
        os.execv(IN_NAMESPACES, [IN_NAMESPACES, sys.executable, *sys.argv])


def run(command):
    """A shell command that must succeed, and has nothing to say."""
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def status(hilgate, name):
    """The status document of a run; subprocess.CalledProcessError where it does not answer."""
    asked = subprocess.run([hilgate, "status", name, "--json"], check=True, capture_output=True)
    return json.loads(asked.stdout)


def start(command):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class BetweenSimulators:
    """A gateway between a physics and a network simulator of the native protocol: the lines of its configuration, and
    the simulators."""

    def __init__(self, folder, name, window, robots, keys=""):
        self.window, self.robots = window, robots
        self.sockets = {"physics": folder / "physics", "network": folder / "netsim"}
        simulator = "{}: {{type: native, address: 'unix:{}'{}}}"
        self.lines = [
            f"name: {name}", f"window: {window}", "late: hold_last",
            simulator.format("physics", self.sockets["physics"], keys),
            simulator.format("netsim", self.sockets["network"], keys + ", answers: links"),
            "ports:", *(f"  {each}: {{interface: hg-{each}, fail: none}}" for each in robots),
            "robots:", *(f"  {each}: {{port: {each}, mac: '02:68:67:00:00:{n:02x}'}}"
                         for n, each in enumerate(robots, 1))]

    def start_simulators(self, hilgate):
        return [start([hilgate, "sim", kind, "--protocol", "native", "--socket", f"unix:{path}", "--robots",
                       str(len(self.robots)), "--window", self.window]) for kind, path in self.sockets.items()]
