"""For tests of programs that use Livetime: small recorded runs with known contents."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

OPAL = "CxiEndstation-0|Opal1000-1"
"""The detector of the runs that `write_run` writes."""

CONFIGURE, BEGIN_RUN, END_RUN, BEGIN_STEP, END_STEP, EVENT = 4, 6, 7, 8, 9, 12
_LEVEL_EVENT, _LEVEL_SOURCE = 3 << 24, 1 << 24
_OPAL = 24 << 24 | 0 << 16 | 3 << 8 | 1
_EVR = 0 << 24 | 0 << 16 | 4 << 8 | 0
_CONTAINER, _FRAME, _EVR_DATA = 1 | 1 << 16, 2 | 1 << 16, 19 | 3 << 16
_START_NS = 1_600_000_000 * 10**9
_PERIOD_NS = 8_333_333


def datagram(transition: int, time_ns: int, number: int, leaves: Iterable[bytes]) -> bytes:
    """A datagram of LCLS-I: clock, stamp, env, and a root container with these leaves."""
    body = b"".join(leaves)
    head = struct.pack("<5I", time_ns % 10**9, time_ns // 10**9, transition << 24, 3 * number, 0)
    return head + struct.pack("<5I", 0, _LEVEL_EVENT, 0, _CONTAINER, 20 + len(body)) + body


def camera(image: NDArray[Any], damage: int = 0) -> bytes:
    """A leaf with a picture of 16 bits from a camera Opal1000, with the recorder's bits of damage."""
    rows, columns = image.shape
    payload = struct.pack("<4I", columns, rows, 16, 0) + image.astype("<u2").tobytes()
    payload += bytes(-len(payload) % 4)
    return struct.pack("<5I", damage, _LEVEL_SOURCE, _OPAL, _FRAME, 20 + len(payload)) + payload


def event_codes(codes: Sequence[int]) -> bytes:
    """A leaf of the event receiver with these codes."""
    events = b"".join(struct.pack("<3I", 0, 0, code) for code in codes)
    payload = struct.pack("<I", len(codes)) + events
    return struct.pack("<5I", 0, _LEVEL_SOURCE, _EVR, _EVR_DATA, 20 + len(payload)) + payload


def images(count: int, shape: tuple[int, int] = (60, 80)) -> list[NDArray[np.uint16]]:
    """Pictures with noise as a camera has, the same ones each time: about 1000, and 3 more from one to the next."""
    rng = np.random.default_rng(7)
    return [rng.normal(1000 + 3 * number, 20, shape).astype(np.uint16) for number in range(count)]


def write_run(
    folder: str | os.PathLike[str],
    pictures: Sequence[NDArray[Any] | None],
    damaged: Sequence[int] = (),
    name: str = "e1-r0001-s00-c00.xtc",
    steps: Sequence[int] = (),
    codes: Sequence[Sequence[int]] = (),
) -> str:
    """Writes a run of LCLS-I with these pictures of 16 bits, and returns its path.

    `None` is an event without a picture; `damaged` are the numbers of events whose pictures are noted as damaged. `steps` are the
    numbers of events before which a step of a scan (calib cycle) begins; with them, the begin and the end of the run are written too.
    `codes` are the event codes of each event, as far as it is long.
    """
    path = Path(folder) / name
    with open(path, "wb") as file:
        if steps:
            for number, transition in enumerate((CONFIGURE, BEGIN_RUN)):
                file.write(datagram(transition, _START_NS - 9000 + number, 0, []))
        for number, picture in enumerate(pictures):
            if number in steps:
                if number != steps[0]:
                    file.write(datagram(END_STEP, _START_NS + number * _PERIOD_NS - 2000, 0, []))
                file.write(datagram(BEGIN_STEP, _START_NS + number * _PERIOD_NS - 1000, 0, []))
            leaves = [] if picture is None else [camera(picture, 1 << 14 if number in damaged else 0)]
            if number < len(codes):
                leaves.insert(0, event_codes(codes[number]))
            file.write(datagram(EVENT, _START_NS + number * _PERIOD_NS, number, leaves))
        if steps:
            for number, transition in enumerate((END_STEP, END_RUN)):
                file.write(datagram(transition, _START_NS + len(pictures) * _PERIOD_NS + number, 0, []))
    return str(path)


def _wib2(samples: NDArray[Any], stamp: int, link: int) -> bytes:
    """A frame of WIB2: 256 samples of 14 bits, one behind the other from the lowest bit on."""
    bits = samples.astype(np.uint16)[:, None] >> np.arange(14, dtype=np.uint16) & 1
    packed = np.packbits(bits.astype(np.uint8).reshape(-1), bitorder="little").tobytes()
    head = struct.pack("<5I", 4 | 3 << 6 | 1 << 12 | 2 << 22 | link << 26, stamp & 0xFFFFFFFF, stamp >> 32, 0, 0)
    return head + packed + bytes(4)


WIRE_START = 1_600_000_000 * 62_500_000
"""When the frames of `write_frames` and `write_records` begin, ticks of the clock of 62.5 MHz."""


def write_frames(
    folder: str | os.PathLike[str],
    samples: NDArray[Any],
    missing: Sequence[int] = (),
    link: int = 0,
    name: str | None = None,
) -> str:
    """Writes raw frames of the wire readout (WIB2) with these samples of 256 channels, as the node `wib_dump` does; returns the path.

    `samples` has a row for each channel and a column for each tick; `missing` are ticks whose frames are left out.
    """
    path = Path(folder) / (name or f"link_0001-l{link:02}.wib")
    ticks = (tick for tick in range(samples.shape[1]) if tick not in set(missing))
    path.write_bytes(b"".join(_wib2(samples[:, tick], WIRE_START + 32 * tick, link) for tick in ticks))
    return str(path)


def _source(subsystem: int, number: int) -> bytes:
    return struct.pack("<HHI", 2, subsystem, number)


def write_records(
    folder: str | os.PathLike[str], records: Sequence[dict[int, NDArray[Any]]], name: str = "run_0001.records"
) -> str:
    """Writes trigger records, each with samples of some links (256 channels and any number of ticks); returns the path."""
    path = Path(folder) / name
    with open(path, "wb") as file:
        for number, links in enumerate(records):
            begin = WIRE_START + number * 62_500
            trigger = struct.pack("<2Q", number + 1, begin)
            requests, fragments = b"", b""
            for link, samples in links.items():
                window = struct.pack("<2Q", begin, begin + 32 * samples.shape[1])
                data = b"".join(_wib2(s, begin + 32 * tick, link) for tick, s in enumerate(samples.T))
                requests += struct.pack("<2I", 2, 0) + _source(1, link) + window
                fragments += struct.pack("<IIQ", 0x11112222, 5, 72 + len(data)) + trigger + window
                fragments += struct.pack("<IIIHH", 1, 0, 2, 0, 3) + _source(1, link) + data
            head = struct.pack("<II", 0x33334444, 4) + trigger + struct.pack("<QIIQHHI", len(links), 1, 0, 2, 0, 0, 0xFFFFFFFF)
            file.write(head + _source(4, 0) + requests + fragments)
    return str(path)
