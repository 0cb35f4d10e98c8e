# SPDX-License-Identifier: Apache-2.0
"""One air in simulated time: radios in their places and the instants of their frames, through `hilgate sweep --frames
--capture`, with shipped profiles whose shadowing and fading are 0."""

import collections
import pathlib
import re
import struct
import subprocess

UDP_BYTES = 42  # Ethernet, IPv4 and UDP headers
GROUP = None

Radio = collections.namedtuple("Radio", "x y z profile")
# s, index, index or GROUP, bytes with headers, DSCP and ECN
Sending = collections.namedtuple("Sending", "at source to size tos", defaults=(0,))


def every(interval, length, source, to, size, start=0.0):
    """Frames from `start` on, each `interval` s, for `length` s."""
    return [Sending(start + i * interval, source, to, size) for i in range(round(length / interval))]


def profile(folder, source, name, *changes):
    """Writes the shipped profile file `source` as `name`; each of `changes` is (pattern of the text, replacement)."""
    text = re.sub(r"^id: .*$", f"id: {name}", source.read_text(), flags=re.M)
    text = re.sub(r"sigma: [0-9.]+ dB", "sigma: 0 dB", text)
    text = re.sub(r"^  fading:\n(    .*\n)+", "", text, flags=re.M)
    text = re.sub(r"^  channel\.fading.*\n", "", text, flags=re.M)
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text, count=1, flags=re.M)
        if count == 0:
            raise ValueError(f"{source}: nothing is as {pattern}")
    (folder / f"{name}.yaml").write_text(text)


def mac(radio):
    return bytes([2, 0, 0, 0, (radio + 1) >> 8, (radio + 1) & 255])


def address(radio):
    return bytes([10, 0, (radio + 1) >> 8, (radio + 1) & 255])


def frame(sending):
    """An Ethernet frame with an empty UDP message."""
    group = sending.to is GROUP
    to = b"\xff" * 4 if group else address(sending.to)
    header = struct.pack(">BBHHHBBH4s4s", 0x45, sending.tos, sending.size - 14, 0, 0, 64, 17, 0,
                         address(sending.source), to)
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    header = header[:10] + struct.pack(">H", ~total & 0xFFFF) + header[12:]
    udp = struct.pack(">HHHH", 5000, 5000, sending.size - 34, 0)
    to = b"\xff" * 6 if group else mac(sending.to)
    return to + mac(sending.source) + b"\x08\x00" + header + udp + bytes(sending.size - UDP_BYTES)


def configuration(radios, folder):
    lines = ["name: air", "window: 100ms", f"profiles: [{folder}]", f"record: {{folder: {folder}/record, every: 1s}}",
             "netsim: {type: embedded}", "ports:"]
    lines += [f"  p{i}: {{interface: i{i}}}" for i in range(len(radios))]
    lines.append("robots:")
    for i, radio in enumerate(radios):
        ip = ".".join(str(byte) for byte in address(i))
        lines.append(f"  r{i}: {{port: p{i}, mac: '{mac(i).hex(':')}', ip: [{ip}], radio: {radio.profile}}}")
    lines += ["physics:", "  type: trajectory", "  tracks:"]
    lines += [f"    r{i}: [{{at: 0s, position: [{r.x:g}m, {r.y:g}m, {r.z:g}m]}}]" for i, r in enumerate(radios)]
    return "\n".join(lines) + "\n"


# s since the first frame; DSCP and ECN; words KEY=VALUE
Delivery = collections.namedtuple("Delivery", "at source to tos words")


def options(block, start):
    """(code, value) of the options of a pcapng block."""
    while start + 4 <= len(block) - 4:
        code, length = struct.unpack_from("<HH", block, start)
        if code == 0:
            return
        yield code, block[start + 4:start + 4 + length].decode(errors="replace")
        start += 4 + (length + 3) // 4 * 4


def deliveries(capture):
    """What became of each delivery of a capture of the gateway's."""
    found, interfaces, first, place = [], [], None, 0
    while place < len(capture):
        kind, length = struct.unpack_from("<II", capture, place)
        block = capture[place:place + length]
        place += length
        if kind == 1:
            interfaces.append(next((value for code, value in options(block, 16) if code == 2), ""))
        elif kind == 6:
            interface, high, low, kept, _ = struct.unpack_from("<IIIII", block, 8)
            at = (high << 32 | low) / 1e9
            first = at if first is None else first
            comment = next((value for code, value in options(block, 28 + (kept + 3) // 4 * 4) if code == 1), "")
            if interfaces[interface].endswith(" out") and ">" in comment:
                link, *words = comment.split()
                source, to = (int(name[1:]) for name in link.split(">"))
                values = dict(word.split("=", 1) for word in words if "=" in word)
                found.append(Delivery(at - first, source, to, block[28 + 15], values))
    return found


class Result:
    """Deliveries of one run."""

    def __init__(self, found):
        self.found = found

    def of(self, source, to):
        return [one for one in self.found if (one.source, one.to) == (source, to)]

    def loss(self, source, to):
        """Share of the deliveries that are dropped."""
        all_ = self.of(source, to)
        return sum("drop" in one.words for one in all_) / len(all_)

    def rate(self, source, to, since, until):
        """Releases per second in [since, until) s."""
        return sum("drop" not in one.words and since <= one.at < until for one in self.of(source, to)) / (until - since)

    def of_tos(self, tos, since, until):
        """Releases per second with this DSCP and ECN."""
        return sum("drop" not in one.words and one.tos == tos and since <= one.at < until
                   for one in self.found) / (until - since)

    def delay_ms(self, source, to):
        given = [float(one.words["given_us"]) for one in self.of(source, to) if "drop" not in one.words]
        return sum(given) / len(given) / 1e3

    def snr_db(self, source, to):
        return float(self.of(source, to)[0].words["snr_db"])


def run(hilgate, folder, radios, sendings, seed=1):
    """Runs the air in `folder`, which has its profiles."""
    pcap = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)]
    for one in sorted(sendings, key=lambda one: one.at):
        data, ns = frame(one), round(one.at * 1e9)
        pcap += [struct.pack("<IIII", 1000 + ns // 10**9, ns % 10**9, len(data), len(data)), data]
    (folder / "frames.pcap").write_bytes(b"".join(pcap))
    (folder / "air.yaml").write_text(configuration(radios, folder))
    command = [hilgate, "sweep", folder / "air.yaml", "--seeds", "1", "--first-seed", str(seed), "--frames",
               folder / "frames.pcap", "--capture", "--jobs", "1", "-o", folder / "out"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
    return Result(deliveries((pathlib.Path(folder) / "out" / f"seed-{seed}" / "frames.pcapng").read_bytes()))
