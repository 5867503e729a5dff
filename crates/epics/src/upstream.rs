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
               ArraySize6 ArraySize7 ArraySize8 ArraySize9 Dim0SA Dim1SA Dim2SA Dim3SA Dim4SA Dim5SA Dim6SA Dim7SA \
               Dim8SA Dim9SA DataType ColorMode ArrayCounter ArrayCallbacks \
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
        name: "NDColorConvert: `color_convert`",
        node: Some("color_convert"),
        both: "ColorModeOut FalseColor",
        readbacks: "",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDBadPixel: `bad_pixels`",
        node: Some("bad_pixels"),
        both: "",
        readbacks: "",
        setpoints: "FileName",
        plain: "",
    },
    Template {
        name: "NDOverlay: `overlay`",
        node: Some("overlay"),
        both: "",
        readbacks: "MaxSizeX MaxSizeY",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDOverlayN: `overlay`, for each of its shapes `1:` to `8:`",
        node: Some("overlay"),
        both: "Name Use PositionX PositionY CenterX CenterY SizeX SizeY WidthX WidthY Shape \
               DrawMode Red Green Blue DisplayText TimeStampFormat Font",
        readbacks: "",
        setpoints: "PositionXLink PositionYLink CenterXLink CenterYLink SizeXLink SizeYLink WidthXLink \
                    WidthYLink",
        plain: "SetXHOPR SetYHOPR",
    },
    Template {
        name: "NDPosPlugin: `positions`",
        node: Some("positions"),
        both: "Filename Running Mode Missing Duplicate IDName IDStart IDDifference",
        readbacks: "FileValid Qty Index Position ExpectedID",
        setpoints: "Reset Delete",
        plain: "",
    },
    Template {
        name: "NDDriverStdArrays: `array_source`",
        node: Some("array_source"),
        both: "CallbackMode AppendMode NextElement Stride FillValue",
        readbacks: "NumElements",
        setpoints: "DoCallbacksScan DoCallbacks NewArray ArrayComplete ArrayIn",
        plain: "",
    },
    Template {
        name: "NDScatter: `scatter`",
        node: Some("scatter"),
        both: "ScatterMethod",
        readbacks: "",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDGatherN, for each of its inputs: `gather`",
        node: Some("gather"),
        both: "NDArrayPort_1 NDArrayAddress_1 NDArrayPort_2 NDArrayAddress_2 NDArrayPort_3 NDArrayAddress_3 \
               NDArrayPort_4 NDArrayAddress_4 NDArrayPort_5 NDArrayAddress_5 NDArrayPort_6 NDArrayAddress_6 \
               NDArrayPort_7 NDArrayAddress_7 NDArrayPort_8 NDArrayAddress_8",
        readbacks: "",
        setpoints: "",
        plain: "",
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
    Template {
        name: "NDFileHDF5: `hdf5_files`",
        node: Some("hdf5_files"),
        both: "ChunkSizeAuto NumRowChunks NumColChunks ChunkSize2 ChunkSize3 ChunkSize4 ChunkSize5 ChunkSize6 \
               ChunkSize7 ChunkSize8 ChunkSize9 NumFramesChunks NDAttributeChunk BoundaryAlign BoundaryThreshold \
               NumExtraDims ExtraDimSizeN ExtraDimSizeX ExtraDimSizeY ExtraDimSize3 ExtraDimSize4 ExtraDimSize5 \
               ExtraDimSize6 ExtraDimSize7 ExtraDimSize8 ExtraDimSize9 ExtraDimChunkX ExtraDimChunkY ExtraDimChunk3 \
               ExtraDimChunk4 ExtraDimChunk5 ExtraDimChunk6 ExtraDimChunk7 ExtraDimChunk8 ExtraDimChunk9 StoreAttr \
               StorePerform NumFramesFlush Compression NumDataBits DataBitsOffset SZipNumPixels ZLevel BloscShuffle \
               BloscCompressor BloscLevel JPEGQuality DimAttDatasets XMLFileName SWMRMode PositionMode PosNameDimN \
               PosNameDimX PosNameDimY PosNameDim3 PosNameDim4 PosNameDim5 PosNameDim6 PosNameDim7 PosNameDim8 \
               PosNameDim9 PosIndexDimN PosIndexDimX PosIndexDimY PosIndexDim3 PosIndexDim4 PosIndexDim5 \
               PosIndexDim6 PosIndexDim7 PosIndexDim8 PosIndexDim9 FillValue",
        readbacks: "ExtraDimNameN ExtraDimNameX ExtraDimNameY ExtraDimName3 ExtraDimName4 ExtraDimName5 ExtraDimName6 \
                    ExtraDimName7 ExtraDimName8 ExtraDimName9 XMLErrorMsg XMLValid SWMRSupported SWMRActive \
                    SWMRCbCounter",
        setpoints: "FlushNow",
        plain: "RunTime IOSpeed",
    },
    Template {
        name: "NDFileJPEG: `jpeg_files`",
        node: Some("jpeg_files"),
        both: "JPEGQuality",
        readbacks: "",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDFileMagick: `png_files`",
        node: Some("png_files"),
        both: "Quality BitDepth CompressType",
        readbacks: "",
        setpoints: "",
        plain: "",
    },
    Template {
        name: "NDCircularBuff: `circular_buffer`",
        node: Some("circular_buffer"),
        both: "Capture TriggerA TriggerB TriggerCalc PreCount PostCount Trigger PresetTriggerCount FlushOnSoftTrg",
        readbacks: "CurrentQty PostTriggerQty ActualTriggerCount",
        setpoints: "",
        plain: "StatusMessage TriggerAVal TriggerBVal TriggerCalcVal",
    },
    Template {
        name: "NDTimeSeries, and NDTimeSeriesN for each signal: `time_series`",
        node: Some("time_series"),
        both: "TSTimePerPoint TSAveragingTime TSAcquireMode",
        readbacks: "",
        setpoints: "TSAcquire TSRead TSNumPoints TSTimePerPointLink Name",
        plain: "TSAcquiring TSCurrentPoint TSNumAverage TSElapsedTime TSTimestamp TSTimeAxis TimeSeries",
    },
    Template {
        name: "NDROIStat, and NDROIStatN for each region: `roi_statistics`",
        node: Some("roi_statistics"),
        both: "Use BgdWidth MinX MinY SizeX SizeY",
        readbacks: "MaxSizeX MaxSizeY MinValue MaxValue MeanValue Total Net",
        setpoints: "ResetAll TSControl TSRead TSNumPoints Name Reset",
        plain: "TSCurrentPoint TSAcquiring TSMinValue TSMaxValue TSMeanValue TSTotal TSNet TSTimestamp",
    },
    Template {
        name: "NDAttribute, and NDAttributeN for each attribute: `attributes`",
        node: Some("attributes"),
        both: "AttrName",
        readbacks: "Value ValueSum",
        setpoints: "Reset",
        plain: "TSArrayValue",
    },
    Template {
        name: "NDAttrPlot, with the numbers and axes that its databases are given: `attribute_plot`",
        node: Some("attribute_plot"),
        both: "X:DataSelect0 Y:DataSelect0 Y:DataSelect1 Y:DataSelect2 Y:DataSelect3",
        readbacks: "",
        setpoints: "Reset",
        plain: "NPts Attr0 Attr1 Attr2 Attr3 Attr4 Attr5 Attr6 Attr7 Attr8 Attr9 Attr10 Attr11 Attr12 Attr13 Attr14 \
                Attr15 X:Data0 X:DataLabel0 Y:Data0 Y:DataLabel0 Y:Data1 Y:DataLabel1 Y:Data2 Y:DataLabel2 Y:Data3 \
                Y:DataLabel3",
    },
    Template {
        name: "NDFFT: `fft`",
        node: Some("fft"),
        both: "FFTTimePerPoint FFTDirection FFTSuppressDC FFTNumAverage",
        readbacks: "",
        setpoints: "FFTTimePerPointLink FFTResetAverage Name",
        plain: "FFTTimeAxis FFTFreqAxis FFTNumAveraged FFTTimeSeries FFTReal FFTImaginary FFTAbsValue",
    },
];

