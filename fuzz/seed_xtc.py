#!/usr/bin/env python3
"""Makes the first inputs of the XTC fuzz targets from recorded files: fuzz/corpus/xtc*.

The files are in the folders `xtc1` and `xtc2` of the test data: LIVETIME_DATA, else ../shared/data beside the checkout.
They are not kept here; run this before `cargo +nightly fuzz run`.
"""
import hashlib
import os
import pathlib
import struct
import sys

here = pathlib.Path(__file__).resolve().parent
data = pathlib.Path(os.environ.get("LIVETIME_DATA") or here.parent.parent / "shared" / "data")


def add(target, seed):
    folder = here / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def xtc(damage, log, phy, word, payload):
    return struct.pack("<5I", damage, log, phy, word, 20 + len(payload)) + payload


def datagram(transition, leaves):
    node = xtc(0, 0x0200162E, 0xAC151A02, 0x10001, b"".join(leaves))
    root = xtc(0, 0x030004D2, 0xAC151A01, 0x10001, node)
    return struct.pack("<5I", 1, 1365000001, transition << 24, 512, 1) + root


def main():
    if not data.is_dir():
        sys.exit(f"no `{data}`; LIVETIME_DATA names the folder with test data")
    frame = struct.pack("<4I", 6, 4, 12, 0) + bytes(range(48))
    part = struct.pack("<I", 16) + frame[:16] + struct.pack("<4I", 0, 0, 48, 48) + frame[16:]
    camera = xtc(0, 0x0100006F, 0x18000301, 2 | 1 << 16, frame)
    packed = xtc(0, 0x0100006F, 0x18000301, 2 | 1 << 16 | 1 << 31, part)
    codes = xtc(0, 0x0100006F, 0x18000100, 19 | 4 << 16, struct.pack("<4I", 1, 512, 40, 140))
    small = [datagram(4, [camera]), datagram(8, []), datagram(12, [codes, camera, packed]), datagram(12, [packed])]
    for one in small:
        add("xtc1_datagram", one)
    for target in ("xtc1_file", "xtc1_convert"):
        add(target, b"".join(small))
        add(target, small[0] + b"\xee" * 33 + small[2])
    for number, version, payload in [(2, 1, frame), (2, 1, part), (19, 4, codes[20:]), (15, 7, bytes(164)), (13, 1, bytes(40))]:
        add("xtc1_leaves", struct.pack("<4H", number, version, 0, 4) + payload)
    config = struct.pack("<2I", 4, 48)
    add("xtc1_leaves", struct.pack("<4H", 11, 1, len(config), 1) + config + bytes(192))
    for path in sorted((data / "xtc1" / "engine").glob("*.hist*")):
        stream = path.read_bytes()[:4000]
        engine = 1 if path.suffix == ".hist16" else 2
        leaf = struct.pack("<5I", 0, engine, 0, 4096, len(stream)) + stream
        add("xtc1_leaves", struct.pack("<4H", 2, 1, 0, 0) + leaf)
    for path in sorted((data / "xtc2").rglob("*.xtc2")):
        add("xtc2_file", path.read_bytes()[:60000])
    for folder in sorted((here / "corpus").glob("xtc*")):
        print(folder.name, len(list(folder.iterdir())))


main()
