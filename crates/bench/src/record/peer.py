"""Frames per second of `write_direct_chunk`: FILE CHUNKS COUNT DTYPE CODEC SHAPE."""

import struct
import sys
import time
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  (registers the filter)

path, folder, count, dtype, codec, shape = sys.argv[1:]
shape = tuple(int(size) for size in shape.split("x"))
chunks = [file.read_bytes() for file in sorted(Path(folder).iterdir())]
dtype = {"u8": "u1", "u16": "u2"}[dtype]
options = {}
if codec:
    options = dict(compression=32008, compression_opts=(0, 2))
    size = shape[0] * shape[1] * int(dtype[1])
    # HDF5's filter wants this header before the stream.
    chunks = [struct.pack(">QI", size, 8192) + chunk for chunk in chunks]
begin = time.perf_counter()
with h5py.File(path, "w", libver="latest") as file:
    data = file.create_dataset("data", (0, *shape), dtype, maxshape=(None, *shape), chunks=(1, *shape), **options)
    file.swmr_mode = True
    origin = (0,) * len(shape)
    for number in range(int(count)):
        data.resize(number + 1, 0)
        data.id.write_direct_chunk((number, *origin), chunks[number % len(chunks)])
print(int(count) / (time.perf_counter() - begin))
