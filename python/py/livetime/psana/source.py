"""Where runs come from."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import geometry as geometries
from .. import recording
from ..errors import RecordingError
from ..geometry import Geometry
from .run import Run, Settings
from .small_data import SmallDataWriter


class DataSource:
    """The runs of some files: `files=` a file, a list or a pattern; or `exp=`, `run=` (all without it) and `dir=`.

    Without `dir` the files lie where SLAC has them below `SIT_PSDM_DATA`.
    """

    def __init__(
        self,
        files: str | Sequence[str] | None = None,
        *,
        exp: str | None = None,
        run: int | Sequence[int] | None = None,
        dir: str | None = None,
        max_events: int = 0,
        timestamps: Sequence[int] | NDArray[np.uint64] | str | None = None,
        detectors: Sequence[str] = (),
        ahead: int = 1,
        constants: Mapping[str, Callable[[Any], Any]] | None = None,
        geometry: Mapping[str, Geometry | str | os.PathLike[str]] | None = None,
    ) -> None:
        """What a script reads, and what its detectors are corrected with.

        - `max_events`: so many of each run, 0 for all. `detectors`: accepted; detectors are read when a script has made one.
        - `timestamps`: only events with one of these (`evt.timestamp`), or with those of a file `.npy`.
        - `constants`: by the name of a detector, what `det.raw.calib(evt)` is made with: `livetime.Corrections`, or any function of
          an array.
        - `geometry`: by the name of a detector, its geometry or the file of it, for `det.raw.image(evt)`.
        """
        placed = {name: _geometry(found) for name, found in (geometry or {}).items()}
        chosen = np.load(timestamps) if isinstance(timestamps, str) else timestamps
        only = None if chosen is None else frozenset(int(stamp) for stamp in chosen)
        self._settings = Settings(max_events, ahead, dict(constants or {}), placed, only)
        if files is not None:
            self._files = [[files] if isinstance(files, str) else [os.fspath(file) for file in files]]
            return
        if exp is None:
            raise TypeError("wanted files=, or exp= and run=")
        folder = dir or _folder(exp)
        numbers = [run] if isinstance(run, int) else _all_runs(folder, exp) if run is None else list(run)
        self._files = [[_first(folder, exp, number)] for number in numbers]

    def runs(self) -> Iterator[Run]:
        """The runs, one after the other."""
        for files in self._files:
            yield Run(recording.open(*files), self._settings)

    def smalldata(self, filename: str | None = None, **_: Any) -> SmallDataWriter:
        """Collects values of events, in the order of time, and writes them to a file. Options for MPI are accepted."""
        return SmallDataWriter(filename)


def _geometry(found: Geometry | str | os.PathLike[str]) -> Geometry:
    return found if isinstance(found, Geometry) else geometries.load(found)


def _folder(exp: str) -> str:
    if above := os.environ.get("SIT_PSDM_DATA"):
        return os.path.join(above, exp[:3], exp, "xtc")
    raise TypeError(f"wanted the folder of {exp}, found neither dir= nor SIT_PSDM_DATA")


def _all_runs(folder: str, exp: str) -> list[int]:
    names = glob.glob("*-r*-s*-c*.xtc*", root_dir=folder)
    numbers = {int(found[1]) for name in names if (found := re.fullmatch(r".+-r(\d+)-s\d+-c\d+\.xtc2?", name))}
    if not numbers:
        raise RecordingError(f"wanted files of {exp} in {folder}, found none")
    return sorted(numbers)


def _first(folder: str, exp: str, number: int) -> str:
    found = sorted(glob.glob(os.path.join(folder, f"{exp}-r{number:04}-s*-c000.xtc2")))
    found = found or sorted(glob.glob(os.path.join(folder, f"*-r{number:04}-s*-c00.xtc")))
    if not found:
        raise RecordingError(f"wanted files of {exp} run {number} in {folder}, found none")
    return found[0]
