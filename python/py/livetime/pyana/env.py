"""The job and the run, as user modules see them."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any

from ..small import SmallData
from .histograms import HistoMgr

if TYPE_CHECKING:
    from .reader import Reader


class EpicsStore:
    """The values of process variables at the event that is handled."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._number: int | None = None
        self._last: dict[str, Any] | None = None

    def value(self, name: str) -> Any:
        """The newest value of a process variable; `None` if it has none.

        From the first question on, every event of this worker is looked at for new values; before it, what was configured holds.
        """
        if self._last is None:
            self._last = dict(self._reader.configuration(self._number or 0))
            self.at(self._number)
        return self._last.get(name)

    def names(self) -> list[str]:
        """The names that were configured or have been seen."""
        self.value("")
        return sorted(self._last or {})

    def at(self, number: int | None) -> None:
        """Goes on to an event."""
        self._number = number
        if self._last is not None and number is not None:
            self._last.update(self._reader.small(number))


class Env:
    """The job: its name, its worker, its histograms and files, the configuration of the run."""

    def __init__(self, job_name: str, worker: int | None, folder: str | None, reader: Reader) -> None:
        self._job_name, self._worker, self._folder, self._reader = job_name, worker, folder, reader
        self._epics = EpicsStore(reader)
        self._histograms = HistoMgr()
        self._number = 0
        self.files: dict[str, str] = {}
        """Names of the files that were made, and where this worker wrote them."""
        self._open: list[IO[Any]] = []

    def jobName(self) -> str:
        """The name of the job."""
        return self._job_name

    def jobNameSub(self) -> str:
        """The name of the job, in a worker with its number: for files that are not put together."""
        return self._job_name if self._worker is None else f"{self._job_name}-{self._worker}"

    def subprocess(self) -> int:
        """The number of this worker, from 0 on; -1 without workers."""
        return -1 if self._worker is None else self._worker

    def hmgr(self) -> HistoMgr:
        """Makes histograms, which are added over all workers and saved in `JOBNAME.npz`."""
        return self._histograms

    def mkfile(self, name: str, mode: str = "w", bufsize: int = -1) -> IO[Any]:
        """Opens a file for writing. At the end of the job, the files of all workers are put together in the order of
        events."""
        if not mode.startswith("w") or os.path.basename(name) == "":
            raise ValueError(f"wanted the name of a file and a mode with w, found {name!r} and {mode!r}")
        if name in self.files:
            raise ValueError(f"wanted another name for a file, found {name!r} again")
        place = name if self._folder is None else os.path.join(self._folder, f"{self._worker}-{len(self.files)}")
        self.files[name] = place
        file: IO[Any] = open(place, mode, bufsize)
        self._open.append(file)
        return file

    def epicsStore(self) -> EpicsStore:
        """Process variables."""
        return self._epics

    def configuration(self) -> SmallData:
        """The configuration at the event, with the values that a scan has set."""
        return self._reader.configuration(self._number)

    def getConfig(self, address: str) -> dict[str, Any]:
        """The configured values whose source or name has this text in it, by name."""
        return {item.name: item.value for item in self.configuration().find(address)}

    # ---- For the job ----

    def at(self, number: int | None, following: int) -> None:
        """Goes on to an event, or to a transition before the event `following`."""
        self._number = following if number is None else number
        self._epics.at(number)

    def close(self) -> None:
        """Closes the files that modules have left open."""
        for file in self._open:
            file.close()
