#!/usr/bin/env python3
"""Makes the first inputs of the pvAccess fuzz targets from recorded messages: fuzz/corpus/pva_*.

The recordings are in the folder `pva` of the test data: LIVETIME_DATA, else ../shared/data beside the checkout. They
are not kept here; run this before `cargo +nightly fuzz run`.
"""
import hashlib
import os
import pathlib
import struct
import sys

here = pathlib.Path(__file__).resolve().parent
data = pathlib.Path(os.environ.get("LIVETIME_DATA") or here.parent.parent / "shared" / "data") / "pva"
GET, PUT, PUT_GET, MONITOR, PROCESS, GET_FIELD, RPC = 0x0A, 0x0B, 0x0C, 0x0D, 0x10, 0x11, 0x14
OPERATIONS = {GET, PUT, PUT_GET, MONITOR, PROCESS, RPC}
# The numbers that `pva_client` and `pva_session` begin with.
CLIENT_IOID = {GET: 0, MONITOR: 2, PUT: 4, PUT_GET: 6, RPC: 7, PROCESS: 8, GET_FIELD: 9}
FIRST_IOID, FIRST_SID = 0x10002000, 1 << 20
TEXTS = [
    "", "field()", "value", "field(value,alarm.severity)", "field(a{b,c},d)", "record[queueSize=10]field(value)",
    "record[pipeline=true,queueSize=4,ackAny=50%]", "field(value[array=1:2:3],alarm[deadband=abs:0.5])",
    "record[process=passive,block=true,atomic=false,DBE=7]", "putField(value)getField(value,timeStamp)",
    "field(value) record[DBE=VALUE|ALARM]", "_[pydistributor=group:1;set:2;trigger:a;updates:3]",
]


def add(target, seed):
    folder = here / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def recorded(path):
    """Each message with where it went: (udp, from the server, bytes)."""
    udp = server = False
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            if ">S " in line or ">C " in line:
                udp, server = "UDP" in line, "S>C" in line
        elif line and "..." not in line:
            yield udp, server, bytes.fromhex(line.split()[0])


def order(message):
    return ">" if message[2] & 0x80 else "<"


def number(message, at, value):
    return message[:at] + struct.pack(order(message) + "I", value) + message[at + 4:]


def to_session(message):
    """As if it belonged to the session's first channel, whose name is `b`: an image."""
    command = message[3]
    if command == 7:
        cid = message[10:14]
        body = message[8:10] + cid + b"\x01b"
        return message[:4] + struct.pack(order(message) + "I", len(body)) + body
    if command in OPERATIONS | {0x08, 0x0F, 0x11, 0x15} and len(message) >= 16:
        return number(message, 8, FIRST_SID)
    return message


def to_client(message):
    """As if it answered one of the client's requests."""
    wanted = CLIENT_IOID.get(message[3])
    return message if wanted is None or len(message) < 12 else number(message, 8, FIRST_IOID + wanted)


def pieces(stream, length, who):
    """As the targets with several connections want it: each piece with who gets it and how long it is."""
    cut = [stream[at:at + length] for at in range(0, len(stream), length)]
    cut[-1:] = [last.ljust(-len(last) % 4 + len(last), b"\0") for last in cut[-1:]]
    return b"".join(bytes([(len(p) // 4 - 1) << 2 | w]) + p for p in cut for w in who)


def add_values(messages):
    types = {}
    for server, message in messages:
        flags = (0 if order(message) == "<" else 1) | 2
        command, body = message[3], message[8:]
        if not server and command == 1:
            add("pva_values", bytes([flags | 4]) + body[8 + 1 + body[8]:])
        if len(body) < 6 or command not in OPERATIONS | {GET_FIELD}:
            continue
        if not server:
            if body[8] & 8 or command == RPC:
                add("pva_values", bytes([flags | 4]) + body[9:])
            continue
        ioid, sub = body[:4], body[4]
        if command == GET_FIELD:
            add("pva_values", bytes([flags]) + body[5:])
        elif command == RPC and body[5] == 0xFF:
            add("pva_values", bytes([flags | 4]) + body[6:])
        elif sub & 8 and body[5] == 0xFF:
            types[ioid] = body[6:]
        elif ioid in types:
            add("pva_values", bytes([flags]) + types[ioid] + body[5 if command == MONITOR else 6:])


def main():
    if not data.is_dir():
        sys.exit(f"no `{data}`; LIVETIME_DATA names the folder with test data")
    for text in TEXTS:
        add("pva_request", text.encode())
    for path in sorted(data.glob("*.txt")):
        if "-as-text" in path.name or path.name.startswith("00-"):
            continue
        messages = list(recorded(path))
        for udp, _, message in messages:
            if udp:
                add("pva_datagram", message)
        add("pva_datagram", b"".join(m for udp, _, m in messages if udp)[:4000])
        tcp = [(server, message) for udp, server, message in messages if not udp]
        for side in [False, True]:
            stream = b"".join(message for server, message in tcp if server == side)
            add("pva_assembler", b"\x07" + stream[:8000])
        add_values(tcp)
        asks = [to_session(m) for server, m in tcp if not server and m[3] != 1]
        answers = [to_client(m) for server, m in tcp if server and not m[2] & 1 and m[3] not in (1, 7, 9)]
        for limit in (len(asks), 2, 4):
            stream = b"".join(asks[:limit])[:8000]
            add("pva_session", pieces(stream, 256, [0]))
            add("pva_session", pieces(stream, 16, [0, 2, 3]))
        for limit in (len(answers), 2):
            stream = b"".join(answers[:limit])[:8000]
            add("pva_client", b"\x7f" + stream)
            add("pva_client", b"\x81" + stream)
            for datagram in [m for udp, server, m in messages if udp and server][:2] or [b""]:
                add("pva_client_socket", pieces(datagram, 256, [0]) + pieces(stream, 64, [2]) + pieces(stream, 256, [1, 2]))
    for folder in sorted((here / "corpus").glob("pva_*")):
        print(folder.name, len(list(folder.iterdir())))


main()
