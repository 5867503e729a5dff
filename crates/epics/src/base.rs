//! PVs that every node has besides its parameters: areaDetector's base PVs and our statistics, from the engine's accounts.

use livetime_control::attributes::Problem;
use livetime_control::model::{Input, Moment, NodeMoment, Window};
use livetime_engine::{LastFrame, LossReason, NodeReport, Placement, Times};
use livetime_frame::{ColorMode, DType, Dim, Layout};
use livetime_pva::nt::Severity;

use super::point::{Content, Shape};
use super::timed::Timed;

/// Which nodes have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Of {
    All,
    Sources,
    /// All but sources.
    Plugins,
    /// Nodes with a parameter of this suffix.
    With(&'static str),
}

/// Under which names it is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sides {
    /// `X_RBV`.
    Readback,
    /// `X`, which only shows something.
    Plain,
    /// `X`, which can be written, and `X_RBV`.
    Both,
    /// `X`, which can be written.
    Setpoint,
    /// `X`, which cannot be written, and `X_RBV`.
    Fixed,
}

/// One base PV.
pub(super) struct Base {
    pub(super) suffix: &'static str,
    pub(super) of: Of,
    pub(super) sides: Sides,
    pub(super) shape: Shape,
    pub(super) units: &'static str,
    pub(super) doc: &'static str,
    pub(super) item: Item,
}

