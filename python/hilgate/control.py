# SPDX-License-Identifier: Apache-2.0
"""A gateway's control socket: one line of JSON for a request, one for its answer (docs/control.md)."""
from __future__ import annotations

import json
import pathlib
import socket
from dataclasses import dataclass
from typing import Any

FOLDER = pathlib.Path("/run/hilgate")
PATIENCE = 60.0  # s; a change of the configuration takes as long as its maps need


def runs() -> list[str]:
    """The names of all runs that have a control socket on this machine; some may be dead."""
    return sorted(path.stem for path in FOLDER.glob("*.sock"))


@dataclass(frozen=True)
class Fault:
    """What is wrong with a configuration: `path` is the key."""

    file: str
    line: int
    path: str
    text: str


class GatewayError(Exception):
    """The gateway is not there, or refused. `faults` has the faults of a configuration that it was given."""

    def __init__(self, text: str, faults: tuple[Fault, ...] = ()):
        super().__init__(text)
        self.faults = faults


def request(run: str, command: str, **fields: Any) -> Any:
    """Asks the gateway of this name; returns the result. Raises GatewayError."""
    path = FOLDER / f"{run}.sock"
    line = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(path))
            connection.sendall(json.dumps({"command": command, **fields}).encode() + b"\n")
            while not line.endswith(b"\n"):
                part = connection.recv(1 << 16)
                if not part:
                    raise GatewayError(f"run '{run}': the gateway closed the connection without an answer")
                line += part
    except TimeoutError:
        raise GatewayError(f"run '{run}': no answer within {PATIENCE:.0f} s") from None
    except (FileNotFoundError, ConnectionRefusedError):
        raise GatewayError(f"run '{run}' is not running: no process listens on {path}") from None
    except OSError as error:
        raise GatewayError(f"run '{run}': {path}: {error.strerror}") from None
    answer = json.loads(line)
    if not answer["ok"]:
        raise GatewayError(answer["error"], tuple(Fault(**fault) for fault in answer.get("faults", ())))
    return answer["result"]
