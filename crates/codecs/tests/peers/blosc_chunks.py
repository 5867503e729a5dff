"""Blosc and zlib with the original libraries: FOLDER holds NAME.ours and NAME.raw, which are compared; theirs-*.raw and
theirs-*.chunk are made, with all compressors, shuffles, sizes of elements, and lengths that are no whole blocks."""
import itertools
import pathlib
import sys
import zlib

import blosc
import numcodecs.blosc
import numpy

folder = pathlib.Path(sys.argv[1])
for ours in sorted(folder.glob("*.ours")):
    raw, chunk = ours.with_suffix(".raw").read_bytes(), ours.read_bytes()
    if ours.stem.startswith("zlib"):
        assert zlib.decompress(chunk) == raw, ours.stem
    else:
        assert blosc.decompress(chunk) == raw, ours.stem
        # It takes the length 0 for an error.
        assert not raw or bytes(numcodecs.blosc.decompress(chunk)) == raw, ours.stem

random = numpy.random.default_rng(1)


def keep(name, raw, chunk):
    (folder / f"theirs-{name}.raw").write_bytes(raw)
    (folder / f"theirs-{name}.chunk").write_bytes(chunk)


def array(size, elements, rest):
    """Elements with a pedestal and noise in the lowest byte, and some bytes that are no whole element."""
    values = numpy.zeros((elements, size), numpy.uint8)
    values[:, 0] = random.poisson(40, elements)
    values[:, -1] = 7
    return values.tobytes() + bytes(range(rest))


shuffles = {"none": blosc.NOSHUFFLE, "byte": blosc.SHUFFLE, "bit": blosc.BITSHUFFLE}
for name, (shuffle, number) in itertools.product(blosc.compressor_list(), shuffles.items()):
    for size in range(1, 17):
        for elements, level in [(1, 5), (15, 5), (200, 1), (4096, 9), (40_003, 5)]:
            raw = array(size, elements, size // 2)
            chunk = blosc.compress(raw, typesize=size, clevel=level, shuffle=number, cname=name)
            keep(f"{name}-{shuffle}-{size}-{elements}", raw, chunk)
    raw = array(4, 300_000, 3)
    # Its threads write blocks in any order.
    numcodecs.blosc.set_nthreads(4)
    codec = numcodecs.Blosc(cname=name, clevel=3, shuffle=number, blocksize=8 * 4096)
    keep(f"{name}-{shuffle}-threads", raw, codec.encode(numpy.frombuffer(raw[:1_200_000], "<u4")))
    (folder / f"theirs-{name}-{shuffle}-threads.raw").write_bytes(raw[:1_200_000])
for level in range(10):
    raw = array(2, 30_000, 1)
    keep(f"zlib_stream-{level}", raw, zlib.compress(raw, level))
