# SPDX-License-Identifier: Apache-2.0
"""The `status` document as objects. `raw` has all of it, with the keys of docs/reference/metrics.md."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping


@dataclass(frozen=True)
class Link:
    """One direction between two robots. Counts are since the start of the run."""

    source: str
    target: str
    reachable: bool
    line_of_sight: bool
    rssi_dbm: float
    snr_db: float
    rate_mbps: float
    frame_loss: float  # of one try of a full frame, 0 to 1
    delay_us: float
    deliveries: int
    released: int
    bytes_released: int
    damaged: int
    dropped: Mapping[str, int]  # by drop reason

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Link:
        return cls(raw["from"], raw["to"], raw["reachable"], raw["line_of_sight"], raw["rssi_dbm"], raw["snr_db"],
                   raw["rate_mbps"], raw["frame_loss"], raw["delay_us"], raw["in"], raw["released"],
                   raw["bytes_released"], raw["damaged"], raw["dropped"])


@dataclass(frozen=True)
class Robot:
    name: str
    port: str
    unplugged: bool
    position: tuple[float, float, float] | None  # m; None: not known yet
    body: str = ""  # the robot that carries this radio; of a robot without `radios` its name


@dataclass(frozen=True)
class Port:
    name: str
    interface: str
    state: str
    problem: str


@dataclass(frozen=True)
class Condition:
    """What is wrong with the run (docs/reference/conditions.md)."""

    name: str
    about: str
    text: str


@dataclass(frozen=True)
class Status:
    run: str
    uptime_s: float
    balanced: bool
    held: int
    dropped: Mapping[str, int]
    sim_time_s: float
    conditions: tuple[Condition, ...]
    ports: tuple[Port, ...]
    robots: tuple[Robot, ...]
    links: tuple[Link, ...]
    raw: Mapping[str, Any]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Status:
        return cls(
            run=raw["run"], uptime_s=raw["uptime_s"], balanced=raw["totals"]["balanced"], held=raw["totals"]["held"],
            dropped=raw["totals"]["dropped"], sim_time_s=raw["window"]["sim_time_s"],
            conditions=tuple(Condition(each["name"], each["about"], each["text"]) for each in raw["conditions"]),
            ports=tuple(Port(each["name"], each["interface"], each["state"], each["problem"]) for each in raw["ports"]),
            robots=tuple(Robot(each["name"], each["port"], each["unplugged"],
                               tuple(each["position"]) if "position" in each else None,
                               each.get("body", each["name"])) for each in raw["robots"]),
            links=tuple(Link.of(each) for each in raw["links"]), raw=raw)

    def link(self, source: str, target: str) -> Link:
        """Raises KeyError when there is no such link."""
        return _named(self.links, f"{source} > {target}", lambda each: (each.source, each.target) == (source, target))

    def robot(self, name: str) -> Robot:
        return _named(self.robots, name, lambda each: each.name == name)

    def port(self, name: str) -> Port:
        return _named(self.ports, name, lambda each: each.name == name)


def _named(all_of_them, name, matches):
    for each in all_of_them:
        if matches(each):
            return each
    raise KeyError(name)
