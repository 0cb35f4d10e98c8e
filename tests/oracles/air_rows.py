# SPDX-License-Identifier: Apache-2.0
"""Whole airs against ns-3 3.37, standards and closed forms: goodput within 10 %, loss within 3 points, range at 50 %
loss within 15 %.

    air_rows.py HILGATE SOURCE [ROW ...]     prints row, reference, measured; exit status 1 when one is outside
    air_rows.py HILGATE SOURCE --write       the same for all rows, and what docs/validation/generate.py shows of them

`python3 ns3/reference.py [ROW ...]` prints what ns-3 gives for the rows that have their reference from it.
Where a reference names no frame lengths, heights or arrivals, the row has its own.
"""

import collections
import json
import math
import pathlib
import random
import sys
import tempfile

from air import GROUP, Radio, Sending, every, profile, run

FRIIS = (r"^  path_loss:.*$", "  path_loss: {model: friis}")
ROWS = {}  # by name
Row = collections.namedtuple("Row", "run source")  # what yields its quantities; where their references are from


class Air:
    """Profiles and runs of one row."""

    def __init__(self, hilgate, source):
        self.hilgate = hilgate
        self.library = pathlib.Path(source) / "rf_profiles" / "profiles"

    def run(self, profiles, radios, sendings):
        """`profiles`: name -> (file of the library, changes)."""
        with tempfile.TemporaryDirectory(prefix="hilgate-air-") as folder:
            for name, (file, *changes) in profiles.items():
                profile(pathlib.Path(folder), self.library / f"{file}.yaml", name, *changes)
            return run(self.hilgate, pathlib.Path(folder), radios, sendings)


def row(name, source="ns-3 3.37"):
    def add(function):
        ROWS[name] = Row(function, source)
        return function
    return add


def ratio(name, reference, measured, tolerance=0.1):
    return name, reference, measured, abs(measured - reference) <= tolerance * reference


def points(name, reference, measured, tolerance=0.03):
    return name, reference, measured, abs(measured - reference) <= tolerance


def mbps(result, source, to, payload, since, until):
    return result.rate(source, to, since, until) * 8 * payload / 1e6


def circle(count, radius, z, name):
    return [Radio(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count), z, name)
            for i in range(count)]


def lora_sf7_time_s(payload):
    """SX1276 data sheet, 4.1.1.7: coding 4/5, 8 symbols of preamble, explicit header, CRC, 125 kHz."""
    return (12.25 + 8 + 5 * max(math.ceil((8 * payload - 4 * 7 + 28 + 16) / (4 * 7)), 0)) * 2**7 / 125e3


def half_loss_m(losses):
    """Where the loss passes 0.5, between increasing distances."""
    places = sorted(losses.items())
    for (near, less), (far, more) in zip(places, places[1:]):
        if less < 0.5 <= more:
            return near + (far - near) * (0.5 - less) / (more - less)
    raise ValueError(f"no loss of one half in {places}")


@row("lora_aloha", "closed form")
def lora_aloha(air):
    """Stations that send every 7 s on the mean, equally strong: exp(-2 G) of the frames arrive."""
    size = 74
    for count, length in ((30, 140), (60, 140)):
        draw = random.Random(count)
        sendings = []
        for station in range(1, count + 1):
            at = 7 * draw.random()
            while at < length:
                sendings.append(Sending(at, station, 0, size))
                at += 7 * (0.5 + draw.random())
        unlimited = ((r"^  duty_cycle:.*\n", ""), (r"^  mac.duty_cycle.*\n", ""))
        result = air.run({"lora": ("lora_sx1276_sf7", FRIIS, *unlimited)},
                         [Radio(0, 0, 2, "lora")] + circle(count, 500, 2, "lora"), sendings)
        received = sum("drop" not in one.words for one in result.found) / len(sendings)
        sampling = 2 * math.sqrt(0.25 / len(sendings))
        yield points(f"lora_aloha_{count}", math.exp(-2 * count / 7 * lora_sf7_time_s(size - 14)), received,
                     0.03 + sampling)


