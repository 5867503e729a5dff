"""A job: user modules over the events of a run, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .. import recording
from ..errors import AnalysisError
from ..executors import end
from ..recording import Account, Transition
from ..whole import whole_file
from .env import Env
from .event import Event
from .histograms import HistoMgr
from .modules import After, Chain, Module, made
from .options import Options
from .reader import Reader, added

_BEGIN = {"BeginRun": "beginrun", "BeginStep": "begincalibcycle"}
_END = {"BeginRun": "endrun", "BeginStep": "endcalibcycle"}
_ENDS = {"EndRun": "BeginRun", "EndStep": "BeginStep"}
_LOOK_S = 0.1
_TOLD_EVERY = 100


@dataclass
class Summary:
    """The result of a job."""

    events: int = 0
    """Events that modules were given."""
    workers: int = 1
    accounts: dict[str, Account] = field(default_factory=dict)
    """Counts of the events, for each detector that a module has read."""
    is_terminated: bool = False
    """Whether a module ended the job with `Terminate`."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Files that break off, and why."""

    @property
    def lost(self) -> int:
        """Arrays that were recorded and could not be had, and files that break off."""
        counts = (a.broken + a.unreadable + a.lost + a.no_memory for a in self.accounts.values())
        return sum(counts) + len(self.problems)

    def __str__(self) -> str:
        workers = f" by {self.workers} workers" if self.workers > 1 else ""
        lines = [f"pyana: {self.events} events{workers}{', terminated by a module' if self.is_terminated else ''}"]
        lines += [f"pyana: {name}: {account}" for name, account in self.accounts.items()]
        lines += [f"pyana: {path} breaks off: {why}" for path, why in self.problems]
        return "\n".join(lines)


def run(options: Options) -> Summary:
    """Does a job to its end. Exceptions of modules are raised as they were, with a note where."""
    if options.processes > 1:
        return _in_processes(options)
    found = Job(options, made(options.modules, options.sections)).run()
    _save(options, found.histograms)
    return found.summary


class Found(NamedTuple):
    """The results of a worker."""

    summary: Summary
    histograms: HistoMgr
    files: dict[str, str]
    merging: list[Module]


