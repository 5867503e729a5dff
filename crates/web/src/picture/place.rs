//! Where on the detector an array was read, so that a page finds the detector pixels under a drawing on its picture.

use std::fmt;

use livetime_frame::{Dim, Layout};

/// One side of an array: its first detector pixel, detector pixels per element, and whether the last one comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Side {
    offset: usize,
    binning: usize,
    reverse: bool,
}

impl Side {
    /// A side that the array does not have is one pixel long.
    fn of(dim: Option<&Dim>) -> Side {
        dim.map_or(Side { offset: 0, binning: 1, reverse: false }, |dim| Side {
            offset: dim.offset,
            binning: dim.binning.max(1),
            reverse: dim.reverse,
        })
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.offset, self.binning, u8::from(self.reverse))
    }
}

/// Columns and rows of an array on the detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    x: Side,
    y: Side,
}

impl Place {
    pub(crate) fn of(layout: &Layout) -> Place {
        let axes = layout.axes();
        let side = |axis: Option<usize>| Side::of(axis.and_then(|axis| layout.dims().get(axis)));
        Place { x: side(axes.x), y: side(axes.y) }
    }
}

/// As `livetime-place` has it: offset, binning and reversal of x, then of y.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

#[cfg(test)]
mod tests {
    use livetime_frame::{ColorMode, DType};

    use super::*;

    #[test]
    fn regions_bins_and_reversal_are_told() {
        let layout = Layout::packed(DType::U8, ColorMode::Rgb1, &ColorMode::Rgb1.shape(6, 4)).unwrap();
        let layout = layout.with_origin([(10, 2, false), (20, 3, true), (0, 1, false)]);
        assert_eq!(Place::of(&layout).to_string(), "20,3,1,10,2,0");
        let (part, _) = layout.crop(0, 1, 2).unwrap();
        assert_eq!(Place::of(&part).to_string(), "20,3,1,12,2,0");
        let row = Layout::packed(DType::U8, ColorMode::Mono, &[5]).unwrap();
        assert_eq!(Place::of(&row).to_string(), "0,1,0,0,1,0");
    }
}
