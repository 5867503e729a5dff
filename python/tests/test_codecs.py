"""Codecs as functions on arrays, and as codecs of numcodecs and zarr."""

from __future__ import annotations

import numpy as np
import pytest

import livetime as lt
from livetime import codecs


@pytest.mark.parametrize("name", codecs.NAMES)
def test_every_codec_gives_back_what_it_took(name):
    rng = np.random.default_rng(1)
    taken = 0
    for dtype in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"):
        for shape in ((7, 33), (3, 5, 16), (1,), (4096,)):
            array = rng.normal(50, 9, shape).astype(dtype)
            try:
                stream = codecs.encode(array, name)
            except lt.CodecError:
                continue
            taken += 1
            back = codecs.decode(stream, name, array.dtype, shape)
            assert back.dtype == array.dtype and np.array_equal(back, array)
    assert taken


def test_what_is_known_about_codecs():
    about = codecs.ABOUT
    assert about["blosc"] == codecs.About((0, 9, 3), 32001, "blosc", "blosc")
    assert about["zlib"] == codecs.About((0, 9, 6), 1, "zlib", "zlib")
    assert about["bslz4"] == codecs.About(None, 32008, None, None)
    assert (about["bslz4-bare"].area_detector, about["lz4"].hdf5_filter) == ("bslz4", None)
    older = "blockpack bslz4 bslz4-bare lz4 lz4hdf5 blosc blosc-blosclz blosc-zlib blosc-zstd zlib zstd hist16 histn"
    assert set(older.split()) <= set(codecs.NAMES)


def test_views_are_encoded_as_they_look():
    array = np.arange(600, dtype=np.uint16).reshape(20, 30)[::2, ::-1].T
    back = codecs.decode(codecs.encode(array), "blockpack", array.dtype, array.shape)
    assert np.array_equal(back, array)


def test_turned_arrays_are_encoded_as_they_look():
    array = np.arange(600, dtype=np.uint16).reshape(20, 30)
    for turned in (array.T, np.asfortranarray(array)):
        back = codecs.decode(codecs.encode(turned, "lz4"), "lz4", array.dtype, turned.shape)
        assert np.array_equal(back, turned)


def test_a_reference_makes_streams_smaller_and_is_needed_again():
    rng = np.random.default_rng(2)
    mean = rng.integers(0, 60000, (100, 100)).astype(np.uint16)
    array = mean + rng.integers(0, 4, mean.shape).astype(np.uint16)
    stream = codecs.encode(array, reference=mean)
    assert len(stream) < len(codecs.encode(array)) / 3
    assert np.array_equal(codecs.decode(stream, "blockpack", array.dtype, array.shape, reference=mean), array)
    with pytest.raises(lt.CodecError):
        codecs.decode(stream, "blockpack", array.dtype, array.shape)
    with pytest.raises(lt.CodecError, match="reference"):
        codecs.encode(array, reference=mean[1:])
    with pytest.raises(TypeError, match="blockpack"):
        codecs.encode(array, "zstd", reference=mean)


@pytest.mark.parametrize("name", codecs.NAMES)
def test_hostile_streams_are_exceptions(name):
    rng = np.random.default_rng(5)
    array = rng.normal(50, 9, (40, 50)).astype(np.uint16)
    stream = codecs.encode(array, name)
    for _ in range(200):
        bad = bytearray(stream[: rng.integers(1, len(stream) + 1)])
        bad[rng.integers(0, len(bad))] ^= int(rng.integers(1, 256))
        try:
            codecs.decode(bad, name, array.dtype, array.shape)
        except lt.CodecError as error:
            assert not isinstance(error, lt.Bug)


def test_what_is_wanted_and_found():
    with pytest.raises(lt.CodecError, match="NAMES"):
        codecs.encode(np.zeros(3, "u2"), "zip")
    with pytest.raises(ValueError):
        codecs.decode(b"", "lz4", "u2", (10,))
    with pytest.raises(lt.FrameError):
        codecs.encode(np.zeros(3, complex))
    with pytest.raises(lt.CodecError, match="1 TiB"):
        codecs.decode(b"x", "lz4", "u2", (1 << 40, 1 << 40))


@pytest.mark.parametrize("name", [name for name, about in codecs.ABOUT.items() if about.numcodecs])
def test_streams_are_those_of_others(name):
    numcodecs = pytest.importorskip("numcodecs")
    array = np.arange(5000, dtype=np.uint32)
    other = numcodecs.get_codec({"id": codecs.ABOUT[name].numcodecs})
    assert other.decode(codecs.encode(array, name)) == array.tobytes()
    assert np.array_equal(codecs.decode(other.encode(array), name, array.dtype, array.shape), array)


def test_a_codec_of_numcodecs():
    numcodecs = pytest.importorskip("numcodecs")
    import livetime.zarr as adapter

    array = np.random.default_rng(1).normal(100, 5, (30, 40)).astype(np.uint16)
    codec = adapter.Codec("blockpack", "uint16")
    stream = codec.encode(array)
    assert len(stream) < array.nbytes and np.array_equal(codec.decode(stream).reshape(array.shape), array)
    out = np.empty_like(array)
    codec.decode(stream, out=out)
    assert np.array_equal(out, array)
    again = numcodecs.get_codec(codec.get_config())
    assert again == codec and again.encode(array) == stream
    with pytest.raises(lt.CodecError):
        codec.decode(stream[:2])


@pytest.mark.parametrize("dtype", ["uint8", "int32", ">u2", "<i2"])
def test_an_array_of_zarr_3_comes_back(dtype, tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    from livetime import zarr3

    array = np.random.default_rng(1).normal(90, 5, (50, 60)).astype(dtype)
    made = zarr.create_array(
        tmp_path / "a", shape=array.shape, chunks=(20, 25), dtype=dtype, serializer=zarr3.Codec(), compressors=None
    )
    made[:] = array
    again = zarr.open_array(tmp_path / "a", mode="r")
    # Format 3 knows no byte order of types.
    assert again.metadata.zarr_format == 3 and again.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(made[:], array) and np.array_equal(again[:], array) and np.array_equal(again[13:44, 57], array[13:44, 57])
    chunk = (tmp_path / "a" / "c" / "0" / "1").read_bytes()
    native = array.astype(array.dtype.newbyteorder("="))
    assert chunk == codecs.encode(np.ascontiguousarray(native[:20, 25:50]))
    (tmp_path / "a" / "c" / "0" / "1").write_bytes(chunk[:-1])
    with pytest.raises(lt.CodecError):
        again[0, 30]


def test_a_codec_of_zarr_3_says_what_it_takes(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    from livetime.zarr3 import Codec

    for codec in (Codec(), Codec("zstd", level=9)):
        assert Codec.from_dict(codec.to_dict()) == codec
    assert Codec("zstd", 9).to_dict() == {"name": "livetime", "configuration": {"codec": "zstd", "level": 9}}
    assert zarr.registry.get_codec_class("livetime") is Codec
    with pytest.raises(lt.CodecError, match="wanted one of .*blockpack.*, found zip"):
        Codec("zip")
    with pytest.raises(lt.CodecError, match="found block"):
        Codec.from_dict({"name": "livetime", "configuration": {"block": 3}})
    with pytest.raises(lt.CodecError, match="wanted a type that blockpack takes, found float64"):
        zarr.create_array(tmp_path / "a", shape=4, chunks=4, dtype="float64", serializer=Codec(), compressors=None)
