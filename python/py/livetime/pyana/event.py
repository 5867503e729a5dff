"""Events as user modules see them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..small import SmallData
from .xtc import TypeId

if TYPE_CHECKING:
    from .reader import Reader


_NAMES = {
    "fDamageMask": "damage_mask",
    "fEbeamCharge": "charge",
    "fEbeamL3Energy": "l3_energy",
    "fEbeamLTUPosX": "ltu_position_x",
    "fEbeamLTUPosY": "ltu_position_y",
    "fEbeamLTUAngX": "ltu_angle_x",
    "fEbeamLTUAngY": "ltu_angle_y",
    "fEbeamPkCurrBC2": "peak_current_bc2",
    "fEbeamEnergyBC2": "energy_bc2",
    "fEbeamPkCurrBC1": "peak_current_bc1",
    "fEbeamEnergyBC1": "energy_bc1",
    "fEbeamUndPosX": "undulator_position_x",
    "fEbeamUndPosY": "undulator_position_y",
    "fEbeamUndAngX": "undulator_angle_x",
    "fEbeamUndAngY": "undulator_angle_y",
    "fEbeamXTCAVAmpl": "xtcav_amplitude",
    "fEbeamXTCAVPhase": "xtcav_phase",
    "fEbeamDumpCharge": "dump_charge",
    "fEbeamPhotonEnergy": "photon_energy",
    "f_11_ENRC": "f_11_energy",
    "f_12_ENRC": "f_12_energy",
    "f_21_ENRC": "f_21_energy",
    "f_22_ENRC": "f_22_energy",
    "f_63_ENRC": "f_63_energy",
    "f_64_ENRC": "f_64_energy",
    "fFitTime1": "fit_time_1",
    "fFitTime2": "fit_time_2",
    "fCharge1": "charge_1",
    "fCharge2": "charge_2",
}
"""Names of `pypdsdata` for numbers of the beam, and ours."""


class EventTime(int):
    """When an event happened: ns since 1970, with pyana's methods."""

    def seconds(self) -> int:
        """Whole seconds."""
        return int(self) // 1_000_000_000

    def nanoseconds(self) -> int:
        """The rest."""
        return int(self) % 1_000_000_000

    def __str__(self) -> str:
        return f"{self.seconds()}.{self.nanoseconds():09}"


class FrameV1:
    """The picture of a camera, with the methods of `pypdsdata.camera.FrameV1`."""

    def __init__(self, image: NDArray[Any]) -> None:
        self._image = image

    def data(self) -> NDArray[Any]:
        """The pixels, read-only; rows first."""
        return self._image

    def width(self) -> int:
        """Columns."""
        return int(self._image.shape[-1])

    def height(self) -> int:
        """Rows."""
        return int(self._image.shape[-2])

    def depth(self) -> int:
        """Bits of a pixel as it is stored."""
        return int(self._image.dtype.itemsize) * 8


class Picture(np.ndarray[Any, np.dtype[Any]]):
    """The array of a detector, with the methods of the objects of `pypdsdata`: `frame.data()` is its pixels."""

    def data(self) -> NDArray[Any]:  # type: ignore[override]
        """The pixels, read-only."""
        return self.view(np.ndarray)

    def width(self) -> int:
        """Columns."""
        return int(self.shape[-1])

    def height(self) -> int:
        """Rows."""
        return int(self.shape[-2])

    def depth(self) -> int:
        """Bits of a pixel as it is stored."""
        return int(self.dtype.itemsize) * 8

    def offset(self) -> int:
        """Offset of each pixel: 0, because none is recorded."""
        return 0


class Codes:
    """The codes of an event receiver, with the methods of `pypdsdata.evr`."""

    def __init__(self, codes: tuple[int, ...]) -> None:
        self._events = [SimpleNamespace(EventCode=code) for code in codes]

    def numFifoEvents(self) -> int:
        """How many event codes there are."""
        return len(self._events)

    def fifoEvents(self) -> list[SimpleNamespace]:
        """Each of them, as `EventCode`."""
        return self._events

    def fifoEvent(self, number: int) -> SimpleNamespace:
        """One of them."""
        return self._events[number]


