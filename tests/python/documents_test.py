# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/how-to/python.md run as they stand there; so does the package beside them."""
import pathlib
import re
import socket
import subprocess
import sys

import pytest

import hilgate
from hilgate.run import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ROOT / "examples/first/two-robots.yaml"


def examples():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/how-to/python.md").read_text(), re.DOTALL)
    assert len(blocks) == 6
    return blocks


def run_code(code, folder):
    script = folder / "example.py"
    script.write_text(code)
    return subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_failsafe_example_passes_and_fails_where_it_should(pytester):
    conftest, test = examples()[:2]
    pytester.makeconftest(conftest)
    pytester.makepyfile(test_failsafe=test)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    # A robot without a failsafe is found out, and the report says what the gateway saw.
    pytester.makepyfile(test_failsafe=test.replace("> /dev/null; do", "> /dev/null || true; do").replace('"20"', '"3"'))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*hilgate's log*", "*hilgate's status*", "*\"run\": *"])


@pytest.mark.hilgate(FIRST)
def test_the_example_of_a_running_gateway(hilgate_lab, tmp_path):
    with hilgate_lab.lab.start("red", ["ping", "-q", "-i", "0.1", "-c", "300", "10.77.0.2"], stdout=-1) as ping:
        done = run_code(examples()[2], tmp_path)
        ping.terminate()
    assert done.returncode == 0, done.stderr
    assert hilgate_lab.gateway.get("links.red.blue.delay") == "1ms"


@pytest.mark.hilgate(FIRST)
def test_the_example_of_events_and_expectations(hilgate_lab, tmp_path):
    with hilgate_lab.lab.start("red", ["ping", "-q", "-i", "0.05", "-c", "600", "10.77.0.2"], stdout=-1) as ping:
        hilgate_lab.gateway.wait(lambda status: status.link("red", "blue").released > 2)
        done = run_code(examples()[3], tmp_path)
        ping.terminate()
    assert done.returncode == 0, done.stderr


def test_a_gateway_that_was_killed_is_none(hilgate_lab):
    run = hilgate_lab.gateway.run
    left = hilgate.control.FOLDER / f"{run}-killed.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
            dead.bind(str(left))
            dead.listen()
            with pytest.raises(hilgate.GatewayError, match=f"several gateways are running: .*{run}-killed"):
                hilgate.Gateway()
        assert hilgate.Gateway().run == run
    finally:
        left.unlink()


def test_events_come_as_they_happen_and_end_with_the_run(hilgate_lab):
    gateway = hilgate_lab.gateway
    events = gateway.events()
    gateway.change({"links.red.blue.loss": "10 %"})
    event = next(event for event in events if event["event"] == "set")
    assert event["values"] == ["links.red.blue.loss=10 %"] and event["sim_time_s"] >= 0
    subprocess.run(["ip", "link", "set", f"{gateway.run}-r", "down"], check=True)
    assert next(event for event in events if event["event"] == "condition" and event["about"] == "red")["text"]
    with gateway.events(every=0.1, keys=["robots", "run"]) as states:
        assert [set(next(states)["status"]) for _ in range(2)] == [{"robots", "run"}] * 2
    with pytest.raises(hilgate.GatewayError, match="every_s"):
        gateway.events(every=0.001)
    gateway._process.terminate()
    assert not [event for event in events if event["event"] == "set"]


def test_expectations_say_what_was_wrong(hilgate_lab):
    gateway = hilgate_lab.gateway
    with pytest.raises(AssertionError, match="red > blue: there was no frame to judge loss by"):
        with gateway.expect("red", "blue", loss={"at_most": "1 %"}, drops={"absent": ["queue_full"]}):
            pass
    with pytest.raises(ValueError, match="expects delay"):
        with gateway.expect(delay={}):
            pass
    with pytest.raises(ValueError, match="is not a number with one of the units"):
        with gateway.expect(loss={"at_most": "1"}):
            pass


def test_the_example_of_a_lab(tmp_path):
    (tmp_path / "field.yaml").write_text(FIRST.read_text())
    done = run_code(examples()[4], tmp_path)
    assert done.returncode == 0 and "3 received" in done.stdout, done.stdout + done.stderr


def test_set_puts_back_what_was_there_also_after_an_error(hilgate_lab):
    gateway = hilgate_lab.gateway
    gateway.change({"links.red.blue.delay": "3ms"})
    with pytest.raises(ZeroDivisionError):
        with gateway.set({"links.red.blue.delay": "7ms", "links.red.blue.loss": "50 %"}):
            assert gateway.get("links.red.blue.delay") == "7ms"
            raise ZeroDivisionError
    assert gateway.get("links.red.blue.delay") == "3ms"
    assert gateway.get("links.red.blue.loss") is None


def test_what_the_gateway_refuses_has_its_place(hilgate_lab):
    with pytest.raises(hilgate.GatewayError, match="needs one of ns, us, ms") as refused:
        hilgate_lab.gateway.change({"window": "1"})
    assert [(fault.path, fault.line) for fault in refused.value.faults] == [("window", None)]
    with pytest.raises(hilgate.GatewayError, match="is not running"):
        hilgate.Gateway("nobody").status()


def test_conditions_come_and_go(hilgate_lab):
    conditions = hilgate_lab.gateway.conditions(every=0.05)
    subprocess.run(["ip", "link", "set", f"{hilgate_lab.gateway.run}-r", "down"], check=True)
    for begins, condition in conditions:
        if begins and condition.about == "red":
            break
    subprocess.run(["ip", "link", "set", f"{hilgate_lab.gateway.run}-r", "up"], check=True)
    for begins, over in conditions:
        if not begins and over.name == condition.name:
            break


def test_a_configuration_that_is_wrong_says_why(tmp_path):
    (tmp_path / "wrong.yaml").write_text("name: wrong\nnetsim: {type: wire}\nports: 3\n")
    with pytest.raises(hilgate.GatewayError, match="wrong.yaml:3"):
        with hilgate.Run(tmp_path / "wrong.yaml"):
            pass
    assert program()
