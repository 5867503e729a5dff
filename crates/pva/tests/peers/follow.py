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
channel.subscribe("to", lambda value: show("pvapy", value["value"]))
channel.startMonitor("field(value)")
sys.stdin.read()
