"""Compares bitshuffle + LZ4 chunks: FOLDER holds NAME.raw and NAME.ours; NAME.theirs is made."""
import pathlib
import sys

import h5py
import hdf5plugin
import numpy

folder = pathlib.Path(sys.argv[1])
for raw in sorted(folder.glob("*.raw")):
    dtype = raw.stem.split("-")[0]
    array = numpy.fromfile(raw, dtype=numpy.dtype(dtype).newbyteorder("<"))
    with h5py.File(folder / "chunks.h5", "w") as file:
        filters = hdf5plugin.Bitshuffle(cname="lz4")
        make = lambda name: file.create_dataset(name, array.shape, array.dtype, chunks=array.shape, **filters)
        theirs, ours = make("theirs"), make("ours")
        theirs[...] = array
        ours.id.write_direct_chunk((0,), raw.with_suffix(".ours").read_bytes())
        file.flush()
        mask, chunk = theirs.id.read_direct_chunk((0,))
        assert mask == 0
        raw.with_suffix(".theirs").write_bytes(chunk)
        assert (ours[...] == array).all(), f"{raw.stem}: the library reads other values from our chunk"
