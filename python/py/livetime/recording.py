"""Recorded runs: open one, list its content, loop over its events."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

import numpy as np

from . import _livetime, opened
from .errors import RecordingError
from .select import Selection, SelectionLike, selected
from .small import SmallData
from .tables import numbers as numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

OnDamage = Literal["keep", "skip", "stop"]
Faults = Literal["end", "raise", "count"]

_MEMORY = 1 << 30
_LAST = (1 << 63) - 1
_SIZES = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 10**3, "mb": 10**6, "gb": 10**9}


def size(text: int | str) -> int:
    """Bytes of `"64 MiB"`, `"1 GB"` or a number.

    >>> size("64 MiB")
    67108864
    """
    if isinstance(text, int):
        return text
    found = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", text)
    if found is None or found[2].lower() not in _SIZES:
        raise ValueError(f"wanted a size as \"64 MiB\", found {text!r}")
    return int(float(found[1]) * _SIZES[found[2].lower()])


@dataclass(frozen=True)
class Fault:
    """Why an event gave no array, or why nothing is known behind a place of a file."""

    kind: str
    """`"missing"`, `"damaged"`, `"lost"`, `"broken"`, `"unreadable"` or `"no memory"`."""
    event: int | None
    """Number of the event; `None` if it is about a file."""
    why: str
    """The wanted and the found value, and the place."""


@dataclass(frozen=True)
class Account:
    """Counts of the events of a loop, for one detector."""

    frames: int = 0
    """Events that gave an array."""
    whole: int = 0
    """Events with a whole picture."""
    partial: int = 0
    """Events with a picture that is damaged or missing in part."""
    damaged: int = 0
    """Events with a picture that is damaged."""
    skipped: int = 0
    """Of these two, events that were left out because `on_damage="skip"` says so."""
    missing: int = 0
    """Events without the detector."""
    lost: int = 0
    """Events whose picture the recorder may have lost."""
    broken: int = 0
    """Events whose data contradict their format."""
    unreadable: int = 0
    """Events that the system refused to read."""
    no_memory: int = 0
    """Events that memory did not suffice for."""
    faults: tuple[Fault, ...] = field(default=(), repr=False)
    """The first thousand events without an array but for `missing` ones, and places where files break off."""

    def __str__(self) -> str:
        counts = ((name, getattr(self, name)) for name in self.__dataclass_fields__ if name != "faults")
        text = ", ".join(f"{name} {count}" for name, count in counts if count) or "nothing read"
        more = f" and {len(self.faults) - 1} more" if len(self.faults) > 1 else ""
        return f"{text}; {self.faults[0].kind}: {self.faults[0].why}{more}" if self.faults else text


def _account(counts: dict[str, int], faults: tuple[Fault, ...] = ()) -> Account:
    return Account(faults=faults, **counts)


class Transition(NamedTuple):
    """A change of state of a run."""

    name: str
    """`"Configure"`, `"BeginRun"`, `"BeginStep"` (a calib cycle of LCLS-I), `"Enable"`, and their ends: `"EndStep"` and so on."""
    time_ns: int
    """When it happened, ns since 1970."""
    event: int
    """The number of the first event behind it."""
    run_number: int | None
    """The number of the run, where `BeginRun` has it."""


class Judgement(NamedTuple):
    """How good recorded data are: the final judgement of every reader."""

    code: int
    """0: all can be used; 3: something is lost; 1: something is lost, and nothing can be used."""
    text: str
    """Usable and lost data, in words."""


class Detector:
    """A detector of a run. Where a function takes a detector, its name or a part of it does too."""

    def __init__(self, run: Run, name: str, is_picture: bool) -> None:
        self.run = run
        """The run."""
        self.name = name
        """The whole name: `CxiDs1-0|Cspad-0` (LCLS-I), `epixquad.raw.raw` (LCLS-II), `crate5_slot2_fiber1` (a link)."""
        self.is_picture = is_picture
        """Whether its arrays have two axes or more."""
        self._layout: tuple[np.dtype[Any], tuple[int, ...]] | None = None

    def _found(self) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
        # One that has nothing yet is asked again: the run may have grown.
        if self._layout is None:
            self._layout = self.run._recording.layout(self.name)
        return self._layout

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """Type of the elements of its first array; `None` if it has none in the first thousand events."""
        found = self._found()
        return found and found[0]

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of its first array, slowest axis first."""
        found = self._found()
        return found and found[1]

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        found = self._found()
        return f"<Detector {self.name}: {found[0]} {found[1]}>" if found else f"<Detector {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Detector) and (self.name, self.run) == (other.name, other.run)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Detector, (self.run, self.name, self.is_picture)


