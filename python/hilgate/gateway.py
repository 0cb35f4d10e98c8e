# SPDX-License-Identifier: Apache-2.0
"""A running gateway: its state, and changes that are taken back."""
from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, Iterable, Iterator, Mapping

from hilgate.control import GatewayError, Stream, request, runs
from hilgate.expectations import Expectation
from hilgate.status import Condition, Status


class Gateway:
    """The gateway of a run, or, without a name, of the only run on this machine."""

    def __init__(self, run: str | None = None):
        if run is None:
            there = runs()
            if len(there) != 1:
                raise GatewayError("several gateways are running: " + ", ".join(there) if there
                                   else "no gateway is running")
            run = there[0]
        self.run = run

    def status(self) -> Status:
        return Status.of(request(self.run, "status"))

    def get(self, key: str) -> str | None:
        """The value of a key in the configuration in force, as YAML; None: it is not set, its default holds."""
        try:
            return request(self.run, "get", keys=[key])[0]["value"].rstrip("\n")
        except GatewayError as error:
            if "is not set" in str(error):
                return None
            raise

    def change(self, values: Mapping[str, str | None]) -> None:
        """Sets keys, all or none; None removes a key. No frame is lost."""
        request(self.run, "set", values=[f"{key}={'' if value is None else value}" for key, value in values.items()])

    @contextlib.contextmanager
    def set(self, values: Mapping[str, str | None]) -> Iterator[None]:
        """As change(), until the end of the `with`: then the keys have the values again that they had before."""
        before = {key: self.get(key) for key in values}
        for key, value in before.items():
            if value is not None and "\n" in value:
                raise ValueError(f"{key} is a map: set its keys")
        self.change(values)
        try:
            yield
        finally:
            self.change(before)

    def reload(self) -> None:
        request(self.run, "reload")

    def pause(self) -> None:
        """Simulation time stands; with pace dilate."""
        request(self.run, "pause")

    def resume(self) -> None:
        request(self.run, "resume")

    def wait(self, condition: Callable[[Status], bool], seconds: float = 20.0) -> Status:
        """Asks until the condition holds, and returns that status. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.status()
            if condition(status):
                return status
            if time.monotonic() > deadline:
                raise TimeoutError(f"run '{self.run}': not within {seconds:g} s")
            time.sleep(0.05)

    def events(self, every: float | None = None, keys: Iterable[str] = ()) -> Stream:
        """What happens from now on, an object of docs/reference/control.md each; with `every`, also the status each so many
        seconds, or these keys of it. Close it, or use it in a `with`."""
        wanted = {} if every is None else {"every_s": every}
        return Stream(self.run, "subscribe", **wanted, **({"keys": list(keys)} if keys else {}))

    @contextlib.contextmanager
    def expect(self, source: str = "*", target: str = "*", **words: Mapping[str, Any]) -> Iterator[None]:
        """What links must be like during a `with`, in the words of scenarios: loss, rate, drops. Raises AssertionError
        at its end."""
        expectation = Expectation(source, target, **words)
        before = self.status()
        yield
        faults = expectation.faults(before, self.status())
        if faults:
            raise AssertionError("\n".join(faults))

    def conditions(self, every: float = 0.2) -> Iterator[tuple[bool, Condition]]:
        """What goes wrong (True) and what is over (False), as it happens; first what is wrong now. Ends with the run."""
        standing: dict[tuple[str, str], Condition] = {}
        while True:
            try:
                now = {(each.name, each.about): each for each in self.status().conditions}
            except GatewayError:
                return
            for key, condition in now.items():
                if key not in standing:
                    yield True, condition
            for key, condition in standing.items():
                if key not in now:
                    yield False, condition
            standing = now
            time.sleep(every)
