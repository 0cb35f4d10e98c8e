#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A whole gateway with many robots: how long `hilgate lab up` takes, what memory the run has, how many windows it
misses, how long `hilgate status` takes, and whether frames get through. Robots are drawn by a seed in a square in which
each hears some tens of others, and move. Runs in namespaces of its own.

usage: sudo tests/bench/many_robots.py HILGATE [--robots N] [--ports P] [--side METRES] [--window W] [--seconds S]
       [--entities HZ] [--netsim TYPE] [--realtime] [--keep]
  HILGATE   an optimised build, such as build/release/bin/hilgate
  --robots  256; --ports: as many as robots, each in a namespace of its own; fewer: robots share them by their addresses
  --entities  robots are entities of DIS, each with so many Entity State PDUs a second, and their radios and positions
            go out as DIS and as Cursor on Target: windows are counted in turns without and with PDUs
  --netsim  embedded, or wire
  --realtime  `scheduling: realtime`: what other programs take of the processors does not count
  --keep    leaves the run on until Enter, for those who want to look at it

Prints one JSON object.
"""

import argparse
import json
import math
import pathlib
import random
import socket
import struct
import subprocess
import tempfile
import threading
import time

from bench_rig import enter_own_namespaces, run, status

RUN = "many-robots"
ORIGIN = (47.0, 11.0, 540.0)  # degrees, degrees, m
PROFILES = pathlib.Path(__file__).resolve().parents[2] / "rf_profiles/profiles"


def earth_centred(east, north, up):
    """Of a place around ORIGIN, m."""
    lat, lon = math.radians(ORIGIN[0]), math.radians(ORIGIN[1])
    curvature = 6378137.0 / math.sqrt(1 - 0.00669437999014 * math.sin(lat) ** 2)
    out = -math.sin(lat) * north + math.cos(lat) * up  # from the axis
    axis = (curvature + ORIGIN[2]) * math.cos(lat)
    return (axis * math.cos(lon) - math.sin(lon) * east + out * math.cos(lon),
            axis * math.sin(lon) + math.cos(lon) * east + out * math.sin(lon),
            (curvature * (1 - 0.00669437999014) + ORIGIN[2]) * math.sin(lat) + math.cos(lat) * north
            + math.sin(lat) * up)


class Entities:
    """Sends an Entity State PDU (version 7, at rest, dead reckoning 1) of each robot so often, while it is on."""

    def __init__(self, robots, side, rate):
        draw = random.Random(1)
        self.on = threading.Event()
        self.sent = 0
        self._pdus = []
        for n in range(robots):
            place = earth_centred(draw.uniform(0, side), draw.uniform(0, side), draw.uniform(1, 21))
            self._pdus.append(bytearray(
                struct.pack(">BBBBIHBB3HBB8B8B3f3d3fI", 7, 1, 1, 1, 1, 144, 0, 0, 1, 1, n + 1, 1, 0, *bytes(16),
                            0, 0, 0, *place, 0, 0, 0, 0) + bytes([1]) + bytes(55)))
            assert len(self._pdus[-1]) == 144
        self._rate = rate
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        part = max(1, len(self._pdus) // 50)  # every 1/50 of an interval
        while self.on.wait():
            begin = time.monotonic()
            stamp = (int(time.time() % 3600 / 3600 * 2**31) << 1 | 1).to_bytes(4, "big")
            for i, pdu in enumerate(self._pdus):
                pdu[4:8] = stamp
                out.sendto(pdu, ("127.0.0.1", 3000))
                if i % part == part - 1:
                    time.sleep(max(0, begin + (i + 1) / len(self._pdus) / self._rate - time.monotonic()))
            self.sent += len(self._pdus)


def configuration(options, ports):
    """YAML: robots 1 to 21 m above ground that move at 5 m/s, in a random direction."""
    robots, side, window, seconds = options.robots, options.side, options.window, 10 * options.seconds
    draw = random.Random(1)
    lines = [f"name: {RUN}", f"window: {window}", f"profiles: [{PROFILES}]", "memory: {frames: 32768}", "ports:"]
    lines += [f"  p{n}: {{interface: hgs{n}}}" for n in range(ports)]
    lines.append("robots:")
    tracks = []
    for n in range(robots):
        mac = f"02:68:67:00:{(n + 1) // 256:02x}:{(n + 1) % 256:02x}"
        lines.append(f"  r{n}: {{port: p{n % ports}, mac: \"{mac}\", ip: 10.90.{(n + 1) // 250}.{(n + 1) % 250 + 1},"
                     f" radio: wifi_11n_2g4_adhoc, id: \"1:1:{n + 1}\"}}")
        x, y, z = draw.uniform(0, side), draw.uniform(0, side), draw.uniform(1, 21)
        dx, dy = (draw.choice((-1, 1)) * draw.uniform(0, 5 * seconds) for _ in "xy")
        tracks += [f"    r{n}:", f"      - {{at: 0s, position: [{x:.1f}m, {y:.1f}m, {z:.1f}m]}}",
                   f"      - {{at: {seconds}s, position: [{x + dx:.1f}m, {y + dy:.1f}m, {z:.1f}m]}}"]
    lines.append(f"netsim: {{type: {options.netsim}}}")
    if options.realtime:
        lines.append("scheduling: realtime")
    origin = "{latitude: %f, longitude: %f, altitude: %fm}" % ORIGIN
    if options.entities:
        lines += [f"physics: {{type: dis, origin: {origin}}}", "dis: {to: 127.0.0.1, port: 3001}",
                  "cot: {to: 127.0.0.1, port: 3002}"]
    else:
        lines += ["physics:", "  type: trajectory", "  tracks:", *tracks]
    if ports == robots:
        lines.append("lab: {mtu: 1500 B, prefix: {ipv4: 16}}")
    lines.append("")
    return "\n".join(lines)


def timed(command):
    """Seconds that a command took, and what it said."""
    begin = time.monotonic()
    asked = subprocess.run(command, check=False, capture_output=True, text=True)
    if asked.returncode != 0:
        raise SystemExit(f"many_robots.py: {' '.join(command)}: {asked.stderr.strip()}")
    return time.monotonic() - begin, asked.stdout


def resident_mib(pid):
    """Of a process."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("many_robots.py: no VmRSS")


