//! The numbers of the format and their names: facts of the facility, in the order of their numbers.

/// Detectors: where a device stands.
pub(super) const DETECTORS: [&str; 53] = [
    "NoDetector", "AmoIMS", "AmoGD", "AmoETOF", "AmoITOF", "AmoMBES", "AmoVMI", "AmoBPS", "Camp",
    "EpicsArch", "BldEb", "SxrBeamline", "SxrEndstation", "XppSb1Ipm", "XppSb1Pim", "XppMonPim",
    "XppSb2Ipm", "XppSb3Ipm", "XppSb3Pim", "XppSb4Pim", "XppGon", "XppLas", "XppEndstation",
    "AmoEndstation", "CxiEndstation", "XcsEndstation", "MecEndstation", "CxiDg1", "CxiDg2", "CxiDg3",
    "CxiDg4", "CxiKb1", "CxiDs1", "CxiDs2", "CxiDsu", "CxiSc1", "CxiDsd", "XcsBeamline", "CxiSc2",
    "MecXuvSpectrometer", "MecXrtsForw", "MecXrtsBack", "MecFdi", "MecTimeTool", "MecTargetChamber",
    "FeeHxSpectrometer", "XrayTransportDiagnostic", "Lamp", "MfxEndstation", "MfxDg1", "MfxDg2", "XrtDiag",
    "DetLab",
];

/// Devices.
pub(super) const DEVICES: [&str; 46] = [
    "NoDevice", "Evr", "Acqiris", "Opal1000", "Tm6740", "pnCCD", "Princeton", "Fccd", "Ipimb", "Encoder",
    "Cspad", "AcqTDC", "Xamps", "Cspad2x2", "Fexamp", "Gsc16ai", "Phasics", "Timepix", "Opal2000",
    "Opal4000", "OceanOptics", "Opal1600", "Opal8000", "Fli", "Quartz4A150", "Andor", "USDUSB", "OrcaFl40",
    "Imp", "Epix", "Rayonix", "EpixSampler", "Pimax", "Fccd960", "Epix10k", "Epix100a", "EpixS", "Gotthard",
    "DualAndor", "Wave8", "LeCroy", "ControlsCamera", "Archon", "Jungfrau", "Zyla", "Epix10ka",
];

/// Senders of beam-line data.
pub(super) const BEAM_LINE: [&str; 85] = [
    "EBeam", "PhaseCavity", "FEEGasDetEnergy", "NH2-SB1-IPM-01", "XCS-IPM-01", "XCS-DIO-01", "XCS-IPM-02",
    "XCS-DIO-02", "XCS-IPM-03", "XCS-DIO-03", "XCS-IPM-03m", "XCS-DIO-03m", "XCS-YAG-1", "XCS-YAG-2",
    "XCS-YAG-3m", "XCS-YAG-3", "XCS-YAG-mono", "XCS-IPM-mono", "XCS-DIO-mono", "XCS-DEC-mono",
    "MEC-LAS-EM-01", "MEC-TCTR-PIP-01", "MEC-TCTR-DI-01", "MEC-XT2-IPM-02", "MEC-XT2-IPM-03",
    "MEC-HXM-IPM-01", "GMD", "CxiDg1_Imb01", "CxiDg2_Imb01", "CxiDg2_Imb02", "CxiDg3_Imb01", "CxiDg1_Pim",
    "CxiDg2_Pim", "CxiDg3_Pim", "XppMon_Pim0", "XppMon_Pim1", "XppSb2_Ipm", "XppSb3_Ipm", "XppSb3_Pim",
    "XppSb4_Pim", "XppEnds_Ipm0", "XppEnds_Ipm1", "MEC-XT2-PIM-02", "MEC-XT2-PIM-03", "CxiDg3_Spec",
    "NH2-SB1-IPM-02", "FEE-SPEC0", "SXR-SPEC0", "XPP-SPEC0", "XCS-USR-IPM-01", "XCS-USR-IPM-02",
    "XCS-USR-IPM-03", "XCS-USR-IPM-04", "XCS-IPM-04", "XCS-DIO-04", "XCS-IPM-05", "XCS-DIO-05",
    "XCS-IPM-gon", "XCS-IPM-ladm", "XPP-AIN-01", "XCS-AIN-01", "AMO-AIN-01", "MFX-BEAMMON-01", "EOrbits",
    "MfxDg1_Pim", "MfxDg2_Pim", "SXR-AIN-01", "HX2-SB1-BMMON", "XRT-USB-ENCODER-01", "XPP-USB-ENCODER-01",
    "XPP-USB-ENCODER-02", "XCS-USB-ENCODER-01", "CXI-USB-ENCODER-01", "XCS-SND-DIO", "MFX-USR-DIO",
    "XPP-SB2-BMMON", "XPP-SB3-BMMON", "HFX-DG2-BMMON", "XCS-SB1-BMMON", "XCS-SB2-BMMON", "CXI-DG2-BMMON",
    "CXI-DG3-BMMON", "MFX-DG1-BMMON", "MFX-DG2-BMMON", "MFX-AIN-01",
];

