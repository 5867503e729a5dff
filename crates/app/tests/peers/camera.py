"""p4p (pvxs) as a server of pictures, numbered from 1 on, 200 a second, until it is interrupted; argument: its port."""

import itertools
import signal
import sys
import threading

import numpy
from p4p.nt import NTNDArray
from p4p.server import Server
from p4p.server.thread import SharedPV

port = sys.argv[1]
conf = {
    "EPICS_PVAS_SERVER_PORT": port,
    "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1",
    "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO",
    "EPICS_PVAS_BROADCAST_PORT": "0",
}
ended = threading.Event()
pixels = numpy.zeros((32, 64), dtype="u1")


def picture(number):
    value = NTNDArray().wrap(pixels)
    value["uniqueId"] = number
    return value


signal.signal(signal.SIGINT, lambda *_: ended.set())
pv = SharedPV(nt=None, initial=picture(0))
with Server(providers=[{"T:Pva1:Image": pv}], conf=conf, useenv=False):
    print(f"pictures... at 127.0.0.1:{port}", file=sys.stderr, flush=True)
    for number in itertools.count(1):
        pv.post(picture(number))
        if ended.wait(0.005):
            break
