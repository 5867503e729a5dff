//! The parameters of the simulated detector.

use livetime_engine::{ParamEnum, Params};
use livetime_nodes::sources::{Color, DataType, DetectorState, ImageMode};

/// What the picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum SimMode {
    /// A ramp that grows by the gain from frame to frame.
    #[default]
    LinearRamp,
    /// A grid of Gaussian peaks.
    Peaks,
    /// Waves along x and y.
    Sine,
    /// The background alone.
    #[pv("Offset&Noise")]
    OffsetNoise,
}

/// How the two waves of an axis are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum SineOperation {
    /// Their sum.
    #[default]
    Add,
    /// Their product.
    Multiply,
}

/// Parameters of `sim_detector`. Lengths are in detector pixels unless a comment says otherwise.
#[derive(Params)]
pub struct SimDetectorParams {
    // ---- Acquisition ----
    /// Whether frames are taken; a run starts with it, and it becomes false when all are taken.
    #[param(default = true, pv = "Acquire", role = Acquire)]
    pub acquire: bool,
    /// Time from the start of an exposure to the frame.
    #[param(default = 0.001, min = 0.0, max = 1e9, unit = "s", pv = "AcquireTime", drv_info = "ACQ_TIME")]
    pub acquire_time: f64,
    /// Time from frame to frame; the exposure if that is longer. 0 for both means as fast as possible.
    #[param(
        default = 0.005,
        min = 0.0,
        max = 1e9,
        unit = "s",
        pv = "AcquirePeriod",
        drv_info = "ACQ_PERIOD"
    )]
    pub acquire_period: f64,
    /// How many frames an acquisition has.
    #[param(pv = "ImageMode")]
    pub image_mode: ImageMode,
    /// Frames of an acquisition with image_mode `multiple`; 0 is as 1.
    #[param(default = 100, min = 0, pv = "NumImages", drv_info = "NIMAGES")]
    pub num_images: u64,
    /// Whether the source ends when all frames are taken; if not, it waits for `acquire` to be written.
    #[param(default = true)]
    pub finish_when_done: bool,
    /// Frames for which memory is taken at the start; 0: as many as the longest queue behind it holds, and two.
    #[param(max = 100000)]
    pub preallocate: usize,

    // ---- Geometry ----
    /// Width of the detector; writing it selects the whole width.
    #[param(default = 1024, min = 1, max = 65536, pv = "MaxSizeX")]
    pub max_size_x: usize,
    /// Height of the detector; writing it selects the whole height.
    #[param(default = 1024, min = 1, max = 65536, pv = "MaxSizeY")]
    pub max_size_y: usize,
    /// First column of the region that is read out.
    #[param(min = 0, pv = "MinX")]
    pub min_x: usize,
    /// First row of the region.
    #[param(min = 0, pv = "MinY")]
    pub min_y: usize,
    /// Width of the region before binning; 0 selects all up to the edge, and what lies beyond it is cut off.
    #[param(min = 0, pv = "SizeX")]
    pub size_x: usize,
    /// Height of the region before binning; 0 selects all up to the edge.
    #[param(min = 0, pv = "SizeY")]
    pub size_y: usize,
    /// Columns that are added up to one.
    #[param(default = 1, min = 1, pv = "BinX")]
    pub bin_x: usize,
    /// Rows that are added up to one.
    #[param(default = 1, min = 1, pv = "BinY")]
    pub bin_y: usize,
    /// Whether columns are put in reverse order.
    #[param(pv = "ReverseX")]
    pub reverse_x: bool,
    /// Whether rows are put in reverse order.
    #[param(pv = "ReverseY")]
    pub reverse_y: bool,
    /// Element type.
    #[param(pv = "DataType")]
    pub data_type: DataType,
    /// Colours and how they lie.
    #[param(pv = "ColorMode")]
    pub color_mode: Color,

    // ---- Picture ----
    /// What the picture shows.
    #[param(pv = "SimMode")]
    pub sim_mode: SimMode,
    /// Factor of the whole picture, in counts.
    #[param(default = 1.0, pv = "Gain")]
    pub gain: f64,
    /// Factor along x: of the ramp, and of the frequency of waves.
    #[param(default = 1.0, pv = "GainX")]
    pub gain_x: f64,
    /// Factor along y.
    #[param(default = 1.0, pv = "GainY")]
    pub gain_y: f64,
    /// Factor of red.
    #[param(default = 1.0, pv = "GainRed")]
    pub gain_red: f64,
    /// Factor of green.
    #[param(default = 1.0, pv = "GainGreen")]
    pub gain_green: f64,
    /// Factor of blue.
    #[param(default = 1.0, pv = "GainBlue")]
    pub gain_blue: f64,
    /// Background, in counts.
    #[param(pv = "Offset")]
    pub offset: f64,
    /// Noise is uniform from 0 to this, in counts.
    #[param(pv = "Noise")]
    pub noise: f64,
    /// Seed of all random numbers: the same seed gives the same frames.
    #[param(default = 1)]
    pub seed: u64,
    /// Writing true starts the picture again.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"], drv_info = "RESET_IMAGE")]
    pub reset: bool,
    /// Column of the centre of the first peak.
    #[param(default = 1, pv = "PeakStartX")]
    pub peak_start_x: i32,
    /// Row of the centre of the first peak.
    #[param(default = 1, pv = "PeakStartY")]
    pub peak_start_y: i32,
    /// Sigma of the peaks along x.
    #[param(default = 10, min = 0, max = 65536, pv = "PeakWidthX")]
    pub peak_width_x: usize,
    /// Sigma of the peaks along y.
    #[param(default = 20, min = 0, max = 65536, pv = "PeakWidthY")]
    pub peak_width_y: usize,
    /// Peaks side by side.
    #[param(default = 1, min = 0, max = 1000, pv = "PeakNumX")]
    pub peak_num_x: u32,
    /// Rows of peaks.
    #[param(default = 1, min = 0, max = 1000, pv = "PeakNumY")]
    pub peak_num_y: u32,
    /// Columns from peak to peak.
    #[param(default = 1, pv = "PeakStepX")]
    pub peak_step_x: i32,
    /// Rows from peak to peak.
    #[param(default = 1, pv = "PeakStepY")]
    pub peak_step_y: i32,
    /// Range over which the height of each peak varies from frame to frame.
    #[param(unit = "%", pv = "PeakVariation")]
    pub peak_variation: f64,
    /// How the two waves along x are joined (mono).
    #[param(pv = "XSineOperation")]
    pub x_sine_operation: SineOperation,
    /// Amplitude of the first wave along x.
    #[param(default = 1.0, pv = "XSine1Amplitude")]
    pub x_sine1_amplitude: f64,
    /// Periods of the first wave in the width of the detector.
    #[param(default = 1.0, pv = "XSine1Frequency")]
    pub x_sine1_frequency: f64,
    /// Phase of the first wave along x.
    #[param(unit = "deg", pv = "XSine1Phase")]
    pub x_sine1_phase: f64,
    /// Amplitude of the second wave along x.
    #[param(default = 1.0, pv = "XSine2Amplitude")]
    pub x_sine2_amplitude: f64,
    /// Periods of the second wave in the width of the detector.
    #[param(default = 2.0, pv = "XSine2Frequency")]
    pub x_sine2_frequency: f64,
    /// Phase of the second wave along x.
    #[param(default = 90.0, unit = "deg", pv = "XSine2Phase")]
    pub x_sine2_phase: f64,
    /// How the two waves along y are joined (mono).
    #[param(pv = "YSineOperation")]
    pub y_sine_operation: SineOperation,
    /// Amplitude of the first wave along y.
    #[param(default = 1.0, pv = "YSine1Amplitude")]
    pub y_sine1_amplitude: f64,
    /// Periods of the first wave in the height of the detector.
    #[param(default = 1.0, pv = "YSine1Frequency")]
    pub y_sine1_frequency: f64,
    /// Phase of the first wave along y.
    #[param(unit = "deg", pv = "YSine1Phase")]
    pub y_sine1_phase: f64,
    /// Amplitude of the second wave along y.
    #[param(default = 1.0, pv = "YSine2Amplitude")]
    pub y_sine2_amplitude: f64,
    /// Periods of the second wave in the height of the detector.
    #[param(default = 2.0, pv = "YSine2Frequency")]
    pub y_sine2_frequency: f64,
    /// Phase of the second wave along y.
    #[param(default = 90.0, unit = "deg", pv = "YSine2Phase")]
    pub y_sine2_phase: f64,

    // ---- Readbacks ----
    /// What the detector is doing.
    #[param(readback, pv = "DetectorState", drv_info = "STATUS")]
    pub detector_state: DetectorState,
    /// The same in words.
    #[param(readback, pv = "StatusMessage")]
    pub status_message: String,
    /// Frames since the start of the run; the sequence number of the last one.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub array_counter: u64,
    /// Frames of this acquisition.
    #[param(readback, pv = "NumImagesCounter", drv_info = "NIMAGES_COUNTER")]
    pub num_images_counter: u64,
    /// Periods that passed without a frame because the source could not keep up.
    #[param(readback)]
    pub missed_periods: u64,
    /// Width of the frames.
    #[param(readback, pv = "ArraySizeX")]
    pub array_size_x: usize,
    /// Height of the frames.
    #[param(readback, pv = "ArraySizeY")]
    pub array_size_y: usize,
    /// Size of a frame.
    #[param(readback, unit = "B", pv = "ArraySize")]
    pub array_size: usize,
    /// Who made the detector.
    #[param(readback, default = "Simulated detector", pv = "Manufacturer")]
    pub manufacturer: String,
    /// Which detector it is.
    #[param(readback, default = "Basic simulator", pv = "Model")]
    pub model: String,
}
