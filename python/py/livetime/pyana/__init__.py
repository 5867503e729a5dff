"""pyana's user modules over recorded runs: classes with `beginjob`, `event`, `endjob` and so on, in a chain, with worker processes.

    livetime pyana -c pyana.cfg -p 4 e236-r0003-s04-c00.xtc

A user module is a Python module with a class of the same name. The class has the methods that it needs of `beginjob`, `beginrun`,
`begincalibcycle`, `event`, `endcalibcycle`, `endrun` and `endjob`, each with the arguments `evt` and `env`. `docs/python-psana.md`
lists the functions of pyana that work, and the differences.
"""

from . import xtc
from .env import Env, EpicsStore
from .event import CsPadQuad, Event, EventTime, FrameV1
from .histograms import Hist1, Hist2, HistoMgr, Profile
from .job import Job, Summary, run
from .main import main
from .modules import Normal, Skip, Stop, Terminate
from .options import Options, UsageError

__all__ = [
    "CsPadQuad",
    "Env",
    "EpicsStore",
    "Event",
    "EventTime",
    "FrameV1",
    "Hist1",
    "Hist2",
    "HistoMgr",
    "Job",
    "Normal",
    "Options",
    "Profile",
    "Skip",
    "Stop",
    "Summary",
    "Terminate",
    "UsageError",
    "main",
    "run",
    "xtc",
]
