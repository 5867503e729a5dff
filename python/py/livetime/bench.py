"""Measures the package beside numpy, h5py and other libraries on the same tasks: `livetime bench python`.

A row with a peer is measured in pairs, ours and the peer's in turn in the same process, on the same data; its ratio is the median of those
of the pairs. Peers that are not installed are left out, and named. Rates of loops and of nodes are of wall time, with all threads.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _livetime, bench_peers, codecs
from .analysis import Layout, Mean, Reducer, ReducerEvent, analyze
from .graph import Graph
from .node import Array, node, source
from .recording import open as open_run
from .testing import write_run

Picture = NDArray[Any]
Measure = Callable[[], float]
Row = dict[str, Any]
PEERS = ("h5py", "hdf5plugin", "imagecodecs", "libertem", "numcodecs", "psana", "pvapy")
LARGE, SMALL = (1024, 512), (20, 20)


def spread(values: list[float]) -> Row:
    """Median, least and most."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def paired(name: str, unit: str, ours: Measure, repeats: int, peer: tuple[str, Measure] | None = None) -> Row:
    """A row: each side once to warm up, then in turn."""
    ours()
    row: Row = {"name": name, "unit": unit, "repeats": repeats}
    if peer is None:
        row |= spread([ours() for _ in range(repeats)])
    else:
        peer[1]()
        pairs = [(ours(), peer[1]()) for _ in range(repeats)]
        row |= spread([own for own, _ in pairs])
        row["peer"] = {"name": peer[0]} | spread([other for _, other in pairs])
        row["ratio"] = statistics.median(own / other for own, other in pairs)
    beside = f", {row['peer']['median']:.4g} by {peer[0]}: x {row['ratio']:.2f}" if peer else ""
    print(f"{name}: {row['median']:.4g} {unit}{beside}", file=sys.stderr)
    return row


def timed(count: int, work: Callable[[], object]) -> float:
    """How often something is done in a second."""
    begun = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - begun)


def rate(items: Iterator[Any], work: Callable[[Any], object]) -> float:
    """How many items come in a second."""
    begun, count = time.perf_counter(), 0
    for item in items:
        work(item)
        count += 1
    return count / (time.perf_counter() - begun)


def steady_hz(items: Iterator[Any]) -> float:
    """Items per second after the first one: some programs take a part of a second to start."""
    next(items)
    return rate(items, id)


def loop_hz(path: str, ahead: int, work: Callable[[Picture], object] = id) -> float:
    """Events a second of `run.events`, opening the run included."""
    begun, count = time.perf_counter(), 0
    for event in open_run(path).events("", ahead=ahead):
        work(event.array)
        count += 1
    return count / (time.perf_counter() - begun)


def arrays_of(path: str, ahead: int) -> Iterator[Picture]:
    """The arrays of `run.events`."""
    for event in open_run(path).events("", ahead=ahead):
        yield event.array


def plain(path: str, shape: tuple[int, int], header: int = 0) -> Iterator[Picture]:
    """The pictures of a file, each read into an array of its own, with `header` bytes before each."""
    size = shape[0] * shape[1]
    with open(path, "rb") as file:
        file.seek(header)
        while (picture := np.fromfile(file, np.uint16, size)).size == size:
            yield picture.reshape(shape)
            if header:
                file.seek(header, os.SEEK_CUR)


def by_h5py(path: str) -> Iterator[Picture]:
    """The rows of a data set by h5py."""
    import h5py

    with h5py.File(path, "r") as file:
        data = file["data"]
        for number in range(len(data)):
            yield data[number]


class NumpySum(Reducer):
    """A sum by numpy."""

    any_order = True

    def partial(self, layout: Layout) -> NDArray[Any]:
        return np.zeros(layout.shape, np.uint32)

    def map(self, partial: NDArray[Any], event: ReducerEvent) -> None:
        np.add(partial, event.array, out=partial)

    def merge(self, partial: NDArray[Any], later: NDArray[Any]) -> None:
        partial += later


def mean_hz(path: str, reducer: Any, workers: int) -> float:
    """Events a second of `analyze`."""
    found = analyze(open_run(path), "", {"it": reducer}, workers=workers)
    return float(found.account.used / found.seconds)


