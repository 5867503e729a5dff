import sys

from psana import DataSource

data = sys.argv[1]

run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all").runs())
hsd, andor = run.Detector("hsd"), run.Detector("andor")
with run.build_table() as has_events:
    print(">", has_events)
    for stamp in (80, 50, 170):
        evt = run.event(stamp)
        slow = andor.raw.calib(evt)
        print(">", evt.timestamp, evt.service(), hsd.raw.calib(evt).sum(), None if slow is None else slow.sum())
    try:
        run.event(7)
    except ValueError:
        print("> no such event")
print(">", run.get_filtered_detinfo())
