#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inverted pendulums on carts, and the PID controller that holds them over UDP.

usage: pendulum.py control | plants ADDRESS SECONDS COUNT SEED FILE

A plant is a cart whose acceleration is the command, with a pole of 1 m. It tells the controller each 30 ms where it is,
and keeps the newest command until the next one comes. The time of plants goes by their own steps: a machine that is
late slows them down and takes no command from them."""

import socket
import struct
import sys
import time

import numpy as np

STATE, COMMAND = struct.Struct("!IIdddd"), struct.Struct("!IId")  # plant, step; angle, position, their rates
STEP_S, INNER = 0.03, 20
GRAVITY, POLE_M = 9.81, 1.0
START_M, FALLEN_RAD, DISTURBANCE = 0.5, 0.8, 0.8  # the last one m/s^2
PID = {"p": 34.7, "i": 4.0, "d": 11.1}  # on the angle
POSITION = {"p": 0.041, "d": 0.075}     # the angle that the position asks for


def control():
    """Answers states with commands. What PID has to remember is kept by plant and sender."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    link.bind(("", 5100))
    sums = {}
    while True:
        data, source = link.recvfrom(256)
        plant, step, angle, position, angle_rate, speed = STATE.unpack(data)
        wanted = -POSITION["p"] * position - POSITION["d"] * speed
        wanted_rate = -POSITION["p"] * speed
        key = source, plant
        last, total = sums.get(key, (step, 0.0))
        total += (angle - wanted) * min(step - last, 5) * STEP_S
        sums[key] = step, float(np.clip(total, -0.5, 0.5))
        command = PID["p"] * (angle - wanted) + PID["i"] * sums[key][1] + PID["d"] * (angle_rate - wanted_rate)
        link.sendto(COMMAND.pack(plant, step, command), source)


class Plants:
    """Many pendulums, each from another start near START_M."""

    def __init__(self, count, seed):
        self.dice = np.random.default_rng(seed)
        self.position = START_M + 0.05 * self.dice.standard_normal(count)
        self.angle = 0.03 * self.dice.standard_normal(count)
        self.speed, self.angle_rate, self.command = np.zeros(count), np.zeros(count), np.zeros(count)
        self.fallen = np.zeros(count, bool)

    def advance(self):
        inner = STEP_S / INNER
        push = np.clip(self.command, -25, 25) + DISTURBANCE * self.dice.standard_normal(len(self.command))
        for _ in range(INNER):
            turn = (GRAVITY * np.sin(self.angle) - push * np.cos(self.angle)) / POLE_M
            self.angle_rate += turn * inner
            self.angle += self.angle_rate * inner
            self.speed += push * inner
            self.position += self.speed * inner
        self.fallen |= (np.abs(self.angle) > FALLEN_RAD) | (np.abs(self.position) > 5)
        for each in (self.angle, self.angle_rate, self.speed, self.position, self.command):
            each[self.fallen] = 0


def plants(address, seconds, count, seed, file):
    group = Plants(count, seed)
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.connect((address, 5100))
    link.setblocking(False)
    newest = [-1] * count
    rows = []
    for step in range(int(seconds / STEP_S)):
        begin = time.monotonic()
        for plant in range(count):
            if not group.fallen[plant]:
                send(link, STATE.pack(plant, step, group.angle[plant], group.position[plant], group.angle_rate[plant],
                                      group.speed[plant]))
        time.sleep(max(0.0, begin + STEP_S - time.monotonic()))
        for plant, answered, command in answers(link):
            if answered > newest[plant]:
                newest[plant], group.command[plant] = answered, command
        group.advance()
        rows.append(np.where(group.fallen, np.nan, group.position))
    np.save(file, np.array(rows))


def send(link, data):
    try:
        link.send(data)
    except OSError:  # full: as good as lost
        pass


def answers(link):
    while True:
        try:
            yield COMMAND.unpack(link.recv(256))
        except OSError:  # nothing more; or no listener yet
            return


if __name__ == "__main__":
    if sys.argv[1] == "control":
        control()
    else:
        plants(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
