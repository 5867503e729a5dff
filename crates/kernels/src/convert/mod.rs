//! Crop, bin, reverse, scale and change of type in one pass.

mod bins;
mod region;
mod reverse;
mod sum_types;
mod sums;
#[cfg(test)]
mod tests;
mod values;

use crate::bytes::{bytes, bytes_mut};
use crate::{LengthError, Level, Pixel, Plane};
pub use region::{Conversion, ConvertError};
use reverse::reverse;
use std::any::TypeId;
use std::ops::Range;
pub use sums::Summed;
use sums::{Accumulator, SHORT_SUM, SumOf};
pub use values::Overflow;
use values::{BLOCK, convert_values};

/// Cuts a region out of an image, adds up bins, reverses, divides and converts to another type.
///
/// ```text
/// input (I)                                          output (O), packed
/// height × width, any stride                         (size_y / bin_y) × (size_x / bin_x)
/// ┌────────────────┐
/// │   ┌────────┐   │   sum over bin_y × bin_x, reverse   ┌────┐
/// │   │ region │   │ ──────────────────────────────────▶ │    │
/// │   └────────┘   │   divide_by, overflow               └────┘
/// └────────────────┘
/// ```
///
/// A pixel is `samples_per_pixel` neighbouring samples, which are binned each for itself; the
/// width of `input` counts samples. Bins start at the offset, also when the result is reversed.
/// Sums of integers are exact; sums of floats are made in `f64`, row by row. Source of the
/// meaning: ADCore `NDArrayPool::convert`, which adds up in the output type and so wraps.
///
/// # Errors
/// [`ConvertError`] if the region is not inside the input, a bin is 0, the rows of the input are
/// not whole pixels or the output has another length; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Conversion, Level, Plane, convert};
/// let image = Plane::packed(&[1u8, 2, 3, 4, 200, 6, 7, 8], 4, 2)?;
/// let binned = Conversion { bin_x: 2, bin_y: 2, ..Conversion::whole(4, 2) };
/// let mut output = [0u16; 2];
/// convert(Level::best(), image, &binned, &mut output)?;
/// assert_eq!(output, [209, 22]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert<I: Summed, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    conversion: &Conversion,
    output: &mut [O],
) -> Result<(), ConvertError> {
    conversion.check(input.width(), input.height(), output.len())?;
    if output.is_empty() {
        return Ok(());
    }
    // A product that would overflow needs long sums, too.
    let bin = conversion.bin_x.saturating_mul(conversion.bin_y);
    if bin == 1 && conversion.divide_by.is_none() {
        each_pixel::<I, O>(level, input, conversion, output);
    } else if bin <= SHORT_SUM {
        each_bin::<I, I::Sum, O>(level, input, conversion, output);
    } else {
        each_bin::<I, I::LongSum, O>(level, input, conversion, output);
    }
    Ok(())
}

/// As [`convert()`], without bins and divisor: pixels of any type need no sums then.
pub(crate) fn convert_unbinned<I: Pixel, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    conversion: &Conversion,
    output: &mut [O],
) -> Result<(), ConvertError> {
    conversion.check(input.width(), input.height(), output.len())?;
    if !output.is_empty() {
        each_pixel::<I, O>(level, input, conversion, output);
    }
    Ok(())
}

/// Converts every value to another type: [`Overflow::Saturate`].
///
/// # Errors
/// [`LengthError`] if the lengths differ; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, convert_slice};
/// let mut output = [0u8; 3];
/// convert_slice(Level::best(), &[-1.5f32, 7.9, 300.0], &mut output)?;
/// assert_eq!(output, [0, 7, 255]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn convert_slice<I: Pixel, O: Pixel>(
    level: Level,
    input: &[I],
    output: &mut [O],
) -> Result<(), LengthError> {
    LengthError::check("output", output.len(), input.len())?;
    I::cast_slice(level, input, output);
    Ok(())
}

// Code that knows both the input and the output type is compiled a hundred times. So these functions
// only walk over blocks; the loops over samples belong to one type, or to two in `cast.rs`.

