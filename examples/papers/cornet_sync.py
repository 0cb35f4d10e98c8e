#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 5: latency in the network simulator against latency in Gazebo, not synchronised (a) and synchronised (b).

A physics simulator whose speed wanders between 0.49 and 0.65 of real time, anew every 1.5 s, writes its clock to
CORNET's socket. Datagrams take 1 s (normal, deviation 30 ms, so that there is a line to lie on). In (a) the gateway
goes by wall time, in (b) it follows physics' clock (pace: follow). Latency in the network simulator is what the
gateway's capture says of each frame, by the gateway's time; latency in Gazebo is by the clock that physics wrote."""

import json
import random
import socket
import struct
import threading
import time

import experiment
import numpy as np
from datagrams import FORMAT, Stream
from experiment import BAD, plt

SLOWEST, FASTEST, CHANGES_S, EVERY_S = 0.49, 0.65, 1.5, 0.05
UDP_PAYLOAD = 14 + 20 + 8


class Physics(threading.Thread):
    """Writes its clock every 4 ms; remembers what it showed when."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(str(path))
        self._dice, self._over = random.Random(5), threading.Event()
        self.wall, self.shown = [time.monotonic()], [100.0]

    def run(self):
        changes, speed = 0.0, SLOWEST
        while not self._over.wait(0.004):
            now = time.monotonic()
            if now >= changes:
                changes, speed = now + CHANGES_S, self._dice.uniform(SLOWEST, FASTEST)
            shown = self.shown[-1] + (now - self.wall[-1]) * speed
            self.shown.append(shown)
            self.wall.append(now)
            self._socket.sendall(json.dumps({"t": shown}).encode() + b"\n")

    def at(self, instants):
        return np.interp(instants, self.wall, self.shown)

    def end(self):
        self._over.set()
        self.join()
        self._socket.close()


def frames_of(capture):
    """(comment, bytes) of each packet of a pcapng file."""
    data, at = capture.read_bytes(), 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            kept, _ = struct.unpack_from("<II", data, at + 20)
            options, end = at + 28 + -(-kept // 4) * 4, at + length - 4
            while options + 4 <= end:
                code, size = struct.unpack_from("<HH", data, options)
                if code == 1:
                    yield data[options + 4:options + 4 + size].decode(), data[at + 28:at + 28 + kept]
                options += 4 + -(-size // 4) * 4
        at += length


def network_latencies(capture):
    """{number: latency in s} by the gateway's time."""
    found = {}
    for comment, frame in frames_of(capture):
        words = dict(word.split("=", 1) for word in comment.split() if "=" in word)
        if comment.startswith("leader>follower") and "given_us" in words and len(frame) >= UDP_PAYLOAD + FORMAT.size:
            number, _ = FORMAT.unpack_from(frame, UDP_PAYLOAD)
            found[number] = float(words["given_us"]) / 1e6
    return found


def latencies(run, pace, seconds):
    """[(latency in the network simulator, latency in Gazebo)] in s, and how fast physics was in the mean of each."""
    sockets = {each: str(run.folder / f"{each}.sock") for each in ("clock", "positions")}
    capture = run.folder / f"{pace}.pcapng"
    file = run.configuration(
        f"cornet-{pace}", {"leader": {}, "follower": {}}, pace=pace, window="5ms",
        physics={"type": "cornet", **sockets}, netsim={"type": "wire"},
        capture={"file": capture.name, "snaplen": 64},
        links=[{"from": "leader", "to": "follower",
                "delay": {"base": "700ms", "distribution": "normal", "mean": "300ms", "deviation": "30ms"}}])
    with run.gateway(file) as (lab, gateway):
        physics = Physics(sockets["clock"])
        physics.start()
        try:
            if pace == "follow":
                gateway.wait(lambda status: status.raw["clock"]["follow"]["state"] == "following", 60)
                time.sleep(2)
            with Stream(run, lab, "leader", "follower", EVERY_S, 64, int(seconds / EVERY_S)) as stream:
                stream.wait()
                time.sleep(4)  # the last ones are on their way
                rows = [row for row in stream.rows() if row[2]]
        finally:
            physics.end()
    network = network_latencies(capture)
    rows = [(network[number], sent, heard) for number, sent, heard in rows if number in network]
    sent, heard = (np.array([row[i] for row in rows]) for i in (1, 2))
    return np.array([row[0] for row in rows]), physics.at(heard) - physics.at(sent), heard - sent


def scatter(axes, network, gazebo, title):
    axes.scatter(network, gazebo, s=9, alpha=0.5, linewidths=0, color="#1767a8")
    ends = np.array([0.85, 1.15])
    axes.plot(ends, ends, color=BAD, linewidth=1, label="equal")
    axes.set(xlabel="latency in the network simulator, s", title=title, ylim=(0.35, 1.3), xlim=ends)
    axes.legend()


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        seconds = run.by_length(8, 30, 90)
        drawing, axes = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True)
        network, gazebo, _ = latencies(run, "wall", seconds)
        scatter(axes[0], network, gazebo, "(a) not synchronised")
        axes[0].set_ylabel("latency in Gazebo, s")
        correlation = np.corrcoef(network, gazebo)[0, 1]
        ratio = gazebo / network
        run.says("Fig. 5a", "not synchronised, Gazebo sees 0.49 to 0.65 of the network's second",
                 np.percentile(ratio, 2) > SLOWEST - 0.02 and np.percentile(ratio, 98) < FASTEST + 0.02,
                 f"{np.percentile(ratio, 2):.3f} to {np.percentile(ratio, 98):.3f} of it", needs="an idle machine")
        run.says("Fig. 5a", "no good correlation", correlation < 0.8, f"{correlation:.2f} over {len(ratio)} datagrams",
                 needs="a longer run")
        network, gazebo, wall = latencies(run, "follow", seconds)
        scatter(axes[1], network, gazebo, "(b) synchronised")
        error = gazebo - network
        correlation = np.corrcoef(network, gazebo)[0, 1]
        run.says("Fig. 5b", "synchronised, a second of the network is a second in Gazebo",
                 abs(gazebo.mean() - network.mean()) < 0.03 and abs(np.median(gazebo) - 1) < 0.05,
                 f"{np.median(gazebo):.3f} s, off the network's by {1000 * np.median(error):.1f} ms in the median, "
                 f"{1000 * np.percentile(np.abs(error), 95):.1f} ms at most in 95 of 100", needs="an idle machine")
        run.says("Fig. 5b", "the points lie on a line", correlation > 0.95, f"correlation {correlation:.3f}",
                 needs="an idle machine")
        run.says("Fig. 5b", "by the wall it takes 1.54 to 2.04 s",
                 1.4 < np.percentile(wall, 5) and np.percentile(wall, 95) < 2.25,
                 f"{np.percentile(wall, 5):.2f} to {np.percentile(wall, 95):.2f} s", needs="an idle machine")
        run.says("Fig. 5b", "it lasts longer by the wall than in (a), as physics is slower",
                 np.median(wall) > 1.3, f"{np.median(wall):.2f} s in the median")
        run.picture("Fig. 5", drawing, "latency in the network simulator against latency in Gazebo")


main()
