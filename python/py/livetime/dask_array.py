"""A recorded run as an array of Dask: `run.to_dask()`."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import RecordingError
from .opened import opened

if TYPE_CHECKING:
    from .recording import Detector, Run

CHUNK_BYTES = 64 << 20
"""Bytes that are read at once by default: enough to make the scheduler's millisecond per task negligible."""

CHUNKS = 64
"""So many chunks are made of a run of small events, enough for the workers of a small cluster."""
LEAST_EVENTS = 64
"""Fewer events in a chunk would only cost the scheduler time, if they are small."""


@dataclass(frozen=True)
class Written:
    """The file's state when the array was made. The inode number may be another one on another machine, so it is
    compared only where size and time alone do not decide."""

    number: int
    size: int
    time_ns: int
    may_grow: bool

    @classmethod
    def of(cls, run: Run, path: str) -> Written:
        """The file's present state."""
        found = os.stat(path)
        return cls(found.st_ino, found.st_size, found.st_mtime_ns, run.may_grow)

    def check(self, path: str) -> None:
        """Raises `RecordingError` if the file was written anew. One that was still being written may have grown."""
        found = os.stat(path)
        is_same = (found.st_size, found.st_mtime_ns) == (self.size, self.time_ns)
        has_grown = self.may_grow and found.st_ino == self.number and found.st_size >= self.size
        if not is_same and not has_grown:
            raise RecordingError(f"{path}: wanted the file as it was when the array was made, found one that was written since: make it anew")


def to_dask(run: Run, detector: Detector, chunk_events: int | None, fill: float | None) -> Any:
    """The pictures of a detector as an array with one axis more, for the events; see `Run.to_dask`."""
    import dask.array as da

    shape, dtype = detector.shape, detector.dtype
    if shape is None or dtype is None:
        raise RecordingError(f"{detector}: wanted arrays in the first thousand events, found none")
    if chunk_events is None:
        of_bytes = CHUNK_BYTES // max(1, int(np.prod(shape)) * dtype.itemsize)
        # Small events take their time too: a chunk of them is not all that there is, so that workers share them.
        chunk_events = max(1, min(of_bytes, max(LEAST_EVENTS, -(-len(run) // CHUNKS))))
    if chunk_events < 1:
        raise ValueError(f"chunk_events: wanted at least 1, found {chunk_events}")
    starts = range(0, len(run), chunk_events)
    counts = tuple(min(chunk_events, len(run) - start) for start in starts)
    files = tuple(os.path.abspath(file) for file in run.files)
    # The states are in the array's name too, so that an array of changed files is a new one for every scheduler.
    written = tuple(Written.of(run, file) for file in files)
    read = functools.partial(read_chunk, files=files, written=written, detector=detector.name, shape=shape, dtype=dtype, fill=fill)
    return da.map_blocks(
        read, chunks=(counts, *((length,) for length in shape)), dtype=dtype, meta=np.empty((0,) * (1 + len(shape)), dtype)
    )


def read_chunk(
    *,
    files: tuple[str, ...],
    written: tuple[Written, ...],
    detector: str,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    fill: float | None,
    block_info: Any = None,
) -> NDArray[Any]:
    """Reads one chunk, in any process that sees the files."""
    start, stop = block_info[None]["array-location"][0]
    chunk = np.empty((stop - start, *shape), dtype)
    is_there = np.zeros(stop - start, bool)
    for path, known in zip(files, written):
        known.check(path)
    run = opened(files)
    for event in run.events(detector, start=start, stop=stop, ahead=0, faults="count", on_damage="skip"):
        if event.array.shape != shape or event.array.dtype != dtype:
            raise RecordingError(f"event {event.number}: wanted an array {dtype} {shape}, found {event.array.dtype} {event.array.shape}")
        chunk[event.number - start] = event.array
        is_there[event.number - start] = True
    if not is_there.all():
        if fill is None:
            event = start + int(np.argmin(is_there))
            raise RecordingError(f"event {event}: wanted a whole picture of {detector}, found none; `fill` says what stands there instead")
        chunk[~is_there] = fill
    return chunk
