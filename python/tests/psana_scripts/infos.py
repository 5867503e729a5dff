import sys

from psana import DataSource

data = sys.argv[1]

for folder in ("mixed_rate", "multi-seg-epics", "fakesteps", "intg_det"):
    run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/{folder}", skip_calib_load="all").runs())
    print(">", sorted(run.detnames), sorted(run.scannames))
    print(">", sorted(run.epicsinfo.items()), sorted(run.scaninfo.items()))
    print(">", sorted(run.detinfo), sorted(entry for entry in run.xtcinfo if entry[0] != "smdinfo"))
