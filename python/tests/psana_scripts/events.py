import sys

from psana import DataSource

data = sys.argv[1]

ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/mixed_rate", batch_size=10, skip_calib_load="all", max_events=0)
for run in ds.runs():
    print(">", run.expt, run.runnum, run.timestamp)
    det = run.Detector("xppcspad")
    for nevt, evt in enumerate(run.events()):
        # This detector of psana's samples fails where others give nothing.
        raw = det.raw.raw(evt) if det.raw._segments(evt) else None
        print(">", nevt, evt.timestamp, evt.datetime(), evt.service(), None if raw is None else (raw.shape, raw.dtype, raw.sum()))
        print(">", evt.run().runnum, evt.timestamp_diff(run.timestamp))
print(">", ds.is_mpi(), ds.unique_user_rank(), ds.exp, ds.runnum)
