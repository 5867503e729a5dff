//! The common part of nodes that make new arrays: the type of the output and the rule for values that it cannot hold.

use livetime_engine::{NodeError, ParamEnum};
use livetime_frame::{ColorMode, DType, Layout, MAX_DIMS};
use livetime_kernels::Overflow;

/// Element type of the output (areaDetector's `DataTypeOut`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum OutputType {
    /// Signed 8-bit integer.
    #[pv("Int8")]
    I8,
    /// Unsigned 8-bit integer.
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
    /// That of the input.
    #[default]
    Automatic,
}

impl OutputType {
    /// The type of the output for an input of type `input`.
    ///
    /// ```
    /// use livetime_frame::DType;
    /// use livetime_nodes::convert::OutputType;
    /// assert_eq!(OutputType::Automatic.of(DType::U16), DType::U16);
    /// assert_eq!(OutputType::F32.of(DType::U16), DType::F32);
    /// ```
    pub fn of(self, input: DType) -> DType {
        DType::ALL.get(self.index()).copied().unwrap_or(input)
    }
}

/// The rule for values that the output type cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum OverflowRule {
    /// The nearest value that it can hold. Floats are cut towards zero; NaN becomes 0 for integers.
    #[default]
    Saturate,
    /// Modulo 2^bits for integers, as areaDetector does.
    Wrap,
}

impl OverflowRule {
    /// The kernels' name for it.
    pub(crate) fn kernel(self) -> Overflow {
        match self {
            OverflowRule::Saturate => Overflow::Saturate,
            OverflowRule::Wrap => Overflow::Wrap,
        }
    }
}

/// Refuses compressed arrays, because their bytes do not follow the layout.
pub(crate) fn refuse_compressed(layout: &Layout) -> Result<(), NodeError> {
    match layout.codec() {
        None => Ok(()),
        Some(_) => Err(NodeError::new(format_args!("wanted an uncompressed array, found {layout}"))),
    }
}

/// An array of its own memory with the shape, colours and origin of `layout` and elements of type `dtype`.
pub(crate) fn packed_like(layout: &Layout, dtype: DType) -> Result<Layout, NodeError> {
    let mut shape = [0; MAX_DIMS];
    let mut origin = [(0, 1, false); MAX_DIMS];
    for (i, dim) in layout.dims().iter().enumerate() {
        (shape[i], origin[i]) = (dim.size, (dim.offset, dim.binning, dim.reverse));
    }
    let plain = Layout::packed(dtype, ColorMode::Mono, &shape[..layout.dims().len()])?;
    Ok(plain.with_origin(origin).with_color(layout.color()))
}
