"""Graphs of nodes: from a pipeline file or built here, and how they run."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import sys
import time
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from . import _livetime
from .errors import Error, GraphError, LossError, NodeFailed
from .node import Declaration, FunctionNode, Node, Use
from .nodes import NodeUse
from .recording import size

# Python handles Ctrl-C only between calls into Rust, so a wait is cut into pieces too short to be noticed.
_LOOK_S = 0.05
# Nodes may need seconds to write out what is queued.
_END_S = 10.0
_LAST_S = 2.0


@dataclass(frozen=True)
class Epics:
    """How a run is served over pvAccess. An empty field is taken from the pipeline file, then from the environment
    (`EPICS_PVAS_...`)."""

    prefix: str | None = None
    """The names of all PVs begin with it; without one, the first of `13SIM1:`, `LIVETIME1:` and so on that no other server has."""
    interfaces: tuple[str, ...] | list[str] = ()
    """`"local"` (this machine, the default), `"any"`, addresses, groups."""
    writers: tuple[str, ...] | list[str] = ()
    """Clients that may write: `"local"` (the default), `"any"`, addresses, networks, `"user@"` one of these."""
    port: int | None = None
    """Where clients connect; 0: any that is free."""
    search_port: int | None = None
    """Where searches are heard; 0: nowhere."""


@dataclass(frozen=True)
class Web:
    """How the page of a run is served. An empty field is taken from the pipeline file; else the port is 8090 of this
    machine or the next free one."""

    address: str | None = None
    """`"8090"`, `"0.0.0.0:8090"`; port 0: any that is free."""
    hosts: tuple[str, ...] | list[str] = ()
    """Names besides this machine's own by which clients may call it."""
    is_open: bool = False
    """Whether all holders of the token may change the run without taking control first."""
    token: str | None = None
    """Its holders may change the run: at least 16 letters and digits. Without it each run makes a new one."""


@dataclass(frozen=True)
class Page:
    """The page of a run."""

    url: str
    """Address of the page; `metrics` below it is for Prometheus, `api/v1` for programs."""
    link: str
    """The address with the token. Anyone with this link may change the run."""

    def _repr_html_(self) -> str:
        return f'<a href="{self.link}" target="_blank">{self.url}</a>'


@dataclass(frozen=True)
class Served:
    """Where a run is served over pvAccess."""

    prefix: str
    address: str | None
    """Where clients connect, as `127.0.0.1:5075`."""
    pvs: int
    """How many PVs there are."""


