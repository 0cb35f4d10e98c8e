#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""service_test.py BUILD_DIR [NAME...]: the installed units in a real systemd, with real robots in namespaces."""
import json
import re
import sys

from container import Container, until
from lab import check, LAB, Lab, run, WIRE

SECURITY = 3.0  # exposure by systemd-analyze security; 2.4 when this was written


def starts_as_user_hilgate(container):
    lab = Lab(container, "plain", 1).start()
    lab.await_traffic()
    user = container(f"stat -c %U /proc/{lab.pid()}").stdout.strip()
    check(user == "hilgate", f"the service runs as {user}")
    said = container(f"systemd-analyze security --no-pager {lab.unit}").stdout.strip().splitlines()[-1]
    print("   ", said)
    check(float(said.split(":")[1].split()[0]) <= SECURITY, f"exposure is above {SECURITY}: {said}")
    lab.close()


def reloads_without_a_new_process(container):
    lab = Lab(container, "reload", 2).start()
    lab.await_traffic()
    pid = lab.pid()
    lab.write(rest=WIRE + "\nlinks: [{from: red, to: blue, loss: 100 %}]")
    container(f"systemctl reload {lab.unit}")
    until("the reloaded loss", lambda: not lab.reaches())
    lab.write(rest=WIRE)
    container(f"systemctl reload {lab.unit}")
    lab.await_traffic()
    lab.write(rest="netsim: {type: wire, colour: red}")
    container(f"systemctl reload {lab.unit}")
    until("the refusal in the journal",
          lambda: "reload refused, the configuration is unchanged" in container.journal(lab.unit))
    lab.write(rest=WIRE)  # `hilgate lab exec` reads the file, too
    lab.await_traffic()
    check(lab.pid() == pid, "it is another process")
    lab.close()


def comes_back_after_sigkill_with_the_fail_mode_meanwhile(container):
    lab = Lab(container, "killed", 3, port=", fail: wire").start()
    lab.await_traffic()
    container("mkdir -p /etc/systemd/system/hilgate@killed.service.d; "
              "printf '[Service]\\nRestartSec=5\\n' >/etc/systemd/system/hilgate@killed.service.d/slow.conf; "
              "systemctl daemon-reload")
    before = lab.pid()
    container(f"kill -KILL {before}")
    until("systemd's word that the process has ended", lambda: lab.pid() != before)
    until("traffic by the fail mode", lab.reaches)
    check(lab.pid() == "0", "the service was back before the fail mode was seen; RestartSec is 5 s")
    until("the restart", lambda: container.is_active(lab.unit))
    check(lab.pid() != before and container.show(lab.unit, "NRestarts") == "1", "it is not a restart")
    lab.await_traffic()
    lab.close()


def follows_a_port_that_goes_and_comes(container):
    lab = Lab(container, "ports", 9).start()
    lab.await_traffic()
    pid = lab.pid()
    check(container.is_active("hilgate-close@ports"), "the unit that closes ports did not run")
    check("network-pre.target" in container.show("hilgate-close@ports", "Before"), "it comes after the network")

    def state():
        return json.loads(container("hilgate status ports --json").stdout)["ports"][0]["state"]

    container("ip link set h9-red down")
    until("the port is down", lambda: state() == "down")
    container("ip link set h9-red up")
    until("the port is up", lambda: state() == "up")
    lab.await_traffic()
    check(lab.pid() == pid, "it is another process")
    container("ip link delete h9-red")
    until("the port is absent", lambda: state() == "absent")
    check("are open to the kernel" not in container.journal(lab.unit), "the sandbox refuses rules of nf_tables")
    lab.close()


def is_restarted_by_the_watchdog(container):
    lab = Lab(container, "watched", 4)
    container.write("/etc/systemd/system/hilgate@watched.service.d/quick.conf",
                    "[Service]\nWatchdogSec=3\nTimeoutAbortSec=1\n")
    container("systemctl daemon-reload")
    lab.start().await_traffic()
    before = lab.pid()
    container(f"kill -STOP {before}")
    until("the watchdog's restart",
          lambda: container.show(lab.unit, "NRestarts") == "1" and container.is_active(lab.unit))
    check("Watchdog timeout" in container.journal(lab.unit), "the journal does not name the watchdog")
    lab.await_traffic()
    lab.close()


