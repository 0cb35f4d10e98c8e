# SPDX-License-Identifier: Apache-2.0
"""What a run has left behind: its record, read by `hilgate record`."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any

from hilgate.control import GatewayError
from hilgate.run import program

Row = dict[str, Any]


class Record:
    """The record of a run; docs/how-to/records.md. Nothing is read before it is asked for, and each table once."""

    def __init__(self, folder: str | os.PathLike):
        self.folder = pathlib.Path(folder)

    @classmethod
    def newest(cls, folder: str | os.PathLike) -> Record:
        """The record in `folder` (`record.folder` of a configuration) that began last."""
        runs = [path.parent for path in pathlib.Path(folder).glob("*/run.mcap")]
        if not runs:
            raise GatewayError(f"there is no record in {folder}")
        return cls(max(runs, key=lambda run: run.name.rsplit("-", 1)[-1]))

    @functools.cached_property
    def summary(self) -> Row:
        """What `hilgate record show --json` reports; `whole` is false for a record that ends early."""
        shown = self._do("show", str(self.folder), "--json")
        if not shown.stdout.startswith("{"):
            raise GatewayError(f"hilgate record show: {shown.stderr.strip()}")
        return json.loads(shown.stdout)

    def table(self, name: str) -> list[Row]:
        """The rows of links, counts, drops, positions, totals, events, clock, verdicts or stations, by time. Their
        times are utc_s, s since 1970, and in most tables sim_s."""
        if name not in self._tables:
            raise KeyError(f"a record has no table '{name}'; it has: {', '.join(sorted(self._tables))}")
        return self._tables[name]

    @functools.cached_property
    def _tables(self) -> dict[str, list[Row]]:
        with tempfile.TemporaryDirectory() as folder:
            exported = self._do("export", str(self.folder), "--json", "-o", folder)
            files = list(pathlib.Path(folder).glob("*.jsonl"))
            if not files:
                raise GatewayError(f"hilgate record export: {exported.stderr.strip()}")
            return {file.stem: [json.loads(line) for line in file.read_text().splitlines()] for file in files}

    @staticmethod
    def _do(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([program(), "record", *arguments], capture_output=True, text=True, check=False)