def cpu_hz(events: int, work: Callable[[], object]) -> float:
    """How many events are done in a second of processor time of all threads."""
    begun = time.process_time()
    work()
    return events / (time.process_time() - begun)


def mean_cpu_hz(path: str, events: int) -> float:
    """Events of a mean in a second of processor time, opening the run included."""
    return cpu_hz(events, lambda: analyze(open_run(path), "", {"it": Mean()}, workers=1))


def added_cpu_hz(arrays: Iterator[Picture], events: int) -> float:
    """Events that come and are added by numpy in a second of processor time, from the second event on."""
    total = next(arrays).astype(np.uint32)

    def add_all() -> None:
        for array in arrays:
            np.add(total, array, out=total)

    return cpu_hz(events - 1, add_all)


def numpy_mean_hz(path: str, shape: tuple[int, int]) -> float:
    """The mean of a file of pixels by numpy."""
    total = np.zeros(shape, np.uint32)

    def add(picture: Picture) -> None:
        np.add(total, picture, out=total)

    return rate(plain(path, shape), add)


@node
def nothing(image: Array) -> None:
    """Does nothing."""
    return None


def node_hz(shape: tuple[int, int], frames: int) -> float:
    """Frames a second of a source that sends the same pixels again and again, and a function that does nothing behind it."""
    frame = _livetime.Frame.of(np.zeros(shape, np.uint8))

    @source
    def same(*, count: int = 1) -> Iterator[_livetime.Frame]:
        for _ in range(count):
            yield frame

    graph = Graph()
    graph.add("cam", same(count=frames))
    graph.add("node", nothing, from_="cam", when_full="block")
    begun = time.perf_counter()
    report = graph.run()
    assert report.losses == 0 and report.is_closed
    return frames / (time.perf_counter() - begun)


class Bench:
    """All measurements, in the order in which they are printed."""

    def __init__(self, folder: str, quick: bool, name: str) -> None:
        self.folder, self.filter = folder, name
        self.repeats, self.events = (1, 20) if quick else (7, 400)
        self.frames = 200 if quick else 30_000
        rng = np.random.default_rng(1)
        self.pictures = [rng.normal(1000, 20, LARGE).astype(np.uint16) for _ in range(8)]
        self.rows: list[Row] = []
        self.left_out: list[str] = []

    def add(self, name: str, unit: str, ours: Measure, peer: tuple[str, Measure] | None = None) -> None:
        """Measures a row if it is wanted."""
        if self.filter in name:
            self.rows.append(paired(name, unit, ours, self.repeats, peer))

    def has(self, *modules: str) -> bool:
        """Whether all modules of a peer are installed."""
        missing = [module for module in modules if find_spec(module) is None]
        for module in missing:
            if module not in self.left_out:
                print(f"left out: {module} is not installed", file=sys.stderr)
                self.left_out.append(module)
        return not missing

    def all(self) -> None:
        """All groups; each removes its files, which may lie in memory."""
        for group in (arrays, events, small_events, lcls2, hdf5, nodes, streams):
            group(self)


def arrays(bench: Bench) -> None:
    """The time to make an array without a copy."""
    frame = _livetime.Frame.of(np.zeros(LARGE, np.uint16))
    bench.add("array of a frame", "1/s", lambda: timed(20_000, lambda: frame.array))


