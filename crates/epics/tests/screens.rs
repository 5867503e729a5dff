//! areaDetector's own Phoebus screens (ADCore R3-15): no PV that one of them shows is disconnected.
//!
//! Only the names of the PVs are here, as the screens use them: `X` of `pairs` stands for `X` and `X_RBV`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use livetime_control::access::Access;
use livetime_control::config;
use livetime_control::model::{Bell, Model};
use livetime_engine::{Run, RunOptions};
use livetime_epics::{Options, Served};
use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::server::ServerConfig;

/// No test waits this long unless something is broken.
const LONG: Duration = livetime_testkit::HANG;

/// A node of each kind that has a screen.
const TEXT: &str = "\
memory: 512 MiB
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire: false}}
  IMAGE1: {type: image, from: cam}
  PVA1: {type: pva_image, from: cam}
  PROC1: {type: process, from: cam}
  TRANS1: {type: transform, from: cam}
  CC1: {type: color_convert, from: cam}
  CC2: {type: color_convert, from: cam}
  OVER1: {type: overlay, from: cam}
  ROI1: {type: roi, from: cam}
  ROI2: {type: roi, from: cam}
  ROI3: {type: roi, from: cam}
  ROI4: {type: roi, from: cam}
  STATS1: {type: statistics, from: cam}
  STATS2: {type: statistics, from: cam}
  STATS3: {type: statistics, from: cam}
  STATS4: {type: statistics, from: cam}
  STATS5: {type: statistics, from: cam}
  series: {type: time_series, from: STATS1.values}
  ROISTAT1: {type: roi_statistics, from: cam}
  CB1: {type: circular_buffer, from: cam}
  ATTR1: {type: attributes, from: cam}
  kept: {type: time_series, from: ATTR1.values}
  FFT1: {type: fft, from: cam}
  CODEC1: {type: compress, from: cam}
  CODEC2: {type: decompress, from: CODEC1}
  BADPIX1: {type: bad_pixels, from: cam}
  POS1: {type: positions, from: cam}
  SCATTER1: {type: scatter, from: cam}
  GATHER1: {type: gather, from: [SCATTER1.out1, SCATTER1.out2]}
  NETCDF1: {type: netcdf_files, from: cam}
  TIFF1: {type: tiff_files, from: cam}
  JPEG1: {type: jpeg_files, from: cam}
  MAGICK1: {type: png_files, from: cam}
  HDF1: {type: hdf5_files, from: cam}
  NULL1: {type: 'null', from: cam}
";

/// The names on one screen.
struct Screen {
    name: &'static str,
    instance: &'static str,
    pairs: &'static str,
    names: &'static str,
}

/// The plugins of the screen `commonPlugins`, without Nexus, which is not here.
const PLUGINS: &str = "image1 Proc1 Trans1 CC1 CC2 Over1 ROI1 ROI2 ROI3 ROI4 Stats1 Stats2 Stats3 Stats4 Stats5 ROIStat1 \
                       CB1 Scatter1 Gather1 Attr1 Pva1 FFT1 Codec1 Codec2 netCDF1 TIFF1 JPEG1 Magick1 HDF1 BadPix1";
/// The names on it of each plugin.
const OF_PLUGIN: &str = "ArrayRate_RBV BlockingCallbacks DroppedArrays_RBV EnableCallbacks EnableCallbacks_RBV NDArrayPort \
                         PluginType_RBV PortName_RBV QueueFree";

