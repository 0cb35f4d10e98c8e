#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted multicopter that behaves on its link as ArduPilot's was seen to: one message a datagram, streams that slow
down by RADIO_STATUS, parameters and missions by request, return on a ground station failsafe.

usage: vehicle.py SYSTEM ADDRESS GROUND [--speed M_S] [--speedup N] [--seconds N]"""

import argparse
import math
import select
import signal
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mavlink"))
import mavlink  # noqa: E402

HOME = (-35.3632621, 149.1652374, 584.0)  # degrees, degrees, metres
METRE_NORTH = 1 / 111_195
METRE_EAST = METRE_NORTH / math.cos(math.radians(HOME[0]))
PARAMETERS = 200
FAILSAFE_S = 5.0
GUIDED, AUTO, RTL, STABILIZE = 4, 3, 6, 0
COPTER, ARDUPILOT, ARMED = 2, 3, 128


class Vehicle:
    """What flies. Times are those of the vehicle's own clock, which runs `speedup` times as fast as the host's."""

    def __init__(self, arguments):
        self._link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._link.bind((arguments.address, 14550 + arguments.system))
        self._ground = (arguments.ground, 14550)
        self._speaker = mavlink.Speaker(arguments.system)
        self._speed, self._speedup, self._start = arguments.speed, arguments.speedup, time.monotonic()
        side = 1 if arguments.system == 1 else -1
        self._home = [5.0 * side, 0.0, 0.0]
        self._at, self._mission, self._wanted, self._item = list(self._home), [], 0, 0
        self._mode, self._armed, self._failsafe, self._heard = STABILIZE, False, False, None
        self._slowdown, self._next_parameter = 0.0, None
        self._due = {"beat": 0.0, "streams": 0.0, "parameter": 0.0}
        self.failsafes, self.radio = 0, 0

    def now(self):
        return (time.monotonic() - self._start) * self._speedup

    def say(self, message, *fields):
        self._link.sendto(self._speaker.frame(message, *fields), self._ground)

    def tell(self, text):
        print(f"vehicle {self._speaker.system} at {self.now():6.1f} s: {text}", flush=True)
        self.say(mavlink.STATUSTEXT, 4, text.encode()[:50])

    # ---- hearing ----

    def hear(self, seconds):
        if select.select([self._link], [], [], seconds)[0]:
            frame = mavlink.read(self._link.recv(2048))
            if frame:
                self.take(*frame)

    def take(self, system, message, fields):
        if message == mavlink.HEARTBEAT and system == 255:
            self._heard = self.now()
        elif message == mavlink.RADIO_STATUS:
            self.radio += 1
            self.slow_down(fields[4])
        elif message == mavlink.PARAM_REQUEST_LIST:
            self._next_parameter = 0
        elif message == mavlink.PARAM_REQUEST_READ:
            self.say_parameter(fields[0])
        elif message == mavlink.MISSION_COUNT:
            self._mission, self._wanted = [], fields[0]
            self.say(mavlink.MISSION_REQUEST_INT, 0, 255, 190)
        elif message == mavlink.MISSION_ITEM_INT:
            self.take_item(fields)
        elif message == mavlink.COMMAND_LONG:
            self.command(fields)

    def slow_down(self, free):
        """GCS_MAVLINK::handle_radio_status, in milliseconds."""
        step = 60 if free < 20 else 20 if free < 50 else -40 if free > 95 else -20 if free > 90 else 0
        self._slowdown = min(max(self._slowdown + step, 0), 2000)

    def take_item(self, fields):
        if fields[7] == len(self._mission):
            east = (fields[5] / 1e7 - HOME[1]) / METRE_EAST
            north = (fields[4] / 1e7 - HOME[0]) / METRE_NORTH
            self._mission.append((fields[8], [east, north, fields[6]]))
        if len(self._mission) < self._wanted:
            self.say(mavlink.MISSION_REQUEST_INT, len(self._mission), 255, 190)
        else:
            self.say(mavlink.MISSION_ACK, 255, 190, 0)

    def command(self, fields):
        number = fields[7]
        if number == 176:
            self._mode = int(fields[1])
        elif number == 400:
            self._armed = fields[0] == 1
        elif number == 300 and self._mode != AUTO:
            self._mode, self._item = AUTO, 1
            self.tell("takes off")
        self.say(mavlink.COMMAND_ACK, number, 0)

    # ---- flying ----

    def fly(self, seconds):
        if self._armed and not self._failsafe and self._heard is not None and self.now() - self._heard > FAILSAFE_S:
            self._failsafe, self._mode = True, RTL
            self.failsafes += 1
            self.tell(f"failsafe at {math.dist(self._at, self._home):.0f} m: no ground station for {FAILSAFE_S:.0f} s")
        if not self._armed:
            return
        if self._mode == AUTO and self._item < len(self._mission):
            command, place = self._mission[self._item]
            target = self._at[:2] + [place[2]] if command == 22 else place
            if self.move(target, seconds):
                self._item += 1
        elif self._mode == RTL:
            if self.move(self._home[:2] + [20.0], seconds) and self.move(self._home, 10):
                self._armed = False
                self.tell("has landed at home")

    def move(self, target, seconds):
        distance = math.dist(self._at, target)
        step = self._speed * seconds
        if distance <= step:
            self._at = list(target)
            return True
        self._at = [a + (t - a) * step / distance for a, t in zip(self._at, target)]
        return False

    # ---- sending ----

    def is_due(self, what, every):
        if self.now() < self._due[what]:
            return False
        self._due[what] = self.now() + every
        return True

    def say_what_is_due(self):
        if self.is_due("beat", 1.0):
            self.say(mavlink.HEARTBEAT, self._mode, COPTER, ARDUPILOT, 1 | (ARMED if self._armed else 0), 4, 3)
        if self.is_due("streams", 0.25 + self._slowdown / 1000):
            boot = int(self.now() * 1000)
            east, north, up = self._at
            self.say(mavlink.GLOBAL_POSITION_INT, boot, round((HOME[0] + north * METRE_NORTH) * 1e7),
                     round((HOME[1] + east * METRE_EAST) * 1e7), round((HOME[2] + up) * 1000), round(up * 1000),
                     0, 0, 0, 0)
            self.say(mavlink.ATTITUDE, boot, 0.1, 0.1, 0.1, 0.0, 0.0, 0.1)
            self.say(mavlink.VFR_HUD, 0.0, self._speed, HOME[2] + up, 0.1, 90, 50)
            self.say(mavlink.SYS_STATUS, 1, 1, 1, 100, 12000, 1000, 0, 0, 0, 0, 0, 0, 90)
        if self._next_parameter is not None and self.is_due("parameter", 0.02):
            self.say_parameter(self._next_parameter)
            self._next_parameter = self._next_parameter + 1 if self._next_parameter + 1 < PARAMETERS else None

    def say_parameter(self, index):
        self.say(mavlink.PARAM_VALUE, 1.0 + index, PARAMETERS, index, f"P{index}".encode(), 9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("system", type=int)
    parser.add_argument("address")
    parser.add_argument("ground")
    parser.add_argument("--speed", type=float, default=15)
    parser.add_argument("--speedup", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    arguments = parser.parse_args()
    vehicle = Vehicle(arguments)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    last = vehicle.now()
    while not ended and vehicle.now() < arguments.seconds * arguments.speedup:
        vehicle.hear(0.01)
        now = vehicle.now()
        vehicle.fly(now - last)
        last = now
        vehicle.say_what_is_due()
    print(f"vehicle {arguments.system}: {vehicle.failsafes} failsafes, {vehicle.radio} RADIO_STATUS", flush=True)


if __name__ == "__main__":
    main()
