"""Assembled pictures as psana makes them: of `float32`, with single empty cells between pixels filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from ..geometry import Geometry

_LAST = (1, 2, 3)
"""Modes of psana for pixels in one cell; in 4.3 the last pixel counts in all of them."""
_COUNTS = 0


class Assembler:
    """The way from the pixels of some segments to a picture of the whole detector."""

    def __init__(self, geometry: Geometry, segments: Sequence[int]) -> None:
        self._shape = geometry.picture_shape
        rows, columns = (of_segments(found, segments) for found in geometry.places())
        self._rows, self._columns = rows.ravel(), columns.ravel()
        self._is_pixel = self._rows >= 0
        self._rows, self._columns = self._rows[self._is_pixel], self._columns[self._is_pixel]
        self._holes = _holes(self._counts() > 0)

    def picture(self, pixels: NDArray[Any], mapmode: int = 2, fillholes: bool = True, vbase: float = 0) -> NDArray[Any]:
        """The picture of one value for each pixel; `vbase` in cells without one. With `mapmode=0` how many pixels each cell has.

        An empty cell whose neighbours all have pixels gets the least of the four values, unless `fillholes` is false.
        """
        if mapmode == _COUNTS:
            return self._counts()
        if mapmode not in _LAST:
            raise NotImplementedError(f"wanted mapmode 0, 1, 2 or 3, found {mapmode!r}, which livetime.psana does not have")
        if pixels.size != self._is_pixel.size:
            raise RecordingError(f"wanted {self._is_pixel.size} pixels to assemble, as the geometry has, found {pixels.size}")
        picture = np.full(self._shape, vbase, np.float32)
        picture[self._rows, self._columns] = pixels.ravel()[self._is_pixel]
        if fillholes:
            around = np.pad(picture, 1, constant_values=np.inf)
            rows, columns = self._holes
            beside = [around[rows, columns + 1], around[rows + 2, columns + 1], around[rows + 1, columns], around[rows + 1, columns + 2]]
            picture[rows, columns] = np.minimum.reduce(beside)
        return picture

    def _counts(self) -> NDArray[np.uint16]:
        rows, columns = self._shape
        places = self._rows * columns + self._columns
        return np.bincount(places, minlength=rows * columns).astype(np.uint16).reshape(rows, columns)


def of_segments(values: NDArray[Any], segments: Sequence[int]) -> NDArray[Any]:
    """The values of some segments, from values of all pixels by segment, row and column."""
    if values.ndim != 3 or values.shape[0] <= max(segments, default=0):
        return values
    return values[list(segments)]


def _holes(has_pixel: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the empty cells between pixels above, below, to the left and to the right."""
    around = np.pad(has_pixel, 1, constant_values=True)
    beside = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    rows, columns = np.nonzero(~has_pixel & beside)
    return rows, columns


__all__ = ["Assembler", "of_segments"]
