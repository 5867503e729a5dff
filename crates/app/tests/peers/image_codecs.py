"""Compressed images: p4p gets them from a served run and sends them to one; arguments: server address, prefix, and the port that the
run's `pva_source` asks. They are unpacked and packed by the original libraries, as pvaPy uses them."""

import itertools
import struct
import sys
import threading
import time
import zlib

import bitshuffle
import blosc
import lz4.block
import numpy
import pvaccess
from p4p import Value
from p4p.client.thread import Context, RemoteError
from p4p.nt import NTNDArray
from p4p.server import Server, StaticProvider
from p4p.server.thread import SharedPV
from pvapy.utility.adImageUtility import AdImageUtility

address, prefix, port = sys.argv[1:4]
conf = {
    "EPICS_PVA_NAME_SERVERS": address,
    "EPICS_PVA_ADDR_LIST": "",
    "EPICS_PVA_AUTO_ADDR_LIST": "NO",
}
TYPES = {5: "u1", 6: "u2", 7: "u4", 9: "f4"}
SHUFFLES = {"None": blosc.NOSHUFFLE, "Byte": blosc.SHUFFLE, "Bit": blosc.BITSHUFFLE}


def unpack_lz4hdf5(stream, size):
    total, block = struct.unpack_from(">QI", stream)
    assert total == size
    out, at = b"", 12
    while len(out) < total:
        packed, = struct.unpack_from(">I", stream, at)
        here = min(block, total - len(out))
        part = stream[at + 4:at + 4 + packed]
        out += part if packed == here else lz4.block.decompress(part, uncompressed_size=here)
        at += 4 + packed
    assert at == len(stream)
    return out


def pack_lz4hdf5(data, block=1000):
    out = struct.pack(">QI", len(data), block)
    for at in range(0, len(data), block):
        part = data[at:at + block]
        packed = lz4.block.compress(part, store_size=False)
        packed = packed if len(packed) < len(part) else part
        out += struct.pack(">I", len(packed)) + packed
    return out


def unpack(image):
    """The pixels, by pvaPy where it knows the codec."""
    codec, size = image.codec.name, image.uncompressedSize
    dtype = numpy.dtype(TYPES[image.codec.parameters])
    stream = numpy.asarray(image.value)
    assert stream.dtype == numpy.uint8 and len(stream) == image.compressedSize < size, codec
    if codec in ["blosc", "lz4", "bslz4"]:
        kind = AdImageUtility.PVA_DATA_TYPE_MAP[dtype]
        return AdImageUtility.getDecompressor(codec)(stream, kind, size)
    how = {"zlib": lambda s, _: zlib.decompress(s), "lz4hdf5": unpack_lz4hdf5}[codec]
    return numpy.frombuffer(how(stream.tobytes(), size), dtype)


class Images:
    """The latest image of a channel."""

    def __init__(self, context, name):
        self.last, self.new = None, threading.Condition()
        self.subscription = context.monitor(prefix + name, self.add)

    def add(self, image):
        with self.new:
            self.last = image
            self.new.notify_all()

    def wait(self, number):
        with self.new:
            arrived = self.new.wait_for(lambda: self.last is not None and self.last.uniqueId == number, 600)
            assert arrived, (number, self.last and self.last.uniqueId)
            return self.last


def shown(context):
    """What `compress` makes is what the libraries read."""
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    get = lambda name: context.get(prefix + name, timeout=600).value
    plain, packed = Images(context, "Pva1:Image"), Images(context, "Pva2:Image")
    put("cam1:WaitForPlugins", 1)
    put("cam1:ImageMode", "Single")

    def check(codec):
        put("Codec1:Compressor", codec)
        context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
        number = get("cam1:ArrayCounter_RBV")
        wanted, image = plain.wait(number), packed.wait(number)
        assert image.codec.name == codec.lower(), (codec, image.codec.name, get("Codec1:CodecError"))
        assert (unpack(image) == wanted.value).all(), codec
        factor = wanted.compressedSize / image.compressedSize
        assert abs(get("Codec1:CompFactor_RBV") / factor - 1) < 1e-9

    for dtype in ["UInt8", "UInt16", "Float32"]:
        put("cam1:DataType", dtype)
        for codec in ["Zlib", "LZ4", "LZ4HDF5", "BSLZ4"]:
            check(codec)
        for inner, shuffle in itertools.product(["BloscLZ", "LZ4", "ZLIB", "ZSTD"], SHUFFLES):
            put("Codec1:BloscCompressor", inner)
            put("Codec1:BloscShuffle", shuffle)
            check("Blosc")
    for name in ["LZ4HC", "SNAPPY"]:
        try:
            put("Codec1:BloscCompressor", name)
        except RemoteError as error:
            assert "wanted blosclz, lz4, zlib or zstd" in str(error), error
        else:
            raise AssertionError(f"{name} was taken")
        choice = get("Codec1:BloscCompressor_RBV")
        assert choice.choices[choice.index] == "ZSTD"


def taken(context):
    """What the libraries make is what `pva_source` and `decompress` read."""
    image_type = NTNDArray.buildType()
    channel = SharedPV(initial=Value(image_type))
    provider = StaticProvider("images")
    provider.add("P:Image", channel)
    serve = {"EPICS_PVAS_SERVER_PORT": port, "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1",
             "EPICS_PVAS_BROADCAST_PORT": port, "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO"}
    random = numpy.random.default_rng(2)
    with Server(providers=[provider], conf=serve, useenv=False):
        images = Images(context, "Pva3:Image")
        for number, (kind, codec, stream, array) in enumerate(streams(random), 100):
            deadline = time.monotonic() + 600
            image = Value(image_type, {
                "value": ("ubyteValue", numpy.frombuffer(stream, "u1")),
                "codec": {"name": codec, "parameters": kind},
                "compressedSize": len(stream), "uncompressedSize": array.nbytes, "uniqueId": number,
                "dimension": [{"size": n, "fullSize": n, "binning": 1} for n in reversed(array.shape)],
            })
            # The first ones may come before the source has found the channel.
            while not shows(images.last, array):
                assert time.monotonic() < deadline, (codec, kind)
                channel.post(image)
                time.sleep(0.05)


def shows(image, array):
    return image is not None and not image.codec.name and numpy.array_equal(image.value, array.ravel())


def streams(random):
    """Codecs with arrays that differ each time."""
    for kind, dtype in TYPES.items():
        make = lambda: random.poisson(40, (48, 70)).astype(dtype)
        for inner, shuffle in itertools.product(blosc.compressor_list(), SHUFFLES.values()):
            array = make()
            packed = blosc.compress(array.tobytes(), typesize=array.itemsize, shuffle=shuffle, cname=inner)
            yield kind, "blosc", packed, array
        array = make()
        yield kind, "zlib", zlib.compress(array.tobytes()), array
        array = make()
        yield kind, "lz4hdf5", pack_lz4hdf5(array.tobytes()), array
        array = make()
        yield kind, "lz4", lz4.block.compress(array.tobytes(), store_size=False), array
        array = make()
        yield kind, "bslz4", bitshuffle.compress_lz4(array).tobytes(), array


assert pvaccess.UBYTE in AdImageUtility.PVA_DATA_TYPE_MAP.values()
context = Context("pva", conf=conf, useenv=False, nt=False)
for part in [shown, taken]:
    part(context)
    print(part.__name__, "good", flush=True)
context.close()