@row("hidden_broadcast", "ns-3 3.37, closed form")
def hidden_broadcast(air):
    """Of two frames of 200 bytes that overlap by 92 % a receiver gets one at most. At an SINR of 0 dB dsss1 always
    decodes it, and 6 Mbit/s of OFDM gets 70 % (ns-3 3.37: 2792 of 3992 frames)."""
    size = 200
    for file, name, airtime, distance, reference in (
            ("wifi_11n_2g4_adhoc", "dsss1", 192e-6 + (size - 14 + 36) * 8e-6, 400, 0.5),
            ("wifi_11ag", "ofdm6", 320e-6, 160, 0.35)):
        sendings = [one for i in range(800) for one in (Sending(0.05 * i, 0, GROUP, size),
                                                        Sending(0.05 * i + 0.08 * airtime, 1, GROUP, size))]
        result = air.run({"wifi": (file,)}, [Radio(x, 0, 10, "wifi") for x in (-distance, distance, 0)], sendings)
        yield points(f"hidden_broadcast_{name}", reference, 1 - (result.loss(0, 2) + result.loss(1, 2)) / 2)


HIDDEN = ("wifi_11ag", (r"type: ideal", "type: fixed"), (r"modes: \[ofdm.*\]", "modes: ofdm6"),
          (r"^    frame: 1514 B\n", ""))


@row("hidden_unicast")
def hidden_unicast(air):
    """Two stations 150 m from their receiver, hidden from one another."""
    radios = [Radio(-150, 0, 10, "wifi"), Radio(150, 0, 10, "wifi"), Radio(0, 0, 10, "wifi")]
    payload, size = 1472, 1514
    result = air.run({"wifi": HIDDEN}, radios, every(.002, 6, 0, 2, size) + every(.002, 6, 1, 2, size, .0007))
    yield ratio("hidden_unicast_mbps", 1.34, sum(mbps(result, one, 2, payload, 0.5, 6) for one in (0, 1)))
    result = air.run({"wifi": (*HIDDEN, (r"^  tries: 7$", "  tries: 7\n  rts_threshold: 500 B"))}, radios,
                     every(.002, 6, 0, 2, size) + every(.002, 6, 1, 2, size, .0007))
    yield ratio("hidden_unicast_rts_mbps", 4.96, sum(mbps(result, one, 2, payload, 0.5, 6) for one in (0, 1)))
    interval = 8e-6 * payload  # 1 Mbit/s
    result = air.run({"wifi": HIDDEN}, radios,
                     every(interval, 12, 0, 2, size) + every(interval, 12, 1, 2, size, .0003))
    yield points("hidden_unicast_loss", 0.27, (result.loss(0, 2) + result.loss(1, 2)) / 2)


@row("capture")
def capture(air):
    """Two stations with a full queue that sense one another, one of them near: where both begin at once it is
    received."""
    result = air.run({"wifi": ("wifi_11ag",)},
                     [Radio(0, 0, 10, "wifi"), Radio(5, 0, 10, "wifi"), Radio(-90, 0, 10, "wifi")],
                     every(.0003, 1.8, 1, 0, 1514) + every(.0003, 1.8, 2, 0, 1514, .0001))
    yield ratio("capture_near_fps", 1559, result.rate(1, 0, 0.3, 1.8))
    yield ratio("capture_far_fps", 1181, result.rate(2, 0, 0.3, 1.8))


@row("unslotted_csma")
def unslotted_csma(air):
    """IEEE 802.15.4 stations around their receiver: with full queues; with a frame each every 50 ms, all at the same
    instants or one after the other; and one alone."""
    radio = {"xbee": ("xbee_802154",)}

    def around(count, interval, length, size, stagger):
        radios = [Radio(0, 0, 1.5, "xbee")] + circle(count, 10, 1.5, "xbee")
        return air.run(radio, radios, [one for i in range(1, count + 1)
                                       for one in every(interval, length, i, 0, size, stagger * i)])
    for count, reference in ((2, 168.7), (5, 172.6), (10, 156.4), (20, 131.2)):
        result = around(count, .005, 10, 93, .0001)
        yield ratio(f"unslotted_csma_{count}_fps", reference,
                    sum(result.rate(i, 0, 0.5, 10) for i in range(1, count + 1)))
    for name, reference, size, stagger in (("loss_10_at_20", 0.48, 112, 0), ("spread_loss", 0.105, 78, .005)):
        result = around(10, .05, 10, size, stagger)
        yield points(f"unslotted_csma_{name}", reference, sum(result.loss(i, 0) for i in range(1, 11)) / 10)
    result = air.run(radio, [Radio(0, 0, 1.5, "xbee"), Radio(10, 0, 1.5, "xbee")], every(.1, 20, 1, 0, 53))
    yield ratio("unslotted_csma_idle_ms", 3.785, result.delay_ms(1, 0))


