import sys

from psana import DataSource

data = sys.argv[1]

run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/mixed_rate", skip_calib_load="all").runs())
hsd = run.Detector("xpphsd")
for seg, found in sorted(hsd.raw._seg_configs().items()):
    print(">", seg, found.config.enable.tolist(), found.config.raw_prescale.tolist())
print(">", sorted(hsd.fex.config(None)))
for evt in run.events():
    segments = hsd.fex._segments(evt)
    if segments is None:
        print(">", evt.timestamp, None)
        continue
    for seg, found in sorted(segments.items()):
        print(">", evt.timestamp, seg, found.enumFex1.value, sorted(found.enumFex1.names.items()), found.enumFex3.value)
        print(">", found.floatFex, found.intFex, found.charStrFex, found.arrayFex.tolist())
