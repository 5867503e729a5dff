"""A run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from .. import _livetime, recording
from ..errors import RecordingError
from ..geometry import Geometry
from ..small import SmallData
from .about import About
from .detector import Detector, MissingDet, Plain, Variable, detector
from .event import Event, Step, StepEvent, timestamp
from .interfaces import interface, needed

_LOOK_AGAIN_S = 0.05

End = Callable[[], tuple[int, bool]]
"""Says where events end now, and whether more may come."""


class Change(NamedTuple):
    """A change of state of a run."""

    place: int
    """Place of the change among the run's changes."""
    number: int
    """Number of the change in the files; negative in formats without records."""
    name: str
    event: int
    """The first event behind it."""
    time_ns: int


@dataclass(frozen=True)
class Settings:
    """The detectors that a script has asked for."""

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
        """The run as an object of Livetime."""
        self._settings, self._about, self._events_of = settings, about, events
        self._names: list[str] = []
        """Arrays that the script has used, which the loop reads ahead."""
        self._used: set[str] = set()
        """Detectors whose records the script has used."""
        self._at = about.begin
        """The last change of state before the script's present event."""
        self._is_over = False
        # Loops go on where the one before has stopped, as in psana.
        self._next = events.start
        """The first event that no loop has given."""
        self._events_given = 0
        """How many events all loops have given."""
        self._last_step = -1
        """The last step that was given: its place among the changes of the run."""
        self._table: dict[int, int] | None = None

    # ---- Content ----

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

    def get_filtered_detinfo(self) -> dict[str, str]:
        """For each detector its kind with the serial numbers of its segments."""
        return {about.detector: interface(self, about)._uniqueid for about in self._about.detectors}

    @property
    def epicsinfo(self) -> dict[tuple[str, str], str]:
        """The process variables, with their definitions."""
        defined = self._about.definitions
        return {(name, defined.get(name, "")): defined.get(name, "") for name in self._about.variables("epics")}

    @property
    def scaninfo(self) -> dict[tuple[str, str], str]:
        """The variables of a scan: `run.Detector(name)(step)` is a variable's value at a step."""
        return {(name, algorithm): algorithm for name, algorithm in self._about.variables("scan").items()}

    @property
    def scannames(self) -> set[str]:
        """Names of the variables of a scan."""
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
        """The begin of the run, as a timestamp of an event; the first event's in formats without a begin."""
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
        """A detector, a process variable, or a variable of a scan.

        `det.raw.raw(evt)` is a field of its algorithm `raw`, `det(evt)` the value of a variable. Raises `KeyError` if there is none of
        that name, unless `accept_missing`; it lists those that there are.
        """
        return detector(self, name, accept_missing)

    # ---- Events ----

    def events(self) -> Iterator[Event]:
        """All events that no loop has given so far, in the order of time."""
        yield from self._events(self._events_of.start, self._events_of.stop)

    def steps(self) -> Iterator[Step]:
        """The steps of a scan that no loop has reached so far, with one that has all events if the run tells of none.

        With `live=True` also those that are to come.
        """
        for begin, stop, end in self._live_ranges() if self._settings.live else self._step_ranges():
            if self._is_over or self._has_all:
                return
            if begin.place <= self._last_step or begin.event < self._next and begin.name == "BeginStep":
                continue
            self._at = begin.number if begin.number >= 0 else self._at
            self._last_step, self._next = begin.place, max(self._next, begin.event)
            yield Step(self, range(begin.event, stop), StepEvent(begin.time_ns, begin.number), end)
        self._next = len(self.run)

    @contextmanager
    def build_table(self) -> Iterator[bool]:
        """Finds the events by their timestamps, for `event`: `with run.build_table() as has_events: ...`."""
        stop = self._grown()[0] if self._settings.live else self._events_of.stop
        self._table = {timestamp(self._time_of(number)): number for number in range(self._events_of.start, stop)}
        yield bool(self._table)

    def event(self, timestamp: int) -> Event:
        """The event with this timestamp; raises `ValueError` if there is none. `build_table()` comes before it."""
        if self._table is None:
            raise RuntimeError("wanted `run.build_table()` before `run.event`, found none")
        if timestamp not in self._table:
            raise ValueError(f"wanted the timestamp of an event of the run, found {timestamp}")
        return Event(self, self._table[timestamp], None, ())

    def step(self, evt: Event) -> StepEvent:
        """The beginning of the step that contains an event."""
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

    @property
    def _has_all(self) -> bool:
        """Whether loops have given as many events as a script wants."""
        return 0 < self._settings.max_events <= self._events_given

    def _step_ranges(self) -> list[tuple[Change, int, End | None]]:
        """The beginnings of steps, where their events end, and nothing: that will not change."""
        begun = [change for change in self._changes() if change.name == "BeginStep"] or [self._beginning()]
        ends = [*(change.event for change in begun[1:]), self._events_of.stop]
        return [(change, end, None) for change, end in zip(begun, ends)]

    def _live_ranges(self) -> Iterator[tuple[Change, int, End | None]]:
        """The steps of a run that is still being recorded: a step comes when it has begun, and its loop searches its
        end."""
        seen = 0
        may_grow = True
        while may_grow:
            _, may_grow = self._grown()
            while seen < len(changes := self._changes()):
                seen += 1
                if (change := changes[seen - 1]).name == "BeginStep":
                    yield change, change.event, partial(self._step_end, seen)
            if may_grow:
                time.sleep(_LOOK_AGAIN_S)
        if all(change.name != "BeginStep" for change in self._changes()):
            yield from self._step_ranges()

    def _step_end(self, behind: int) -> tuple[int, bool]:
        """Where the events of a step end, by the changes of the run behind its beginning, and whether more may come."""
        stop, may_grow = self._grown()
        end = next((change.event for change in self._changes()[behind:] if change.name in ("BeginStep", "EndStep")), None)
        return (stop, may_grow) if end is None else (end, False)

    def _changes(self) -> list[Change]:
        """The changes of state of the run."""
        if self.run.format != "xtc2":
            all = enumerate(self.run.transitions)
            return [Change(place, -1, found.name, found.event, found.time_ns) for place, found in all]
        about, first = self._about, self._about.begin + 1
        return [Change(n - first, n, about.name(n), about._changes[n][2], about.time_ns(n)) for n in range(first, about.end)]

    def _beginning(self) -> Change:
        """The begin of the run, for one that tells of no steps."""
        start, number = self._events_of.start, self._about.begin
        return Change(0, number, "BeginRun", start, self._about.time_ns(number) if number >= 0 else self._time_of(start))

    def _time_of(self, event: int) -> int:
        return self.run._recording.time_ns(event) if event < len(self.run) else 0

    def _events(self, start: int, stop: int, end: End | None = None) -> Iterator[Event]:
        """Events from one to another, or, of a run that grows, to where `end` says, which no loop has given."""
        if self._settings.live and self._settings.smd_callback is not None:
            raise NotImplementedError("wanted smd_callback= of a recorded run, found live=True, with which livetime.psana does not have it")
        end = self._grown if self._settings.live and end is None else end
        events = iter(()) if self._has_all else self._read(max(start, self._next), stop, end)
        for event in events:
            if self._is_over:
                return
            if event.number < self._next:
                continue
            self._next, self._events_given = event.number + 1, self._events_given + 1
            self._at = self._about.before(event.number) if self._about.begin >= 0 else self._at
            yield event
            if self._has_all:
                return

    def _read(self, start: int, stop: int, end: End | None) -> Iterator[Event]:
        """All events; those with arrays that the script has used so far are read ahead, if their end is known."""
        ahead: Iterator[_livetime.Event] = iter(())
        found: _livetime.Event | None = None
        trouble: RecordingError | None = None
        names: tuple[str, ...] = ()
        for number in self._numbers(start, end or (lambda: (stop, False))):
            if end is None and len(names) < len(self._names) and self._chosen is None:
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
        # An event that could not be read is an exception here, behind the last event.
        for _ in ahead:
            pass
        if not names and (stop if end is None else end()[0]) >= len(self.run):
            for path, why in self.run.problems:
                raise RecordingError(f"{path}: {why}")

    def _numbers(self, start: int, end: End) -> Iterator[int]:
        """The numbers of the events, also of events that are still being recorded."""
        number = start
        while True:
            stop, may_grow = end()
            yield from (n for n in range(number, stop) if self._is_wanted(n))
            number = max(number, stop)
            if not may_grow:
                return
            time.sleep(_LOOK_AGAIN_S)

    def _grown(self) -> tuple[int, bool]:
        """Takes in the events recorded meanwhile: the end of the run's events, and whether more may come."""
        # The question comes before the refresh, so that events written in between are found by the refresh.
        may_grow = self.run._recording.may_grow
        self.run._recording.refresh()
        stop, is_last = self._about.refresh(len(self.run))
        return stop, may_grow and is_last

    def _is_wanted(self, number: int) -> bool:
        """Whether a script has named no event, or this one."""
        if not self._settings.live:
            return self._chosen is None or number in self._chosen
        wanted = self._settings.timestamps
        return wanted is None or timestamp(self._time_of(number)) in wanted

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
    """The runs in the files: files of LCLS-II may have several, each with its `BeginRun`, which is waited for with
    `live=True`."""
    is_xtc2 = run.format == "xtc2"
    changes = run._recording.changes() if is_xtc2 else []
    while settings.live and is_xtc2 and not any(change[0] == "BeginRun" for change in changes):
        may_grow = run._recording.may_grow
        run._recording.refresh()
        changes = run._recording.changes()
        if not may_grow:
            break
        time.sleep(_LOOK_AGAIN_S)
    if not any(change[0] == "BeginRun" for change in changes):
        configure = next((number for number, change in enumerate(changes) if change[0] == "Configure"), -1)
        yield Run(run, settings, About(run._recording, configure, configure, len(changes)), range(len(run)))
        return
    given = 0
    while given < len(begins := [number for number, change in enumerate(changes) if change[0] == "BeginRun"]):
        begin, end = begins[given], [*begins[1:], len(changes)][given]
        configure = max((number for number, change in enumerate(changes[:begin]) if change[0] == "Configure"), default=-1)
        last = changes[end][2] if end < len(changes) else len(run)
        # Of a run that grows the last event is not known.
        yield Run(run, settings, About(run._recording, configure, begin, end), range(changes[begin][2], last))
        given += 1
        # Another one may have begun meanwhile.
        changes = run._recording.changes() if settings.live else changes
