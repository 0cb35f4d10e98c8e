# SPDX-License-Identifier: Apache-2.0
"""Labs and gateways that live as long as a `with`."""
from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from typing import Sequence

from hilgate.control import GatewayError, request
from hilgate.gateway import Gateway

START = 30.0  # s
END = 10.0


def program() -> str:
    """The command hilgate: $HILGATE, or as it is found in PATH."""
    return os.environ.get("HILGATE", "hilgate")


def name_of(file: str | os.PathLike) -> str:
    """The name of the run that a configuration file is for."""
    name = re.search(r"^name:\s*([^\s#]+)", pathlib.Path(file).read_text(), re.MULTILINE)
    return name.group(1).strip("\"'") if name else pathlib.Path(file).stem


class Lab:
    """A network namespace for each robot of a configuration. Needs root."""

    def __init__(self, file: str | os.PathLike):
        self.file = str(file)

    def __enter__(self) -> Lab:
        self._do("up")
        return self

    def __exit__(self, *_) -> None:
        self._do("down")

    def exec(self, robot: str, command: Sequence[str], **options) -> subprocess.CompletedProcess:
        """Runs a command in a robot's namespace, as subprocess.run(), with its output as text."""
        return subprocess.run(self._command(robot, command), capture_output=True, text=True, **options)

    def start(self, robot: str, command: Sequence[str], **options) -> subprocess.Popen:
        return subprocess.Popen(self._command(robot, command), **options)

    def _command(self, robot: str, command: Sequence[str]) -> list[str]:
        return [program(), "lab", "exec", self.file, robot, "--", *command]

    def _do(self, what: str) -> None:
        done = subprocess.run([program(), "lab", what, self.file], capture_output=True, text=True)
        if done.returncode != 0:
            raise GatewayError(f"hilgate lab {what}: {(done.stderr or done.stdout).strip()}")


class Run(Gateway):
    """A gateway of its own: starts at the beginning of a `with` and ends with it. Needs the rights of `hilgate run`."""

    def __init__(self, file: str | os.PathLike):
        super().__init__(name_of(file))
        self.file = str(file)
        self.status_at_end: int | None = None
        self._log = tempfile.TemporaryFile("w+")
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> Run:
        self._process = subprocess.Popen([program(), "run", self.file], stdout=self._log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START
        while True:
            if self._process.poll() is not None:
                raise GatewayError(f"hilgate run {self.file}: {self.log().strip()}")
            try:
                request(self.run, "status")
                return self
            except GatewayError:
                if time.monotonic() > deadline:
                    self._end()
                    raise
                time.sleep(0.05)

    def __exit__(self, *_) -> None:
        self._end()

    @property
    def pid(self) -> int:
        """The process id of the gateway."""
        return self._process.pid

    def log(self) -> str:
        """What it has printed so far."""
        self._log.seek(0)
        return self._log.read()

    def _end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self.status_at_end = self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.status_at_end = self._process.wait()
