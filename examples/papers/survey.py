# SPDX-License-Identifier: Apache-2.0
"""What hilgate survey writes, read as it is: rf_profiles/survey/survey.h describes the file."""

import numpy as np


class Survey:
    """Of cells of 25 cm."""

    def __init__(self, file):
        data = np.memmap(file, np.uint8, "r")
        self.block = int(data[12:16].view(np.uint32)[0])
        self.width, self.height = (int(each) for each in data[32:40].view(np.uint32))
        self._across = -(-self.width // self.block)
        cells, blocks = self.width * self.height, self._across * -(-self.height // self.block)
        pages = lambda size: -(-size // 4096) * 4096  # noqa: E731
        walls = 4096 + pages(cells + blocks)
        shapes = walls + pages(cells * (cells + 1) // 2)
        self._walls = data[walls:shapes]
        self._shapes = data[shapes:].reshape(blocks, blocks, 4)

    def _cell(self, x, y):
        return int(x / 0.25), int(y / 0.25)

    def walls_db(self, a, b):
        low, high = sorted(x + y * self.width for x, y in (self._cell(*a), self._cell(*b)))
        return 0.5 * self._walls[high * (high + 1) // 2 + low]

    def shape(self, receiver, sender):
        """Spread, constriction, azimuth, direct share."""
        one, other = (y // self.block * self._across + x // self.block
                      for x, y in (self._cell(*sender), self._cell(*receiver)))
        return self._shapes[one, other] / np.array([255, 255, 256 / np.pi, 255])
