#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A ground station for two vehicles: reads their parameters, has them fly a mission out of its range, loses them, and
waits until both are back by themselves and land.

usage: ground.py ADDRESS [--distance M] [--speedup N] [--seconds N]"""

import argparse
import math
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mavlink"))
import mavlink  # noqa: E402

HOME = (-35.3632621, 149.1652374)
METRE_NORTH = 1 / 111_195
METRE_EAST = METRE_NORTH / math.cos(math.radians(HOME[0]))
LOST_S = 3.0  # without a position
GUIDED, RTL, ARMED, FORCE = 4, 6, 128, 21196


class Craft:
    """One vehicle, as it is known here."""

    def __init__(self, system, ends, station):
        self.system, self._ends, self._station = system, ends, station
        self._speaker = mavlink.Speaker(255, 190)  # sequences count for each way
        self.parameters, self.count, self.armed, self.flown = set(), None, False, False
        self.heard, self.lost, self.returns, self.landed, self.far = 0.0, False, False, False, 0.0
        self._step, self._asked = "parameters", 0.0

    def say(self, message, *fields):
        self._station.send(self._ends, self._speaker.frame(message, *fields))

    def tell(self, text):
        print(f"ground at {self._station.now():6.1f} s: vehicle {self.system} {text}", flush=True)

    def command(self, number, *values):
        values = list(values) + [0.0] * (7 - len(values))
        self.say(mavlink.COMMAND_LONG, *values, number, self.system, 1, 0)

    def place(self):
        """Where the mission leads: vehicle 1 east, vehicle 2 north."""
        east, north = (self._station.distance, 0) if self.system == 1 else (0, self._station.distance)
        return round((HOME[0] + north * METRE_NORTH) * 1e7), round((HOME[1] + east * METRE_EAST) * 1e7)

    def take(self, message, fields):
        if message == mavlink.GLOBAL_POSITION_INT:
            self.take_position(fields)
        elif message == mavlink.PARAM_VALUE:
            self.count = fields[1]
            self.parameters.add(fields[2])
        elif message in (mavlink.MISSION_REQUEST_INT, mavlink.MISSION_REQUEST):
            self.say_item(fields[0])
        elif message == mavlink.MISSION_ACK and self._step == "mission" and fields[2] == 0:
            self.tell("has its mission")
            self._step = "arm"
        elif message == mavlink.HEARTBEAT:
            self.take_heartbeat(fields)
        elif message == mavlink.STATUSTEXT:
            self.tell("status text: " + fields[1].rstrip(b"\0").decode(errors="replace"))

    def take_position(self, fields):
        now = self._station.now()
        distance = math.hypot((fields[2] / 1e7 - HOME[1]) / METRE_EAST, (fields[1] / 1e7 - HOME[0]) / METRE_NORTH)
        self.far = max(self.far, distance)
        if self.lost:
            self.lost = False
            self.tell(f"is heard again after {now - self.heard:.1f} s, at {distance:.0f} m")
        self.heard = now

    def take_heartbeat(self, fields):
        armed = bool(fields[3] & ARMED)
        self.flown = self.flown or armed
        if armed and fields[0] == RTL and not self.returns:
            self.returns = True
            self.tell("returns by itself")
        if self.flown and not armed and not self.landed and self.returns:
            self.landed = True
            self.tell("has landed")
        self.armed = armed

    def say_item(self, number):
        latitude, longitude = self.place()
        item = [(16, 0), (22, 30.0), (16, 30.0)][number]
        home = number == 0
        self.say(mavlink.MISSION_ITEM_INT, 0.0, 0.0, 0.0, 0.0, 0 if home else latitude, 0 if home else longitude,
                 item[1], number, item[0], self.system, 1, 6, 0, 1)

    def act(self):
        """Asks again once a second for what is still missing."""
        now = self._station.now()
        if self.heard and now - self.heard > LOST_S and not self.lost and self.armed:
            self.lost = True
            self.tell(f"is lost; it was {self.far:.0f} m away")
        if self.heard == 0 or now < self._asked or self.lost:
            return
        self._asked = now + 1
        if self._step == "parameters":
            self.ask_for_parameters()
        elif self._step == "mission":
            self.say(mavlink.MISSION_COUNT, 3, self.system, 1)
        elif self._step == "arm":
            self.command(176, 1, GUIDED)
            self.command(400, 1, FORCE if self._station.force else 0)
            if self.armed:
                self._step = "start"
        elif self._step == "start":
            self.command(300, 0, 0)
            if self.far > 50:
                self._step = "fly"

    def ask_for_parameters(self):
        if self.count is None:
            self.say(mavlink.REQUEST_DATA_STREAM, 4, self.system, 1, 0, 1)
            self.say(mavlink.PARAM_REQUEST_LIST, self.system, 1)
        elif len(self.parameters) < self.count:
            for index in [i for i in range(self.count) if i not in self.parameters][:20]:
                self.say(mavlink.PARAM_REQUEST_READ, index, self.system, 1, b"")
        else:
            self.tell(f"has sent its {self.count} parameters")
            # FS_GCS_ENABLE 1: return when the ground station is lost.
            self.say(mavlink.PARAM_SET, 1.0, self.system, 1, b"FS_GCS_ENABLE", 9)
            # AUTO_OPTIONS 3: arm and take off in missions without a pilot's stick.
            self.say(mavlink.PARAM_SET, 3.0, self.system, 1, b"AUTO_OPTIONS", 9)
            self._step = "mission"

    def is_done(self):
        return self.returns and self.landed


class Station:
    """The socket and the clock of the ground station."""

    def __init__(self, arguments):
        self._link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._link.bind((arguments.address, 14550))
        self._link.settimeout(0.05)
        self._start, self._speedup = time.monotonic(), arguments.speedup
        self.distance, self.force = arguments.distance, arguments.force
        self.crafts, self._beat, self.radio = {}, 0.0, 0

    def now(self):
        return (time.monotonic() - self._start) * self._speedup

    def send(self, ends, frame):
        self._link.sendto(frame, ends)

    def turn(self):
        if self.now() >= self._beat:
            self._beat = self.now() + 1
            for craft in self.crafts.values():
                craft.say(mavlink.HEARTBEAT, 0, 6, 8, 0, 4, 3)
        for craft in self.crafts.values():
            craft.act()
        try:
            datagram, ends = self._link.recvfrom(2048)
        except TimeoutError:
            return
        frame = mavlink.read(datagram)
        if frame and frame[1] == mavlink.RADIO_STATUS:
            self.radio += 1
        elif frame:
            if frame[0] not in self.crafts:
                self.crafts[frame[0]] = Craft(frame[0], ends, self)
                self.crafts[frame[0]].tell("is heard")
            self.crafts[frame[0]].take(frame[1], frame[2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--distance", type=float, default=6000)
    parser.add_argument("--speedup", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--force", action="store_true", help="arm without the autopilot's own checks")
    arguments = parser.parse_args()
    station = Station(arguments)
    while time.monotonic() - station._start < arguments.seconds:
        station.turn()
        if len(station.crafts) == 2 and all(craft.is_done() for craft in station.crafts.values()):
            break
    done = [craft for craft in station.crafts.values() if craft.is_done()]
    print(f"ground: {len(done)} of 2 vehicles took off, returned by themselves and landed; "
          f"{station.radio} RADIO_STATUS", flush=True)
    return 0 if len(done) == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
