"""Steps of a scan, and events."""

from __future__ import annotations

import datetime as times
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import RecordingError
from ..small import SmallData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .. import _livetime
    from .run import Run

EPOCH_S = 631_152_000
"""Seconds from 1970 to 1990, where the clock of LCLS-II begins."""
EPOCH = times.datetime(1990, 1, 1)


class _Stamped:
    @property
    def timestamp(self) -> int:
        """When it happened: seconds since 1990 in the upper 32 bits, ns in the lower."""
        raise NotImplementedError(f"wanted {type(self).__name__}.timestamp, found none")

    @property
    def _seconds(self) -> int:
        return self.timestamp >> 32

    @property
    def _nanoseconds(self) -> int:
        return self.timestamp & 0xFFFFFFFF

    def datetime(self) -> times.datetime:
        """When it happened, UTC, to the microsecond."""
        return EPOCH + times.timedelta(seconds=self._seconds, microseconds=self._nanoseconds / 1000)

    def timestamp_diff(self, timestamp: int) -> int:
        """How much later it happened, in ns."""
        return (self._seconds - (timestamp >> 32)) * 10**9 + self._nanoseconds - (timestamp & 0xFFFFFFFF)


class StepEvent(_Stamped):
    """The beginning of a step."""

    def __init__(self, time_ns: int, change: int) -> None:
        self._time_ns = time_ns
        self.change = change
        """The number of the change of state; negative in formats without records."""

    @property
    def timestamp(self) -> int:
        """When it began."""
        return timestamp(self._time_ns)

    def service(self) -> int:
        """The number of `BeginStep`."""
        return 6


class Step:
    """A step of a scan."""

    def __init__(self, run: Run, events: range, evt: StepEvent, end: Callable[[], tuple[int, bool]] | None = None) -> None:
        self._run = run
        self._events, self._end = events, end
        self.evt = evt
        """The beginning of the step, as an event."""

    @property
    def configuration(self) -> SmallData:
        """The values that hold in it."""
        return self._run._configured(self._events.start)

    def events(self) -> Iterator[Event]:
        """The events of this step that no loop has given so far."""
        yield from self._run._events(self._events.start, self._events.stop, self._end)


class Event(_Stamped):
    """An event."""

    def __init__(self, run: Run, number: int, event: _livetime.Event | None, read: tuple[str, ...]) -> None:
        self._of = run
        self.number = number
        """Number of the event in the recorded run, in Livetime's counting."""
        self.event = event
        """The event as an object of Livetime; `None` if no array of it was read ahead."""
        self._read = read
        """The arrays that were read with the event: an array that is not there does not exist."""
        self._records: dict[tuple[str, str], dict[int, Any]] | None = None

    @property
    def timestamp(self) -> int:
        """When it happened: seconds since 1990 in the upper 32 bits, ns in the lower."""
        return timestamp(self._of.run._recording.time_ns(self.number))

    def run(self) -> Run:
        """Run of the event, with `expt`, `runnum` and `timestamp`."""
        return self._of

    def service(self) -> int:
        """Number of the kind of transition, 12: an event."""
        return 12

    def EndOfBatch(self) -> list[str]:
        """The integrating detector, if a batch of its ends with this event: if it was read out."""
        wanted = self._of._settings.intg_det
        return [wanted] if wanted and self._segments_of(wanted) else []

    @property
    def small(self) -> SmallData:
        """The values recorded beside the arrays, as objects of Livetime."""
        return self._of.run.small(self.number)

    def _segments_of(self, detector: str) -> dict[tuple[str, str], dict[int, Any]]:
        return {key: found for key, found in self._said(detector).items() if key[0] == detector}

    def _said(self, detector: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Records by detector and algorithm, and then by segment. One read gets the records of all detectors that the
        script has used."""
        used = self._of._used
        if self._records is None or detector not in used:
            used.add(detector)
            self._records = {}
            for _, name, algorithm, segment, _, values in self._of.run._recording.records(self.number, 0, sorted(used)):
                self._records.setdefault((name, algorithm), {})[segment] = values
        return self._records

    def _array(self, name: str) -> NDArray[Any] | None:
        """An array, from the event that the loop has read ahead, or by a read of its own."""
        run = self._of
        if self.event is not None:
            try:
                return self.event.get(name)
            except KeyError:
                pass
        elif name in self._read:
            return None
        if name not in run._names:
            run._names.append(name)
        for again in run.run.events(name, start=self.number, stop=self.number + 1, ahead=0, faults="count"):
            return again.array
        return None


def timestamp(time_ns: int) -> int:
    """ns since 1970 as psana has them."""
    seconds, ns = divmod(time_ns, 10**9)
    if seconds < EPOCH_S:
        raise RecordingError(f"wanted a time from 1990 on, where psana's timestamps begin, found {seconds}.{ns:09} s since 1970")
    return (seconds - EPOCH_S) << 32 | ns
