# SPDX-License-Identifier: Apache-2.0
"""MAVLink 2, as much of it as the examples speak: frames, and some messages of common.xml."""

import struct

HEARTBEAT, PARAM_REQUEST_READ, PARAM_REQUEST_LIST, PARAM_VALUE, PARAM_SET, GLOBAL_POSITION_INT = 0, 20, 21, 22, 23, 33
MISSION_COUNT, MISSION_ACK, MISSION_REQUEST_INT, REQUEST_DATA_STREAM, MISSION_ITEM_INT = 44, 47, 51, 66, 73
COMMAND_LONG, COMMAND_ACK, RADIO_STATUS, TIMESYNC, STATUSTEXT = 76, 77, 109, 111, 253
MISSION_REQUEST, ATTITUDE, VFR_HUD, SYS_STATUS = 40, 30, 74, 1

# By message: CRC_EXTRA, and the fields in the order of the wire.
MESSAGES = {
    HEARTBEAT: (50, "<IBBBBB"), SYS_STATUS: (124, "<IIIHHhHHHHHHb"), PARAM_REQUEST_READ: (214, "<hBB16s"),
    PARAM_REQUEST_LIST: (159, "<BB"), PARAM_VALUE: (220, "<fHH16sB"), PARAM_SET: (168, "<fBB16sB"),
    ATTITUDE: (39, "<Iffffff"), GLOBAL_POSITION_INT: (104, "<IiiiihhhH"), MISSION_REQUEST: (230, "<HBB"),
    MISSION_COUNT: (221, "<HBB"), MISSION_ACK: (153, "<BBB"), MISSION_REQUEST_INT: (196, "<HBB"),
    REQUEST_DATA_STREAM: (148, "<HBBBB"), MISSION_ITEM_INT: (38, "<ffffiifHHBBBBB"), VFR_HUD: (20, "<ffffhH"),
    COMMAND_LONG: (152, "<fffffffHBBB"), COMMAND_ACK: (143, "<HB"), RADIO_STATUS: (185, "<HHBBBBB"),
    TIMESYNC: (34, "<qq"), STATUSTEXT: (83, "<B50s"),
}


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

    def __init__(self, system, component=1):
        self.system, self._component, self._sequence = system, component, 0

    def frame(self, message, *fields):
        payload = struct.pack(MESSAGES[message][1], *fields).rstrip(b"\0") or b"\0"
        head = struct.pack("<BBBBBBHB", len(payload), 0, 0, self._sequence, self.system, self._component,
                           message & 0xFFFF, 0)
        self._sequence = (self._sequence + 1) % 256
        return b"\xfd" + head + payload + struct.pack("<H", crc(head + payload + bytes([MESSAGES[message][0]])))


def read(datagram):
    """(system, message, fields) of a datagram's first frame; None when it is not one of ours or damaged."""
    if len(datagram) < 12 or datagram[0] != 0xFD or len(datagram) < 12 + datagram[1]:
        return None
    length, system, message = datagram[1], datagram[5], int.from_bytes(datagram[7:10], "little")
    if message not in MESSAGES:
        return None
    covered = datagram[1:10 + length] + bytes([MESSAGES[message][0]])
    if crc(covered) != int.from_bytes(datagram[10 + length:12 + length], "little"):
        return None
    size = struct.calcsize(MESSAGES[message][1])
    return system, message, struct.unpack(MESSAGES[message][1], datagram[10:10 + length][:size].ljust(size, b"\0"))


def radio_text(fields):
    """A RADIO_STATUS in SiK's scale, for people."""
    _, _, rssi, remrssi, txbuf, noise, _ = fields
    return f"heard at {rssi / 1.9 - 127:.0f} dBm, noise {noise / 1.9 - 127:.0f} dBm, " \
           f"heard there at {remrssi / 1.9 - 127:.0f} dBm, transmit buffer {txbuf} % free"
