"""A recorded run as an array of Dask: `run.to_dask()`."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import RecordingError

if TYPE_CHECKING:
    from .recording import Detector, Run

CHUNK_BYTES = 64 << 20
"""About so many bytes are read at once if nothing else is said: large enough that the scheduler's millisecond does not count."""


def to_dask(run: Run, detector: Detector, chunk_events: int | None, fill: float | None) -> Any:
    """The pictures of a detector as an array with one axis more, for the events; see `Run.to_dask`."""
    import dask.array as da

    shape, dtype = detector.shape, detector.dtype
    if shape is None or dtype is None:
        raise RecordingError(f"{detector}: wanted arrays in the first thousand events, found none")
    if chunk_events is None:
        chunk_events = max(1, CHUNK_BYTES // max(1, int(np.prod(shape)) * dtype.itemsize))
    if chunk_events < 1:
        raise ValueError(f"chunk_events: wanted at least 1, found {chunk_events}")
    starts = range(0, len(run), chunk_events)
    counts = tuple(min(chunk_events, len(run) - start) for start in starts)
    files = tuple(os.path.abspath(file) for file in run.files)
    read = functools.partial(read_chunk, files=files, detector=detector.name, shape=shape, dtype=dtype, fill=fill)
    return da.map_blocks(
        read, chunks=(counts, *((length,) for length in shape)), dtype=dtype, meta=np.empty((0,) * (1 + len(shape)), dtype)
    )


def read_chunk(
    *,
    files: tuple[str, ...],
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
    run = _opened(files)
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


@functools.lru_cache(maxsize=4)
def _opened(files: tuple[str, ...]) -> Run:
    """Scanned once in each process."""
    from .recording import Run

    return Run(files)