def events(bench: Bench) -> None:
    """The loop and the mean over events of 1 MiB, beside a file of bare pixels."""
    path = write_run(bench.folder, [bench.pictures[i % 8] for i in range(bench.events)])
    raw = f"{bench.folder}/raw"
    with open(raw, "wb") as file:
        file.writelines(bench.pictures[i % 8].tobytes() for i in range(bench.events))
    # The same bytes of the same file, read by a program that has their places.
    header = os.path.getsize(path) // bench.events - LARGE[0] * LARGE[1] * 2
    peer = ("numpy.fromfile of the same file", lambda: rate(plain(path, LARGE, header), id))
    for ahead in (0, 1, 2):
        bench.add(f"loop, 1 MiB events, ahead {ahead}", "events/s", lambda a=ahead: loop_hz(path, a), peer)  # type: ignore[misc]
    # In a file of bare pixels they lie at full pages, which the system copies faster.
    peer = ("numpy.fromfile", lambda: rate(plain(raw, LARGE), id))
    bench.add("loop, 1 MiB events, ahead 0, beside pixels alone", "events/s", lambda: loop_hz(path, 0), peer)
    peer = ("numpy.fromfile", lambda: rate(plain(raw, LARGE), np.sum))
    bench.add("loop with numpy.sum, 1 MiB events, ahead 1", "events/s", lambda: loop_hz(path, 1, np.sum), peer)
    peer = ("numpy.fromfile and numpy.add", lambda: numpy_mean_hz(raw, LARGE))
    for workers in (1, 2):
        bench.add(f"mean, 1 MiB events, {workers} threads", "events/s", lambda w=workers: mean_hz(path, Mean(), w), peer)  # type: ignore[misc]
    bench.add("numpy sum as a reducer, 1 MiB events, 1 thread", "events/s", lambda: mean_hz(path, NumpySum(), 1), peer)
    os.remove(path)
    os.remove(raw)


def small_events(bench: Bench) -> None:
    """Events of 850 bytes."""
    picture = bench.pictures[0][: SMALL[0], : SMALL[1]]
    count = 40 * bench.events
    path = write_run(bench.folder, [picture] * count, name="e2-r0001-s00-c00.xtc")
    run = open_run(path)
    for name, ahead in (("", 0), (", ahead 1", 1)):
        bench.add(f"loop, 850 B events{name}", "events/s",
                  lambda a=ahead: rate(run.events("", ahead=a), lambda event: event.array))  # type: ignore[misc]
    os.remove(path)


def lcls2(bench: Bench) -> None:
    """A run of LCLS-II, and psana in one process on the same file; both from the first event on."""
    if not bench.has("psana"):
        return
    path = f"{bench.folder}/e3-r0001-s000-c000.xtc2"
    bench_peers.write_lcls2(path, (bench.pictures[i % 8] for i in range(bench.events)), *LARGE)
    peer = ("psana", lambda: steady_hz(bench_peers.psana_arrays(path)))
    for ahead in (0, 1, 2):
        bench.add(f"loop, XTC2, 1 MiB events, ahead {ahead}", "events/s", lambda a=ahead: steady_hz(arrays_of(path, a)), peer)  # type: ignore[misc]
    peer = ("psana and numpy.add", lambda: added_cpu_hz(bench_peers.psana_arrays(path), bench.events))
    bench.add("mean, XTC2, 1 MiB events, processor time", "events per s of processor",
              lambda: mean_cpu_hz(path, bench.events), peer)
    os.remove(path)
    count = 40 * bench.events
    picture = bench.pictures[0][: SMALL[0], : SMALL[1]]
    bench_peers.write_lcls2(path, (picture for _ in range(count)), *SMALL)
    peer = ("psana", lambda: steady_hz(bench_peers.psana_arrays(path)))
    for name, threads in (("", 0), (", ahead 1", 1)):
        bench.add(f"loop, XTC2, 850 B events{name}", "events/s", lambda a=threads: steady_hz(arrays_of(path, a)), peer)  # type: ignore[misc]
    os.remove(path)


def hdf5(bench: Bench) -> None:
    """The same HDF5 file by `livetime.open` and by h5py: raw, and with bitshuffle and LZ4."""
    if not bench.has("h5py"):
        return
    import h5py

    filters: list[tuple[str, dict[str, Any]]] = [("raw", {})]
    if bench.has("hdf5plugin"):
        import hdf5plugin

        filters.append(("bslz4", dict(hdf5plugin.Bitshuffle())))
    for name, how in filters:
        path = f"{bench.folder}/{name}.h5"
        with h5py.File(path, "w") as file:
            data = file.create_dataset("data", (bench.events, *LARGE), np.uint16, chunks=(1, *LARGE), **how)
            for number in range(bench.events):
                data[number] = bench.pictures[number % 8]
        peer = ("h5py", lambda p=path: rate(by_h5py(p), id))
        for ahead in (0, 1, 2):
            bench.add(f"loop, HDF5 {name}, 1 MiB events, ahead {ahead}", "events/s", lambda p=path, a=ahead: loop_hz(p, a), peer)  # type: ignore[misc]
        os.remove(path)


