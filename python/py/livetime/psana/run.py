"""A run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import _livetime, recording
from ..errors import RecordingError
from ..geometry import Geometry
from ..small import SmallData
from .about import About
from .detector import Detector, MissingDet, Plain, Variable, detector
from .event import Event, Step, StepEvent, timestamp
from .interfaces import interface, needed

_LOOK_AGAIN_S = 0.05


@dataclass(frozen=True)
class Settings:
    """What a script has asked for."""

    max_events: int = 0
    ahead: int = 1
    constants: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    geometry: dict[str, Geometry] = field(default_factory=dict)
    timestamps: frozenset[int] | None = None
    intg_det: str = ""
    live: bool = False
    smd_callback: Callable[[Any], Any] | None = None


class Run:
    """One run."""

    def __init__(self, run: recording.Run, settings: Settings, about: About, events: range) -> None:
        self.run = run
        """The same run in Livetime's words."""
        self._settings, self._about, self._events_of = settings, about, events
        self._names: list[str] = []
        """Arrays that the script has used, which the loop reads ahead."""
        self._used: set[str] = set()
        """Detectors whose records the script has used."""
        self._at = about.begin
        """The last change of state before what the script looks at."""
        self._is_over = False

    # ---- What is in it ----

    @cached_property
    def _arrays(self) -> set[str]:
        return {found.name for found in self.run.detectors}

    @property
    def detnames(self) -> set[str]:
        """Names of the detectors."""
        if self.run.format != "xtc2":
            return set(self._arrays)
        return {about.detector for about in self._about.detectors}

    @property
    def detinfo(self) -> dict[tuple[str, str], list[str]]:
        """For each detector and algorithm the functions that it has."""
        if self.run.format != "xtc2":
            return {(name, "raw"): ["calib", "image", "raw"] for name in sorted(self._arrays)}
        return {(about.detector, about.algorithm): interface(self, about)._public for about in self._about.detectors}

    @property
    def epicsinfo(self) -> dict[tuple[str, str], str]:
        """The process variables, with what their definitions say of them."""
        defined = self._about.definitions
        return {(name, defined.get(name, "")): defined.get(name, "") for name in self._about.variables("epics")}

    @property
    def scaninfo(self) -> dict[tuple[str, str], str]:
        """What a scan changes: `run.Detector(name)(step)` is its value at a step."""
        return {(name, algorithm): algorithm for name, algorithm in self._about.variables("scan").items()}

    @property
    def scannames(self) -> set[str]:
        """Names of what a scan changes."""
        return {name for name, _ in self.scaninfo}

    @property
    def xtcinfo(self) -> list[tuple[str, str, str, str]]:
        """Detector, its kind, algorithm and version of all records."""
        all = [(a.detector, a.kind, a.algorithm, "_".join(map(str, a.version))) for a in self._about.descriptions]
        return list(dict.fromkeys(all))

    @property
    def expt(self) -> str:
        """The experiment, as the recorder or else the name of the file says."""
        return str(self._runinfo.get("expt") or self._named[0])

    @property
    def runnum(self) -> int:
        """The number of the run, as the recorder or else the name of the file says; 0 if none does."""
        return int(self._runinfo.get("runnum") or self._named[1])

    @property
    def timestamp(self) -> int:
        """When it began, as those of events; that of its first event in formats that do not say it."""
        if self._about.begin >= 0:
            return timestamp(self._about.time_ns(self._about.begin))
        return timestamp(self.run._recording.time_ns(self._events_of.start))

    @cached_property
    def _runinfo(self) -> dict[str, Any]:
        said = self._about.records(self._about.begin) if self._about.begin >= 0 else []
        return next((values for name, _, _, values in said if name == "runinfo"), {})

    @property
    def _named(self) -> tuple[str, str]:
        found = re.match(r"(.+)-r(\d+)-", os.path.basename(self.run.files[0]))
        return (found[1], found[2]) if found else ("", "0")

    def Detector(self, name: str, accept_missing: bool = False, **_: Any) -> Detector | Variable | Plain | MissingDet:
        """A detector, a process variable, or what a scan changes.

        `det.raw.raw(evt)` is a field of its algorithm `raw`, `det(evt)` the value of a variable. Raises `KeyError` if there is none of
        that name, unless `accept_missing`; it lists those that there are.
        """
        return detector(self, name, accept_missing)

    # ---- Its events ----

    def events(self) -> Iterator[Event]:
        """All events, in the order of time."""
        yield from self._events(self._events_of.start, self._events_of.stop, self._settings.max_events)

    def steps(self) -> Iterator[Step]:
        """The steps of a scan, with one that has all events if the run tells of none."""
        if self._settings.live:
            raise NotImplementedError("wanted `run.events()` with live=True, found `run.steps()`: it knows no steps that are to come")
        left = self._settings.max_events
        for change, events in self._step_ranges():
            self._at = change if change >= 0 else self._at
            time_ns = self._about.time_ns(change) if change >= 0 else self._time_of(events.start)
            yield (step := Step(self, events, left, StepEvent(time_ns, change)))
            left -= step.given
            if self._is_over or self._settings.max_events and left <= 0:
                return

    def step(self, evt: Event) -> StepEvent:
        """The beginning of the step in which an event is."""
        before = range(self._about.before(evt.number), self._about.begin, -1)
        change = next((change for change in before if self._about.name(change) == "BeginStep"), self._about.begin)
        return StepEvent(self._about.time_ns(change), change)

    def analyze(self, event_fn: Callable[[Event, Any], Any] | None = None, det: Any = None) -> None:
        """Calls a function with each event and `det`."""
        for event in self.events():
            if event_fn is not None:
                event_fn(event, det)

    def terminate(self) -> None:
        """Ends the loops: the event that they are at is their last one."""
        self._is_over = True

    def _step_ranges(self) -> list[tuple[int, range]]:
        """The change that begins each step, negative where no records tell of it, and its events."""
        if self.run.format != "xtc2":
            return [(-1, events) for events in self.run.steps or [self._events_of]]
        begins = [c for c in range(self._about.begin + 1, self._about.end) if self._about.name(c) == "BeginStep"]
        first = [self._about._changes[change][2] for change in begins]
        ranges = [range(begin, end) for begin, end in zip(first, [*first[1:], self._events_of.stop])]
        return list(zip(begins, ranges)) or [(self._about.begin, self._events_of)]

    def _time_of(self, event: int) -> int:
        return self.run._recording.time_ns(event) if event < len(self.run) else 0

    def _events(self, start: int, stop: int, most: int) -> Iterator[Event]:
        given = 0
        for event in self._read(start, stop):
            if self._is_over:
                return
            self._at = self._about.before(event.number) if self._about.begin >= 0 else self._at
            yield event
            given += 1
            if given == most:
                return

    def _read(self, start: int, stop: int) -> Iterator[Event]:
        """All events; those with arrays that the script has used so far are read ahead."""
        ahead: Iterator[_livetime.Event] = iter(())
        found: _livetime.Event | None = None
        trouble: RecordingError | None = None
        names: tuple[str, ...] = ()
        for number in self._numbers(start, stop):
            if len(names) < len(self._names) and self._chosen is None and not self._settings.live:
                names = tuple(self._names)
                ahead = iter(self.run.events(*names, start=number, stop=stop, ahead=self._settings.ahead))
                found = None
            try:
                while names and trouble is None and (found is None or found.number < number):
                    found = next(ahead)
            except StopIteration:
                ahead = iter(())
            except RecordingError as error:
                # Said behind the last event.
                trouble = error
            is_it = found is not None and found.number == number
            yield Event(self, number, found if is_it else None, () if trouble is not None else names)
        if trouble is not None:
            raise trouble
        # What could not be read is an exception here, behind the last event.
        for _ in ahead:
            pass
        if not names and stop >= len(self.run):
            for path, why in self.run.problems:
                raise RecordingError(f"{path}: {why}")

    def _numbers(self, start: int, stop: int) -> Iterator[int]:
        """The numbers of the events, also of those that are still being recorded."""
        number = start
        while True:
            may_grow = self._settings.live and self.run._recording.may_grow
            if self._settings.live:
                self.run._recording.refresh()
                stop, is_last = self._about.refresh(len(self.run))
                may_grow = may_grow and is_last
            yield from (n for n in range(number, stop) if self._chosen is None or n in self._chosen)
            number = max(number, stop)
            if not may_grow:
                return
            time.sleep(_LOOK_AGAIN_S)

    @cached_property
    def _chosen(self) -> frozenset[int] | None:
        """Numbers of the events that a script has named by their time, or that its callback has given."""
        numbers: Iterator[int] = iter(self._events_of)
        if self._settings.timestamps is None and self._settings.smd_callback is None:
            return None
        if (wanted := self._settings.timestamps) is not None:
            numbers = (number for number in numbers if timestamp(self._time_of(number)) in wanted)
        if self._settings.smd_callback is not None:
            plain = Run(self.run, Settings(ahead=0), self._about, self._events_of)
            given = {event.number for event in self._settings.smd_callback(plain)}
            numbers = (number for number in numbers if number in given)
        return frozenset(numbers)

    def _configured(self, event: int) -> SmallData:
        return self.run.configuration(event) if event < len(self.run) else SmallData([])

    def _given(self, what: str, name: str) -> Any:
        return needed(getattr(self._settings, what), what, name)


def runs_of(run: recording.Run, settings: Settings) -> Iterator[Run]:
    """The runs that files hold: those of LCLS-II may have several, each with its `BeginRun`."""
    changes = run._recording.changes() if run.format == "xtc2" else []
    begins = [number for number, change in enumerate(changes) if change[0] == "BeginRun"]
    configured = [number for number, change in enumerate(changes) if change[0] == "Configure"]
    if not begins:
        yield Run(run, settings, About(run._recording, (configured or [-1])[0], (configured or [-1])[0], len(changes)), range(len(run)))
        return
    for begin, end in zip(begins, [*begins[1:], len(changes)]):
        configure = max((number for number in configured if number < begin), default=-1)
        last = changes[end][2] if end < len(changes) else len(run)
        # Of a run that grows the last event is not known.
        yield Run(run, settings, About(run._recording, configure, begin, end), range(changes[begin][2], last))
