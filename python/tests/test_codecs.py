"""Codecs as functions on arrays, and as codecs of numcodecs."""

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


def test_views_are_encoded_as_they_look():
    array = np.arange(600, dtype=np.uint16).reshape(20, 30)[::2, ::-1].T
    back = codecs.decode(codecs.encode(array), "blockpack", array.dtype, array.shape)
    assert np.array_equal(back, array)


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


@pytest.mark.parametrize("name", ["zlib", "zstd"])
def test_streams_are_those_of_others(name):
    numcodecs = pytest.importorskip("numcodecs")
    array = np.arange(5000, dtype=np.uint32)
    other = {"zlib": numcodecs.Zlib(), "zstd": numcodecs.Zstd()}[name]
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
