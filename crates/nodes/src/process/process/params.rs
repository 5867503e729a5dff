//! The parameters of `process`.

use livetime_engine::{ParamEnum, Params};
use livetime_kernels::FilterSetup;

use super::saved::SavedFile;
use crate::convert::OutputType;

/// Ready-made coefficients of the recursive filter; the numbers are areaDetector's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FilterType {
    /// The mean of all frames up to `num_filter`, then an exponential average with 1/`num_filter`.
    RecursiveAve,
    /// The sum divided by `num_filter`: the mean once so many frames came in.
    Average,
    /// All frames since the reset added up.
    Sum,
    /// This frame less the one before.
    Difference,
    /// This frame less the recursive average of those before.
    RecursiveAveDiff,
    /// This frame, which also becomes the state.
    CopyToFilter,
    /// Those that were written one by one. areaDetector has no such choice, so it comes behind its own.
    #[default]
    Custom,
}

/// Which frames are sent on while the filter is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FilterCallbacks {
    /// All.
    #[default]
    #[pv("Every array")]
    EveryArray,
    /// Those at which `num_filtered` is `num_filter`.
    #[pv("Array N only")]
    ArrayNOnly,
}

/// The type that is calculated in, and that background, flat field and filter state are kept in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FilterState {
    /// Single precision where that is exact enough, else double.
    #[default]
    Auto,
    /// `f32`: half the memory to move.
    Single,
    /// `f64`, as in areaDetector.
    Double,
}

/// Parameters of `process`.
#[derive(Params)]
pub struct ProcessParams {
    /// Element type of the output.
    #[param(pv = "DataTypeOut", drv_info = "PROCESS_DATA_TYPE")]
    pub data_type: OutputType,
    /// Writing true takes the latest output as background; reads false.
    #[param(pv = "SaveBackground", role = Once)]
    pub save_background: bool,
    /// Whether the background is subtracted, while it is valid.
    #[param(pv = "EnableBackground", words = ["Disable", "Enable"])]
    pub enable_background: bool,
    /// Whether there is a background with as many elements as the latest input.
    #[param(readback, pv = "ValidBackground", words = ["Invalid", "Valid"])]
    pub valid_background: bool,
    /// Writing true takes the latest output as flat field; reads false.
    #[param(pv = "SaveFlatField", role = Once)]
    pub save_flat_field: bool,
    /// Whether pixels are divided by the flat field, while it is valid.
    #[param(pv = "EnableFlatField", words = ["Disable", "Enable"])]
    pub enable_flat_field: bool,
    /// Whether there is a flat field with as many elements as the latest input.
    #[param(readback, pv = "ValidFlatField", words = ["Invalid", "Valid"])]
    pub valid_flat_field: bool,
    /// What a pixel as bright as its flat field becomes; pixels whose flat field is 0 stay as they are.
    #[param(default = 255.0, pv = "ScaleFlatField")]
    pub scale_flat_field: f64,
    /// Whether `offset` is added and the sum multiplied by `scale`.
    #[param(pv = "EnableOffsetScale", words = ["Disable", "Enable"])]
    pub enable_offset_scale: bool,
    /// Writing true makes offset, scale and clips from the extremes of the next input, acting on the frame
    /// after it; reads false when done.
    #[param(pv = "AutoOffsetScale", role = Once, words = ["Done", "Calculating"])]
    pub auto_offset_scale: bool,
    /// Added to every pixel.
    #[param(pv = "Offset")]
    pub offset: f64,
    /// Multiplies every pixel, after the offset was added.
    #[param(default = 1.0, pv = "Scale")]
    pub scale: f64,
    /// Whether values below `low_clip_thresh` are replaced.
    #[param(pv = "EnableLowClip", words = ["Disable", "Enable"])]
    pub enable_low_clip: bool,
    /// The lowest value that stays.
    #[param(pv = "LowClipThresh")]
    pub low_clip_thresh: f64,
    /// What replaces values below the threshold.
    #[param(pv = "LowClipValue")]
    pub low_clip_value: f64,
    /// Whether values above `high_clip_thresh` are replaced.
    #[param(pv = "EnableHighClip", words = ["Disable", "Enable"])]
    pub enable_high_clip: bool,
    /// The highest value that stays.
    #[param(default = 100.0, pv = "HighClipThresh")]
    pub high_clip_thresh: f64,
    /// What replaces values above the threshold.
    #[param(default = 100.0, pv = "HighClipValue")]
    pub high_clip_value: f64,
    /// Whether frames pass the recursive filter.
    #[param(pv = "EnableFilter", words = ["Disable", "Enable"])]
    pub enable_filter: bool,
    /// Writing true starts the filter again with the next frame; reads false when done.
    #[param(pv = "ResetFilter", role = Once)]
    pub reset_filter: bool,
    /// Whether the filter starts again when `num_filtered` has reached `num_filter`.
    #[param(pv = "AutoResetFilter")]
    pub auto_reset_filter: bool,
    /// Which frames are sent on while the filter is on.
    #[param(pv = "FilterCallbacks")]
    pub filter_callbacks: FilterCallbacks,
    /// Frames that the filter averages over.
    #[param(default = 1, min = 1, pv = "NumFilter")]
    pub num_filter: u32,
    /// 1 divided by `num_filter`.
    #[param(readback, pv = "NumFilterRecip", form = Plain)]
    pub num_filter_recip: f64,
    /// Frames filtered since the reset, up to `num_filter`.
    #[param(readback, pv = "NumFiltered")]
    pub num_filtered: u32,
    /// Sets the ten coefficients `oc1` to `rc2`; reads custom when one of them was changed.
    #[param(pv = "FilterType", form = Setpoint)]
    pub filter_type: FilterType,
    /// The type that is calculated in.
    pub filter_state: FilterState,
    /// Added to the output.
    #[param(pv = "OOffset")]
    pub o_offset: f64,
    /// Multiplies the output.
    #[param(default = 1.0, pv = "OScale")]
    pub o_scale: f64,
    /// State in the output.
    #[param(default = 1.0, pv = "OC1")]
    pub oc1: f64,
    /// State in the output, divided by the number of frames filtered.
    #[param(default = -1.0, pv = "OC2")]
    pub oc2: f64,
    /// Input in the output.
    #[param(default = 0.0, pv = "OC3")]
    pub oc3: f64,
    /// Input in the output, divided by the number of frames filtered.
    #[param(default = 1.0, pv = "OC4")]
    pub oc4: f64,
    /// Added to the new state.
    #[param(pv = "FOffset")]
    pub f_offset: f64,
    /// Multiplies the new state.
    #[param(default = 1.0, pv = "FScale")]
    pub f_scale: f64,
    /// State in the new state.
    #[param(default = 1.0, pv = "FC1")]
    pub fc1: f64,
    /// State in the new state, divided by the number of frames filtered.
    #[param(default = -1.0, pv = "FC2")]
    pub fc2: f64,
    /// Input in the new state.
    #[param(default = 0.0, pv = "FC3")]
    pub fc3: f64,
    /// Input in the new state, divided by the number of frames filtered.
    #[param(default = 1.0, pv = "FC4")]
    pub fc4: f64,
    /// Added to the state at a reset.
    #[param(pv = "ROffset")]
    pub r_offset: f64,
    /// Old state in the state after a reset.
    #[param(default = 1.0, pv = "RC1")]
    pub rc1: f64,
    /// Input in the state after a reset.
    #[param(default = 1.0, pv = "RC2")]
    pub rc2: f64,
    /// Whether the latest frame was calculated in single precision.
    #[param(readback)]
    pub is_single: bool,
    /// Background and flat field out of files.
    #[param(flatten)]
    pub saved: SavedFile,
}

