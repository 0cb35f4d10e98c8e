#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ROS-NetSim's own programs, unmodified, beside hilgate: they come from a checkout of theirs that you name, which stays
as it is. Needs root, protoc, and Python's protobuf, numpy and yaml.

  reference.py dummies CHECKOUT       hilgate with their dummy simulators: a ping, without static neighbours
  reference.py coordinator CHECKOUT   their coordinator with `hilgate sim`: a ping with the asked delay
  reference.py serve CHECKOUT FILE    their coordinator with `hilgate serve FILE`, whose robots have the addresses
                                      192.168.0.1 and up, and `hilgate sim physics`
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NEEDED = ("google", "numpy", "yaml")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if MISSING:
    sys.exit(f"{sys.executable} has no {', '.join(MISSING)}; install python3-protobuf python3-numpy python3-yaml")

import yaml  # noqa: E402

ROBOTS = ["192.168.0.1", "192.168.0.2"]
QUATERNION = """import random
class Quaternion:
    @staticmethod
    def random():
        numbers = [random.gauss(0, 1) for _ in range(4)]
        size = sum(n * n for n in numbers) ** 0.5
        return [n / size for n in numbers]
"""
SUDO = '#!/bin/sh\nexec "$@"\n'


class Reference:
    """What their programs need to run outside of ROS: modules of their messages, a configuration, sockets."""

    def __init__(self, checkout, folder):
        self.checkout = checkout
        self.folder = folder
        self.environment = dict(os.environ)
        modules = folder / "modules"
        messages = modules / "protobuf_msgs"
        messages.mkdir(parents=True)
        (messages / "__init__.py").touch()
        protos = checkout / "protobuf_msgs" / "protobuf"
        names = sorted(str(path) for path in protos.glob("*.proto"))
        subprocess.run(["protoc", f"-I{protos}", f"--python_out={messages}", *names], check=True)
        try:
            import pyquaternion  # noqa: F401
        except ImportError:
            (modules / "pyquaternion.py").write_text(QUATERNION)
        programs = folder / "bin"
        programs.mkdir()
        if not shutil.which("sudo"):
            (programs / "sudo").write_text(SUDO)
            (programs / "sudo").chmod(0o755)
        coordinator = checkout / "network_coordinator" / "scripts"
        self.environment["PYTHONPATH"] = f"{modules}:{coordinator}"
        self.environment["PYTHONUNBUFFERED"] = "1"
        self.environment["PATH"] = f"{self.environment['PATH']}:{programs}"
        self.physics = folder / "physics"
        self.network = folder / "network"
        with open(checkout / "example" / "cfg" / "example.yaml", encoding="utf-8") as file:
            configuration = yaml.safe_load(file)
        configuration["ip_list"] = ROBOTS
        configuration["phy_uds_server_address"] = str(self.physics)
        configuration["netsim_uds_server_address"] = str(self.network)
        self.configuration = folder / "reference.yaml"
        self.configuration.write_text(yaml.safe_dump(configuration))

    def start(self, script, before=()):
        """One of their programs; standard input stays open, because the coordinator ends when it can be read."""
        path = self.checkout / script
        argv = [*before, sys.executable, str(path), str(self.configuration)]
        return subprocess.Popen(argv, env=self.environment, stdin=subprocess.PIPE)


def stop(processes):
    for process in processes:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(path):
    for _ in range(100):
        if path.exists():
            return
        time.sleep(0.1)
    sys.exit(f"{path}: no process listens there after 10 s")


def ping(argv, count):
    """The round trips in ms."""
    result = subprocess.run([*argv, "-c", str(count), "-W", "5"], stdout=subprocess.PIPE, text=True)
    print(result.stdout)
    return [float(ms) for ms in re.findall(r"time=([0-9.]+) ms", result.stdout)]


def check(round_trips, least_ms, answered):
    if len(round_trips) < answered:
        sys.exit(f"FAILED: {len(round_trips)} pings were answered, {answered} are to be at least")
    if round_trips and min(round_trips) < least_ms:
        sys.exit(f"FAILED: a round trip took {min(round_trips)} ms, and {least_ms} ms are asked for")
    print("ok")