@row("xbee_range", "data sheet")
def xbee_range(air):
    """The XBee's data sheet: 1 % of frames of 20 bytes are lost at -96 dBm; half of these longer ones 15 % further."""
    radios = [Radio(0, 0, 10, "xbee")] + [Radio(d, 0, 1.5, "xbee") for d in range(290, 391, 10)]
    result = air.run({"xbee": ("xbee_802154",)}, radios, every(.05, 20, 0, GROUP, 114))
    losses = {radio.x: result.loss(0, i) for i, radio in enumerate(radios) if i > 0}
    # TR 38.901, table 7.4.1-1, UMi in sight, beyond the breakpoint of 10 m and 1.5 m: 99 dB.
    breakpoint_m = 4 * 9 * 0.5 * 2.405e9 / 299792458
    loss_db = 99 - 32.4 - 20 * math.log10(2.405) + 9.5 * math.log10(breakpoint_m**2 + 8.5**2)
    yield ratio("xbee_range_m", 10 ** (loss_db / 40), half_loss_m(losses), 0.15)
    gradual = sum(0.02 < loss < 0.98 for loss in losses.values())
    yield "xbee_range_is_gradual", 1, gradual, gradual >= 1


@row("sik_one_way", "firmware's timing")
def sik_one_way(air):
    payload = 200
    result = air.run({"sik": ("sik_433_64k", FRIIS)}, [Radio(0, 0, 10, "sik"), Radio(100, 0, 10, "sik")],
                     every(.02, 30, 0, 1, payload + 42))
    yield ratio("sik_one_way_kbps", 40.5, 1e3 * mbps(result, 0, 1, payload, 2, 30))


LTE = {"base": ("lte_cat4", (r"role: user", "role: base")), "user": ("lte_cat4",)}


def lte_radios(distance):
    return [Radio(0, 0, 25, "base"), Radio(distance, 0, 1.5, "user")]


@row("lte", "ns-3 3.37, TS 36.306")
def lte(air):
    """The uplink is that of category 4 (TS 36.306), which ns-3 does not limit."""
    for distance, reference in ((500, 54.9), (1700, 4.87)):
        result = air.run(LTE, lte_radios(distance), every(.00018 if distance < 1000 else .001, 1.5, 0, 1, 1514))
        yield ratio(f"lte_down_{distance}_mbps", reference, mbps(result, 0, 1, 1500, 0.5, 1.5))
    result = air.run(LTE, lte_radios(50), every(.0002, 1, 1, 0, 1514))
    yield ratio("lte_up_mbps", 50, mbps(result, 1, 0, 1500, 0.4, 1))
    result = air.run(LTE, lte_radios(50), every(.008, 2, 0, 1, 1014) + every(.008, 2, 1, 0, 1014, .001))
    yield ratio("lte_down_ms", 3.55, result.delay_ms(0, 1))
    yield ratio("lte_up_ms", 11.6, result.delay_ms(1, 0))
    losses = {distance: air.run(LTE, lte_radios(distance), every(.02, 0.5, 0, 1, 1014)).loss(0, 1)
              for distance in (1700, 1900, 2000, 2200)}
    yield ratio("lte_range_m", 2037, half_loss_m(losses), 0.15)


@row("mast_height", "TR 38.901")
def mast_height(air):
    """No step of the loss where a base station's mast grows."""
    snr = []
    for height in (22.4, 22.6, 23.1):
        radios = [Radio(0, 0, height, "base"), Radio(1500, 0, 1.5, "user")]
        snr.append(air.run(LTE, radios, every(.1, .5, 0, 1, 214)).snr_db(0, 1))
    step = max(abs(a - b) for a, b in zip(snr, snr[1:]))
    yield "mast_height_step_db", 0, step, step < 0.5


