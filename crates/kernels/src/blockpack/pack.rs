//! From elements to a block.

use super::word::pack_rows;
use super::{BLOCK, ESCAPE, GROUP, POSITION_BITS, ROW, STORED, Word, block_bound, descriptor_bytes};
use crate::bits::{self, Bits};
use crate::{LengthError, Level};

/// Working memory for [`pack_block`].
#[derive(Debug)]
pub struct Scratch<T: Word> {
    exceptions: Vec<[u8; 2]>,
    escapes: Vec<T::Bytes>,
}

impl<T: Word> Scratch<T> {
    /// As large as any block needs.
    pub fn new() -> Scratch<T> {
        Scratch { exceptions: Vec::with_capacity(BLOCK), escapes: Vec::with_capacity(BLOCK) }
    }
}

impl<T: Word> Default for Scratch<T> {
    fn default() -> Scratch<T> {
        Scratch::new()
    }
}

/// Packs at most [`BLOCK`] elements of type `T` as a block and gives its size. `reference` is another array of as many
/// elements, which is needed again to unpack.
///
/// # Errors
/// [`LengthError`] if `input` is longer than a block or holds part of an element, if `reference` is not as long, or
/// if `output` is shorter than [`block_bound`].
///
/// ```
/// use livetime_kernels::{Level, blockpack};
/// let (frame, dark) = ([101u8, 0, 99, 0, 103, 0], [100u8, 0, 100, 0, 100, 0]);
/// let mut block = [0; blockpack::block_bound::<u16>(3)];
/// let mut scratch = blockpack::Scratch::<u16>::new();
/// let size = blockpack::pack_block(Level::best(), &frame, Some(&dark), &mut scratch, &mut block)?;
/// let mut back = [0; 6];
/// blockpack::unpack_block::<u16>(Level::best(), &block[..size], Some(&dark), &mut back)?;
/// assert_eq!(back, frame);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_block<T: Word>(
    level: Level,
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut Scratch<T>,
    output: &mut [u8],
) -> Result<usize, LengthError> {
    let elements = input.len() / size_of::<T>();
    LengthError::check("input", input.len(), elements.min(BLOCK) * size_of::<T>())?;
    if let Some(reference) = reference {
        LengthError::check("reference", reference.len(), input.len())?;
    }
    let bound = block_bound::<T>(elements);
    if output.len() < bound {
        return Err(LengthError { what: "output", len: output.len(), expected: bound });
    }
    Ok(pack_groups(level, input, reference, scratch, output))
}

per_level! {
    fn pack_groups<T: Word>(
        input: &[u8],
        reference: Option<&[u8]>,
        scratch: &mut Scratch<T>,
        output: &mut [u8],
    ) -> usize = body::<bits::Portable, _> | body::<bits::Avx2, _> | body::<bits::Avx512, _>;
}

#[inline(always)]
fn body<B: Bits, T: Word>(
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut Scratch<T>,
    output: &mut [u8],
) -> usize {
    scratch.exceptions.clear();
    scratch.escapes.clear();
    let groups = T::split(input).len().div_ceil(GROUP);
    let (descriptors, payloads) = output.split_at_mut(groups * descriptor_bytes::<T>());
    let mut size = 0;
    for (group, descriptor) in descriptors.chunks_exact_mut(descriptor_bytes::<T>()).enumerate() {
        let range = group * GROUP * size_of::<T>()..((group + 1) * GROUP * size_of::<T>()).min(input.len());
        let elements = &input[range.clone()];
        let reference = reference.map(|r| &r[range]);
        let payload = &mut payloads[size..];
        let found = pack_group::<B, T>(elements, reference, scratch, payload);
        size += found.payload;
        descriptor[..2].copy_from_slice(&[found.width, found.exceptions]);
        T::split_mut(&mut descriptor[2..])[0] = found.centre.to_le();
    }
    let mut at = descriptors.len() + size;
    let behind = scratch.exceptions.len() * 2;
    output[at..at + behind].copy_from_slice(scratch.exceptions.as_flattened());
    at += behind;
    for (to, escape) in T::split_mut(&mut output[at..]).iter_mut().zip(&scratch.escapes) {
        *to = *escape;
    }
    at + scratch.escapes.len() * size_of::<T>()
}

