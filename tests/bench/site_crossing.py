#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links between gateways of a site beside links of one gateway: how many frames they carry, and how far from the delay
that was asked these are.

usage: sudo tests/bench/site_crossing.py HILGATE [--rounds 5] [--seconds 2] [--delay 5ms] [--key]
  HILGATE  an optimised build, such as build/release/bin/hilgate, with hilgate-site beside it
  --key    packets between the gateways have proofs (site.key_file)

Three gateways in namespaces of their own with a bridge between them, two robots at the first and one at the others;
ptp4l in each, with software stamps on that bridge. It never touches the machine's clock: it runs free, without the
right to set clocks, and all gateways read the clock of this one machine through it, so what ptp4l measures wrong is
what they are apart. Prints minimum, median and maximum of the rounds:
  local, crossing p50, p99   `hilgate bench stream`, 997 frames a second: delay beyond what was asked, us
  local, crossing rate       the highest rate with at most 0.5 % of the frames lost, 1000 frames/s
  clock                      how far others' clocks are from the first gateway's, as it says, us
Figures of a machine that does other work are worth nothing. Needs root, ptp4l.
"""

import argparse
import json
import os
import pathlib
import secrets
import statistics
import subprocess
import sys
import tempfile
import time

from bench_rig import enter_own_namespaces, host, run, spread, status

GATEWAYS = ("a", "b", "c")
ROBOTS = {"r0": "a", "r1": "a", "r2": "b", "r3": "c"}
PTP = """[global]
network_transport UDPv4
time_stamping software
free_running 1
logSyncInterval -3
logMinDelayReqInterval -3
priority1 {priority}
uds_address {folder}/ptp4l
[site]
"""


class Site:
    """Namespaces, ptp4l and gateways."""

    def __init__(self, hilgate, folder, options):
        self.processes, self.folder = [], folder
        run("ip link add br0 type bridge forward_delay 0 && ip link set br0 up && ip link set lo up")
        (folder / "clock").mkdir()
        for n, gateway in enumerate(GATEWAYS, 1):
            run(f"ip netns add gw-{gateway} && ip -n gw-{gateway} link set lo up"
                f" && ip link add to-{gateway} type veth peer name site netns gw-{gateway}"
                f" && ip link set to-{gateway} master br0 up && ip -n gw-{gateway} link set site up"
                f" && ip -n gw-{gateway} addr add 192.0.2.{n}/24 dev site")
        for n, (robot, gateway) in enumerate(ROBOTS.items(), 1):
            run(f"ip netns add {robot}"
                f" && ip link add hg-{robot} netns gw-{gateway} type veth peer name eth0 netns {robot}"
                f" && ip -n {robot} link set eth0 address 02:68:67:00:00:{n:02x}")
            for where, interface in ((f"gw-{gateway}", f"hg-{robot}"), (robot, "eth0")):
                run(f"ip netns exec {where} sysctl -qw net.ipv6.conf.all.disable_ipv6=1"
                    f" && ip netns exec {where} ethtool -K {interface} tx off rx off tso off gso off gro off sg off"
                    f" && ip -n {where} link set {interface} up")
        file = folder / "site.yaml"
        file.write_text(self.configuration(options), encoding="utf-8")
        for gateway in GATEWAYS:
            own = folder / gateway
            own.mkdir()
            (own / "ptp.conf").write_text(PTP.format(priority=100 if gateway == "a" else 128, folder=folder / "clock"),
                                          encoding="utf-8")
            self.start(gateway, f"exec setpriv --bounding-set=-sys_time --inh-caps=-sys_time ptp4l -f {own}/ptp.conf")
        time.sleep(10)
        for gateway in GATEWAYS:
            self.start(gateway, f"exec {hilgate} run {file} --gateway {gateway}")
        self.name = "crossing-a"
        self.hilgate = hilgate
        self.wait()

    def start(self, gateway, command):
        """All gateways have one file, and in it one socket of ptp4l: each has its own folder there."""
        script = f"mount --bind {self.folder / gateway} {self.folder / 'clock'} && {command}"
        with open(self.folder / "log", "ab") as log:
            self.processes.append(subprocess.Popen(["ip", "netns", "exec", f"gw-{gateway}", "sh", "-c", script],
                                                   stdout=log, stderr=log))

    def configuration(self, options):
        lines = ["name: crossing", f"clock: {{source: ptp4l, socket: {self.folder}/clock/ptp4l}}", "site:",
                 "  clock_within: 10ms", "  gateways:"]
        lines += [f"    {gateway}: {{address: 192.0.2.{n}}}" for n, gateway in enumerate(GATEWAYS, 1)]
        if options.key:
            key = self.folder / "key"
            key.touch(mode=0o600)
            key.write_text(secrets.token_hex(32), encoding="utf-8")
            lines.append(f"  key_file: {key}")
        else:
            lines.append("  key: none")
        lines += ["ports:", *(f"  {robot}: {{interface: hg-{robot}, gateway: {gateway}, fail: none}}"
                              for robot, gateway in ROBOTS.items())]
        lines += ["robots:", *(f"  {robot}: {{port: {robot}, mac: '02:68:67:00:00:{n:02x}'}}"
                               for n, robot in enumerate(ROBOTS, 1))]
        return "\n".join([*lines, "netsim: {type: wire}",
                          f"links: [{{from: '*', to: '*', delay: {options.delay}}}]", ""])

    def wait(self):
        for _ in range(150):
            try:
                if all(gateway["state"] == "here" for gateway in self.gateways()):
                    return
            except subprocess.CalledProcessError:
                pass
            time.sleep(0.2)
        raise SystemExit("site_crossing.py: the gateways do not come together:\n"
                         + (self.folder / "log").read_text(encoding="utf-8"))

    def gateways(self):
        return status(self.hilgate, self.name)["site"]["gateways"]

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def stream(hilgate, to, options):
    said = json.loads(subprocess.run(
        [hilgate, "bench", "stream", "--json", "--from", "r0:eth0", "--to", f"{to}:eth0", "--rate", "997", "--delay",
         options.delay, "--duration", f"{options.seconds}s", "--highest"], check=True, capture_output=True).stdout)
    load = said["loads"][0]
    return load["p50_us"], load["p99_us"], said["highest"]["rate"] / 1e3


def measure(options, folder):
    site = Site(options.hilgate, folder, options)
    rows = []
    for number in range(options.rounds):
        row = {}
        for name, to in (("local", "r1"), ("crossing", "r2")):
            row[f"{name} p50"], row[f"{name} p99"], row[f"{name} rate"] = stream(options.hilgate, to, options)
        row["clock"] = max(abs(gateway["clock_offset_us"]) for gateway in site.gateways())
        rows.append(row)
        print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)
    late = sum(gateway["late"] for gateway in status(options.hilgate, "crossing-b")["site"]["gateways"])
    received = status(options.hilgate, "crossing-b")["site"]["received"]
    site.end()
    for name in rows[0]:
        print(f"{name:14} {spread([row[name] for row in rows])}")
    crossing, local = (statistics.median(row[f"{name} rate"] for row in rows) for name in ("crossing", "local"))
    ratio = crossing / local
    print(f"ratio of the rates {ratio:.2f}; {late} of {received} frames came after their release time")
    print(json.dumps(host()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hilgate", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="at the even rate")
    parser.add_argument("--delay", default="5ms")
    parser.add_argument("--key", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("namespaces need root: run it with sudo")
    enter_own_namespaces()
    options.hilgate = str(options.hilgate.resolve())
    with tempfile.TemporaryDirectory() as folder:
        measure(options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
