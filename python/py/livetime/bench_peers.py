"""Other libraries for the same tasks, for `livetime bench python`, each where it is installed: LiberTEM, pvaPy, psana,
numcodecs, imagecodecs.

Each peer gets its fastest way that does the same: types are not converted, nothing is sent over a network, constants are not fetched.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

CodecPeer = tuple[Callable[[], object], Callable[[], object]]
"""Packs an array, and unpacks it again to one."""

_CONFIGURE, _BEGIN_RUN, _END_RUN, _BEGIN_STEP, _END_STEP, _ENABLE, _DISABLE, _EVENT = 2, 4, 5, 6, 7, 8, 9, 12
_SHAPES_DATA, _SHAPES, _DATA, _NAMES = 1, 2, 3, 4
_U16, _U32, _TEXT = 1, 2, 10


def numcodecs_of(image: NDArray[np.uint16]) -> dict[str, CodecPeer]:
    """The codecs of numcodecs, under our names."""
    from numcodecs import LZ4, Blosc, Zlib, Zstd

    def both(codec: Any) -> CodecPeer:
        stream = codec.encode(image)
        return lambda: codec.encode(image), lambda: np.frombuffer(codec.decode(stream), np.uint16)

    known = {"blosc": Blosc("lz4", 3, Blosc.BITSHUFFLE), "zstd": Zstd(3), "zlib": Zlib(6), "lz4": LZ4()}
    return {name: both(codec) for name, codec in known.items()}


def imagecodecs_of(image: NDArray[np.uint16]) -> dict[str, CodecPeer]:
    """The codecs of imagecodecs, under our names, each on one thread. The library has no bslz4 in one call."""
    import imagecodecs as other

    def both(name: str, **options: Any) -> CodecPeer:
        pack, unpack = getattr(other, f"{name}_encode"), getattr(other, f"{name}_decode")
        stream = pack(image, **options)
        return lambda: pack(image, **options), lambda: np.frombuffer(unpack(stream, out=image.nbytes), np.uint16)

    blosc = both("blosc", level=3, compressor="lz4", shuffle="bitshuffle", typesize=2, numthreads=1)
    return {"blosc": blosc, "zstd": both("zstd", level=3), "zlib": both("zlib", level=6), "lz4": both("lz4", level=1)}


def libertem_hz(shape: tuple[int, int], frames: int) -> float:
    """Frames a second of a UDF that does nothing, in one partition by the executor `inline`, the start of `run_udf` included."""
    from libertem.api import Context
    from libertem.udf import UDF

    class Nothing(UDF):  # type: ignore[misc]
        def get_result_buffers(self) -> dict[str, Any]:
            return {}

        def get_preferred_input_dtype(self) -> Any:
            return self.USE_NATIVE_DTYPE

        def process_frame(self, frame: NDArray[Any]) -> None:
            pass

    # All frames are the same memory, as ours are.
    data = np.broadcast_to(np.zeros(shape, np.uint8), (frames, *shape))
    with Context.make_with("inline") as context:
        dataset = context.load("memory", data=data, sig_dims=2, num_partitions=1)
        begun = time.perf_counter()
        context.run_udf(dataset, Nothing())
        return frames / (time.perf_counter() - begun)


def pvapy_hz(shape: tuple[int, int], frames: int) -> float:
    """Frames a second of an `AdImageProcessor` that reads its array, called in a loop: without channel, queue and
    thread."""
    from pvapy.hpc.adImageProcessor import AdImageProcessor
    from pvapy.utility.adImageUtility import AdImageUtility

    class Nothing(AdImageProcessor):  # type: ignore[misc]
        def process(self, frame: Any) -> Any:
            self.reshapeNtNdArray(frame)
            return frame

    processor, frame = Nothing(), AdImageUtility.generateNtNdArray2D(1, np.zeros(shape, np.uint8))
    begun = time.perf_counter()
    for _ in range(frames):
        processor.process(frame)
    return frames / (time.perf_counter() - begun)


def psana_arrays(path: str) -> Iterator[NDArray[Any]]:
    """The arrays of the detector of `write_lcls2`, by psana."""
    # One process, without MPI.
    os.environ.setdefault("PS_PARALLEL", "none")
    from psana import DataSource

    run = next(DataSource(files=[path], skip_calib_load="all").runs())
    detector = run.Detector("jungfrau")
    for event in run.events():
        yield detector.raw.raw(event)


def write_lcls2(path: str, pictures: Iterable[NDArray[np.uint16]], rows: int, columns: int) -> None:
    """A file of LCLS-II with one panel of a Jungfrau, as its data acquisition writes it."""
    about = _names(0, "jungfrau", "raw", 0x200, [("raw", _U16, 3)])
    run = _names(1, "runinfo", "runinfo", 1, [("expt", _TEXT, 1), ("runnum", _U32, 0)])
    begin = _record(1, [(8,)], b"bench\0\0\0" + struct.pack("<I", 1))
    with open(path, "wb") as file:
        file.write(_datagram(_CONFIGURE, 0, about + run))
        for number, (transition, inside) in enumerate([(_BEGIN_RUN, begin), (_BEGIN_STEP, begin), (_ENABLE, b"")], 1):
            file.write(_datagram(transition, number, inside))
        for number, picture in enumerate(pictures, number + 1):
            file.write(_datagram(_EVENT, number, _record(0, [(1, rows, columns)], picture.tobytes())))
        # Without an end psana waits for more.
        for number, transition in enumerate([_DISABLE, _END_STEP, _END_RUN], number + 1):
            file.write(_datagram(transition, number, b""))


def _datagram(transition: int, number: int, inside: bytes) -> bytes:
    # A millisecond between two.
    seconds, thousandth = divmod(number, 1000)
    return struct.pack("<3I", 1_000_000 * thousandth, 1_000_000_000 + seconds, transition << 24) + _piece(0, 0, inside)


def _piece(source: int, kind: int, payload: bytes) -> bytes:
    return struct.pack("<IHHI", source, 0, kind, 12 + len(payload)) + payload


def _names(number: int, detector: str, algorithm: str, version: int, fields: list[tuple[str, int, int]]) -> bytes:
    payload = struct.pack("<I", sum(axes > 0 for _, _, axes in fields))
    payload += _text(detector) + _text(detector) + _text("serial")
    payload += _text(algorithm) + struct.pack("<II", version, 0)
    for name, kind, axes in fields:
        payload += _text("") + bytes(4) + _text(name) + struct.pack("<II", kind, axes)
    return _piece(number, _NAMES, payload)


def _record(number: int, shapes: list[tuple[int, ...]], data: bytes) -> bytes:
    sizes = b"".join(struct.pack("<5I", *shape, *[0] * (5 - len(shape))) for shape in shapes)
    return _piece(number, _SHAPES_DATA, _piece(number, _SHAPES, sizes) + _piece(number, _DATA, data))


def _text(text: str) -> bytes:
    return text.encode().ljust(256, b"\0")
