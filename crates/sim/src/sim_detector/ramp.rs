//! The linear ramp.

use livetime_engine::NodeError;
use livetime_frame::ColorMode;
use livetime_kernels::{
    Level, Pixel, add_circular, add_constant, add_constant_circular, add_constant_rgb, ramp_row,
};

use super::params::SimDetectorParams;
use super::shape::{Shape, zeros};

/// The first picture, and what has been added to it since.
pub(super) struct Ramp<T> {
    shape: Shape,
    first: Vec<T>,
    /// The difference of each row from the first one, where it is the same for all pixels of the row. Then a picture is
    /// made from one row that stays in the cache, instead of from a whole picture that does not.
    row_offsets: Option<Vec<T>>,
    increments: [T; 3],
    /// Added to the first picture to make the next one, by colour.
    added: [T; 3],
    pictures: u64,
}

impl<T: Pixel> Ramp<T> {
    pub(super) fn new(params: &SimDetectorParams, shape: Shape, gains: [f64; 3]) -> Result<Self, NodeError> {
        let increment: T = converted(params.gain);
        let increments: [T; 3] = gains.map(|gain| converted(gain * increment.to_f64()));
        let mut first = zeros(shape.len())?;
        let mut row = zeros(shape.width)?;
        for (color, increment) in increments.iter().take(shape.colors()).enumerate() {
            let (start, step, stride) = shape.place(color);
            for y in 0..shape.height {
                let increment = increment.to_f64();
                ramp_row(Level::best(), increment, params.gain_x, params.gain_y, y, &mut row);
                let place = first[start + y * stride..].iter_mut().step_by(step);
                place.zip(&row).for_each(|(to, from)| *to = *from);
            }
        }
        // Rows without pixels cannot be compared.
        let is_mono = shape.colors() == 1 && shape.width > 0;
        let row_offsets = if is_mono { row_offsets(&first, shape.width) } else { None };
        Ok(Ramp { shape, first, row_offsets, increments, added: [T::default(); 3], pictures: 0 })
    }

    /// Writes the next picture, with `background`, read in a circle from a start on, where there is one.
    pub(super) fn draw(&mut self, background: Option<(&[T], usize)>, out: &mut [T]) -> Result<(), NodeError> {
        let (level, added) = (Level::best(), self.added);
        let result = match (self.shape.color, background) {
            (ColorMode::Rgb1, _) => add_constant_rgb(level, &self.first, added, out),
            (ColorMode::Rgb2, _) => self.draw_runs(self.shape.width, out),
            (ColorMode::Rgb3, _) => self.draw_runs(self.shape.width * self.shape.height, out),
            (_, None) => self.draw_rows(out),
            (_, Some((background, start))) => {
                add_constant_circular(level, &self.first, added[0], background, start, out)
            }
        };
        result.map_err(NodeError::new)?;
        // The kernels for colours add no background.
        if let (true, Some((background, start))) = (self.shape.color.is_rgb(), background) {
            add_circular(level, background, start, out).map_err(NodeError::new)?;
        }
        self.advance();
        Ok(())
    }

    /// Runs of one colour each: red, green, blue, red …
    fn draw_runs(&self, run: usize, out: &mut [T]) -> Result<(), livetime_kernels::LengthError> {
        let mut runs = out.chunks_mut(run).zip(self.first.chunks(run)).enumerate();
        runs.try_for_each(|(i, (out, first))| add_constant(Level::best(), first, self.added[i % 3], out))
    }

    fn draw_rows(&self, out: &mut [T]) -> Result<(), livetime_kernels::LengthError> {
        let (level, added, width) = (Level::best(), self.added[0], self.shape.width);
        let Some(offsets) = &self.row_offsets else { return add_constant(level, &self.first, added, out) };
        let mut rows = out.chunks_mut(width).zip(offsets);
        rows.try_for_each(|(out, offset)| {
            add_constant(level, &self.first[..width], added.add_wrapping(*offset), out)
        })
    }

    /// Whole numbers wrap round as they would pixel by pixel; floats are multiplied, so that no error adds up.
    fn advance(&mut self) {
        self.pictures += 1;
        for (added, increment) in self.added.iter_mut().zip(self.increments) {
            *added = match T::FLOAT {
                true => T::from_f64(self.pictures as f64 * increment.to_f64()),
                false => added.add_wrapping(increment),
            };
        }
    }
}

/// The difference of each row from the first one, if it is one number for the whole row. Floats would be rounded
/// differently.
fn row_offsets<T: Pixel>(picture: &[T], width: usize) -> Option<Vec<T>> {
    let first = picture.get(..width).filter(|_| !T::FLOAT)?;
    let offset_of = |row: &[T]| {
        let offset = row[0].sub_wrapping(first[0]);
        row.iter().zip(first).all(|(pixel, first)| *pixel == first.add_wrapping(offset)).then_some(offset)
    };
    picture.chunks(width).map(offset_of).collect()
}

/// A number as the kernels for patterns convert it: cut towards zero, modulo the type.
fn converted<T: Pixel>(value: f64) -> T {
    let mut pixel = [T::default()];
    ramp_row(Level::best(), value, 0.0, 1.0, 1, &mut pixel);
    pixel[0]
}
