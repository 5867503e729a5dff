//! Uniform noise.

use super::{BLOCK, to_pixels};
use crate::{Level, Pixel};

/// A generator of uniform random numbers in `[0, 1)`: eight xoshiro256+ generators side by side,
/// of Blackman and Vigna (2021). Good for pictures, not for secrets.
///
/// The numbers depend on the seed and on how the calls divide the output into blocks of 64, not
/// on the level.
#[derive(Clone, Debug)]
pub struct Noise {
    state: [[u64; LANES]; 4],
}

/// Generators side by side: their words fill a register of AVX-512.
const LANES: usize = 8;

impl Noise {
    /// A generator with a seed of its own; the same seed gives the same numbers.
    pub fn new(seed: u64) -> Noise {
        // SplitMix64, which the authors of xoshiro recommend for its state.
        let mut counter = seed;
        let mut next = || {
            counter = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let x = (counter ^ (counter >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^ (x >> 31)
        };
        let mut state = [[0; LANES]; 4];
        state.as_flattened_mut().fill_with(&mut next);
        Noise { state }
    }

    /// The next eight numbers.
    #[inline(always)]
    fn next(&mut self) -> [f64; LANES] {
        let [a, b, c, d] = &mut self.state;
        let mut numbers = [0.0; LANES];
        for i in 0..LANES {
            let sum = a[i].wrapping_add(d[i]);
            // 52 random bits as the fraction of a number in [1, 2).
            numbers[i] = f64::from_bits((sum >> 12) | 0x3FF0_0000_0000_0000) - 1.0;
            let t = b[i] << 17;
            c[i] ^= a[i];
            d[i] ^= b[i];
            b[i] ^= c[i];
            a[i] ^= d[i];
            c[i] ^= t;
            d[i] = d[i].rotate_left(45);
        }
        numbers
    }
}

/// Fills `out` with `(T)(amplitude * r + offset)`, `r` uniform in `[0, 1)`, with the conversion
/// of [`ramp_row`](crate::ramp_row).
///
/// ```
/// use livetime_kernels::{Level, Noise, noise};
/// let mut out = [0u16; 100];
/// noise(Level::best(), &mut Noise::new(1), 10.0, 5.0, &mut out);
/// assert!(out.iter().all(|v| (5..15).contains(v)));
/// ```
pub fn noise<T: Pixel>(level: Level, generator: &mut Noise, amplitude: f64, offset: f64, out: &mut [T]) {
    run(level, generator, amplitude, offset, out);
}

per_level! {
    fn run<T: Pixel>(generator: &mut Noise, amplitude: f64, offset: f64, out: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Pixel>(generator: &mut Noise, amplitude: f64, offset: f64, out: &mut [T]) {
    // A copy of its own stays in registers.
    let mut generate = generator.clone();
    let mut values = [0.0; BLOCK];
    for out in out.chunks_mut(BLOCK) {
        for values in values.as_chunks_mut::<LANES>().0 {
            *values = generate.next();
        }
        for v in &mut values {
            *v = amplitude * *v + offset;
        }
        out.copy_from_slice(&to_pixels(&values)[..out.len()]);
    }
    *generator = generate;
}
