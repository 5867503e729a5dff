"""The words of psana 2 for runs of LCLS-II (and I): a script changes its import line and needs no MPI.

    from livetime.psana import DataSource
    ds = DataSource(files="xpptut15-r0014-s000-c000.xtc2")
    run = next(ds.runs())
    det = run.Detector("epixquad")
    smd = ds.smalldata(filename="out.npz")
    for step in run.steps():
        for evt in step.events():
            raw = det.raw.raw(evt)
            smd.event(evt, mean=raw.mean())
    smd.done()

`det.raw.calib(evt)` and `det.raw.image(evt)` take constants and geometry that are given to `DataSource`; SLAC's database is never asked.
What is not there: callbacks, detectors that put several others together.
"""

from .detector import Algorithm, Detector
from .event import Event, Step
from .run import Run
from .small_data import SmallDataWriter
from .source import DataSource

__all__ = ["Algorithm", "DataSource", "Detector", "Event", "Run", "SmallDataWriter", "Step"]
