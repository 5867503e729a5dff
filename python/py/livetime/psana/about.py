"""The descriptions of records in a run of LCLS-II: detectors with kinds, segments and fields, configurations, and
values that hold for a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from .. import _livetime

HIDDEN = ("runinfo", "smdinfo", "chunkinfo", "triginfo")
"""Detectors that only the recorder needs."""
ENVIRONMENT = ("epics", "scan")
"""Detectors whose values hold until newer ones come."""
MOST_LOOKED_AT = 10
"""Changes of state that are searched for a value, the newest first; psana searches as many."""


class Description(NamedTuple):
    """The records that one algorithm writes in a segment."""

    piece: int
    detector: str
    kind: str
    serial: str
    algorithm: str
    version: tuple[int, ...]
    segment: int
    fields: tuple[tuple[str, str, int], ...]
    """Name, type and number of axes."""


class Enum:
    """A choice: its number, and the names of all numbers."""

    def __init__(self, value: int, names: dict[int, str]) -> None:
        self.value, self.names = value, names

    def __repr__(self) -> str:
        return f"<Enum {self.value}: {self.names.get(self.value)}>"


class Container:
    """Values by name, as attributes; `user.gain` is `gain` in `user`."""

    def __repr__(self) -> str:
        return f"<{', '.join(vars(self))}>"

    def _set(self, path: str, value: Any) -> None:
        first, _, rest = path.partition(".")
        if not rest:
            setattr(self, first, value)
            return
        inside = getattr(self, first, None)
        if not isinstance(inside, Container):
            setattr(self, first, inside := Container())
        inside._set(rest, value)


def contained(values: dict[str, Any], into: Container | None = None) -> Container:
    """The values of a record."""
    found = Container() if into is None else into
    for name, value in values.items():
        found._set(name, Enum(*value) if isinstance(value, tuple) else value)
    return found


class About:
    """The changes of state of one run in the files, and their records."""

    def __init__(self, recording: _livetime.Recording, configure: int, begin: int, end: int) -> None:
        """The run whose `Configure` and `BeginRun` have these numbers, up to the change `end`."""
        self._recording = recording
        self._configure, self.begin, self.end = configure, begin, end
        self._read: dict[int, list[tuple[str, str, int, dict[str, Any]]]] = {}

    @cached_property
    def descriptions(self) -> list[Description]:
        """All that `Configure` describes, in the order of the streams."""
        if self._configure < 0:
            return []
        return [
            Description(piece, detector, kind, serial, algorithm, tuple(version), segment, tuple(fields))
            for piece, detector, kind, serial, algorithm, version, segment, fields in self._recording.names(self._configure)
        ]

    @property
    def detectors(self) -> list[Description]:
        """Of those with a detector that gives data at events, the first of each algorithm."""
        first: dict[tuple[str, str], Description] = {}
        for about in self.descriptions:
            if about.detector not in (*HIDDEN, *ENVIRONMENT) and about.algorithm != "config":
                first.setdefault((about.detector, about.algorithm), about)
        return list(first.values())

    def segments(self, detector: str) -> list[int]:
        """The numbers of its segments."""
        return sorted({about.segment for about in self.descriptions if about.detector == detector})

    def records(self, change: int) -> list[tuple[str, str, int, dict[str, Any]]]:
        """Detector, algorithm, segment and values of the records at a change of state."""
        if change not in self._read:
            if len(self._read) > 4 * MOST_LOOKED_AT:
                del self._read[next(iter(self._read))]
            found = self._recording.records(None, change, [])
            self._read[change] = [(detector, algorithm, segment, values) for _, detector, algorithm, segment, _, values in found]
        return self._read[change]

    def configurations(self, detector: str, until: int) -> dict[int, Container]:
        """The configuration of each segment, as steps up to the change `until` have left it; `[segment].config.user.gain`."""
        found: dict[int, Container] = {}
        steps = (change for change in range(self.begin, until + 1) if self.name(change) in ("BeginRun", "BeginStep"))
        for change in [self._configure, *steps] if self._configure >= 0 else []:
            for name, algorithm, segment, values in self.records(change):
                if name == detector and algorithm == "config":
                    at = found.setdefault(segment, Container())
                    at.config = contained(values, getattr(at, "config", None))  # type: ignore[attr-defined]
        return found

    # ---- Values that hold for a time ----

    @cached_property
    def _changes(self) -> list[tuple[str, int, int]]:
        return self._recording.changes()

    def refresh(self, events: int) -> tuple[int, bool]:
        """Takes in the events recorded meanwhile; returns the end of the run's events among `events`, and whether no
        other run began."""
        self.__dict__.pop("_changes", None)
        later = range(self.begin + 1, len(self._changes))
        self.end = next((change for change in later if self.name(change) == "BeginRun"), len(self._changes))
        is_last = self.end == len(self._changes)
        return events if is_last else self._changes[self.end][2], is_last

    def name(self, change: int) -> str:
        """Name of the change."""
        return self._changes[change][0]

    def time_ns(self, change: int) -> int:
        """When it was, ns since 1970."""
        return self._changes[change][1]

    def before(self, event: int) -> int:
        """The number of the last change before an event."""
        low, high = self.begin, min(self.end, len(self._changes))
        while low < high:
            middle = (low + high) // 2
            if self._changes[middle][2] <= event:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def variables(self, store: str) -> dict[str, str]:
        """The names of the variables of `"epics"` or `"scan"`, and the algorithm of each."""
        described = (about for about in self.descriptions if about.detector == store)
        return {name.partition(":")[0] if kind.startswith("enum") else name: about.algorithm
                for about in described for name, kind, _ in about.fields}

    def type_of(self, store: str, variable: str) -> type | None:
        """The type of a variable's value; `None` for arrays."""
        for about in self.descriptions:
            for name, kind, axes in about.fields if about.detector == store else ():
                if name == variable:
                    return str if kind == "text" else None if axes else float if kind.startswith("f") else int
        return None

    def value(self, store: str, variable: str, until: int) -> Any:
        """The value of a variable that holds after the change `until`; `None` before the first."""
        kinds = ("SlowUpdate",) if store == "epics" else ("BeginStep", "BeginRun")
        for change in self._newest(kinds, until):
            for detector, _, _, values in self.records(change):
                if detector == store and variable in values:
                    found = values[variable]
                    return Enum(*found) if isinstance(found, tuple) else found
        return None

    def _newest(self, kinds: tuple[str, ...], until: int) -> Iterator[int]:
        left = MOST_LOOKED_AT
        for change in range(until, self.begin - 1, -1):
            if self.name(change) in kinds:
                yield change
                left -= 1
                if left == 0:
                    return

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The definition of each variable in the records of `epicsinfo`, by its name."""
        found: dict[str, str] = {}
        for detector, _, _, values in self.records(self._configure) if self._configure >= 0 else []:
            if detector == "epicsinfo":
                found.update({name: text for name, text in values.items() if name != "keys"})
        return found
