//! Smallest and largest value.

use crate::{Level, Pixel, Plane};

/// The smallest and the largest value of an image; `None` if there is no pixel but NaN.
///
/// Infinities count, NaN does not. areaDetector's AutoOffsetScale is made from the two.
///
/// ```
/// use livetime_kernels::{Level, Plane, min_max};
/// let pixels = [4.0, f32::NAN, -1.0];
/// let image = Plane::packed(&pixels, 3, 1)?;
/// assert_eq!(min_max(Level::best(), image), Some((-1.0, 4.0)));
/// # Ok::<(), livetime_kernels::PlaneError>(())
/// ```
pub fn min_max<I: Pixel>(level: Level, input: Plane<'_, I>) -> Option<(I, I)> {
    let (low, high) = run(level, input);
    // Without any number the two stay where they began: the lower one above the higher one.
    (low <= high).then_some((low, high))
}

per_level! {
    fn run<I: Pixel>(input: Plane<'_, I>) -> (I, I) = body;
}

/// Pixels that are compared side by side: bytes fill a register of AVX-512, larger pixels several.
const LANES: usize = 64;

#[inline(always)]
fn body<I: Pixel>(input: Plane<'_, I>) -> (I, I) {
    let mut low = [I::from_f64(f64::INFINITY); LANES];
    let mut high = [I::from_f64(f64::NEG_INFINITY); LANES];
    for row in input.joined().rows() {
        let (blocks, rest) = row.as_chunks::<LANES>();
        for block in blocks {
            for i in 0..LANES {
                // A comparison with NaN is false, so NaN never gets in.
                low[i] = if block[i] < low[i] { block[i] } else { low[i] };
                high[i] = if block[i] > high[i] { block[i] } else { high[i] };
            }
        }
        for &v in rest {
            low[0] = if v < low[0] { v } else { low[0] };
            high[0] = if v > high[0] { v } else { high[0] };
        }
    }
    let low = low.into_iter().reduce(|a, b| if b < a { b } else { a });
    let high = high.into_iter().reduce(|a, b| if b > a { b } else { a });
    (low.unwrap_or_default(), high.unwrap_or_default())
}
