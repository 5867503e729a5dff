import sys

import numpy as np
from psana import DataSource

data, scratch = sys.argv[1:]


def every_second(run):
    for number, evt in enumerate(run.events()):
        if number % 2:
            yield evt


common = dict(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all")
np.save(f"{scratch}/stamps.npy", np.array([80, 50], np.uint64))
for given in (
    dict(smd_callback=every_second),
    dict(timestamps=np.array([80, 50, 51], np.uint64)),
    dict(timestamps=f"{scratch}/stamps.npy"),
    dict(detectors=["andor"]),
    dict(xdetectors=["andor"]),
    dict(detectors=["hsd"], batch_size=3),
    dict(max_events=3),
    dict(intg_det="andor", intg_delta_t=0),
    dict(small_xtc=["hsd"]),
    dict(dbsuffix="", use_calib_cache=False, cached_detectors=[], monitor=False, log_level="ERROR"),
):
    run = next(DataSource(**common, **given).runs())
    print(">", sorted(given), sorted(run.detnames), [evt.timestamp for evt in run.events()])
