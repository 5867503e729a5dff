"""The data of events, read ahead for the detectors that modules have asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from numpy.typing import NDArray

from .. import _livetime
from ..errors import RecordingError
from ..recording import Account, Run
from ..small import SmallData

_AHEAD = 1


class Reader:
    """Arrays and small data of events that are asked for in ascending order.

    Modules do not declare the arrays they need before the first event. The array of a new detector is read alone; from the next event
    on a thread reads it ahead with the others.
    """

    def __init__(self, run: Run, stop: int) -> None:
        self._run, self._stop = run, stop
        self.detectors = [detector.name for detector in run.detectors]
        self._known: dict[str, str | None] = {}
        self._names: list[str] = []
        self._loop: Iterator[_livetime.Event] | None = None
        self._event: _livetime.Event | None = None
        self._arrays: tuple[int, dict[str, NDArray[Any] | None]] = (-1, {})
        self._small: tuple[int, SmallData] | None = None
        self._accounts: dict[str, Account] = {}

    def array(self, number: int, address: str) -> NDArray[Any] | None:
        """The array of a detector at an event; `None` if the event or the run has none, or it cannot be read."""
        name = self._whole_name(address)
        if name is None:
            return None
        if self._arrays[0] != number:
            self._arrays = number, {}
        arrays = self._arrays[1]
        if name not in arrays:
            arrays[name] = self._read(number, name)
        return arrays[name]

    def _read(self, number: int, name: str) -> NDArray[Any] | None:
        if name not in self._names:
            self._end_loop()
            self._names.append(name)
            return self._alone(number, name)
        if self._loop is None:
            self._loop = self._run.events(*self._names, start=number, stop=self._stop, ahead=_AHEAD, faults="count")
            self._event = next(self._loop, None)
        while self._event is not None and self._event.number < number:
            self._event = next(self._loop, None)
        if self._event is None or self._event.number != number:
            return None
        return self._event.get(name)

    def small(self, number: int | None) -> SmallData:
        """The values recorded at an event beside the arrays."""
        if number is None:
            return SmallData([])
        if self._small is None or self._small[0] != number:
            self._small = number, self._run.small(number)
        return self._small[1]

    def configuration(self, number: int) -> SmallData:
        """The configuration at an event."""
        return self._run.configuration(number) if number < len(self._run) else SmallData([])

    def accounts(self) -> dict[str, Account]:
        """Counts of the events by their condition, for each detector that a module has read."""
        self._end_loop()
        return self._accounts

    def _alone(self, number: int, name: str) -> NDArray[Any] | None:
        found = None
        for event in self._run.events(name, start=number, stop=number + 1, ahead=0, faults="count"):
            found = event.array
        self._count([name])
        return found

    def _end_loop(self) -> None:
        if self._loop is not None:
            self._count(self._names)
        self._loop = self._event = None

    def _count(self, names: list[str]) -> None:
        for position, name in enumerate(names):
            self._accounts[name] = added(self._accounts.get(name, Account()), self._run.account_of(position))

    def _whole_name(self, address: str) -> str | None:
        if address not in self._known:
            try:
                self._known[address] = self._run.detector(address).name
            except RecordingError as error:
                self._known[address] = None
                print(f"pyana: no data of `{address}`: {error}", file=sys.stderr)
        return self._known[address]


def added(one: Account, other: Account) -> Account:
    """The sum of two accounts."""
    return Account(**{field.name: getattr(one, field.name) + getattr(other, field.name) for field in fields(Account)})