/// What a group became.
struct Group<T> {
    width: u8,
    exceptions: u8,
    centre: T,
    payload: usize,
}

#[inline(always)]
fn pack_group<B: Bits, T: Word>(
    elements: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut Scratch<T>,
    payload: &mut [u8],
) -> Group<T> {
    let count = elements.len() / size_of::<T>();
    let mut remainders = differences::<T>(elements, reference);
    let centre = centre(&remainders, count);
    for z in &mut remainders {
        *z = z.minus(centre).fold_sign();
    }
    remainders[count..].fill(T::default());
    let before = (scratch.exceptions.len(), scratch.escapes.len());
    let width = best_width(&remainders);
    let exceptions = find_exceptions::<B, T>(&remainders, width, scratch);
    let size = width as usize * ROW;
    let beside = exceptions * 2 + (scratch.escapes.len() - before.1) * size_of::<T>();
    if size + beside >= elements.len() {
        scratch.exceptions.truncate(before.0);
        scratch.escapes.truncate(before.1);
        payload[..elements.len()].copy_from_slice(elements);
        return Group { width: STORED, exceptions: 0, centre: T::default(), payload: elements.len() };
    }
    pack_rows(width, &remainders, &mut payload[..size]);
    Group { width: width as u8, exceptions: exceptions as u8, centre, payload: size }
}

/// Elements less those of the reference; zeros behind a short group.
#[inline(always)]
fn differences<T: Word>(elements: &[u8], reference: Option<&[u8]>) -> [T; GROUP] {
    let mut found = [T::default(); GROUP];
    for (d, x) in found.iter_mut().zip(T::split(elements)) {
        *d = T::from_le(*x);
    }
    for (d, r) in found.iter_mut().zip(T::split(reference.unwrap_or_default())) {
        *d = d.minus(T::from_le(*r));
    }
    found
}

/// Sums side by side: so many that the compiler keeps the loop over them and makes vectors of it.
const LANES: usize = 128;

/// Elements that tell where the others may lie.
const SAMPLES: usize = 9;

/// The mean of the differences, those far from the median of some samples counted as less far.
#[inline(always)]
fn centre<T: Word>(differences: &[T; GROUP], count: usize) -> T {
    let first = differences[0];
    let sample = |i: usize| differences[i * count / SAMPLES].minus(first).signed();
    let mut samples: [i64; SAMPLES] = std::array::from_fn(sample);
    sort(&mut samples);
    let median = first.plus(T::from_low(samples[SAMPLES / 2]));
    if count < GROUP {
        return median;
    }
    // The sum of a lane must not wrap round.
    let most = (1i64 << (T::BITS - 1)) / (GROUP / LANES) as i64 - 1;
    let limit = T::from_low((2 * (samples[SAMPLES - 2] - samples[1]) + 4).min(most));
    let mut sums = [T::default(); LANES];
    for row in differences.as_chunks::<LANES>().0 {
        for (sum, d) in sums.iter_mut().zip(row) {
            *sum = sum.plus(d.minus(median).limited(limit));
        }
    }
    let sum = sums.iter().map(|sum| sum.signed()).sum::<i64>();
    median.plus(T::from_low((sum + GROUP as i64 / 2) >> GROUP.ilog2()))
}

/// Sorts by exchanging neighbours without a branch.
#[inline(always)]
fn sort(values: &mut [i64; SAMPLES]) {
    for round in 0..SAMPLES {
        for i in (round % 2..SAMPLES - 1).step_by(2) {
            let (a, b) = (values[i], values[i + 1]);
            (values[i], values[i + 1]) = (a.min(b), a.max(b));
        }
    }
}

/// Most exceptions of a group.
const MOST_EXCEPTIONS: usize = 255;

