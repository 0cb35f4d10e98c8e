# SPDX-License-Identifier: Apache-2.0
"""MAVLink 2, as much of it as this example speaks: frames, and four messages of common.xml."""

import struct

HEARTBEAT, GLOBAL_POSITION_INT, RADIO_STATUS, TIMESYNC = 0, 33, 109, 111
CRC_EXTRA = {HEARTBEAT: 50, GLOBAL_POSITION_INT: 104, RADIO_STATUS: 185, TIMESYNC: 34}
FIELDS = {HEARTBEAT: "<IBBBBB", GLOBAL_POSITION_INT: "<IiiiihhhH", RADIO_STATUS: "<HHBBBBB", TIMESYNC: "<qq"}


def crc(data):
    """CRC-16/MCRF4XX"""
    value = 0xFFFF
    for byte in data:
        mixed = (byte ^ value) & 0xFF
        mixed = (mixed ^ (mixed << 4)) & 0xFF
        value = (value >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4)
    return value


class Speaker:
    """One system that speaks, in sequence."""

    def __init__(self, system):
        self._system, self._sequence = system, 0

    def frame(self, message, *fields):
        payload = struct.pack(FIELDS[message], *fields).rstrip(b"\0") or b"\0"
        head = struct.pack("<BBBBBBHB", len(payload), 0, 0, self._sequence, self._system, 1, message & 0xFFFF, 0)
        self._sequence = (self._sequence + 1) % 256
        return b"\xfd" + head + payload + struct.pack("<H", crc(head + payload + bytes([CRC_EXTRA[message]])))


def read(datagram):
    """(system, message, fields) of a datagram's first frame; None when it is not one of ours or damaged."""
    if len(datagram) < 12 or datagram[0] != 0xFD or len(datagram) < 12 + datagram[1]:
        return None
    length, system, message = datagram[1], datagram[5], int.from_bytes(datagram[7:10], "little")
    if message not in FIELDS:
        return None
    covered = datagram[1:10 + length] + bytes([CRC_EXTRA[message]])
    if crc(covered) != int.from_bytes(datagram[10 + length:12 + length], "little"):
        return None
    size = struct.calcsize(FIELDS[message])
    return system, message, struct.unpack(FIELDS[message], datagram[10:10 + length][:size].ljust(size, b"\0"))


def radio_text(fields):
    """A RADIO_STATUS in SiK's scale, for people."""
    _, _, rssi, remrssi, txbuf, noise, _ = fields
    return f"heard at {rssi / 1.9 - 127:.0f} dBm, noise {noise / 1.9 - 127:.0f} dBm, " \
           f"heard there at {remrssi / 1.9 - 127:.0f} dBm, transmit buffer {txbuf} % free"
