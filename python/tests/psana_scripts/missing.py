import sys

from psana import DataSource

data = sys.argv[1]

run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all").runs())
try:
    run.Detector("tmo_opal1")
except KeyError:
    print("> no such detector")
maybe, hsd = run.Detector("tmo_opal1", accept_missing=True), run.Detector("hsd")
for name in ("fex", "raw"):
    try:
        getattr(getattr(hsd, name), "peaks")
    except AttributeError:
        print("> no such function", name)
for evt in run.events():
    print(">", evt.timestamp, maybe.raw.raw(evt), maybe(evt), list(maybe))
