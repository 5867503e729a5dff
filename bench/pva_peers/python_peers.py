"""Servers and clients of p4p and pvaPy, for run.py: `NAME server`, or `NAME client CASE SECONDS`."""
import os
import sys
import threading
import time

# How many channels of so many doubles are served.
SERVED = {1: 10_000, 1000: 1000, 100_000: 1, 1_000_000: 1}
PIXELS = 1024 * 1024
KEPT = []


def names(elements):
    return [f"{elements}:{number}" for number in range(SERVED[elements])]


# ---- their servers

def obey(post):
    """Posts images between the lines `images` and `quiet`."""
    posting = threading.Event()

    def loop():
        number = 0
        while posting.wait():
            number += 1
            post(number)

    threading.Thread(target=loop, daemon=True).start()
    print("ready", flush=True)
    for line in sys.stdin:
        posting.set() if line == "images\n" else posting.clear()
        print("ok", flush=True)


def serve_p4p():
    import numpy
    from p4p.nt import NTNDArray, NTScalar
    from p4p.server import Server, StaticProvider
    from p4p.server.thread import SharedPV
    provider = StaticProvider("bench")
    for elements in SERVED:
        for name in names(elements):
            single = elements == 1
            initial = 0.0 if single else numpy.ones(elements)
            provider.add(name, SharedPV(nt=NTScalar("d" if single else "ad"), initial=initial))
    image = NTNDArray().wrap(numpy.ones((1024, 1024), dtype="u1"))
    pv = SharedPV(initial=image)
    provider.add("image", pv)

    def post(number):
        image.uniqueId = number
        pv.post(image)

    with Server(providers=[provider]):
        obey(post)


def serve_pvapy():
    import numpy
    import pvaccess as pva
    server = pva.PvaServer()
    for elements in SERVED:
        for name in names(elements):
            one, many = ({"value": pva.DOUBLE}, {"value": 0.0}), ({"value": [pva.DOUBLE]}, {"value": numpy.ones(elements)})
            server.addRecord(name, pva.PvObject(*(one if elements == 1 else many)), None)
    # Several: one that is changed while it is sent crashes the server, and the same pixels are not sent again.
    images = []
    for number in range(16):
        image = pva.NtNdArray()
        image["uniqueId"] = number
        image["value"] = {"ubyteValue": numpy.full(PIXELS, number, dtype="u1")}
        images.append(image)
    server.addRecord("image", pva.NtNdArray(), None)

    def post(number):
        server.update("image", images[number % len(images)])

    obey(post)


# ---- their clients

def rate(act, per, seconds):
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        act()
    begin, count = time.perf_counter(), 0
    while time.perf_counter() < begin + seconds:
        act()
        count += per
    return count / (time.perf_counter() - begin)


def rate_of(counter, seconds):
    end = time.perf_counter() + 10
    while counter[0] < 10 and time.perf_counter() < end:
        time.sleep(0.01)
    begin, first = time.perf_counter(), counter[0]
    time.sleep(seconds)
    return (counter[0] - first) / (time.perf_counter() - begin)


def measure_p4p(case, seconds):
    from p4p.client.thread import Context
    with Context("pva", nt=False) as context:
        if case == "image":
            counter = [0]

            def count(_):
                counter[0] += 1

            subscription = context.monitor("image", count)
            result = rate_of(counter, seconds)
            subscription.close()
            return result
        channels, elements = map(int, case.split("x"))
        if channels == 1:
            name = names(elements)[0]
            return rate(lambda: context.get(name, request="field(value)", timeout=20), 1, seconds)
        many = names(elements)[:channels]
        requests = ["field(value)"] * channels
        return rate(lambda: context.get(many, request=requests, timeout=20), channels, seconds)


def measure_pvapy(case, seconds):
    import pvaccess as pva
    if case != "image":
        channels, elements = map(int, case.split("x"))
        if channels > 1:
            many = pva.MultiChannel(names(elements)[:channels])
            # Not getAsDoubleArray, which crashes pvaPy 5.6.0 with whatever server.
            return rate(lambda: many.get("field(value)"), channels, seconds)
        channel = pva.Channel(names(elements)[0])
        return rate(lambda: channel.get("field(value)"), 1, seconds)
    channel = pva.Channel("image")
    counter = [0]

    def count(_):
        counter[0] += 1

    channel.monitor(count, "field()")
    # To stop it or to let it go now and then ends pvaPy 5.6.0 with a fatal error.
    KEPT.append(channel)
    return rate_of(counter, seconds)


if sys.argv[2] == "server":
    {"p4p": serve_p4p, "pvapy": serve_pvapy}[sys.argv[1]]()
else:
    print({"p4p": measure_p4p, "pvapy": measure_pvapy}[sys.argv[1]](sys.argv[3], float(sys.argv[4])), flush=True)
# Threads that post would keep it.
os._exit(0)
