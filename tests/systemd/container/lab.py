# SPDX-License-Identifier: Apache-2.0
"""A gateway of the container with its two robots, and how a list of tests is run."""
import os
import sys
import traceback

from container import CannotRun, SKIPPED, until

LAB = """name: {name}
ports:
  red-port: {{interface: {prefix}-red{port}}}
  blue-port: {{interface: {prefix}-blue{port}}}
robots:
  red: {{port: red-port, mac: 02:68:67:0a:{subnet:02x}:01, ip: 10.99.{subnet}.1{robot}}}
  blue: {{port: blue-port, mac: 02:68:67:0a:{subnet:02x}:02, ip: 10.99.{subnet}.2{robot}}}
{rest}
lab: {{}}
"""
WIRE = "netsim: {type: wire}"


class Lab:
    """A gateway hilgate@NAME and its two robots."""

    def __init__(self, container, name, subnet, rest=WIRE, port="", robot=""):
        self.container, self.name, self.subnet = container, name, subnet
        self.unit, self.file = f"hilgate@{name}", f"/etc/hilgate/{name}.yaml"
        self.parts = {"port": port, "robot": robot, "rest": rest}
        self.write()
        container(f"hilgate lab up {self.file}")

    def write(self, **changed):
        self.parts.update(changed)
        text = LAB.format(name=self.name, prefix=f"h{self.subnet}", subnet=self.subnet, **self.parts)
        self.container.write(self.file, text)

    def start(self):
        self.container(f"systemctl start {self.unit} || (journalctl -u {self.unit} -o cat; exit 1)")
        return self

    def pid(self):
        return self.container.show(self.unit, "MainPID")

    def reaches(self):
        ping = f"hilgate lab exec {self.file} red -- ping -q -c 1 -W 1 10.99.{self.subnet}.2"
        return self.container(ping, check=False).returncode == 0

    def await_traffic(self):
        until(f"traffic through {self.unit}", self.reaches)

    def close(self):
        self.container(f"systemctl stop {self.unit}; systemctl reset-failed {self.unit} || true")
        self.container(f"hilgate lab down {self.file}", check=False)


def check(good, what):
    if not good:
        raise AssertionError(what)


def run(tests, make, names):
    """Runs those of `tests` that `names` has, or all, in a container of make(); returns the exit status."""
    if "HILGATE_OWN_MOUNTS" not in os.environ:  # what is mounted here is gone with this process
        os.environ["HILGATE_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv])
    try:
        container = make()
    except CannotRun as why:
        print(f"SKIPPED: no test in a real systemd here: {why}")
        return SKIPPED
    failed = []
    try:
        for test in tests:
            if names and test.__name__ not in names:
                continue
            print(test.__name__.replace("_", " "), flush=True)
            try:
                test(container)
            except Exception:
                traceback.print_exc()
                failed.append(test.__name__)
                said = container("journalctl -o short-monotonic --no-pager -n 60; ls -lR /run/hilgate", check=False)
                print(said.stdout)
    finally:
        container.close()
    print("failed: " + ", ".join(failed) if failed else "all held")
    return 1 if failed else 0
