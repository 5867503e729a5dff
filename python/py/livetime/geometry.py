"""Where the pixels of a detector are: psana's geometry files.

>>> import tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "0-end.data")
>>> with open(path, "w") as file:
...     _ = file.write("CAM 0 MTRX:1:2:100:100 0  0 0 0  0 0 0  0 0 0\\n")
...     _ = file.write("CAM 0 MTRX:1:2:100:100 1  300 100 0  90 0 0  0 0 0\\n")
>>> geometry = load(path)
>>> x, y, z = geometry.coordinates()
>>> x.shape, x.round().tolist()
((2, 1, 2), [[[0.0, 0.0]], [[300.0, 200.0]]])
>>> geometry.assemble(np.array([1, 2, 3, 4], np.uint16)).tolist()
[[1, 2], [0, 0], [0, 4], [0, 3]]
>>> geometry.mask(edge_columns=1).tolist()
[[[0, 0]], [[0, 0]]]
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _livetime


class Geometry:
    """The placed segments of a detector. Made by `load`."""

    def __init__(self, found: _livetime.Geometry) -> None:
        self._found = found

    @property
    def shape(self) -> tuple[int, ...]:
        """Segments, rows and columns; of a CSPad 2x2 rows, columns and segments; of segments of several shapes the number of pixels."""
        return tuple(self._found.shape)

    @property
    def pixel_um(self) -> float:
        """The size of a pixel, the smaller one if it is not square: a cell of assembled pictures is as large."""
        return self._found.pixel_um

    @property
    def picture_shape(self) -> tuple[int, int]:
        """Rows and columns of assembled pictures."""
        return self._found.picture_shape

    def coordinates(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """x, y and z of the centre of each pixel in um, in the frame of the outermost object.

        NaN for columns of an Archon that are no pixels.
        """
        x, y, z = self._found.coordinates()
        return x, y, z

    def sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The extent of each pixel along x, y and z of its segment in um."""
        x, y, z = self._found.sizes()
        return x, y, z

    def areas(self) -> NDArray[np.float64]:
        """The area of each pixel, relative to the area of most pixels of its segment."""
        return self._found.areas()

    def mask(
        self, edge_rows: int = 0, edge_columns: int = 0, center_rows: int = 0, center_columns: int = 0, unbonded: str = "stay"
    ) -> NDArray[np.uint8]:
        """1 for each pixel that stays, 0 for each that is left out because of its place in the segment.

        - `edge_rows`, `edge_columns`: so many rows and columns at the edges of each segment.
        - `center_rows`, `center_columns`: so many on both sides of each border between chips.
        - `unbonded`: of the pixels of a CSPad without contact these are left out: none (`stay`), they `alone`, they with the neighbours
          that share a side (`and-four`) or a corner (`and-eight`).

        Columns of an Archon that are no pixels are always left out.
        """
        return self._found.mask((edge_rows, edge_columns), (center_rows, center_columns), unbonded)

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of each pixel in an assembled picture; -1 for an element that is no pixel."""
        places = self._found.places()
        is_pixel = places != np.iinfo(np.uint32).max
        rows, columns = np.divmod(places.astype(np.int64), self.picture_shape[1])
        return np.where(is_pixel, rows, -1), np.where(is_pixel, columns, -1)

    def assemble(self, array: ArrayLike, fill: float = 0) -> NDArray[Any]:
        """The picture of an array with a value for each pixel: x is the row, y the column, as in psana.

        Cells without a pixel are `fill`. Where pixels fall into one cell, the last one counts.
        """
        whole = np.asarray(array)
        return self._found.assemble(whole, np.asarray(fill, whole.dtype).tobytes())

    def __repr__(self) -> str:
        rows, columns = self.picture_shape
        return f"<Geometry of {' x '.join(map(str, self.shape))} pixels, {rows} x {columns} assembled>"


def load(path: str | os.PathLike[str], shape: tuple[int, int] | None = None, pixel_um: float = 75.0) -> Geometry:
    """Reads a geometry file (`calib/.../geometry/0-end.data`): a line for each object with its parent, origin, angles and tilts.

    `shape`, rows and columns of a segment, and `pixel_um` are for segments `ARCHON:V1`, `ARCHON:V2` and `MTRXANY:V1`, whose size the
    file leaves open; pixels of an Archon have their own size.

    Raises `RecordingError` if it is none, if `shape` is missing, or if it has segments of a type that is not known; it lists those that
    are.
    """
    return Geometry(_livetime.Geometry(os.fspath(path), None if shape is None else (*shape, pixel_um)))
