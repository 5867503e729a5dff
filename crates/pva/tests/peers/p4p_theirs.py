"""A server of p4p with one PV, `theirs`, until its input ends."""
import sys

from p4p.nt import NTScalar
from p4p.server import Server
from p4p.server.thread import SharedPV

pv = SharedPV(nt=NTScalar("l"), initial=17)
with Server(providers=[{"theirs": pv}]):
    print("ready", flush=True)
    sys.stdin.read()
