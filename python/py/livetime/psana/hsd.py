"""Data of a fast digitiser (hsd): waveforms, and the parts of them that it found to be peaks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError

SAMPLE_S = 1 / (6.4e9 * 13 / 14)
"""Time from a sample to the next, in s."""
_HEADER = 16
_RAW, _PEAKS = 0, 1
_IS_SKIP = 0x8000
_LANES = 4

Samples = NDArray[np.uint16]


class Channel(NamedTuple):
    """A channel at an event."""

    waveform: Samples | None
    """All samples; `None` if none were sent."""
    starts: list[int]
    """For each peak the number of its first sample in the waveform."""
    peaks: list[Samples]
    """The samples of each peak."""
    out_of_range: int
    """1 if samples of peaks were cut off."""


def read(event_header: NDArray[np.uint32], data: NDArray[np.uint8]) -> Channel:
    """A channel from its header and its bytes: streams, each of 16 bytes of header and samples of 16 bits."""
    left = int(event_header[0]) >> 20 & 3
    starts: list[int] = []
    peaks: list[Samples] = []
    waveform, out_of_range, at = None, 0, 0
    while left:
        if at + _HEADER > data.size:
            raise RecordingError(f"wanted a stream of a digitiser at byte {at}, found {data.size} bytes")
        first, second = (int(word) for word in data[at : at + 8].view("<u4"))
        count, stream = first & 0x1FFF_FFFF, second >> 24
        at += _HEADER
        if stream not in (_RAW, _PEAKS) or not left >> stream & 1 or at + 2 * count > data.size:
            raise RecordingError(f"wanted a stream of a digitiser with {count} samples at byte {at}, found {data.size} bytes")
        samples = data[at : at + 2 * count].view("<u2")
        at += 2 * count
        left &= ~(1 << stream)
        if stream == _RAW:
            waveform = samples if count else None
        else:
            starts, peaks = _peaks(samples)
            out_of_range = first >> 29 & 1
    return Channel(waveform, starts, peaks, out_of_range)


def _peaks(samples: Samples) -> tuple[list[int], list[Samples]]:
    """Four samples each are of a peak, or say how many were left out."""
    lanes = samples[: samples.size // _LANES * _LANES].reshape(-1, _LANES)
    is_skip = (lanes[:, 0] & _IS_SKIP) != 0
    lengths = np.where(is_skip, (lanes & ~np.uint16(_IS_SKIP)).sum(axis=1, dtype=np.int64), _LANES)
    before = np.concatenate([[0], np.cumsum(lengths)])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], is_skip, [True]]).astype(np.int8)))
    starts, peaks = [], []
    for begin, end in zip(edges[::2], edges[1::2]):
        starts.append(int(before[begin]))
        peaks.append(lanes[begin:end].reshape(-1))
    return starts, peaks


def times(count: int) -> NDArray[np.float64]:
    """The time of each of `count` samples, in s."""
    return np.arange(count, dtype=np.float64) * np.float64(SAMPLE_S)
