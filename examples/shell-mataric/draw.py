#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the floor plans of the examples, in cells of 25 cm: building.png, 200 x 200 cells of offices along two
corridors, and corridor.png, 96 x 48 cells: three rooms beside a corridor, the middle one with a doorway.

usage: draw.py [FOLDER]
"""

import pathlib
import sys

import numpy
from matplotlib import image

FREE, BRICK, DRYWALL = 255, 0, 128


def building():
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


def corridor():
    cells = numpy.full((48, 96), FREE, dtype=numpy.uint8)
    cells[0] = cells[-1] = cells[16] = BRICK
    cells[:, 0] = cells[:, -1] = BRICK
    cells[17:47, 32] = cells[17:47, 64] = DRYWALL
    cells[16, 46:50] = FREE  # the doorway of 1 m
    return cells


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, plan in (("building", building()), ("corridor", corridor())):
        grey = plan[::-1]  # pictures begin in the north
        image.imsave(folder / f"{name}.png", numpy.dstack([grey] * 3))


main()
