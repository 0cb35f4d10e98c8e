# SPDX-License-Identifier: Apache-2.0
"""A gateway's control socket: one line of JSON for a request, one for its answer (docs/reference/control.md)."""
from __future__ import annotations

import json
import pathlib
import socket
from dataclasses import dataclass
from typing import Any

FOLDER = pathlib.Path("/run/hilgate")
PATIENCE = 60.0  # s; a change of the configuration takes as long as its maps need


def runs() -> list[str]:
    """The names of all gateways that run on this machine. Those that were killed leave their sockets."""
    return sorted(path.stem for path in FOLDER.glob("*.sock") if _is_listened_to(path))


def _is_listened_to(path: pathlib.Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.setblocking(False)  # a full queue of connections has a listener, too
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:
            pass  # the request reports the reason
        return True


@dataclass(frozen=True)
class Fault:
    """What is wrong with a configuration: `path` is the key. What was set has no line in the file."""

    file: str
    line: int | None = None
    path: str = ""
    text: str = ""


class GatewayError(Exception):
    """The gateway is not there, or refused. `faults` has the faults of a configuration that it was given."""

    def __init__(self, text: str, faults: tuple[Fault, ...] = ()):
        super().__init__(text)
        self.faults = faults


class Stream:
    """The lines after the answer to a request, as they come; ends with the run, or when it is closed."""

    def __init__(self, run: str, command: str, **fields: Any):
        path = FOLDER / f"{run}.sock"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE)
        try:
            self._socket.connect(str(path))
            self._lines = self._socket.makefile("rb")
            self._socket.sendall(json.dumps({"command": command, **fields}).encode() + b"\n")
            first = self._lines.readline()
        except OSError as error:
            self._socket.close()
            raise GatewayError(f"run '{run}': {path}: {error.strerror}") from None
        answer = json.loads(first) if first else {"ok": False, "error": f"run '{run}': no answer"}
        if not answer["ok"]:
            self.close()
            raise GatewayError(answer["error"])
        self._socket.settimeout(None)

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> dict[str, Any]:
        try:
            line = self._lines.readline()
        except (OSError, ValueError):  # closed
            line = b""
        if not line.endswith(b"\n"):
            raise StopIteration
        return json.loads(line)

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_) -> None:
        self.close()


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
