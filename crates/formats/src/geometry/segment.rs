//! Segments: the types that a geometry file names, with the pixels of each.

use super::axis::{Axis, MOST_PIXELS};
use super::mask::{MaskOptions, Unbonded};
use crate::{Error, Result};

/// The shape that a geometry file leaves open for segments `ARCHON:V1`, `ARCHON:V2` and `MTRXANY:V1`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OpenSize {
    /// Rows of a segment.
    pub rows: u32,
    /// Columns of a segment; an Archon has 4800.
    pub columns: u32,
    /// The width and height of a pixel in µm; a pixel of an Archon has 10 and 20.
    pub pixel_um: f64,
}

/// The pixels of a segment in its own frame: rows and columns make a grid.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Segment {
    pub(super) rows: Axis,
    pub(super) columns: Axis,
    pub(super) depth_um: f64,
    /// The size of a cell of assembled pictures.
    pub(super) cell_um: f64,
    /// x is along the rows' numbers, as in a matrix.
    pub(super) is_matrix: bool,
    has_unbonded: bool,
}

enum Type {
    Fixed(fn() -> Segment),
    Sized(fn(OpenSize) -> Result<Segment>),
}

const TYPES: &[(&str, Type)] = &[
    ("SENS2X1:V1", Type::Fixed(cspad)),
    ("EPIX100:V1", Type::Fixed(epix100)),
    ("EPIX10KA:V1", Type::Fixed(|| halves(176, 192))),
    ("EPIXHR2X2:V1", Type::Fixed(|| halves(144, 192))),
    ("EPIXHR1X4:V1", Type::Fixed(epix_hr_row)),
    ("EPIXUHR3X2:V1", Type::Fixed(epix_uhr)),
    ("EPIXMASIC:V1", Type::Fixed(|| Segment { depth_um: 500.0, ..centered(192, 384, 50.0, 50.0) })),
    ("EPIXUHRASIC:V1", Type::Fixed(|| Segment { depth_um: 500.0, ..centered(168, 192, 100.0, 100.0) })),
    ("JUNGFRAU:V1", Type::Fixed(jungfrau_1)),
    ("JUNGFRAU:V2", Type::Fixed(jungfrau_2)),
    ("PNCCD:V1", Type::Fixed(|| Segment { depth_um: 400.0, ..matrix(512, 512, 75.0, 75.0) })),
    ("ARCHON:V1", Type::Sized(|size| archon(size, 0..264))),
    ("ARCHON:V2", Type::Sized(|size| archon(size, 36..300))),
    ("MTRXANY:V1", Type::Sized(any_matrix)),
];

impl Segment {
    fn new(rows: Axis, columns: Axis, cell_um: f64) -> Segment {
        Segment { rows, columns, depth_um: 400.0, cell_um, is_matrix: false, has_unbonded: false }
    }

    /// The segment of this type.
    ///
    /// # Errors
    /// If there is no such type, if `size` is needed and missing, or if the segment would have too many pixels.
    pub(super) fn named(name: &str, size: Option<OpenSize>) -> Result<Segment> {
        match TYPES.iter().find(|(known, _)| *known == name) {
            Some((_, Type::Fixed(make))) => Ok(make()),
            Some((_, Type::Sized(make))) => make(size.ok_or_else(|| needs_size(name))?),
            // Types with sizes in their name come last, so that a fixed name is never parsed.
            None => Segment::of_text(name).ok_or_else(|| unknown(name))?,
        }
    }

    /// `MTRX:ROWS:COLUMNS:HEIGHT:WIDTH`, or the same with `V2:` in front of the rows.
    fn of_text(name: &str) -> Option<Result<Segment>> {
        let sizes = name.strip_prefix("MTRX:")?;
        let (is_centered, sizes) = match sizes.strip_prefix("V2:") {
            Some(sizes) => (true, sizes),
            None => (false, sizes),
        };
        let [rows, columns, height, width] = sizes.split(':').collect::<Vec<_>>()[..] else { return None };
        // The bound keeps all places finite.
        let size = |text: &str| text.parse::<f64>().ok().filter(|size| *size > 0.0 && *size < 1e6);
        let (rows, columns) = (rows.parse().ok()?, columns.parse().ok()?);
        let (height, width) = (size(height)?, size(width)?);
        let make = if is_centered { centered } else { matrix };
        Some(bounded(rows, columns).map(|()| make(rows, columns, height, width)))
    }