class Graph:
    """Nodes and edges.

    >>> import livetime
    >>> graph = livetime.Graph()
    >>> graph.add("cam", "sim_detector", acquire_period="1 ms")
    'cam'
    >>> graph.add("stats", "statistics", from_="cam", when_full="block")
    'stats'
    >>> report = graph.run(max_frames=10)
    >>> report.nodes["stats"]["completed"]
    10
    """

    def __init__(
        self,
        pipeline: str | os.PathLike[str] | None = None,
        *,
        nodes: tuple[Any, ...] | list[Any] = (),
        set: Mapping[str, Any] | None = None,
        memory: int | str | None = None,
        imports: bool = False,
    ) -> None:
        """`pipeline`: the path of a pipeline file, or its text if it has several lines; without it an empty graph. `nodes`: nodes of
        Python that the file may name as types. `set`: parameters, as `{"cam.gain": 2}`. `memory`: the bound of the frame pool. `imports`:
        whether the file may name nodes of Python as `module:name`; to look them up runs the code of the module."""
        types = [_declaration(found).node_type for found in nodes]
        settings = []
        for name, value in (set or {}).items():
            node, dot, param = name.partition(".")
            if not dot:
                raise ValueError(f"set: wanted node.parameter, found {name!r}")
            settings.append((node, param, str(value)))
        name, text = _text(pipeline)
        if text is not None and imports:
            types += [imported(found).node_type for found in _livetime.type_names(text) if ":" in found]
        self._graph = _livetime.Graph(name, text, types, settings, None if memory is None else size(memory))

    def add(
        self,
        name: str,
        node: Any,
        /,
        *,
        from_: str | list[str] | None = None,
        when_full: str = "drop_newest",
        queue: int = 20,
        every: int = 1,
        max_rate: float | None = None,
        placement: str = "own",
        on_error: str | None = None,
        wait_for_memory: bool | None = None,
        **params: Any,
    ) -> str:
        """Adds a node and connects it, and returns its name.

        - `node`: the name of a type (`livetime.nodes` has all), or a node of Python, also with parameters as `threshold(level=20)`.
        - `from_`: the node, or `node.output`, whose frames it gets; several in a list.
        - `when_full`: what its queue does when it is full: `"block"`, `"drop_newest"`, `"drop_oldest"`, `"latest"`, `"fail"`.
        - `queue`: most frames that wait; `every`: passes one frame in so many; `max_rate`: at most so many a second.
        - `placement`: `"own"` thread, `"inline"`, `"group:NAME"`, `"pool:N"`.
        - `on_error`: `"stop"` (of Python nodes, without it: the exception is raised by `wait`), `"skip"`, `"restart"`.
        - `wait_for_memory`: whether it waits when the frame pool is exhausted, or loses the frame; Python sources wait.
        - all others: its parameters.
        """
        own = isinstance(node, (Use, FunctionNode)) or isinstance(node, type) and issubclass(node, Node)
        kind: Any = node
        if own:
            given = node.params if isinstance(node, Use) else {}
            kind, params = _declaration(node).node_type, {**given, **params}
            on_error = on_error or "stop"
        elif isinstance(node, NodeUse):
            kind, params = node.type, {**node.params, **params}
        elif isinstance(node, type) and issubclass(node, NodeUse):
            kind = node.type
        waits = own if wait_for_memory is None else wait_for_memory
        self._graph.add(name, kind, params, placement, on_error, waits)
        for source in [from_] if isinstance(from_, str) else from_ or []:
            self.connect(source, name, when_full=when_full, queue=queue, every=every, max_rate=max_rate)
        return name

    def connect(
        self, from_: str, to: str, *, when_full: str = "drop_newest", queue: int = 20, every: int = 1, max_rate: float | None = None
    ) -> None:
        """Connects an output to an input, each given as `node` (its first port) or `node.port`."""
        self._graph.connect(from_, to, when_full, queue, every, max_rate)

    def check(self) -> None:
        """Checks all that can be known before a run. Raises `GraphError` with all problems."""
        self._graph.check()

    @property
    def nodes(self) -> dict[str, str]:
        """The types of the nodes by their names."""
        return dict(self._graph.nodes)

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """Sending node, receiving node, policy."""
        return self._graph.edges

    def start(
        self,
        *,
        max_frames: int | None = None,
        hold: bool = False,
        epics: Epics | str | bool | None = None,
        web: Web | str | int | bool = False,
    ) -> LiveRun:
        """Starts it.

        - `max_frames`: each source ends after so many.
        - `hold`: sources wait for `release`, so that an edge of this program can be connected before the first frame.
        - `epics`: serves the run over pvAccess while it runs, under the prefix `"13SIM1:"`, or as `livetime.Epics` says; `True`: under a
          prefix that is free; `None`: as the pipeline file says; `False`: not. A source that is served goes on after an
          acquisition and waits for the next one, unless its parameter `finish_when_done` was set.
        - `web`: serves its page, with its numbers for Prometheus, while it runs: at a port of this machine, at `"ADDRESS:PORT"`, or as
          `livetime.Web` says; `True`: as the pipeline file says. `run.web` has the link.
        """
        wanted = Epics(prefix=epics) if isinstance(epics, str) else epics
        page = web if isinstance(web, (bool, Web)) else Web(address=str(web))
        return LiveRun(_livetime.Run(self._graph, max_frames, hold, wanted, page))

    def run(self, *, max_frames: int | None = None) -> Report:
        """Runs the graph to the end of its sources. Raises the exception of a Python node."""
        return self.start(max_frames=max_frames, epics=False).wait()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a graph cannot be pickled: it may hold nodes of this process; send the pipeline file, or the function that builds it")

    def __repr__(self) -> str:
        edges = ", ".join(f"{a} -> {b}" for a, b, _ in self.edges)
        return f"<Graph of {len(self.nodes)} nodes: {edges or ', '.join(self.nodes)}>"


def _declaration(node: Any) -> Declaration:
    found = getattr(node, "declaration", None)
    if found is None:
        raise TypeError(f"wanted a function with @livetime.node, or a livetime.Node, found {node!r}")
    return cast(Declaration, found)


def imported(name: str) -> Declaration:
    """The declaration of a node in a module, under the name by which the file names it. Raises `GraphError` if there is none."""
    module, _, attribute = name.partition(":")
    # A module that is found but lacks one of its own imports is that module's fault, so its error passes unchanged.
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise GraphError(f"node type `{name}`: wanted a module `{module}` on Python's path, found none") from error
    node = getattr(found, attribute, None)
    if getattr(node, "declaration", None) is None:
        known = ", ".join(key for key, value in vars(found).items() if hasattr(value, "declaration") and value is not Node)
        raise GraphError(f"node type `{name}`: wanted a node of {module} ({known or 'it has none'}), found {node!r}")
    return _declaration(node).named(name)