const GLUE: &str = "joins records inside an IOC; clients do not use it";
const LINK: &str = "the name of the PV to follow is written to the field `.DOL` of this name";
const TIME_SERIES: &str = "served under this name where a `time_series` is connected to the output `values`";
const RESET: &str = "results are those of the last frame; the set-point upstream only serves `Reset`, which zeroes them here, too";

/// Why a PV is not served, or not to be written.
pub(super) static REASONS: &[(&str, &str)] = &[
    (
        "NDimensions Dimensions ArraySize0 ArraySize1 ArraySize2 ArraySize3 ArraySize4 ArraySize5 ArraySize6 ArraySize7 \
         ArraySize8 ArraySize9 Dim0SA Dim1SA Dim2SA Dim3SA Dim4SA Dim5SA Dim6SA Dim7SA Dim8SA Dim9SA",
        "frames have the size that they have",
    ),
    ("DataType ColorMode", "to be written only where the detector chooses it"),
    (
        "BayerPattern",
        "frames carry it as an attribute; `color_convert` has a parameter for those that do not",
    ),
    ("SetAcquireBusy ClearAcquireBusy ShutterFanout ShutterOpenEPICS ShutterCloseEPICS", GLUE),
    ("AsynIO MaxArrayRate_COUT QueueFreeLow QueueUseHIGH QueueUseHIHI SortFreeLow", GLUE),
    ("BlockingCallbacks NumThreads", "threads are placed by the pipeline file, before the run"),
    ("SortMode", "copies of a node always keep the order"),
    (
        "MinValue MaxValue MeanValue Total Net MinX MinY MaxX MaxY CentroidTotal CentroidX CentroidY SigmaX SigmaY \
         SigmaXY SkewX SkewY KurtosisX KurtosisY Eccentricity Orientation HistEntropy HistBelow HistAbove SigmaValue \
         Reset1 Reset2",
        RESET,
    ),
    ("TSArrayValue", TIME_SERIES),
    ("TSTimePerPointLink FFTTimePerPointLink", LINK),
    (
        "TSMinValue TSMinX TSMinY TSMaxValue TSMaxX TSMaxY TSMeanValue TSSigma TSTotal TSNet TSCentroidTotal \
         TSCentroidX TSCentroidY TSSigmaX TSSigmaY TSSigmaXY TSSkewX TSSkewY TSKurtosisX TSKurtosisY TSEccentricity \
         TSOrientation TSTimestamp",
        TIME_SERIES,
    ),
    ("Mode", "`compress` and `decompress` are two types of nodes"),
    ("ReadBackgroundTIFFSeq ReadFlatFieldTIFFSeq PortBackup FilterTypeSeq NumFilterRecip", GLUE),
    ("PositionXLink PositionYLink CenterXLink CenterYLink SizeXLink SizeYLink WidthXLink WidthYLink", LINK),
    ("SetXHOPR SetYHOPR DoCallbacksScan", GLUE),
];

/// Why `suffix` is not served, or not to be written.
pub(super) fn reason(suffix: &str) -> Option<&'static str> {
    let has = |names: &str| names.split_whitespace().any(|n| n == suffix);
    REASONS.iter().find(|(names, _)| has(names)).map(|(_, reason)| *reason)
}
