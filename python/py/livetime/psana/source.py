"""Where runs come from."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _livetime, recording
from .. import geometry as geometries
from ..errors import RecordingError
from ..geometry import Geometry
from .run import Run, Settings, runs_of
from .small_data import Callback, SmallData

_WITHOUT_EFFECT = {
    "batch_size": "one process reads all", "small_xtc": "arrays are read when they are used", "dbsuffix": "SLAC's database is not asked",
    "intg_delta_t": "one process reads all", "skip_calib_load": "SLAC's database is not asked",
    "use_calib_cache": "SLAC's database is not asked", "fetch_calib_cache_max_retries": "SLAC's database is not asked",
    "cached_detectors": "SLAC's database is not asked", "smalldata_kwargs": "one process writes all", "auto_tune": "one process reads all",
    "mpi_ts": "one process reads all", "prom_jobid": "nothing is monitored", "log_level": "nothing is logged",
    "log_file": "nothing is logged",
}
"""Options of psana that change nothing here, and why."""
_REFUSED = {
    "shmem": "a recorded run, by files= or exp=", "drp": "a recorded run, by files= or exp=", "psmon_publish": "no display of psmon",
    "monitor": "monitor=False", "det_name": "detectors=",
}
"""Options of psana that are missing here, and their replacements."""


class DataSource:
    """The runs of an experiment (`exp=`, `run=`, `dir=`), or of files.

    Each of `files=` is a run of its own, and so is each run in it, as psana has it. A pattern (`"/data/*.xtc2"`), and a file of LCLS-I
    or of another format, stand for all files of their run. Without `dir` the files of `exp=` lie where SLAC has them below
    `SIT_PSDM_DATA`.
    """

    def __init__(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        *,
        exp: str | None = None,
        run: int | Sequence[int] | None = None,
        dir: str | None = None,
        max_events: int = 0,
        timestamps: Sequence[int] | NDArray[np.uint64] | str | None = None,
        detectors: Sequence[str] = (),
        xdetectors: Sequence[str] = (),
        intg_det: str = "",
        live: bool = False,
        smd_callback: Callable[[Any], Any] | None = None,
        ahead: int = 1,
        constants: Mapping[str, Callable[[Any], Any]] | None = None,
        geometry: Mapping[str, Geometry | str | os.PathLike[str]] | None = None,
        **others: Any,
    ) -> None:
        """The files that a script reads, and the constants that its detectors are corrected with.

        - `run`: one, or several; without it all.
        - `max_events`: so many of each run, 0 for all.
        - `timestamps`: only events with one of these (`evt.timestamp`), or with those of a file `.npy`.
        - `detectors`, `xdetectors`: with `exp=` only streams that have one of these, or that have none of those.
        - `intg_det`: the detector that `evt.EndOfBatch()` is about.
        - `live`: follows a run that is still being written, by its events or by its steps.
        - `smd_callback`: gives those events of a run that the loop shall have.
        - `ahead`: threads that read arrays ahead.
        - `constants`: by the name of a detector, what `det.raw.calib(evt)` is made with: `livetime.Corrections`, or any function of
          an array.
        - `geometry`: by the name of a detector, its geometry or the file of it, for `det.raw.image(evt)`.

        Other options of psana are accepted where they would change nothing (`batch_size`, `skip_calib_load`, ...), and else refused.
        """
        _check(others)
        placed = {name: _geometry(found) for name, found in (geometry or {}).items()}
        chosen = np.load(timestamps) if isinstance(timestamps, str) else timestamps
        # psana's default is an empty array, which means all.
        only = None if chosen is None or len(chosen) == 0 else frozenset(int(stamp) for stamp in chosen)
        self._settings = Settings(
            max_events, ahead, dict(constants or {}), placed, only, intg_det, live, smd_callback or None
        )
        self.exp, self.runnum, self.dir, self.max_events, self.live = exp, run, dir, max_events, live
        self._detectors, self._others = list(detectors), list(xdetectors)
        self.files: list[str] | None = None
        if files is not None:
            given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
            self.files = [os.fspath(file) for file in given]
            self._sources = [_files(file) for file in self.files]
            return
        if exp is None:
            raise TypeError("wanted files=, or exp= and run=")
        folder = dir or _folder(exp)
        numbers = [run] if isinstance(run, int) else _all_runs(folder, exp) if run is None else list(run)
        self._sources = [self._selected(_run_files(folder, exp, number)) for number in numbers]

    def runs(self) -> Iterator[Run]:
        """The runs, one after the other."""
        for files, is_alone in self._sources:
            yield from runs_of(_opened(files, is_alone), self._settings)

    def smalldata(
        self,
        filename: str | os.PathLike[str] | None = None,
        batch_size: int = 1000,
        cache_size: int | None = None,
        callbacks: Sequence[Callback] = (),
        swmr_mode: bool = False,
    ) -> SmallData:
        """Collects values of events, in the order of time, and writes them to a file; each of `callbacks` gets the
        values of every event.

        `cache_size`: so many events are written at once; without it `batch_size`. `swmr_mode`: others may read while it is written.
        """
        return SmallData(filename, max(cache_size or batch_size, 1), callbacks, swmr_mode)

    def is_mpi(self) -> bool:
        """False: one process does all."""
        return False

    def is_bd(self) -> bool:
        """True: this process reads the data."""
        return True

    def is_srv(self) -> bool:
        """False: this process does not only write."""
        return False

    def unique_user_rank(self) -> bool:
        """True: there is no other process."""
        return True

    def _selected(self, source: tuple[list[str], bool]) -> tuple[list[str], bool]:
        """The files of a run whose stream has the wanted detectors and none of the others."""
        if not self._detectors and not self._others:
            return source
        streams: dict[str, list[str]] = {}
        for file in source[0]:
            streams.setdefault(os.path.basename(file).split("-c")[0], []).append(file)
        has = {stream: _detectors_of(files[0]) for stream, files in streams.items()}
        wanted = [s for s in streams if not self._detectors or has[s] & set(self._detectors)]
        kept = [file for s in wanted if not has[s] & set(self._others) for file in streams[s]]
        if not kept:
            known = ", ".join(sorted(set().union(*has.values())))
            raise RecordingError(f"wanted a stream with {self._detectors} and without {self._others}, found {known}")
        return kept, True


def _check(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in _REFUSED and value not in (None, False, ""):
            raise NotImplementedError(f"wanted {_REFUSED[name]}, found {name}={value!r}, which livetime.psana does not have")
        if name not in _REFUSED and name not in _WITHOUT_EFFECT:
            raise TypeError(f"wanted an option of psana's DataSource, found {name}=")


def _geometry(found: Geometry | str | os.PathLike[str]) -> Geometry:
    return found if isinstance(found, Geometry) else geometries.load(found)


def _files(file: str) -> tuple[list[str], bool]:
    """A file of LCLS-II is read alone."""
    is_pattern = any(sign in file for sign in "*?") and not os.path.exists(file)
    return [file], not is_pattern and bool(re.search(r"\.xtc2(\.inprogress)?$", file))


def _opened(files: list[str], only: bool) -> recording.Run:
    """The run of these files, also if their recorder ends one of them at this moment and gives it another name."""
    while True:
        named = [_named_now(file) for file in files]
        try:
            return recording.Run(named, only=only)
        except RecordingError:
            if [_named_now(file) for file in files] == named:
                raise


def _named_now(file: str) -> str:
    """The name of a file that its recorder may have ended since it was found."""
    ended = file.removesuffix(".inprogress")
    return ended if not os.path.exists(file) and os.path.exists(ended) else file


def _folder(exp: str) -> str:
    if above := os.environ.get("SIT_PSDM_DATA"):
        return os.path.join(above, exp[:3], exp, "xtc")
    raise TypeError(f"wanted the folder of {exp}, found neither dir= nor SIT_PSDM_DATA")


def _all_runs(folder: str, exp: str) -> list[int]:
    names = glob.glob("*-r*-s*-c*.xtc*", root_dir=folder)
    numbers = {int(found[1]) for name in names if (found := re.match(r".+-r(\d+)-s\d+-c\d+\.xtc2?(\.inprogress)?$", name))}
    if not numbers:
        raise RecordingError(f"wanted files of {exp} in {folder}, found none")
    return sorted(numbers)


def _run_files(folder: str, exp: str, number: int) -> tuple[list[str], bool]:
    found = sorted(glob.glob(os.path.join(folder, f"{exp}-r{number:04}-s*-c*.xtc2*")))
    found = [file for file in found if re.search(r"\.xtc2(\.inprogress)?$", file)]
    if found:
        return found, False
    found = sorted(glob.glob(os.path.join(folder, f"*-r{number:04}-s*-c00.xtc")))
    if not found:
        raise RecordingError(f"wanted files of {exp} run {number} in {folder}, found none")
    return found[:1], False


def _detectors_of(file: str) -> set[str]:
    """The detectors of a stream, by name and with the number of each segment."""
    found = _livetime.Recording([file], True)
    configure = next((number for number, change in enumerate(found.changes()) if change[0] == "Configure"), None)
    names = [] if configure is None else found.names(configure)
    return {name for about in names for name in (about[1], f"{about[1]}_{about[6]}")}
