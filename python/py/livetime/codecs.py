"""Lossless codecs as functions on arrays; nothing else of Livetime is needed for them.

| name | for | format |
|---|---|---|
| `blockpack`, `blockpack-dense` | detector frames of integers of 8, 16 and 32 bits, with or without a reference | our own |
| `bslz4`, `bslz4-bare` | anything | HDF5 filter 32008, with and without its header |
| `lz4`, `lz4hdf5` | anything | LZ4 block; HDF5 filter 32004 |
| `blosc`, `blosc-blosclz`, `blosc-zlib`, `blosc-zstd` | anything | Blosc 1, HDF5 filter 32001 |
| `zlib`, `zstd` | anything | zlib stream, Zstandard frame |
| `hist16`, `histn` | 16-bit pictures; 8- and 16-bit pictures | compressed leaves of XTC files of LCLS |

`NAMES` has all names, and `ABOUT` what else is known about each.

>>> ABOUT["blosc"].hdf5_filter, ABOUT["blosc"].levels
(32001, (0, 9, 3))
>>> import numpy as np
>>> image = np.arange(12, dtype=np.uint16).reshape(3, 4)
>>> stream = encode(image, "blockpack")
>>> np.array_equal(decode(stream, "blockpack", image.dtype, image.shape), image)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _livetime


class About(NamedTuple):
    """The codec's names in other libraries, and its levels."""

    levels: tuple[int, int, int] | None
    """The fastest, the densest and the usual compression level; None if it has one way only."""
    hdf5_filter: int | None
    """The number of the filter of HDF5 that reads its streams as chunks."""
    area_detector: str | None
    """The codec's name in NTNDArrays: areaDetector's, if areaDetector has the codec."""
    numcodecs: str | None
    """The codec of numcodecs that reads its streams."""


ABOUT: dict[str, About] = {about[0]: About(*about[1:]) for about in _livetime.codecs()}
"""All codecs by their names."""

NAMES: tuple[str, ...] = tuple(ABOUT)
"""The names of all codecs."""


def encode(
    array: NDArray[Any], codec: str = "blockpack", *, level: int | None = None, reference: NDArray[Any] | None = None
) -> bytes:
    """The stream that a codec makes of an array.

    `level`: of Blosc (0 to 9), zlib and zstd. `reference`: an array of the same type and shape of which `array` differs little, as
    the mean of a run; of `blockpack` only. Raises `CodecError` if the codec does not take the array's type.
    """
    if reference is not None and codec != "blockpack":
        raise TypeError(f"reference: wanted the codec blockpack, found {codec}")
    return _livetime.encode(np.asarray(array), codec, level, reference)


def decode(
    stream: bytes | bytearray | memoryview,
    codec: str,
    dtype: DTypeLike,
    shape: int | Sequence[int],
    *,
    reference: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """The array of a stream, which must be exactly one, of an array of this type and shape.

    Raises `CodecError` if it is not: a stream may be anything. `reference` must be what it was made with.
    """
    if reference is not None and codec != "blockpack":
        raise TypeError(f"reference: wanted the codec blockpack, found {codec}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    return _livetime.decode(bytes(stream), codec, np.dtype(dtype), sizes, reference)
