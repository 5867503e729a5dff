"""Analyses in parts: by processes of this machine, by the workers of a Dask cluster, and by any executor.

A plan says everything about an analysis. Any process can do a part of it, as often as need be, and writes the same bytes;
merged in the plan's fixed tree they give the same results as one process. So a worker that dies costs its part only.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import tempfile
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import _livetime
from .errors import AnalysisError

if TYPE_CHECKING:
    from .analysis import Progress, _Wanted

# Several parts for each worker: a slow worker holds up less at the end.
_PARTS_OF_WORKER = 4
_TRIES = 3
_LOOK_S = 0.1


def processes(wanted: _Wanted, count: int | None, parts: int | None, tell: Progress | None) -> tuple[Any, ...]:
    """With processes of this machine, which are started anew (`spawn`): never a fork of one with threads."""
    count = count or os.cpu_count() or 1
    if count < 1:
        raise ValueError(f"processes: wanted at least 1, found {count}")
    plan = _plan(wanted, parts or count * _PARTS_OF_WORKER)
    task = _pickled((plan.text(), wanted.reducers, wanted.memory))
    with _Parts(plan, wanted.reducers, tell) as done:
        tries = _TRIES
        while done.left and tries:
            tries -= 1
            _round(done, task, count)
        if done.left:
            raise AnalysisError(f"wanted all parts, found that the processes for {sorted(done.left)} died, {_TRIES} times")
        return done.merged()


def _round(done: _Parts, task: bytes, count: int) -> None:
    """Reduces all remaining parts. If a process dies, its parts remain."""
    pool = ProcessPoolExecutor(min(count, len(done.left)), mp_context=multiprocessing.get_context("spawn"))
    try:
        pending = {pool.submit(reduce_part, task, part): part for part in sorted(done.left)}
        while pending:
            finished, _ = wait(pending, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            for future in finished:
                done.add(pending.pop(future), future.result())
    except BrokenProcessPool:
        return
    finally:
        end(pool, is_done=not done.left)


def end(pool: ProcessPoolExecutor, is_done: bool) -> None:
    """Ends the processes: in order if all is done, else at once. A process that is just starting must still find its
    arguments."""
    workers = list((pool._processes or {}).values())
    if not is_done:
        for worker in workers:
            worker.terminate()
    pool.shutdown(wait=is_done, cancel_futures=True)


def dask(wanted: _Wanted, client: Any, parts: int | None, tell: Progress | None) -> tuple[Any, ...]:
    """With the workers of a Dask cluster. A worker that dies costs its part, which the scheduler gives to another one."""
    workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    plan = _plan(wanted, parts or workers * _PARTS_OF_WORKER)
    task = _pickled((plan.text(), wanted.reducers, wanted.memory))
    from distributed import as_completed

    with _Parts(plan, wanted.reducers, tell) as done:
        # The analysis is the result of a task, which the scheduler can make again. Scattered data are known by their
        # content: a second run of the same analysis could get the data that the first one is just releasing.
        shared = client.submit(_same, task, pure=False)
        futures = [client.submit(reduce_part, shared, part, pure=False) for part in sorted(done.left)]
        number = {future.key: part for part, future in zip(sorted(done.left), futures)}
        try:
            for future in as_completed(futures):
                done.add(number[future.key], future.result())
        finally:
            client.cancel([future for future in futures if not future.done()])
        return done.merged()


def _same(task: bytes) -> bytes:
    return task


def executor(wanted: _Wanted, pool: Executor, parts: int | None, tell: Progress | None) -> tuple[Any, ...]:
    """With any executor of `concurrent.futures`: mpi4py, Parsl, executorlib, Dask's `client.get_executor()`."""
    count = max(1, getattr(pool, "_max_workers", None) or os.cpu_count() or 1)
    plan = _plan(wanted, parts or count * _PARTS_OF_WORKER)
    task = _pickled((plan.text(), wanted.reducers, wanted.memory))
    with _Parts(plan, wanted.reducers, tell) as done:
        numbers, pending = iter(sorted(done.left)), dict[Future[bytes], int]()
        try:
            while done.left:
                # Each task carries the plan, so that only some of them wait in the executor.
                for part in islice(numbers, _PARTS_OF_WORKER * count - len(pending)):
                    pending[pool.submit(reduce_part, task, part)] = part
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    done.add(pending.pop(future), future.result())
        except BrokenExecutor as error:
            raise AnalysisError(f"wanted all parts, found that the executor broke with {len(done.left)} left: {error}") from error
        finally:
            for future in pending:
                future.cancel()
        return done.merged()


def reduce_part(task: bytes, part: int) -> bytes:
    """Does one part of a plan, in any process: the bytes of its file."""
    text, reducers, memory = pickle.loads(task)
    return _livetime.Plan(text, memory).reduce(part, reducers, 1, None)


class _Parts:
    """The finished parts, as files of a temporary folder, and the remaining ones. Two neighbours are merged as soon as both are there, so
    that the folder holds the files of few parts, however many the plan has."""

    def __init__(self, plan: _livetime.Plan, reducers: list[Any], tell: Progress | None) -> None:
        self._plan, self._reducers, self._tell = plan, reducers, tell
        self._folder = tempfile.TemporaryDirectory(prefix="livetime-")
        self._events = [plan.events_of(part) for part in range(plan.parts)]
        self._files: dict[tuple[int, int], str] = {}
        self._done = 0
        self.left = set(range(plan.parts))

    def __enter__(self) -> _Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def add(self, part: int, content: bytes) -> None:
        self._put(part, part + 1, content)
        self.left.discard(part)
        self._join(part)
        if self._tell:
            self._done += self._events[part]
            self._tell(self._done, sum(self._events), 0)

    def merged(self) -> tuple[Any, ...]:
        return self._plan.merge(self._reducers, [self._folder.name])

    def _join(self, part: int) -> None:
        """Merges up the binary tree of the parts, as far as neighbours are there."""
        start, span = part, 1
        while span < self._plan.parts:
            first = start - start % (2 * span)
            middle, stop = first + span, min(first + 2 * span, self._plan.parts)
            both = [(first, min(middle, stop)), (middle, stop)]
            # The last node of a level may have no neighbour: it is one of the next level too.
            if middle < stop:
                if not all(node in self._files for node in both):
                    return
                files = [self._files.pop(node) for node in both]
                self._put(first, stop, self._plan.merge_some(self._reducers, first, stop, files))
                for file in files:
                    os.remove(file)
            start, span = first, 2 * span

    def _put(self, start: int, stop: int, content: bytes) -> None:
        path = os.path.join(self._folder.name, f"parts-{start}-{stop}.ltpart")
        with open(path, "wb") as file:
            file.write(content)
        self._files[start, stop] = path


def _plan(wanted: _Wanted, parts: int) -> _livetime.Plan:
    return _livetime.Plan.of(
        wanted.run._recording, wanted.detector, wanted.reducers, parts,
        wanted.start, wanted.stop, wanted.every, wanted.block_bytes, wanted.select,
    )


def _pickled(task: Any) -> bytes:
    """By cloudpickle if it is there, which takes classes of a notebook too."""
    dumps: Callable[[Any], bytes] = pickle.dumps
    try:
        import cloudpickle

        dumps = cloudpickle.dumps
    except ImportError:
        pass
    try:
        return dumps(task)
    except Exception as error:
        raise AnalysisError(
            f"wanted reducers that can be sent to another process, found: {error}; put the class into a module, or install "
            "cloudpickle"
        ) from error
