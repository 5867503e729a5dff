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
        """Segments, rows and columns; of segments of several shapes the number of pixels."""
        return tuple(self._found.shape)

    @property
    def pixel_um(self) -> float:
        """The size of a pixel, which is that of a cell of assembled pictures."""
        return self._found.pixel_um

    @property
    def picture_shape(self) -> tuple[int, int]:
        """Rows and columns of assembled pictures."""
        return self._found.picture_shape

    def coordinates(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """x, y and z of the centre of each pixel in um, in the frame of the outermost object."""
        x, y, z = self._found.coordinates()
        return x, y, z

    def assemble(self, array: ArrayLike, fill: float = 0) -> NDArray[Any]:
        """The picture of an array with a value for each pixel: x is the row, y the column, as in psana.

        Cells without a pixel are `fill`. Where pixels fall into one cell, the last one counts.
        """
        whole = np.asarray(array)
        return self._found.assemble(whole, np.asarray(fill, whole.dtype).tobytes())

    def __repr__(self) -> str:
        rows, columns = self.picture_shape
        return f"<Geometry of {' x '.join(map(str, self.shape))} pixels, {rows} x {columns} assembled>"


def load(path: str | os.PathLike[str]) -> Geometry:
    """Reads a geometry file (`calib/.../geometry/0-end.data`): a line for each object with its parent, origin, angles and tilts.

    Raises `RecordingError` if it is none, or has segments of a type that is not known; it lists those that are.
    """
    return Geometry(_livetime.Geometry(os.fspath(path)))
