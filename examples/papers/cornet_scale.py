#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fig. 7: processor time and memory by the number of robots, 2 to 20 and 64, at one access point with a message broker.

Robots move in circles around the access point and publish their position ten times a second to mosquitto, which is on
the access point's cable; a subscriber beside it gets all of it. Measured are the gateway's threads (its control thread,
"hilgate", computes the radio models; "hilgate-loop" is the packet loop) and the broker, on whatever machine it runs."""

import math
import pathlib
import subprocess
import sys
import time

import experiment
import numpy as np
from datagrams import address_of
from experiment import BAD, plt

EVERY_S, SETTLE_S = 0.1, 3.0


def lay_out(run, count):
    robots = {"broker": {"wired": True}, **{f"r{number}": {"radio": "wifi_11n_2g4_adhoc"} for number in range(count)}}
    tracks = {"broker": [{"at": "0s", "position": ["0m", "0m", "3m"]}]}
    for number in range(count):
        radius, turn = 5 + number % 4 * 5, 2 * math.pi * number / count
        tracks[f"r{number}"] = [
            {"at": f"{second}s", "position": [f"{radius * math.cos(turn + second / radius):.2f}m",
                                              f"{radius * math.sin(turn + second / radius):.2f}m", "1m"]}
            for second in range(0, 120, 2)]
    return run.configuration(
        f"cornet-{count}", robots, window="10ms", scheduling="realtime",  # all robots' programs run next to it
        physics={"type": "trajectory", "tracks": tracks},
        netsim={"type": "embedded", "distribution": {"delay": "100us"},
                "access_points": {"ap": {"position": ["0m", "0m", "3m"], "radio": "wifi_11n_2g4_adhoc"}}})


def memory_mb(process):
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def child_of(process, name):
    """The program of this name that a process started, or it itself."""
    pending = [process]
    while pending:
        each = pending.pop()
        if pathlib.Path(f"/proc/{each}/comm").read_text().strip() == name:
            return each
        pending += [int(child) for task in pathlib.Path(f"/proc/{each}/task").iterdir()
                    for child in (task / "children").read_text().split()]
    raise RuntimeError(f"{name} does not run")


def measure(run, count, seconds):
    file = lay_out(run, count)
    run.write("mosquitto.conf", "listener 1883\nallow_anonymous true\nuser root\n")
    mqtt = str(experiment.ROOT / "examples/papers/mqtt.py")
    running = []
    with run.gateway(file) as (lab, gateway):
        try:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            running.append(lab.start("broker", ["mosquitto", "-c", str(run.folder / "mosquitto.conf")], **quiet))
            address = address_of(lab, "broker")
            wait_for_broker(lab, address)
            heard_file = run.folder / f"heard-{count}"
            with open(heard_file, "w") as heard:
                running.append(lab.start("broker", ["mosquitto_sub", "-h", address, "-t", "robots/#", "-F", "%t"],
                                         stdout=heard))
            whole = seconds + SETTLE_S + 60
            running += [lab.start(f"r{number}", [sys.executable, "-B", mqtt, address, f"r{number}", str(EVERY_S),
                                                 str(whole)], **quiet) for number in range(count)]
            wait_for(lambda: len(set(heard_file.read_text().split())) == count, 120, "all robots at the broker")
            time.sleep(SETTLE_S)
            broker = child_of(running[0].pid, "mosquitto")
            before, broker_before = (experiment.processor_time(each) for each in (gateway.pid, broker))
            begin = time.monotonic()
            messages = len(heard_file.read_text().split())
            time.sleep(seconds)
            passed = time.monotonic() - begin
            after, broker_after = (experiment.processor_time(each) for each in (gateway.pid, broker))
            messages = len(heard_file.read_text().split()) - messages
            status = gateway.status()
            return {"cpu": {name: 100 * (after[name] - before.get(name, 0)) / passed for name in after},
                    "broker_cpu": 100 * (sum(broker_after.values()) - sum(broker_before.values())) / passed,
                    "memory": memory_mb(gateway.pid), "broker_memory": memory_mb(broker),
                    "messages": messages / passed, "balanced": status.balanced,
                    "missed": status.raw["window"]["missed"] / max(1, status.raw["window"]["number"])}
        finally:
            for each in reversed(running):
                each.terminate()
            for each in running:
                each.wait()


def wait_for(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.2)


def wait_for_broker(lab, address):
    wait_for(lambda: lab.exec("broker", ["mosquitto_pub", "-h", address, "-t", "x", "-n"]).returncode == 0, 30,
             "the broker")


def main():
    with experiment.Experiment(__file__, "CORNET 2.0", __doc__) as run:
        counts = run.by_length((2, 5), (2, 5, 10, 20, 64), (2, 5, 10, 15, 20, 64))
        found = {count: measure(run, count, run.by_length(2, 5, 20)) for count in counts}
        threads = sorted({name for each in found.values() for name in each["cpu"]})
        drawing, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4))
        base = np.zeros(len(counts))
        for name in threads:
            share = np.array([each["cpu"].get(name, 0) for each in found.values()])
            if share.max() > 0.5:
                left.bar([str(count) for count in counts], share, bottom=base, label=f"gateway, thread {name}")
            base = base + share
        left.plot([str(count) for count in counts], [each["broker_cpu"] for each in found.values()], "o--", color=BAD,
                  label="broker")
        left.set(xlabel="robots", ylabel="processor time, % of one")
        left.legend()
        right.plot(counts, [each["memory"] for each in found.values()], "o-", label="gateway with radio models")
        right.plot(counts, [each["broker_memory"] for each in found.values()], "o--", color=BAD, label="broker")
        right.set(xlabel="robots", ylabel="memory, MiB", ylim=(0, None))
        right.legend()
        run.picture("Fig. 7", drawing, "processor time and memory by the number of robots")
        total = {count: sum(each["cpu"].values()) for count, each in found.items()}
        run.says("Fig. 7", "the broker receives all robots, ten times a second each",
                 all(0.8 * 10 * count <= each["messages"] for count, each in found.items()),
                 ", ".join(f"{each['messages']:.0f}/s of {count}" for count, each in found.items()),
                 needs="an idle machine")
        run.says("Fig. 7", "every frame is accounted for", all(each["balanced"] for each in found.values()),
                 f"in = out + dropped + held with {', '.join(map(str, counts))} robots")
        run.says("Fig. 7", "processor time grows with the number of robots", total[counts[-1]] > total[counts[0]],
                 ", ".join(f"{share:.1f} % with {count}" for count, share in total.items()), needs="an idle machine")
        memory = {count: each["memory"] for count, each in found.items()}
        run.says("Fig. 7", "memory grows with the number of robots", memory[counts[-1]] > memory[counts[0]],
                 ", ".join(f"{each:.0f} MiB with {count}" for count, each in memory.items()),
                 needs="a build without sanitizers")
        most = counts[-1]
        run.says("Fig. 7", f"{most} robots are fewer than a processor can take", total[most] < 100,
                 f"{total[most]:.0f} % of one processor, {100 * found[most]['missed']:.2f} % of the windows missed",
                 needs="an idle machine")


main()