def run_dummies(hilgate, reference):
    """Their dummies delay each packet by 500 ms: more than a ping a second is too much for them."""
    folder = reference.folder
    file = folder / "hilgate.yaml"
    ports = "".join(f"  p{n}: {{interface: hg-ref{n}}}\n" for n in range(len(ROBOTS)))
    robots = "".join(
        f"  r{n}: {{port: p{n}, mac: '02:68:67:09:00:0{n + 1}', ip: {ip}}}\n" for n, ip in enumerate(ROBOTS)
    )
    file.write_text(
        f"name: reference\nwindow: 10ms\nports:\n{ports}robots:\n{robots}"
        f"physics: {{type: rosnetsim, address: 'unix:{reference.physics}', sight: los}}\n"
        f"netsim: {{type: rosnetsim, address: 'unix:{reference.network}', expiry: 10s}}\nlab: {{}}\n"
    )
    started = [reference.start(f"example/scripts/{name}_sim_dummy.py") for name in ("net", "phy")]
    try:
        wait_for(reference.network)
        wait_for(reference.physics)
        subprocess.run([hilgate, "lab", "up", file], check=True)
        started.insert(0, subprocess.Popen([hilgate, "run", file]))
        time.sleep(2)
        check(ping([hilgate, "lab", "exec", file, "r0", "--", "ping", "-i", "1.5", ROBOTS[1]], 4), 1000, 3)
    finally:
        stop(started)
        subprocess.run([hilgate, "lab", "down", file], check=False)


def run_coordinator(hilgate, reference, network, delay_ms):
    """Their coordinator changes routing rules: it gets a network namespace of its own."""
    physics = [hilgate, "sim", "physics", "--protocol", "rosnetsim", "--socket", f"unix:{reference.physics}"]
    started = [subprocess.Popen([*physics, "--window", "10ms", "--slow", "9ms"]), subprocess.Popen(network)]
    namespace = "hilgate-reference"
    inside = ["ip", "netns", "exec", namespace]
    try:
        subprocess.run(["ip", "netns", "add", namespace], check=True)
        subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        wait_for(reference.physics)
        wait_for(reference.network)
        started.insert(0, reference.start("network_coordinator/scripts/network_coordinator.py", inside))
        time.sleep(4)
        check(ping([*inside, "ping", "-i", "0.3", "-I", ROBOTS[0], ROBOTS[1]], 10), 2 * delay_ms, 9)
    finally:
        if len(started) > 2:
            started[0].stdin.write(b"\n")  # whatever can be read there stops it
            started[0].stdin.close()
            started[0].wait(20)
            started.pop(0)
        stop(started)
        subprocess.run(["ip", "netns", "del", namespace], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["dummies", "coordinator", "serve"])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path, nargs="?")
    parser.add_argument("--hilgate", default=shutil.which("hilgate") or "build/release/bin/hilgate")
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    if not (checkout / "network_coordinator" / "scripts" / "network_coordinator.py").is_file():
        parser.error(f"{checkout} is no checkout of ROS-NetSim: it has no network_coordinator/scripts")
    if (options.what == "serve") != (options.file is not None):
        parser.error("`serve` needs the FILE to serve, and the others take none")
    with tempfile.TemporaryDirectory(prefix="hilgate-reference-") as folder:
        reference = Reference(checkout, pathlib.Path(folder))
        network = f"unix:{reference.network}"
        if options.what == "dummies":
            run_dummies(options.hilgate, reference)
        elif options.what == "coordinator":
            addresses = [word for ip in ROBOTS for word in ("--ip", ip)]
            simulator = ["sim", "network", "--protocol", "rosnetsim", "--socket", network, "--window", "10ms"]
            simulator = [options.hilgate, *simulator, *addresses, "--delay", "15ms"]
            run_coordinator(options.hilgate, reference, simulator, 15)
        else:
            serve = [options.hilgate, "serve", str(options.file), "--protocol", "rosnetsim", "--socket", network]
            run_coordinator(options.hilgate, reference, serve, 0)


if __name__ == "__main__":
    main()
