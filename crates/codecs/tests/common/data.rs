//! Data of several kinds for every type.

use livetime_codecs::DType;

/// Kinds of data that [`make`] knows.
pub(crate) const KINDS: usize = 7;

/// Elements of a type: constant, a pedestal with noise, the same with outliers, anything, steps, extremes, few values.
pub(crate) fn make(dtype: DType, elements: usize, kind: usize, seed: u64) -> Vec<u8> {
    let mut random = numbers(seed);
    (0..elements)
        .flat_map(|i| {
            let x = random.next().unwrap_or(0);
            let noise = 1200 + (x >> 60) + (x >> 56 & 15);
            let value = match kind {
                0 => 77,
                1 => noise,
                2 if x.is_multiple_of(50) => x >> 8,
                2 => noise,
                3 => x,
                4 => (i / 100) as u64 * 12345,
                5 => [0, u64::MAX, 1, 1 << 63][(x >> 40) as usize % 4],
                _ => x >> 63,
            };
            value.to_le_bytes()[..dtype.bytes()].to_vec()
        })
        .collect()
}

fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.wrapping_mul(0x2545_F491_4F6C_DD1D)
    })
}