@row("broadcast_range")
def broadcast_range(air):
    """Group frames at the lowest basic rate: 1 Mbit/s of DSSS at 2.4 GHz (ns-3 3.37 with preamble detection from
    -110 dBm on), legacy frames of 20 MHz in a channel of 80 MHz."""
    for file, name, reference, places in (("wifi_11n_2g4_adhoc", "2g4", 748, range(600, 901, 25)),
                                          ("wifi_11ac_80", "80mhz", 575, range(400, 701, 25))):
        radios = [Radio(0, 0, 10, "wifi")] + [Radio(d, 0, 1.5, "wifi") for d in places]
        result = air.run({"wifi": (file,)}, radios, every(.02, 4, 0, GROUP, 1064))
        losses = {radio.x: result.loss(0, i) for i, radio in enumerate(radios) if i > 0}
        yield ratio(f"broadcast_range_{name}_m", reference, half_loss_m(losses), 0.15)


@row("preamble_threshold")
def preamble_threshold(air):
    """At 300 m 802.11ac is at -83 dBm: below ns-3's threshold of detection, above published sensitivities."""
    threshold = (r"^  cable_loss: 0 dB$", "  cable_loss: 0 dB\n  sensitivity: -82 dBm")
    radios = [Radio(0, 0, 10, "wifi"), Radio(300, 0, 10, "wifi")]
    for name, changes, reference in (("ns3", (threshold,), 0), ("shipped", (), 53.5)):
        result = air.run({"wifi": ("wifi_11ac_80", *changes)}, radios, every(.0002, 0.8, 0, 1, 1514))
        yield ratio(f"preamble_threshold_{name}_mbps", reference, mbps(result, 0, 1, 1472, 0.3, 0.8))


# hops, Mbit/s offered, Mbit/s
MESH_CHAINS = ((1, 5.5, 5.20), (2, 2.7, 2.64), (3, 1.8, 1.58), (4, 1.4, 1.39), (5, 1.3, 1.30))


@row("mesh")
def mesh(air):
    """Chains of 802.11s at 6 Mbit/s, 300 m from station to station, where only neighbours are above ns-3's threshold of
    detection: what they carry while a route stands (ns3/mesh_chain.cc: medians of half seconds; the routes of ns-3 3.37
    break for seconds under load, which is not compared)."""
    changes = (FRIIS, (r"modes: \[.*\]", "modes: [ofdm6]"),
               (r"^  cable_loss: 0 dB$", "  cable_loss: 0 dB\n  sensitivity: -82 dBm"))
    for hops, offered, reference in MESH_CHAINS:
        radios = [Radio(300 * i, 0, 10, "mesh") for i in range(hops + 1)]
        sendings = every(1472 * 8 / (offered * 1e6), 7, 0, hops, 1514)
        result = air.run({"mesh": ("wifi_11s", *changes)}, radios, sendings)
        yield ratio(f"mesh_{hops}_hops_mbps", reference, mbps(result, 0, hops, 1472, 1, 7), 0.15)


EDCA_TOS = {"o": 0xC0, "i": 0x80, "e": 0x00, "k": 0x20}  # voice, video, best effort, background
# Slots beyond DIFS, contention window, and frames of 1042 B at 54 Mbit/s, 240 us each, in a transmission opportunity.
EDCA = {"o": (0, 3, 7, 8), "i": (0, 7, 15, 17), "e": (1, 15, 1023, 1), "k": (5, 15, 1023, 1)}


