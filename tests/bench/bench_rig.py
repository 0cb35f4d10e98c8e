# SPDX-License-Identifier: Apache-2.0
"""What the benches of this folder that run whole gateways have in common."""

import datetime
import json
import os
import pathlib
import platform
import statistics
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


def spread(values):
    """Minimum, median and maximum, as columns."""
    return f"{min(values):9.1f} {statistics.median(values):9.1f} {max(values):9.1f}"


def host():
    """What figures of this machine are to be seen with."""
    processor = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
            break
    return {"processor": processor, "processors": os.cpu_count(), "kernel": platform.release(),
            "load": round(os.getloadavg()[0], 1)}


def figure(name, text, unit, ours, theirs, yardstick, command):
    """A figure by rounds and its yardstick in the same rounds, as `hilgate bench all --json` has them; of times less is
    better. The ratio is of single rounds, above 1: hilgate is better."""
    def of(values):
        return {"min": min(values), "median": statistics.median(values), "max": max(values)}
    is_time = unit in ("us", "ms", "s")
    return {"name": name, "text": text, "unit": unit, "rounds": len(ours), "value": of(ours),
            "yardstick": {"name": yardstick, "value": of(theirs)},
            "ratio": of([y / x if is_time else x / y for x, y in zip(ours, theirs)]), "command": command}


def figures_document(figures):
    """What figures.py adds to the tables of docs/."""
    return {"hilgate_bench": 1, "date": datetime.date.today().isoformat(), "host": host(), "figures": figures}


class TwoRobots:
    """red and blue: a namespace each with eth0, whose other ends are hg-red and hg-blue here. No offloads, no IPv6."""

    NAMES = ("red", "blue")

    def __init__(self):
        run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv6.conf.all.disable_ipv6=1")
        for n, name in enumerate(self.NAMES, 1):
            run(f"ip netns add {name}"
                f" && ip netns exec {name} sysctl -qw net.ipv6.conf.default.disable_ipv6=1"
                f" && ip link add hg-{name} type veth peer name eth0 netns {name}"
                f" && ip -n {name} link set eth0 address 02:68:67:00:00:{n:02x}")
            for where, interface in (("", f"hg-{name}"), (f"ip netns exec {name} ", "eth0")):
                run(f"{where}ethtool -K {interface} tx off rx off tso off gso off gro off sg off"
                    f" && {where}ip link set {interface} up")

    def configuration(self, name, *lines, fail="none"):
        """Of a run between them, `fail` the fail mode of its ports."""
        return "\n".join([f"name: {name}", "ports:", *(f"  {each}: {{interface: hg-{each}, fail: {fail}}}"
                                                       for each in self.NAMES),
                          "robots:", *(f"  {each}: {{port: {each}, mac: '02:68:67:00:00:{n:02x}'}}"
                                       for n, each in enumerate(self.NAMES, 1)), *lines, ""])


class Gateway:
    """A run of this program, which carries frames when this returns."""

    def __init__(self, program, configuration):
        self.process = subprocess.Popen([program, "run", str(configuration)], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self.process.stdout:
            said += line
            if "running" in line:
                return
        self.process.wait()
        raise SystemExit(f"{sys.argv[0]}: {program} does not run: {said.strip()}")

    def end(self):
        self.process.terminate()
        self.process.stdout.read()
        self.process.wait()


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
