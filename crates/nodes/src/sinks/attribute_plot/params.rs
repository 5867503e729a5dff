//! The parameters of `attribute_plot`.

use livetime_engine::Params;

/// Most attributes that are kept.
pub const ATTRIBUTES: usize = 16;
/// Curves against one axis.
pub const CURVES: usize = 4;

/// Parameters of `attribute_plot`.
#[derive(Params)]
pub struct AttributePlotParams {
    /// Forgets all points and names; off again at once.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"])]
    pub reset: bool,
    /// Points that are kept; another number begins anew.
    #[param(default = 1000, min = 1, max = 1_000_000)]
    pub points: usize,
    /// New points are shown after this time.
    #[param(default = 1.0, min = 0.01, max = 3600.0, unit = "s")]
    pub read_period: f64,
    /// Points so far.
    #[param(readback, pv = "NPts", form = Plain)]
    pub kept: usize,
    /// The attributes that were found, by name.
    #[param(group = "attr")]
    pub attributes: [Name; ATTRIBUTES],
    /// What the horizontal axis shows.
    #[param(group = "x")]
    pub x: [AlongX; 1],
    /// What the curves show.
    #[param(group = "y")]
    pub y: [AlongY; CURVES],
}

/// One attribute.
#[derive(Params)]
pub struct Name {
    /// Its name; empty: none.
    #[param(readback, pv = "Attr{}", form = Plain)]
    pub name: String,
}

/// The horizontal axis.
#[derive(Params)]
pub struct AlongX {
    /// Number of an attribute from 0; -1: number of the frame; -2: none.
    #[param(default = -1, min = -2, max = 15, pv = "X:DataSelect{}")]
    pub select: i64,
    /// Name of what is shown.
    #[param(readback, default = "None", pv = "X:DataLabel{}", form = Plain)]
    pub label: String,
    /// Its points, oldest first; NaN where a frame had none.
    #[param(readback, pv = "X:Data{}", form = Plain)]
    pub data: Vec<f64>,
}

/// One curve.
#[derive(Params)]
pub struct AlongY {
    /// Number of an attribute from 0; -1: number of the frame; -2: none.
    #[param(default = -2, min = -2, max = 15, pv = "Y:DataSelect{}")]
    pub select: i64,
    /// Name of what is shown.
    #[param(readback, default = "None", pv = "Y:DataLabel{}", form = Plain)]
    pub label: String,
    /// Its points, oldest first; NaN where a frame had none.
    #[param(readback, pv = "Y:Data{}", form = Plain)]
    pub data: Vec<f64>,
}

/// The choice of one axis or curve.
pub(super) struct Block<'a> {
    pub(super) select: &'a mut i64,
    pub(super) label: &'a mut String,
    pub(super) data: &'a mut Vec<f64>,
}

impl AttributePlotParams {
    /// All that is shown.
    pub(super) fn blocks(&mut self) -> impl Iterator<Item = Block<'_>> {
        let x = self.x.iter_mut().map(|b| Block {
            select: &mut b.select,
            label: &mut b.label,
            data: &mut b.data,
        });
        let y = self.y.iter_mut().map(|b| Block {
            select: &mut b.select,
            label: &mut b.label,
            data: &mut b.data,
        });
        x.chain(y)
    }
}