DetectorLike = Union[Detector, str]


_RUNS: weakref.WeakSet[Run] = weakref.WeakSet()


class Run:
    """A recorded run: the events in its files, in the order of time. Made by `livetime.open`.

    `run[17]` is an event, `run[100:200:2]` an iterator over some, both with all detectors that have pictures. `with livetime.open(…) as
    run:` closes the files at the end, `run.close()` does too. A run is pickled by the paths of its files.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]], *, only: bool = False) -> None:
        """`only`: exactly these files, without other files of the run beside them."""
        given = [os.fspath(path) for path in paths]
        self._given = tuple(path if "://" in path else os.path.abspath(path) for path in given)
        # No message shows a signature.
        self._paths = tuple(path.partition("?")[0] if path.startswith(("http://", "https://")) else path for path in self._given)
        self._only = only
        # A run that could not be opened is closed: `repr` and the end of the program ask.
        self._is_closed = True
        self._opened: _livetime.Recording | None = _livetime.Recording(given, only)
        self._is_closed = False
        self._loop: _livetime.Events | None = None
        self.selection: Selection | None = None
        """The selection of the last loop."""
        _RUNS.add(self)

    @property
    def _recording(self) -> _livetime.Recording:
        if self._is_closed:
            raise RecordingError(f"{self._paths[0]}: wanted a run that is open, found one that was closed")
        if self._opened is None:
            self._opened = _livetime.Recording(self._given, self._only)
        return self._opened

    def close(self) -> None:
        """Ends the last loop, and closes the files when the last event that was kept is gone."""
        if self._loop is not None:
            self._loop.close()
        self._opened, self._is_closed = None, True

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._only:
            raise TypeError(f"{self._paths[0]}: a run of chosen files is not pickled, because its paths alone would open all of its files")
        if self._paths != self._given:
            raise TypeError(f"{self._paths[0]}: a run behind a signed address is not pickled, because its signature stays in this process")
        return opened.run, (self._paths,)

    # ---- Content ----

    def __len__(self) -> int:
        """How many events are known."""
        return self._recording.events

    @property
    def format(self) -> str:
        """`"xtc1"` (LCLS-I), `"xtc2"` (LCLS-II), `"hdf5"`, `"wire"` (raw frames) or `"records"` (trigger records)."""
        return self._recording.format

    @property
    def files(self) -> list[str]:
        """The files, one for each stream and chunk, or for each link."""
        return [os.fspath(path) for path in self._recording.files]

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Places from which on a file cannot be read (how many events lie behind is unknown), and those inside of events that were read so far
        and of changes of state: the path, and why."""
        return [(os.fspath(path), why) for path, why in self._recording.problems]

    def judgement(self, detector: DetectorLike = "") -> Judgement:
        """Reads all events for a detector, and says how good the run is: as `livetime inspect --pictures`, `run` and `analyze` end."""
        return Judgement(*self._recording.judgement(self.detector(str(detector)).name))

    @property
    def detectors(self) -> list[Detector]:
        """The detectors with arrays."""
        return [Detector(self, name, is_picture) for name, is_picture in self._recording.detectors()]

    def detector(self, name: str = "") -> Detector:
        """The detector that is meant, or without a name the only one. A part of a name is enough if it fits one alone.

        Raises `RecordingError` if there is none or more than one; it lists them.
        """
        whole = self._recording.resolve(name)
        known = dict(self._recording.detectors())
        return Detector(self, whole, known.get(whole, True))

    def time(self, event: int) -> np.datetime64:
        """When an event happened, in ns. Raises `IndexError` if there is none."""
        return np.datetime64(self._recording.time_ns(self._number(event)), "ns")

    def small(self, event: int) -> SmallData:
        """The values recorded at an event beside the arrays."""
        return SmallData(self._recording.small_data(self._number(event)))

    def configuration(self, event: int = 0) -> SmallData:
        """The configuration at an event: values set by a scan, process variables, settings of detectors."""
        return SmallData(self._recording.configuration(event if event == 0 else self._number(event)))

    def table(
        self, *names: str, start: int = 0, stop: int | None = None, step: int = 1, select: SelectionLike | None = None
    ) -> dict[str, NDArray[Any]]:
        """Small values of many events as columns: the number of the event (`event`), its time (`time_ns`), and a column for each name.

        - `names`: as `event.small` has them; without one, all that are a number in the first event.
        - `start`, `stop`, `step`, `select`: which events, as in `events`.

        A value that an event lacks is NaN. `livetime.write_table` writes it to a file.
        """
        chosen: Sequence[int] = range(len(self))[start:stop:step]
        if select is not None:
            wanted = selected(self._recording, select, self._counted(start), None if stop is None else self._counted(stop))
            chosen = [event for event in chosen if wanted is not None and event in wanted]
        rows = [self.small(event) for event in chosen]
        if not names and rows:
            names = tuple(name for name, value in rows[0].items() if isinstance(value, (int, float)))
        for name in names:
            if rows and not any(name in row for row in rows):
                known = ", ".join(rows[0]) or "nothing"
                raise RecordingError(f"wanted a small value of these events, found none called `{name}`; the first one has {known}")
        columns = {name: numbers_of(name, [row.get(name) for row in rows]) for name in names}
        times = np.array([self._recording.time_ns(event) for event in chosen], np.uint64)
        return {"event": np.array(chosen, np.uint64), "time_ns": times, **columns}

    @property
    def transitions(self) -> list[Transition]:
        """The changes of state between events, in the order of time: where the run and the steps of a scan begin and end."""
        return [Transition(*found) for found in self._recording.transitions()]

    @property
    def steps(self) -> list[range]:
        """The numbers of the events of each step of a scan (calib cycle); none if the run has no steps."""
        begins = [t.event for t in self.transitions if t.name == "BeginStep"]
        return [range(begin, end) for begin, end in zip(begins, [*begins[1:], len(self)])]

    def to_dask(self, detector: DetectorLike = "", *, chunk_events: int | None = None, fill: float | None = None) -> Any:
        """The arrays of a detector at all events as one array of Dask, which reads them when they are needed.

        `chunk_events`: events in a chunk; without it chunks of about 64 MiB. `fill`: stands for events without a whole picture; without
        it such an event is an error. Workers of a cluster must see the files under the same paths.
        """
        from .dask_array import to_dask

        return to_dask(self, self.detector(str(detector)), chunk_events, fill)

    def select(self, expression: str, *, start: int = 0, stop: int | None = None) -> Selection:
        """The events for which an expression is true, as `"evr(140) and ebeam.charge > 0.1"`.

        Raises `RecordingError` if it names a value that the run does not have; it lists those that there are.
        """
        start, stop = self._counted(start), None if stop is None else self._counted(stop)
        return Selection(_livetime.Selected(self._recording, expression, start, stop, None), self._paths, start, stop)

    def judge(self, detector: DetectorLike) -> Account:
        """Reads all events of a detector and counts how good they are, without giving them."""
        return _account(self._recording.judge(str(detector)))

    # ---- Events ----

    def events(
        self,
        *detectors: DetectorLike,
        start: int = 0,
        stop: int | None = None,
        step: int = 1,
        ahead: int = 1,
        on_damage: OnDamage = "keep",
        faults: Faults = "end",
        follow: bool = False,
        quiet: float | None = None,
        memory: int | str = _MEMORY,
        select: SelectionLike | None = None,
    ) -> _livetime.Events:
        """The events that have one of the detectors, in the order of time (from the last to the first if `step` < 0).

        - `detectors`: without one, all that have pictures. `event.array` is that of the first.
        - `start`, `stop`, `step`: numbers of events, as in a slice: those below 0 count from the last known event back.
        - `ahead`: threads that read and decompress ahead for each detector, 256 at most; a loop that would wait for them reads too. 0: only the loop
          itself reads. With another step than 1 the loop itself reads.
        - `on_damage`: `"keep"` gives damaged pictures, marked; `"skip"` leaves them out, counted; `"stop"` raises.
        - `faults`: when broken data and files that break off are an exception (`RecordingError`): `"end"`, behind the last
          event; `"raise"`, at once, and the loop can go on; `"count"`, never. `run.account` has them in each case.
        - `follow`: goes on with a run that is still being written until it has ended, which names without `.inprogress` say, with no next
          chunk in the three seconds behind.
        - `quiet`: a run that is followed counts as ended when nothing has come for so many seconds: its writer may be dead. With it raw
          frames and trigger records of other programs are followed too, whose names say nothing.
        - `select`: an expression, as `"evr(140) and ebeam.charge > 0.1"`, or a `Selection`: only these events, which the loop itself
          reads. `run.selection` has the others by number.
        - `memory`: the bound for arrays of this loop that are kept; beyond it they are copied, with one warning.

        Arrays are read-only and may be kept; their memory goes back when the last slice is gone.
        """
        names = [str(detector) for detector in detectors] or self._pictures()
        start, stop = self._counted(start), None if stop is None else self._counted(stop)
        if ahead < 0:
            raise ValueError(f"ahead: wanted 0 threads or more, found {ahead}")
        if step == 0:
            raise ValueError("wanted a step other than 0, found 0")
        if quiet is not None and not (follow and quiet > 0):
            raise ValueError(f"wanted `follow` with `quiet`, and seconds above 0, found follow={follow}, quiet={quiet}")
        if follow and step != 1:
            raise ValueError(f"wanted `follow` or a step, found both: follow={follow}, step={step}")
        if select is not None and follow:
            raise ValueError("wanted `select` or `follow`, found both: what is selected is known when the run is complete")
        self.selection = selected(self._recording, select, start, stop)
        chosen = None if self.selection is None else self.selection._selected
        loop = self._recording.iterate(
            names, start, stop, step, ahead, on_damage, follow, quiet, size(memory), faults, chosen
        )
        self._loop = loop
        return loop

    def _number(self, event: int) -> int:
        count = len(self)
        number = event + count if event < 0 else event
        if not 0 <= number < count:
            wanted = f"an event from 0 to {count - 1}" if count else "a run with events"
            raise IndexError(f"wanted {wanted}, found {event}")
        return number

    def _counted(self, number: int) -> int:
        """A position as in a slice: a negative one counts from the end of the known events."""
        return min(number, _LAST) if number >= 0 else max(0, number + len(self))

    def _pictures(self) -> list[str]:
        found = [name for name, is_picture in self._recording.detectors() if is_picture]
        found = found or [name for name, _ in self._recording.detectors()]
        if not found:
            raise RecordingError("wanted a run with detectors, found none in the first events")
        return found

    def __iter__(self) -> Iterator[_livetime.Event]:
        return self.events()

    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step < 0:
                # The range in ascending order; the loop turns it round.
                start, stop = (stop + 1, start + 1) if stop < start else (0, 0)
            return self.events(start=start, stop=stop, step=step)
        number = self._number(which)
        for event in self.events(start=number, stop=number + 1, ahead=0, faults="raise"):
            return event
        raise RecordingError(f"{self._recording.place(number)}: wanted an event with pictures, found none")

    @property
    def account(self) -> Account:
        """Counts of the events of the last loop by their condition, for its first detector."""
        return self.account_of(0)

    def account_of(self, detector: int | DetectorLike) -> Account:
        """The counts for the detector at a position of the loop, or of that name."""
        if self._loop is None:
            return Account()
        if not isinstance(detector, int):
            detector = self._loop.names.index(self.detector(str(detector)).name)
        faults = tuple(Fault(*fault) for fault in self._loop.faults(detector))
        return _account(self._loop.account(detector), faults)

    @property
    def copied(self) -> int:
        """Arrays of the last loop that were copied, because the script kept earlier ones."""
        return 0 if self._loop is None else self._loop.copied

    # ---- While it is written ----

    @property
    def may_grow(self) -> bool:
        """Whether events may still come."""
        return self._recording.may_grow

    def refresh(self) -> None:
        """Takes in events that were recorded meanwhile; known events keep their numbers."""
        self._recording.refresh()

    # ---- Shown ----

    def __repr__(self) -> str:
        if self._is_closed:
            return f"<Run of {self._paths[0]}, closed>"
        names = ", ".join(name for name, _ in self._recording.detectors())
        bad = f", {len(self.problems)} files that break off" if self.problems else ""
        return f"<Run of {len(self)} events in {len(self.files)} files ({self.format}){bad}: {names}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(d.name)}</td><td>{d.dtype or ''}</td><td>{d.shape or ''}</td></tr>" for d in self.detectors
        )
        bad = "".join(f"<p>{escape(path)}: {escape(why)}</p>" for path, why in self.problems)
        head = f"<p><b>{len(self)} events</b> in {len(self.files)} files ({self.format})</p>"
        return f"{head}<table><tr><th>detector</th><th>dtype</th><th>shape</th></tr>{rows}</table>{bad}"


def open(*paths: str | os.PathLike[str]) -> Run:
    """Opens a recorded run: of a single file, all files of its run that lie beside it; or a pattern; or several files.

    >>> import livetime
    >>> livetime.open("no-r0001-s000-c000.xtc2")
    Traceback (most recent call last):
    ...
    livetime.errors.RecordingError: `no-r0001-s000-c000.xtc2`: wanted a recorded file, found none
    """
    if not paths:
        raise TypeError("wanted at least one file of a run, found none")
    return Run(paths)


def _open_anew() -> None:
    """In the child of a fork: a thread that read in the parent may have held the lock of a run."""
    for run in list(_RUNS):
        _OF_PARENT.append(run._opened)
        run._opened = None


# Never dropped: nothing of it may be touched.
_OF_PARENT: list[_livetime.Recording | None] = []

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_livetime.forked)
    os.register_at_fork(after_in_child=_open_anew)