/// The width that takes least room: what a sample suggests, or from there on as long as it becomes better.
#[inline(always)]
fn best_width<T: Word>(remainders: &[T; GROUP]) -> u32 {
    let likely = likely_width(remainders).clamp(1, T::BITS - 1);
    let [below, here, above] = costs(remainders, [likely - 1, likely, likely + 1]);
    if here <= below && here <= above {
        return likely;
    }
    let (mut width, mut cost) = if below < above { (likely - 1, below) } else { (likely + 1, above) };
    loop {
        let next =
            if width < likely { width.checked_sub(1) } else { Some(width + 1).filter(|w| *w <= T::BITS) };
        let Some(next) = next else { return width };
        let [next_cost] = costs(remainders, [next]);
        if next_cost >= cost {
            return width;
        }
        (width, cost) = (next, next_cost);
    }
}

/// The best width for every sixteenth remainder.
#[inline(always)]
fn likely_width<T: Word>(remainders: &[T; GROUP]) -> u32 {
    const EVERY: usize = 16;
    let mut lengths = [0; 33];
    for z in remainders.iter().step_by(EVERY) {
        lengths[(32 - z.unsigned().leading_zeros()) as usize] += 1;
    }
    let (mut best, mut larger) = ((usize::MAX, 0), 0);
    for width in (0..=T::BITS).rev() {
        let cost = width as usize * ROW + 2 * EVERY * larger;
        if cost < best.0 {
            best = (cost, width);
        }
        larger += lengths[width as usize];
    }
    best.1
}

/// Bytes that the group takes with each width, without escapes. Widths with too many exceptions take more than any other,
/// the larger the less, so that a search goes up from them.
#[inline(always)]
fn costs<T: Word, const N: usize>(remainders: &[T; GROUP], widths: [u32; N]) -> [usize; N] {
    let larger = larger_than(remainders, widths.map(T::ones));
    std::array::from_fn(|i| {
        let refused = if larger[i] > MOST_EXCEPTIONS { ((T::BITS - widths[i]) as usize) << 20 } else { 0 };
        widths[i] as usize * ROW + 2 * larger[i] + refused
    })
}

/// How many remainders are larger than each of some numbers.
#[inline(always)]
fn larger_than<T: Word, const N: usize>(remainders: &[T; GROUP], limits: [T; N]) -> [usize; N] {
    let mut counts = [[T::default(); LANES]; N];
    for row in remainders.as_chunks::<LANES>().0 {
        for i in 0..LANES {
            for (counts, limit) in counts.iter_mut().zip(limits) {
                counts[i] = counts[i].plus(T::from_low(i64::from(row[i] > limit)));
            }
        }
    }
    counts.map(|counts| counts.iter().map(|c| c.unsigned()).sum::<u32>() as usize)
}

/// Notes the remainders that have more than `width` bits, and gives their number.
#[inline(always)]
fn find_exceptions<B: Bits, T: Word>(remainders: &[T; GROUP], width: u32, scratch: &mut Scratch<T>) -> usize {
    if width == T::BITS {
        return 0;
    }
    let limit = T::ones(width);
    let mut flags = [0u8; GROUP];
    for (flag, z) in flags.iter_mut().zip(remainders) {
        *flag = if *z > limit { 0xff } else { 0 };
    }
    let mut found = [[0; 2]; GROUP];
    let mut count = 0;
    for (word, flags) in flags.as_chunks::<64>().0.iter().enumerate() {
        let mut larger = B::highest(flags);
        while larger != 0 {
            let position = word * 64 + larger.trailing_zeros() as usize;
            larger &= larger - 1;
            let z = remainders[position];
            let high = (z >> width).unsigned().min(ESCAPE);
            if high == ESCAPE {
                scratch.escapes.push(z.to_le());
            }
            found[count % GROUP] = ((position as u32 | high << POSITION_BITS) as u16).to_le_bytes();
            count += 1;
        }
    }
    scratch.exceptions.extend_from_slice(&found[..count]);
    count
}
