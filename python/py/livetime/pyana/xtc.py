"""The types of data that modules ask for, under the names of `pypdsdata.xtc`."""

from __future__ import annotations

import enum


class TypeId:
    """`TypeId.Type.Id_Frame` and so on: what `evt.get` takes before the address."""

    class Type(enum.Enum):
        """Types whose data can be had. Names of pictures mean the same: the address says which detector."""

        Any = "picture"
        Id_Frame = "picture"
        Id_CspadElement = "picture"
        Id_Cspad2x2Element = "picture"
        Id_pnCCDframe = "picture"
        Id_PrincetonFrame = "picture"
        Id_EBeam = "EBeam"
        Id_FEEGasDetEnergy = "FEEGasDetEnergy"
        Id_PhaseCavity = "PhaseCavity"
