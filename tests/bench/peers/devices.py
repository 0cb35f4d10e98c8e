# SPDX-License-Identifier: Apache-2.0
"""What side_by_side.py puts between two robots: hilgate, and what people use instead. A device is made to work by its
constructor, and is gone after end(). `ends` are where `hilgate bench stream` sends and hears."""

import os
import pathlib
import shutil
import signal
import subprocess

from bench_rig import Gateway, run

BETWEEN_ROBOTS = ("red:eth0", "blue:eth0")
BRIDGE_PORTS = ("hg-red", "hg-blue")
NOBODY = 65534


class Missing(Exception):
    """Why a peer cannot be measured here."""


def forwarding_processor():
    """The one that `hilgate bench stream` leaves alone; None where there is a single one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[-1] if len(allowed) > 1 else None


def need(program, hint):
    found = shutil.which(program)
    if not found:
        raise Missing(f"there is no {program}: {hint}")
    return found


class Program:
    """A program that is ready when it has written a line, which is `said`."""

    def __init__(self, command, ready=True, **how):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        self.said = self.process.stdout.readline().strip() if ready else ""
        if ready and (not self.said or self.process.poll() is not None):
            rest = self.process.stdout.read()
            raise Missing(f"{command[0]} does not run: {(self.said + ' ' + rest).strip()}")

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.communicate()


class Hilgate:
    """`lines` of its configuration say what a link does."""

    ends = BETWEEN_ROBOTS

    def __init__(self, rig, lines):
        cpu = forwarding_processor()
        loop = [f"packet_loop: {{cpu: {cpu}}}"] if cpu is not None else []
        if rig.realtime:
            loop = ["scheduling: realtime", "packet_loop: {idle: sleep}"]
        file = rig.folder / "hilgate.yaml"
        file.write_text(rig.robots.configuration("side-by-side", "netsim: {type: wire}", *loop, *lines),
                        encoding="utf-8")
        self.gateway = Gateway(rig.hilgate, file)

    def end(self):
        self.gateway.end()


class Socat:
    """A relay in user space, a system call in and one out for each frame. It has no delay."""

    ends = BETWEEN_ROBOTS

    def __init__(self, rig):
        program = need("socat", "apt-get install socat")
        self.program = Program([*rig.first(1), program, "-b65536", *(f"INTERFACE:{port}" for port in BRIDGE_PORTS)],
                               ready=False)
        rig.wait_for_frames(self)

    def end(self):
        self.program.end()


class Ns3:
    """ns-3 in real time: packet sockets, a bridge and a channel with a delay; ns3_link.cc."""

    ends = BETWEEN_ROBOTS

    def __init__(self, rig):
        program = pathlib.Path(rig.hilgate).parent / "ns3_link"
        if not program.exists():
            raise Missing(f"{program} is not built: cmake --build BUILD --target ns3_link, with libns3-dev")
        self.program = Program([*rig.first(1), str(program), *BRIDGE_PORTS, str(rig.delay_us)])

    def end(self):
        self.program.end(signal.SIGKILL)


class Netem:
    """The kernel's qdisc on the way out of a bridge. Frames that come in are bridged on the processor that hilgate's
    packet loop has, and not on the one that sends them."""

    ends = BETWEEN_ROBOTS

    def __init__(self, rig):
        cpu = forwarding_processor()
        steering = f" && echo {1 << cpu:x} > /sys/class/net/hg-red/queues/rx-0/rps_cpus" if cpu is not None else ""
        try:
            run("{ ip link add br0 type bridge forward_delay 0 mcast_snooping 0 && ip link set br0 up"
                " && ip link set hg-red master br0 && ip link set hg-blue master br0"
                f" && tc qdisc add dev hg-blue root netem delay {rig.delay_us}us limit 1000000{steering};"
                " } 2>/dev/null")
        except subprocess.CalledProcessError as error:
            subprocess.run(["ip", "link", "del", "br0"], check=False)
            raise Missing("this kernel has no netem") from error
        rig.wait_for_frames(self)

    def end(self):
        run("tc qdisc del dev hg-blue root; ip link del br0; echo 0 > /sys/class/net/hg-red/queues/rx-0/rps_cpus")


class MahimahiShell:
    """A shell of Mahimahi: a TUN interface here and one in a namespace of its own. Frames have no MAC header there."""

    def __init__(self, rig, shell, kind, *arguments):
        if rig.mahimahi is None:
            raise Missing("Mahimahi is not in Debian 12: --mahimahi FOLDER names one with its programs")
        program = rig.mahimahi / shell
        if not program.exists():
            raise Missing(f"there is no {program}")
        need("iptables", "apt-get install iptables")
        need("dnsmasq", "apt-get install dnsmasq-base")
        # They want to be setuid root and started by somebody else; this copy is in a mount namespace of ours.
        copy = rig.private / shell
        shutil.copy(program, copy)
        os.chmod(copy, 0o4755)
        run("sysctl -qw net.ipv4.ip_forward=1")
        inside = "echo $$; exec sleep 1000000"
        self.program = Program([*rig.first(1), "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                                str(copy), *arguments, "/bin/sh", "-c", inside], start_new_session=True)
        if not self.program.said.isdigit():
            self.program.end()
            raise Missing(f"{shell} does not run: {self.program.said}")
        self.inside = int(self.program.said)
        self.ends = (f":{kind}-{self.program.process.pid}", f"/proc/{self.inside}/ns/net:ingress")

    def end(self):
        os.kill(self.inside, signal.SIGKILL)  # its command's end is the shell's
        try:
            self.program.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.program.process.pid, signal.SIGKILL)
        self.program.process.communicate()


class MahimahiDelay(MahimahiShell):
    def __init__(self, rig):
        super().__init__(rig, "mm-delay", "delay", str(rig.delay_us // 1000))


class MahimahiLink(MahimahiShell):
    """Its trace says how many packets of 1504 bytes go in each millisecond: that of a link with an even rate."""

    def __init__(self, rig):
        trace = rig.private / "even"
        trace.write_text("1\n" * (rig.link_mbps // 12), encoding="ascii")
        os.chmod(trace, 0o644)
        super().__init__(rig, "mm-link", "link", str(trace), str(trace), "--")
