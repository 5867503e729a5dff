"""Codecs for Zarr of format 2 and numcodecs, which must be installed: `numcodecs>=0.13`. `livetime.zarr3` is for format 3.

Importing this module registers `livetime.blockpack` and the others of `livetime.codecs` with numcodecs:

    import livetime.zarr
    codec = livetime.zarr.Codec("blockpack", dtype="uint16")
    zarr.create_array(store, shape=..., dtype="uint16", zarr_format=2, compressors=codec)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numcodecs.abc import Codec as _Codec
from numcodecs.compat import ensure_ndarray_like, ndarray_copy
from numcodecs.registry import register_codec

from . import codecs
from .errors import CodecError

_HEAD = 4


class Codec(_Codec):  # type: ignore[misc]
    """One codec of `livetime.codecs`, for elements of one type. A chunk begins with its number of elements, in 4 bytes."""

    codec_id = "livetime"

    def __init__(self, codec: str = "blockpack", dtype: str = "uint16", level: int | None = None) -> None:
        if codec not in codecs.NAMES:
            raise CodecError(f"wanted one of {', '.join(codecs.NAMES)}, found {codec}")
        self.codec, self.dtype, self.level = codec, np.dtype(dtype).str, level

    def encode(self, buf: Any) -> bytes:
        """The stream of an array, or of the bytes of one."""
        array = np.ascontiguousarray(ensure_ndarray_like(buf)).reshape(-1).view(self.dtype)
        if array.size >= 1 << 32:
            raise CodecError(f"wanted a chunk of fewer than 2^32 elements, found {array.size}")
        return array.size.to_bytes(_HEAD, "little") + codecs.encode(array, self.codec, level=self.level)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """The elements of a stream, along one axis."""
        stream = bytes(ensure_ndarray_like(buf).view("u1"))
        count = int.from_bytes(stream[:_HEAD], "little")
        if len(stream) < _HEAD:
            raise CodecError(f"wanted {_HEAD} bytes at the beginning of a chunk, found {len(stream)}")
        array = codecs.decode(stream[_HEAD:], self.codec, self.dtype, count)
        return array if out is None else ndarray_copy(array, out)

    def get_config(self) -> dict[str, Any]:
        """The properties by which codecs are equal."""
        return {"id": self.codec_id, "codec": self.codec, "dtype": self.dtype, "level": self.level}


register_codec(Codec)