    /// The number of pixels.
    pub(super) fn pixels(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// One for each pixel, made of its row and column.
    pub(super) fn each<T>(&self, value: impl Fn(usize, usize) -> T) -> Vec<T> {
        let columns = self.columns.len();
        (0..self.pixels()).map(|pixel| value(pixel / columns, pixel % columns)).collect()
    }

    /// The pixels of an axis along x or y.
    pub(super) fn along(&self, is_x: bool, of_row: &[f64], of_column: &[f64]) -> Vec<f64> {
        // psana's `MTRX` counts x along the rows, all others along the columns.
        self.each(|row, column| if is_x == self.is_matrix { of_row[row] } else { of_column[column] })
    }

    /// The area of each pixel; 1 for most.
    pub(super) fn areas(&self) -> Vec<f64> {
        let usual = self.rows.width * self.columns.width;
        self.each(|row, column| self.rows.widths[row] * self.columns.widths[column] / usual)
    }

    /// 1 for each pixel that stays, 0 for each that is left out.
    pub(super) fn mask(&self, options: &MaskOptions) -> Vec<u8> {
        let rows = self.rows.masked(options.edge_rows, options.center_rows);
        let columns = self.columns.masked(options.edge_columns, options.center_columns);
        let mut mask = self.each(|row, column| u8::from(!rows[row] && !columns[column]));
        if self.has_unbonded {
            self.leave_out_unbonded(options.unbonded, &mut mask);
        }
        mask
    }

    /// Every tenth pixel of each chip's diagonal has no contact.
    fn leave_out_unbonded(&self, with: Unbonded, mask: &mut [u8]) {
        let (rows, columns) = (self.rows.len() as isize, self.columns.len() as isize);
        // Each half of the columns is a chip.
        for chip in [0, columns / 2] {
            for at in (0..rows).step_by(10) {
                for (row, column) in with.around().iter().map(|(y, x)| (at + y, at + x)) {
                    // The neighbours of a pixel at the edge may lie outside.
                    if row >= 0 && column >= 0 && row < rows {
                        mask[(row * columns + column + chip) as usize] = 0;
                    }
                }
            }
        }
    }
}

fn bounded(rows: u32, columns: u32) -> Result<()> {
    // Both numbers have 32 bits, so the product fits into 64.
    let pixels = u64::from(rows) * u64::from(columns);
    if pixels == 0 || pixels > MOST_PIXELS as u64 {
        let wanted = format!("a segment of 1 to {MOST_PIXELS} pixels");
        return Err(Error::new(wanted, format!("{rows} x {columns}")));
    }
    Ok(())
}

fn needs_size(name: &str) -> Error {
    Error::new(format!("rows, columns and pixels of `{name}`, which the file leaves open"), "none")
}

fn unknown(name: &str) -> Error {
    let known: Vec<&str> = TYPES.iter().map(|(known, _)| *known).collect();
    let wanted = format!("a segment {}, MTRX:ROWS:COLUMNS:SIZE:SIZE or MTRX:V2:…", known.join(", "));
    Error::new(wanted, format!("`{}`", name.chars().take(40).collect::<String>()))
}

// ---- The types ----

fn cspad() -> Segment {
    let last = 184.0 * 109.92;
    let rows = Axis::even((0..185).map(|n| last / 2.0 - f64::from(n) * 109.92).collect(), 109.92);
    let columns = Axis::halves(194, 109.92, 274.8);
    Segment { has_unbonded: true, ..Segment::new(rows, columns, 109.92) }
}

/// Unlike in other types, y is along the rows' numbers.
fn epix100() -> Segment {
    Segment::new(Axis::halves(352, 50.0, 175.0), Axis::halves(384, 50.0, 175.0), 50.0)
}

/// Chips of twice so many rows and columns of 100 µm.
fn halves(rows: u32, columns: u32) -> Segment {
    Segment::new(Axis::halves(rows, 100.0, 225.0).reversed(), Axis::halves(columns, 100.0, 225.0), 100.0)
}

/// Four chips in a row. The two rows in the middle lie the other way round than all others, and all pixels have one size: so psana has it.
fn epix_hr_row() -> Segment {
    let at = |n: u32| f64::from(n) * 100.0 - 50.0;
    let upper = (0..72).rev().map(at);
    let rows = Axis::even(upper.clone().chain(upper.rev().map(|y| -y)).collect(), 100.0);
    let chip = |from: f64| (0..192).map(move |n| at(n) + from);
    let right: Vec<f64> = chip(225.0).chain(chip(675.0 + 191.0 * 100.0)).collect();
    let columns = right.iter().rev().map(|x| -x).chain(right.iter().copied()).collect();
    let borders = vec![192, 384, 576];
    Segment::new(rows, Axis { borders, ..Axis::even(columns, 100.0) }, 100.0)
}

/// Three chips beside each other in two rows.
fn epix_uhr() -> Segment {
    let chip =
        |n: i32| (0..192).map(move |x| f64::from(x) * 100.0 - 9550.0 + f64::from(n) * (19_100.0 + 425.0));
    let columns = Axis::even((-1..2).flat_map(chip).collect(), 100.0).with_borders(&[192, 384], 262.5);
    Segment::new(Axis::halves(168, 100.0, 262.5).reversed(), columns, 100.0)
}

/// Two rows of four chips, with two pixels between chips, y against the rows' numbers.
fn jungfrau_1() -> Segment {
    let borders = |axis: Axis| {
        let borders = (1..axis.len() / 256).map(|chip| 256 * chip).collect();
        Axis { borders, ..axis }
    };
    let even = |count| borders(Axis::even(chips(count, 0.0), 75.0));
    Segment::new(even(2).reversed(), even(4), 75.0)
}

/// The same with y along the rows' numbers; pixels beside the edges between chips are twice as wide.
fn jungfrau_2() -> Segment {
    let wide = |count, borders: &[usize]| Axis::even(chips(count, 0.5), 75.0).with_borders(borders, 150.0);
    Segment::new(wide(2, &[256]), wide(4, &[256, 512, 768]), 75.0)
}

/// Coordinates of the pixels of `count` chips of a Jungfrau: the centres of pixels beside another chip are `nearer`
/// pixels nearer to it.
fn chips(count: u32, nearer: f64) -> Vec<f64> {
    let first = (1.0 - f64::from(258 * count - 2)) / 2.0;
    let pixel = |chip: u32, n: u32| {
        let toward = match n {
            0 if chip > 0 => -nearer,
            255 if chip + 1 < count => nearer,
            _ => 0.0,
        };
        (first + f64::from(258 * chip + n) + toward) * 75.0
    };
    (0..count).flat_map(|chip| (0..256).map(move |n| pixel(chip, n))).collect()
}

/// x along rows, y along columns, from the first pixel.
fn matrix(rows: u32, columns: u32, height: f64, width: f64) -> Segment {
    let (rows, columns) = (Axis::counted(rows, height), Axis::counted(columns, width));
    Segment { is_matrix: true, depth_um: 100.0, ..Segment::new(rows, columns, height.min(width)) }
}

/// x along columns, y against rows, from the middle.
fn centered(rows: u32, columns: u32, height: f64, width: f64) -> Segment {
    let (rows, columns) = (Axis::centered(rows, height).reversed(), Axis::centered(columns, width));
    Segment { depth_um: 100.0, ..Segment::new(rows, columns, height.min(width)) }
}

fn any_matrix(size: OpenSize) -> Result<Segment> {
    let OpenSize { rows, columns, pixel_um } = size;
    bounded(rows, columns)?;
    if !(pixel_um > 0.0 && pixel_um < 1e6) {
        return Err(Error::new("pixels of more than 0 and less than 1,000,000 µm", pixel_um.to_string()));
    }
    Ok(Segment { depth_um: 400.0, ..centered(rows, columns, pixel_um, pixel_um) })
}

/// 16 banks of 300 columns; the columns in `real` are pixels.
fn archon(size: OpenSize, real: std::ops::Range<u32>) -> Result<Segment> {
    // 16 banks of 300 columns are the only form of this detector.
    if size.columns != 4800 {
        return Err(Error::new("4800 columns of an Archon", size.columns.to_string()));
    }
    bounded(size.rows, size.columns)?;
    let last = f64::from(16 * 264 - 1) * 10.0;
    let at = |column: u32| {
        let (bank, n) = (column / 300, column % 300);
        let pixel = real.contains(&n).then(|| f64::from(bank * 264 + n - real.start) * 10.0 - last / 2.0);
        // NaN tells later steps that the column has no place.
        pixel.unwrap_or(f64::NAN)
    };
    let at: Vec<f64> = (0..4800).map(at).collect();
    let widths = at.iter().map(|x| if x.is_nan() { f64::NAN } else { 10.0 }).collect();
    let columns = Axis { widths, ..Axis::even(at, 10.0) };
    Ok(Segment::new(Axis::centered(size.rows, 20.0).reversed(), columns, 10.0))
}
