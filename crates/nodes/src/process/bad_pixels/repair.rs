//! The repairs that a list of bad pixels gives for pictures of one layout.

use std::collections::BTreeMap;

use livetime_engine::NodeError;
use livetime_frame::{Dim, Layout};
use livetime_kernels::Pixel;

use super::list::{BadPixel, Fix};
use crate::planes::plane_starts;

/// Which elements of a packed array get which values.
pub(super) struct Repairs {
    /// Elements from the start of the array to the first element of each plane and colour.
    planes: Vec<usize>,
    /// In one plane; all numbers count elements from its first one.
    repairs: Vec<Repair>,
    neighbours: Vec<u32>,
}

struct Repair {
    at: u32,
    value: NewValue,
}

enum NewValue {
    Set(f64),
    Of(u32),
    /// The median of the elements at these of the neighbours.
    Median(std::ops::Range<usize>),
    /// There is no good neighbour.
    Kept,
}

/// One side of the picture: where detector pixels are in it.
struct Side {
    size: i64,
    offset: i64,
    binning: i64,
    reverse: bool,
    /// Elements from one pixel to the next.
    step: i64,
}

impl Side {
    /// `None` is a side that the array does not have: it is one pixel long.
    fn of(layout: &Layout, packed: &Layout, axis: Option<usize>) -> Side {
        let none = Dim { size: 1, stride: 0, offset: 0, binning: 1, reverse: false };
        let dim = axis.map_or(none, |a| layout.dims()[a]);
        let step = axis.map_or(0, |a| packed.dims()[a].stride / packed.dtype().bytes());
        Side {
            size: dim.size as i64,
            offset: dim.offset as i64,
            // A binning of 0 would divide by zero.
            binning: dim.binning.max(1) as i64,
            reverse: dim.reverse,
            step: step as i64,
        }
    }

    /// The place of a detector pixel, which may lie outside.
    fn place(&self, pixel: i64) -> i64 {
        // The quotient is rounded down, so that a pixel left of the picture does not become its first.
        let place = (pixel - self.offset).div_euclid(self.binning);
        if self.reverse { self.size - 1 - place } else { place }
    }

    /// As many pixels of the picture as are meant on the detector.
    fn distance(&self, pixels: i64) -> i64 {
        // The picture is mirrored, so the detector's right is its left.
        if self.reverse { -pixels } else { pixels }
    }

    fn has(&self, place: i64) -> bool {
        (0..self.size).contains(&place)
    }
}

impl Repairs {
    /// Repairs for arrays like `layout`; the elements of the changed array lie like `packed`.
    pub(super) fn of(list: &[BadPixel], layout: &Layout, packed: &Layout) -> Result<Repairs, NodeError> {
        let mut repairs = Repairs { planes: Vec::new(), repairs: Vec::new(), neighbours: Vec::new() };
        if list.is_empty() || packed.is_empty() {
            return Ok(repairs);
        }
        // Places are kept in 32 bits, which halves the memory of medians.
        if u32::try_from(packed.len()).is_err() {
            return Err(NodeError::new(format_args!(
                "wanted an array of less than 2^32 elements, found {layout}"
            )));
        }
        let axes = layout.axes();
        let (x, y) = (Side::of(layout, packed, axes.x), Side::of(layout, packed, axes.y));
        repairs.planes = plane_starts(packed, true);
        // The order is the picture's; of several entries for one pixel the first counts.
        let mut bad = BTreeMap::new();
        for pixel in list {
            let place = (y.place(pixel.y), x.place(pixel.x));
            // A list is written for the whole detector, and a picture may show a part.
            if x.has(place.1) && y.has(place.0) {
                bad.entry(place).or_insert(pixel.fix);
            }
        }
        for (place, fix) in &bad {
            let value = repairs.value(*place, *fix, &bad, (&x, &y));
            let at = (place.0 * y.step + place.1 * x.step) as u32;
            repairs.repairs.push(Repair { at, value });
        }
        Ok(repairs)
    }

