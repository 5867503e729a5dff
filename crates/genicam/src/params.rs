//! The parameters of `genicam` that every camera has.

use livetime_engine::{ParamEnum, Params};
use livetime_nodes::sources::{DetectorState, ImageMode};

/// Whether the camera waits for triggers; the names are GenICam's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum TriggerMode {
    /// It takes frames by itself.
    #[default]
    Off,
    /// It waits for a trigger for each frame.
    On,
}

/// Where the event time of a frame comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum TimeSource {
    /// The camera's clock: as it is when it counts from 1970 (PTP), else set against the clock of this machine.
    #[default]
    Camera,
    /// When the first byte of the frame came to this machine.
    Arrival,
}

/// Parameters of `genicam`. A parameter that the pipeline does not give keeps the camera's value, which is read back.
#[derive(Params)]
pub struct GenicamParams {
    /// Name, id, address or serial number of the camera; empty: the first that is found. `Fake_1` is simulated.
    pub camera: String,
    /// Whether frames are taken; a run starts with it, and it becomes false when all are taken.
    #[param(default = true, pv = "Acquire", role = Acquire)]
    pub acquire: bool,
    /// Exposure; 0 at the start leaves the camera's.
    #[param(default = 0.0, min = 0.0, max = 1e9, unit = "s", pv = "AcquireTime", drv_info = "ACQ_TIME")]
    pub acquire_time: f64,
    /// Time from frame to frame; 0 at the start leaves the camera's.
    #[param(default = 0.0, min = 0.0, max = 1e9, unit = "s", pv = "AcquirePeriod", drv_info = "ACQ_PERIOD")]
    pub acquire_period: f64,
    /// Gain in the camera's own unit, mostly dB; 0 at the start leaves the camera's.
    #[param(default = 0.0, pv = "Gain")]
    pub gain: f64,
    /// How many frames an acquisition has.
    #[param(pv = "ImageMode")]
    pub image_mode: ImageMode,
    /// Frames of an acquisition with image_mode `multiple`; 0 is as 1.
    #[param(default = 100, min = 0, pv = "NumImages", drv_info = "NIMAGES")]
    pub num_images: u64,
    /// Whether the source ends when all frames are taken; if not, it waits for `acquire` to be written.
    #[param(default = true)]
    pub finish_when_done: bool,
    /// Whether the camera waits for triggers; off at the start leaves the camera's.
    #[param(pv = "TriggerMode")]
    pub trigger_mode: TriggerMode,
    /// Which trigger it waits for, such as `Line1` or `Software`; empty at the start leaves the camera's.
    #[param(pv = "TriggerSource")]
    pub trigger_source: String,
    /// Writing true triggers one frame, when the trigger source is `Software`.
    #[param(pv = "TriggerSoftware")]
    pub trigger_software: bool,
    /// First column of what the camera sends; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "MinX")]
    pub min_x: i64,
    /// First row; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "MinY")]
    pub min_y: i64,
    /// Width after binning; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "SizeX")]
    pub size_x: i64,
    /// Height after binning; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "SizeY")]
    pub size_y: i64,
    /// Columns that are joined to one; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "BinX")]
    pub bin_x: i64,
    /// Rows that are joined to one; 0 at the start leaves the camera's.
    #[param(min = 0, pv = "BinY")]
    pub bin_y: i64,
    /// Pixel format by its name in GenICam, such as `Mono12p`; empty at the start leaves the camera's.
    #[param(pv = "PixelFormat")]
    pub pixel_format: String,
    /// Images that may wait in memory of libaravis before one is lost; writing it opens the camera again.
    #[param(default = 20, min = 2, max = 10000)]
    pub buffers: u32,
    /// Whether a GigE camera's packets are taken before the network layer sees them, which costs less at high rates.
    /// Needs the right to do so (CAP_NET_RAW), and sees nothing on the loopback device.
    pub packet_socket: bool,
    /// Where the event time of a frame comes from.
    pub time_source: TimeSource,

    /// What the camera is doing.
    #[param(readback, pv = "DetectorState", drv_info = "STATUS")]
    pub detector_state: DetectorState,
    /// The same in words.
    #[param(readback, pv = "StatusMessage")]
    pub status_message: String,
    /// Whether the camera is there.
    #[param(readback, pv = "Connected")]
    pub connected: bool,
    /// How often it came back after it was gone.
    #[param(readback)]
    pub reconnects: u64,
    /// Frames since the start of the run.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub array_counter: u64,
    /// Frames of this acquisition.
    #[param(readback, pv = "NumImagesCounter", drv_info = "NIMAGES_COUNTER")]
    pub num_images_counter: u64,
    /// Frames that the camera numbered and that never came: lost on the way, or for want of a buffer.
    #[param(readback)]
    pub missing_frames: u64,
    /// Frames of which only a part came.
    #[param(readback)]
    pub incomplete_frames: u64,
    /// Frames for which no buffer was free; they are among the missing ones.
    #[param(readback)]
    pub underruns: u64,
    /// Who made the camera.
    #[param(readback, pv = "Manufacturer")]
    pub manufacturer: String,
    /// Which model it is.
    #[param(readback, pv = "Model")]
    pub model: String,
    /// Its serial number.
    #[param(readback, pv = "SerialNumber")]
    pub serial_number: String,
    /// Width of the sensor.
    #[param(readback, pv = "MaxSizeX")]
    pub max_size_x: i64,
    /// Height of the sensor.
    #[param(readback, pv = "MaxSizeY")]
    pub max_size_y: i64,
    /// Width of the frames.
    #[param(readback, pv = "ArraySizeX")]
    pub array_size_x: usize,
    /// Height of the frames.
    #[param(readback, pv = "ArraySizeY")]
    pub array_size_y: usize,
    /// Size of a frame.
    #[param(readback, unit = "B", pv = "ArraySize")]
    pub array_size: usize,
}