def edca_shares(categories, one_station, rounds=200_000):
    """Shares of the frames by the rules of IEEE 802.11-2020, 10.23.2, slot by slot: who counts down first has a
    transmission opportunity; of one station the first of those that tie, of several none. `categories` from the
    highest on."""
    draws = random.Random(1)
    windows = [EDCA[one][1] for one in categories]
    left = [draws.randint(0, window) for window in windows]
    frames = [0] * len(categories)
    for _ in range(rounds):
        slots = [EDCA[one][0] + count for one, count in zip(categories, left)]
        least = min(slots)
        left = [count - max(0, least - EDCA[one][0]) for one, count in zip(categories, left)]
        first = [i for i, slot in enumerate(slots) if slot == least]
        won = first[0] if one_station or len(first) == 1 else None
        for i in first:
            _, low, high, burst = EDCA[categories[i]]
            windows[i] = low if i == won else min(2 * windows[i] + 1, high)
            left[i] = draws.randint(0, windows[i])
            frames[i] += burst if i == won else 0
    return [count / sum(frames) for count in frames]


@row("edca", "ns-3 3.37, IEEE 802.11")
def edca(air):
    """Saturated stations of 802.11a with EDCA beside a sink, 1000 B of UDP: Mbit/s as ns-3 has them where a station has
    one frame an opportunity, and shares of the frames by the standard's rules where some have bursts."""
    changes = (FRIIS, (r"modes: \[.*\]", "modes: [ofdm54]"), (r"^  tries: 7$", "  tries: 7\n  edca: {}"))

    def mbps_of(stations):
        senders = stations.split(",")
        radios = [Radio(i % 3, i // 3, 10, "edca") for i in range(len(senders) + 1)]
        sendings = [sending._replace(tos=EDCA_TOS[category])
                    for i, categories in enumerate(senders) for j, category in enumerate(categories)
                    for sending in every(1000 * 8 / 30e6, 3, i, len(senders), 1042, 1e-4 * (i + j))]
        result = air.run({"edca": ("wifi_11ag", *changes)}, radios, sendings)
        return {category: result.of_tos(tos, 0.5, 3) * 8 * 1000 / 1e6 for category, tos in EDCA_TOS.items()}

    for stations, reference in (("e", {"e": 23.93}), ("e,e", {"e": 24.66}), ("k,e", {"k": 6.91, "e": 17.14}),
                                ("o", {"o": 30})):
        for category, expected in reference.items():
            yield ratio(f"edca_{stations}_{category}_mbps", expected, mbps_of(stations)[category])
    for stations in ("o,i", "i,e", "oi", "oiek", "ek"):
        categories = stations.replace(",", "")
        got = mbps_of(stations)
        total = sum(got[category] for category in categories)
        for category, share in zip(categories, edca_shares(categories, "," not in stations)):
            yield points(f"edca_{stations}_{category}_share", share, got[category] / total)


@row("far_pairs")
def far_pairs(air):
    """Shipped radios sense carriers: two pairs 3 km apart have an air each (ns-3 3.37)."""
    radios = [Radio(x, 0, 10, "wifi") for x in (0, 20, 3000, 3020)]
    for file, interval, reference in (("wifi_11ag", .0003, 29.9), ("wifi_11n_2g4_adhoc", .00018, 58.4)):
        result = air.run({"wifi": (file,)}, radios,
                         every(interval, 0.8, 0, 1, 1514) + every(interval, 0.8, 2, 3, 1514))
        for source in (0, 2):
            yield ratio(f"far_pairs_{file}_{source}_mbps", reference, mbps(result, source, source + 1, 1472, 0.3, 0.8))


@row("weak_both_ways")
def weak_both_ways(air):
    """Two stations that receive one another below the threshold of carrier sense do not send into what they receive.
    ns-3 3.37 with preamble detection from -110 dBm on."""
    for distance, reference in ((300, 16.96), (400, 13.24)):
        result = air.run({"wifi": ("wifi_11ag",)}, [Radio(0, 0, 10, "wifi"), Radio(distance, 0, 10, "wifi")],
                         every(.0005, 1.5, 0, 1, 1514) + every(.0005, 1.5, 1, 0, 1514, .0001))
        yield ratio(f"weak_both_ways_{distance}_mbps", reference,
                    sum(mbps(result, source, 1 - source, 1472, 0.5, 1.5) for source in (0, 1)))


@row("aggregation")
def aggregation(air):
    """Shipped profiles of 802.11n and ac with a full queue: A-MPDU. ns-3 3.37, ideal rate control, 20 m."""
    for file, interval, reference in (("wifi_11n_2g4_adhoc", .00018, 58.4), ("wifi_11ac_80", .00003, 331)):
        result = air.run({"wifi": (file,)}, [Radio(0, 0, 10, "wifi"), Radio(20, 0, 10, "wifi")],
                         every(interval, 0.8, 0, 1, 1514))
        yield ratio(f"aggregation_{file}_mbps", reference, mbps(result, 0, 1, 1472, 0.3, 0.8))


@row("he")
def he(air):
    """Shipped profiles of 802.11ax with a full queue, ideal rate control: the highest goodput of all modes in ns-3
    3.37, with the profiles' guard interval (its own is 3.2 us) and A-MPDU (its own is 65535 bytes)."""
    for file, interval, references in (("wifi_11ax_20", .00008, (130, 105, 77.0, 47.2)),
                                       ("wifi_11ax_40", .00004, (216, 191, 119, 87.3)),
                                       ("wifi_11ax_80", .00002, (396, 307, 192, 120))):
        for distance, reference in zip((20, 45, 110, 180), references):
            result = air.run({"wifi": (file,)}, [Radio(0, 0, 10, "wifi"), Radio(distance, 0, 10, "wifi")],
                             every(interval, 0.8, 0, 1, 1514))
            yield ratio(f"he_{file}_{distance}_mbps", reference, mbps(result, 0, 1, 1472, 0.3, 0.8))


@row("contention")
def contention(air):
    """Stations with full queues, around their receiver. Of aggregates that collide the shorter one's station senses the
    energy of the other."""
    for file, interval, references in (("wifi_11ag", .0003, {2: 30.1, 5: 28.8, 10: 27.5}),
                                       ("wifi_11n_2g4_adhoc", .00018, {2: 56.0, 5: 48.0, 10: 44.5}),
                                       ("wifi_11ac_80", .00003, {2: 318, 5: 259, 10: 232})):
        for count, reference in references.items():
            result = air.run({"wifi": (file,)}, [Radio(0, 0, 10, "wifi")] + circle(count, 10, 10, "wifi"),
                             [one for i in range(1, count + 1)
                              for one in every(interval * count / 1.5, 1.5, i, 0, 1514, .0001 * i)])
            yield ratio(f"contention_{file}_{count}_mbps", reference,
                        sum(mbps(result, i, 0, 1472, 0.5, 1.5) for i in range(1, count + 1)))


@row("minstrel")
def minstrel(air):
    """Rate control that learns, with a full queue: ns-3 3.37, MinstrelWifiManager (802.11a) and MinstrelHtWifiManager
    (802.11n), means of five seeds."""
    for file, distance, interval, reference in (
            ("wifi_11ag", 100, .0003, 29.6), ("wifi_11ag", 125, .0003, 29.1), ("wifi_11ag", 150, .0003, 24.4),
            ("wifi_11ag", 187, .0003, 18.6), ("wifi_11ag", 200, .0003, 20.8), ("wifi_11ag", 220, .0003, 20.7),
            ("wifi_11n_2g4_adhoc", 233, .00018, 56.9), ("wifi_11n_2g4_adhoc", 270, .00018, 50.6)):
        result = air.run({"wifi": (file, (r"type: ideal", "type: minstrel"))},
                         [Radio(0, 0, 10, "wifi"), Radio(distance, 0, 10, "wifi")],
                         every(interval, 4, 0, 1, 1514))
        yield ratio(f"minstrel_{file}_{distance}_mbps", reference, mbps(result, 0, 1, 1472, 2, 4))


def main():
    hilgate, source, *names = sys.argv[1:]
    writes = names == ["--write"]
    air = Air(hilgate, source)
    found = {}
    failed = 0
    for name in ROWS if writes or not names else names:
        for label, reference, measured, holds in ROWS[name].run(air):
            failed += not holds
            found.setdefault(name, []).append([label, f"{reference:.4g}", f"{measured:.4g}"])
            print(f"{label:32} {reference:10.4g} {measured:10.4g}  {'ok' if holds else 'OUTSIDE'}", flush=True)
    if writes and not failed:
        (pathlib.Path(source) / "docs" / "validation" / "airs.json").write_text(json.dumps(found, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
