"""The words of psana 2 for runs of LCLS-II (and I): a script changes its import line and needs no MPI.

    from livetime.psana import DataSource
    ds = DataSource(exp="xpptut15", run=14, dir="/data")
    smd = ds.smalldata(filename="out.h5")
    for run in ds.runs():
        det, motor = run.Detector("epixquad"), run.Detector("motor1")
        for step in run.steps():
            for evt in step.events():
                raw = det.raw.raw(evt)
                if raw is not None:
                    smd.event(evt, mean=raw.mean(), motor=motor(evt))
    smd.done()

`det.raw.calib(evt)` and `det.raw.image(evt)` take constants and geometry that are given to `DataSource`; SLAC's database is never asked.
What is not there is an exception at its first use: `shmem=`, `drp=`, `psmon_publish=`, and functions of a detector that are neither
fields of its records nor of the list in `docs/python-psana.md`.
"""

from .detector import Detector, MissingDet, detector
from .event import Event, Step
from .interfaces import Interface
from .run import Run
from .small_data import SmallData
from .source import DataSource

__all__ = ["DataSource", "Detector", "Event", "Interface", "MissingDet", "Run", "SmallData", "Step", "detector"]
