"""Corrections of pictures before they are reduced: pedestal, gain, bad pixels, common mode."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _livetime

ConstantsLike = Union[str, "os.PathLike[str]", ArrayLike]


class Corrections:
    """`(array - pedestal - common mode) * gain`, and 0 where `mask` is 0; `float32`.

    Constants are files (`.npy`, or psana's text files) or arrays, with an element for each pixel of all panels together. A
    common mode is the median of the good pixels of each `"row"`, `"column"`, `"panel"`, `"bank=8"` (8 banks side by
    side) or `"bank-row=8"`; limits follow it: `"row,most=50,least=10"`. Several are subtracted one after the other.

    Given to `livetime.analyze(..., corrections=...)`; called with an array, it gives the corrected one.

    >>> correct = Corrections(pedestal=[[10, 20], [30, 40]], mask=[[1, 1], [1, 0]])
    >>> correct(np.array([[11, 22], [33, 44]], np.uint16))
    array([[1., 2.],
           [3., 0.]], dtype=float32)
    """

    def __init__(
        self,
        *,
        pedestal: ConstantsLike | None = None,
        gain: ConstantsLike | None = None,
        mask: ConstantsLike | None = None,
        common_mode: str | Sequence[str] = (),
    ) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        modes = [common_mode] if isinstance(common_mode, str) else list(common_mode)
        files = (self._file("pedestal", pedestal), self._file("gain", gain), self._file("mask", mask))
        self._wanted = (*files, modes)
        self._correct = _livetime.Correct(self._wanted)

    def _file(self, name: str, constants: ConstantsLike | None) -> str | None:
        """Its path. Arrays are written to a folder that lives as long as the corrections, so that other processes can read them."""
        if constants is None:
            return None
        if isinstance(constants, (str, os.PathLike)):
            return os.path.abspath(os.fspath(constants))
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="livetime-constants-")
        path = os.path.join(self._folder.name, f"{name}.npy")
        np.save(path, np.ascontiguousarray(constants, np.float32))
        return path

    def __call__(self, array: ArrayLike) -> NDArray[np.float32]:
        """The corrected array."""
        return self._correct.apply(np.asarray(array))

    def __repr__(self) -> str:
        names = ("pedestal", "gain", "mask")
        given = [f"{name}={path!r}" for name, path in zip(names, self._wanted) if path]
        if self._wanted[3]:
            given.append(f"common_mode={self._wanted[3]!r}")
        return f"Corrections({', '.join(given)})"

    def _listed(self) -> tuple[Any, ...]:
        """As the extension takes them, before reducers."""
        return self._wanted
