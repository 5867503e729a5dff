import sys

from psana import DataSource

data, scratch = sys.argv[1:]

# What the program `detnames` shows, for runs of several kinds.
for where in (
    dict(exp="xpptut15", run=14, dir=f"{data}/intg_det"),
    dict(files=f"{scratch}/jungfrau.xtc2"),
    dict(files=[f"{scratch}/epix.xtc2"]),
    dict(files=f"{scratch}/beam-line.xtc2"),
):
    run = next(DataSource(**where, skip_calib_load="all").runs())
    print(">", run.expt, run.runnum, sorted(run.detnames), sorted(run.scannames))
    print(">", sorted(run.get_filtered_detinfo().items()))
    for name in sorted(run.detnames):
        det = run.Detector(name)
        print(">", name, det._dettype, det._detid, hasattr(det, "raw"), hasattr(det, "fex"), hasattr(det, "nothing"))
        for algorithm in (algorithm for found, algorithm in sorted(run.detinfo) if found == name and algorithm != "config"):
            interface = getattr(det, algorithm)
            print(">", algorithm, interface._drp_class_name, interface._sorted_segment_inds, interface._uniqueid)
            print(">", callable(getattr(interface, "config")), sorted(interface._seg_configs()))
    evt = next(run.events())
    print(">", evt.timestamp, evt.run().expt, evt.run().runnum, run.timestamp)