def is_open_to_simulators_of_the_group_alone(container):
    container("useradd --no-create-home --groups hilgate alice; useradd --no-create-home eve")
    lab = Lab(container, "native", 5, rest="netsim: {type: native, patience: 0s}").start()
    socket = "/run/hilgate/native/netsim.sock"
    check(container(f"stat -c '%U:%G %a' {socket}").stdout.strip() == "hilgate:hilgate 660", "rights of the socket")
    check(container("stat -c '%G %a' /run/hilgate/native").stdout.strip() == "hilgate 770", "rights of the folder")
    status = json.loads(container("hilgate status native --json").stdout)
    sockets = [one["sockets"] for one in status["window"]["simulators"]]
    check(["unix:" + socket] in sockets, f"the status names no socket: {sockets}")
    check(socket in container("hilgate status native").stdout, "the printed status names no socket")
    simulator = "hilgate sim network --protocol native --run native"
    said = container(f"timeout 3 setpriv --reuid eve --regid eve --clear-groups {simulator} 2>&1", check=False).stdout
    check(f"connecting to unix:{socket}: Permission denied; be root or in the group hilgate" in said, said)
    # Where the modes admit her, the kernel still says who she is.
    container(f"chmod 711 /run/hilgate /run/hilgate/native; chmod 666 {socket}")
    said = container(f"timeout 3 setpriv --reuid eve --regid eve --clear-groups {simulator} 2>&1", check=False).stdout
    until(f"the refusal in the journal; the simulator's output: {said}",
          lambda: "netsim: refused a connection at " in container.journal(lab.unit))
    stranger = " of user eve; only root, this user and the group hilgate are accepted"
    check(stranger in container.journal(lab.unit), "the journal does not name the user")
    container(f"chmod 750 /run/hilgate; chmod 770 /run/hilgate/native; chmod 660 {socket}")
    container(f"systemd-run --unit alice --uid alice --gid alice {simulator} --stay")
    lab.await_traffic()
    said = container(f"{simulator.replace('sim network', 'sim network --listen')} 2>&1", check=False).stdout
    check(f"another process is listening on unix:{socket}: process " in said and "of user hilgate" in said, said)
    container("systemctl stop alice")
    lab.close()


def runs_simulator_units_with_their_gateway(container):
    lab = Lab(container, "sims", 6, rest="netsim: {type: native, patience: 0s}")
    container.write("/etc/hilgate/sims.serve.yaml", LAB.format(
        name="air", prefix="h6", subnet=6, port="", robot=", radio: wifi_11n_2g4_adhoc",
        rest="physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], "
             "blue: [{at: 0s, position: [5m, 0m, 1m]}]}}\nnetsim: {type: embedded}"))
    unit = "hilgate-serve@sims"
    container(f"systemctl enable {unit}")
    lab.start()
    until("the simulator's unit", lambda: container.is_active(unit))
    lab.await_traffic()
    first = container.show(unit, "MainPID")
    container(f"kill -KILL {first}")
    until("its restart", lambda: container.is_active(unit) and container.show(unit, "MainPID") not in ("0", first))
    lab.await_traffic()
    said = until("its entries", lambda: [entry for entry in container.entries(f"_SYSTEMD_UNIT={unit}.service")
                                         if "connected" in entry["MESSAGE"]])
    check(all((entry["PRIORITY"], entry.get("HILGATE_RUN")) == ("6", "sims") for entry in said), f"entries: {said}")
    container(f"systemctl stop {lab.unit}")
    until("it stops with its gateway", lambda: not container.is_active(unit))
    container(f"systemctl disable {unit}")
    lab.close()


ROAMING = """physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}],
                                         blue: [{at: 0s, position: [5m, 0m, 1m]}]}}
netsim: {type: embedded, access_points: {mast: {position: [2m, 0m, 3m], radio: wifi_11n_2g4_adhoc}}}"""


def writes_entries_with_priority_run_port_and_robot(container):
    lab = Lab(container, "told", 9, rest=ROAMING, robot=", radio: wifi_11n_2g4_adhoc").start()
    lab.await_traffic()
    lab.write(rest=ROAMING + "\nwindow: 12")
    container(f"systemctl reload {lab.unit}")
    ours = f"_SYSTEMD_UNIT={lab.unit}.service HILGATE_RUN=told"
    entries = until("the refused reload", lambda: [one for one in [container.entries(ours)]
                                                   if any("reload refused" in entry["MESSAGE"] for entry in one)])[0]
    for entry in entries:
        check(re.search(r"\d\d:\d\d:\d\d|\[(info|warning|error)\]", entry["MESSAGE"]) is None,
              f"a time stamp or level of its own: {entry['MESSAGE']}")
        expected = "3" if "reload refused" in entry["MESSAGE"] else "46"
        check(entry["PRIORITY"] in expected, f"priority {entry['PRIORITY']}: {entry['MESSAGE']}")

    def about(field, value):
        return [entry["MESSAGE"] for entry in entries if entry.get(field) == value]
    check(about("HILGATE_PORT", "red-port")[0].startswith("port red-port: "), f"of the port: {entries}")
    check("is associated with access point mast" in about("HILGATE_ROBOT", "blue")[0], f"of the robot: {entries}")
    check(not any("HILGATE_PORT" in entry and "HILGATE_ROBOT" in entry for entry in entries), "two subjects")
    lab.write(rest=ROAMING)
    lab.close()


def check_stays_down(container, unit):
    # A unit that is to be started again is never in the state `failed`, but in `auto-restart`.
    check(container.show(unit, "SubState") == "failed", "it is to be started again")
    check(container.show(unit, "NRestarts") == "0", "it was started again")


