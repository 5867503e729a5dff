"""Watches a PV with both clients and prints what comes, for a server that comes and goes."""
import sys
import threading
import time

import pvaccess as pva
from p4p.client.thread import Context

lock = threading.Lock()


def show(who, value):
    with lock:
        print(who, value, flush=True)


context = Context("pva", nt=False)
subscription = context.monitor(sys.argv[1], lambda value: show("p4p", value.value))
channel = pva.Channel(sys.argv[1])
# Kept: pvaPy drops its references on a thread of its own, without Python's lock.
callback = lambda value: show("pvapy", value["value"])
channel.subscribe("to", callback)
channel.startMonitor("field(value)")
sys.stdin.read()