/// The names on the screens of all plugins, and on the screens of all writers; NDFileNull shows nothing else.
#[rustfmt::skip]
const PLUGIN_BASE: [&str; 2] = [
    "ArrayCallbacks ArrayCounter DroppedArrays EnableCallbacks MinCallbackTime NDArrayAddress NDArrayPort",
    "ADCoreVersion_RBV ArrayRate_RBV ArraySize0_RBV ArraySize1_RBV ArraySize2_RBV ColorMode_RBV \
                DataType_RBV DriverVersion_RBV ExecutionTime_RBV NDimensions_RBV PluginType_RBV PortName_RBV \
                ProcessPlugin QueueFree QueueSize TimeStamp_RBV UniqueId_RBV",
];
#[rustfmt::skip]
const FILE_BASE: [&str; 2] = [
    "AutoIncrement AutoSave Capture CreateDirectory DeleteDriverFile FileName FileNumber FilePath \
                FileTemplate FileWriteMode LazyOpen NumCapture ReadFile TempSuffix WriteFile",
    "FilePathExists_RBV FreeCapture FullFileName_RBV NumCaptured_RBV WriteMessage WriteStatus",
];

#[rustfmt::skip]
const SCREENS: &[Screen] = &[
    Screen {
        name: "ADAttrFile",
        instance: "cam1",
        pairs: "",
        names: "NDAttributesFile NDAttributesMacros NDAttributesStatus",
    },
    Screen {
        name: "ADBuffers",
        instance: "cam1",
        pairs: "",
        names: "EmptyFreeList NumPreAllocBuffers PoolAllocBuffers PoolFreeBuffers PoolMaxMem PoolPollStats.SCAN \
                PoolUsedBuffers PoolUsedMem PreAllocBuffers",
    },
    Screen {
        name: "ADCollect",
        instance: "cam1",
        pairs: "AcquirePeriod AcquireTime ArrayCallbacks ArrayCounter ImageMode NumExposures NumImages TriggerMode",
        names: "Acquire AcquireBusy ArrayRate_RBV DetectorState_RBV NumImagesCounter_RBV NumQueuedArrays \
                StatusMessage_RBV TimeRemaining_RBV WaitForPlugins",
    },
    Screen {
        name: "ADEpicsShutter",
        instance: "cam1",
        pairs: "",
        names: "ShutterCloseEPICS.OCAL ShutterCloseEPICS.OUT ShutterOpenEPICS.OCAL ShutterOpenEPICS.OUT \
                ShutterStatusEPICS_RBV.INP ShutterStatusEPICS_RBV.ONVL ShutterStatusEPICS_RBV.ZRVL",
    },
    Screen {
        name: "ADReadout",
        instance: "cam1",
        pairs: "BinX BinY ColorMode DataType Gain MinX MinY ReverseX ReverseY SizeX SizeY",
        names: "ArraySizeX_RBV ArraySizeY_RBV ArraySize_RBV MaxSizeX_RBV MaxSizeY_RBV",
    },
    Screen {
        name: "ADSetup",
        instance: "cam1",
        pairs: "",
        names: "ADCoreVersion_RBV AsynIO.CNCT DriverVersion_RBV FirmwareVersion_RBV Manufacturer_RBV Model_RBV \
                PortName_RBV SDKVersion_RBV SerialNumber_RBV",
    },
    Screen {
        name: "ADShutter",
        instance: "cam1",
        pairs: "",
        names: "ShutterCloseDelay ShutterControl ShutterMode ShutterOpenDelay ShutterStatusEPICS_RBV \
                ShutterStatus_RBV",
    },
    Screen {
        name: "NDBadPixel",
        instance: "BadPix1",
        pairs: "",
        names: "FileName",
    },
    Screen {
        name: "NDCircularBuff",
        instance: "CB1",
        pairs: "ArrayCallbacks ArrayCounter Capture DroppedArrays EnableCallbacks FlushOnSoftTrg MinCallbackTime \
                NDArrayAddress NDArrayPort PostCount PreCount PresetTriggerCount Trigger TriggerA TriggerB \
                TriggerCalc",
        names: "ADCoreVersion_RBV ActualTriggerCount_RBV ArrayRate_RBV ArraySize0_RBV ArraySize1_RBV ArraySize2_RBV \
                ColorMode_RBV CurrentQty_RBV DataType_RBV DriverVersion_RBV ExecutionTime_RBV NDimensions_RBV \
                PluginType_RBV PortName_RBV PostTriggerQty_RBV ProcessPlugin QueueFree QueueSize StatusMessage \
                TimeStamp_RBV TriggerAVal TriggerBVal TriggerCalcVal UniqueId_RBV",
    },
    Screen {
        name: "NDCodec",
        instance: "Codec1",
        pairs: "BloscCLevel BloscCompressor BloscNumThreads BloscShuffle Compressor JPEGQuality LZ4HDF5BlockSize \
                Mode ZlibCLevel",
        names: "CodecError CodecStatus CompFactor_RBV",
    },
    Screen {
        name: "NDColorConvert",
        instance: "CC1",
        pairs: "ColorModeOut FalseColor",
        names: "",
    },
    Screen {
        name: "NDFFT",
        instance: "FFT1",
        pairs: "",
        names: "FFTDirection FFTNumAverage FFTNumAveraged FFTResetAverage FFTSuppressDC Name",
    },
    Screen {
        name: "NDFFTPlotAll",
        instance: "FFT1",
        pairs: "",
        names: "FFTAbsValue FFTFreqAxis FFTImaginary FFTReal FFTTimeSeries Name",
    },
    Screen {
        name: "NDFFTTimeSeriesPlot",
        instance: "FFT1",
        pairs: "",
        names: "FFTSuppressDC FFTTimeSeries Name",
    },
    Screen {
        name: "NDFFTFreqSpectrumPlot",
        instance: "FFT1",
        pairs: "",
        names: "FFTFreqAxis FFTNumAverage FFTNumAveraged FFTResetAverage FFTSuppressDC Name",
    },
    Screen {
        name: "NDFile",
        instance: "TIFF1",
        pairs: "FileFormat",
        names: "",
    },
    Screen {
        name: "NDFileBase",
        instance: "HDF1",
        pairs: FILE_BASE[0],
        names: FILE_BASE[1],
    },
    Screen {
        name: "NDFileNull: NDFileBase",
        instance: "Null1",
        pairs: FILE_BASE[0],
        names: FILE_BASE[1],
    },
    Screen {
        name: "NDFileHDF5",
        instance: "HDF1",
        pairs: "BloscCompressor BloscLevel BloscShuffle BoundaryAlign BoundaryThreshold ChunkSize2 ChunkSizeAuto \
                Compression DataBitsOffset FillValue JPEGQuality NumColChunks NumDataBits NumFramesChunks \
                NumFramesFlush NumRowChunks SWMRMode SZipNumPixels StoreAttr StorePerform XMLFileName ZLevel",
        names: "FlushNow IOSpeed RunTime SWMRActive_RBV SWMRCbCounter_RBV SWMRSupported_RBV XMLErrorMsg_RBV \
                XMLValid_RBV",
    },
    Screen {
        name: "NDFileHDF5_ChunkingFull",
        instance: "HDF1",
        pairs: "ChunkSize2 ChunkSize3 ChunkSize4 ChunkSize5 ChunkSize6 ChunkSize7 ChunkSize8 ChunkSize9 \
                ChunkSizeAuto NumColChunks NumRowChunks",
        names: "",
    },
    Screen {
        name: "NDFileHDF5_ExtraDims",
        instance: "HDF1",
        pairs: "DimAttDatasets ExtraDimChunk3 ExtraDimChunk4 ExtraDimChunk5 ExtraDimChunk6 ExtraDimChunk7 \
                ExtraDimChunk8 ExtraDimChunk9 ExtraDimChunkX ExtraDimChunkY ExtraDimSize3 ExtraDimSize4 \
                ExtraDimSize5 ExtraDimSize6 ExtraDimSize7 ExtraDimSize8 ExtraDimSize9 ExtraDimSizeN ExtraDimSizeX \
                ExtraDimSizeY NumExtraDims",
        names: "ExtraDimName3_RBV ExtraDimName4_RBV ExtraDimName5_RBV ExtraDimName6_RBV ExtraDimName7_RBV \
                ExtraDimName8_RBV ExtraDimName9_RBV ExtraDimNameN_RBV ExtraDimNameX_RBV ExtraDimNameY_RBV",
    },
    Screen {
        name: "NDFileHDF5_Positions",
        instance: "HDF1",
        pairs: "PosIndexDim3 PosIndexDim4 PosIndexDim5 PosIndexDim6 PosIndexDim7 PosIndexDim8 PosIndexDim9 \
                PosIndexDimN PosIndexDimX PosIndexDimY PosNameDim3 PosNameDim4 PosNameDim5 PosNameDim6 PosNameDim7 \
                PosNameDim8 PosNameDim9 PosNameDimN PosNameDimX PosNameDimY PositionMode",
        names: "",
    },
    Screen {
        name: "NDFileJPEG",
        instance: "JPEG1",
        pairs: "JPEGQuality",
        names: "",
    },
    Screen {
        name: "NDFileMagick",
        instance: "Magick1",
        pairs: "BitDepth CompressType Quality",
        names: "",
    },
    Screen {
        name: "NDGather8",
        instance: "Gather1",
        pairs: "NDArrayAddress_1 NDArrayAddress_2 NDArrayAddress_3 NDArrayAddress_4 NDArrayAddress_5 \
                NDArrayAddress_6 NDArrayAddress_7 NDArrayAddress_8 NDArrayPort_1 NDArrayPort_2 NDArrayPort_3 \
                NDArrayPort_4 NDArrayPort_5 NDArrayPort_6 NDArrayPort_7 NDArrayPort_8",
        names: "",
    },
    Screen {
        name: "NDOverlayN",
        instance: "Over1:1",
        pairs: "Blue CenterX CenterY DrawMode Green PositionX PositionY Red Shape SizeX SizeY Use WidthX WidthY",
        names: "CenterXLink.DOL CenterYLink.DOL DisplayText Font Name PositionXLink.DOL PositionYLink.DOL \
                SizeXLink.DOL SizeYLink.DOL TimeStampFormat WidthXLink.DOL WidthYLink.DOL",
    },
    Screen {
        name: "NDPluginAttribute",
        instance: "Attr1",
        pairs: "",
        names: "Reset TS:TSAcquire TS:TSAcquireMode TS:TSAcquiring TS:TSCurrentPoint TS:TSNumPoints TS:TSRead.PROC \
                TS:TSRead.SCAN",
    },
    Screen {
        name: "NDPluginAttribute8",
        instance: "Attr1",
        pairs: "1:AttrName 2:AttrName 3:AttrName 4:AttrName 5:AttrName 6:AttrName 7:AttrName 8:AttrName",
        names: "1:ValueSum_RBV 1:Value_RBV 2:ValueSum_RBV 2:Value_RBV 3:ValueSum_RBV 3:Value_RBV 4:ValueSum_RBV \
                4:Value_RBV 5:ValueSum_RBV 5:Value_RBV 6:ValueSum_RBV 6:Value_RBV 7:ValueSum_RBV 7:Value_RBV \
                8:ValueSum_RBV 8:Value_RBV Reset TS:TSAcquire TS:TSAcquireMode TS:TSAcquiring TS:TSCurrentPoint \
                TS:TSNumPoints TS:TSRead.PROC TS:TSRead.SCAN",
    },
    Screen {
        name: "NDPluginBase",
        instance: "Trans1",
        pairs: PLUGIN_BASE[0],
        names: PLUGIN_BASE[1],
    },
    Screen {
        name: "NDFileNull: NDPluginBase",
        instance: "Null1",
        pairs: PLUGIN_BASE[0],
        names: PLUGIN_BASE[1],
    },
    Screen {
        name: "NDPluginBaseFull",
        instance: "Proc1",
        pairs: "ArrayCallbacks ArrayCounter BlockingCallbacks DisorderedArrays DroppedArrays DroppedOutputArrays \
                EnableCallbacks MaxArrayRate MaxByteRate MinCallbackTime NDArrayAddress NDArrayPort NumThreads \
                SortMode SortTime",
        names: "ADCoreVersion_RBV ArrayRate_RBV ArraySize0_RBV ArraySize1_RBV ArraySize2_RBV BayerPattern_RBV \
                Codec_RBV ColorMode_RBV CompressedSize_RBV DataType_RBV DriverVersion_RBV ExecutionTime_RBV \
                MaxThreads_RBV NDimensions_RBV PluginType_RBV PortName_RBV ProcessPlugin QueueFree QueueSize \
                SortFree SortSize TimeStamp_RBV UniqueId_RBV",
    },
    Screen {
        name: "NDPluginTimeSeries",
        instance: "Stats1:TS",
        pairs: "TSAveragingTime",
        names: "TSAcquire TSAcquireMode TSAcquiring TSCurrentPoint TSElapsedTime TSNumAverage TSNumPoints \
                TSRead.PROC TSRead.SCAN TSTimePerPoint TSTimePerPointLink.DOL",
    },
    Screen {
        name: "NDPos",
        instance: "Pos1",
        pairs: "Duplicate Filename IDDifference IDName IDStart Missing Mode Running",
        names: "Delete ExpectedID_RBV Index_RBV Position_RBV Qty_RBV Reset.PROC",
    },
    Screen {
        name: "NDProcess",
        instance: "Proc1",
        pairs: "DataTypeOut EnableBackground EnableFilter EnableFlatField EnableHighClip EnableLowClip \
                EnableOffsetScale FC1 FC2 FC3 FC4 FOffset FScale HighClipThresh HighClipValue LowClipThresh \
                LowClipValue NumFilter OC1 OC2 OC3 OC4 OOffset OScale Offset RC1 RC2 ROffset Scale ScaleFlatField",
        names: "AutoOffsetScale AutoResetFilter FilterCallbacks FilterType NumFiltered_RBV \
                ReadBackgroundTIFFSeq.PROC ReadFlatFieldTIFFSeq ResetFilter SaveBackground SaveFlatField \
                ValidBackground_RBV ValidFlatField_RBV",
    },
    Screen {
        name: "NDProcessTIFF",
        instance: "Proc1:TIFF",
        pairs: "AutoIncrement FileName FileNumber FilePath FileTemplate",
        names: "FilePathExists_RBV FullFileName_RBV WriteMessage WriteStatus",
    },
    Screen {
        name: "NDPva",
        instance: "Pva1",
        pairs: "",
        names: "PvName_RBV",
    },
    Screen {
        name: "NDROI",
        instance: "ROI1",
        pairs: "AutoSizeX AutoSizeY AutoSizeZ BinX BinY BinZ CollapseDims DataTypeOut EnableScale EnableX EnableY \
                EnableZ MinX MinY MinZ ReverseX ReverseY ReverseZ Scale SizeX SizeY SizeZ",
        names: "ArraySizeX_RBV ArraySizeY_RBV ArraySizeZ_RBV MaxSizeX_RBV MaxSizeY_RBV MaxSizeZ_RBV Name",
    },
    Screen {
        name: "NDROIStat",
        instance: "ROIStat1",
        pairs: "",
        names: "ResetAll TSAcquiring TSControl TSCurrentPoint TSNumPoints TSRead.SCAN",
    },
    Screen {
        name: "NDROIStatN",
        instance: "ROIStat1",
        pairs: "1:BgdWidth 1:MinX 1:MinY 1:SizeX 1:SizeY 1:Use",
        names: "1:MaxSizeX_RBV 1:MaxSizeY_RBV 1:MaxValue_RBV 1:MeanValue_RBV 1:MinValue_RBV 1:Name 1:Net_RBV 1:Reset \
                1:Total_RBV TSAcquiring TSControl TSCurrentPoint TSNumPoints TSRead.SCAN 1:TSMaxValue 1:TSMeanValue \
                1:TSMinValue 1:TSNet 1:TSTotal",
    },
    Screen {
        name: "NDROIStat8",
        instance: "ROIStat1",
        pairs: "",
        names: "1:BgdWidth 1:MaxValue_RBV 1:MeanValue_RBV 1:MinValue_RBV 1:MinX 1:MinY 1:Name 1:Net_RBV 1:SizeX \
                1:SizeY 1:Total_RBV 1:Use 2:BgdWidth 2:MaxValue_RBV 2:MeanValue_RBV 2:MinValue_RBV 2:MinX 2:MinY \
                2:Name 2:Net_RBV 2:SizeX 2:SizeY 2:Total_RBV 2:Use 3:BgdWidth 3:MaxValue_RBV 3:MeanValue_RBV \
                3:MinValue_RBV 3:MinX 3:MinY 3:Name 3:Net_RBV 3:SizeX 3:SizeY 3:Total_RBV 3:Use 4:BgdWidth \
                4:MaxValue_RBV 4:MeanValue_RBV 4:MinValue_RBV 4:MinX 4:MinY 4:Name 4:Net_RBV 4:SizeX 4:SizeY \
                4:Total_RBV 4:Use 5:BgdWidth 5:MaxValue_RBV 5:MeanValue_RBV 5:MinValue_RBV 5:MinX 5:MinY 5:Name \
                5:Net_RBV 5:SizeX 5:SizeY 5:Total_RBV 5:Use 6:BgdWidth 6:MaxValue_RBV 6:MeanValue_RBV 6:MinValue_RBV \
                6:MinX 6:MinY 6:Name 6:Net_RBV 6:SizeX 6:SizeY 6:Total_RBV 6:Use 7:BgdWidth 7:MaxValue_RBV \
                7:MeanValue_RBV 7:MinValue_RBV 7:MinX 7:MinY 7:Name 7:Net_RBV 7:SizeX 7:SizeY 7:Total_RBV 7:Use \
                8:BgdWidth 8:MaxValue_RBV 8:MeanValue_RBV 8:MinValue_RBV 8:MinX 8:MinY 8:Name 8:Net_RBV 8:SizeX \
                8:SizeY 8:Total_RBV 8:Use TSAcquiring TSControl TSCurrentPoint TSNumPoints TSRead.SCAN",
    },
    Screen {
        name: "NDPluginTimeSeriesN",
        instance: "ROIStat1",
        pairs: "1:Use",
        names: "1:Name TSAcquiring TSControl TSCurrentPoint TSNumPoints TSRead.SCAN",
    },
    Screen {
        name: "NDTimeSeries",
        instance: "ROIStat1",
        pairs: "",
        names: "TSAcquiring TSControl TSCurrentPoint TSNumPoints TSRead.SCAN",
    },
    Screen {
        name: "NDStats",
        instance: "Stats1",
        pairs: "BgdWidth CentroidThreshold ComputeCentroid ComputeHistogram ComputeProfiles ComputeStatistics \
                CursorX CursorY HistMax HistMin HistSize",
        names: "CentroidTotal_RBV CentroidX_RBV CentroidY_RBV Eccentricity_RBV HistAbove_RBV HistBelow_RBV \
                HistEntropy_RBV KurtosisX_RBV KurtosisY_RBV MaxValue_RBV MaxX_RBV MaxY_RBV MeanValue_RBV \
                MinValue_RBV MinX_RBV MinY_RBV Net_RBV Orientation_RBV ProfileSizeX_RBV ProfileSizeY_RBV Reset.PROC \
                SigmaXY_RBV SigmaX_RBV SigmaY_RBV Sigma_RBV SkewX_RBV SkewY_RBV TS:TSAcquire TS:TSAcquireMode \
                TS:TSAcquiring TS:TSCurrentPoint TS:TSNumPoints TS:TSRead.PROC TS:TSRead.SCAN Total_RBV \
                Histogram_RBV HistogramX_RBV ProfileAverageX_RBV ProfileAverageY_RBV ProfileCentroidX_RBV \
                ProfileCentroidY_RBV ProfileCursorX_RBV ProfileCursorY_RBV ProfileThresholdX_RBV \
                ProfileThresholdY_RBV",
    },
    Screen {
        name: "NDStatsTimeSeriesBasicAll",
        instance: "Stats1",
        pairs: "",
        names: "TS:TSAcquire TS:TSAcquireMode TS:TSAcquiring TS:TSCurrentPoint TS:TSNumPoints TS:TSRead.PROC \
                TS:TSRead.SCAN TS:TSTimeAxis TSMaxValue TSMaxX TSMaxY TSMeanValue TSMinValue TSMinX TSMinY TSNet \
                TSSigma TSTimestamp TSTotal",
    },
    Screen {
        name: "NDStatsTimeSeriesCentroidAll",
        instance: "Stats1",
        pairs: "",
        names: "TS:TSAcquire TS:TSAcquireMode TS:TSAcquiring TS:TSCurrentPoint TS:TSNumPoints TS:TSRead.PROC \
                TS:TSRead.SCAN TS:TSTimeAxis TSCentroidTotal TSCentroidX TSCentroidY TSEccentricity TSKurtosisX \
                TSKurtosisY TSOrientation TSSigmaX TSSigmaXY TSSigmaY TSSkewX TSSkewY",
    },
    Screen {
        name: "NDStatsTimeSeriesPlot",
        instance: "Stats1:TS",
        pairs: "",
        names: "TSAcquire TSAcquireMode TSAcquiring TSCurrentPoint TSNumPoints TSRead TSRead.SCAN TSTimeAxis",
    },
    Screen {
        name: "NDTimeSeriesPlot",
        instance: "Stats1:TS",
        pairs: "TSAveragingTime",
        names: "1:Name 1:TimeSeries TSAcquire TSAcquireMode TSAcquiring TSCurrentPoint TSNumPoints TSRead \
                TSRead.SCAN TSTimeAxis",
    },
    Screen {
        name: "NDTransform",
        instance: "Trans1",
        pairs: "",
        names: "ArraySizeX_RBV ArraySizeY_RBV ArraySizeZ_RBV Type",
    },
];

