"""Which events of a run are wanted: expressions over event codes, beam-line data and process variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _livetime


class Selection:
    """The events of a run that an expression selects, and how many it does not. Made by `run.select`.

    `evr(140) and ebeam.charge > 0.1 and not epics("SHUTTER:IN") == 1`: the language is described in docs/select-correct.md.
    Where a value that matters is missing, the event is not selected and counted in `without_value`.
    """

    def __init__(self, selected: _livetime.Selected, paths: tuple[str, ...], start: int, stop: int | None) -> None:
        self._selected = selected
        self._made_of = (paths, selected.expression, start, stop)
        self._counts = dict(selected.counts())

    def __reduce__(self) -> tuple[Any, ...]:
        """By the paths of its run: where it is unpickled, the run is judged again."""
        return _again, self._made_of

    @property
    def expression(self) -> str:
        """As it was written."""
        return self._selected.expression

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """The numbers of the events that are selected."""
        return self._selected.numbers()

    @property
    def refused(self) -> int:
        """Events that the expression is false for."""
        return self._counts["refused"]

    @property
    def without_value(self) -> int:
        """Events that lack a value that would decide."""
        return self._counts["without value"]

    @property
    def unreadable(self) -> int:
        """Events with unreadable small data."""
        return self._counts["unreadable"]

    def verdict(self, event: int) -> str:
        """`"selected"`, `"refused"`, `"without value"` or `"unreadable"`."""
        return self._selected.verdict(event)

    def __len__(self) -> int:
        """How many events are selected."""
        return self._counts["selected"]

    def __iter__(self) -> Iterator[int]:
        return (int(number) for number in self.numbers)

    def __contains__(self, event: object) -> bool:
        return isinstance(event, (int, np.integer)) and self.verdict(int(event)) == "selected"

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self._counts.items() if count)
        return f"<Selection {self.expression}: {counts or 'no events'}>"


SelectionLike = Union[str, Selection]


def selected(
    recording: _livetime.Recording,
    wanted: SelectionLike | None,
    start: int = 0,
    stop: int | None = None,
    threads: int | None = None,
) -> Selection | None:
    """The selection that an expression makes of a run; one that is made already is taken as it is."""
    if wanted is None or isinstance(wanted, Selection):
        return wanted
    paths = tuple(str(path) for path in recording.paths)
    return Selection(_livetime.Selected(recording, wanted, start, stop, threads), paths, start, stop)


def _again(paths: tuple[str, ...], expression: str, start: int, stop: int | None) -> Selection:
    from .opened import opened

    return opened(paths).select(expression, start=start, stop=stop)
