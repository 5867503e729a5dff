//! The PVs of areaDetector (ADCore R3-14, ADSimDetector 2.11), and why we lack some of them.

/// Which names a PV has upstream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Has {
    /// `X`, to be written, and `X_RBV`.
    Both,
    /// `X_RBV` alone.
    Readback,
    /// `X` alone, to be written.
    Setpoint,
    /// `X` alone, to be read.
    Plain,
}

/// The PVs of one of areaDetector's templates.
pub(super) struct Template {
    pub(super) name: &'static str,
    /// The type of node that has them; `None`: every one.
    pub(super) node: Option<&'static str>,
    pub(super) both: &'static str,
    pub(super) readbacks: &'static str,
    pub(super) setpoints: &'static str,
    pub(super) plain: &'static str,
}

impl Template {
    /// All suffixes.
    pub(super) fn suffixes(&self) -> Vec<(&'static str, Has)> {
        let lists = [
            (self.both, Has::Both),
            (self.readbacks, Has::Readback),
            (self.setpoints, Has::Setpoint),
            (self.plain, Has::Plain),
        ];
        lists.into_iter().flat_map(|(names, has)| names.split_whitespace().map(move |n| (n, has))).collect()
    }
}

pub(super) static TEMPLATES: &[Template] = &[
    Template {
        name: "NDArrayBase: every node",
        node: None,
        both: "Acquire NDimensions Dimensions ArraySize0 ArraySize1 ArraySize2 ArraySize3 ArraySize4 ArraySize5 \
               ArraySize6 ArraySize7 ArraySize8 ArraySize9 DataType ColorMode ArrayCounter ArrayCallbacks \
               NumPreAllocBuffers",
        readbacks: "ADCoreVersion DriverVersion PortName Manufacturer Model SerialNumber SDKVersion FirmwareVersion \
                    BayerPattern ArraySizeX ArraySizeY ArraySizeZ ArraySize CompressedSize EpicsTSSec EpicsTSNsec \
                    Codec UniqueId TimeStamp ArrayRate",
        setpoints: "SetAcquireBusy ClearAcquireBusy WaitForPlugins NDAttributesMacros NDAttributesFile \
                    PoolPollStats EmptyFreeList PreAllocBuffers",
        plain: "AcquireBusy AcquireBusyCB NDAttributesStatus PoolMaxMem PoolUsedMem PoolAllocBuffers \
                PoolFreeBuffers PoolUsedBuffers NumQueuedArrays",
    },
    Template {
        name: "ADBase: detectors",
        node: Some("sim_detector"),
        both: "BinX BinY SizeX SizeY NumExposures NumImages MinX MinY ReverseX ReverseY AcquireTime Gain \
               AcquirePeriod FrameType ImageMode TriggerMode ShutterMode ShutterControl ShutterOpenDelay \
               ShutterCloseDelay Temperature",
        readbacks: "MaxSizeX MaxSizeY NumExposuresCounter TimeRemaining NumImagesCounter DetectorState StatusMessage \
                    StringToServer StringFromServer ShutterStatus ShutterStatusEPICS",
        setpoints: "ReadStatus ShutterFanout ShutterOpenEPICS ShutterCloseEPICS AsynIO",
        plain: "ShutterControlEPICS TemperatureActual",
    },
    Template {
        name: "simDetector: `sim_detector`",
        node: Some("sim_detector"),
        both: "GainX GainY GainRed GainGreen GainBlue Offset Noise PeakVariation XSine1Phase XSine2Phase \
               YSine1Phase YSine2Phase Reset SimMode PeakStartX PeakStartY PeakNumX PeakNumY PeakStepX PeakStepY \
               PeakWidthX PeakWidthY XSineOperation YSineOperation XSine1Amplitude XSine2Amplitude \
               YSine1Amplitude YSine2Amplitude XSine1Frequency XSine2Frequency YSine1Frequency YSine2Frequency",
        readbacks: "",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDPluginBase: all but detectors",
        node: Some("null"),
        both: "NDArrayPort NDArrayAddress EnableCallbacks MinCallbackTime MaxByteRate MaxArrayRate \
               BlockingCallbacks DroppedArrays DroppedOutputArrays QueueSize DisorderedArrays NumThreads SortMode \
               SortTime SortSize",
        readbacks: "PluginType ExecutionTime MaxThreads",
        setpoints: "MaxArrayRate_COUT QueueFreeLow QueueUseHIGH QueueUseHIHI SortFreeLow ProcessPlugin",
        plain: "QueueFree QueueUse SortFree",
    },
    Template {
        name: "NDStats: `statistics`",
        node: Some("statistics"),
        both: "ComputeStatistics BgdWidth MinValue MaxValue MeanValue Total Net MinX MinY MaxX MaxY CentroidTotal \
               CentroidX CentroidY SigmaX SigmaY SigmaXY ComputeCentroid ComputeProfiles ComputeHistogram \
               CentroidThreshold SkewX SkewY KurtosisX KurtosisY Eccentricity Orientation HistEntropy CursorX \
               CursorY HistSize HistMin HistMax HistBelow HistAbove",
        readbacks: "Sigma ProfileSizeX ProfileSizeY ProfileAverageX ProfileAverageY ProfileThresholdX \
                    ProfileThresholdY ProfileCentroidX ProfileCentroidY ProfileCursorX ProfileCursorY Histogram \
                    HistogramX",
        setpoints: "SigmaValue Reset Reset1 Reset2",
        plain: "CursorVal TSMinValue TSMinX TSMinY TSMaxValue TSMaxX TSMaxY TSMeanValue TSSigma TSTotal TSNet \
                TSCentroidTotal TSCentroidX TSCentroidY TSSigmaX TSSigmaY TSSigmaXY TSSkewX TSSkewY TSKurtosisX \
                TSKurtosisY TSEccentricity TSOrientation TSTimestamp",
    },
    Template {
        name: "NDROI: `roi`",
        node: Some("roi"),
        both: "Name BinX BinY BinZ MinX MinY MinZ SizeX SizeY SizeZ AutoSizeX AutoSizeY AutoSizeZ ReverseX ReverseY \
               ReverseZ EnableX EnableY EnableZ EnableScale CollapseDims Scale DataTypeOut",
        readbacks: "MaxSizeX MaxSizeY MaxSizeZ",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDProcess: `process`",
        node: Some("process"),
        both: "DataTypeOut SaveBackground SaveFlatField ResetFilter EnableBackground EnableFlatField \
               EnableOffsetScale EnableLowClip EnableHighClip EnableFilter ScaleFlatField AutoOffsetScale Offset \
               LowClipThresh LowClipValue OOffset FOffset ROffset Scale OScale OC1 OC2 OC3 OC4 FScale FC1 FC2 FC3 \
               FC4 RC1 RC2 HighClipThresh HighClipValue AutoResetFilter FilterCallbacks NumFilter",
        readbacks: "ValidBackground ValidFlatField NumFiltered",
        setpoints: "ReadBackgroundTIFFSeq ReadFlatFieldTIFFSeq PortBackup FilterType FilterTypeSeq",
        plain: "NumFilterRecip",
    },
    Template {
        name: "NDTransform: `transform`",
        node: Some("transform"),
        both: "",
        readbacks: "",
        setpoints: "Type",
        plain: "",
    },
    Template {
        name: "NDCodec: `compress`",
        node: Some("compress"),
        both: "Mode Compressor JPEGQuality ZlibCLevel BloscCompressor BloscCLevel BloscShuffle BloscNumThreads \
               LZ4HDF5BlockSize",
        readbacks: "CompFactor",
        setpoints: "",
        plain: "CodecStatus CodecError",
    },
    Template {
        name: "NDStdArrays: `image`",
        node: Some("image"),
        both: "",
        readbacks: "",
        setpoints: "",
        plain: "ArrayData",
    },
    Template {
        name: "NDPva: `pva_image`",
        node: Some("pva_image"),
        both: "",
        readbacks: "PvName",
        setpoints: "",
        plain: "Image",
    },
    Template {
        name: "NDFile: `tiff_files`",
        node: Some("tiff_files"),
        both: "FilePath FileName FileTemplate CreateDirectory FileNumber AutoIncrement AutoSave WriteFile ReadFile \
               FileFormat FileWriteMode Capture NumCapture DeleteDriverFile LazyOpen TempSuffix",
        readbacks: "FilePathExists FullFileName NumCaptured",
        setpoints: "FreeCapture",
        plain: "WriteStatus WriteMessage",
    },
];

