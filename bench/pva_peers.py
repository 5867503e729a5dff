#!/usr/bin/env python3
"""Clients of other implementations against our pvAccess server and against their own.

    cargo build --release -p livetime-pva --example bench_server
    $(tools/peers.sh) bench/pva_peers.py target/release/examples/bench_server --json out.json

p4p (pvxs) and pvaPy (pvAccessCPP) read one double, 1000 of them, and arrays, and watch images of 1024 x 1024 u8; the
server is in another process of the same machine: ours, or the Python server of the same package. Pairs alternate:
ours, theirs, theirs, ours, and so on. The table says answers (channels, updates) per second: median and, in brackets,
smallest and largest of the repeats, and the median of the ratios of the pairs. Run by hand, on a machine that does
nothing else. All of it stays on loopback.
"""
import argparse
import json
import os
import pathlib
import platform
import socket
import statistics
import subprocess
import sys
import threading
import time

CASES = ["one", "many", "array:100000", "array:1000000", "image"]
CLIENTS = {"p4p": "p4p (pvxs)", "pvapy": "pvaPy (pvAccessCPP)"}
MANY = [f"many:{number}" for number in range(1000)]
PIXELS = 1024 * 1024
KEPT = []


def environment(port):
    names = ["EPICS_PVA_BROADCAST_PORT", "EPICS_PVAS_BROADCAST_PORT"]
    return os.environ | {name: str(port) for name in names} | {
        "EPICS_PVA_ADDR_LIST": "127.0.0.1", "EPICS_PVA_AUTO_ADDR_LIST": "NO",
        "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1", "EPICS_PVAS_SERVER_PORT": "0", "EPICS_PVA_SERVER_PORT": "0",
        "EPICS_PVAS_BEACON_ADDR_LIST": "127.0.0.1", "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO",
    }


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
    for name in MANY + ["one"]:
        provider.add(name, SharedPV(nt=NTScalar("d"), initial=0.0))
    for count in [100_000, 1_000_000]:
        provider.add(f"array:{count}", SharedPV(nt=NTScalar("ad"), initial=numpy.ones(count)))
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
    for name in MANY + ["one"]:
        server.addRecord(name, pva.PvObject({"value": pva.DOUBLE}, {"value": 0.0}), None)
    for count in [100_000, 1_000_000]:
        array = pva.PvObject({"value": [pva.DOUBLE]}, {"value": numpy.ones(count)})
        server.addRecord(f"array:{count}", array, None)
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
        names = MANY if case == "many" else case
        requests = ["field(value)"] * len(MANY) if case == "many" else "field(value)"
        return rate(lambda: context.get(names, request=requests, timeout=20), len(MANY) if case == "many" else 1, seconds)


def measure_pvapy(case, seconds):
    import pvaccess as pva
    if case == "many":
        many = pva.MultiChannel(MANY)
        # Not getAsDoubleArray, which crashes pvaPy 5.6.0 with whatever server.
        return rate(lambda: many.get("field(value)"), len(MANY), seconds)
    channel = pva.Channel(case)
    if case != "image":
        return rate(lambda: channel.get("field(value)"), 1, seconds)
    counter = [0]

    def count(_):
        counter[0] += 1

    channel.monitor(count, "field()")
    # To stop it or to let it go now and then ends pvaPy 5.6.0 with a fatal error.
    KEPT.append(channel)
    return rate_of(counter, seconds)


# ---- who measures

class Serving:
    def __init__(self, command):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(self.port) if word == "PORT" else word for word in command]
        self.process = subprocess.Popen(command, env=environment(self.port), text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "ready\n", command

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n", f"the server ended: {self.process.poll()}"

    def measure(self, client, case, seconds):
        if case == "image":
            self.tell("images")
        command = [sys.executable, __file__, "--measure", client, case, str(seconds)]
        done = subprocess.run(command, env=environment(self.port), text=True, capture_output=True, timeout=120)
        if case == "image":
            self.tell("quiet")
        if done.returncode:
            sys.exit(f"{client} {case}: {done.returncode} {done.stderr}")
        return float(done.stdout.split()[-1])

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


def spread(numbers):
    return f"{statistics.median(numbers):,.0f} ({min(numbers):,.0f} to {max(numbers):,.0f})"


def compare(ours, theirs, client, case, repeats, seconds):
    pairs = []
    for repeat in range(repeats):
        order = [ours, theirs] if repeat % 2 == 0 else [theirs, ours]
        rates = {server: server.measure(client, case, seconds) for server in order}
        pairs.append((rates[ours], rates[theirs]))
    our, their = [a for a, _ in pairs], [b for _, b in pairs]
    ratios = sorted(a / b for a, b in pairs)
    row = {"client": client, "case": case, "ours_per_s": our, "theirs_per_s": their,
           "ours_median": statistics.median(our), "theirs_median": statistics.median(their),
           "ratio_median": statistics.median(ratios), "ratio_min": ratios[0], "ratio_max": ratios[-1]}
    print(f"| {CLIENTS[client]} | {case} | {spread(our)} | {spread(their)} | {row['ratio_median']:.2f} "
          f"({ratios[0]:.2f} to {ratios[-1]:.2f}) |", flush=True)
    return row


def write(args, rows):
    machine = {"cpus": os.cpu_count(), "arch": platform.machine(), "kernel": platform.release()}
    settings = {"repeats": args.repeats, "seconds": args.seconds}
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    result = {"bench": "pva-peers", "commit": commit, "machine": machine, "settings": settings, "rows": rows}
    args.json.write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="the program bench_server")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=CASES)
    parser.add_argument("--clients", nargs="*", default=list(CLIENTS))
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    print("| client | what | our server, per s | its own server, per s | ratio of pairs |\n|---|---|--:|--:|--:|")
    rows = []
    for client in args.clients:
        ours = Serving([args.server, "PORT"])
        theirs = Serving([sys.executable, __file__, "--serve", client])
        for case in args.only:
            rows.append(compare(ours, theirs, client, case, args.repeats, args.seconds))
            if args.json:
                write(args, rows)
        ours.end()
        theirs.end()


if sys.argv[1:2] == ["--serve"]:
    {"p4p": serve_p4p, "pvapy": serve_pvapy}[sys.argv[2]]()
    # Threads that post would keep it.
    os._exit(0)
elif sys.argv[1:2] == ["--measure"]:
    value = {"p4p": measure_p4p, "pvapy": measure_pvapy}[sys.argv[2]](sys.argv[3], float(sys.argv[4]))
    print(value, flush=True)
    os._exit(0)
else:
    main()
