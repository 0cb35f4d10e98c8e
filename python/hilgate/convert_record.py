# SPDX-License-Identifier: Apache-2.0
"""`python3 -m hilgate.convert_record OLD NEW`: makes a record readable whose link tables are in arithmetic code.

Gateways before the encoding `varint` wrote them so. NEW has the same messages, its chunks are not compressed and it has
no index. Of a record that its gateway has not ended, all whole chunks are converted, and NEW has no end either.
"""

from __future__ import annotations

import pathlib
import struct
import sys
import zlib
from collections.abc import Iterator

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 1, 2, 3, 4, 5, 6, 15
OLD, NEW = b"hilgate", b"varint"

FIELDS = 8  # of a link; then three more
UNICAST, MULTICAST, DELAY, NOISE, SNR, MODES, ACK_LOSS, FLAGS = range(FIELDS)
ORDER = (SNR, NOISE, UNICAST, MULTICAST, MODES, DELAY, ACK_LOSS, FLAGS)
COMBINED = 3
FAR = 3  # a change of the signal by more is as one by so much
TRENDS = 2 * FAR + 1
RATE = 5  # of the probabilities
HALF = 1 << 15


class OldRecordError(Exception):
    """What is wrong with the file."""


class Varints:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def number(self) -> int:
        value = shift = 0
        while True:
            if self.at == len(self.data) or shift >= 64:
                raise OldRecordError("a message ends within a number")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise OldRecordError("a message ends within a list")
        self.at += size
        return self.data[self.at - size : self.at]


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


class NumberModel:
    def __init__(self):
        self.negative, self.longer, self.upper = [HALF], [HALF] * 64, [HALF] * 64