class Numbers(SimpleNamespace):
    """The numbers of a monitor as attributes, under the names that `evt.small` lists, and under the names of
    `pypdsdata`."""

    def __getattr__(self, name: str) -> Any:
        ours = _NAMES.get(name)
        if ours is not None and ours in self.__dict__:
            return self.__dict__[ours]
        raise AttributeError(f"wanted one of {', '.join(self.__dict__)}, found `{name}`")


class CsPadQuad(NamedTuple):
    """A quadrant of a CSPad."""

    number: int
    pixels: NDArray[Any]

    def quad(self) -> int:
        """Number of the quadrant."""
        return self.number

    def data(self) -> NDArray[Any]:
        """Pixels of the quadrant: sections, columns, rows."""
        return self.pixels


class Event:
    """The data of one time: of an event, or for the other methods of a module of the transition that they are called
    for."""

    def __init__(self, reader: Reader, number: int | None, time_ns: int, run: int | None) -> None:
        self._reader = reader
        self.number = number
        """The number of the event in the files, from 0 on; `None` at a transition."""
        self._time_ns, self._run = time_ns, run
        self._objects: dict[str, Any] = {}

    # ---- Data ----

    def get(self, what: Any, address: str | None = None) -> Any:
        """Data of a detector, or an object that another module has put; `None` if there is none.

        `get("CxiEndstation-0|Opal1000-1")` and `get(TypeId.Type.Id_Frame, "Opal1000")` are the array of a detector, read-only; a part
        of its name is enough. `get(TypeId.Type.Id_EBeam)` has the numbers of a monitor as attributes. `get("key")` is what `put` was
        given.
        """
        if isinstance(what, TypeId.Type):
            return self._of_type(what, address)
        if address is None and what in self._objects:
            return self._objects[what]
        return self._array(address or str(what))

    find = findFirst = get

    def _of_type(self, what: TypeId.Type, address: str | None) -> Any:
        if what is TypeId.Type.Any:
            array = self._array(address or "")
            return None if array is None else array.view(Picture)
        if what is TypeId.Type.Id_EvrData:
            codes = self.small.event_codes
            return Codes(codes) if codes else None
        if what.value.startswith("not read"):
            read = ", ".join(name for name, known in TypeId.Type.__members__.items() if not known.value.startswith("not read"))
            raise NotImplementedError(f"wanted a type that is read, as {read}, found {what.name}; `evt.small` has all small values")
        values = self.small.find(address or what.value)
        return Numbers(**{item.name: item.value for item in values}) if values else None

    def put(self, found: Any, key: str) -> None:
        """Gives something to the modules behind this one, for this event."""
        self._objects[key] = found

    def keys(self) -> list[str]:
        """The detectors of the run, and the names of objects that were put."""
        return [*self._reader.detectors, *self._objects]

    def getFrameValue(self, address: str) -> FrameV1 | None:
        """The picture of a camera."""
        image = self._array(address)
        return None if image is None else FrameV1(image)

    def getCsPadQuads(self, address: str, env: Any = None) -> list[CsPadQuad]:
        """The quadrants of a CSPad; none if the event has no picture of it."""
        image = self._array(address)
        return [] if image is None else [CsPadQuad(number, quad) for number, quad in enumerate(image)]

    @property
    def small(self) -> SmallData:
        """The values recorded beside the arrays: event codes, monitors of the beam, process variables."""
        return self._reader.small(self.number)

    def _array(self, address: str) -> NDArray[Any] | None:
        return None if self.number is None else self._reader.array(self.number, address)

    # ---- About it ----

    def getTime(self) -> EventTime:
        """When it happened."""
        return EventTime(self._time_ns)

    def run(self) -> int | None:
        """The number of the run, if it was recorded."""
        return self._run

    def __repr__(self) -> str:
        return f"<Event {self.number} at {self.getTime()}>"
