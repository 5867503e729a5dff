"""Files that have their names when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

import numpy as np


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that is called `PATH.unproved` while it is written; an error removes it, and leaves the old file at
    `path`."""
    written = os.fspath(path) + ".unproved"
    try:
        with open(written, "wb") as file:
            yield file
        os.replace(written, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(written)
        raise


def save_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Writes arrays as `numpy.savez` does, which adds `.npz` to a name without it."""
    name = os.fspath(path)
    with whole_file(name if name.endswith(".npz") else name + ".npz") as file:
        np.savez(file, **cast(Any, arrays))
