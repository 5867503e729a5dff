"""Values of events that a script collects: rows in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .event import Event


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