impl Screen {
    fn pvs(&self) -> impl Iterator<Item = String> {
        let pairs = self.pairs.split_whitespace().flat_map(|name| [name.to_owned(), format!("{name}_RBV")]);
        let names = self.names.split_whitespace().map(str::to_owned);
        pairs.chain(names).map(|name| format!("{}:{name}", self.instance))
    }
}

#[test]
fn no_pv_of_a_screen_is_disconnected() {
    let pipeline = config::parse("f", TEXT, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])
        .map_err(|e| e.to_string())
        .unwrap();
    let run =
        Arc::new(Run::start(&pipeline.graph, RunOptions::default()).map_err(|e| format!("{e:?}")).unwrap());
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let shown = SCREENS.iter().flat_map(|screen| screen.pvs().map(move |pv| (screen.name, pv)));
    let plugins = PLUGINS.split_whitespace().flat_map(|plugin| {
        OF_PLUGIN.split_whitespace().map(move |name| ("commonPlugins", format!("{plugin}:{name}")))
    });
    let asked: Vec<_> = shown
        .chain(plugins)
        .map(|(screen, pv)| (screen, client.channel(&format!("{}{pv}", options.prefix)).get(), pv))
        .collect();
    assert!(asked.len() > 900, "{}", asked.len());
    let mut limit = LONG;
    let mut missing = Vec::new();
    for (screen, get, pv) in asked {
        if get.wait(limit).is_err() {
            missing.push(format!("{screen}: {pv}"));
            // One that is missing is not answered at all; the others are there by now.
            limit = Duration::ZERO;
        }
    }
    assert!(missing.is_empty(), "{} disconnected: {missing:#?}", missing.len());
    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
}
