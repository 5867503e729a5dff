//! The parameters of `roi`.

use livetime_engine::Params;

use super::region::Wish;
use crate::convert::{OutputType, OverflowRule};

/// Parameters of `roi`: the requested region is kept and applied to every frame; the readbacks have the region in use.
#[derive(Params)]
pub struct RoiParams {
    /// A name for the region, for people.
    #[param(pv = "Name")]
    pub name: String,
    /// Whether the region is cut along x; otherwise the whole width passes.
    #[param(default = true, pv = "EnableX", words = ["Disable", "Enable"])]
    pub enable_x: bool,
    /// Whether the region is cut along y; otherwise the whole height passes.
    #[param(default = true, pv = "EnableY", words = ["Disable", "Enable"])]
    pub enable_y: bool,
    /// Whether the region is cut along z; otherwise everything along z passes.
    #[param(default = true, pv = "EnableZ", words = ["Disable", "Enable"])]
    pub enable_z: bool,
    /// First column, from 0, in pixels of the input.
    #[param(unit = "px", pv = "MinX")]
    pub min_x: i64,
    /// First row, from 0, in pixels of the input.
    #[param(unit = "px", pv = "MinY")]
    pub min_y: i64,
    /// First colour, or first element of the third dimension, from 0.
    #[param(pv = "MinZ")]
    pub min_z: i64,
    /// Columns of the input; the default stands for all that is left.
    #[param(default = 1_000_000, unit = "px", pv = "SizeX")]
    pub size_x: i64,
    /// Rows of the input; the default stands for all that is left.
    #[param(default = 1_000_000, unit = "px", pv = "SizeY")]
    pub size_y: i64,
    /// Colours, or elements of the third dimension; the default stands for all that is left.
    #[param(default = 1_000_000, pv = "SizeZ")]
    pub size_z: i64,
    /// Whether all columns from `min_x` on belong to the region, whatever `size_x` says.
    #[param(pv = "AutoSizeX")]
    pub auto_size_x: bool,
    /// Whether all rows from `min_y` on belong to the region, whatever `size_y` says.
    #[param(pv = "AutoSizeY")]
    pub auto_size_y: bool,
    /// Whether everything from `min_z` on belongs to the region, whatever `size_z` says.
    #[param(pv = "AutoSizeZ")]
    pub auto_size_z: bool,
    /// Columns that are added up to one.
    #[param(default = 1, unit = "px", pv = "BinX")]
    pub bin_x: i64,
    /// Rows that are added up to one.
    #[param(default = 1, unit = "px", pv = "BinY")]
    pub bin_y: i64,
    /// Colours, or elements of the third dimension, that are added up to one.
    #[param(default = 1, pv = "BinZ")]
    pub bin_z: i64,
    /// Whether the columns are put in reverse order.
    #[param(pv = "ReverseX")]
    pub reverse_x: bool,
    /// Whether the rows are put in reverse order.
    #[param(pv = "ReverseY")]
    pub reverse_y: bool,
    /// Whether the third dimension is put in reverse order.
    #[param(pv = "ReverseZ")]
    pub reverse_z: bool,
    /// Whether the values are divided by `scale`.
    #[param(pv = "EnableScale", words = ["Disable", "Enable"])]
    pub enable_scale: bool,
    /// Divides the binned sums, in double precision, before they are converted to the output type.
    #[param(default = 1.0, pv = "Scale")]
    pub scale: f64,
    /// Element type of the output.
    #[param(pv = "DataTypeOut", drv_info = "ROI_DATA_TYPE")]
    pub data_type: OutputType,
    /// What becomes of values that the output type cannot hold.
    pub overflow: OverflowRule,
    /// Whether dimensions of size 1 are dropped from the output.
    #[param(pv = "CollapseDims", words = ["Disable", "Enable"])]
    pub collapse_dims: bool,
    /// Width of the input.
    #[param(readback, unit = "px", pv = "MaxSizeX")]
    pub max_size_x: usize,
    /// Height of the input.
    #[param(readback, unit = "px", pv = "MaxSizeY")]
    pub max_size_y: usize,
    /// Size of the third dimension of the input; 0 when it has none.
    #[param(readback, pv = "MaxSizeZ")]
    pub max_size_z: usize,
    /// First column of the latest region.
    #[param(readback, unit = "px", pv = "MinX")]
    pub actual_min_x: usize,
    /// First row of the latest region.
    #[param(readback, unit = "px", pv = "MinY")]
    pub actual_min_y: usize,
    /// First colour, or element of the third dimension, of the latest region.
    #[param(readback, pv = "MinZ")]
    pub actual_min_z: usize,
    /// Columns of the latest region, before binning.
    #[param(readback, unit = "px", pv = "SizeX")]
    pub actual_size_x: usize,
    /// Rows of the latest region, before binning.
    #[param(readback, unit = "px", pv = "SizeY")]
    pub actual_size_y: usize,
    /// Size of the third dimension of the latest region, before binning.
    #[param(readback, pv = "SizeZ")]
    pub actual_size_z: usize,
    /// Columns added up to one in the latest region.
    #[param(readback, unit = "px", pv = "BinX")]
    pub actual_bin_x: usize,
    /// Rows added up to one in the latest region.
    #[param(readback, unit = "px", pv = "BinY")]
    pub actual_bin_y: usize,
    /// Elements of the third dimension added up to one in the latest region.
    #[param(readback, pv = "BinZ")]
    pub actual_bin_z: usize,
    /// Width of the latest output, before dimensions of size 1 are dropped.
    #[param(readback, unit = "px", pv = "ArraySizeX")]
    pub array_size_x: usize,
    /// Height of the latest output, before dimensions of size 1 are dropped.
    #[param(readback, unit = "px", pv = "ArraySizeY")]
    pub array_size_y: usize,
    /// Size of the third dimension of the latest output; 0 when it has none.
    #[param(readback, pv = "ArraySizeZ")]
    pub array_size_z: usize,
}

