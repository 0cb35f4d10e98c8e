#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that behaves on its link as PX4 1.12 and 1.13 do: no autopilot, and none of their code.

usage: px4_vehicle.py SECONDS SPEED ADDRESS...     SPEED: of its clock, per host time; ADDRESS: of ground stations

* Its ATTITUDE is stamped by the newest sensor sample; the GLOBAL_POSITION_INT after it by the estimator, up to 4 ms
  earlier.
* With software throttling (`mavlink start -s`) its streams slow down by RADIO_STATUS: by 20 % below 25 % of free
  buffer, by 2.5 % below 35 %, and they recover by 2.5 % above 50 %.
* It checks the sequence of every system and component that it receives, over all who send to its one socket.
* A radio that has reported is lost after 5 s of the vehicle's clock without a RADIO_STATUS.

Prints what it has seen as JSON.
"""

import json
import math
import pathlib
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "mavlink"))
import mavlink  # noqa: E402

HOME = (47.397742, 8.545594, 488.0)
RADIO_LOST = 5.0  # s
EARLIER_MS = (0, 1, 4, 2, 3)  # of the estimator's stamps
PORT, GROUND_PORT = 18570, 14550


class Radio:
    """What the vehicle knows of its radio."""

    def __init__(self):
        self.reports = self.timeouts = self.lost = 0
        self.multiplier = 1.0
        self.last = None  # vehicle's time
        self.sequence = None

    def take(self, datagram, now):
        frame = mavlink.read(datagram)
        if frame is None or frame[1] != mavlink.RADIO_STATUS:
            return
        self.note_sequence(datagram[4])
        self.reports, self.last = self.reports + 1, now
        txbuf = frame[2][4]
        change = 0.8 if txbuf < 25 else 0.975 if txbuf < 35 else 1.025 if txbuf > 50 else 1.0
        self.multiplier = min(max(self.multiplier * change, 0.01), 1.0)

    def note_sequence(self, sequence):
        if self.sequence is not None:
            self.lost += (sequence - self.sequence - 1) % 256
        self.sequence = sequence

    def look(self, now):
        if self.last is not None and now - self.last > RADIO_LOST:
            self.timeouts, self.last = self.timeouts + 1, None


def say(speaker, boot, step, now):
    """The datagrams of one step."""
    position = math.sin(now / 10) * 20 / 111000
    yield speaker.frame(mavlink.ATTITUDE, boot, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0)
    yield speaker.frame(mavlink.GLOBAL_POSITION_INT, max(boot - EARLIER_MS[step % len(EARLIER_MS)], 0),
                        round((HOME[0] + position) * 1e7), round(HOME[1] * 1e7), round(HOME[2] * 1e3), 10000, 0, 0, 0,
                        9000)


def main():
    seconds, speed, grounds = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("0.0.0.0", PORT))
    link.setblocking(False)
    speaker, radio = mavlink.Speaker(1), Radio()
    start = time.monotonic()
    next_step = next_heartbeat = 0.0
    step = 0
    while (host := time.monotonic() - start) < seconds:
        now = host * speed
        datagrams = []
        if now >= next_heartbeat:
            next_heartbeat += 1.0
            datagrams.append(speaker.frame(mavlink.HEARTBEAT, 0, 2, 12, 81, 4, 3))
        if now >= next_step:
            next_step, step = max(next_step + 0.02 / radio.multiplier, now), step + 1
            datagrams.extend(say(speaker, 1000 + int(now * 1000), step, now))
        for datagram in datagrams:
            for ground in grounds:
                link.sendto(datagram, (ground, GROUND_PORT))
        try:
            while True:
                radio.take(link.recv(2048), now)
        except BlockingIOError:
            pass
        radio.look(now)
        time.sleep(0.002)
    print(json.dumps({"reports": radio.reports, "timeouts": radio.timeouts, "lost": radio.lost,
                      "multiplier": round(radio.multiplier, 3), "clock_s": round(seconds * speed, 1)}))


if __name__ == "__main__":
    main()