/// Types of containers and leaves. Files after 2018 hold higher numbers.
pub(super) const TYPES: [&str; 113] = [
    "Any", "Xtc", "Frame", "AcqWaveform", "AcqConfig", "TwoDGaussian", "Opal1kConfig", "FrameFexConfig",
    "EvrConfig", "TM6740Config", "RunControlConfig", "pnCCDframe", "pnCCDconfig", "Epics",
    "FEEGasDetEnergy", "EBeamBld", "PhaseCavity", "PrincetonFrame", "PrincetonConfig", "EvrData",
    "FrameFccdConfig", "FccdConfig", "IpimbData", "IpimbConfig", "EncoderData", "EncoderConfig",
    "EvrIOConfig", "PrincetonInfo", "CspadElement", "CspadConfig", "IpmFexConfig", "IpmFex",
    "DiodeFexConfig", "DiodeFex", "PimImageConfig", "SharedIpimb", "AcqTDCConfig", "AcqTDCData", "Index",
    "XampsConfig", "XampsElement", "Cspad2x2Element", "SharedPIM", "Cspad2x2Config", "FexampConfig",
    "FexampElement", "Gsc16aiConfig", "Gsc16aiData", "PhasicsConfig", "TimepixConfig", "TimepixData",
    "CspadCompressedElement", "OceanOpticsConfig", "OceanOpticsData", "EpicsConfig", "FliConfig",
    "FliFrame", "QuartzConfig", "Reserved1", "Reserved2", "AndorConfig", "AndorFrame", "UsdUsbData",
    "UsdUsbConfig", "GMD", "SharedAcqADC", "OrcaConfig", "ImpData", "ImpConfig", "AliasConfig", "L3TConfig",
    "L3TData", "Spectrometer", "RayonixConfig", "EpixConfig", "EpixElement", "EpixSamplerConfig",
    "EpixSamplerElement", "EvsConfig", "PartitionConfig", "PimaxConfig", "PimaxFrame", "Arraychar",
    "Epix10kConfig", "Epix100aConfig", "GenericPgpConfig", "TimeToolConfig", "TimeToolData", "EpixSConfig",
    "SmlDataConfig", "SmlDataOrigDgramOffset", "SmlDataProxy", "ArrayUInt16", "GotthardConfig",
    "AnalogInput", "SmlData", "Andor3dConfig", "Andor3dFrame", "BeamMonitorBldData", "Generic1DConfig",
    "Generic1DData", "UsdUsbFexConfig", "UsdUsbFexData", "EOrbits", "SharedUsdUsb", "ControlsCameraConfig",
    "ArchonConfig", "JungfrauConfig", "JungfrauElement", "QuadAdcConfig", "ZylaConfig", "ZylaFrame",
    "Epix10kaConfig",
];
