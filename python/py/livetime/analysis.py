"""Analyses of recorded runs: the pictures of one detector go to reducers, on all cores, in processes or on a cluster.

The run is cut into blocks and the blocks into leaves, which do not depend on the number of workers. Partial results are
merged in a fixed tree. So every bit of the results is the same for any number of threads, processes and machines.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _livetime
from .errors import AnalysisError
from .corrections import Corrections
from .recording import DetectorLike, Fault, Run, size
from .select import SelectionLike, selected

if TYPE_CHECKING:
    from numpy.typing import NDArray


# ---- The input of reducers ----


@dataclass(frozen=True)
class Panel:
    """A quadrant of a CSPad, a segment of a detector of LCLS-II, or all of a camera."""

    number: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Slowest axis first. Arrays with one axis may have another length at each event."""


@dataclass(frozen=True)
class Layout:
    """Type and shape of the arrays of a detector."""

    panels: tuple[Panel, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements of the first panel."""
        return self.panels[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of `ReducerEvent.array`: with an axis for the panels before their own if there are several."""
        first = self.panels[0]
        return (len(self.panels), *first.shape) if len(self.panels) > 1 else first.shape


class ReducerEvent:
    """The arrays of one detector at one event, as a reducer sees them."""

    __slots__ = ("array", "missing", "number", "time_ns")

    def __init__(self, number: int, time_ns: int, array: Any, missing: Sequence[int]) -> None:
        self.number = number
        """Number of the event in the run, from 0 on."""
        self.time_ns = time_ns
        """When it happened, ns since 1970."""
        self.array = array
        """The pixels, in an array of your own: it may be changed and kept. Panels that are missing are 0. Of panels with
        different shapes a tuple of arrays, `None` for one that is missing."""
        self.missing = tuple(missing)
        """Numbers of panels that are missing at this event."""

    @property
    def time(self) -> np.datetime64:
        """When it happened."""
        return np.datetime64(self.time_ns, "ns")


class Reducer:
    """Makes a result of a run: `partial` begins, `map` takes in an event, `merge` the result of later events.

    `map` and `merge` change their first argument, or return what takes its place. Partial results that come from other
    processes are pickled.

    >>> class Brightest(Reducer):
    ...     def partial(self, layout):
    ...         return 0
    ...     def map(self, brightest, event):
    ...         return max(brightest, int(event.array.max()))
    ...     def merge(self, brightest, later):
    ...         return max(brightest, later)
    """

    any_order: bool = False
    """Whether every order of events gives the same bits, as sums of integers do. Then a worker needs one partial result."""

    def partial(self, layout: Layout, /) -> Any:
        """The result of no event."""
        raise NotImplementedError(f"wanted {type(self).__name__}.partial, found none")

    def map(self, partial: Any, event: ReducerEvent, /) -> Any:
        """Takes in an event."""
        raise NotImplementedError(f"wanted {type(self).__name__}.map, found none")

    def merge(self, partial: Any, later: Any, /) -> Any:
        """Takes in the result of later events."""
        raise NotImplementedError(f"wanted {type(self).__name__}.merge, found none")

    def finish(self, partial: Any, account: AnalysisAccount, /) -> Any:
        """The result; `partial` is `None` if no event could be used."""
        return partial


# ---- Reducers of Rust ----


@dataclass(frozen=True)
class RustReducer:
    """A reducer that runs without Python."""

    described: str
    """How it describes itself, as `hits threshold=3000.0`."""
    results: tuple[str, ...]
    """Names of the results; the first is the main result."""


def Mean() -> RustReducer:
    """Mean of each pixel, `float64`."""
    return RustReducer("pixels mean", ("mean",))


def Std() -> RustReducer:
    """Standard deviation of each pixel, `float64`, as numpy's default."""
    return RustReducer("pixels std", ("std",))


def Min() -> RustReducer:
    """Least value of each pixel, in its own type."""
    return RustReducer("pixels min", ("min",))


def Max() -> RustReducer:
    """Largest value of each pixel, in its own type."""
    return RustReducer("pixels max", ("max",))


def Sum() -> RustReducer:
    """Sum of each pixel: `int64` for integers of up to 32 bits, else `float64`."""
    return RustReducer("pixels sum", ("sum",))


def Projection() -> RustReducer:
    """The mean over rows (`projection-x`) and over columns (`projection-y`), `float64`."""
    return RustReducer("pixels projection", ("projection-x", "projection-y"))


def Histogram(bins: int | None = None, range: tuple[float, float] | None = None) -> RustReducer:
    """How many pixels of all events have which value: a table with `from`, `to` and `count`."""
    text = "histogram"
    if bins is not None:
        text += f" bins={int(bins)}"
    if range is not None:
        text += f" range={_number(range[0])}..{_number(range[1])}"
    return RustReducer(text, ("histogram", "histogram-below", "histogram-above", "histogram-nan"))


def Hits(threshold: float) -> RustReducer:
    """How often each pixel reached a threshold (`hits`), and how many pixels of each event did (`events`)."""
    return RustReducer(f"hits threshold={_number(threshold)}", ("hits", "events"))


def Peaks(
    high: float,
    *,
    low: float | None = None,
    rank: int = 3,
    ring: tuple[float, float] | None = None,
    pixels: tuple[int, int | None] = (1, None),
    snr: float = 0,
) -> RustReducer:
    """Peaks as a table (`peaks`), and how many each event has (`peak-events`).

    A pixel at or above `high` that is the largest within `rank` rows and columns is the top of a peak; connected pixels at or
    above `low` (half of `high`) within that distance belong to it. Background and noise are those of a ring around it, from
    `ring[0]` to `ring[1]` pixels away. `pixels`: how many a peak has, at least and at most. `snr`: least ratio of its sum to
    `noise * sqrt(pixels)`.
    """
    inner, outer = ring or (rank + 1, rank + 3)
    most = "" if pixels[1] is None else str(int(pixels[1]))
    text = f"low={_number(high / 2 if low is None else low)},high={_number(high)},rank={int(rank)},"
    text += f"ring={_number(inner)}..{_number(outer)},pixels={int(pixels[0])}..{most},snr={_number(snr)}"
    return RustReducer(f"peaks {text}", ("peaks", "peak-events"))


def NoiseMask(least: float, most: float) -> RustReducer:
    """Good pixels of a dark run, `uint8`: 1 where the standard deviation is from `least` to `most`."""
    return RustReducer(f"mask noise={_number(least)}..{_number(most)}", ("mask",))


def _number(number: float) -> str:
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


_BY_NAME: dict[str, Callable[[], RustReducer]] = {
    "mean": Mean, "std": Std, "min": Min, "max": Max, "sum": Sum, "projection": Projection, "histogram": Histogram,
}

AnyReducer = Union[Reducer, RustReducer]
Reducers = Union[Mapping[str, AnyReducer], AnyReducer, str]


# ---- Results ----


@dataclass(frozen=True)
class AnalysisAccount:
    """Counts of the events of an analysis by their condition."""

    events: int
    """Events that were wanted."""
    used: int
    """Events whose pictures are in the results."""
    incomplete: int
    """Used events in which a panel was missing."""
    file_bytes: int
    """Bytes read from the files."""
    raw_bytes: int
    """Bytes of the pictures, uncompressed."""
    refused: int = 0
    """Events that `select` refuses."""
    without_value: int = 0
    """Events that lack a value that would decide whether `select` takes them."""
    unjudged: int = 0
    """Events whose small data could not be read for `select`."""
    missing: int = 0
    """Events without the detector."""
    damaged: int = 0
    broken: int = 0
    changed: int = 0
    """Events whose pictures have another type or shape than the pictures before."""
    unreadable: int = 0
    faults: tuple[Fault, ...] = field(default=(), repr=False)
    """The first thousand events that could not be used."""

    @property
    def lost(self) -> int:
        """Events that could not be used, except events at which the detector was not read."""
        return self.damaged + self.broken + self.changed + self.unreadable + self.unjudged


class Found(Mapping[str, Any]):
    """The results of an analysis by name, and counts of its events."""

    def __init__(self, results: dict[str, Any], account: AnalysisAccount, layout: Layout, seconds: float) -> None:
        self._results = results
        self.account = account
        """Counts of the events by their condition."""
        self.layout = layout
        """Type and shape of the arrays."""
        self.seconds = seconds
        """How long it took."""

    def __getitem__(self, name: str) -> Any:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return f"<Found {', '.join(self)}: {self.account.used} of {self.account.events} events used>"

    def _repr_html_(self) -> str:
        from .html import of_found

        return of_found(self)


# ---- The work ----

Progress = Callable[[int, int, int], Any]


def analyze(
    run: Run,
    detector: DetectorLike = "",
    reducers: Reducers = "mean",
    *,
    workers: Any = None,
    executor: Any = None,
    processes: int | None = None,
    start: int = 0,
    stop: int | None = None,
    every: int = 1,
    block_bytes: int | None = None,
    select: SelectionLike | None = None,
    corrections: Corrections | None = None,
    parts: int | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
) -> Found:
    """Gives the arrays of a detector to reducers, and returns what they found.

    - `reducers`: by name, as `{"hits": HitMap(3000), "mean": Mean()}`; one alone; or names as `"mean,std,histogram"`.
    - `workers`: `None` or a number: threads. `"processes"`: as many processes as `processes` says (one for each core), for
      reducers that hold the interpreter. A Dask client, or any executor of `concurrent.futures` (mpi4py, Parsl, executorlib): its
      workers, which must see the files under the same paths.
    - `executor`: another name for `workers`, for programs that have an executor.
    - `start`, `stop`, `every`: which events.
    - `select`: an expression, as `"evr(140) and ebeam.charge > 0.1"`, or a `Selection`: only these events. The others are
      counted in `found.account.refused` and `found.account.without_value`.
    - `corrections`: `Corrections` of the arrays before reducers see them, as `float32`.
    - `parts`: how many parts processes and clusters share out; without it four for each worker.
    - `memory`: what the analysis, or each process of one, may take, as `"8 GiB"`; without it half of what is free. What needs more is
      refused before it begins.
    - `progress`: `True` for a line on stderr, or a function that is called with events done, events in all, and bytes done.

    An exception of a reducer ends the analysis and is raised as it was, with a note where. Ctrl-C ends it too.
    Events that cannot be used are no exception: `found.account` has them.
    """
    named = _named(reducers)
    start, stop = run._counted(start), None if stop is None else run._counted(stop)
    if every < 1:
        raise ValueError(f"every: wanted at least 1, found {every}")
    whole = run.detector(str(detector)).name if str(detector) else run.detector().name
    listed = _listed(named) + ([corrections._listed()] if corrections is not None else [])
    begun = time.monotonic()
    chosen = selected(run._recording, select, start, stop, workers if isinstance(workers, int) else None)
    # A selection of no event is one too.
    judged = None if chosen is None else chosen._selected
    bytes_ = None if memory is None else size(memory)
    wanted = _Wanted(run, whole, listed, start, stop, every, block_bytes, judged, bytes_)
    with _Shown(progress) as tell:
        found = _executor(_one_of(workers, executor), processes)(wanted, parts, tell)
    return _found(named, found, time.monotonic() - begun)


def reduce(
    run: Run,
    detector: DetectorLike,
    map: Callable[[Any], Any],
    merge: Callable[[Any, Any], Any],
    **options: Any,
) -> Any:
    """The short form of `analyze`: `map` makes a value of each array, `merge` one of two. `None` if no event could be used.

    `livetime.reduce(run, "Cspad", lambda image: image.sum(dtype="u8"), np.add)`. Options are those of `analyze`.
    """
    return analyze(run, detector, {"it": _Function(map, merge)}, **options)["it"]


class _Function(Reducer):
    def __init__(self, function: Callable[[Any], Any], merge: Callable[[Any, Any], Any]) -> None:
        self._map, self._merge = function, merge

    def partial(self, layout: Layout) -> list[Any]:
        return []

    def map(self, partial: list[Any], event: ReducerEvent) -> None:
        value = self._map(event.array)
        partial[:] = [self._merge(partial[0], value) if partial else value]

    def merge(self, partial: list[Any], later: list[Any]) -> None:
        partial[:] = [self._merge(partial[0], later[0])] if partial and later else partial or later

    def finish(self, partial: list[Any] | None, account: AnalysisAccount) -> Any:
        return partial[0] if partial else None


@dataclass
class _Wanted:
    """Everything that an executor needs."""

    run: Run
    detector: str
    reducers: list[Any]
    start: int
    stop: int | None
    every: int
    block_bytes: int | None
    select: _livetime.Selected | None
    memory: int | None


class PythonReducer:
    """A reducer as the extension calls it; pickled with it to other processes."""

    def __init__(self, name: str, reducer: Reducer) -> None:
        self.name = name
        self.reducer = reducer
        self.any_order = bool(reducer.any_order)
        kind = type(reducer)
        self.described = f"python {kind.__module__}.{kind.__qualname__} {name} {_digest(reducer)}"

    def partial(self, panels: tuple[Any, ...]) -> Any:
        return self.reducer.partial(_layout(panels))

    def map(self, partial: Any, number: int, time_ns: int, arrays: tuple[Any, Any]) -> Any:
        return self.reducer.map(partial, ReducerEvent(number, time_ns, *arrays))

    def merge(self, partial: Any, later: Any) -> Any:
        return self.reducer.merge(partial, later)

    def save(self, partial: Any) -> bytes:
        return pickle.dumps(partial, protocol=5)

    def load(self, saved: bytes) -> Any:
        return pickle.loads(saved)


def _digest(reducer: Reducer) -> str:
    """Tells reducers of one class with other settings apart; reducers that cannot be pickled stay in this process."""
    try:
        return hashlib.sha256(pickle.dumps(reducer, protocol=5)).hexdigest()[:16]
    except Exception:
        return "local"


def _layout(panels: tuple[Any, ...]) -> Layout:
    return Layout(tuple(Panel(number, dtype, shape) for number, dtype, shape in panels))


def _named(reducers: Reducers) -> dict[str, AnyReducer]:
    if isinstance(reducers, str):
        names = [name.strip() for name in reducers.split(",")]
        unknown = [name for name in names if name not in _BY_NAME]
        if unknown:
            raise AnalysisError(f"wanted names of {', '.join(_BY_NAME)}, found `{unknown[0]}`")
        return {name: _BY_NAME[name]() for name in names}
    if isinstance(reducers, RustReducer):
        return {reducers.results[0]: reducers}
    if isinstance(reducers, Reducer):
        return {type(reducers).__name__.lower(): reducers}
    if not reducers:
        raise AnalysisError("wanted at least one reducer, found none")
    for name, reducer in reducers.items():
        if not isinstance(reducer, (Reducer, RustReducer)):
            raise TypeError(f"`{name}`: wanted a livetime.Reducer, found {reducer!r}")
    return dict(reducers)


def _listed(named: dict[str, AnyReducer]) -> list[Any]:
    """As the extension takes them: statistics of pixels as one reducer, so that pixels are read once."""
    rust = list(dict.fromkeys(r.described for r in named.values() if isinstance(r, RustReducer)))
    pixels = [text.split(" ")[1] for text in rust if text.startswith("pixels ")]
    listed: list[Any] = []
    if pixels:
        order = ["mean", "std", "min", "max", "sum", "projection"]
        listed.append(f"pixels {','.join(name for name in order if name in pixels)}")
    listed += [text for text in rust if not text.startswith("pixels ")]
    for kind in ("histogram", "hits ", "mask ", "peaks "):
        if sum(text.startswith(kind) for text in listed if isinstance(text, str)) > 1:
            raise AnalysisError(f"wanted one reducer `{kind.strip()}`, found several: their results have one name")
    return listed + [PythonReducer(name, r) for name, r in named.items() if isinstance(r, Reducer)]


def _found(named: dict[str, AnyReducer], found: tuple[Any, ...], seconds: float) -> Found:
    rust, python, account, panels = found
    faults = tuple(Fault(*fault) for fault in account.pop("named"))
    refused, without_value, unjudged = account.pop("left_out")
    left_out = {"refused": refused, "without_value": without_value, "unjudged": unjudged}
    whole = AnalysisAccount(**account, **left_out, faults=faults)
    results: dict[str, Any] = {}
    own = iter(python)
    for name, reducer in named.items():
        if isinstance(reducer, Reducer):
            results[name] = reducer.finish(next(own), whole)
        elif reducer.results[0] in rust:
            results[name] = rust.get(reducer.results[0])
    results |= {name: value for name, value in rust.items() if name not in results}
    return Found(results, whole, _layout(panels), seconds)


def _one_of(workers: Any, executor: Any) -> Any:
    if workers is not None and executor is not None:
        raise TypeError("wanted `workers` or `executor`, found both")
    return workers if executor is None else executor


def _executor(workers: Any, processes: int | None) -> Callable[[_Wanted, int | None, Progress | None], tuple[Any, ...]]:
    if workers is None or isinstance(workers, int):
        if processes is not None:
            raise TypeError("wanted `workers=\"processes\"` with `processes`, found a number of threads")
        return lambda wanted, _, tell: _threads(wanted, workers, tell)
    from . import executors

    if workers == "threads":
        return lambda wanted, _, tell: _threads(wanted, None, tell)
    if workers == "processes":
        return lambda wanted, parts, tell: executors.processes(wanted, processes, parts, tell)
    if hasattr(workers, "submit") and hasattr(workers, "scheduler_info"):
        return lambda wanted, parts, tell: executors.dask(wanted, workers, parts, tell)
    if hasattr(workers, "submit") and hasattr(workers, "shutdown"):
        return lambda wanted, parts, tell: executors.executor(wanted, workers, parts, tell)
    raise TypeError(f"workers: wanted a number, \"threads\", \"processes\", a Dask client or an executor, found {workers!r}")


def _threads(wanted: _Wanted, workers: int | None, tell: Progress | None) -> tuple[Any, ...]:
    if workers is not None and workers < 1:
        raise ValueError(f"workers: wanted at least 1, found {workers}")
    return _livetime.analyze(
        wanted.run._recording, wanted.detector, wanted.reducers, workers,
        wanted.start, wanted.stop, wanted.every, wanted.block_bytes, wanted.select, tell, wanted.memory,
    )


class _Shown:
    """A line on stderr, or the caller's function."""

    def __init__(self, progress: bool | Progress) -> None:
        self._progress = progress
        self._last = 0.0

    def __enter__(self) -> Progress | None:
        if self._progress is True:
            return self._line
        return self._progress or None

    def __exit__(self, *_: object) -> None:
        if self._progress is True:
            print(file=sys.stderr)

    def _line(self, done: int, events: int, raw_bytes: int) -> None:
        now = time.monotonic()
        if now - self._last >= 0.1 or done == events:
            self._last = now
            print(f"\r{done} of {events} events, {raw_bytes / 1e6:.0f} MB", end="", file=sys.stderr, flush=True)
