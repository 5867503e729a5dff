#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets ca_session and ca_client: whole talks of Channel Access."""
import pathlib
import struct

corpus = pathlib.Path(__file__).resolve().parent / "corpus"
VERSION, EVENT_ADD, EVENT_CANCEL, WRITE, SEARCH, EVENTS_OFF, EVENTS_ON = 0, 1, 2, 4, 6, 8, 9
CLEAR, READ_NOTIFY, CREATE, WRITE_NOTIFY, CLIENT_NAME, HOST_NAME, ECHO = 12, 15, 18, 19, 20, 21, 23
DOUBLE, TIME_DOUBLE, CHAR, STRING, CTRL_ENUM = 6, 20, 4, 0, 31
# Bytes of a double in the five forms.
DOUBLES = {6: 8, 13: 16, 20: 24, 27: 72, 34: 88}


def message(command, data_type=0, count=0, first=0, second=0, payload=b""):
    payload += bytes(-len(payload) % 8)
    return struct.pack(">HHHHII", command, len(payload), data_type, count, first, second) + payload


def text(name):
    return name.encode() + b"\0"


def said_by(who, message):
    """A piece of ca_session; client 2 reads rarely, and for 3 the server's own life goes on."""
    message += bytes(max(0, 4 - len(message)))
    fours = (len(message) - 4 + 3) // 4
    return bytes([who | fours << 2]) + message + bytes(4 + 4 * fours - len(message))


def talk(who):
    mask = bytes(12) + struct.pack(">H", 5) + bytes(2)
    messages = [
        message(VERSION, count=13),
        message(CLIENT_NAME, payload=text("user")),
        message(HOST_NAME, payload=text("host")),
        message(SEARCH, 5, 13, 1, 1, text("a")),
        *(message(CREATE, first=cid, second=13, payload=text(name)) for cid, name in enumerate("abcde", 1)),
        message(READ_NOTIFY, TIME_DOUBLE, 1, 1, 7),
        message(READ_NOTIFY, TIME_DOUBLE, 1, 1, 8),
        message(READ_NOTIFY, CHAR, 0, 2, 9),
        message(READ_NOTIFY, CTRL_ENUM, 1, 4, 10),
        message(READ_NOTIFY, STRING, 1, 5, 11),
        message(EVENT_ADD, DOUBLE, 1, 1, 20, mask),
        message(WRITE_NOTIFY, DOUBLE, 1, 1, 21, struct.pack(">d", 2.5)),
        message(WRITE_NOTIFY, DOUBLE, 1, 3, 22, struct.pack(">d", 3.5)),
        message(WRITE, STRING, 1, 4, 23, text("Acquire") + bytes(32)),
        message(EVENTS_OFF),
        message(EVENTS_ON),
        message(EVENT_CANCEL, DOUBLE, 1, 1, 20),
        message(CLEAR, first=1, second=1),
        message(ECHO),
    ]
    return [said_by(who, message) for message in messages]


def answers():
    """Of a server: an answer to each get and an update of each monitor that ca_client has begun, and the end of puts."""
    found, request = [], 0
    for _ in range(3):
        for data_type, size in DOUBLES.items():
            found.append(message(READ_NOTIFY, data_type, 1, 1, request, bytes(size)))
            found.append(message(EVENT_ADD, data_type, 1, 1, request + 1, bytes(size)))
            request += 2
        found.append(message(READ_NOTIFY, 38, 1, 1, request, text("ai") + bytes(37)))
        found.append(message(WRITE_NOTIFY, 0, 1, 1, request + 1))
        request += 3
    return b"".join(found)


tick = said_by(3, b"\1\0\0\0")
one, two = talk(0), talk(2)
both = [piece for pair in zip(one, two) for piece in (*pair, tick)]
seeds = {
    "ca_session": {"one": b"".join(one) + tick, "lazy": b"".join(two) + tick, "both": b"".join(both)},
    "ca_client": {"whole": b"\xff" + answers(), "cut": b"\1" + answers()},
}
for target, files in seeds.items():
    folder = corpus / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in files.items():
        (folder / name).write_bytes(seed)
