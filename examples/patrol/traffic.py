# SPDX-License-Identifier: Apache-2.0
"""Programs that send through the gateway: a saturating TCP flow red -> blue, and a UDP probe of one-way delay and
loss."""

import ctypes
import re
import signal
import subprocess
import threading
import time

TCP_PORT, TCP_CLIENT_PORT, PROBE_PORT = 5201, 5202, 5005
# TCP's window: little more than the way and its queue hold, so that a slow start does not overrun them. The route
# sets it, because what a socket buffer of some size means for the window differs between kernels.
TCP_WINDOW_BYTES = 65536
PROBE_INTERVAL_S = 0.01
# The summary at the end looks the same but for a word after it.
INTERVAL_LINE = re.compile(r"\]\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+ \w+\s+([\d.]+) Kbits/sec\s*$")


class RunFailed(Exception):
    """What failed, for the person who started the run."""


def die_with_parent():
    """In a child before exec: end when the driver ends, however it ends."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Program:
    """A program in a robot's namespace. Its output is read as it comes; stop() ends it by its own process id."""

    def __init__(self, name, command, on_line=None):
        self.name, self.lines, self._on_line = name, [], on_line
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, preexec_fn=die_with_parent)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line.rstrip())
            if self._on_line:
                self._on_line(line)

    def running(self):
        return self._process.poll() is None

    def wait_for(self, condition, seconds, what):
        deadline = time.monotonic() + seconds
        while not condition():
            if not self.running():
                self._reader.join(2)
                raise RunFailed(f"{self.name} ended before {what}; output: {self.said()}")
            if time.monotonic() > deadline:
                raise RunFailed(f"{self.name}: no {what} within {seconds} s; output: {self.said()}")
            time.sleep(0.01)

    def said(self):
        return " / ".join(self.lines[-5:]) or "nothing"

    def finish(self, seconds):
        """Waits for its own end; after that, ends it."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.stop()

    def stop(self):
        if self.running():
            self._process.terminate()
            try:
                self._process.wait(2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(2)


def introduce(lab_exec, robots):
    """Tells two robots about each other: {name: (address, MAC)}. Their neighbour entries are fixed, because ARP's
    timers of a second and more do not shrink with a patrol of 20 seconds."""
    (red, blue), other = robots, dict(zip(robots, reversed(robots)))
    for name in (red, blue):
        address, mac = robots[other[name]]
        batch = (f"neigh replace {address} lladdr {mac} dev eth0 nud permanent\n"
                 f"route replace {address}/32 dev eth0 window {TCP_WINDOW_BYTES}\n")
        done = subprocess.run(lab_exec(name) + ["ip", "-batch", "-"], input=batch, capture_output=True, text=True)
        if done.returncode != 0:
            raise RunFailed(f"{name}: 'ip -batch' failed: {done.stderr.strip()}")


class TcpFlow:
    """iperf3 from red to blue. What counts is what blue's side receives, interval by interval."""

    def __init__(self, lab_exec, interval_s, longest_s):
        """Makes the server, which needs no gateway. start() begins the flow."""
        self._lab_exec, self._interval_s, self._longest_s, self._client = lab_exec, interval_s, longest_s, None
        self.intervals = []  # (end on CLOCK_MONOTONIC as it was read, begin_s, end_s, Mbit/s)
        self._server = Program("iperf3 server", lab_exec("blue") + [
            "iperf3", "--server", "--one-off", "--port", str(TCP_PORT), "--interval", str(interval_s), "--format", "k",
            "--forceflush", "--rcv-timeout", str(int(longest_s * 1000) + 60_000)], self._take)
        self._server.wait_for(lambda: any("listening" in line for line in self._server.lines), 10, "listening")

    def start(self, to):
        self._client = Program("iperf3 client", self._lab_exec("red") + [
            "iperf3", "--client", to, "--port", str(TCP_PORT), "--cport", str(TCP_CLIENT_PORT), "--congestion", "cubic",
            "--time", str(int(self._longest_s) + 60), "--interval", "1", "--forceflush"])
        self._client.wait_for(lambda: self.intervals, 15, "data at the receiver")

    def _take(self, line):
        found = INTERVAL_LINE.search(line)
        if found:
            begin, end, kbits = map(float, found.groups())
            self.intervals.append((time.monotonic(), begin, end, kbits / 1000))

    def check(self):
        for program in (self._server, self._client):
            if not program.running():
                raise RunFailed(f"{program.name} ended before the patrol; output: {program.said()}")

    def rates(self):
        """(middle of the interval on CLOCK_MONOTONIC, Mbit/s). Lines are read late, never early, so the earliest is the
        one that gives the start of the flow. A late one may be followed by a very short one, which is skipped."""
        began = min(read - end for read, _, end, _ in self.intervals)
        return [(began + (begin + end) / 2, rate) for _, begin, end, rate in self.intervals
                if end - begin > 0.5 * self._interval_s]

    def stop(self):
        # Its last message to the server crosses an air that may be dead, so it is not awaited.
        if self._client:
            self._client.stop()
        self._server.stop()


class Probe:
    """hilgate probe from red to blue."""

    def __init__(self, lab_exec, hilgate, csv):
        """Makes the receiver, which needs no gateway. start() begins to send."""
        self._lab_exec, self._hilgate, self._sender, self._rows, self._rest = lab_exec, hilgate, None, [], ""
        csv.unlink(missing_ok=True)  # an earlier run's would be taken for this one's
        self._receiver = Program("probe receiver", lab_exec("blue") + [
            hilgate, "probe", "receive", "--port", str(PROBE_PORT), "--csv", str(csv)])
        self._receiver.wait_for(lambda: csv.exists() and csv.stat().st_size > 0, 10, "listening")
        self._file = open(csv, encoding="ascii")
        self._file.readline()

    def start(self, to, duration_s):
        self._sender = Program("probe sender", self._lab_exec("red") + [
            self._hilgate, "probe", "send", "--to", to, "--port", str(PROBE_PORT),
            "--interval", f"{PROBE_INTERVAL_S * 1000:.0f}ms", "--duration", f"{duration_s * 1000:.0f}ms"])

    def check(self):
        if not self._sender.running() and "sent" not in self._sender.said():
            raise RunFailed(f"the probe sender ended; output: {self._sender.said()}")
        if self._sender.running() and not self._receiver.running():  # it ends by itself after the sender's last
            raise RunFailed(f"the probe receiver ended; output: {self._receiver.said()}")

    def rows(self):
        """What has been written so far: (sent on CLOCK_MONOTONIC, delay in s or None for a lost one)."""
        if not self._file.closed:
            self._read()
        return self._rows

    def _read(self):
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        for line in lines:
            sent, delay, _, lost = line.split(",")
            self._rows.append((float(sent), None if lost == "1" else float(delay)))

    def finish(self):
        self._sender.finish(5)
        self._receiver.finish(5)  # it waits two seconds for the last ones

    def stop(self):
        if self._sender:
            self._sender.stop()
        self._receiver.stop()
        self.rows()
        self._file.close()
