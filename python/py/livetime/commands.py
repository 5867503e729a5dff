"""The command `run` for pipelines with nodes of Python: `python -m livetime run FILE`.

The program `livetime` has no interpreter. A pipeline file that names nodes as `module:name` is run by the interpreter that has
the package, with the arguments, the report and the exit codes of `livetime run`.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import traceback
from collections.abc import Sequence

from .errors import Error
from .graph import Epics, Graph, LiveRun

_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_LOOK_S = 0.05
_DRAIN_S = 30.0


def seconds(text: str) -> float:
    """Seconds of `"10s"`, `"200 ms"`, `"5min"`.

    >>> seconds("200 ms")
    0.2
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*(ms|s|min|h)\s*", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"wanted a time as 10s, 200ms or 5min, found {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def parser() -> argparse.ArgumentParser:
    """The arguments of `livetime run` that are there."""
    whole = argparse.ArgumentParser(prog="python -m livetime", description=__doc__.split("\n\n")[1])
    run = whole.add_subparsers(dest="command", required=True).add_parser("run", help="run a pipeline")
    add = run.add_argument
    add("file", help="pipeline file; types as module:name are nodes of Python")
    add("--set", action="append", default=[], metavar="NODE.PARAM=VALUE", help="set a parameter before the start")
    add("--frames", type=int, metavar="N", help="end each source after this many frames")
    add("--duration", type=seconds, metavar="TIME", help="end the sources after this time, for example 10s")
    add("--pva", action="store_true", help="serve the run over pvAccess")
    add("--no-pva", action="store_true", help="do not serve it, even if the file has a block `pvaccess`")
    add("--prefix", metavar="TEXT", help="the names of all PVs begin with this")
    add("--listen", action="append", default=[], metavar="ADDR", help="serve at this address; `any` means all")
    add("--writers", action="append", default=[], metavar="WHO", help="clients that may write")
    add("--json", action="store_true", help="print JSON on stdout instead of text")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a pipeline, or measures (`bench`). Returns what `livetime run` returns: 0 ok, 1 failed, 2 wrong usage or a file that is refused, 3 losses."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["bench"]:
        from . import bench

        return bench.main(arguments[1:])
    given = parser().parse_args(arguments)
    # Modules lie in the current folder, as for `python -m`.
    if "" not in sys.path:
        sys.path.insert(0, "")
    settings = dict(setting.partition("=")[::2] for setting in given.set)
    try:
        graph = Graph(given.file, set=settings, imports=True)
    except (Error, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        run = graph.start(max_frames=given.frames, epics=_epics(given))
    except Error as error:
        print(f"{given.file} did not start: {error}", file=sys.stderr)
        return 1
    if run.epics:
        print(f"serving PVs {run.epics.prefix}... at {run.epics.address}", file=sys.stderr)
    ended_by = _until_end(run, given.duration)
    text, code = run.ending(given.file, ended_by, given.json)
    print(text.rstrip())
    return code


def _epics(given: argparse.Namespace) -> Epics | bool | None:
    if given.no_pva:
        return False
    if given.prefix or given.listen or given.writers:
        return Epics(given.prefix, _split(given.listen), _split(given.writers))
    return True if given.pva else None


def _split(texts: list[str]) -> list[str]:
    return [part for text in texts for part in text.split(",")]


def _until_end(run: LiveRun, duration: float | None) -> str:
    """Waits for the end; Ctrl-C and SIGTERM end the sources, and once more aborts. Exceptions of nodes are shown."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ended_by = "sources_ended"
    try:
        try:
            run.wait_quietly(duration)
            if not run.is_finished:
                ended_by = "duration"
        except KeyboardInterrupt:
            ended_by = "interrupted"
            print("ending the sources and handling what is under way; again to abort", file=sys.stderr)
        try:
            run.stop(_DRAIN_S)
        except KeyboardInterrupt:
            ended_by = "aborted"
            run.abort()
    except Exception as exception:
        # The report says that it failed; the traceback says where.
        traceback.print_exception(exception)
    return ended_by
