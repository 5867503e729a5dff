//! Crop, bin, reverse, scale and change of type in one pass.

mod region;
#[cfg(test)]
mod tests;

use crate::cast::{Accumulator, SHORT_SUM};
use crate::{LengthError, Level, Pixel, Plane};
pub use region::{Conversion, ConvertError, Overflow};

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
pub fn convert<I: Pixel, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    conversion: &Conversion,
    output: &mut [O],
) -> Result<(), ConvertError> {
    conversion.check(input.width(), input.height(), output.len())?;
    if output.is_empty() {
        return Ok(());
    }
    let bin = conversion.bin_x.saturating_mul(conversion.bin_y);
    if bin == 1 && conversion.divide_by.is_none() {
        each_pixel(level, input, conversion, output);
    } else if bin <= SHORT_SUM {
        each_bin(level, input, conversion, output, I::to_sum);
    } else {
        each_bin(level, input, conversion, output, I::to_long_sum);
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
    write_pixels(level, input, output, Order { samples: 1, reverse: false }, Overflow::Saturate);
    Ok(())
}

/// Sums that are held at a time; 8 KiB at most.
const BLOCK: usize = 512;

/// How the pixels of a row are laid down.
#[derive(Clone, Copy)]
struct Order {
    samples: usize,
    reverse: bool,
}

impl Conversion {
    fn order(&self) -> Order {
        Order { samples: self.samples_per_pixel, reverse: self.reverse_x }
    }

    /// The rows of the output, each with its number before they are put in reverse order.
    fn rows<'a, O>(&self, output: &'a mut [O]) -> impl Iterator<Item = (usize, &'a mut [O])> {
        let (columns, rows) = self.output_size();
        let reverse = self.reverse_y;
        let number = move |(y, row)| (if reverse { rows - 1 - y } else { y }, row);
        output.chunks_exact_mut(columns * self.samples_per_pixel).enumerate().map(number)
    }
}

fn each_pixel<I: Pixel, O: Pixel>(level: Level, input: Plane<'_, I>, c: &Conversion, output: &mut [O]) {
    for (y, to) in c.rows(output) {
        let from = &input.row(c.offset_y + y)[c.offset_x * c.samples_per_pixel..][..to.len()];
        write_pixels(level, from, to, c.order(), c.overflow);
    }
}

fn each_bin<I: Pixel, A: Accumulator, O: Pixel>(
    level: Level,
    input: Plane<'_, I>,
    c: &Conversion,
    output: &mut [O],
    widen: impl Fn(I) -> A + Copy,
) {
    let samples = c.samples_per_pixel;
    let mut sums = [A::default(); BLOCK];
    for (y, to) in c.rows(output) {
        // Whole pixels, so that a block can be reversed by itself.
        let step = BLOCK / samples * samples;
        for start in (0..to.len()).step_by(step) {
            let sums = &mut sums[..step.min(to.len() - start)];
            sums.fill(A::default());
            for line in 0..c.bin_y {
                let row = input.row(c.offset_y + y * c.bin_y + line);
                let row = &row[c.offset_x * samples + start * c.bin_x..][..sums.len() * c.bin_x];
                add_bins(level, row, sums, c.bin_x, samples, widen);
            }
            let place = if c.reverse_x { to.len() - start - sums.len() } else { start };
            write_sums(level, sums, &mut to[place..][..sums.len()], c.order(), c.divide_by, c.overflow);
        }
    }
}

// Each of the loops below knows two types at most: three would be compiled a thousand times over.

per_level! {
    fn write_pixels<I: Pixel, O: Pixel>(from: &[I], to: &mut [O], order: Order, overflow: Overflow)
        = write_pixels_body;
}

#[inline(always)]
fn write_pixels_body<I: Pixel, O: Pixel>(from: &[I], to: &mut [O], order: Order, overflow: Overflow) {
    match overflow {
        Overflow::Saturate => lay_down(from, to, order, |v| v.cast()),
        Overflow::Wrap => lay_down(from, to, order, |v| v.cast_wrapping()),
    }
}