def _text(pipeline: str | os.PathLike[str] | None) -> tuple[str, str | None]:
    if pipeline is None:
        return "graph", None
    if isinstance(pipeline, str) and "\n" in pipeline:
        return "pipeline", pipeline
    path = Path(pipeline)
    try:
        return str(path), path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GraphError(f"cannot read the pipeline file {path}: {error}") from error


# A fork looks here for running graphs; weak references let a run without other references be freed.
_RUNS: weakref.WeakSet[LiveRun] = weakref.WeakSet()


# Threads of runs and analyses must not call Python when the interpreter is gone.
atexit.register(_livetime.end_all, _LAST_S)


class LiveRun:
    """A running graph. Its nodes are `run["name"]`; their parameters are attributes."""

    def __init__(self, run: _livetime.Run) -> None:
        self._run = run
        self._has_ended = False
        self._has_raised = False
        _RUNS.add(self)

    @property
    def epics(self) -> Served | None:
        """Where it is served over pvAccess; `None` if it is not."""
        found = self._run.served()
        return found and Served(*found)

    @property
    def web(self) -> Page | None:
        """Page of the run; `None` if it has none."""
        found = self._run.page()
        return found and Page(*found)

    def __getitem__(self, node: str) -> LiveNode:
        return LiveNode(self, node)

    def release(self) -> None:
        """Lets the sources go that were held at the start."""
        self._run.release_sources()

    @property
    def is_finished(self) -> bool:
        """Whether all has ended."""
        return self._run.wait(0.0)

    def wait(self, timeout: float | None = None) -> Report:
        """Waits for the end of the sources and returns the report.

        Raises the exception of a Python node as it was raised, with a note that says the node and the frame; `NodeFailed` for
        another failure; `TimeoutError` after `timeout` seconds, and the run goes on. Ctrl-C ends the run and is raised.
        """
        try:
            if not self._wait(timeout):
                raise TimeoutError(f"wanted the end of the run within {timeout} s, found it going on")
        except KeyboardInterrupt:
            self._interrupted()
            raise
        return self._end(_LAST_S)

    def _wait(self, timeout: float | None) -> bool:
        """Waits for the end, so that Ctrl-C is taken at once. Returns whether it came."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._run.wait(_LOOK_S if until is None else min(_LOOK_S, max(0.0, until - time.monotonic()))):
            if until is not None and time.monotonic() >= until:
                return False
        return True

    def _interrupted(self) -> None:
        """Ends it in order, and at once when Ctrl-C is pressed again."""
        try:
            self._run.stop()
            self._wait(_LAST_S)
        finally:
            self._run.finish(0.0)
            self._has_ended = True

    def stop(self, timeout: float = _END_S) -> Report:
        """Ends the sources, waits until all queued frames are handled (frames left after `timeout` seconds are lost),
        and returns the report. Raises as `wait`; `NodeFailed` if a node does not return even then: it is named, and
        left behind."""
        self._run.stop()
        try:
            self._wait(timeout)
        # Ctrl-C during this wait asks for an end at once.
        except KeyboardInterrupt:
            self._run.finish(0.0)
            self._has_ended = True
            raise
        return self._end(0.0)

    def abort(self) -> Report:
        """Ends everything at once; queued frames are lost, with an entry in the ledger."""
        self._run.abort()
        return self._end(0.0)

    def _end(self, limit: float) -> Report:
        self._run.finish(limit)
        self._has_ended = True
        failure, raised = self._run.failure()
        if failure is not None and not self._has_raised:
            self._has_raised = True
            # The exception of the node that made the run fail is the cause; others are consequences.
            for node, _, exception in raised:
                if node in failure:
                    raise exception
            raise NodeFailed(failure)
        return self.report()

    def report(self) -> Report:
        """How it stands."""
        return Report(json.loads(self._run.report()))

    def frames(
        self,
        output: str,
        *,
        when_full: str = "drop_newest",
        queue: int = 20,
        every: int = 1,
        max_rate: float | None = None,
        connected: float = 5.0,
    ) -> Frames:
        """The frames of a node (or `node.output`) as they come, by an edge of their own that is in the ledger.

        With `when_full="latest"` a slow loop gets the newest one. `connected`: seconds to wait until every frame is offered.
        """
        outlet = self._run.subscribe(output, when_full, queue, every, max_rate)
        outlet.wait_connected(connected)
        return Frames(outlet)

    def view(self, output: str | None = None, *, rate: float = 4.0) -> Any:
        """A live view for notebooks: the newest picture of a node (or `node.output`), rates and losses, `rate` times a second.

        It needs the extra `notebook` (`pip install 'livetime[notebook]'`). Its picture comes by an edge that keeps the newest frame and is
        in the ledger; `close` takes it out.
        """
        from .notebook import view

        return view(self, output, rate)

    def __enter__(self) -> LiveRun:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            # After an exception in the `with` block nothing is worth waiting for, so the run is aborted.
            self._run.abort()
            self._run.finish(0.0)
            self._has_ended = True

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a run of a graph cannot be pickled: its threads are of this process; send its report, or frames of it as arrays")

    def __repr__(self) -> str:
        return f"<LiveRun, {'ended' if self.is_finished else 'running'}>"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


class LiveNode:
    """A node of a run. Parameters and readbacks are attributes: `run["cut"].level = 25` acts from the next frame."""

    def __init__(self, run: LiveRun, name: str) -> None:
        object.__setattr__(self, "_run", run)
        object.__setattr__(self, "_name", name)
        self.params()

    def params(self) -> dict[str, Any]:
        """All parameters and readbacks."""
        found: dict[str, Any] = self._run._run.params(self._name)
        return found

    def set(self, **values: Any) -> None:
        """Sets several parameters: all take effect from the same frame, or none does."""
        self._run._run.set(self._name, values)

    def __getattr__(self, name: str) -> Any:
        found = self.params()
        if name not in found:
            raise AttributeError(f"node `{self._name}`: wanted one of {', '.join(found)}, found `{name}`")
        return found[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self.set(**{name: value})

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a node of a run cannot be pickled: the run is of this process; send `params()`")

    def __dir__(self) -> list[str]:
        return ["params", "set", *self.params()]

    def __repr__(self) -> str:
        return f"<node {self._name}: {', '.join(f'{k}={v!r}' for k, v in self.params().items())}>"


class Frames:
    """Frames out of a running graph. The loop ends when the node has ended; `close` ends it before."""

    def __init__(self, outlet: _livetime.Outlet) -> None:
        self._outlet = outlet

    def __iter__(self) -> Iterator[_livetime.Frame]:
        return self

    def __next__(self) -> _livetime.Frame:
        while True:
            frame = self.get(_LOOK_S)
            if frame is not None:
                return frame

    def get(self, timeout: float) -> _livetime.Frame | None:
        """The next frame if one comes within `timeout` seconds, else `None`. Raises `StopIteration` when none will come any more."""
        try:
            return self._outlet.recv(timeout)
        except EOFError:
            raise StopIteration from None

    def close(self) -> None:
        """Takes the edge out of the graph."""
        self._outlet.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("frames of a run cannot be pickled: the run is of this process; send the array of each")

    def __enter__(self) -> Frames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Report(Mapping[str, Any]):
    """The report of a run: a mapping as in `livetime run --json`, with the most used parts by name."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def __getitem__(self, name: str) -> Any:
        return self._content[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    @property
    def nodes(self) -> dict[str, dict[str, Any]]:
        """The report of each node, by its name."""
        return {node["name"]: node for node in self["nodes"]}

    @property
    def ledger(self) -> dict[str, list[Any]]:
        """The account of every edge, as columns: ready for `pandas.DataFrame(report.ledger)`."""
        edges = self["edges"]
        names = ["from", "to", "when_full", "offered", "delivered", "queued", "unintended", "intended"]
        return {name: [edge[name] for edge in edges] for name in names}

    @property
    def is_closed(self) -> bool:
        """Whether every frame is accounted for."""
        return bool(self["ledger_closed"])

    @property
    def losses(self) -> int:
        """Frames that were lost unintentionally."""
        return int(self["unintended_losses"])

    def raise_for_losses(self) -> None:
        """Raises `LossError` if frames were lost unintentionally."""
        if self.losses:
            raise LossError(f"wanted no losses, found {self.losses} frames: {self.ledger}")

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {node['completed'] or node['emitted']}" for name, node in self.nodes.items())
        return f"<Report: {done}; {self.losses} lost, ledger {'closed' if self.is_closed else 'OPEN'}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = zip(*self.ledger.values())
        cells = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        head = "".join(f"<th>{name}</th>" for name in self.ledger)
        return f"<table><tr>{head}</tr>{cells}</table><p>{escape(repr(self))}</p>"


def _warn_of_fork() -> None:
    if any(not run._has_ended for run in _RUNS):
        print("livetime: a process with a running graph was forked; the child has none of its threads: use spawn", file=sys.stderr)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_warn_of_fork)

__all__ = ["Epics", "Error", "Frames", "Graph", "LiveNode", "LiveRun", "Page", "Report", "Served", "Web"]