def shared_ports(ports):
    """Veth pairs whose other ends lie in one namespace, for robots that share ports."""
    run("ip netns add robots")
    for n in range(ports):
        run(f"ip link add hgs{n} type veth peer name e{n} netns robots && ip link set hgs{n} up"
            f" && ip -n robots link set e{n} up")


def wait_for_run(hilgate, program):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and program.poll() is None:
        try:
            if status(hilgate, RUN)["window"]["published"] > 10:
                return
        except subprocess.CalledProcessError:
            pass  # not there yet
        time.sleep(0.2)
    raise SystemExit("many_robots.py: the run does not begin")


def neighbours(seen):
    """Mean number of robots that one hears, and two of which one hears the other."""
    heard = [link for link in seen["links"] if link["reachable"]]
    return len(heard) / len(seen["robots"]), heard


def ping(hilgate, file, heard):
    """Of five pings between robots that hear one another well, how many come back."""
    best = max(heard, key=lambda link: link["snr_db"])
    to = int(best["to"][1:])
    address = f"10.90.{(to + 1) // 250}.{(to + 1) % 250 + 1}"
    said = subprocess.run([hilgate, "lab", "exec", file, best["from"], "--", "ping", "-c", "5", "-i", "0.2", "-W", "2",
                           address], check=False, capture_output=True, text=True)
    return [line for line in said.stdout.splitlines() if "received" in line] or [said.stderr.strip()]


def in_turns(hilgate, options):
    """Windows without and with entities, three times each: windows, missed ones, PDUs sent and taken, PDUs and events
    that went out."""
    entities = Entities(options.robots, options.side, options.entities)
    turns = []
    for turn in range(6):
        if turn % 2:
            entities.on.set()
        else:
            entities.on.clear()
        time.sleep(2)  # over
        before, sent = status(hilgate, RUN), entities.sent
        time.sleep(options.seconds)
        after = status(hilgate, RUN)
        window = {key: after["window"][key] - before["window"][key] for key in ("number", "missed")}
        turns.append({"entities": bool(turn % 2), **window, "pdus": entities.sent - sent,
                      "taken": after["window"]["feed"]["positions"] - before["window"]["feed"]["positions"],
                      "radio_pdus": sum(after["dis"][key] - before["dis"][key]
                                        for key in ("transmitters", "receivers")),
                      "events": after["cot"]["sent"] - before["cot"]["sent"]})
    entities.on.clear()
    return turns


def measure(options, folder):
    hilgate = str(pathlib.Path(options.hilgate).resolve())
    ports = options.ports or options.robots
    file = folder / "many.yaml"
    file.write_text(configuration(options, ports), encoding="utf-8")
    found = {"robots": options.robots, "ports": ports, "side_m": options.side, "window": options.window}
    lab = ports == options.robots
    if lab:
        found["lab_up_s"] = timed([hilgate, "lab", "up", str(file)])[0]
    else:
        shared_ports(ports)
    begin = time.monotonic()
    log = folder / "log"
    program = subprocess.Popen([hilgate, "run", str(file)], stdout=log.open("w"), stderr=subprocess.STDOUT)
    try:
        wait_for_run(hilgate, program)
        found["start_s"] = time.monotonic() - begin
        before = status(hilgate, RUN)["window"]
        time.sleep(options.seconds)
        seen = status(hilgate, RUN)
        window = seen["window"]
        windows = window["number"] - before["number"]
        found["windows"] = windows
        found["missed"] = window["missed"] - before["missed"]
        found["compute_ms"] = window["last_compute_us"] / 1000
        found["resident_mib"] = resident_mib(program.pid)
        found["robots_heard"], heard = neighbours(seen)
        found["links_in_status"] = len(seen["links"])
        found["status_s"], text = timed([hilgate, "status", RUN])
        found["status_lines"] = len(text.splitlines())
        found["status_json_s"], text = timed([hilgate, "status", RUN, "--json"])
        found["status_json_mib"] = len(text) / 2**20
        if options.entities:
            found["turns"] = in_turns(hilgate, options)
        found["conditions"] = [condition["name"] for condition in seen["conditions"]]
        if lab:
            found["ping"] = ping(hilgate, str(file), heard)
        print(json.dumps(found), flush=True)
        if options.keep:
            input()
    finally:
        program.terminate()
        program.wait(60)
        print(log.read_text(encoding="utf-8")[-2000:] if program.returncode else "", end="")
        if lab:
            found["lab_down_s"] = timed([hilgate, "lab", "down", str(file)])[0]
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hilgate")
    parser.add_argument("--robots", type=int, default=256)
    parser.add_argument("--ports", type=int)
    parser.add_argument("--side", type=float, default=2000)
    parser.add_argument("--window", default="10ms")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--entities", type=float)
    parser.add_argument("--netsim", default="embedded")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    enter_own_namespaces()
    with tempfile.TemporaryDirectory(prefix="hilgate-many-") as folder:
        measure(options, pathlib.Path(folder))


main()
