//! Assembled pictures.

use super::axis::MOST_PIXELS;
use crate::{Error, Result};

/// Where each pixel is in an assembled picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembly {
    /// Rows of the picture.
    pub rows: usize,
    /// Columns of the picture.
    pub columns: usize,
    /// The place of each pixel: its row times `columns` and its column; `u32::MAX` where there is no pixel.
    pub places: Vec<u32>,
}

impl Assembly {
    /// The picture of pixels at these coordinates with cells of this size, all in µm.
    pub(super) fn new(x: &[f64], y: &[f64], cell_um: f64) -> Result<Assembly> {
        let lowest = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min) - cell_um / 2.0;
        let (x0, y0) = (lowest(x), lowest(y));
        let cell = |value: f64, from: f64| ((value - from) / cell_um) as usize;
        let last = |values: &[f64], from| values.iter().map(|v| cell(*v, from)).max().unwrap_or(0);
        let (rows, columns) = (last(x, x0).saturating_add(1), last(y, y0).saturating_add(1));
        if rows.checked_mul(columns).is_none_or(|cells| cells > MOST_PIXELS) {
            let wanted = format!("a picture of at most {MOST_PIXELS} cells");
            return Err(Error::new(wanted, format!("{rows} x {columns}")));
        }
        let place = |(x, y): (&f64, &f64)| match x.is_nan() || y.is_nan() {
            true => u32::MAX,
            false => (cell(*x, x0) * columns + cell(*y, y0)) as u32,
        };
        Ok(Assembly { rows, columns, places: x.iter().zip(y).map(place).collect() })
    }

    /// The picture of `values`, one for each pixel; cells without a pixel are `fill`. Where pixels fall into one cell, the last one counts.
    ///
    /// # Errors
    /// If there are not as many values as pixels.
    pub fn assemble<T: Copy>(&self, values: &[T], fill: T) -> Result<Vec<T>> {
        if values.len() != self.places.len() {
            return Err(Error::new(
                format!("{} values to assemble", self.places.len()),
                values.len().to_string(),
            ));
        }
        let mut picture = vec![fill; self.rows * self.columns];
        for (place, value) in self.places.iter().zip(values) {
            if let Some(cell) = picture.get_mut(*place as usize) {
                *cell = *value;
            }
        }
        Ok(picture)
    }
}
