#!/usr/bin/env python3
"""Clients of other implementations against our pvAccess server and against their own.

    cargo build --release -p livetime-pva --example bench_server
    bench/pva_peers/run.py target/release/examples/bench_server --json out.json

The clients and servers of pvxs and pvAccessCPP are programs in C++ (pvxs.cpp, pvaccess.cpp), which build.sh compiles;
those of p4p and pvaPy, which stand on the same libraries, are in Python (python_peers.py). A case is
CHANNELSxELEMENTS, a round of gets of so many channels of so many doubles, or `image`, a monitor of 1024 x 1024 u8.

Client and server are two processes of this machine; the server is ours, or that of the client's own package. Pairs
alternate: ours, theirs, theirs, ours, and so on, each time with a new client. The table says answers (updates) per
second: median and, in brackets, smallest and largest of the repeats; and the same of the ratios of the pairs. Rows that
the file of `--json` holds already are kept, unless they are measured anew. Run by hand, on a machine that does nothing
else. All of it stays on loopback.
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

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["1x1", "1000x1", "10000x1", "1000x1000", "1x100000", "1x1000000", "image"]
CLIENTS = {"pvxs": "pvxs", "pvaccess": "pvAccessCPP", "p4p": "p4p (pvxs)", "pvapy": "pvaPy (pvAccessCPP)"}
COMPILED = ["pvxs", "pvaccess"]


def environment(port):
    names = ["EPICS_PVA_BROADCAST_PORT", "EPICS_PVAS_BROADCAST_PORT"]
    return os.environ | {name: str(port) for name in names} | {
        "EPICS_PVA_ADDR_LIST": "127.0.0.1", "EPICS_PVA_AUTO_ADDR_LIST": "NO",
        "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1", "EPICS_PVAS_SERVER_PORT": "0", "EPICS_PVA_SERVER_PORT": "0",
        "EPICS_PVAS_BEACON_ADDR_LIST": "127.0.0.1", "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO",
        "EPICS_PVA_MAX_ARRAY_BYTES": "100000000",
    }


def output_of(script):
    return subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def commands(clients):
    """How each of `clients` is called."""
    folder = output_of(HERE / "build.sh") if set(clients) & set(COMPILED) else ""
    python = output_of(HERE / "../../tools/peers.sh")
    script = str(HERE / "python_peers.py")
    return {name: [f"{folder}/{name}"] if name in COMPILED else [python, script, name] for name in clients}


class Serving:
    """A server, in a process of its own."""

    def __init__(self, command):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(self.port) if word == "PORT" else word for word in command]
        self.process = subprocess.Popen(command, env=environment(self.port), text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        # Some say more than that.
        assert any(line == "ready\n" for line in self.process.stdout), command

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert any(line == "ok\n" for line in self.process.stdout), f"the server ended: {self.process.poll()}"

    def measure(self, client, case, seconds):
        """Answers per second to `client`."""
        if case == "image":
            self.tell("images")
        command = [*client, "client", case, str(seconds)]
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


def compare(ours, theirs, client, case, args):
    """A row of the result."""
    pairs = []
    for repeat in range(args.repeats):
        order = [ours, theirs] if repeat % 2 == 0 else [theirs, ours]
        rates = {server: server.measure(client, case, args.seconds) for server in order}
        pairs.append((rates[ours], rates[theirs]))
    our, their = [a for a, _ in pairs], [b for _, b in pairs]
    ratios = sorted(a / b for a, b in pairs)
    return {"case": case, "ours_per_s": our, "theirs_per_s": their,
            "ours_median": statistics.median(our), "theirs_median": statistics.median(their),
            "ratio_median": statistics.median(ratios), "ratio_min": ratios[0], "ratio_max": ratios[-1],
            "repeats": args.repeats, "seconds": args.seconds}


def tell(row):
    print(f"| {CLIENTS[row['client']]} | {row['case']} | {spread(row['ours_per_s'])} | {spread(row['theirs_per_s'])} | "
          f"{row['ratio_median']:.2f} ({row['ratio_min']:.2f} to {row['ratio_max']:.2f}) |", flush=True)


def write(path, new):
    """Writes `new` rows, and those others that are there already, in the order of clients and cases."""
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    place = lambda row: (list(CLIENTS).index(row["client"]), CASES.index(row["case"]))
    rows = sorted({place(row): row for row in old + new}.items())
    machine = {"cpus": os.cpu_count(), "arch": platform.machine(), "kernel": platform.release()}
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    result = {"bench": "pva-peers", "commit": commit, "machine": machine, "rows": [row for _, row in rows]}
    path.write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="the program bench_server")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=CASES, help="cases")
    parser.add_argument("--clients", nargs="*", default=list(CLIENTS))
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    programs = commands(args.clients)
    print("| client | what | our server, per s | its own server, per s | ratio of pairs |\n|---|---|--:|--:|--:|")
    for client, program in programs.items():
        ours, theirs = Serving([args.server, "PORT"]), Serving([*program, "server"])
        for case in args.only:
            row = {"client": client} | compare(ours, theirs, program, case, args)
            tell(row)
            if args.json:
                write(args.json, [row])
        ours.end()
        theirs.end()


main()
