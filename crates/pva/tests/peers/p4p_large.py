"""p4p writes a picture of 20 MB, and one of 40 MB, which is more than the server takes; it tells why, and goes on."""
import numpy
from p4p.client.thread import Context
from p4p.nt import NTNDArray

from peer import check, fails

context = Context("pva", nt=False)


def put(picture):
    # Without `get=False` p4p writes into the image that it has read.
    context.put("T:picture", NTNDArray().wrap(picture), get=False, timeout=60)


large = (numpy.arange(5000 * 4000) % 251).astype("uint8").reshape(4000, 5000)
put(large)
check("20 MB", context.get("T:picture", timeout=60).value, large.ravel())
beyond = numpy.zeros((8000, 5000), dtype="uint8")
fails("40 MB", "wanted a message of at most 33554432 bytes, found 400", lambda: put(beyond))
check("after that", context.get("T:picture", timeout=60).value, large.ravel())
print("done")
