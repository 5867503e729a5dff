"""The codecs for Zarr of format 3, by zarr-python 3, which must be installed: `livetime[zarr]`.

    import livetime.zarr3
    codec = livetime.zarr3.Codec("blockpack")
    zarr.create_array(store, shape=..., chunks=..., dtype="uint16", serializer=codec, compressors=None)

An installed package is found by zarr itself, so to read such an array nothing need be imported. `livetime.zarr` is for format 2.

A chunk is one stream of the codec, of an array of the chunk's shape, in little-endian byte order whatever the array's type says. In
`zarr.json` the codec is `{"name": "livetime", "configuration": {"codec": "blockpack"}}`, with `level` where it was given.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.abc.codec import ArrayBytesCodec
from zarr.registry import register_codec

from . import codecs
from .errors import CodecError

_NAME = "livetime"


@dataclass(frozen=True)
class Codec(ArrayBytesCodec):  # type: ignore[misc]
    """One codec of `livetime.codecs`, which turns whole chunks into bytes: Zarr's serializer.

    The types that it takes are those of `livetime.codecs.encode`; others are a `CodecError` when the array is made.
    """

    codec: str = "blockpack"
    level: int | None = None

    is_fixed_size = False

    def __post_init__(self) -> None:
        if self.codec not in codecs.NAMES:
            raise CodecError(f"wanted one of {', '.join(codecs.NAMES)}, found {self.codec}")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Codec:
        """The codec that stands in `zarr.json`."""
        found = dict(data.get("configuration") or {})
        if more := found.keys() - {"codec", "level"}:
            raise CodecError(f"wanted codec and level in the configuration of {_NAME}, found {', '.join(sorted(more))}")
        return cls(**found)

    def to_dict(self) -> dict[str, Any]:
        """The codec as it stands in `zarr.json`."""
        level = {} if self.level is None else {"level": self.level}
        return {"name": _NAME, "configuration": {"codec": self.codec} | level}

    def validate(self, *, dtype: Any, **_: Any) -> None:
        """Raises `CodecError` if the codec does not take elements of this type."""
        native = _native(dtype.to_native_dtype())
        try:
            codecs.encode(np.zeros(1, native), self.codec, level=self.level)
        except ValueError as error:
            raise CodecError(f"wanted a type that {self.codec} takes, found {native}: {error}") from error

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        """Fails: how long a compressed chunk is shows when it is compressed. Zarr wants it of codecs with a fixed ratio only."""
        raise NotImplementedError(f"wanted a codec with a fixed ratio, found {self.codec}")

    def _encode_sync(self, chunk_data: Any, chunk_spec: Any) -> Any:
        array = chunk_data.as_numpy_array()
        array = array.astype(_native(array.dtype), copy=False)
        return chunk_spec.prototype.buffer.from_bytes(codecs.encode(array, self.codec, level=self.level))

    def _decode_sync(self, chunk_data: Any, chunk_spec: Any) -> Any:
        dtype = chunk_spec.dtype.to_native_dtype()
        array = codecs.decode(chunk_data.as_numpy_array(), self.codec, _native(dtype), chunk_spec.shape)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(array.astype(dtype, copy=False))

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("=")


register_codec(_NAME, Codec)