/// The value that a base PV shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    // ---- NDArrayBase ----
    PortName,
    AdCoreVersion,
    Version,
    Manufacturer,
    Model,
    NoText,
    Acquire,
    AcquireBusy,
    WaitForPlugins,
    NDimensions,
    Dimensions,
    /// `dims[n]` of areaDetector: 0 is the fastest.
    ArraySizeOf(usize),
    /// One dimension, as an array of one element.
    DimensionOf(usize),
    ArrayCallbacks,
    ArraySizeX,
    ArraySizeY,
    ArraySizeZ,
    ArraySize,
    CompressedSize,
    Codec,
    DataType,
    ColorMode,
    UniqueId,
    TimeStamp,
    EpicsSeconds,
    EpicsNanoseconds,
    ArrayCounter,
    ArrayRate,
    AttributesFile,
    AttributesMacros,
    AttributesStatus,
    PoolMaxMem,
    PoolUsedMem,
    PoolBuffers,
    PoolFree,
    PoolInUse,
    ReleaseMemory,
    Preallocate,
    QueuedBehind,
    // ---- ADBase ----
    DetectorState,
    StatusMessage,
    // ---- NDPluginBase ----
    PluginType,
    NdArrayPort,
    NdArrayAddress,
    /// Name of the port at the edge of this number; the first is 0.
    PortOf(usize),
    AddressOf(usize),
    EnableCallbacks,
    MinCallbackTime,
    MaxArrayRate,
    MaxByteRate,
    ProcessAgain,
    ExecutionTime,
    BlockingCallbacks,
    Inline,
    Dropped,
    DroppedOutput,
    QueueSize,
    QueueFree,
    QueueUse,
    Threads,
    // ---- Names that only have to be there ----
    /// Always this number.
    Constant(i32),
    /// Kept as it was written, and nothing else: the name, and a thousand times the value before that.
    Kept(&'static str, i32),
    /// Writing anything sets the parameter of this suffix to the choice of this number; 1 is true.
    Sets(&'static str, u8),
    /// The number that it always has, and why another one is refused.
    Only(u8, &'static str),
    // ---- Our own ----
    NodeType,
    Received,
    Completed,
    Emitted,
    Waiting(Quantile),
    Service(Quantile),
    Latency(Quantile),
    /// 99 of 100, of the times that the function takes out, over a window.
    Recent(Timed, Window),
    Cpu,
    Restarts,
    Lost(LossReason),
    Stalls,
    LongestGap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quantile {
    P50,
    P99,
    Max,
}

const DATA_TYPES: &[&str] =
    &["Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"];
const COLOR_MODES: &[&str] = &["Mono", "Bayer", "RGB1", "RGB2", "RGB3", "YUV444", "YUV422", "YUV421"];
pub(super) const DETECTOR_STATES: &[&str] = &[
    "Idle",
    "Acquire",
    "Readout",
    "Correct",
    "Saving",
    "Aborting",
    "Error",
    "Waiting",
    "Initializing",
    "Disconnected",
    "Aborted",
];
const BAYER_PATTERNS: &[&str] = &["RGGB", "GBRG", "GRBG", "BGGR"];
const ATTRIBUTES_STATUS: &[&str] =
    &["Attributes file OK", "File not found", "XML syntax error", "Macro substitution error"];
const DONE_ALLOCATE: &[&str] = &["Done", "Allocate"];
const CLOSE_OPEN: &[&str] = &["Close", "Open"];
const CLOSED_OPEN: &[&str] = &["Closed", "Open"];
/// The choices of a record's field SCAN.
pub(super) const SCANS: &[&str] = &[
    "Passive",
    "Event",
    "I/O Intr",
    "10 second",
    "5 second",
    "2 second",
    "1 second",
    ".5 second",
    ".2 second",
    ".1 second",
];
const FIELD: &str = "Field of a record in an IOC, kept as it is written: screens show it.";
const FRESH: &str = "Field of a record in an IOC, kept as it is written: values are always fresh.";
const PROCESS: &str = "Writing anything does what writing 1 to the PV without `.PROC` does.";
const JOINED: &str = "A node that frames come from, one for each edge. Writing connects to another one, the first that is empty adds one, an empty text takes one away.";
const ADDRESS: &str = "Number of its output.";
/// Of records that join others inside an IOC.
pub(super) const JOINS: &str = "Always 0: it joins records inside an IOC.";
pub(super) const NO_YES: &[&str] = &["No", "Yes"];
pub(super) const DISABLE_ENABLE: &[&str] = &["Disable", "Enable"];
pub(super) const DONE_ACQUIRE: &[&str] = &["Done", "Acquire"];
pub(super) const DONE_ACQUIRING: &[&str] = &["Done", "Acquiring"];

const fn base(
    suffix: &'static str,
    of: Of,
    sides: Sides,
    shape: Shape,
    units: &'static str,
    item: Item,
    doc: &'static str,
) -> Base {
    Base { suffix, of, sides, shape, units, doc, item }
}

use Item as I;
use Of::{All, Plugins, Sources, With};
use Sides::{Both, Fixed, Plain, Readback, Setpoint};

const fn choices(choices: &'static [&'static str]) -> Shape {
    Shape::choices(choices)
}

/// All of them. A parameter of a node with the same suffix takes the place of a base PV, except where
/// [`Item::keeps`] says so.
#[rustfmt::skip]
pub(super) static BASE: &[Base] = &[
    base("PortName", All, Readback, Shape::Text, "", I::PortName, "Name of the node."),
    base("ADCoreVersion", All, Readback, Shape::Text, "", I::AdCoreVersion, "Version of areaDetector whose names are served."),
    base("DriverVersion", All, Readback, Shape::Text, "", I::Version, "Version of Livetime."),
    base("Manufacturer", All, Readback, Shape::Text, "", I::Manufacturer, "Who made the detector; of a plugin Livetime."),
    base("Model", All, Readback, Shape::Text, "", I::Model, "Which detector it is; of a plugin its type."),
    base("SerialNumber", All, Readback, Shape::Text, "", I::NoText, "Empty: no node has one."),
    base("FirmwareVersion", All, Readback, Shape::Text, "", I::NoText, "Empty: no node has one."),
    base("SDKVersion", All, Readback, Shape::Text, "", I::Version, "Version of Livetime."),
    base("Acquire", Sources, Both, choices(DONE_ACQUIRE), "", I::Acquire, "Starts and stops the acquisition. A put that waits ends with it."),
    base("AcquireBusy", Sources, Plain, choices(DONE_ACQUIRING), "", I::AcquireBusy, "Acquiring, or, with WaitForPlugins, frames are still queued behind it."),
    base("WaitForPlugins", Sources, Setpoint, choices(NO_YES), "", I::WaitForPlugins, "Whether an acquisition ends only when all queues behind it are empty."),
    base("NDimensions", All, Fixed, Shape::I32, "", I::NDimensions, "Dimensions of the last frame."),
    base("Dimensions", All, Fixed, Shape::I32s, "", I::Dimensions, "Their sizes, fastest first, in an array of 10."),
    base("ArraySize0", All, Fixed, Shape::I32, "", I::ArraySizeOf(0), "Size of the fastest dimension."),
    base("ArraySize1", All, Fixed, Shape::I32, "", I::ArraySizeOf(1), "Size of the second dimension."),
    base("ArraySize2", All, Fixed, Shape::I32, "", I::ArraySizeOf(2), "Size of the third dimension."),
    base("ArraySize3", All, Fixed, Shape::I32, "", I::ArraySizeOf(3), "Size of the fourth dimension."),
    base("ArraySize4", All, Fixed, Shape::I32, "", I::ArraySizeOf(4), "Size of the fifth dimension."),
    base("ArraySize5", All, Fixed, Shape::I32, "", I::ArraySizeOf(5), "Size of the sixth dimension."),
    base("ArraySize6", All, Fixed, Shape::I32, "", I::ArraySizeOf(6), "Size of the seventh dimension."),
    base("ArraySize7", All, Fixed, Shape::I32, "", I::ArraySizeOf(7), "Size of the eighth dimension."),
    base("ArraySize8", All, Fixed, Shape::I32, "", I::ArraySizeOf(8), "Size of the ninth dimension."),
    base("ArraySize9", All, Fixed, Shape::I32, "", I::ArraySizeOf(9), "Size of the tenth dimension."),
    base("Dim0SA", All, Fixed, Shape::I32s, "", I::DimensionOf(0), "The same as ArraySize0, in an array of 1."),
    base("Dim1SA", All, Fixed, Shape::I32s, "", I::DimensionOf(1), "The same as ArraySize1, in an array of 1."),
    base("Dim2SA", All, Fixed, Shape::I32s, "", I::DimensionOf(2), "The same as ArraySize2, in an array of 1."),
    base("Dim3SA", All, Fixed, Shape::I32s, "", I::DimensionOf(3), "The same as ArraySize3, in an array of 1."),
    base("Dim4SA", All, Fixed, Shape::I32s, "", I::DimensionOf(4), "The same as ArraySize4, in an array of 1."),
    base("Dim5SA", All, Fixed, Shape::I32s, "", I::DimensionOf(5), "The same as ArraySize5, in an array of 1."),
    base("Dim6SA", All, Fixed, Shape::I32s, "", I::DimensionOf(6), "The same as ArraySize6, in an array of 1."),
    base("Dim7SA", All, Fixed, Shape::I32s, "", I::DimensionOf(7), "The same as ArraySize7, in an array of 1."),
    base("Dim8SA", All, Fixed, Shape::I32s, "", I::DimensionOf(8), "The same as ArraySize8, in an array of 1."),
    base("Dim9SA", All, Fixed, Shape::I32s, "", I::DimensionOf(9), "The same as ArraySize9, in an array of 1."),
    base("ArraySizeX", All, Readback, Shape::I32, "", I::ArraySizeX, "Width of the last frame."),
    base("ArraySizeY", All, Readback, Shape::I32, "", I::ArraySizeY, "Height of the last frame."),
    base("ArraySizeZ", All, Readback, Shape::I32, "", I::ArraySizeZ, "Colours of the last frame; 0 without, and of detectors, as simDetector has it."),
    base("ArraySize", All, Readback, Shape::I32, "B", I::ArraySize, "Bytes of the last frame."),
    base("CompressedSize", All, Readback, Shape::I32, "B", I::CompressedSize, "Bytes of the last frame."),
    base("Codec", All, Readback, Shape::Text, "", I::Codec, "Compression of the last frame."),
    base("DataType", All, Fixed, choices(DATA_TYPES), "", I::DataType, "Element type of the last frame."),
    base("ColorMode", All, Fixed, choices(COLOR_MODES), "", I::ColorMode, "Colours of the last frame."),
    base("UniqueId", All, Readback, Shape::I32, "", I::UniqueId, "Number of the last frame, given by the detector."),
    base("TimeStamp", All, Readback, Shape::F64, "s", I::TimeStamp, "Time of the last frame, seconds since 1990."),
    base("EpicsTSSec", All, Readback, Shape::I32, "s", I::EpicsSeconds, "Time of the last frame, whole seconds since 1990."),
    base("EpicsTSNsec", All, Readback, Shape::I32, "ns", I::EpicsNanoseconds, "Time of the last frame, ns within the second."),
    base("ArrayCounter", All, Both, Shape::I32, "", I::ArrayCounter, "Frames sent by a detector, handled by a plugin. Writing moves the count shown, not the numbers of frames."),
    base("ArrayRate", All, Readback, Shape::F64, "Hz", I::ArrayRate, "Frames per second over the last second."),
    base("NDAttributesFile", All, Setpoint, Shape::Text, "", I::AttributesFile, "Attributes that its frames get: XML, or the name of a file with it; empty for none."),
    base("NDAttributesMacros", All, Setpoint, Shape::Text, "", I::AttributesMacros, "Values of the macros in the attributes: NAME=value,OTHER=value."),
    base("NDAttributesStatus", All, Plain, choices(ATTRIBUTES_STATUS), "", I::AttributesStatus, "Whether the attributes could be read."),
    base("BayerPattern", All, Readback, choices(BAYER_PATTERNS), "", I::Constant(0), "How the colours of a Bayer picture lie; no detector of ours has one."),
    base("ArrayCallbacks", All, Both, choices(DISABLE_ENABLE), "", I::ArrayCallbacks, "Whether its frames are sent to the nodes behind it. What is not sent is counted there as LostDecimated."),
    base("SetAcquireBusy", All, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("ClearAcquireBusy", All, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("AcquireBusyCB", Sources, Plain, choices(DONE_ACQUIRING), "", I::AcquireBusy, "As AcquireBusy."),
    base("PoolPollStats", All, Setpoint, choices(NO_YES), "", I::Kept("PoolPollStats", 0), "Numbers of the pool are always fresh."),
    base("PoolPollStats.SCAN", All, Setpoint, choices(SCANS), "", I::Kept("PoolPollStats.SCAN", 6000), FRESH),
    base("PoolFreeBuffers", All, Plain, Shape::I32, "", I::PoolFree, "Buffers of all nodes that are not in use, as the nodes said last; of a pool of threads the first one counts."),
    base("PoolUsedBuffers", All, Plain, Shape::I32, "", I::PoolInUse, "Buffers that are in use: PoolAllocBuffers less PoolFreeBuffers."),
    base("EmptyFreeList", All, Setpoint, choices(NO_YES), "", I::ReleaseMemory, "Gives the memory that no frame uses back to the operating system, of all nodes."),
    base("NumPreAllocBuffers", All, Both, Shape::I32, "", I::Kept("NumPreAllocBuffers", 100_000), "How many buffers PreAllocBuffers makes."),
    base("PreAllocBuffers", All, Setpoint, choices(DONE_ALLOCATE), "", I::Preallocate, "Makes NumPreAllocBuffers buffers of the size of the node's last frame."),
    base("PoolMaxMem", All, Plain, Shape::F64, "MB", I::PoolMaxMem, "Bound of the memory for frames, shared by all nodes."),
    base("PoolUsedMem", All, Plain, Shape::F64, "MB", I::PoolUsedMem, "Memory taken for frames, in use or free."),
    base("PoolAllocBuffers", All, Plain, Shape::I32, "", I::PoolBuffers, "Buffers that exist, in use or free."),
    base("NumQueuedArrays", All, Plain, Shape::I32, "", I::QueuedBehind, "Frames that wait in queues behind this node."),

    base("DetectorState", Sources, Readback, choices(DETECTOR_STATES), "", I::DetectorState, "What the detector is doing."),
    base("StatusMessage", Sources, Readback, Shape::Text, "", I::StatusMessage, "The same in words."),

    base("TriggerMode", Sources, Both, choices(&["Internal", "External"]), "", I::Kept("TriggerMode", 0), "Kept as it is written; frames are taken by the detector's own clock."),
    base("FrameType", Sources, Both, choices(&["Normal", "Background", "FlatField", "DblCorrelation"]), "", I::Kept("FrameType", 0), "Kept as it is written."),
    base("NumExposures", Sources, Both, Shape::I32, "", I::Kept("NumExposures", 1000), "Kept as it is written; a frame is one exposure."),
    base("NumExposuresCounter", Sources, Readback, Shape::I32, "", I::Constant(0), "Exposures of the frame that is being taken: none are counted."),
    base("TimeRemaining", Sources, Readback, Shape::F64, "s", I::Constant(0), "Always 0: exposures are not counted down."),
    base("ReadStatus", Sources, Setpoint, choices(NO_YES), "", I::Kept("ReadStatus", 0), "The status is always fresh."),
    base("StringToServer", Sources, Readback, Shape::Text, "", I::NoText, "Empty: there is no device behind a serial line."),
    base("StringFromServer", Sources, Readback, Shape::Text, "", I::NoText, "Empty: there is no device behind a serial line."),
    base("ShutterMode", Sources, Both, choices(&["None", "EPICS PV", "Detector output"]), "", I::Kept("ShutterMode", 0), "Kept as it is written; there is no shutter."),
    base("ShutterControl", Sources, Both, choices(CLOSE_OPEN), "", I::Kept("ShutterControl", 0), "Kept as it is written; there is no shutter."),
    base("ShutterStatus", Sources, Readback, choices(CLOSED_OPEN), "", I::Constant(0), "There is no shutter."),
    base("ShutterOpenDelay", Sources, Both, Shape::F64, "s", I::Kept("ShutterOpenDelay", 0), "Kept as it is written; there is no shutter."),
    base("ShutterCloseDelay", Sources, Both, Shape::F64, "s", I::Kept("ShutterCloseDelay", 0), "Kept as it is written; there is no shutter."),
    base("ShutterControlEPICS", Sources, Plain, choices(CLOSED_OPEN), "", I::Constant(0), "There is no shutter."),
    base("ShutterStatusEPICS", Sources, Readback, choices(CLOSED_OPEN), "", I::Constant(0), "There is no shutter."),
    base("ShutterFanout", Sources, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("ShutterOpenEPICS", Sources, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("ShutterCloseEPICS", Sources, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("Temperature", Sources, Both, Shape::F64, "C", I::Kept("Temperature", 25_000), "Kept as it is written; there is no cooler."),
    base("TemperatureActual", Sources, Plain, Shape::F64, "C", I::Constant(0), "There is no cooler."),
    base("AsynIO", All, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("AsynIO.CNCT", All, Plain, choices(&["Disconnect", "Connect"]), "", I::Constant(1), "Always Connect: nothing lies between the node and its PVs."),
    base("ShutterOpenEPICS.OUT", Sources, Setpoint, Shape::Text, "", I::Kept("ShutterOpenEPICS.OUT", 0), FIELD),
    base("ShutterOpenEPICS.OCAL", Sources, Setpoint, Shape::Text, "", I::Kept("ShutterOpenEPICS.OCAL", 0), FIELD),
    base("ShutterCloseEPICS.OUT", Sources, Setpoint, Shape::Text, "", I::Kept("ShutterCloseEPICS.OUT", 0), FIELD),
    base("ShutterCloseEPICS.OCAL", Sources, Setpoint, Shape::Text, "", I::Kept("ShutterCloseEPICS.OCAL", 0), FIELD),
    base("ShutterStatusEPICS_RBV.INP", Sources, Setpoint, Shape::Text, "", I::Kept("ShutterStatusEPICS_RBV.INP", 0), FIELD),
    base("ShutterStatusEPICS_RBV.ZRVL", Sources, Setpoint, Shape::I32, "", I::Kept("ShutterStatusEPICS_RBV.ZRVL", 0), FIELD),
    base("ShutterStatusEPICS_RBV.ONVL", Sources, Setpoint, Shape::I32, "", I::Kept("ShutterStatusEPICS_RBV.ONVL", 1000), FIELD),
    base("TSRead.SCAN", With("TSRead"), Setpoint, choices(SCANS), "", I::Kept("TSRead.SCAN", 6000), FRESH),
    base("TSRead.PROC", With("TSRead"), Setpoint, Shape::I32, "", I::Sets("TSRead", 1), PROCESS),
    base("Reset.PROC", With("Reset"), Setpoint, Shape::I32, "", I::Sets("Reset", 1), PROCESS),
    base("NDArrayPort_1", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(0), JOINED),
    base("NDArrayPort_2", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(1), JOINED),
    base("NDArrayPort_3", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(2), JOINED),
    base("NDArrayPort_4", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(3), JOINED),
    base("NDArrayPort_5", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(4), JOINED),
    base("NDArrayPort_6", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(5), JOINED),
    base("NDArrayPort_7", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(6), JOINED),
    base("NDArrayPort_8", With("DisorderedArrays"), Both, Shape::Text, "", I::PortOf(7), JOINED),
    base("NDArrayAddress_1", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(0), ADDRESS),
    base("NDArrayAddress_2", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(1), ADDRESS),
    base("NDArrayAddress_3", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(2), ADDRESS),
    base("NDArrayAddress_4", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(3), ADDRESS),
    base("NDArrayAddress_5", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(4), ADDRESS),
    base("NDArrayAddress_6", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(5), ADDRESS),
    base("NDArrayAddress_7", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(6), ADDRESS),
    base("NDArrayAddress_8", With("DisorderedArrays"), Both, Shape::I32, "", I::AddressOf(7), ADDRESS),

    base("PluginType", Plugins, Readback, Shape::Text, "", I::PluginType, "areaDetector's name for the type of node; of a type that it lacks ours."),
    base("NDArrayPort", Plugins, Both, Shape::Text, "", I::NdArrayPort, "The node that frames come from. Writing connects to another one."),
    base("NDArrayAddress", Plugins, Both, Shape::I32, "", I::NdArrayAddress, "Number of its output."),
    base("EnableCallbacks", Plugins, Both, choices(DISABLE_ENABLE), "", I::EnableCallbacks, "Whether frames are offered to the node."),
    base("MinCallbackTime", Plugins, Both, Shape::F64, "s", I::MinCallbackTime, "Least time between two frames; what comes sooner is left out, and counted as rate_limited."),
    base("MaxArrayRate", Plugins, Both, Shape::F64, "Hz", I::MaxArrayRate, "The same as a rate; 0: no limit."),
    base("MaxArrayRate_COUT", Plugins, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("MaxByteRate", Plugins, Both, Shape::F64, "B/s", I::MaxByteRate, "Most bytes per second; what is more is left out, and counted as LostRateLimited. 0: no limit."),
    base("ProcessPlugin", Plugins, Setpoint, Shape::I32, "", I::ProcessAgain, "Handles the last frame once more. The node keeps its last frame after the first write, which is refused."),
    base("SortMode", Plugins, Fixed, choices(&["Unsorted", "Sorted"]), "", I::Constant(1), "Frames are always in order, whatever the number of threads."),
    base("SortTime", Plugins, Both, Shape::F64, "s", I::Kept("SortTime", 100), "Kept as it is written; no frame waits for a time."),
    base("SortSize", Plugins, Both, Shape::I32, "", I::Kept("SortSize", 20_000), "Kept as it is written."),
    base("SortFree", Plugins, Plain, Shape::I32, "", I::Constant(20), "Always free: no frame waits for a time."),
    base("SortFreeLow", Plugins, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("DisorderedArrays", Plugins, Both, Shape::I32, "", I::Kept("DisorderedArrays", 0), "Frames that left out of order: none can."),
    base("QueueFreeLow", Plugins, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("QueueUseHIGH", Plugins, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("QueueUseHIHI", Plugins, Plain, Shape::I32, "", I::Constant(0), JOINS),
    base("ExecutionTime", Plugins, Readback, Shape::F64, "ms", I::ExecutionTime, "Mean time to handle one of the latest frames."),
    base("BlockingCallbacks", Plugins, Both, choices(NO_YES), "", I::BlockingCallbacks, "Whether an acquisition ends only when this node has handled its frames. Inline says on which thread that is."),
    base("Inline", Plugins, Readback, choices(NO_YES), "", I::Inline, "Whether it runs inside its sender's thread. The pipeline file decides."),
    base("DroppedArrays", Plugins, Both, Shape::I32, "", I::Dropped, "Frames lost in front of it that nobody asked to lose. Writing moves the count shown, not the ledger."),
    base("DroppedOutputArrays", All, Both, Shape::I32, "", I::DroppedOutput, "Frames lost inside it: errors, panics, no memory."),
    base("QueueSize", Plugins, Both, Shape::I32, "", I::QueueSize, "Most frames that wait. Writing connects with another queue."),
    base("QueueFree", Plugins, Plain, Shape::I32, "", I::QueueFree, "How many more may wait."),
    base("QueueUse", Plugins, Plain, Shape::I32, "", I::QueueUse, "How many wait; MINOR from 75 %, MAJOR when full."),
    base("NumThreads", Plugins, Fixed, Shape::I32, "", I::Threads, "Threads that run it. The pipeline file decides."),
    base("MaxThreads", Plugins, Readback, Shape::I32, "", I::Threads, "The same."),

    base("NodeType", All, Readback, Shape::Text, "", I::NodeType, "Type of the node in pipeline files."),
    base("Received", Plugins, Readback, Shape::I64, "", I::Received, "Frames handed to the node."),
    base("Completed", Plugins, Readback, Shape::I64, "", I::Completed, "Frames whose handling came to a good end."),
    base("Emitted", All, Readback, Shape::I64, "", I::Emitted, "Frames sent."),
    base("WaitingP50", Plugins, Readback, Shape::F64, "ms", I::Waiting(Quantile::P50), "Half of the frames of the whole run waited no longer."),
    base("WaitingP99", Plugins, Readback, Shape::F64, "ms", I::Waiting(Quantile::P99), "99 of 100 frames of the whole run waited no longer."),
    base("WaitingP99_1s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Waiting, Window::Second), "99 of 100 frames of the last second waited no longer."),
    base("WaitingP99_10s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Waiting, Window::Ten), "The same over the last 10 s."),
    base("WaitingP99_60s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Waiting, Window::Minute), "The same over the last 60 s."),
    base("WaitingMax", Plugins, Readback, Shape::F64, "ms", I::Waiting(Quantile::Max), "The longest wait."),
    base("ServiceP50", All, Readback, Shape::F64, "ms", I::Service(Quantile::P50), "Half of the frames of the whole run were handled no longer."),
    base("ServiceP99", All, Readback, Shape::F64, "ms", I::Service(Quantile::P99), "99 of 100 frames of the whole run were handled no longer."),
    base("ServiceP99_1s", All, Readback, Shape::F64, "ms", I::Recent(Timed::Service, Window::Second), "99 of 100 frames of the last second were handled no longer."),
    base("ServiceP99_10s", All, Readback, Shape::F64, "ms", I::Recent(Timed::Service, Window::Ten), "The same over the last 10 s."),
    base("ServiceP99_60s", All, Readback, Shape::F64, "ms", I::Recent(Timed::Service, Window::Minute), "The same over the last 60 s."),
    base("ServiceMax", All, Readback, Shape::F64, "ms", I::Service(Quantile::Max), "The longest handling."),
    base("LatencyP50", Plugins, Readback, Shape::F64, "ms", I::Latency(Quantile::P50), "From the detector to the end of the handling, for half of the frames of the whole run no longer."),
    base("LatencyP99", Plugins, Readback, Shape::F64, "ms", I::Latency(Quantile::P99), "The same for 99 of 100."),
    base("LatencyP99_1s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Latency, Window::Second), "From the detector to the end of the handling, for 99 of 100 frames of the last second no longer."),
    base("LatencyP99_10s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Latency, Window::Ten), "The same over the last 10 s."),
    base("LatencyP99_60s", Plugins, Readback, Shape::F64, "ms", I::Recent(Timed::Latency, Window::Minute), "The same over the last 60 s."),
    base("LatencyMax", Plugins, Readback, Shape::F64, "ms", I::Latency(Quantile::Max), "The longest."),
    base("CPU", All, Readback, Shape::F64, "%", I::Cpu, "Of one processor, over the last second; 0 where threads are shared."),
    base("Restarts", All, Readback, Shape::I64, "", I::Restarts, "How often it was built anew after a failure."),
    base("LostQueueFull", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::QueueFull), "Lost because the queue was full."),
    base("LostOverwritten", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::Overwritten), "Lost to newer ones in a full queue."),
    base("LostAborted", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::Aborted), "Queued when the run was aborted."),
    base("LostRefused", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::Refused), "Offered after the node had ended."),
    base("LostDecimated", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::Decimated), "Left out because the pipeline says so."),
    base("LostRateLimited", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::RateLimited), "Left out because of a rate limit."),
    base("LostNodeError", All, Readback, Shape::I64, "", I::Lost(LossReason::NodeError), "Lost by an error in the node."),
    base("LostNodePanic", All, Readback, Shape::I64, "", I::Lost(LossReason::NodePanic), "Lost by a panic in the node."),
    base("LostPoolExhausted", All, Readback, Shape::I64, "", I::Lost(LossReason::PoolExhausted), "Lost because there was no memory."),
    base("LostSourceGap", Sources, Readback, Shape::I64, "", I::Lost(LossReason::SourceGap), "Numbers that the source never sent."),
    base("LostUnreadable", Sources, Readback, Shape::I64, "", I::Lost(LossReason::Unreadable), "Lost because a file or stream is damaged or cut off."),
    base("LostDisconnected", Sources, Readback, Shape::I64, "", I::Lost(LossReason::Disconnected), "Sent while a connection was broken."),
    base("LostUnknown", Sources, Readback, Shape::I64, "", I::Lost(LossReason::Unknown), "Breaks after which it is unknown what is missing."),
    base("LostLate", Plugins, Readback, Shape::I64, "", I::Lost(LossReason::Late), "Parts of frames, such as hits, that came too late."),
    base("Stalls", Sources, Readback, Shape::I64, "", I::Stalls, "Silences that were unusually long."),
    base("LongestGap", Sources, Readback, Shape::F64, "ms", I::LongestGap, "The longest time between two frames."),
];

impl Base {
    /// Whether a source, or another node, with these suffixes of parameters has it.
    pub(super) fn is_of(&self, is_source: bool, mut suffixes: impl Iterator<Item = impl AsRef<str>>) -> bool {
        match self.of {
            All => true,
            Sources => is_source,
            Plugins => !is_source,
            With(suffix) => suffixes.any(|s| s.as_ref() == suffix),
        }
    }

    /// The names after the instance, each with whether clients can write it.
    pub(super) fn names(&self) -> Vec<(String, bool)> {
        let (plain, readback) = (self.suffix.to_owned(), format!("{}_RBV", self.suffix));
        match self.sides {
            Readback => vec![(readback, false)],
            Plain => vec![(plain, false)],
            Both => vec![(plain, true), (readback, false)],
            Setpoint => vec![(plain, true)],
            Fixed => vec![(plain, false), (readback, false)],
        }
    }
}

impl Item {
    /// Whether the value stays the same for the whole run.
    pub(super) fn is_constant(self) -> bool {
        matches!(
            self,
            I::PortName
                | I::AdCoreVersion
                | I::Version
                | I::Manufacturer
                | I::Model
                | I::NoText
                | I::PluginType
                | I::Inline
                | I::NodeType
                | I::PoolMaxMem
        )
    }

    /// Whether the value shows that an acquisition has begun or ended.
    pub(super) fn is_of_acquisition(self) -> bool {
        matches!(self, I::Acquire | I::AcquireBusy | I::DetectorState | I::StatusMessage)
    }

    /// The value in a PV of `shape` that never changes, or not until a client writes it.
    pub(super) fn fixed(self, shape: &Shape) -> Option<Content> {
        match self {
            I::Constant(number) => Some(Content::number(f64::from(number), shape)),
            I::Kept(_, thousandths) => Some(Content::number(f64::from(thousandths) / 1e3, shape)),
            I::Only(number, _) => Some(Content::number(f64::from(number), shape)),
            I::Sets(..) | I::ProcessAgain | I::ReleaseMemory | I::Preallocate => {
                Some(Content::number(0.0, shape))
            }
            _ => None,
        }
    }

    /// Whether the PV stays although the node has a parameter of that name: the parameter is then only the readback.
    pub(super) fn keeps(self) -> bool {
        matches!(self, I::Acquire | I::ArrayCounter)
    }
}

/// The data for all base PVs of a node.
pub(super) struct View<'a> {
    pub(super) moment: &'a Moment,
    /// Number of the node.
    pub(super) number: usize,
    /// The engine's counts of the node.
    pub(super) counts: &'a NodeReport,
    pub(super) node: &'a NodeMoment,
    /// areaDetector's name for its type.
    pub(super) plugin: &'static str,
}

impl View<'_> {
    fn input(&self) -> Option<&Input> {
        self.node.state.input.as_deref()
    }

    /// The edge with the number `edge` among the edges to the first input.
    fn edge(&self, edge: usize) -> Option<&Input> {
        let state = &self.node.state;
        // The first edge is stored apart from the later ones.
        if edge == 0 { self.input() } else { state.joined.get(edge - 1).map(|input| &**input) }
    }

    /// Buffers that no frame uses.
    fn free_buffers(&self) -> u64 {
        self.moment.nodes.iter().map(|node| node.state.free_buffers as u64).sum()
    }

    fn max_rate_hz(&self) -> Option<f64> {
        self.input()?.options.max_rate_hz
    }

    /// Losses of one kind in the node and on the edges that lead to it.
    fn lost(&self, reason: LossReason) -> u64 {
        let before: u64 = self.moment.edges_to(self.number).filter_map(|e| e.lost.get(&reason)).sum();
        before + self.counts.lost.get(&reason).copied().unwrap_or(0)
    }
}

/// The present value of `item`, and its alarm.
pub(super) fn read(item: Item, view: &View<'_>) -> (Content, Severity) {
    let severity = match item {
        I::QueueUse => queue_severity(view.counts),
        // Screens show an acquisition in the colour of a minor alarm, as areaDetector does.
        I::Acquire if view.node.state.acquires() => Severity::Minor,
        _ => Severity::None,
    };
    (content(item, view), severity)
}

fn queue_severity(node: &NodeReport) -> Severity {
    match (node.queued, node.capacity) {
        // A node without a queue is never full.
        (_, 0) => Severity::None,
        (queued, capacity) if queued >= capacity => Severity::Major,
        // Three quarters, written without fractions.
        (queued, capacity) if 4 * queued >= 3 * capacity => Severity::Minor,
        _ => Severity::None,
    }
}

fn content(item: Item, view: &View<'_>) -> Content {
    let View { counts, node, .. } = view;
    let state = &node.state;
    let is_inline = counts.placement == Placement::Inline;
    let text = |text: &str| Content::Text(text.into());
    match item {
        I::PortName => text(&counts.name),
        I::AdCoreVersion => text("3.14.0"),
        I::Version => text(env!("CARGO_PKG_VERSION")),
        I::Manufacturer => text("Livetime"),
        I::Model | I::NodeType => text(counts.type_name),
        I::NoText => text(""),
        I::AttributesFile => text(&state.attributes),
        I::AttributesMacros => text(&state.macros),
        I::AttributesStatus => Content::Index(attributes_status(state.attributes_problem)),
        I::Acquire => Content::flag(state.acquires()),
        I::AcquireBusy => Content::flag(state.is_busy),
        I::WaitForPlugins => Content::flag(state.waits_for_nodes),
        // Wrapping: a client may have written a number above the count.
        I::ArrayCounter => Content::count(state.frames.wrapping_sub(state.offsets.frames)),
        I::ArrayRate => Content::F64(node.rates.hz),
        I::PoolMaxMem | I::PoolUsedMem | I::PoolBuffers | I::PoolFree | I::PoolInUse => {
            pool_content(item, view)
        }
        I::QueuedBehind => Content::count(state.queued_behind),
        I::DetectorState => Content::Index(i32::from(state.acquires())),
        I::StatusMessage => text(if state.acquires() { "Acquiring data" } else { "Waiting for acquisition" }),
        I::PluginType => text(view.plugin),
        I::NdArrayPort | I::NdArrayAddress | I::PortOf(_) | I::AddressOf(_) => edge_content(item, view),
        I::EnableCallbacks => Content::flag(state.is_enabled),
        I::ArrayCallbacks => Content::flag(state.sends),
        I::MinCallbackTime => Content::F64(view.max_rate_hz().map_or(0.0, |hz| 1.0 / hz)),
        I::MaxArrayRate => Content::F64(view.max_rate_hz().unwrap_or(0.0)),
        I::MaxByteRate => Content::F64(view.input().and_then(|i| i.options.max_bytes_per_s).unwrap_or(0.0)),
        I::ExecutionTime => Content::F64(node.rates.service_ms),
        // Without a choice of the client the placement decides.
        I::BlockingCallbacks => Content::flag(state.awaited.unwrap_or(is_inline)),
        I::Inline => Content::flag(is_inline),
        I::Dropped => Content::count(counts.lost_before.wrapping_sub(state.offsets.lost_before)),
        I::DroppedOutput => Content::count(counts.lost_inside().wrapping_sub(state.offsets.lost_inside)),
        I::QueueSize => Content::count(view.input().map_or(0, |i| i.options.queue as u64)),
        // The two numbers are read one after the other, so the difference may be below 0.
        I::QueueFree => Content::count(counts.capacity.saturating_sub(counts.queued)),
        I::QueueUse => Content::count(counts.queued),
        I::Threads => Content::count(counts.threads.len() as u64),
        I::Received => Content::I64(counts.received as i64),
        I::Completed => Content::I64(counts.completed as i64),
        I::Emitted => Content::I64(counts.emitted as i64),
        I::Waiting(quantile) => quantile.of(&counts.waiting),
        I::Service(quantile) => quantile.of(&counts.service),
        I::Latency(quantile) => quantile.of(&counts.latency),
        I::Recent(timed, window) => Content::F64(timed.of(&node.times).over(window).p99_ns as f64 / 1e6),
        I::Cpu => Content::F64(node.rates.cpu_percent.unwrap_or(0.0)),
        I::Restarts => Content::I64(counts.restarts as i64),
        I::Lost(reason) => Content::I64(view.lost(reason) as i64),
        I::Stalls => Content::I64(counts.source.stalls as i64),
        I::LongestGap => Content::F64(counts.source.longest_gap_ns as f64 / 1e6),
        of_frame => frame_content(of_frame, node.last.as_ref(), state.is_source),
    }
}

/// The choice of [`ATTRIBUTES_STATUS`].
fn attributes_status(problem: Option<Problem>) -> i32 {
    match problem {
        None => 0,
        Some(Problem::NotFound) => 1,
        Some(Problem::Syntax) => 2,
        Some(Problem::Macro) => 3,
    }
}

/// The values of the memory for frames.
fn pool_content(item: Item, view: &View<'_>) -> Content {
    let pool = &view.moment.report.pool;
    match item {
        I::PoolMaxMem => Content::F64(megabytes(pool.limit_bytes)),
        I::PoolUsedMem => Content::F64(megabytes(pool.used_bytes)),
        I::PoolBuffers => Content::count(pool.buffers as u64),
        // The count is a moment older than the pool's, so it may be larger than the number of buffers.
        I::PoolFree => Content::count(view.free_buffers().min(pool.buffers as u64)),
        I::PoolInUse => Content::count((pool.buffers as u64).saturating_sub(view.free_buffers())),
        _ => Content::I32(0),
    }
}

/// Where an edge comes from.
fn edge_content(item: Item, view: &View<'_>) -> Content {
    match item {
        I::NdArrayPort => edge_content(I::PortOf(0), view),
        I::NdArrayAddress => edge_content(I::AddressOf(0), view),
        I::PortOf(edge) => Content::Text(view.edge(edge).map_or(String::new(), |i| i.node.clone())),
        I::AddressOf(edge) => Content::count(view.edge(edge).map_or(0, |i| i.output as u64)),
        _ => Content::I32(0),
    }
}

impl Quantile {
    fn of(self, times: &Times) -> Content {
        let ns = match self {
            Quantile::P50 => times.p50_ns(),
            Quantile::P99 => times.p99_ns(),
            Quantile::Max => times.max_ns,
        };
        Content::F64(ns as f64 / 1e6)
    }
}

fn megabytes(bytes: usize) -> f64 {
    // areaDetector's MB is 2^20 bytes.
    bytes as f64 / 1048576.0
}

/// Seconds from 1970 to 1990, where the clock of EPICS begins.
const EPICS_EPOCH_S: i64 = 631_152_000;

/// The values of the last frame; zeros before the first one.
fn frame_content(item: Item, last: Option<&LastFrame>, is_source: bool) -> Content {
    let layout = last.and_then(|l| l.layout.as_ref());
    // Before the first frame the time is 0 seconds of the EPICS clock.
    let time_ns = last.map_or(EPICS_EPOCH_S * 1_000_000_000, |l| l.event_time_ns);
    let since_ns = time_ns.saturating_sub(EPICS_EPOCH_S * 1_000_000_000);
    let of_layout = |f: fn(&Layout) -> usize| Content::count(layout.map_or(0, f) as u64);
    match item {
        I::UniqueId => Content::count(last.map_or(0, |l| l.sequence)),
        I::TimeStamp => Content::F64(since_ns as f64 / 1e9),
        // Euclid's division keeps the nanoseconds positive for times before 1990.
        I::EpicsSeconds => Content::I32(since_ns.div_euclid(1_000_000_000) as i32),
        I::EpicsNanoseconds => Content::I32(since_ns.rem_euclid(1_000_000_000) as i32),
        I::NDimensions => of_layout(|l| l.dims().len()),
        I::Dimensions => Content::I32s(layout.map_or(vec![0; 10], dimensions)),
        I::DimensionOf(n) => Content::I32s(vec![layout.map_or(0, |l| size_of_dim(l, n)) as i32]),
        I::ArraySizeOf(n) => Content::count(layout.map_or(0, |l| size_of_dim(l, n)) as u64),
        I::ArraySizeX => of_layout(Layout::width),
        I::ArraySizeY => of_layout(Layout::height),
        // Clients take it for a third dimension; simDetector leaves it at 0 with colours, too.
        I::ArraySizeZ if is_source => Content::I32(0),
        I::ArraySizeZ => of_layout(|l| l.axes().color.map_or(0, |c| l.dims()[c].size)),
        I::ArraySize => of_layout(|l| l.len() * l.dtype().bytes()),
        I::CompressedSize => Content::count(last.map_or(0, |l| l.array_bytes) as u64),
        I::Codec => Content::Text(layout.and_then(Layout::codec).map_or("", |c| c.0).into()),
        I::DataType => of_list(&DType::ALL, layout.map(Layout::dtype)),
        I::ColorMode => of_list(&ColorMode::ALL, layout.map(Layout::color)),
        _ => Content::I32(0),
    }
}

/// The place of an item in its list, 0 for none.
fn of_list<T: PartialEq>(all: &[T], item: Option<T>) -> Content {
    Content::Index(item.and_then(|item| all.iter().position(|other| *other == item)).unwrap_or(0) as i32)
}

/// areaDetector numbers the dimensions from the fastest one.
fn size_of_dim(layout: &Layout, n: usize) -> usize {
    layout.dims().iter().rev().nth(n).map_or(0, |d| d.size)
}

fn dimensions(layout: &Layout) -> Vec<i32> {
    let sizes = layout.dims().iter().rev().map(|d: &Dim| d.size as i32);
    // Ten places are areaDetector's, whatever the number of dimensions is.
    sizes.chain(std::iter::repeat(0)).take(10).collect()
}
