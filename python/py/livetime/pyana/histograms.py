"""Histograms that are added over worker processes: numpy arrays with pyana's names, which were ROOT's."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..whole import save_arrays


class _Axis:
    """Equal bins from `low` to `high`, with one below and one above."""

    def __init__(self, bins: int, low: float, high: float) -> None:
        if bins < 1 or not low < high:
            raise ValueError(f"wanted at least 1 bin from a lower to a higher value, found {bins} from {low} to {high}")
        self.bins, self.low, self.high = int(bins), float(low), float(high)

    def find(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Numbers of bins: 0 for values below, `bins + 1` for those above and for NaN."""
        place = np.floor((values - self.low) * (self.bins / (self.high - self.low)))
        place = np.where(np.isnan(place), self.bins, np.clip(place, -1, self.bins))
        return place.astype(np.intp) + 1

    @property
    def edges(self) -> NDArray[np.float64]:
        return np.linspace(self.low, self.high, self.bins + 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Axis) and vars(self) == vars(other)


class Histogram:
    """The common part of all histograms: sums over bins, which are added when results of workers are put together."""

    def __init__(self, name: str, title: str, axes: list[_Axis], parts: tuple[str, ...], dtype: Any) -> None:
        self.name, self.title, self._axes = name, title, axes
        shape = tuple(axis.bins + 2 for axis in axes)
        self._sums = {part: np.zeros(shape, dtype) for part in parts}

    @property
    def edges(self) -> tuple[NDArray[np.float64], ...]:
        """The edges of the bins of each axis."""
        return tuple(axis.edges for axis in self._axes)

    @property
    def entries(self) -> NDArray[Any]:
        """The sums of weights of all bins; the first and last of each axis are for values below and above."""
        return self._sums["count"]

    @property
    def values(self) -> NDArray[Any]:
        """The sums of weights of the bins."""
        return self._inner("count")

    def merge(self, later: Histogram) -> None:
        """Adds the entries of another one with the same bins."""
        if self._axes != later._axes or self._sums.keys() != later._sums.keys():
            raise ValueError(f"histogram `{self.name}`: wanted the same bins in all workers, found others")
        for part, sums in self._sums.items():
            sums += later._sums[part]

    def _inner(self, part: str) -> NDArray[Any]:
        return self._sums[part][(slice(1, -1),) * len(self._axes)]

    def _add(self, place: tuple[NDArray[np.intp], ...], **parts: Any) -> None:
        for part, values in parts.items():
            np.add.at(self._sums[part], place, values)

    def saved(self) -> dict[str, NDArray[Any]]:
        """As arrays for a file, by name."""
        axes = {f"{self.name}:edges{number or ''}": edges for number, edges in enumerate(self.edges)}
        return {self.name: self.values, **axes}


class Hist1(Histogram):
    """How often which value came."""

    def fill(self, x: ArrayLike, weight: ArrayLike = 1) -> None:
        """Counts a value, or each value of an array."""
        self._add((self._axes[0].find(np.asarray(x, np.float64)),), count=weight)

    Fill = fill


class Hist2(Histogram):
    """How often which pair of values came."""

    def fill(self, x: ArrayLike, y: ArrayLike, weight: ArrayLike = 1) -> None:
        """Counts a pair, or each pair of two arrays."""
        first, second = (axis.find(np.asarray(v, np.float64)) for axis, v in zip(self._axes, (x, y)))
        self._add((first, second), count=weight)

    Fill = fill


class Profile(Histogram):
    """The mean of `y` for the values of `x`."""

    def fill(self, x: ArrayLike, y: ArrayLike) -> None:
        """Takes in a pair, or each pair of two arrays."""
        y = np.asarray(y, np.float64)
        self._add((self._axes[0].find(np.asarray(x, np.float64)),), count=1, y=y, squares=y * y)

    Fill = fill

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean of `y` in each bin; NaN in one without entries."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means: NDArray[np.float64] = self._inner("y") / self._inner("count")
        return means

    @property
    def spreads(self) -> NDArray[np.float64]:
        """The standard deviation of `y` in each bin."""
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = self._inner("squares") / self._inner("count")
        spreads: NDArray[np.float64] = np.sqrt(np.maximum(squares - self.means**2, 0))
        return spreads

    def saved(self) -> dict[str, NDArray[Any]]:
        """As arrays for a file, by name: also means and spreads."""
        return {**super().saved(), f"{self.name}:mean": self.means, f"{self.name}:spread": self.spreads}


_H = TypeVar("_H", bound=Histogram)


class HistoMgr:
    """Makes histograms by pyana's names and keeps them; they are saved at the end in `JOBNAME.npz`."""

    def __init__(self) -> None:
        self.all: dict[str, Histogram] = {}
        """The histograms by name."""

    def h1d(self, name: str, title: str, bins: int, low: float, high: float) -> Hist1:
        """A histogram with sums of weights in `float64`."""
        return self._kept(Hist1(name, title, [_Axis(bins, low, high)], ("count",), np.float64))

    h1f = h1d

    def h1i(self, name: str, title: str, bins: int, low: float, high: float) -> Hist1:
        """A histogram with counts in `int64`."""
        return self._kept(Hist1(name, title, [_Axis(bins, low, high)], ("count",), np.int64))

    def h2d(
        self, name: str, title: str, bins: int, low: float, high: float, ybins: int, ylow: float, yhigh: float
    ) -> Hist2:
        """A histogram of pairs."""
        return self._kept(Hist2(name, title, [_Axis(bins, low, high), _Axis(ybins, ylow, yhigh)], ("count",), np.float64))

    h2f = h2i = h2d

    def prof(self, name: str, title: str, bins: int, low: float, high: float) -> Profile:
        """A profile."""
        return self._kept(Profile(name, title, [_Axis(bins, low, high)], ("count", "y", "squares"), np.float64))

    def merge(self, later: HistoMgr) -> None:
        """Takes in the histograms of another worker."""
        for name, histogram in later.all.items():
            if name in self.all:
                self.all[name].merge(histogram)
            else:
                self.all[name] = histogram

    def save(self, path: str) -> None:
        """Writes all of them into a file of numpy."""
        arrays: dict[str, Any] = {}
        for histogram in self.all.values():
            arrays |= histogram.saved()
        save_arrays(path, arrays)

    def _kept(self, histogram: _H) -> _H:
        if histogram.name in self.all:
            raise ValueError(f"wanted another name for a histogram, found `{histogram.name}` again")
        self.all[histogram.name] = histogram
        return histogram