class Job:
    """The events of one worker: its part of the events, and all transitions."""

    def __init__(self, options: Options, modules: list[Module], worker: int | None = None, folder: str | None = None, stop: Any = None):
        self._run = recording.open(*options.files)
        self._options, self._chain = options, Chain(modules)
        self._is_stopped = stop
        last = len(self._run)
        first = min(options.skip_events, last)
        last = last if options.num_events is None else min(last, first + options.num_events)
        # Parts in the order of events, so that the files of workers can be put together in that order.
        part, parts = (0, 1) if worker is None else (worker, options.processes)
        self._events = range(first + (last - first) * part // parts, first + (last - first) * (part + 1) // parts)
        self._reader = Reader(self._run, self._events.stop)
        self._env = Env(options.job_name, worker, folder, self._reader)
        self._is_worker = worker is not None
        self._open: list[str] = []
        self._run_number: int | None = None

    def run(self) -> Found:
        """Calls all methods of all modules."""
        summary = Summary(problems=[] if self._is_worker else self._run.problems)
        after = self._transition("beginjob", self._first_time(), 0)
        for change in self._steps():
            if after is not After.GO_ON:
                break
            if isinstance(change, Transition):
                after = self._change(change)
            else:
                after = self._event(change)
                summary.events += 1
        if after is not After.GO_ON and self._is_stopped is not None:
            self._is_stopped.set()
        if after is not After.TERMINATE:
            after = self._end()
        self._env.close()
        summary.is_terminated = after is After.TERMINATE
        summary.accounts = self._reader.accounts()
        merging = [module for module in self._chain.modules if self._is_worker and module.merges]
        return Found(summary, self._env.hmgr(), self._env.files, merging)

    # ---- The order of calls ----

    def _steps(self) -> Iterator[Transition | int]:
        """Transitions and numbers of events, in the order of time."""
        numbers = iter(self._events)
        number = next(numbers, None)
        for change in self._changes():
            while number is not None and number < change.event:
                yield number
                number = next(numbers, None)
            yield change
        while number is not None:
            yield number
            number = next(numbers, None)

    def _changes(self) -> list[Transition]:
        """With a begin of the run, if that is not in the files."""
        changes = [t for t in self._run.transitions if t.name in _BEGIN or t.name in _ENDS]
        if not any(change.name == "BeginRun" for change in changes):
            changes.insert(0, Transition("BeginRun", self._first_time(), 0, None))
        return changes

    def _first_time(self) -> int:
        return self._run._recording.time_ns(0) if len(self._run) else 0

    # ---- Calls ----

    def _event(self, number: int) -> After:
        if self._is_stopped is not None and self._is_stopped.is_set():
            return After.STOP
        self._env.at(number, number)
        evt = Event(self._reader, number, self._run._recording.time_ns(number), self._run_number)
        if self._options.verbose and number % _TOLD_EVERY == 0:
            print(f"pyana: event {number}, {evt.getTime()}", file=sys.stderr)
        return self._chain.event(evt, self._env)

    def _change(self, change: Transition) -> After:
        if change.name == "BeginRun":
            self._run_number = change.run_number
        if change.name in _BEGIN:
            self._open.append(change.name)
            return self._transition(_BEGIN[change.name], change.time_ns, change.event)
        begun = _ENDS[change.name]
        after = After.GO_ON
        # A missing end of a transition comes with the end of the transition around it.
        while begun in self._open and after is After.GO_ON:
            ending = self._open.pop()
            after = self._transition(_END[ending], change.time_ns, change.event)
            if ending == begun:
                break
        return after

    def _end(self) -> After:
        time_ns = self._run._recording.time_ns(self._events.stop - 1) if self._events else self._first_time()
        hooks = [_END[name] for name in reversed(self._open)]
        for hook in hooks:
            if self._transition(hook, time_ns, self._events.stop) is After.TERMINATE:
                return After.TERMINATE
        whole = Chain([m for m in self._chain.modules if not (self._is_worker and m.merges)])
        after = whole.transition("endjob", self._evt(time_ns), self._env)
        return After.TERMINATE if after is After.TERMINATE else After.GO_ON

    def _transition(self, hook: str, time_ns: int, following: int) -> After:
        self._env.at(None, following)
        return self._chain.transition(hook, self._evt(time_ns), self._env)

    def _evt(self, time_ns: int) -> Event:
        return Event(self._reader, None, time_ns, self._run_number)

    def end_merged(self, modules: list[Module], histograms: HistoMgr) -> None:
        """Calls `endjob` of modules that workers have brought home."""
        self._env._histograms = histograms
        Chain(modules).transition("endjob", self._evt(0), self._env)
        self._env.close()


# ---- Several processes ----


def _in_processes(options: Options) -> Summary:
    made(options.modules, options.sections)  # Mistakes show before anything starts.
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with tempfile.TemporaryDirectory(prefix="livetime-pyana-") as folder:
        pool = ProcessPoolExecutor(options.processes, mp_context=context, initializer=_begin, initargs=(stop, list(sys.path)))
        futures: list[Future[Found]] = []
        try:
            futures += [pool.submit(_work, options, worker, folder) for worker in range(options.processes)]
            found = _all(futures)
        except BrokenProcessPool as error:
            raise AnalysisError("wanted all workers to end, found that one of them died") from error
        finally:
            end(pool, is_done=all(future.done() for future in futures))
        return _put_together(options, found)


def _all(futures: list[Future[Found]]) -> list[Found]:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=_LOOK_S, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
    return [future.result() for future in futures]


_STOP: Any = None


def _begin(stop: Any, path: list[str]) -> None:
    global _STOP
    _STOP, sys.path[:] = stop, path


def _work(options: Options, worker: int, folder: str) -> Found:
    return Job(options, made(options.modules, options.sections), worker, folder, _STOP).run()


def _put_together(options: Options, all_found: list[Found]) -> Summary:
    first = all_found[0]
    whole = Summary(workers=options.processes, problems=recording.open(*options.files).problems)
    for found in all_found:
        whole.events += found.summary.events
        whole.is_terminated |= found.summary.is_terminated
        for name, account in found.summary.accounts.items():
            whole.accounts[name] = added(whole.accounts.get(name, Account()), account)
        if found is not first:
            first.histograms.merge(found.histograms)
            for module, later in zip(first.merging, found.merging):
                module.instance.merge(later.instance)
    names = dict.fromkeys(name for found in all_found for name in found.files)
    for name in names:
        _concatenate(name, [found.files[name] for found in all_found if name in found.files])
    if first.merging and not whole.is_terminated:
        Job(options, first.merging).end_merged(first.merging, first.histograms)
    _save(options, first.histograms)
    return whole


def _concatenate(name: str, parts: list[str]) -> None:
    with whole_file(name) as file:
        for part in parts:
            with open(part, "rb") as source:
                shutil.copyfileobj(source, file)


def _save(options: Options, histograms: HistoMgr) -> None:
    if histograms.all:
        histograms.save(os.path.join(os.curdir, f"{options.job_name}.npz"))
