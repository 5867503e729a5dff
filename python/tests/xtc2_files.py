"""Files of LCLS-II, byte by byte as its data acquisition writes them: what no sample has."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

CONFIGURE, BEGIN_RUN, END_RUN, BEGIN_STEP, END_STEP, ENABLE, DISABLE, SLOW_UPDATE, EVENT = 2, 4, 5, 6, 7, 8, 9, 10, 12
_SHAPES_DATA, _SHAPES, _DATA, _NAMES = 1, 2, 3, 4
_TYPES = {"u1": 0, "u2": 1, "u4": 2, "u8": 3, "i1": 4, "i2": 5, "i4": 6, "i8": 7, "f4": 8, "f8": 9, "text": 10}


class Detector(NamedTuple):
    """What one algorithm of a segment records: fields with type and number of axes."""

    number: int
    kind: str
    name: str
    algorithm: str
    version: tuple[int, int, int]
    fields: Sequence[tuple[str, str, int]]
    segment: int = 0

    def names(self) -> bytes:
        """Its description."""
        payload = struct.pack("<I", sum(axes > 0 for _, _, axes in self.fields))
        payload += _text(self.kind) + _text(self.name) + _text("serial") + _text(self.algorithm)
        major, minor, micro = self.version
        payload += struct.pack("<II", major << 16 | minor << 8 | micro, self.segment)
        for name, kind, axes in self.fields:
            payload += _text("") + bytes(4) + _text(name) + struct.pack("<II", _TYPES[kind], axes)
        return _piece(self.number, _NAMES, payload)

    def record(self, *values: Any) -> bytes:
        """A record of it."""
        shapes, data = b"", b""
        for (_, kind, axes), value in zip(self.fields, values, strict=True):
            array = np.frombuffer(value.encode() + b"\0", np.uint8) if kind == "text" else np.asarray(value, f"<{kind}")
            data += array.tobytes()
            if axes:
                shapes += struct.pack("<5I", *array.shape, *[0] * (5 - array.ndim))
        inside = (_piece(self.number, _SHAPES, shapes) if shapes else b"") + _piece(self.number, _DATA, data)
        return _piece(self.number, _SHAPES_DATA, inside)


RUN_INFO = Detector(200, "runinfo", "runinfo", "runinfo", (0, 0, 1), [("expt", "text", 1), ("runnum", "u4", 0)])


class File:
    """A file, each of whose datagrams is a millisecond after the one before."""

    def __init__(self, detectors: Sequence[Detector], *configurations: bytes) -> None:
        self._bytes, self._count = b"", 0
        described = b"".join(detector.names() for detector in (*detectors, RUN_INFO))
        self.add(CONFIGURE, described, *configurations)

    def add(self, transition: int, *inside: bytes) -> None:
        """A datagram."""
        self._count += 1
        seconds, thousandth = divmod(self._count, 1000)
        head = struct.pack("<3I", thousandth * 1_000_000, 1_000_000_000 + seconds, transition << 24)
        self._bytes += head + _piece(0, 0, b"".join(inside))

    def begin_run(self, number: int) -> None:
        """The beginning of a run."""
        self.add(BEGIN_RUN, RUN_INFO.record("tstx1", number))

    def step(self, events: Sequence[bytes], *values: bytes) -> None:
        """A step of a scan, with what it changes and its events."""
        self.add(BEGIN_STEP, *values)
        self.add(ENABLE)
        for event in events:
            self.add(EVENT, event)
        self.add(DISABLE)
        self.add(END_STEP)

    def write(self, path: Path) -> None:
        """Writes it."""
        path.write_bytes(self._bytes)


def datagrams(bytes: bytes) -> list[bytes]:
    """The datagrams of a file."""
    found, at = [], 0
    while at < len(bytes):
        end = at + 12 + struct.unpack_from("<I", bytes, at + 20)[0]
        found.append(bytes[at:end])
        at = end
    return found


def stamp(datagram: bytes) -> int:
    """When it was, as psana says it."""
    ns, seconds = struct.unpack_from("<II", datagram)
    return int(seconds << 32 | ns)


def two_runs(path: Path) -> None:
    """A file with two runs, each a scan of two steps."""
    scan = Detector(1, "scan", "scan", "raw", (2, 0, 0), [("motor", "f8", 0)])
    hsd = Detector(2, "hsd", "hsd", "raw", (0, 0, 2), [("calib", "f4", 1)])
    file = File([scan, hsd])
    for run in (7, 8):
        file.begin_run(run)
        for step in (0, 1):
            events = [hsd.record(np.arange(5) + number) for number in range(run - 5)]
            file.step(events, scan.record(run + step / 2))
        file.add(END_RUN)
    file.write(path)


def digitiser(path: Path) -> None:
    """A digitiser with peaks: none, one at each end, several, without a waveform."""
    config = Detector(
        1, "hsd", "hsd", "config", (2, 0, 0), [(f"user.fex.{name}", "i4", 0) for name in ("ymin", "ymax", "gate_ns")]
    )
    hsd = Detector(2, "hsd", "hsd", "raw", (2, 0, 0), [("eventHeader", "u4", 1), ("chan00", "u1", 1)])

    def stream(number: int, samples: Sequence[int]) -> bytes:
        return struct.pack("<4I", len(samples), number << 24, 0, 0) + np.array(samples, "<u2").tobytes()

    def skip(*counts: int) -> list[int]:
        return [0x8000 | count for count in counts]

    wave = list(range(2000, 2016))
    peaks = [
        skip(4, 4, 4, 4),
        [10, 11, 12, 13],
        [*skip(1, 0, 0, 3), 5, 6, 7, 8, 9, 10, 11, 12, *skip(2, 2, 2, 2)],
        [1, 2, 3, 4, *skip(0, 0, 0, 100), 5, 6, 7, 8, *skip(1, 1, 1, 1), *skip(1, 1, 1, 1), 9, 9, 9, 9],
    ]
    events = [stream(0, wave) + stream(1, found) for found in peaks] + [stream(1, peaks[2]), stream(0, wave)]
    masks = [3, 3, 3, 3, 2, 1]
    file = File([config, hsd], config.record(100, 300, 1000))
    file.begin_run(1)
    pairs = zip(masks, events, strict=True)
    file.step([hsd.record([mask << 20, 0], np.frombuffer(found, np.uint8)) for mask, found in pairs])
    file.add(END_RUN)
    file.write(path)


def beam_line(path: Path) -> None:
    """Detectors of every kind that is more than its fields."""
    every = range(8)
    wave8 = Detector(1, "wave8", "wave8", "raw", (0, 0, 1), [(f"raw_{number}", "u2", 1) for number in every])
    fex = Detector(2, "wave8", "wave8", "fex", (0, 0, 1), [(f"base_{number}", "f4", 0) for number in every])
    words = [("pulseId", "u8", 0), ("timeStamp", "u8", 0), ("ebeamDestn", "u1", 0), ("sequenceValues", "u2", 1)]
    timing = Detector(3, "ts", "timing", "raw", (2, 1, 0), words)
    gmd = Detector(4, "gmd", "gmd", "raw", (2, 0, 0), [("energy", "f8", 0)])
    counts = [("encoderValue", "i4", 1), ("scale", "u2", 1), ("scaleDenom", "u2", 1)]
    encoder = Detector(5, "encoder", "encoder", "raw", (2, 0, 0), counts)
    opal = Detector(6, "opal", "opal", "raw", (2, 0, 0), [("image", "u2", 2)])
    file = File([wave8, fex, timing, gmd, encoder, opal])
    file.begin_run(1)
    events = []
    for number in range(4):
        codes = np.zeros(18, np.uint16)
        codes[[8, 17]] = 1 << 12 | number, 1 << 15
        events.append(
            wave8.record(*(np.arange(4) * (channel + number) for channel in every))
            + fex.record(*(channel + number / 2 for channel in every))
            + timing.record((1 << 63) + 100 + number, 5, 3, codes)
            + gmd.record(0.5 + number)
            + encoder.record([1000 + number], [6667], [0 if number == 0 else 10])
            + opal.record(np.arange(6).reshape(2, 3) + number)
        )
    file.step(events)
    file.add(END_RUN)
    file.write(path)


def cameras(path: Path) -> None:
    """Cameras whose pictures are not their records as they are."""
    archon = Detector(1, "archon", "archon", "raw", (1, 0, 0), [("value", "u2", 2)])
    axis = Detector(2, "axis", "axis", "raw", (1, 0, 0), [("value", "u2", 2)])
    epixm = Detector(3, "epixm320", "epixm", "raw", (0, 0, 0), [("raw", "u2", 3)])
    file = File([archon, axis, epixm])
    file.begin_run(1)
    events = []
    for number in range(2):
        columns = np.arange(3 * 4800).reshape(3, 4800) % 999 + number
        chips = np.arange(4 * 192 * 384).reshape(4, 192, 384) % 997 + number
        events.append(archon.record(columns) + axis.record(np.arange(12).reshape(3, 4) + number) + epixm.record(chips))
    file.step(events)
    file.add(END_RUN)
    file.write(path)


def _piece(source: int, kind: int, payload: bytes) -> bytes:
    return struct.pack("<IHHI", source, 0, kind, 12 + len(payload)) + payload


def _text(text: str) -> bytes:
    return text.encode().ljust(256, b"\0")
