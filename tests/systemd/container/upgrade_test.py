#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""upgrade_test.py DEBS_DIR [NAME...]: the packages of tests/packaging/make_packages.sh in a real systemd: installed,
upgraded while robots talk, removed."""
import glob
import os
import re
import shutil
import sys

from container import Container, until
from lab import check, Lab, run

PING = 0.01  # seconds between packets
OURS = "/opt/test"  # the container has a /tmp of its own


class Stream:
    """Pings from red to blue, every 10 ms, from when this is made until its end."""

    def __init__(self, lab):
        self.lab, self.unit, self.log = lab, f"pings-{lab.name}", f"{OURS}/pings-{lab.name}"
        ping = f"hilgate lab exec {lab.file} red -- ping -i {PING} -W 1 10.99.{lab.subnet}.2"
        lab.container(f": >{self.log}; systemd-run --quiet --collect --unit {self.unit} "
                      f"-p StandardOutput=file:{self.log} -p KillSignal=SIGINT {ping}")
        until("pings", lambda: len(self.numbers()) > 20)

    def numbers(self):
        with open(self.lab.container.path(self.log)) as file:
            return sorted({int(number) for number in re.findall(r"icmp_seq=(\d+) .*time=", file.read())})

    def longest_gap(self):
        """Ends it; the longest time in seconds of which all packets were lost."""
        end = self.numbers()[-1]
        until("pings at the end", lambda: self.numbers()[-1] > end + 20)
        numbers = self.numbers()
        self.lab.container(f"systemctl stop {self.unit}")
        return max(after - before for before, after in zip(numbers, numbers[1:])) * PING


def install(container, package):
    shutil.copy(package, container.path(OURS))
    container(f"DEBIAN_FRONTEND=noninteractive dpkg --force-unsafe-io -i {OURS}/{os.path.basename(package)}")


def version_of(container):
    return container("dpkg-query -W -f '${Version}' hilgate").stdout


def installs_what_starts_when_it_is_told_to(container):
    install(container, PACKAGE)
    check(container("systemctl is-enabled hilgate.service", check=False).stdout.strip() == "disabled", "it is enabled")
    check(not container.is_active("hilgate.service"), "it runs before its configuration knows this machine's ports")
    check(container("stat -c '%U:%G %a' /run/hilgate").stdout.strip() == "hilgate:hilgate 750", "the sockets' folder")
    container("hilgate check /etc/hilgate/hilgate.yaml")
    container("systemd-analyze verify hilgate.service hilgate@x.service")


def upgrades_under_traffic(container):
    container("echo '# edited' >>/etc/hilgate/hilgate.yaml")
    # One whose robots are cut off while it restarts, and one whose fail mode is a wire.
    plain, wired = Lab(container, "plain", 1).start(), Lab(container, "wired", 2, port=", fail: wire").start()
    plain.await_traffic()
    wired.await_traffic()
    stream = Stream(plain)
    container(f"systemctl restart {plain.unit}")
    plain.await_traffic()
    restart = stream.longest_gap()
    before = [(lab, lab.pid(), Stream(lab)) for lab in (plain, wired)]
    install(container, NEXT)
    check(version_of(container).endswith("+next"), f"the version is {version_of(container)}")
    gaps = []
    for lab, pid, stream in before:
        until(f"{lab.unit} is up again", lambda: container.is_active(lab.unit) and lab.pid() not in ("0", pid))
        lab.await_traffic()
        gaps.append(stream.longest_gap())
        check(container.show(lab.unit, "NRestarts") == "0", f"{lab.unit} failed on its way")
    print(f"    without packets: restart {restart:.2f} s; upgrade {gaps[0]:.2f} s, with fail: wire {gaps[1]:.2f} s")
    check(gaps[0] <= 2 * restart + 1, "the upgrade's gap is longer than a restart's, with a margin for a busy machine")
    check(gaps[1] < gaps[0], "the wire did not carry what the gateway could not")
    check(container("tail -n1 /etc/hilgate/hilgate.yaml").stdout.strip() == "# edited", "the configuration is another")
    container("hilgate check /etc/hilgate/hilgate.yaml")
    plain.close()
    wired.start()  # removal finds one that runs
    wired.await_traffic()


def removes_what_runs_and_purges_the_rest(container):
    container("dpkg -r hilgate")
    check(not container.is_active("hilgate@wired"), "a gateway runs without its program")
    check(container("pgrep -x hilgated", check=False).returncode != 0, "a process is left")
    check(os.path.exists(container.path("/etc/hilgate/hilgate.yaml")), "the configuration belongs to purging")
    container("rm /etc/hilgate/plain.yaml /etc/hilgate/wired.yaml; dpkg -P hilgate")
    left = container("ls -d /run/hilgate /sys/fs/bpf/hilgate 2>/dev/null || true").stdout.split()
    left += [path for path in container.written("*hilgate*")
             if not path.startswith((OURS, "/etc/systemd/system/hilgate-test.target"))]
    check(not left, f"purging left {left}")


TESTS = [installs_what_starts_when_it_is_told_to, upgrades_under_traffic, removes_what_runs_and_purges_the_rest]


def bare_container():
    container = Container()
    os.makedirs(container.path(OURS))
    policy = container.path("/usr/sbin/policy-rc.d")  # images of containers forbid packages to start services
    if os.path.lexists(policy):
        os.remove(policy)
    return container


if __name__ == "__main__":
    PACKAGE, = glob.glob(sys.argv[1] + "/hilgate_*.deb")
    NEXT, = glob.glob(sys.argv[1] + "/next/hilgate_*.deb")
    sys.exit(run(TESTS, bare_container, sys.argv[2:]))
