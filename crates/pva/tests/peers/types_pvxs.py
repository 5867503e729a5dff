"""A pvxs server with every type. Arguments: UDP port, TCP port (0 is any). Prints its TCP port, ends with stdin."""
import sys

import numpy
from p4p import Type, Value
from p4p.nt import NTEnum, NTNDArray, NTScalar, NTTable
from p4p.rpc import NTURIDispatcher, rpc
from p4p.server import Server, StaticProvider
from p4p.server.thread import SharedPV
from p4p.util import ThreadedWorkQueue

udp, tcp = int(sys.argv[1]), int(sys.argv[2])
provider = StaticProvider("test")
pvs = {}


class Put:
    """Takes what is put."""

    def put(self, pv, op):
        pv.post(op.value())
        op.done()


class Refuse:
    def put(self, pv, op):
        op.done(error="not today")


def add(name, **args):
    pvs[name] = SharedPV(handler=args.pop("handler", Put()), **args)
    provider.add(name, pvs[name])


scalars = {"?": True, "b": -8, "B": 200, "h": -300, "H": 60000, "i": -70000, "I": 4000000000, "l": -(1 << 60),
           "L": (1 << 63) + 5, "f": 0.5, "d": 4.25, "s": "text"}
arrays = {"?": "?", "b": "i1", "B": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
          "f": "f4", "d": "f8"}
for code, value in scalars.items():
    kind = {"?": "bool"}.get(code, code + ("u" if code.isupper() else ""))
    number = code not in "?s"
    add("scalar:" + kind, nt=NTScalar(code, display=number, control=number, valueAlarm=number), initial=value)
for code, dtype in arrays.items():
    kind = {"?": "bool"}.get(code, code + ("u" if code.isupper() else ""))
    add("array:" + kind, nt=NTScalar("a" + code), initial=numpy.arange(5).astype(dtype))
add("array:s", nt=NTScalar("as"), initial=["one", "two", ""])
add("array:large", nt=NTScalar("ad"), initial=numpy.arange(100_000, dtype="f8"))
add("enum", nt=NTEnum(), initial={"index": 1, "choices": ["Off", "On", "Broken"]})
add("image", nt=NTNDArray(), initial=numpy.arange(640 * 480, dtype="u2").reshape(480, 640))
add("table", nt=NTTable([("a", "i"), ("b", "s")]), initial=[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
add("refused", nt=NTScalar("i"), initial=0, handler=Refuse())
odd = Type([
    ("any", "v"), ("anys", "av"), ("union", ("U", None, [("i", "i"), ("s", "s")])),
    ("structs", ("aS", "point", [("x", "d"), ("y", "d")])),
], id="odd:1.0")
add("odd", initial=Value(odd, {"any": 5, "anys": [1, "two"], "union": ("s", "chosen"),
                               "structs": [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}]}))
add("counter", nt=NTScalar("i"), initial=0)
for number in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
    add(f"many:{number}", nt=NTScalar("d"), initial=float(number))


class Procedures:
    @rpc(NTScalar("d"))
    def add(self, lhs, rhs):
        return float(lhs) + float(rhs)

    @rpc(NTScalar("d"))
    def fail(self):
        raise RuntimeError("on purpose")


conf = {
    "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1", "EPICS_PVAS_SERVER_PORT": str(tcp), "EPICS_PVAS_BROADCAST_PORT": str(udp),
    "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO", "EPICS_PVAS_BEACON_ADDR_LIST": "127.255.255.255",
}
queue = ThreadedWorkQueue(maxsize=20, workers=2)
calls = NTURIDispatcher(queue, target=Procedures(), name="calls", prefix="call:")
with queue, Server(providers=[provider, calls], conf=conf, useenv=False) as server:
    print("PORT", server.conf()["EPICS_PVAS_SERVER_PORT"], flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "post":
            pvs[words[1]].post(int(words[2]))
        elif words[0] == "count":
            for number in range(1, int(words[2]) + 1):
                pvs[words[1]].post(number)
        elif words[0] == "close":
            pvs[words[1]].close()
            pvs[words[1]].open(0)
        print("OK", flush=True)