class RangeDecoder:
    """The range coder of LZMA (Martin, "Range encoding", 1979) with adaptive probabilities of 16 bits."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 4
        self.range, self.code = 0xFFFF_FFFF, int.from_bytes(data[:4].ljust(4, b"\0"), "big")

    def _normalise(self) -> None:
        while self.range < 1 << 24:
            self.range <<= 8
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.at += 1
            self.code = (self.code << 8 | byte) & 0xFFFF_FFFF

    def bit(self, models: list[int], model: int) -> bool:
        no = models[model]
        share = (self.range >> 16) * no
        yes = self.code >= share
        if yes:
            self.code -= share
            self.range -= share
            models[model] = no - (no >> RATE)
        else:
            self.range = share
            models[model] = no + ((65536 - no) >> RATE)
        self._normalise()
        return yes

    def plain(self) -> bool:
        self.range >>= 1
        yes = self.code >= self.range
        if yes:
            self.code -= self.range
        self._normalise()
        return yes

    def number(self, model: NumberModel) -> int:
        negative = self.bit(model.negative, 0)
        bits = 0
        while bits < 63 and self.bit(model.longer, bits):
            bits += 1
        magnitude = 1
        for left in range(bits, 0, -1):
            magnitude = magnitude << 1 | (self.bit(model.upper, bits) if left == bits else self.plain())
        return -magnitude if negative else magnitude


class OldLinks:
    """The links of successive tables: of each message the numbers that differ, by link."""

    def __init__(self, links: int):
        self.past = [(0, 0)] * links  # a bit for each field of the last change, 0 for none; how the signal changed then
        self.changes = [[HALF, HALF] for _ in range(3)]
        self.differs = [[[HALF] * TRENDS for _ in range(2)] for _ in range(FIELDS)]
        self.numbers = [[NumberModel() for _ in range(TRENDS)] for _ in range(FIELDS)]
        self.combines = [HALF]
        self.combined_differs = [HALF] * COMBINED
        self.combined = [NumberModel() for _ in range(COMBINED)]

    def decode(self, data: bytes) -> list[tuple[int, dict[int, int]]]:
        decoder = RangeDecoder(data)
        changed = []
        neighbour = False
        for link, (differed, signal) in enumerate(self.past):
            before = 0 if differed == 0 else 1 if signal == 0 else 2
            neighbour = decoder.bit(self.changes[before], int(neighbour))
            if neighbour:
                changed.append((link, self._link(decoder, link)))
            else:
                self.past[link] = (0, 0)
        return changed

    def _link(self, decoder: RangeDecoder, link: int) -> dict[int, int]:
        past_differed, past_signal = self.past[link]
        numbers: dict[int, int] = {}
        trend, differs = past_signal + FAR, 0
        for field in ORDER:
            if decoder.bit(self.differs[field][past_differed >> field & 1], trend):
                differs |= 1 << field
                numbers[field] = decoder.number(self.numbers[field][trend])
            if field == SNR:
                trend = max(-FAR, min(FAR, numbers.get(SNR, 0))) + FAR
        if decoder.bit(self.combines, 0):
            for i in range(COMBINED):
                if decoder.bit(self.combined_differs, i):
                    numbers[FIELDS + i] = decoder.number(self.combined[i])
        self.past[link] = (differs or 1 << ACK_LOSS, max(-FAR, min(FAR, numbers.get(SNR, 0))))
        return numbers


class LinkTables:
    """Messages of /links, one after the other."""

    def __init__(self):
        self.links: OldLinks | None = None

    def convert(self, message: bytes) -> bytes:
        old = Varints(message)
        out = bytearray(varint(old.number()) + varint(old.number()))  # window, sim time
        whole = old.take(1)
        out += whole
        if whole != b"\0":
            ends = old.number()
            if ends > 1024:
                raise OldRecordError("a link table has more ends than there can be")
            out += varint(ends)
            self.links = OldLinks(ends * ends)
        code = old.take(old.number())
        if code and self.links is None:
            raise OldRecordError("its first link table is not whole")
        changed = self.links.decode(code) if code else []
        out += varint(len(changed))
        following = 0
        for link, _ in changed:
            out += varint(link + 1 - following)
            following = link + 1
        for _, numbers in changed:
            out += varint(sum(1 << number for number in numbers))
        for number in range(FIELDS + COMBINED):
            for _, numbers in changed:
                if number in numbers:
                    out += signed(numbers[number])
        return bytes(out + message[old.at :])  # attachments are as they were


def records_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """All whole records of the file or chunk."""
    at = 0
    while len(data) - at >= 9:
        kind, length = struct.unpack_from("<BQ", data, at)
        if length > len(data) - at - 9 or kind == 0:
            return
        yield kind, data[at + 9 : at + 9 + length]
        at += 9 + length


def record_of(kind: int, content: bytes) -> bytes:
    return struct.pack("<BQ", kind, len(content)) + content


def text(content: bytes, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from("<I", content, at)
    return content[at + 4 : at + 4 + length], at + 4 + length


class Conversion:
    def __init__(self):
        self.tables: dict[int, LinkTables] = {}  # by channel

    def chunk(self, content: bytes) -> bytes:
        times = content[:16]
        compression, at = text(content, 28)
        if compression:
            raise OldRecordError("is compressed, which no old record is")
        records = b"".join(self._record(kind, inner) for kind, inner in records_of(content[at + 8 :]))
        return times + struct.pack("<QIIQ", len(records), zlib.crc32(records), 0, len(records)) + records

    def _record(self, kind: int, content: bytes) -> bytes:
        if kind == CHANNEL:
            (number,) = struct.unpack_from("<H", content)
            topic, at = text(content, 4)
            encoding, after = text(content, at)
            if encoding == OLD:
                content = content[:at] + struct.pack("<I", len(NEW)) + NEW + content[after:]
                if topic == b"/links":
                    self.tables.setdefault(number, LinkTables())
        elif kind == MESSAGE and (tables := self.tables.get(struct.unpack_from("<H", content)[0])):
            content = content[:22] + tables.convert(content[22:])
        return record_of(kind, content)


def convert(old: bytes) -> bytes:
    """Throws OldRecordError for what is no old record."""
    if not old.startswith(MAGIC):
        raise OldRecordError("is no MCAP file")
    conversion = Conversion()
    out = [MAGIC]
    try:
        for kind, content in records_of(old[len(MAGIC) :]):
            if kind == HEADER:
                out.append(record_of(kind, content))
            elif kind == CHUNK:
                out.append(record_of(kind, conversion.chunk(content)))
            elif kind == FOOTER:
                out += [record_of(DATA_END, bytes(4)), record_of(FOOTER, bytes(20)), MAGIC]
    except struct.error as error:
        raise OldRecordError(f"a record is shorter than its length ({error})") from error
    if not conversion.tables:
        raise OldRecordError("has no link tables in arithmetic code; it needs no conversion")
    return b"".join(out)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    old, new = (pathlib.Path(each) for each in arguments)
    old = old / "run.mcap" if old.is_dir() else old
    try:
        converted = convert(old.read_bytes())
        with open(new, "xb") as file:
            file.write(converted)
    except OldRecordError as error:
        print(f"{old}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
