"""Tables: columns of one length by their names. They come from analyses, frames and small data, and go to files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _livetime

if TYPE_CHECKING:
    from numpy.typing import NDArray

Table = Mapping[str, Any]
"""Columns of one length by their names."""

_ENDINGS = (".parquet", ".csv", ".npy")


def write_table(path: str | os.PathLike[str], table: Union[Table, Iterable[Table]]) -> None:
    """Writes a table to a file: Parquet, CSV or a structured array of numpy, as its name ends (`.parquet`, `.csv`, `.npy`).

    - `table`: what an analysis found (`found["peaks"]`), `frame.table`, `run.table(...)`, or any mapping from names to numbers of one length.
      Several tables with the same columns are written one behind the other.

    The bytes are those of `livetime analyze --tables`: whole numbers of Parquet have 64 bits, all others are doubles; numbers of CSV have
    as many digits as it takes to read them back unchanged. A file that is there is replaced.
    """
    path = os.fspath(path)
    if not path.endswith(_ENDINGS):
        raise ValueError(f"wanted a name that ends with {', '.join(_ENDINGS)}, found {path!r}")
    _livetime.write_table(path, _columns([table] if isinstance(table, Mapping) else list(table)))


def _columns(tables: Sequence[Table]) -> list[tuple[str, NDArray[Any]]]:
    """One column for each name, of all tables."""
    if not tables or not tables[0]:
        raise ValueError("wanted a table with columns, found none")
    names = list(tables[0])
    for table in tables:
        if list(table) != names:
            raise ValueError(f"wanted tables with the columns {names}, found one with {list(table)}")
    columns = [(name, _column(name, [np.asarray(table[name]) for table in tables])) for name in names]
    lengths = {name: len(cells) for name, cells in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"wanted columns of one length, found {lengths}")
    return columns


def _column(name: str, parts: list[NDArray[Any]]) -> NDArray[Any]:
    for part in parts:
        if part.ndim != 1 or part.dtype.kind not in "biuf" or part.dtype.itemsize > 8:
            raise ValueError(f"column `{name}`: wanted numbers with one axis, found {part.dtype} with shape {part.shape}")
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
    kinds = {"?": np.uint8, "e": np.float32}
    return np.ascontiguousarray(whole, dtype=kinds.get(whole.dtype.char, whole.dtype.newbyteorder("=")))


def numbers(name: str, values: list[Any]) -> NDArray[Any]:
    """A column of numbers; `None` becomes NaN. Whole numbers stay whole if there is none."""
    wrong = next((value for value in values if not isinstance(value, (int, float, type(None)))), None)
    if wrong is not None:
        raise ValueError(f"column `{name}`: wanted a number at each event, found {wrong!r}")
    if any(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.array(values, np.uint64 if max(values, default=0) > np.iinfo(np.int64).max else np.int64)