impl ProcessParams {
    /// The filter's numbers as they are written.
    pub(super) fn setup(&self) -> FilterSetup {
        FilterSetup {
            oc: [self.oc1, self.oc2, self.oc3, self.oc4],
            fc: [self.fc1, self.fc2, self.fc3, self.fc4],
            rc: [self.rc1, self.rc2],
            o_offset: self.o_offset,
            o_scale: self.o_scale,
            f_offset: self.f_offset,
            f_scale: self.f_scale,
            r_offset: self.r_offset,
        }
    }

    /// The numbers of the chosen type; `None` for custom ones.
    fn preset(&self) -> Option<FilterSetup> {
        match self.filter_type {
            FilterType::Custom => None,
            FilterType::RecursiveAve => Some(FilterSetup::recursive_average()),
            FilterType::Average => Some(FilterSetup::average(self.num_filter)),
            FilterType::Sum => Some(FilterSetup::sum()),
            FilterType::Difference => Some(FilterSetup::difference()),
            FilterType::RecursiveAveDiff => Some(FilterSetup::recursive_average_difference()),
            FilterType::CopyToFilter => Some(FilterSetup::copy_to_filter()),
        }
    }

    /// Sets the ten coefficients of the chosen type; offsets and scales stay, as in areaDetector.
    pub(super) fn apply_filter_type(&mut self) {
        let Some(FilterSetup { oc, fc, rc, .. }) = self.preset() else { return };
        [self.oc1, self.oc2, self.oc3, self.oc4] = oc;
        [self.fc1, self.fc2, self.fc3, self.fc4] = fc;
        [self.rc1, self.rc2] = rc;
    }

    /// The weights of an average over `num_filter` frames follow that number.
    pub(super) fn apply_num_filter(&mut self) {
        self.num_filter_recip = 1.0 / f64::from(self.num_filter.max(1));
        if self.filter_type == FilterType::Average {
            self.apply_filter_type();
        }
    }

    /// Changes the type to `custom` when the coefficients no longer fit the chosen type.
    pub(super) fn recognise_custom(&mut self) {
        let (now, preset) = (self.setup(), self.preset());
        if preset.is_some_and(|p| (p.oc, p.fc, p.rc) != (now.oc, now.fc, now.rc)) {
            self.filter_type = FilterType::Custom;
        }
    }
}
