"""Corrections of pictures before they are reduced: pedestal, gain, bad pixels, common mode."""

from __future__ import annotations

import io
import os
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

    `gain_bits` says where in pixels of 16 bits the gain stage is: `"14:2"` for the first bit and how many, `"14:2=0,1,3"` with
    the codes of stages 0, 1 and 2, or `"jungfrau"`, which is the same. The value is in the bits below; `pedestal` and `gain`
    have a first axis of the stages. Pixels with other codes become 0 and are counted; common modes are those of stage 0.

    Given to `livetime.analyze(..., corrections=...)`; called with an array, it gives the corrected one.

    >>> correct = Corrections(pedestal=[[10, 20], [30, 40]], mask=[[1, 1], [1, 0]])
    >>> correct(np.array([[11, 22], [33, 44]], np.uint16))
    array([[1., 2.],
           [3., 0.]], dtype=float32)
    >>> staged = Corrections(pedestal=[[[10, 10]], [[100, 100]], [[200, 200]]], gain_bits="jungfrau")
    >>> staged(np.array([[13, 3 << 14 | 207]], np.uint16)), staged.unknown_gain_codes
    (array([[3., 7.]], dtype=float32), 0)
    """

    def __init__(
        self,
        *,
        pedestal: ConstantsLike | None = None,
        gain: ConstantsLike | None = None,
        mask: ConstantsLike | None = None,
        common_mode: str | Sequence[str] = (),
        gain_bits: str | None = None,
    ) -> None:
        modes = [common_mode] if isinstance(common_mode, str) else list(common_mode)
        self._wanted = (_given(pedestal), _given(gain), _given(mask), modes, gain_bits)
        self._correct = _livetime.Correct(self._wanted)

    def __call__(self, array: ArrayLike) -> NDArray[np.float32]:
        """The corrected array."""
        return self._correct.apply(np.asarray(array))

    @property
    def unknown_gain_codes(self) -> int:
        """Good pixels of all arrays so far whose gain code belongs to no stage."""
        return self._correct.unknown

    def __repr__(self) -> str:
        names = ("pedestal", "gain", "mask")
        constants = zip(names, self._wanted)
        given = [f"{name}={'an array' if isinstance(found, bytes) else repr(found)}" for name, found in constants if found]
        if self._wanted[3]:
            given.append(f"common_mode={self._wanted[3]!r}")
        if self._wanted[4] is not None:
            given.append(f"gain_bits={self._wanted[4]!r}")
        return f"Corrections({', '.join(given)})"

    def _listed(self) -> tuple[Any, ...]:
        """As the extension takes them, before reducers."""
        return self._wanted

    def __reduce__(self) -> tuple[Any, ...]:
        """Arrays go with it; files are read again, under the same path."""
        return _again, (self._wanted,)


def _again(wanted: tuple[Any, ...]) -> Corrections:
    made = Corrections.__new__(Corrections)
    made._wanted = wanted
    made._correct = _livetime.Correct(wanted)
    return made


def _given(constants: ConstantsLike | None) -> str | bytes | None:
    """As the extension takes them: a path, or an array as the bytes of a file, which go to other processes too."""
    if constants is None:
        return None
    if isinstance(constants, (str, os.PathLike)):
        return os.path.abspath(os.fspath(constants))
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(constants, np.float32))
    return file.getvalue()
