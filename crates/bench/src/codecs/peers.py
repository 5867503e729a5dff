"""Measures other implementations of codecs on frames of 16-bit integers; run by `livetime-bench codecs --peer`.

usage: peers.py FOLDER CODEC SECONDS REPEATS

FOLDER holds frames as *.raw. Prints one JSON object: ratio, and MB/s of frames of each repeat, `compress` and `decompress`. The C
functions are called as they are, on one thread, with memory that is there, and the frames that come back are compared.
"""

import ctypes
import glob
import json
import sys
import time
import zlib


def blosc(compressor, shuffle):
    import numcodecs.blosc as module

    library = ctypes.CDLL(module.__file__)
    pack, unpack = library.blosc_compress_ctx, library.blosc_decompress_ctx
    size = ctypes.c_size_t
    pack.argtypes = [ctypes.c_int, ctypes.c_int, size, size, ctypes.c_char_p, ctypes.c_void_p, size]
    pack.argtypes += [ctypes.c_char_p, size, ctypes.c_int]
    unpack.argtypes = [ctypes.c_void_p, ctypes.c_void_p, size, ctypes.c_int]
    number = {"none": 0, "byte": 1, "bit": 2}[shuffle]
    name = compressor.encode()
    # Level 3, elements of 2 bytes, the library's own block size, one thread.
    return (
        lambda frame, to, room: pack(3, number, 2, len(frame), frame, to, room, name, 0, 1),
        lambda stream, length, to, room: unpack(stream, to, room, 1),
        module.blosc_version()[0] if hasattr(module, "blosc_version") else module.VERSION_STRING,
    )


def lz4():
    import lz4.block

    library = ctypes.CDLL(lz4.block._block.__file__)
    pack, unpack = library.LZ4_compress_fast, library.LZ4_decompress_safe
    pack.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    unpack.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return (
        lambda frame, to, room: pack(frame, to, len(frame), room, 1),
        lambda stream, length, to, room: unpack(stream, to, length, room),
        lz4.library_version_string(),
    )


def bslz4():
    import bitshuffle.ext

    library = ctypes.CDLL(bitshuffle.ext.__file__)
    pack, unpack = library.bshuf_compress_lz4, library.bshuf_decompress_lz4
    size = ctypes.c_size_t
    pack.restype = unpack.restype = ctypes.c_int64
    pack.argtypes = [ctypes.c_char_p, ctypes.c_void_p, size, size, size]
    unpack.argtypes = [ctypes.c_void_p, ctypes.c_void_p, size, size, size]
    return (
        lambda frame, to, room: pack(frame, to, len(frame) // 2, 2, 0),
        lambda stream, length, to, room: unpack(stream, to, room // 2, 2, 0),
        bitshuffle.ext.__version__ if hasattr(bitshuffle.ext, "__version__") else bitshuffle.__version__,
    )


def python_zlib(level):
    def pack(frame, to, room):
        stream = zlib.compress(frame, level)
        ctypes.memmove(to, stream, len(stream))
        return len(stream)

    def unpack(stream, length, to, room):
        ctypes.memmove(to, zlib.decompress(ctypes.string_at(stream, length), bufsize=room), room)

    return pack, unpack, zlib.ZLIB_RUNTIME_VERSION


def find(codec):
    first, *rest = codec.split()
    if first == "blosc":
        return blosc(*rest)
    if first == "zlib":
        return python_zlib(int(rest[0]))
    return {"lz4": lz4, "bslz4": bslz4}[first]()


def speeds(bytes_a_round, seconds, repeats, work):
    work()
    found = []
    for _ in range(repeats):
        start, rounds = time.perf_counter(), 0
        while rounds == 0 or time.perf_counter() - start < seconds:
            work()
            rounds += 1
        found.append(bytes_a_round * rounds / (time.perf_counter() - start) / 1e6)
    return found


def main():
    folder, codec, seconds, repeats = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    frames = [open(path, "rb").read() for path in sorted(glob.glob(folder + "/*.raw"))]
    pack, unpack, version = find(codec)
    streams = [ctypes.create_string_buffer(2 * len(frame) + 4096) for frame in frames]
    backs = [ctypes.create_string_buffer(len(frame)) for frame in frames]
    sizes = [0] * len(frames)

    def encode():
        for i, frame in enumerate(frames):
            sizes[i] = pack(frame, ctypes.addressof(streams[i]), len(streams[i]))

    def decode():
        for i, frame in enumerate(frames):
            unpack(ctypes.addressof(streams[i]), sizes[i], ctypes.addressof(backs[i]), len(frame))

    total = sum(map(len, frames))
    compress = speeds(total, seconds, repeats, encode)
    decompress = speeds(total, seconds, repeats, decode)
    if any(back.raw != frame for back, frame in zip(backs, frames)):
        sys.exit("frames did not come back")
    result = {"version": str(version), "ratio": sum(sizes) / total, "compress": compress, "decompress": decompress}
    print(json.dumps(result))


main()
