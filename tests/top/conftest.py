# SPDX-License-Identifier: Apache-2.0
import contextlib
import pathlib
import re
import subprocess
import time

import pytest

from hilgate.run import Lab, Run, program

YARD = pathlib.Path(__file__).with_name("yard.yaml")
RUN = "topyard"
PATIENCE = 60.0  # s
TRAFFIC = [("base", "10.79.0.2"), ("red", "10.79.0.3")]


class Tmux:
    """A shell in a terminal of tmux."""

    def __init__(self, folder, columns=80, rows=24):
        self._socket = folder / "tmux.sock"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-s", "test",
                   "env LC_ALL=C.UTF-8 PS1='$ ' sh")
        self.wait(r"^\$")

    def _tmux(self, *words):
        return subprocess.run(["tmux", "-S", str(self._socket), *words], check=True, capture_output=True,
                              text=True).stdout

    def press(self, *keys):
        """Keys by tmux's names: Enter, Down, x."""
        self._tmux("send-keys", "-t", "test", *keys)

    def type(self, text):
        self._tmux("send-keys", "-t", "test", "-l", text)

    def run(self, command):
        self.type(command)
        self.press("Enter")

    def resize(self, columns, rows):
        self._tmux("resize-window", "-t", "test", "-x", str(columns), "-y", str(rows))

    def record(self, file):
        """From now on what programs write to the terminal goes to that file, too."""
        self._tmux("pipe-pane", "-t", "test", f"cat > {file}")

    @property
    def screen(self):
        return self._tmux("capture-pane", "-p", "-t", "test")

    @property
    def modes(self):
        """What the terminal is in: (alternate screen, cursor shown)."""
        return self._tmux("display-message", "-p", "-t", "test", "#{alternate_on} #{cursor_flag}").split()

    def wait(self, pattern, without=None):
        """The screen that has the pattern, and not the other one."""
        deadline = time.monotonic() + PATIENCE
        while True:
            screen = self.screen
            found = re.search(pattern, screen, re.MULTILINE)
            if found and not (without and re.search(without, screen, re.MULTILINE)):
                return screen
            assert time.monotonic() < deadline, f"no /{pattern}/ without /{without}/ in:\n{screen}"
            time.sleep(0.05)

    def close(self):
        self._tmux("kill-server")


@pytest.fixture
def tmux(tmp_path):
    it = Tmux(tmp_path)
    yield it
    it.close()


@pytest.fixture(scope="module")
def lab():
    with Lab(YARD) as it:
        yield it


@contextlib.contextmanager
def gateway(lab):
    """A run with robots that send."""
    with Run(YARD) as run, contextlib.ExitStack() as senders:
        for robot, to in TRAFFIC:
            sender = lab.start(robot, ["ping", "-q", "-i", "0.02", "-s", "1000", to], stdout=-3, stderr=-3)
            senders.callback(sender.wait, PATIENCE)
            senders.callback(sender.terminate)
        yield run
    assert run.status_at_end == 0, run.log()


@pytest.fixture(scope="module")
def running(lab):
    with gateway(lab) as it:
        yield it


@pytest.fixture
def top(tmux, running):
    """hilgate top of a run with traffic, beside a shell's prompt."""
    tmux.run(f"{program()} top {RUN}; echo ended $?")
    tmux.wait(r"base -> red +2\d %|base -> red +3\d %|base -> red +4\d %")
    return tmux
