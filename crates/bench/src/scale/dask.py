"""Mean of the pictures of a CSPad over Dask: by livetime, and by Dask and numpy from the same file, in turn.

Arguments: the run, bytes in front of the first event, bytes of an event, bytes in front of its pixels in it, repeats.
"""

import json
import sys
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import livetime as lt

PROCESSES = 2
CHUNK = 64 << 20
QUADS, SHAPE = 4, (8, 185, 388)


def seconds(work):
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def main(path, first, event, pixels, repeats):
    first, event, pixels, repeats = int(first), int(event), int(pixels), int(repeats)
    quad = np.dtype([("head", "V32"), ("pixels", "<u2", SHAPE), ("tail", "V4")])
    record = np.dtype({"names": ["quads"], "formats": [(quad, QUADS)], "offsets": [pixels], "itemsize": event})

    def pictures(start, count):
        return np.memmap(path, record, "r", first + start * event, count)["quads"]["pixels"]

    def total(start, count):
        found = np.zeros((QUADS, *SHAPE), np.uint64)
        for picture in pictures(start, count):
            found += picture
        return found

    events = (__import__("os").path.getsize(path) - first) // event
    most = max(1, CHUNK // event)
    chunks = [(start, min(most, events - start)) for start in range(0, events, most)]

    def by_array():
        """As a user of dask.array writes it."""
        parts = [
            da.from_delayed(dask.delayed(pictures)(start, count), (count, QUADS, *SHAPE), np.uint16) for start, count in chunks
        ]
        return da.concatenate(parts).mean(axis=0).compute()

    def by_loop():
        """As a user of numpy who knows how sums are made quickly writes it."""
        parts = [dask.delayed(total)(start, count) for start, count in chunks]
        return dask.delayed(sum)(parts).compute() / events

    with (
        LocalCluster(n_workers=PROCESSES, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        run = lt.open(path)

        def ours():
            return lt.analyze(run, "", "mean", workers=client)["mean"]

        def by_executor():
            return lt.analyze(run, "", "mean", executor=client.get_executor(), parts=PROCESSES * 4)["mean"]

        works = {"ours": ours, "executor": by_executor, "array": by_array, "loop": by_loop}
        # The first turn brings the file into memory, and starts what starts late.
        turns = [{name: seconds(work) for name, work in works.items()} for _ in range(repeats + 1)]
        wanted = np.asarray(turns[0]["loop"][1]).ravel()
        same = all(np.allclose(np.asarray(found).ravel(), wanted) for _, found in turns[0].values())
        times = {name: [turn[name][0] for turn in turns[1:]] for name in works}
    print(json.dumps({"events": int(events), "same": same, **times}))


if __name__ == "__main__":
    main(*sys.argv[1:])