per_level! {
    fn write_sums<A: Accumulator, O: Pixel>(
        from: &[A], to: &mut [O], order: Order, divide_by: Option<f64>, overflow: Overflow,
    ) = write_sums_body;
}

#[inline(always)]
fn write_sums_body<A: Accumulator, O: Pixel>(
    from: &[A],
    to: &mut [O],
    order: Order,
    divide_by: Option<f64>,
    overflow: Overflow,
) {
    match (divide_by, overflow) {
        (None, Overflow::Saturate) => lay_down(from, to, order, |v| v.saturating()),
        (None, Overflow::Wrap) => lay_down(from, to, order, |v| v.wrapping()),
        (Some(d), Overflow::Saturate) => lay_down(from, to, order, |v| (v.to_f64() / d).saturating()),
        (Some(d), Overflow::Wrap) => lay_down(from, to, order, |v| (v.to_f64() / d).wrapping()),
    }
}

/// Maps every sample; the pixels keep or reverse their order.
#[inline(always)]
fn lay_down<T: Copy, O: Copy>(from: &[T], to: &mut [O], order: Order, f: impl Fn(T) -> O) {
    match order {
        Order { reverse: false, .. } => {
            for (o, &v) in to.iter_mut().zip(from) {
                *o = f(v);
            }
        }
        Order { samples: 1, .. } => {
            for (o, &v) in to.iter_mut().zip(from.iter().rev()) {
                *o = f(v);
            }
        }
        Order { samples: 3, .. } => {
            let (to, from) = (to.as_chunks_mut::<3>().0, from.as_chunks::<3>().0);
            for (o, &[a, b, c]) in to.iter_mut().zip(from.iter().rev()) {
                *o = [f(a), f(b), f(c)];
            }
        }
        Order { samples, .. } => {
            for (to, from) in to.chunks_exact_mut(samples).zip(from.chunks_exact(samples).rev()) {
                for (o, &v) in to.iter_mut().zip(from) {
                    *o = f(v);
                }
            }
        }
    }
}

per_level! {
    fn add_bins<I: Pixel, A: Accumulator>(
        row: &[I], sums: &mut [A], bin: usize, samples: usize, widen: impl Fn(I) -> A,
    ) = add_bins_body;
}

#[inline(always)]
fn add_bins_body<I: Pixel, A: Accumulator>(
    row: &[I],
    sums: &mut [A],
    bin: usize,
    samples: usize,
    widen: impl Fn(I) -> A,
) {
    match (samples, bin) {
        (_, 1) => add_fixed::<1, I, A>(row, sums, widen),
        (1, 2) => add_fixed::<2, I, A>(row, sums, widen),
        (1, 3) => add_fixed::<3, I, A>(row, sums, widen),
        (1, 4) => add_fixed::<4, I, A>(row, sums, widen),
        (1, _) => {
            for (sum, bin) in sums.iter_mut().zip(row.chunks_exact(bin)) {
                for &v in bin {
                    *sum = sum.plus(widen(v));
                }
            }
        }
        (3, 2) => {
            let (sums, bins) = (sums.as_chunks_mut::<3>().0, row.as_chunks::<6>().0);
            for (sums, bin) in sums.iter_mut().zip(bins) {
                for (colour, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(widen(bin[colour])).plus(widen(bin[colour + 3]));
                }
            }
        }
        _ => {
            for (sums, bin) in sums.chunks_exact_mut(samples).zip(row.chunks_exact(bin * samples)) {
                for pixel in bin.chunks_exact(samples) {
                    for (sum, &v) in sums.iter_mut().zip(pixel) {
                        *sum = sum.plus(widen(v));
                    }
                }
            }
        }
    }
}

/// Bins of a size known to the compiler, which then adds up many at a time.
#[inline(always)]
fn add_fixed<const N: usize, I: Pixel, A: Accumulator>(row: &[I], sums: &mut [A], widen: impl Fn(I) -> A) {
    for (sum, bin) in sums.iter_mut().zip(row.as_chunks::<N>().0) {
        for &v in bin {
            *sum = sum.plus(widen(v));
        }
    }
}
