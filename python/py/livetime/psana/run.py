"""A run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import _livetime, recording
from ..geometry import Geometry
from ..small import SmallData
from .detector import Detector
from .event import Event, Step, timestamp


@dataclass(frozen=True)
class Settings:
    """What a script has asked for."""

    max_events: int
    ahead: int
    constants: dict[str, Callable[[Any], Any]]
    geometry: dict[str, Geometry]
    timestamps: frozenset[int] | None = None


class Run:
    """One run."""

    def __init__(self, run: recording.Run, settings: Settings) -> None:
        self.run = run
        """The same run in Livetime's words."""
        self._settings = settings
        self._names: list[str] = []

    @cached_property
    def _arrays(self) -> set[str]:
        return {detector.name for detector in self.run.detectors}

    @property
    def detnames(self) -> set[str]:
        """Names of the detectors with arrays."""
        return {detector.name.split(".")[0] for detector in self.run.detectors}

    @property
    def detinfo(self) -> dict[tuple[str, str], list[str]]:
        """For each detector and algorithm of LCLS-II the arrays that it recorded."""
        found: dict[tuple[str, str], list[str]] = {}
        for detector in self.run.detectors:
            name, _, rest = detector.name.partition(".")
            algorithm, _, array = rest.partition(".")
            found.setdefault((name, algorithm), []).append(array)
        return found

    @property
    def scaninfo(self) -> dict[tuple[str, str], str]:
        """What a scan changes: `run.Detector(name)(step)` is its value at a step."""
        return {(item.name, "raw"): "raw" for item in self._configured(0).all if item.source.startswith("scan.")}

    @property
    def expt(self) -> str:
        """The experiment, as the recorder or else the name of the file says."""
        return str(self._configured(0).get("runinfo.runinfo/expt") or self._named[0])

    @property
    def runnum(self) -> int:
        """The number of the run, as the recorder or else the name of the file says; 0 if none does."""
        return int(self._configured(0).get("runinfo.runinfo/runnum") or self._named[1])

    @property
    def _named(self) -> tuple[str, str]:
        found = re.match(r"(.+)-r(\d+)-", os.path.basename(self.run.files[0]))
        return (found[1], found[2]) if found else ("", "0")

    def Detector(self, name: str) -> Detector:
        """A detector: `det.raw.raw(evt)` is the array or value `raw` of its algorithm `raw`; `det(evt)` a value alone."""
        return Detector(self, name)

    def events(self) -> Iterator[Event]:
        """The events with one of the detectors that were used before the loop, else with any; in the order of time."""
        yield from self._events(0, None, self._settings.max_events)

    def steps(self) -> Iterator[Step]:
        """The steps of a scan, with one that has all events if the run tells of none."""
        left = self._settings.max_events
        for events in self.run.steps or [range(len(self.run))]:
            step = Step(self, events, left)
            yield step
            left -= step.given
            if self._settings.max_events and left <= 0:
                return

    def _events(self, start: int, stop: int | None, most: int) -> Iterator[Event]:
        wanted = [self.run.detector(name) for name in self._names]
        for count, event in enumerate(self._read(wanted, start, stop), 1):
            yield Event(event)
            if count == most:
                return

    def _read(self, wanted: list[recording.Detector], start: int, stop: int | None) -> Iterator[_livetime.Event]:
        if self._settings.timestamps is None:
            yield from self.run.events(*wanted, start=start, stop=stop, ahead=self._settings.ahead)
            return
        for number in self._chosen:
            if number in range(start, len(self.run) if stop is None else stop):
                yield from self.run.events(*wanted, start=number, stop=number + 1, ahead=0)

    @cached_property
    def _chosen(self) -> list[int]:
        """Numbers of the events that a script has named by their time."""
        stamps = (timestamp(self.run.time(number).astype(int)) for number in range(len(self.run)))
        return [number for number, stamp in enumerate(stamps) if stamp in (self._settings.timestamps or ())]

    def _configured(self, event: int) -> SmallData:
        return self.run.configuration(event)
