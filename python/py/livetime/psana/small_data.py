"""Values of events that a script collects: rows in the order of time, written while it runs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..whole import save_arrays

if TYPE_CHECKING:
    from .event import Event

Callback = Callable[[dict[str, Any]], Any]
# psana writes this number where a row has no integer.
_MISSING_INT = -99999
_VAR, _LEN, _GROUP, _DEFAULT = "var_", "_len", "align_group", "default"


def flattened(values: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Dictionaries within each other as one: `{"a": {"b": 1}}` is `{"a/b": 1}`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        path = f"{above}/{name}" if above else str(name)
        found.update(flattened(value, path) if isinstance(value, Mapping) else {path: value})
    return found


def length_of(name: str) -> str | None:
    """The column with the lengths of a column whose rows have several lengths: a part of its name begins with `var_`."""
    parts = name.split("/")
    at = next((at for at, part in enumerate(parts) if part.startswith(_VAR)), None)
    return None if at is None else "/".join(parts[: at + 1]) + _LEN


class _Column:
    """A column: its type, and the rows that are not written yet."""

    def __init__(self, first: NDArray[Any], missing: Any = None, before: int = 0) -> None:
        self.dtype, self.shape = first.dtype, first.shape
        self._missing = missing if missing is not None else _missing(first.dtype)
        self._is_zero, self._has_warned = missing is not None, False
        self.rows: list[NDArray[Any]] = []
        self.extend(before)

    def add(self, name: str, value: NDArray[Any]) -> None:
        if value.shape != self.shape:
            raise TypeError(f"wanted an array of shape {self.shape} as `{name}`, as before, found one of {value.shape}")
        self.rows.append(value.astype(self.dtype))

    def extend(self, rows: int) -> None:
        """Rows without a value."""
        if rows and self._missing == 0 and not self._is_zero and not self._has_warned:
            self._has_warned = True
            warnings.warn(f"rows without a value have 0 in columns of {self.dtype}, which has no room for {_MISSING_INT}", stacklevel=5)
        self.rows.extend([np.full(self.shape, self._missing, self.dtype)] * rows)

    def take(self) -> NDArray[Any]:
        """Returns the rows, and forgets them."""
        rows, self.rows = self.rows, []
        return np.array(rows, self.dtype).reshape(len(rows), *self.shape)


class _Pieces(_Column):
    """A column of pieces of several lengths, one behind the other."""

    def add(self, name: str, value: NDArray[Any]) -> None:
        if value.shape[1:] != self.shape:
            raise TypeError(f"wanted pieces of shape {self.shape} in `{name}`, as before, found {value.shape[1:]}")
        self.rows.extend(value.astype(self.dtype))

    def extend(self, rows: int) -> None:
        """Nothing: a row without a piece has the length 0."""


class _Group:
    """The columns of one group of values, each with a row for each event of the group."""

    def __init__(self) -> None:
        self.columns: dict[str, _Column] = {}
        self.count = 0

    def add(self, row: dict[str, Any]) -> None:
        lengths: dict[str, int] = {}
        for name, value in row.items():
            array = _array(name, value)
            if (length := length_of(name)) is None:
                self._column(name, array, _Column).add(name, array)
                continue
            if lengths.setdefault(length, len(array)) != len(array):
                raise TypeError(f"wanted {lengths[length]} elements in `{name}`, as in others of `{length}`, found {len(array)}")
            if len(array):
                self._column(name, array[0], _Pieces).add(name, array)
        for length, count in lengths.items():
            self._column(length, np.array(count, np.int64), _Column, 0).add(length, np.array(count, np.int64))
        for name, column in self.columns.items():
            if name not in row and name not in lengths:
                column.extend(1)
        self.count += 1

    def _column(self, name: str, first: NDArray[Any], kind: type[_Column], missing: Any = None) -> _Column:
        if name not in self.columns:
            self.columns[name] = kind(first, missing, self.count)
        return self.columns[name]


class SmallData:
    """Values of events as columns, in the order of time; a value that an event lacks is NaN, or -99999 for integers,
    or 0 in integers too small for that.

    Rows are written while the script runs. A name with a part `var_...` is a column of arrays of several lengths: they lie one behind
    the other, and `var_..._len` has the length of each. `align_group="name"` puts values into a group of their own, with a row only for
    events that have some.
    """

    def __init__(
        self, filename: str | os.PathLike[str] | None, cache_size: int, callbacks: Sequence[Callback], swmr_mode: bool
    ) -> None:
        self._filename = None if filename is None else os.fspath(filename)
        self._cache_size, self._callbacks, self._swmr = cache_size, list(callbacks), swmr_mode
        self._groups: dict[str, _Group] = {}
        self._row: dict[str, dict[str, Any]] | None = None
        self._last = -1
        self._summary: dict[str, Any] = {}
        self._file: Any = None
        self._is_done = False
        if self._filename is not None and not self._filename.endswith(".npz"):
            # Here, and not when all rows are there and cannot be written.
            import h5py

            self._file = h5py.File(self._filename, "w", libver="latest")

    @property
    def summary(self) -> bool:
        """Whether this process saves values of the whole run: always, because it is the only one."""
        return True

    def event(self, event: Event | int, *dicts: Mapping[str, Any], **values: Any) -> None:
        """Notes values of an event, given alone or by its time: numbers, arrays, dictionaries of them within each other.

        Several calls for one event are one row. An array has one shape at all events, unless its name begins with `var_`. Raises
        `TypeError` for anything else.
        """
        stamp = event if isinstance(event, int) else getattr(event, "timestamp", None)
        if stamp is None:
            raise ValueError(f"wanted an event or its timestamp, found {type(event).__name__}")
        found = dict(values)
        for more in dicts:
            found.update(flattened(more))
        group = str(found.pop(_GROUP, _DEFAULT))
        for name, value in found.items():
            _check(name, value)
        if stamp < self._last:
            warnings.warn(f"left out: values of {stamp}, which is earlier than {self._last}; rows are in the order of time", stacklevel=2)
            return
        if stamp > self._last:
            self._end_row()
            self._row, self._last = {}, int(stamp)
        assert self._row is not None
        self._row.setdefault(group, {"timestamp": int(stamp)}).update(found)

    def sum(self, value: Any, inplace: bool = False) -> Any:
        """The sum over all that run this script: the value itself, because one process does all."""
        return value

    min = max = prod = land = band = lor = bor = lxor = bxor = sum

    def save_summary(self, *dicts: Mapping[str, Any], **values: Any) -> None:
        """Notes values of the whole run; `None` is left out."""
        found = dict(values)
        for more in dicts:
            found.update(flattened(more))
        for name, value in found.items():
            if value is None:
                warnings.warn(f"left out of the summary: `{name}`, which is None", stacklevel=2)
            elif self._file is not None:
                self._file[name] = value
            else:
                self._summary[name] = value

    def columns(self) -> dict[str, NDArray[Any]]:
        """The noted values that are not written yet: `timestamp` and one column for each name."""
        self._end_row()
        found: dict[str, NDArray[Any]] = {}
        for group, content in self._groups.items():
            for name, column in content.columns.items():
                rows = column.take()
                column.rows = list(rows)
                found[_path(group, name)] = rows
        return found or {"timestamp": np.zeros(0, np.int64)}

    def done(self) -> None:
        """Writes the remaining rows and closes the file: `.npz`, or any other name as HDF5."""
        self._end_row()
        if self._is_done:
            return
        self._is_done = True
        if self._file is not None:
            self._write()
            self._file.close()
        elif self._filename is not None:
            content = self.columns() | {name: np.asarray(value) for name, value in self._summary.items()}
            save_arrays(self._filename, content)

    def _end_row(self) -> None:
        row, self._row = self._row, None
        if row is None:
            return
        for group, values in row.items():
            self._groups.setdefault(group, _Group()).add(values)
        flat = {_path(group, name): value for group, values in row.items() for name, value in values.items()}
        for callback in self._callbacks:
            callback(flat)
        if self._file is not None and max(len(c.rows) for g in self._groups.values() for c in g.columns.values()) >= self._cache_size:
            self._write()

    def _write(self) -> None:
        for group, content in self._groups.items():
            for name, column in content.columns.items():
                self._append(_path(group, name), column)
        # No data sets can be made after that.
        if self._swmr and not self._file.swmr_mode and self._groups:
            self._file.swmr_mode = True
        self._file.flush()

    def _append(self, path: str, column: _Column) -> None:
        rows = column.take()
        if path not in self._file:
            most, chunks = (None, *column.shape), (self._cache_size, *column.shape)
            self._file.create_dataset(path, (0, *column.shape), column.dtype, maxshape=most, chunks=chunks)
        if len(rows):
            there = self._file[path]
            there.resize(there.shape[0] + len(rows), axis=0)
            there[-len(rows) :] = rows


def _path(group: str, name: str) -> str:
    return name if group == _DEFAULT else f"{group}/{name}"


def _check(name: str, value: Any) -> None:
    """Refuses a value that no column can hold, at its event and not at the end."""
    length, last = length_of(name), name.split("/")[-1]
    if last.startswith(_VAR) and last.endswith(_LEN):
        raise KeyError(f"wanted a name that does not end with `{_LEN}`, which are those of lengths, found `{name}`")
    array = _array(name, value)
    if length is not None and array.ndim == 0:
        raise TypeError(f"wanted a list or an array as `{name}`, which begins with `{_VAR}`, found {type(value).__name__}")
    if length is None and 0 in array.shape:
        raise ValueError(f"wanted an array with elements as `{name}`, found one of shape {array.shape}")


def _array(name: str, value: Any) -> NDArray[Any]:
    is_plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_list = isinstance(value, list) and length_of(name) is not None
    if not is_plain and not is_list and not hasattr(value, "dtype"):
        raise TypeError(f"wanted a number or an array of numpy as `{name}`, found {type(value).__name__}")
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"wanted numbers as `{name}`, found {array.dtype}")
    return array


def _missing(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return np.nan
    return _MISSING_INT if np.iinfo(dtype).min <= _MISSING_INT else 0
