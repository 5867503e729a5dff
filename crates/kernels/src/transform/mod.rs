//! The eight rotations and mirror images of areaDetector's NDPluginTransform.

mod lanes;
#[cfg(test)]
mod tests;
mod tile;
mod turn;

use crate::bytes::bytes_mut;
use crate::convert::convert_unbinned;
use crate::fastest::Fastest;
use crate::{Conversion, ConvertError, Level, Pixel, Plane};
use turn::Flips;

/// How an image is turned; the numbers are areaDetector's. `a` is `image[y, x]` in numpy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transform {
    /// `a`
    #[default]
    None = 0,
    /// Clockwise: `np.rot90(a, -1)`
    Rot90 = 1,
    /// `a[::-1, ::-1]`
    Rot180 = 2,
    /// Counter-clockwise: `np.rot90(a, 1)`
    Rot270 = 3,
    /// `a[:, ::-1]`
    Mirror = 4,
    /// `a.T`
    Rot90Mirror = 5,
    /// `a[::-1, :]`
    Rot180Mirror = 6,
    /// `a.T[::-1, ::-1]`
    Rot270Mirror = 7,
}

impl Transform {
    /// All eight, in the order of their numbers.
    pub const ALL: [Transform; 8] = [
        Transform::None,
        Transform::Rot90,
        Transform::Rot180,
        Transform::Rot270,
        Transform::Mirror,
        Transform::Rot90Mirror,
        Transform::Rot180Mirror,
        Transform::Rot270Mirror,
    ];

    /// Width and height of the result, in the unit of the arguments.
    ///
    /// ```
    /// use livetime_kernels::Transform;
    /// assert_eq!(Transform::Rot90.output_size(640, 480), (480, 640));
    /// assert_eq!(Transform::Mirror.output_size(640, 480), (640, 480));
    /// ```
    pub fn output_size(self, width: usize, height: usize) -> (usize, usize) {
        if self.flips().transposed { (height, width) } else { (width, height) }
    }

    fn flips(self) -> Flips {
        let (transposed, columns, rows) = match self {
            Transform::None => (false, false, false),
            Transform::Mirror => (false, true, false),
            Transform::Rot180Mirror => (false, false, true),
            Transform::Rot180 => (false, true, true),
            Transform::Rot90Mirror => (true, false, false),
            Transform::Rot90 => (true, false, true),
            Transform::Rot270 => (true, true, false),
            Transform::Rot270Mirror => (true, true, true),
        };
        Flips { transposed, columns, rows }
    }
}

/// The measured choice for samples of 1, 2, 4 and 8 bytes, alone, as three colours and otherwise.
fn fastest(sample: usize, samples: usize) -> &'static Fastest {
    static ALL: [[Fastest; 3]; 4] = [const { [const { Fastest::new() }; 3] }; 4];
    let colours = match samples {
        1 => 0,
        3 => 1,
        _ => 2,
    };
    &ALL[sample.ilog2() as usize % 4][colours]
}

/// Turns an image.
///
/// ```text
/// input                                   output, packed
/// height × width, any stride              height × width or width × height
///  1 2 3     Rot90    4 1
///  4 5 6  ─────────▶  5 2
///                     6 3
/// ```
///
/// A pixel is `samples_per_pixel` neighbouring samples, which stay together: 1 for mono, 3 for
/// pixel-interleaved colours (RGB1). The width of `input` counts samples. Every sample is copied
/// bit by bit. Source of the meaning: ADCore `NDPluginTransform.cpp`.
///
/// # Errors
/// [`ConvertError::Samples`] if the rows are not whole pixels, [`ConvertError::Length`] if the
/// output does not have as many samples as the input; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, Plane, Transform, transform};
/// let image = Plane::packed(&[1u8, 2, 3, 4, 5, 6], 3, 2)?;
/// let mut output = [0; 6];
/// transform(Level::best(), image, Transform::Rot90, 1, &mut output)?;
/// assert_eq!(output, [4, 1, 5, 2, 6, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transform<T: Pixel>(
    level: Level,
    input: Plane<'_, T>,
    transform: Transform,
    samples_per_pixel: usize,
    output: &mut [T],
) -> Result<(), ConvertError> {
    let flips = transform.flips();
    // A pixel of no samples is refused by `check`.
    let width = input.width().checked_div(samples_per_pixel).unwrap_or(0);
    let whole = Conversion {
        samples_per_pixel,
        reverse_x: flips.columns,
        reverse_y: flips.rows,
        ..Conversion::whole(width, input.height())
    };
    if !flips.transposed {
        return convert_unbinned(level, input, &whole, output);
    }
    whole.check(input.width(), input.height(), output.len())?;
    let (bytes, output) = (size_of_val(output), bytes_mut(output));
    fastest(size_of::<T>(), samples_per_pixel).run(level, bytes, |level| {
        turn::run(level, input.bytes(), flips, size_of::<T>(), samples_per_pixel, output);
    });
    Ok(())
}