    fn value(
        &mut self,
        (row, column): (i64, i64),
        fix: Fix,
        bad: &BTreeMap<(i64, i64), Fix>,
        (x, y): (&Side, &Side),
    ) -> NewValue {
        let good = |row: i64, column: i64| {
            // A bad neighbour gives no value, because its own is wrong.
            let is_good = x.has(column) && y.has(row) && !bad.contains_key(&(row, column));
            is_good.then_some((row * y.step + column * x.step) as u32)
        };
        match fix {
            Fix::Set(value) => NewValue::Set(value),
            Fix::Replace(dx, dy) => {
                // A source outside the picture leaves the pixel as it is: there is no better value.
                good(row + y.distance(dy), column + x.distance(dx)).map_or(NewValue::Kept, NewValue::Of)
            }
            Fix::Median(hx, hy) => {
                let start = self.neighbours.len();
                // The loop is cut to the picture: a window may be far larger.
                for row in (row - hy).max(0)..=(row + hy).min(y.size - 1) {
                    let columns = (column - hx).max(0)..=(column + hx).min(x.size - 1);
                    self.neighbours.extend(columns.filter_map(|column| good(row, column)));
                }
                let all = start..self.neighbours.len();
                if all.is_empty() { NewValue::Kept } else { NewValue::Median(all) }
            }
        }
    }

    /// Whether no pixel gets another value.
    pub(super) fn is_empty(&self) -> bool {
        self.repairs.is_empty()
    }

    /// Bad pixels in the picture.
    pub(super) fn len(&self) -> u64 {
        self.repairs.len() as u64
    }

    /// Changes the elements and returns how many pixels of the first plane got another value. New values are never
    /// from elements that are changed, so the order does not matter.
    pub(super) fn apply<T: Pixel>(&self, elements: &mut [T], places: &mut Vec<u32>) -> u64 {
        let mut repaired = 0;
        for (number, start) in self.planes.iter().enumerate() {
            // A plane that does not exist is passed over without a panic.
            let Some(plane) = elements.get_mut(*start..) else { continue };
            let changed = self.repairs.iter().filter(|repair| {
                let value = self.new_value(&repair.value, plane, places);
                value.map(|value| plane[repair.at as usize] = value).is_some()
            });
            let changed = changed.count() as u64;
            // Planes have the same bad pixels, so the first one gives the count.
            repaired = if number == 0 { changed } else { repaired };
        }
        repaired
    }

    fn new_value<T: Pixel>(&self, value: &NewValue, plane: &[T], places: &mut Vec<u32>) -> Option<T> {
        match value {
            NewValue::Set(value) => Some(T::from_f64(*value)),
            NewValue::Of(at) => Some(plane[*at as usize]),
            NewValue::Median(range) => median(plane, &self.neighbours[range.clone()], places),
            NewValue::Kept => None,
        }
    }
}

/// The median of the elements at `neighbours` that are numbers, if there is one.
fn median<T: Pixel>(plane: &[T], neighbours: &[u32], places: &mut Vec<u32>) -> Option<T> {
    let at = |place: u32| plane[place as usize];
    places.clear();
    // NaN has no place in an order.
    places.extend(neighbours.iter().filter(|p| at(**p).partial_cmp(&at(**p)).is_some()));
    let order = |a: &u32, b: &u32| at(*a).partial_cmp(&at(*b)).unwrap_or(std::cmp::Ordering::Equal);
    let middle = places.len() / 2;
    if places.is_empty() {
        return None;
    }
    let (below, upper, _) = places.select_nth_unstable_by(middle, order);
    let (lower, upper) = (below.iter().max_by(|a, b| order(a, b)).map(|p| at(*p)), at(*upper));
    // For an even count there are two middle values, and their mean is the median.
    match lower.filter(|_| places.len().is_multiple_of(2)) {
        Some(lower) => Some(T::mean2([lower, upper])),
        None => Some(upper),
    }
}