def says_every_fault_of_a_wrong_configuration_and_stays_down(container):
    container.write("/etc/hilgate/wrong.yaml", "name: wrong\nports: {p: {interface: lo, colour: red}}\n"
                    "robots: {red: {port: q}}\nwindow: 12\nnetsim: {type: wire}\n")
    container("systemctl start hilgate@wrong", check=False)
    check(container.show("hilgate@wrong", "ExecMainStatus") == "2", "exit status")
    check_stays_down(container, "hilgate@wrong")
    entries = container.entries("_SYSTEMD_UNIT=hilgate@wrong.service")
    faults = [entry["MESSAGE"] for entry in entries if "/etc/hilgate/wrong.yaml:" in entry["MESSAGE"]]
    for about in ("'colour'", "'12'", "'q'"):
        check(len([fault for fault in faults if about in fault]) == 1, f"one entry about {about}: {faults}")
    check(all("\n" not in fault for fault in faults), "an entry of several lines")
    check(all(entry["PRIORITY"] == "3" for entry in entries if entry["MESSAGE"] in faults), f"priorities: {entries}")


def says_who_has_its_ports_and_stays_down(container):
    lab = Lab(container, "first", 10).start()
    container(f"sed 's/^name: first/name: second/' {lab.file} >/etc/hilgate/second.yaml")
    container("systemctl start hilgate@second", check=False)
    check(container.show("hilgate@second", "ExecMainStatus") == "2", "exit status")
    entries = container.entries("_SYSTEMD_UNIT=hilgate@second.service HILGATE_RUN=second PRIORITY=3")
    for port, interface in (("red-port", "h10-red"), ("blue-port", "h10-blue")):
        who = (f"ports.{port}.interface: '{interface}' is the port '{port}' of the run 'first', process {lab.pid()} "
               "(hilgated) of user hilgate in hilgate@first.service; stop that run, or use another")
        check(len([entry for entry in entries if who in entry["MESSAGE"]]) == 1, f"'{who}' in {entries}")
    check_stays_down(container, "hilgate@second")
    lab.await_traffic()
    container("systemctl reset-failed hilgate@second")
    lab.close()


def finds_the_host_as_the_service_sees_it(container):
    lab = Lab(container, "sight", 11)
    dropin = "/etc/systemd/system/hilgate@sight.service.d/fewer.conf"
    said = container(f"hilgate doctor --service {lab.file} 2>&1", check=False).stdout
    check("as hilgate@sight.service sees this host: user hilgate" in said, said)
    check(re.search(r"ok +rights +complete", said) is not None, said)
    for about in ("kernel", "port red-port"):
        check(about in said, f"the doctor says nothing of {about}: {said}")
    check(re.search(r"lab rights +without CAP_SYS_ADMIN", said) is not None, f"it is root: {said}")
    container.write(dropin, "[Service]\nCapabilityBoundingSet=~CAP_NET_RAW\nAmbientCapabilities=~CAP_NET_RAW\n")
    container("systemctl daemon-reload")
    said = container(f"hilgate doctor --service {lab.file} 2>&1", check=False)
    check(re.search(r"fail +rights +without CAP_NET_RAW", said.stdout) is not None, f"the drop-in: {said.stdout}")
    check(said.returncode == 1, f"status {said.returncode}")
    said = json.loads(container(f"hilgate doctor --service --json {lab.file}", check=False).stdout)
    check({"name": "rights", "state": "fail"}.items() <= said["checks"][0].items(), f"{said['checks'][0]}")
    container("id eve >/dev/null 2>&1 || useradd --no-create-home eve")
    said = container(f"setpriv --reuid eve --regid eve --clear-groups hilgate doctor --service {lab.file} 2>&1",
                     check=False)
    check(said.returncode == 1 and "run it with sudo" in said.stdout, said.stdout)
    lab.close()


def serves_metrics_as_a_user_of_its_own(container):
    lab = Lab(container, "measured", 12).start()
    container("systemctl start hilgate-metrics")
    fetch = ("python3 -c 'from urllib.request import urlopen; "
             'print(urlopen("http://127.0.0.1:9477/metrics").read().decode())\'')
    until("its metrics", lambda: 'hilgate_up{run="measured"} 1' in container(fetch, check=False).stdout)
    user = container(f"stat -c %U /proc/{container.show('hilgate-metrics', 'MainPID')}").stdout.strip()
    check(user not in ("root", "hilgate"), f"it runs as {user}")
    container(f"kill -KILL {lab.pid()}; systemctl stop {lab.unit}")
    until("that the run is down", lambda: 'hilgate_up{run="measured"} 1' not in container(fetch).stdout)
    container("systemctl stop hilgate-metrics")
    lab.close()


TESTS = [starts_as_user_hilgate, reloads_without_a_new_process,
         comes_back_after_sigkill_with_the_fail_mode_meanwhile, follows_a_port_that_goes_and_comes,
         is_restarted_by_the_watchdog,
         is_open_to_simulators_of_the_group_alone, writes_entries_with_priority_run_port_and_robot,
         runs_simulator_units_with_their_gateway,
         says_every_fault_of_a_wrong_configuration_and_stays_down, says_who_has_its_ports_and_stays_down,
         finds_the_host_as_the_service_sees_it, serves_metrics_as_a_user_of_its_own]


if __name__ == "__main__":
    sys.exit(run(TESTS, lambda: Container(sys.argv[1]), sys.argv[2:]))
