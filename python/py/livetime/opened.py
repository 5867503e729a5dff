"""Runs that are open already, for objects that arrive from another process by path and number: chunks of Dask, pickled
events.

A path says nothing about what lies there: files grow, and are written anew. So a run is kept with identity, sizes and times of all its
files, and opened again as soon as one of them differs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import RecordingError

if TYPE_CHECKING:
    from .recording import Run

# Each kept run holds open files and an index in memory.
_MOST = 4

Stamp = tuple[int, int, int, int, int]
"""Device, number, size and the times of the last write and of the last change of a file."""

_kept: dict[tuple[str, ...], tuple[dict[str, Stamp], Run]] = {}
_lock = threading.Lock()


def stamp(path: str) -> Stamp:
    """Identifies a file, and a change of it by a write."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _stamps(paths: tuple[str, ...], run: Run) -> dict[str, Stamp] | None:
    """The identities of all files that decide the content of the run; `None` if they are unknown, as for a pattern."""
    decisive = {*paths, *run.files}
    if len(paths) == 1:
        # All files of the run beside it: one more may have come.
        decisive |= {os.path.dirname(os.path.abspath(path)) for path in run.files}
    try:
        return {path: stamp(path) for path in decisive}
    except OSError:
        return None


def opened(paths: Sequence[str]) -> Run:
    """The run in these files, as it is now; it is not to be closed."""
    from .recording import Run

    key = tuple(paths)
    with _lock:
        found = _kept.pop(key, None)
    if found is None or _stamps(key, found[1]) != found[0]:
        run = Run(key)
        before = _stamps(key, run)
        # Events that were written while the run was opened may be in it or not.
        run.refresh()
        after = _stamps(key, run)
        if before is None or before != after:
            return run
        found = (before, run)
    with _lock:
        _kept[key] = found
        while len(_kept) > _MOST:
            del _kept[next(iter(_kept))]
    return found[1]


def run(paths: Sequence[str]) -> Run:
    """A run that was pickled: opened anew, because its holder may close it."""
    from .recording import Run

    return Run(paths)


def event(paths: Sequence[str | os.PathLike[str]], number: int, names: Sequence[str]) -> Any:
    """An event that was pickled: read again."""
    found = opened([os.fspath(path) for path in paths])
    for again in found.events(*names, start=number, stop=number + 1, ahead=0, faults="raise"):
        return again
    raise RecordingError(f"{found._recording.place(number)}: wanted an event with {', '.join(names)} as it was pickled, found none")


def _forget() -> None:
    """In the child of a fork: another thread of the parent may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _kept.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
