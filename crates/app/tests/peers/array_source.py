"""p4p writes pictures to a served run and sees them come out; arguments: server address, prefix."""

import sys
import threading
import time

import numpy
from p4p.client.thread import Context, RemoteError
from p4p.nt import NTNDArray

address, prefix = sys.argv[1:3]
conf = {
    "EPICS_PVA_NAME_SERVERS": address,
    "EPICS_PVA_ADDR_LIST": "",
    "EPICS_PVA_AUTO_ADDR_LIST": "NO",
}
context = Context("pva", conf=conf, useenv=False)
raw = Context("pva", conf=conf, useenv=False, nt=False)
new = threading.Condition()
seen = []


def add(image):
    with new:
        seen.append(image)
        new.notify_all()


def wait(count):
    with new:
        assert new.wait_for(lambda: len(seen) >= count, 30), len(seen)
    return seen[count - 1]


def put(picture):
    # Without `get=False` p4p fills in the image that it has read, whose pixels have no type yet.
    raw.put(prefix + "cam1:Image", NTNDArray().wrap(picture), get=False)


subscription = context.monitor(prefix + "Pva1:Image", add, request="record[queueSize=50]field()")
types = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()
# The first update may be the empty image of before; wait until the first frame is there.
put(numpy.arange(6, dtype="uint8").reshape(2, 3))
with new:
    assert new.wait_for(lambda: any(getattr(image, "size", 0) == 6 for image in seen), 30)
    start = len(seen)
for number, name in enumerate(types):
    picture = (numpy.arange(12) * 5 + number).astype(name).reshape(3, 4)
    put(picture)
    image = wait(start + number + 1)
    assert image.dtype == picture.dtype and image.shape == (3, 4), (name, image.dtype, image.shape)
    assert (image == picture).all(), name
# Counters are shown ten times a second.
for _ in range(300):
    counted = context.get(prefix + "cam1:ArrayCounter_RBV", timeout=30)
    if counted == len(types) + 1:
        break
    time.sleep(0.1)
assert counted == len(types) + 1, counted

# Numbers become a frame of the shape and type of the parameters.
context.put(prefix + "cam1:ArrayIn", numpy.arange(12, dtype="float64"), timeout=30)
image = wait(start + len(types) + 1)
assert image.shape == (3, 4) and image.dtype == numpy.uint16 and (image.ravel() == numpy.arange(12)).all()

# A picture of 20 MB, of a camera that makes large ones.
large = (numpy.arange(5000 * 4000) % 251).astype("uint8").reshape(4000, 5000)
put(large)
image = wait(start + len(types) + 2)
assert image.shape == large.shape and (image == large).all()

# An image that contradicts itself is refused with the reason, and no frame comes of it.
bad = NTNDArray().wrap(numpy.zeros((3, 4), dtype="uint8"))
bad.dimension[0].size = 5
try:
    raw.put(prefix + "cam1:Image", bad, get=False)
except RemoteError as error:
    assert "pixels" in str(error), error
else:
    raise AssertionError("took an image that contradicts itself")
context.put(prefix + "cam1:Acquire", 0, timeout=30)
try:
    context.put(prefix + "cam1:ArrayIn", [1.0], timeout=30)
except RemoteError as error:
    assert "Acquire" in str(error), error
else:
    raise AssertionError("took numbers while it does not acquire")
assert len(seen) == start + len(types) + 2
print("ok")
