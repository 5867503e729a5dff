"""Livetime from Python: recorded runs as events, analyses on all cores, graphs with nodes of your own, codecs.

>>> import livetime as lt
>>> graph = lt.Graph()
>>> graph.add("cam", "sim_detector", acquire_period="1 ms")
'cam'
>>> with graph.start(hold=True) as run:
...     frames = run.frames("cam", when_full="block")
...     run.release()
...     picture = next(frames).array
...     frames.close()
>>> picture.dtype, picture.flags.writeable
(dtype('uint8'), False)

`docs/python.md` of the repository shows everything by examples, with `python-analysis.md`, `python-nodes.md` and `python-psana.md`.
"""

from typing import Annotated as Param

from . import codecs, geometry, nodes
from ._livetime import Event, Events, Frame
from .analysis import (
    AnalysisAccount,
    Found,
    Histogram,
    Hits,
    Layout,
    Max,
    Mean,
    Min,
    NoiseMask,
    Peaks,
    Projection,
    Reducer,
    ReducerEvent,
    Std,
    Sum,
    analyze,
    reduce,
)
from .corrections import Corrections
from .errors import (
    AnalysisError,
    Bug,
    CodecError,
    Error,
    FrameError,
    GraphError,
    KeptArraysWarning,
    LossError,
    NodeFailed,
    ParamError,
    RecordingError,
)
from .graph import Epics, Frames, Graph, LiveNode, LiveRun, Report, Web
from .node import Array, AtLeast, AtMost, Doc, Node, node, param, readback, source
from .recording import Account, Detector, Fault, Judgement, Run, open
from .select import Selection
from .small import SmallData, SmallValue
from .tables import write_table

__version__ = "0.1.0"

__all__ = [
    "Account",
    "AnalysisAccount",
    "AnalysisError",
    "Array",
    "AtLeast",
    "AtMost",
    "Bug",
    "CodecError",
    "Corrections",
    "Detector",
    "Doc",
    "Epics",
    "Error",
    "Event",
    "Events",
    "Fault",
    "Found",
    "Frame",
    "FrameError",
    "Frames",
    "Graph",
    "GraphError",
    "Histogram",
    "Hits",
    "KeptArraysWarning",
    "Layout",
    "LiveNode",
    "LiveRun",
    "LossError",
    "Max",
    "Mean",
    "Min",
    "Node",
    "NodeFailed",
    "NoiseMask",
    "Param",
    "ParamError",
    "Peaks",
    "Projection",
    "RecordingError",
    "Reducer",
    "ReducerEvent",
    "Report",
    "Run",
    "Selection",
    "SmallData",
    "SmallValue",
    "Std",
    "Sum",
    "Web",
    "analyze",
    "codecs",
    "geometry",
    "node",
    "nodes",
    "open",
    "param",
    "readback",
    "reduce",
    "source",
    "write_table",
]
