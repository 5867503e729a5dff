"""The words of psana 2 for runs of LCLS-II (and I): a script changes its import line and needs no MPI.

    from livetime.psana import DataSource
    ds = DataSource(files="xpptut15-r0014-s000-c000.xtc2")
    run = next(ds.runs())
    det = run.Detector("epixquad")
    smd = ds.smalldata(filename="out.npz")
    for evt in run.events():
        raw = det.raw.raw(evt)
        smd.event(evt, mean=raw.mean())
    smd.done()

What is not there: steps, callbacks, calibration (constants of one's own are a line of numpy), random access by timestamps.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _livetime, recording
from .errors import RecordingError


class DataSource:
    """The runs of some files: `files=` a file, a list or a pattern; or `exp=`, `run=` and `dir=`."""

    def __init__(
        self,
        files: str | Sequence[str] | None = None,
        *,
        exp: str | None = None,
        run: int | Sequence[int] | None = None,
        dir: str | None = None,
        max_events: int = 0,
        detectors: Sequence[str] = (),
        ahead: int = 1,
    ) -> None:
        """`max_events`: so many of each run, 0 for all. `detectors`: accepted; detectors are read when a script has made one."""
        self._max_events, self._ahead = max_events, ahead
        if files is not None:
            self._files = [[files] if isinstance(files, str) else [os.fspath(file) for file in files]]
            return
        if exp is None or run is None or dir is None:
            raise TypeError("wanted files=, or exp=, run= and dir=")
        numbers = [run] if isinstance(run, int) else list(run)
        self._files = [[_first(dir, exp, number)] for number in numbers]

    def runs(self) -> Iterator[Run]:
        """The runs, one after the other."""
        for files in self._files:
            yield Run(recording.open(*files), self._max_events, self._ahead)

    def smalldata(self, filename: str | None = None, **_: Any) -> SmallDataWriter:
        """Collects values of events, in the order of time, and writes them to a file. Options for MPI are accepted."""
        return SmallDataWriter(filename)


def _first(folder: str, exp: str, number: int) -> str:
    found = sorted(glob.glob(os.path.join(folder, f"{exp}-r{number:04}-s*-c000.xtc2")))
    found = found or sorted(glob.glob(os.path.join(folder, f"*-r{number:04}-s*-c00.xtc")))
    if not found:
        raise RecordingError(f"wanted files of {exp} run {number} in {folder}, found none")
    return found[0]


class Run:
    """One run."""

    def __init__(self, run: recording.Run, max_events: int, ahead: int) -> None:
        self.run = run
        """The same run in Livetime's words."""
        self._max_events, self._ahead = max_events, ahead
        self._names: list[str] = []

    @property
    def detnames(self) -> set[str]:
        """Names of the detectors with arrays."""
        return {detector.name.split(".")[0] for detector in self.run.detectors}

    def Detector(self, name: str) -> Detector:
        """A detector: `det.raw.raw(evt)` is the array or value `raw` of its algorithm `raw`; `det(evt)` a value alone."""
        return Detector(self, name)

    def events(self) -> Iterator[Event]:
        """The events with one of the detectors that were used before the loop, else with any; in the order of time."""
        wanted = [self.run.detector(name) for name in self._names]
        for count, event in enumerate(self.run.events(*wanted, ahead=self._ahead)):
            if self._max_events and count >= self._max_events:
                return
            yield Event(event)


class Event:
    """An event."""

    def __init__(self, event: _livetime.Event) -> None:
        self.event = event
        """The same event in Livetime's words."""

    @property
    def timestamp(self) -> int:
        """When it happened: seconds in the upper 32 bits, ns in the lower, as psana has it."""
        seconds, ns = divmod(self.event.time_ns, 10**9)
        return seconds << 32 | ns


class Detector:
    """A detector, and its algorithms as attributes."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name = run, name
        names = {detector.name for detector in run.run.detectors}
        # Of LCLS-I a detector has one picture. Of LCLS-II which array is meant is said by `det.raw.raw`.
        if name in names:
            run._names.append(name)

    def __getattr__(self, algorithm: str) -> Algorithm:
        if algorithm.startswith("_"):
            raise AttributeError(algorithm)
        return Algorithm(self._run, self._name, algorithm)

    def __call__(self, evt: Event) -> Any:
        """The array of a detector of LCLS-I, else the value of this name; `None` if the event has none."""
        found = _array(self._run, self._name, evt) if self._name in self._run._names else None
        return evt.event.small.get(self._name) if found is None else found


class Algorithm:
    """What an algorithm recorded: its arrays and values are functions of the event."""

    def __init__(self, run: Run, name: str, algorithm: str) -> None:
        self._run, self._source = run, f"{name}.{algorithm}"

    def __getattr__(self, field: str) -> Any:
        if field.startswith("_"):
            raise AttributeError(field)
        run, source = self._run, self._source
        whole = f"{source}.{field}"
        names = {detector.name for detector in run.run.detectors}

        def get(evt: Event) -> Any:
            if whole in names:
                return _array(run, whole, evt)
            values = [item for item in evt.event.small.all if item.name == field and item.source == source]
            return values[0].value if values else None

        return get


def _array(run: Run, name: str, evt: Event) -> NDArray[Any] | None:
    """From the event that the loop has read, or, if the loop began without the detector, by a read of its own."""
    event = evt.event
    try:
        return event.get(name)
    except KeyError:
        pass
    if name not in run._names:
        run._names.append(name)
    for again in run.run.events(name, start=event.number, stop=event.number + 1, ahead=0, faults="count"):
        return again.array
    return None


class SmallDataWriter:
    """Values of events as columns, in the order of time; a value that an event does not have is NaN (0 for integers: -99999)."""

    def __init__(self, filename: str | None) -> None:
        self._filename = filename
        self._rows: list[tuple[int, dict[str, Any]]] = []
        self._summary: dict[str, Any] = {}

    def event(self, evt: Event, *dicts: dict[str, Any], **values: Any) -> None:
        """Notes values of an event: numbers, or arrays that have one shape at all events."""
        merged: dict[str, Any] = {}
        for more in (*dicts, values):
            merged.update(more)
        self._rows.append((evt.timestamp, merged))

    def sum(self, value: Any) -> Any:
        """The sum over all that run this script: the value itself, because one process does all."""
        return value

    min = max = sum

    def save_summary(self, *dicts: dict[str, Any], **values: Any) -> None:
        """Notes values of the whole run."""
        for more in (*dicts, values):
            self._summary.update(more)

    def columns(self) -> dict[str, NDArray[Any]]:
        """What was noted: `timestamp` and one column for each name."""
        rows = sorted(self._rows, key=lambda row: row[0])
        names = dict.fromkeys(name for _, values in rows for name in values)
        columns: dict[str, NDArray[Any]] = {"timestamp": np.array([time for time, _ in rows], np.uint64)}
        for name in names:
            first = np.asarray(next(values[name] for _, values in rows if name in values))
            missing = -99999 if first.dtype.kind in "iu" else np.nan
            nothing = np.full(first.shape, missing)
            columns[name] = np.array([values.get(name, nothing) for _, values in rows])
        return columns

    def done(self) -> None:
        """Writes the file: `.npz`, or with h5py any other name as HDF5."""
        if self._filename is None:
            return
        content = self.columns() | {name: np.asarray(value) for name, value in self._summary.items()}
        if self._filename.endswith(".npz"):
            np.savez(self._filename, **content)  # type: ignore[arg-type]
            return
        import h5py

        with h5py.File(self._filename, "w") as file:
            for name, value in content.items():
                file[name] = value
