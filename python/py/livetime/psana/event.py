"""Steps of a scan, and events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import _livetime
from ..small import SmallData

if TYPE_CHECKING:
    from .run import Run


class Step:
    """A step of a scan."""

    def __init__(self, run: Run, events: range, most: int) -> None:
        self.run = run
        self._events, self._most = events, most
        self.given = 0
        """How many events its loops have given."""

    @property
    def configuration(self) -> SmallData:
        """The values that hold in it."""
        return self.run._configured(self._events.start)

    def events(self) -> Iterator[Event]:
        """The events of this step, as `run.events` gives those of all."""
        for event in self.run._events(self._events.start, self._events.stop, self._most):
            self.given += 1
            yield event


class Event:
    """An event."""

    def __init__(self, event: _livetime.Event) -> None:
        self.event = event
        """The same event in Livetime's words."""

    @property
    def timestamp(self) -> int:
        """When it happened: seconds in the upper 32 bits, ns in the lower, as psana has it."""
        return timestamp(self.event.time_ns)


def timestamp(time_ns: int) -> int:
    """ns since 1970 as psana has them."""
    seconds, ns = divmod(time_ns, 10**9)
    return int(seconds) << 32 | int(ns)