const GLUE: &str = "joins records inside an IOC; clients do not use it";
const NO_SHUTTER: &str = "no detector of ours has a shutter";
const NO_COOLER: &str = "no detector of ours has a cooler";
const TIME_SERIES: &str = "time series are a node of their own, which does not exist yet";
const RESET: &str =
    "results are those of the last frame; the set-point upstream only serves `Reset`, which zeroes them";
const ALWAYS_STREAMS: &str = "files are written as frames come; capturing into memory does not exist";

/// Why a PV is not served, or not to be written.
pub(super) static REASONS: &[(&str, &str)] = &[
    (
        "ArraySize3 ArraySize4 ArraySize5 ArraySize6 ArraySize7 ArraySize8 ArraySize9",
        "`Dimensions_RBV` has all ten",
    ),
    ("NDimensions Dimensions ArraySize0 ArraySize1 ArraySize2", "frames have the size that they have"),
    ("DataType ColorMode", "to be written only where the detector chooses it"),
    (
        "ArrayCallbacks",
        "what a node sends is decided by who is connected; `EnableCallbacks` of the receivers",
    ),
    ("NumPreAllocBuffers PreAllocBuffers EmptyFreeList", "memory is taken before the run, see `preallocate`"),
    ("BayerPattern", "no node handles Bayer patterns yet"),
    ("SetAcquireBusy ClearAcquireBusy AcquireBusyCB", GLUE),
    ("NDAttributesMacros NDAttributesStatus", "attributes are not read from files"),
    ("PoolPollStats", "the numbers of the pool are always fresh"),
    (
        "PoolFreeBuffers PoolUsedBuffers",
        "buffers come home without being counted: that is what makes them quick",
    ),
    (
        "NumExposures NumExposuresCounter TimeRemaining FrameType TriggerMode",
        "simDetector does nothing with it",
    ),
    ("StringToServer StringFromServer ReadStatus AsynIO", "there is no device behind a serial line"),
    (
        "ShutterMode ShutterControl ShutterOpenDelay ShutterCloseDelay ShutterStatus ShutterStatusEPICS ShutterFanout \
         ShutterOpenEPICS ShutterCloseEPICS ShutterControlEPICS",
        NO_SHUTTER,
    ),
    ("Temperature TemperatureActual", NO_COOLER),
    ("MaxByteRate", "`MinCallbackTime` limits frames; bytes follow from them"),
    ("BlockingCallbacks NumThreads", "threads are placed by the pipeline file, before the run"),
    (
        "DisorderedArrays SortMode SortTime SortSize SortFree SortFreeLow",
        "copies of a node always keep the order",
    ),
    ("MaxArrayRate_COUT QueueFreeLow QueueUseHIGH QueueUseHIHI", GLUE),
    ("ProcessPlugin", "a node keeps no frame to handle again"),
    (
        "MinValue MaxValue MeanValue Total Net MinX MinY MaxX MaxY CentroidTotal CentroidX CentroidY SigmaX SigmaY \
         SigmaXY SkewX SkewY KurtosisX KurtosisY Eccentricity Orientation HistEntropy HistBelow HistAbove SigmaValue \
         Reset1 Reset2 Reset",
        RESET,
    ),
    (
        "TSMinValue TSMinX TSMinY TSMaxValue TSMaxX TSMaxY TSMeanValue TSSigma TSTotal TSNet TSCentroidTotal \
         TSCentroidX TSCentroidY TSSigmaX TSSigmaY TSSigmaXY TSSkewX TSSkewY TSKurtosisX TSKurtosisY TSEccentricity \
         TSOrientation TSTimestamp",
        TIME_SERIES,
    ),
    ("Mode", "`compress` and `decompress` are two types of nodes"),
    (
        "BloscNumThreads",
        "one thread compresses a frame; where the node is a pool, several are compressed at once",
    ),
    ("ReadBackgroundTIFFSeq ReadFlatFieldTIFFSeq PortBackup FilterTypeSeq NumFilterRecip", GLUE),
    (
        "AutoSave WriteFile ReadFile FileFormat FileWriteMode Capture NumCapture DeleteDriverFile LazyOpen \
         FreeCapture",
        ALWAYS_STREAMS,
    ),
];

/// Why `suffix` is not served, or not to be written.
pub(super) fn reason(suffix: &str) -> Option<&'static str> {
    let has = |names: &str| names.split_whitespace().any(|n| n == suffix);
    REASONS.iter().find(|(names, _)| has(names)).map(|(_, reason)| *reason)
}
