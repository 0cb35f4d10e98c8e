# SPDX-License-Identifier: Apache-2.0
"""Reference values that ../air_rows.py has from ns-3 3.37.

    reference.py [ROW ...]     builds programs of this folder (Debian's libns3-dev), runs them, prints row, reference
"""

import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from air_rows import EDCA_TOS, MESH_CHAINS, circle, half_loss_m  # noqa: E402

LIBRARIES = {"wifi": "wifi mobility propagation network core",
             "lrwpan": "lr-wpan spectrum mobility propagation network core",
             "lte": "lte internet point-to-point spectrum mobility propagation network core",
             "mesh_chain": "mesh internet mobility wifi propagation network core"}
# What wifi.cc has for a shipped profile.
PROFILES = {"wifi_11ag": ("--standard=11a", "--channel={36,20,BAND_5GHZ,0}"),
            "wifi_11n_2g4_adhoc": ("--standard=11n", "--channel={1,20,BAND_2_4GHZ,0}"),
            "wifi_11ac_80": ("--standard=11ac", "--channel={42,80,BAND_5GHZ,0}", "--ampdu=1048575"),
            "wifi_11ax_20": ("--standard=11ax", "--channel={36,20,BAND_5GHZ,0}", "--ampdu=6500631"),
            "wifi_11ax_40": ("--standard=11ax", "--channel={38,40,BAND_5GHZ,0}", "--ampdu=6500631"),
            "wifi_11ax_80": ("--standard=11ax", "--channel={42,80,BAND_5GHZ,0}", "--ampdu=6500631")}
EDCA_PRIORITY = {"o": 6, "i": 5, "e": 0, "k": 1}
# Frames/s and Mbit/s of UDP within the time, loss and mean delay in ms of what is sent within it.
Got = collections.namedtuple("Got", "fps mbps loss delay_ms")
ROWS = {}