def nodes(bench: Bench) -> None:
    """An empty function of Python in a running graph, behind a source of Python. Pixels are not written."""
    peers: list[tuple[str, Callable[[tuple[int, int], int], float]]] = []
    if bench.has("libertem"):
        peers.append(("LiberTEM, inline", bench_peers.libertem_hz))
    if bench.has("pvapy"):
        peers.append(("pvaPy's AdImageProcessor, called directly", bench_peers.pvapy_hz))
    for side in (128, 1024):
        name = f"empty node, {side} x {side} u8"
        bench.add(name, "frames/s", lambda s=side: node_hz((s, s), bench.frames))  # type: ignore[misc]
        for other, hz in peers:
            bench.add(f"{name}, beside {other.split(',')[0]}", "frames/s", lambda s=side: node_hz((s, s), bench.frames),  # type: ignore[misc]
                      (other, lambda s=side, hz=hz: hz((s, s), bench.frames)))  # type: ignore[misc]


def streams(bench: Bench) -> None:
    """Codecs as functions on an array of 1 MiB, beside the libraries that others use from Python."""
    image = bench.pictures[0]
    peers: list[tuple[str, dict[str, bench_peers.CodecPeer]]] = []
    if bench.has("numcodecs"):
        peers.append(("numcodecs", bench_peers.numcodecs_of(image)))
    if bench.has("imagecodecs"):
        peers.append(("imagecodecs", bench_peers.imagecodecs_of(image)))
    for name in ("blockpack", "bslz4", "blosc", "lz4", "zstd", "zlib"):
        stream = codecs.encode(image, name)
        count = 2 if name == "zlib" else 20
        size = image.nbytes / 1e6

        def mb_s(work: Callable[[], object], count: int = count) -> float:
            return timed(count, work) * size

        ours: list[tuple[str, Callable[[], object]]] = [
            ("encode", lambda n=name: codecs.encode(image, n)),  # type: ignore[misc]
            ("decode", lambda n=name, s=stream: codecs.decode(s, n, image.dtype, image.shape)),  # type: ignore[misc]
        ]
        known = [(other, peer[name]) for other, peer in peers if name in peer]
        for side, (what, own) in enumerate(ours):
            row = f"{what} {name}, 1 MiB u16"
            if not known:
                bench.add(row, "MB/s", lambda o=own: mb_s(o))  # type: ignore[misc]
            for other, both in known:
                beside = "" if other == "numcodecs" else f", beside {other}"
                bench.add(row + beside, "MB/s", lambda o=own: mb_s(o), (other, lambda t=both[side]: mb_s(t)))  # type: ignore[misc]


def machine() -> Row:
    """The machine and the versions of the measurement."""
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").open() if line.startswith("model name")), "?")
    versions = {name: version(name) for name in PEERS if find_spec(name)}
    return {
        "cpu": cpu, "cores": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__,
        "peers": versions, "load": os.getloadavg()[0],
    }


def main(arguments: list[str] | None = None) -> int:
    """Measures, and prints a table, or JSON with `--json`."""
    parser = argparse.ArgumentParser(prog="livetime bench python", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON on stdout")
    parser.add_argument("--quick", action="store_true", help="each once, on little data: shows that it works, not how fast it is")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only the rows whose name contains this text")
    given = parser.parse_args(arguments)
    # The package does not know its commit; `livetime bench python` says its own.
    commit = os.environ.get("LIVETIME_COMMIT", "unknown")
    found = {"bench": "python", "commit": commit, "machine": machine(), "quick": given.quick}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        bench = Bench(folder, given.quick, given.filter)
        bench.all()
    found |= {"rows": bench.rows, "left_out": bench.left_out}
    if given.json:
        print(json.dumps(found, indent=1))
        return 0
    for row in bench.rows:
        beside = f"  x {row['ratio']:.2f} of {row['peer']['name']}" if "ratio" in row else ""
        print(f"{row['name']:48} {row['median']:12.4g} {row['unit']}{beside}")
    print(f"peers that are not installed: {', '.join(bench.left_out)}" if bench.left_out else "", end="")
    return 0
