# SPDX-License-Identifier: Apache-2.0
"""`hilgate top` in a terminal of tmux, with robots that send behind it."""
import os
import re
import signal
import subprocess
import time

import pytest

from conftest import PATIENCE, RUN, gateway
from hilgate.run import program


def keep(tmux, name):
    """A screen for the documents, where somebody wants them."""
    if folder := os.environ.get("HILGATE_SCREENSHOTS"):
        with open(os.path.join(folder, f"{name}.txt"), "w") as file:
            file.write(tmux.screen)


def links(screen):
    return re.findall(r"^(\w+ -> \w+) ", screen, re.MULTILINE)


def process_of_top():
    """The process id of the `hilgate top` that runs."""
    found = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_top(pid)]
    assert len(found) == 1, found
    return found[0]


def is_top(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return words[:3] == [program().encode(), b"top", RUN.encode()]


def assert_restored(tmux, status):
    screen = tmux.wait(rf"^ended {status}\n\$")
    assert "1 links" not in screen
    assert tmux.modes == ["0", "1"]
    tmux.run("echo $((6 * 7))")  # echoed as it is typed: the terminal's own modes are back
    assert re.search(r"^\$ echo \$\(\(6 \* 7\)\)$", tmux.wait(r"^42$"), re.MULTILINE)


def test_the_first_line_and_the_links(top):
    screen = top.wait(r"^! ")
    keep(top, "top")
    lines = screen.splitlines()
    # The links, or a condition of the run where this machine is too slow, which may take a second line.
    assert re.search(r"^! (.*(frames are lost|hardly anything arrives)|[a-z ]+: )", lines[0])
    assert re.search(rf"^{RUN}  up 0\d:\d\d  sim 0\d:\d\d \(wall\)  in \d+/s  out \d+/s  lost [\d.]+ %  air ", screen,
                     re.MULTILINE)
    assert "\n[1 links]  2 ports   3 simulators   4 clock   5 conditions" in screen
    assert sorted(links(screen)) == sorted(f"{a} -> {b}" for a in ("base", "red", "blue") for b in
                                           ("base", "red", "blue") if a != b)
    assert lines[23].endswith("q quit")


def test_links_are_sorted_and_filtered(top):
    assert top.modes[1] == "0"
    top.press("Left")
    screen = top.wait(r"^linkv ")
    assert links(screen) == sorted(links(screen))
    top.press("r")
    screen = top.wait(r"^link\^ ")
    assert links(screen) == sorted(links(screen), reverse=True)
    top.press("r", "/")
    top.type("Base")
    screen = top.wait(r"^only lines with: base_", without="^red -> blue")
    assert links(screen) == ["base -> blue", "base -> red", "blue -> base", "red -> base"]
    top.press("Enter")
    top.wait(r"with 'base'")
    top.press("Escape")
    top.wait("red -> blue", without="with 'base'")


def test_a_link_says_why_it_is_bad(top):
    top.press("/")
    top.type("base -> red")
    top.press("Enter", "Enter")
    screen = top.wait(r"^Link base -> red: \d+ % of \d+ frames of the last ten seconds arrived\.")
    keep(top, "link")
    assert re.search(r"^configured_loss +#+\.+ +\d+ % +\d+  the link's configured loss", screen, re.MULTILINE)
    assert re.search(r"^SNR +\d+(\.\d+)? dB +PHY rate +[\d.]+ Mbit/s", screen, re.MULTILINE)
    assert re.search(r"^on the air +#*\.* +\d+ us", screen, re.MULTILINE)
    top.press("x")
    top.wait(r"^Link red -> base: ")
    top.press("Escape", "/", *["BSpace"] * 11)
    top.type("red -> blue")
    top.press("Enter", "Enter")
    top.wait(r"No line of sight: container \(metal\) stands between them\.")


def test_other_panels_and_help(top):
    top.press("2")
    top.wait(r"^red +topyard-red +af_xdp.* up$")
    top.press("3")
    top.wait(r"^physics +answers in ")
    top.press("4")
    top.wait(r"^clock +")
    top.press("5")
    top.wait(r"^(Nothing is wrong|! )")
    top.press("?")
    top.wait(r"^r +sort the other way round$")
    keep(top, "help")
    top.press("1")
    top.press("1")
    top.wait(r"^\[1 links\]")


def test_it_follows_the_size_of_the_terminal(top):
    top.resize(160, 50)
    screen = top.wait(r"frames/10s +power +tries lost +note$")
    assert screen.splitlines()[49].endswith("q quit")
    keep(top, "wide")
    top.resize(50, 10)
    screen = top.wait(r"^link +lossv +SNR", without="delay")
    assert screen.splitlines()[9].startswith("enter why is it bad?")
    top.resize(3, 2)
    top.resize(80, 24)
    top.wait(r"q quit$")


def test_nothing_is_cleared_while_values_change(top, tmp_path, running):
    written = tmp_path / "written"
    top.record(written)
    deadline = time.monotonic() + PATIENCE
    since = running.status().raw["uptime_s"]
    while running.status().raw["uptime_s"] < since + 5:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    said = written.read_bytes()
    assert said
    assert not re.search(rb"\x1b\[[023]?J", said), said


def test_q_gives_the_terminal_back(top):
    top.press("q")
    assert_restored(top, 0)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(top, ending):
    os.kill(process_of_top(), ending)
    assert_restored(top, 0)


def test_a_stop_gives_the_terminal_back_until_it_goes_on(top):
    top.press("C-z")
    top.wait(r"^\[1\] \+ Stopped", without=r"\[1 links\]")
    assert top.modes == ["0", "1"]
    top.run("fg")
    top.wait(r"^\[1 links\]")
    top.press("q")
    top.wait(r"^\$$")


def test_without_a_terminal_it_says_what_to_use(running, tmux):
    done = subprocess.run([program(), "top", RUN], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert "hilgate status" in done.stderr
    tmux.run(f"TERM=nonsense {program()} top {RUN}; echo ended $?")
    assert "the terminal 'nonsense' is not known here" in tmux.wait(r"^ended 1\n\$").replace("\n", "")


# Last: the run of the others would be in the way.
def test_a_gateway_that_goes_away_is_waited_for(tmux, lab, running):
    running.__exit__()
    tmux.run(f"{program()} top {RUN}; echo ended $?")
    tmux.wait(r"^! no answer for \d+ s: the gateway is not running; waiting for it")
    with gateway(lab):
        tmux.wait(r"base -> red +[234]\d %", without="no answer")
    tmux.wait(r"^! no answer for [1-9]\d* s: the gateway is not running; waiting for it")
    assert "base -> red" in tmux.screen  # as it was last
    with gateway(lab):
        tmux.wait(r"base -> red +[234]\d %", without="no answer")
    tmux.press("q")
    assert_restored(tmux, 0)