class Ns3:
    """Programs of this folder, built when they are first needed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def lines(self, program, *options):
        binary = self.folder / program
        if not binary.exists():
            subprocess.run(["g++", "-std=c++17", "-O1", HERE / f"{program}.cc", "-o", binary,
                            *(f"-lns3-{name}" for name in LIBRARIES[program].split())], check=True)
        done = subprocess.run([binary, *options], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def run(self, program, *options):
        """{"source-to": Got}"""
        status, lines = self.lines(program, *options)
        if status != 0:
            raise RuntimeError(f"{program} {' '.join(options)}: exit status {status}")
        return {line.split()[0]: Got(*map(float, line.split()[1:])) for line in lines}

    def wifi(self, profile, places, flows, since, until, *options):
        return self.run("wifi", *PROFILES[profile], f"--nodes={nodes(places)}", f"--flows={','.join(flows)}",
                        f"--from={since}", f"--until={until}", *options)


def row(name):
    def add(function):
        ROWS[name] = function
        return function
    return add


def nodes(places):
    return ";".join(",".join(f"{axis:.6f}" for axis in place) for place in places)


def line(*distances, height=10):
    return [(distance, 0, height) for distance in distances]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def seeds(count):
    return [f"--seed={seed}" for seed in range(1, count + 1)]


@row("hidden_broadcast")
def hidden_broadcast(ns3):
    for profile, name, distance, offset_s in (("wifi_11n_2g4_adhoc", "dsss1", 400, 0.08 * 1968e-6),
                                              ("wifi_11ag", "ofdm6", 160, 0.08 * 320e-6)):
        flows = ("0-*:0.05:186", f"1-*:0.05:186:{offset_s}")
        got = ns3.wifi(profile, line(-distance, distance, 0), flows, 0, 40)
        yield f"hidden_broadcast_{name}", 1 - (got["0-2"].loss + got["1-2"].loss) / 2


@row("hidden_unicast")
def hidden_unicast(ns3):
    def total(interval, offset, since, until, value, *options):
        flows = (f"0-2:{interval}:1500", f"1-2:{interval}:1500:{offset}")
        return mean(sum(value(one) for one in
                        ns3.wifi("wifi_11ag", line(-150, 150, 0), flows, since, until, "--rate=OfdmRate6Mbps",
                                 "--control=OfdmRate6Mbps", seed, *options).values()) for seed in seeds(5))
    yield "hidden_unicast_mbps", total(.002, .0007, 0.5, 6, lambda one: one.mbps)
    yield "hidden_unicast_rts_mbps", total(.002, .0007, 0.5, 6, lambda one: one.mbps, "--rts=500")
    yield "hidden_unicast_loss", total(8e-6 * 1472, .0003, 0, 12, lambda one: one.loss / 2)


@row("capture")
def capture(ns3):
    runs = [ns3.wifi("wifi_11ag", line(0, 5, -90), ("1-0:0.0003:1500", "2-0:0.0003:1500:0.0001"), 0.3, 1.8, seed)
            for seed in seeds(5)]
    for name, flow in (("near", "1-0"), ("far", "2-0")):
        yield f"capture_{name}_fps", mean(got[flow].fps for got in runs)


@row("unslotted_csma")
def unslotted_csma(ns3):
    """An MSDU has two bytes more than the row's frame in hilgate, whose radio frame is as long as ns-3's."""
    def around(count, interval, size, stagger, since, until):
        places = [(0, 0, 0)] + [(radio.x, radio.y, 0) for radio in circle(count, 10, 0, "")]
        flows = [f"{i}-0:{interval}:{size}:{stagger * i}" for i in range(1, count + 1)]
        return ns3.run("lrwpan", f"--nodes={nodes(places)}", f"--flows={','.join(flows)}", f"--from={since}",
                       f"--until={until}").values()
    for count in (2, 5, 10, 20):
        yield f"unslotted_csma_{count}_fps", sum(one.fps for one in around(count, .005, 95, .0001, 0.5, 10))
    yield "unslotted_csma_loss_10_at_20", mean(one.loss for one in around(10, .05, 114, 0, 0, 10))
    yield "unslotted_csma_spread_loss", mean(one.loss for one in around(10, .05, 80, .005, 0, 10))
    yield "unslotted_csma_idle_ms", mean(one.delay_ms for one in around(1, .1, 55, 0, 0, 20))


@row("lte")
def lte(ns3):
    """Mbit/s with IP's and UDP's headers. The uplink's is that of category 4, which ns-3 does not know."""
    def run(distance, flows, since, until):
        return ns3.run("lte", f"--distance={distance}", f"--flows={flows}", f"--from={since}", f"--until={until}")
    for distance in (500, 1700):
        got = run(distance, f"0-1:{.00018 if distance < 1000 else .001}:1500", 0.5, 1.5)
        yield f"lte_down_{distance}_mbps", got["0-1"].fps * 8 * 1500 / 1e6
    got = run(50, "0-1:.0081:1000:0.1,1-0:.0081:1000:0.101", 0.3, 2.3)  # at all phases of the subframes
    yield "lte_down_ms", got["0-1"].delay_ms
    yield "lte_up_ms", got["1-0"].delay_ms
    yield "lte_range_m", half_loss_m({distance: run(distance, "0-1:.02:1000:0.1", 0.3, 2.3)["0-1"].loss
                                      for distance in range(1900, 2201, 50)})


@row("broadcast_range")
def broadcast_range(ns3):
    for profile, name, places in (("wifi_11n_2g4_adhoc", "2g4", range(600, 901, 25)),
                                  ("wifi_11ac_80", "80mhz", range(400, 701, 25))):
        got = ns3.wifi(profile, [(0, 0, 10)] + line(*places, height=1.5), ("0-*:0.02:1050",), 0, 4, "--threshold=-110",
                       "--threshold_snr=-20")
        yield f"broadcast_range_{name}_m", half_loss_m({place: got[f"0-{i}"].loss for i, place in enumerate(places, 1)})


@row("preamble_threshold")
def preamble_threshold(ns3):
    for name, threshold in (("ns3", -82), ("shipped", -110)):
        got = ns3.wifi("wifi_11ac_80", line(0, 300), ("0-1:.0002:1500",), 0.3, 0.8, f"--threshold={threshold}")
        yield f"preamble_threshold_{name}_mbps", got["0-1"].mbps


