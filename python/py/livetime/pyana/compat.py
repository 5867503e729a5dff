"""The packages `pypdsdata` and `pyana`, which user modules import by name: the parts that exist here, and an exception
for the rest."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

_MODULES = "acqiris bld camera control cspad cspad2x2 encoder epics evr fccd fli io ipimb lusi opal1k pnccd princeton pulnix timepix xtc"


class Stand(ModuleType):
    """A module with some of the names of another; each other one is an exception where it is asked for."""

    def __init__(self, name: str, has: dict[str, Any]) -> None:
        super().__init__(name, f"Stands for `{name}` of LCLS-I.")
        self.__dict__.update(has)
        self.__all__ = sorted(has)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = ", ".join(self.__all__) or "nothing"
        raise NotImplementedError(f"wanted a name of `{self.__name__}` that livetime.pyana has, as {known}, found `{name}`")


def install() -> None:
    """Makes `import pypdsdata` and `import pyana` find these modules, where the packages themselves are not
    installed."""
    from .. import pyana
    from . import event, xtc

    has: dict[str, dict[str, Any]] = {
        "xtc": {"TypeId": xtc.TypeId, "BldInfo": xtc.BldInfo, "Damage": xtc.Damage},
        "camera": {"FrameV1": event.FrameV1},
        "cspad": {"ElementV1": event.CsPadQuad, "ElementV2": event.CsPadQuad},
    }
    if _is_wanted("pypdsdata"):
        whole = Stand("pypdsdata", {name: Stand(f"pypdsdata.{name}", has.get(name, {})) for name in _MODULES.split()})
        whole.__path__ = []
        sys.modules["pypdsdata"] = whole
        sys.modules.update({f"pypdsdata.{name}": getattr(whole, name) for name in _MODULES.split()})
    if _is_wanted("pyana"):
        sys.modules["pyana"] = pyana


def _is_wanted(name: str) -> bool:
    return name not in sys.modules and importlib.util.find_spec(name) is None
