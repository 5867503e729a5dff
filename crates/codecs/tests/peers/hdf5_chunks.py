"""Compares chunks of HDF5 filters: FOLDER holds FILTER-DTYPE-LENGTH.raw and .ours; .theirs is made of what the filter compresses."""
import pathlib
import sys

import h5py
import hdf5plugin
import numpy

FILTERS = {
    "bitshuffle": hdf5plugin.Bitshuffle(cname="lz4"),
    "lz4": hdf5plugin.LZ4(),
    "lz4_4096": hdf5plugin.LZ4(nbytes=4096),
    "blosc_blosclz": hdf5plugin.Blosc(cname="blosclz", shuffle=hdf5plugin.Blosc.SHUFFLE),
    "blosc_lz4": hdf5plugin.Blosc(cname="lz4", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
    "blosc_lz4hc": hdf5plugin.Blosc(cname="lz4hc", shuffle=hdf5plugin.Blosc.NOSHUFFLE),
    "blosc_zlib": hdf5plugin.Blosc(cname="zlib", shuffle=hdf5plugin.Blosc.SHUFFLE),
    "blosc_zstd": hdf5plugin.Blosc(cname="zstd", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
}

folder = pathlib.Path(sys.argv[1])
for raw in sorted(folder.glob("*.raw")):
    name, dtype, _ = raw.stem.split("-")
    array = numpy.fromfile(raw, dtype=numpy.dtype(dtype).newbyteorder("<"))
    with h5py.File(folder / "chunks.h5", "w") as file:
        make = lambda what: file.create_dataset(what, array.shape, array.dtype, chunks=array.shape, **FILTERS[name])
        theirs, ours = make("theirs"), make("ours")
        theirs[...] = array
        ours.id.write_direct_chunk((0,), raw.with_suffix(".ours").read_bytes())
        file.flush()
        mask, chunk = theirs.id.read_direct_chunk((0,))
        if mask == 0:
            raw.with_suffix(".theirs").write_bytes(chunk)
        else:
            assert name.startswith("blosc"), raw.stem
        assert (ours[...] == array).all(), f"{raw.stem}: the library reads other values from our chunk"
