#!/usr/bin/env python3
"""Makes the first inputs of the fuzz target trigger_records: files of trigger records (docs/formats/trigger-records.md)."""
import pathlib
import struct

folder = pathlib.Path(__file__).resolve().parent / "corpus" / "trigger_records"
WINDOW = (100, 200)
MISSING = 0x4C540001


def source(subsystem, number):
    return struct.pack("<HHI", 2, subsystem, number)


def fragment(trigger, kind, subsystem, number, data):
    head = struct.pack("<IIQQQQQ", 0x11112222, 5, 72 + len(data), trigger, 150, *WINDOW)
    return head + struct.pack("<IIIHH", 5, 0, kind, 0, 3) + source(subsystem, number) + data


def record(trigger, fragments, missing):
    """`fragments`: type, subsystem, number, data; `missing`: subsystem, number, begin, end, reason, or None if all is there."""
    head = struct.pack("<IIQQQII", 0x33334444, 4, trigger, 150, len(fragments), 5, int(missing is not None))
    out = head + struct.pack("<QHHI", 128, 0, 0, 0xFFFFFFFF) + source(4, 0)
    for _, subsystem, number, _ in fragments:
        out += struct.pack("<II", 2, 0) + source(subsystem, number) + struct.pack("<QQ", *WINDOW)
    out += b"".join(fragment(trigger, *f) for f in fragments)
    if missing is not None:
        entries = [source(s, n) + struct.pack("<QQII", begin, end, reason, 0) for s, n, begin, end, reason in missing]
        out += fragment(trigger, MISSING, 4, 0, b"".join(entries))
    return out


folder.mkdir(parents=True, exist_ok=True)
partial = record(1, [(1, 1, 7, b"x" * 20), (6, 3, 7, b"")], [(1, 7, 150, 200, 3)])
empty = record(2, [], None)
for name, seed in [("partial", partial), ("empty", empty), ("both", partial + empty)]:
    (folder / name).write_bytes(seed)
