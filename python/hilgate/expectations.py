# SPDX-License-Identifier: Apache-2.0
"""Expectations of links, in the words of scenarios (docs/how-to/scenarios.md): loss, rate, drops."""
from __future__ import annotations

import re
from typing import Any, Iterable, Mapping

from hilgate.status import Link, Status

UNITS = {"loss": {"%": 1e-2, "ppm": 1e-6}, "rate": {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}}
KNOWN = ("loss", "rate", "drops")


def _number(kind: str, text: str) -> float:
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(\S+)\s*", text)
    unit = UNITS[kind].get(found.group(2)) if found else None
    if unit is None:
        raise ValueError(f"{kind}: '{text}' is not a number with one of the units {', '.join(UNITS[kind])}")
    return float(found.group(1)) * unit


class Expectation:
    """What the links between `source` and `target` ("*": every robot) must have been like between two states."""

    def __init__(self, source: str, target: str, **words: Mapping[str, Any]):
        unknown = [word for word in words if word not in KNOWN]
        if unknown or not words:
            raise ValueError(f"expects {', '.join(unknown) or 'nothing'}; known: {', '.join(KNOWN)}")
        self.source, self.target, self.words = source, target, words
        for kind in ("loss", "rate"):
            bounds = words.get(kind, {"at_most": None})
            if not bounds or set(bounds) - {"at_least", "at_most"}:
                raise ValueError(f"{kind}: give at_least, at_most or both")
            for text in filter(None, bounds.values()):
                _number(kind, text)

    def faults(self, before: Status, after: Status) -> list[str]:
        """What is wrong, a line each; none where it is met."""
        first, last = self._links(before), self._links(after)
        grown = lambda of: sum(map(of, last)) - sum(map(of, first))
        lost = grown(lambda link: sum(link.dropped.values()))
        released = grown(lambda link: link.released)
        faults = []
        if "loss" in self.words:
            if lost + released == 0:
                faults.append("there was no frame to judge loss by")
            else:
                faults += self._bound("loss", lost / (lost + released),
                                      f"{100 * lost / (lost + released):.4g} % ({lost} of {lost + released} deliveries)")
        if "rate" in self.words:
            seconds = max(after.sim_time_s - before.sim_time_s, 1e-9)
            rate = 8 * grown(lambda link: link.bytes_released) / seconds
            faults += self._bound("rate", rate, f"{rate / 1e3:.4g} kbit/s ({released} frames)")
        for reason in _list(self.words.get("drops", {}).get("absent", ())):
            count = grown(lambda link: link.dropped.get(reason, 0))
            if count > 0:
                faults.append(f"{count} deliveries were dropped as {reason}, expected none")
        for reason in _list(self.words.get("drops", {}).get("present", ())):
            if grown(lambda link: link.dropped.get(reason, 0)) == 0:
                faults.append(f"no delivery was dropped as {reason}, expected some")
        return [f"{self.source} > {self.target}: {fault}" for fault in faults]

    def _bound(self, kind: str, found: float, shown: str) -> list[str]:
        bounds = self.words[kind]
        good = (("at_least" not in bounds or found >= _number(kind, bounds["at_least"]))
                and ("at_most" not in bounds or found <= _number(kind, bounds["at_most"])))
        wanted = " and ".join(f"{word.replace('_', ' ')} {text}" for word, text in bounds.items())
        return [] if good else [f"{kind} was {shown}; expected {wanted}"]

    def _links(self, status: Status) -> list[Link]:
        links = [link for link in status.links
                 if self.source in ("*", link.source) and self.target in ("*", link.target)]
        if not links:
            raise KeyError(f"{self.source} > {self.target}")
        return links


def _list(words: str | Iterable[str]) -> Iterable[str]:
    return (words,) if isinstance(words, str) else words