@row("mesh")
def mesh(ns3):
    """The median of the half seconds in which the route stands; ns-3 3.37 ends some of these runs itself ("Invalid
    WifiPhy state")."""
    for hops, offered, _ in MESH_CHAINS:
        spans = [float(span) for seed in seeds(6)
                 for span in ns3.lines("mesh_chain", f"--hops={hops}", "--mode=OfdmRate6Mbps", f"--mbps={offered}",
                                       "--spacing=300", "--seconds=12", seed)[1]]
        carried = sorted(span for span in spans if span > 0.3 * offered)
        yield f"mesh_{hops}_hops_mbps", carried[len(carried) // 2]


@row("edca")
def edca(ns3):
    for stations in ("e", "e,e", "k,e", "o"):
        senders = stations.split(",")
        flows = [f"{i}-{len(senders)}:{8 * 1000 / 30e6}:1028:{1e-4 * i}:{EDCA_PRIORITY[category]}"
                 for i, category in enumerate(senders)]
        got = ns3.wifi("wifi_11ag", [(i % 3, i // 3, 10) for i in range(len(senders) + 1)], flows, 1, 5, "--friis",
                       "--qos", "--rate=OfdmRate54Mbps")
        for category in EDCA_TOS:
            if category in senders:
                yield (f"edca_{stations}_{category}_mbps",
                       sum(got[f"{i}-{len(senders)}"].mbps for i, one in enumerate(senders) if one == category))


@row("far_pairs")
def far_pairs(ns3):
    for profile, interval in (("wifi_11ag", .0003), ("wifi_11n_2g4_adhoc", .00018)):
        got = ns3.wifi(profile, line(0, 20, 3000, 3020), (f"0-1:{interval}:1500", f"2-3:{interval}:1500"), 0.3, 0.8)
        for source in (0, 2):
            yield f"far_pairs_{profile}_{source}_mbps", got[f"{source}-{source + 1}"].mbps


@row("weak_both_ways")
def weak_both_ways(ns3):
    for distance in (300, 400):
        got = ns3.wifi("wifi_11ag", line(0, distance), ("0-1:.0005:1500", "1-0:.0005:1500:.0001"), 0.5, 1.5,
                       "--threshold=-110")
        yield f"weak_both_ways_{distance}_mbps", sum(one.mbps for one in got.values())


@row("aggregation")
def aggregation(ns3):
    for profile, interval in (("wifi_11n_2g4_adhoc", .00018), ("wifi_11ac_80", .00003)):
        yield f"aggregation_{profile}_mbps", ns3.wifi(profile, line(0, 20), (f"0-1:{interval}:1500",), 0.3,
                                                      0.8)["0-1"].mbps


@row("he")
def he(ns3):
    """The highest goodput of all modes, which is ideal; IdealWifiManager keeps one mode lower near its thresholds."""
    for profile, interval in (("wifi_11ax_20", .00008), ("wifi_11ax_40", .00004), ("wifi_11ax_80", .00002)):
        for distance in (20, 45, 110, 180):
            yield f"he_{profile}_{distance}_mbps", max(
                ns3.wifi(profile, line(0, distance), (f"0-1:{interval}:1500",), 0.3, 0.8,
                         f"--rate=HeMcs{mcs}")["0-1"].mbps
                for mcs in range(2, 12))


@row("contention")
def contention(ns3):
    for profile, interval in (("wifi_11ag", .0003), ("wifi_11n_2g4_adhoc", .00018), ("wifi_11ac_80", .00003)):
        for count in (2, 5, 10):
            places = [(0, 0, 10)] + [(radio.x, radio.y, 10) for radio in circle(count, 10, 10, "")]
            flows = [f"{i}-0:{interval * count / 1.5}:1500:{.0001 * i}" for i in range(1, count + 1)]
            yield (f"contention_{profile}_{count}_mbps",
                   sum(one.mbps for one in ns3.wifi(profile, places, flows, 0.5, 1.5).values()))


@row("minstrel")
def minstrel(ns3):
    for profile, interval, distances in (("wifi_11ag", .0003, (100, 125, 150, 187, 200, 220)),
                                         ("wifi_11n_2g4_adhoc", .00018, (233, 270))):
        for distance in distances:
            yield (f"minstrel_{profile}_{distance}_mbps",
                   mean(ns3.wifi(profile, line(0, distance), (f"0-1:{interval}:1500",), 2, 4, "--rate=minstrel",
                                 seed)["0-1"].mbps for seed in seeds(5)))


def main():
    with tempfile.TemporaryDirectory(prefix="hilgate-ns3-") as folder:
        for name in sys.argv[1:] or ROWS:
            for label, value in ROWS[name](Ns3(folder)):
                print(f"{label:32} {value:10.4g}", flush=True)


if __name__ == "__main__":
    main()
