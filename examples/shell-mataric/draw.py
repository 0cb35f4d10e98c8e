#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws building.png, the floor plan of the example: 200 x 200 cells of 25 cm, offices along two corridors.

usage: draw.py [FILE]
"""

import sys

import numpy
from matplotlib import image

FREE, BRICK, DRYWALL = 255, 0, 128


def plan():
    cells = numpy.full((200, 200), FREE, dtype=numpy.uint8)
    for south, north in ((0, 60), (76, 124), (140, 200)):  # three wings, corridors of 4 m between them
        cells[south:north, 0] = cells[south:north, -1] = BRICK
        for y in (south, north - 1):
            cells[y, :] = BRICK if y in (0, 199) else DRYWALL
        for west in range(0, 200, 40):
            cells[south:north, west] = DRYWALL if west else BRICK
            for y in (south, north - 1):
                if y not in (0, 199):
                    cells[y, west + 16:west + 20] = FREE  # doors of 1 m
    cells[:, 0] = cells[:, -1] = BRICK
    cells[90:110, 96:104] = BRICK  # the stairwell
    return cells


def main():
    grey = plan()[::-1]  # pictures begin in the north
    image.imsave(sys.argv[1] if len(sys.argv) > 1 else "building.png", numpy.dstack([grey] * 3))


main()