impl RoiParams {
    /// The readback of the set-point `name` shows it until the next frame says what became of it: clients wait for that
    /// after a write, and frames may come much later. A bin of 0 acts as 1.
    pub(super) fn show_wish(&mut self, name: &str) {
        let (readback, wish) = match name {
            "min_x" => (&mut self.actual_min_x, self.min_x),
            "min_y" => (&mut self.actual_min_y, self.min_y),
            "min_z" => (&mut self.actual_min_z, self.min_z),
            "size_x" => (&mut self.actual_size_x, self.size_x),
            "size_y" => (&mut self.actual_size_y, self.size_y),
            "size_z" => (&mut self.actual_size_z, self.size_z),
            "bin_x" => (&mut self.actual_bin_x, self.bin_x.max(1)),
            "bin_y" => (&mut self.actual_bin_y, self.bin_y.max(1)),
            "bin_z" => (&mut self.actual_bin_z, self.bin_z.max(1)),
            _ => return,
        };
        *readback = usize::try_from(wish).unwrap_or(0);
    }

    /// The requested region along x, y and z.
    pub(super) fn wishes(&self) -> [Wish; 3] {
        [
            Wish {
                enable: self.enable_x,
                min: self.min_x,
                size: self.size_x,
                auto_size: self.auto_size_x,
                bin: self.bin_x,
                reverse: self.reverse_x,
            },
            Wish {
                enable: self.enable_y,
                min: self.min_y,
                size: self.size_y,
                auto_size: self.auto_size_y,
                bin: self.bin_y,
                reverse: self.reverse_y,
            },
            Wish {
                enable: self.enable_z,
                min: self.min_z,
                size: self.size_z,
                auto_size: self.auto_size_z,
                bin: self.bin_z,
                reverse: self.reverse_z,
            },
        ]
    }

    /// The divisor of the sums, if it changes anything.
    pub(super) fn divide_by(&self) -> Option<f64> {
        (self.enable_scale && self.scale != 1.0).then_some(self.scale)
    }
}
