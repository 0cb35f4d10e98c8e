# SPDX-License-Identifier: Apache-2.0
"""What a patrol measured, brought onto one axis of time: seconds since the patrol began."""

import json
import math

import numpy as np

import scenario


class Measured:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            raw = json.load(file)
        self.seconds = raw["seconds"]
        self.netsim = raw["netsim"]  # one of scenario.NETSIMS
        self.statuses = raw["status"]  # (t, status), the last one after the traffic has ended
        self._take_rates(raw["rates"])
        self._take_probes(raw["probes"])
        self._take_geometry()

    def _take_rates(self, rates):
        inside = [(at, rate) for at, rate in rates if 0 <= at <= self.seconds]
        self.rate_t, self.rate = map(np.array, zip(*inside))
        self.step = float(np.median(np.diff(self.rate_t)))

    def _take_probes(self, probes):
        inside = sorted((sent, delay) for sent, delay in probes if 0 <= sent <= self.seconds)
        self.probe_t = np.array([sent for sent, _ in inside])
        self.delay = np.array([math.nan if delay is None else delay for _, delay in inside])  # s; NaN is lost
        self.lost = np.isnan(self.delay)

    def _take_geometry(self):
        inside = [(at, status) for at, status in self.statuses if -1 <= at <= self.seconds + 1]
        self.status_t = np.array([at for at, _ in inside])
        self.positions = {name: np.array([robot(status, name)["position"] for _, status in inside])
                          for name in scenario.ROBOTS}
        self.distance = np.linalg.norm(self.positions["red"] - self.positions["blue"], axis=1)
        links = [link(status, "red", "blue") for _, status in inside]
        self.in_sight = np.array([each["line_of_sight"] for each in links])
        self.snr = np.array([each["snr_db"] for each in links], dtype=float)

    def between(self, begin, end):
        """Masks of rates, probes and statuses from begin to end; of the nearest one when empty."""
        masks = []
        for t in (self.rate_t, self.probe_t, self.status_t):
            mask = (t >= begin) & (t < end)
            if not mask.any():
                mask[np.argmin(np.abs(t - (begin + end) / 2))] = True
            masks.append(mask)
        return tuple(masks)

    def at(self, t, values):
        """Values of the statuses at other instants."""
        return np.interp(t, self.status_t, values)

    def probes_around(self, t, width):
        """(median delay in s or NaN, share lost or NaN) of the probes sent within width/2 of t."""
        near = slice(*np.searchsorted(self.probe_t, [t - width / 2, t + width / 2]))
        lost = self.lost[near]
        if lost.size == 0:
            return math.nan, math.nan
        heard = self.delay[near][~lost]
        return (float(np.median(heard)) if heard.size else math.nan), float(lost.mean())

    def delay_around(self, t, width):
        """Mean delay in s of the probes that were sent within width/2 of t and arrived; NaN when none did."""
        near = slice(*np.searchsorted(self.probe_t, [t - width / 2, t + width / 2]))
        heard = self.delay[near][~self.lost[near]]
        return float(heard.mean()) if heard.size else math.nan

    def binned(self):
        """Per interval of the rate: t, rate, median delay, share lost."""
        width = max(self.step, 0.1)
        rows = [(t, rate, *self.probes_around(t, width)) for t, rate in zip(self.rate_t, self.rate)]
        return np.array(rows)

    def status_at(self, t):
        return min(self.statuses, key=lambda each: abs(each[0] - t))[1]

    def dropped_between(self, begin, end):
        """The gateway's drops by cause, in both directions."""
        before, after = (self.status_at(t)["totals"]["dropped"] for t in (begin, end))
        grown = {cause: count - before.get(cause, 0) for cause, count in after.items()}
        return {cause: count for cause, count in grown.items() if count > 0}


def robot(status, name):
    return next(each for each in status["robots"] if each["name"] == name)


def link(status, sender, receiver):
    return next(each for each in status["links"] if each["from"] == sender and each["to"] == receiver)
