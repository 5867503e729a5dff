"""The types of data that modules ask for, under the names of `pypdsdata.xtc`."""

from __future__ import annotations

import enum


class TypeId:
    """`TypeId.Type.Id_Frame` and so on: the first argument of `evt.get`, before the address."""

    class Type(enum.Enum):
        """Types of data. All names of pictures mean the same, because the address chooses the detector. `evt.get`
        refuses types that are not read."""

        Any = "picture"
        Id_Frame = "picture"
        Id_CspadElement = "picture"
        Id_Cspad2x2Element = "picture"
        Id_pnCCDframe = "picture"
        Id_PrincetonFrame = "picture"
        Id_TimepixData = "picture"
        Id_FliFrame = "picture"
        Id_AndorFrame = "picture"
        Id_EpixElement = "picture"
        Id_EBeam = "EBeam"
        Id_FEEGasDetEnergy = "FEEGasDetEnergy"
        Id_PhaseCavity = "PhaseCavity"
        Id_EvrData = "EvrData"
        Id_IpimbData = "IpimbData"
        Id_SharedIpimb = "SharedIpimb"
        Id_IpmFex = "IpmFex"
        Id_DiodeFex = "DiodeFex"
        Id_GMD = "GMD"
        Id_Xtc = "not read: Id_Xtc"
        Id_AcqWaveform = "not read: Id_AcqWaveform"
        Id_AcqConfig = "not read: Id_AcqConfig"
        Id_TwoDGaussian = "not read: Id_TwoDGaussian"
        Id_Opal1kConfig = "not read: Id_Opal1kConfig"
        Id_FrameFexConfig = "not read: Id_FrameFexConfig"
        Id_EvrConfig = "not read: Id_EvrConfig"
        Id_TM6740Config = "not read: Id_TM6740Config"
        Id_ControlConfig = "not read: Id_ControlConfig"
        Id_pnCCDconfig = "not read: Id_pnCCDconfig"
        Id_Epics = "not read: Id_Epics"
        Id_PrincetonConfig = "not read: Id_PrincetonConfig"
        Id_FrameFccdConfig = "not read: Id_FrameFccdConfig"
        Id_FccdConfig = "not read: Id_FccdConfig"
        Id_IpimbConfig = "not read: Id_IpimbConfig"
        Id_EncoderData = "not read: Id_EncoderData"
        Id_EncoderConfig = "not read: Id_EncoderConfig"
        Id_EvrIOConfig = "not read: Id_EvrIOConfig"
        Id_PrincetonInfo = "not read: Id_PrincetonInfo"
        Id_CspadConfig = "not read: Id_CspadConfig"
        Id_IpmFexConfig = "not read: Id_IpmFexConfig"
        Id_DiodeFexConfig = "not read: Id_DiodeFexConfig"
        Id_PimImageConfig = "not read: Id_PimImageConfig"
        Id_AcqTdcConfig = "not read: Id_AcqTdcConfig"
        Id_AcqTdcData = "not read: Id_AcqTdcData"
        Id_Index = "not read: Id_Index"
        Id_XampsConfig = "not read: Id_XampsConfig"
        Id_XampsElement = "not read: Id_XampsElement"
        Id_Cspad2x2Config = "not read: Id_Cspad2x2Config"
        Id_FexampConfig = "not read: Id_FexampConfig"
        Id_FexampElement = "not read: Id_FexampElement"
        Id_Gsc16aiConfig = "not read: Id_Gsc16aiConfig"
        Id_Gsc16aiData = "not read: Id_Gsc16aiData"
        Id_PhasicsConfig = "not read: Id_PhasicsConfig"
        Id_TimepixConfig = "not read: Id_TimepixConfig"
        Id_CspadCompressedElement = "not read: Id_CspadCompressedElement"
        Id_OceanOpticsConfig = "not read: Id_OceanOpticsConfig"
        Id_OceanOpticsData = "not read: Id_OceanOpticsData"
        Id_EpicsConfig = "not read: Id_EpicsConfig"
        Id_FliConfig = "not read: Id_FliConfig"
        Id_QuartzConfig = "not read: Id_QuartzConfig"
        Id_AndorConfig = "not read: Id_AndorConfig"
        Id_UsdUsbData = "not read: Id_UsdUsbData"
        Id_UsdUsbConfig = "not read: Id_UsdUsbConfig"
        Id_SharedAcqADC = "not read: Id_SharedAcqADC"
        Id_OrcaConfig = "not read: Id_OrcaConfig"
        Id_ImpConfig = "not read: Id_ImpConfig"
        Id_ImpData = "not read: Id_ImpData"
        Id_AliasConfig = "not read: Id_AliasConfig"
        Id_L3TConfig = "not read: Id_L3TConfig"
        Id_L3TData = "not read: Id_L3TData"
        Id_Spectrometer = "not read: Id_Spectrometer"
        Id_RayonixConfig = "not read: Id_RayonixConfig"
        Id_EpixConfig = "not read: Id_EpixConfig"


class BldInfo:
    """Senders of beam-line data by name."""

    class Type(enum.Enum):
        """The types that modules ask for."""

        EBeam = "EBeam"
        PhaseCavity = "PhaseCavity"
        FEEGasDetEnergy = "FEEGasDetEnergy"


class Damage:
    """Damage that a recorder notes about data: no event that a module is given has an object of it."""