impl Conversion {
    /// The rows of the output, each with its number before they are put in reverse order.
    fn rows<'a, O>(&self, output: &'a mut [O]) -> impl Iterator<Item = (usize, &'a mut [O])> {
        let (columns, rows) = self.output_size();
        let reverse = self.reverse_y;
        let number = move |(y, row)| (if reverse { rows - 1 - y } else { y }, row);
        output.chunks_exact_mut(columns * self.samples_per_pixel).enumerate().map(number)
    }

    /// The blocks of a row of `len` samples: whole pixels, so that each can be reversed by itself.
    fn blocks(&self, len: usize) -> impl Iterator<Item = Range<usize>> {
        // `check` has refused pixels with more samples than a block, so a step is not 0.
        let step = BLOCK / self.samples_per_pixel * self.samples_per_pixel;
        (0..len).step_by(step).map(move |start| start..len.min(start + step))
    }

    /// Where a block lies in the output.
    fn place(&self, block: &Range<usize>, len: usize) -> Range<usize> {
        if self.reverse_x { len - block.end..len - block.start } else { block.clone() }
    }
}

fn each_pixel<I: Pixel, O: Pixel>(level: Level, input: Plane<'_, I>, c: &Conversion, output: &mut [O]) {
    let samples = c.samples_per_pixel;
    let row = |y: usize, len: usize| &input.row(c.offset_y + y)[c.offset_x * samples..][..len];
    if c.reverse_x && TypeId::of::<I>() == TypeId::of::<O>() {
        // Pixels of one type only move.
        let pixel = samples * size_of::<O>();
        for (y, to) in c.rows(output) {
            reverse(level, bytes(row(y, to.len())), bytes_mut(to), pixel);
        }
    } else if c.reverse_x {
        each_block(level, c, output, &mut |y, block, to| {
            convert_values(level, &row(y, block.end)[block.start..], to, c.overflow);
        });
    } else {
        for (y, to) in c.rows(output) {
            convert_values(level, row(y, to.len()), to, c.overflow);
        }
    }
}

fn each_bin<I: Pixel, A: SumOf<I>, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    c: &Conversion,
    output: &mut [O],
) {
    let mut sums = [A::default(); BLOCK];
    each_block(level, c, output, &mut |y, block, to| {
        let sums = &mut sums[..block.len()];
        add_block(level, input, c, y, block.start, sums);
        store(level, sums, to, c);
    });
}

/// Lets `make` write every block of every row, then puts it in its place.
#[inline(never)]
fn each_block<O: Pixel>(level: Level, c: &Conversion, output: &mut [O], make: Make<'_, O>) {
    let pixel = c.samples_per_pixel * size_of::<O>();
    let mut part = [O::default(); BLOCK];
    for (y, to) in c.rows(output) {
        for block in c.blocks(to.len()) {
            let place = c.place(&block, to.len());
            let place = &mut to[place];
            if c.reverse_x {
                let part = &mut part[..block.len()];
                make(y, block, part);
                reverse(level, bytes(part), bytes_mut(place), pixel);
            } else {
                make(y, block, place);
            }
        }
    }
}

/// Writes samples `block` of row `y`, in the order of the input.
type Make<'a, O> = &'a mut dyn FnMut(usize, Range<usize>, &mut [O]);

/// The sums of row `y` of the output, from sample `start` on.
#[inline(never)]
fn add_block<I: Pixel, A: SumOf<I>>(
    level: Level,
    input: Plane<'_, I>,
    c: &Conversion,
    y: usize,
    start: usize,
    sums: &mut [A],
) {
    sums.fill(A::default());
    for line in 0..c.bin_y {
        let row = input.row(c.offset_y + y * c.bin_y + line);
        let row = &row[c.offset_x * c.samples_per_pixel + start * c.bin_x..][..sums.len() * c.bin_x];
        A::add_bins(level, row, sums, c.bin_x, c.samples_per_pixel);
    }
}

/// Sums become values of the output.
#[inline(never)]
fn store<A: Accumulator, O: Pixel>(level: Level, sums: &[A], to: &mut [O], c: &Conversion) {
    let Some(divisor) = c.divide_by else { return A::store(level, sums, to, c.overflow) };
    let mut quotients = [0.0; BLOCK];
    let quotients = &mut quotients[..sums.len()];
    A::divide(level, sums, divisor, quotients);
    convert_values(level, quotients, to, c.overflow);
}
