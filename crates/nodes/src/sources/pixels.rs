//! The common part of sources whose user chooses the pixels: element types and colours.

use livetime_engine::ParamEnum;
use livetime_frame::{ColorMode, DType};

/// Element type; the choices of areaDetector's DataType.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum DataType {
    /// Signed 8-bit integer.
    #[pv("Int8")]
    I8,
    /// Unsigned 8-bit integer.
    #[default]
    #[pv("UInt8")]
    U8,
    /// Signed 16-bit integer.
    #[pv("Int16")]
    I16,
    /// Unsigned 16-bit integer.
    #[pv("UInt16")]
    U16,
    /// Signed 32-bit integer.
    #[pv("Int32")]
    I32,
    /// Unsigned 32-bit integer.
    #[pv("UInt32")]
    U32,
    /// Signed 64-bit integer.
    #[pv("Int64")]
    I64,
    /// Unsigned 64-bit integer.
    #[pv("UInt64")]
    U64,
    /// 32-bit floating point.
    #[pv("Float32")]
    F32,
    /// 64-bit floating point.
    #[pv("Float64")]
    F64,
}

impl DataType {
    /// The element type of frames.
    pub fn dtype(self) -> DType {
        DType::ALL[self.index()]
    }
}

/// Colours and how they lie; the choices of ADSimDetector's ColorMode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Color {
    /// `[height, width]`.
    #[default]
    Mono,
    /// `[height, width, 3]`.
    #[pv("RGB1")]
    Rgb1,
    /// `[height, 3, width]`.
    #[pv("RGB2")]
    Rgb2,
    /// `[3, height, width]`.
    #[pv("RGB3")]
    Rgb3,
}

impl Color {
    /// The colour mode of frames.
    pub fn mode(self) -> ColorMode {
        match self {
            Color::Mono => ColorMode::Mono,
            Color::Rgb1 => ColorMode::Rgb1,
            Color::Rgb2 => ColorMode::Rgb2,
            Color::Rgb3 => ColorMode::Rgb3,
        }
    }
}
