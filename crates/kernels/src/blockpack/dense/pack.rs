//! From elements to a dense block.

use super::super::centre::Guesses;
use super::super::pack::{check_lengths, subtract};
use super::super::word::{LANES, low_bits_by_row, pack_rows};
use super::super::{GROUP, ROW, Word};
use super::planes::{self, BitWriter, Plane};
use super::{Descriptor, ESCAPE_BITS, LAST_PLANE, PART, PARTS, dense_block_bound, descriptor_bytes};
use crate::bits::{self, Bits};
use crate::{LengthError, Level};

/// Working memory for [`pack_dense_block`].
#[derive(Debug)]
pub struct DenseScratch<T: Word> {
    numbers: Box<[T; GROUP]>,
    bits: Vec<u8>,
}

impl<T: Word> DenseScratch<T> {
    /// As large as any block needs.
    pub fn new() -> DenseScratch<T> {
        // A group whose bits take more room than its elements is stored.
        let bits = vec![0; GROUP * size_of::<T>() + BitWriter::ROOM];
        DenseScratch { numbers: Box::new([T::default(); GROUP]), bits }
    }
}

impl<T: Word> Default for DenseScratch<T> {
    fn default() -> DenseScratch<T> {
        DenseScratch::new()
    }
}

/// As [`pack_block`](super::super::pack_block), denser and slower.
///
/// # Errors
/// The errors of [`pack_block`](super::super::pack_block), with [`dense_block_bound`].
///
/// ```
/// use livetime_kernels::{Level, blockpack};
/// let (frame, dark) = ([101u8, 0, 99, 0, 103, 0], [100u8, 0, 100, 0, 100, 0]);
/// let mut block = [0; blockpack::dense_block_bound::<u16>(3)];
/// let mut scratch = blockpack::DenseScratch::<u16>::new();
/// let size = blockpack::pack_dense_block(Level::best(), &frame, Some(&dark), &mut scratch, &mut block)?;
/// let mut back = [0; 6];
/// blockpack::unpack_dense_block::<u16>(Level::best(), &block[..size], Some(&dark), &mut back)?;
/// assert_eq!(back, frame);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_dense_block<T: Word>(
    level: Level,
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut DenseScratch<T>,
    output: &mut [u8],
) -> Result<usize, LengthError> {
    check_lengths::<T>(input, reference, output, dense_block_bound::<T>)?;
    Ok(pack_groups(level, input, reference, scratch, output))
}

per_level! {
    fn pack_groups<T: Word>(
        input: &[u8],
        reference: Option<&[u8]>,
        scratch: &mut DenseScratch<T>,
        output: &mut [u8],
    ) -> usize = body::<bits::Portable, _> | body::<bits::Avx2, _> | body::<bits::Avx512, _>;
}

#[inline(always)]
fn body<B: Bits, T: Word>(
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut DenseScratch<T>,
    output: &mut [u8],
) -> usize {
    let groups = T::split(input).len().div_ceil(GROUP);
    let (head, rest) = output.split_at_mut(ESCAPE_BITS);
    let (descriptors, payloads) = rest.split_at_mut(groups * descriptor_bytes::<T>());
    let escape_bits = bits_of_largest::<T>(input);
    head[0] = escape_bits as u8;
    let guesses = Guesses::new(input, reference);
    let (mut size, mut width) = (0, None);
    for (group, descriptor) in descriptors.chunks_exact_mut(descriptor_bytes::<T>()).enumerate() {
        let range = group * GROUP * size_of::<T>()..((group + 1) * GROUP * size_of::<T>()).min(input.len());
        let elements = &input[range.clone()];
        subtract(elements, reference.map(|r| &r[range]), &mut scratch.numbers);
        let found = prepare(elements, guesses.of(group), &mut scratch.numbers);
        let best = best_width(&scratch.numbers, escape_bits, width);
        width = Some(best.width);
        let payload = &mut payloads[size..];
        // A stored group takes the bytes of its elements: so no block is longer than its bound.
        if best.bits.div_ceil(8) >= elements.len() {
            Descriptor::<T>::stored().write(descriptor);
            payload[..elements.len()].copy_from_slice(elements);
            size += elements.len();
        } else {
            let has_planes = best.bits > best.width as usize * GROUP;
            Descriptor { width: best.width as u16, has_planes, ..found }.write(descriptor);
            size += pack_group::<B, T>(best, escape_bits, elements, scratch, payload);
        }
    }
    ESCAPE_BITS + descriptors.len() + size
}

/// The bits of the largest element.
#[inline(always)]
fn bits_of_largest<T: Word>(input: &[u8]) -> u32 {
    let mut all = [T::default(); LANES];
    let (rows, rest) = T::split(input).as_chunks::<LANES>();
    for row in rows {
        for (all, x) in all.iter_mut().zip(row) {
            // All elements together have the highest one of the largest: no comparison is needed.
            *all = *all | T::from_le(*x);
        }
    }
    let all = all.into_iter().chain(rest.iter().map(|x| T::from_le(*x))).fold(0, |all, x| all | x.unsigned());
    u32::BITS - all.leading_zeros()
}

/// Finds the centres of the parts, and makes folded remainders of the differences.
#[inline(always)]
fn prepare<T: Word>(elements: &[u8], (median, limit): (T, T), numbers: &mut [T; GROUP]) -> Descriptor<T> {
    let count = elements.len() / size_of::<T>();
    let mut found = Descriptor { width: 0, step: 0, has_planes: false, centre: median, offsets: [0; PARTS] };
    // Means are divided by shifts, which only a whole group allows.
    if count == GROUP {
        let sums = sums(numbers, median, limit);
        let mean = (sums.iter().sum::<i64>() + GROUP as i64 / 2) >> GROUP.ilog2();
        let offsets = sums.map(|sum| ((sum + PART as i64 / 2) >> PART.ilog2()) - mean);
        let largest = offsets.iter().map(|offset| offset.unsigned_abs()).max().unwrap_or(0);
        found.centre = median.plus(T::from_low(mean));
        // An offset has four bits with its sign: this is the least step with which the largest fits.
        found.step = (u64::BITS - largest.leading_zeros()).saturating_sub(3);
        let half = (1 << found.step) >> 1;
        // The largest may be rounded up to 8, which does not fit.
        found.offsets = offsets.map(|offset| ((offset + half) >> found.step).clamp(-8, 7) as i8);
    }
    // Elements that a shorter group lacks get remainders of 0.
    numbers[count..].fill(found.centre);
    for (part, centre) in numbers.as_chunks_mut::<PART>().0.iter_mut().zip(found.centres()) {
        for x in part {
            *x = x.minus(centre).fold_sign();
        }
    }
    found
}

/// For each part: the sum of the differences from the median, each limited to ±`limit`.
#[inline(always)]
fn sums<T: Word>(differences: &[T; GROUP], median: T, limit: T) -> [i64; PARTS] {
    let mut sums = [0; PARTS];
    for (sum, part) in sums.iter_mut().zip(differences.as_chunks::<PART>().0) {
        *sum = T::total(&part.map(|d| d.minus(median).limited(limit)));
    }
    sums
}

/// A width, and the bits that a group takes with it.
#[derive(Clone, Copy)]
struct Cost {
    bits: usize,
    width: u32,
}

/// The width that takes least room: the width of the group before if its neighbours are no better; else the width that
/// a sample suggests, or the next one from there on as long as it becomes better. No function here calls itself: a
/// function that is not inlined is not compiled for a level.
#[inline(always)]
fn best_width<T: Word>(numbers: &[T; GROUP], escape_bits: u32, before: Option<u32>) -> Cost {
    // With all bits of its elements a group would be stored.
    let most = T::BITS - 1;
    // Both neighbours of the start exist.
    let mut start = before.unwrap_or_else(|| likely_width(numbers)).clamp(1, most - 1);
    let mut near = costs(numbers, escape_bits, [start - 1, start, start + 1]);
    if before.is_some() && !is_lowest(&near) {
        // Far from it the room that widths take says nothing of where the best one is.
        let likely = likely_width(numbers).clamp(1, most - 1);
        if likely.abs_diff(start) > 1 {
            start = likely;
            near = costs(numbers, escape_bits, [start - 1, start, start + 1]);
        }
    }
    let [below, here, above] = near;
    if is_lowest(&near) {
        return here;
    }
    let down = below.bits < above.bits;
    let mut best = if down { below } else { above };
    while (1..most).contains(&best.width) {
        let next = if down { best.width - 1 } else { best.width + 1 };
        let [next] = costs(numbers, escape_bits, [next]);
        if next.bits >= best.bits {
            break;
        }
        best = next;
    }
    best
}

/// Whether a width takes no more than its neighbours.
fn is_lowest([below, here, above]: &[Cost; 3]) -> bool {
    here.bits <= below.bits && here.bits <= above.bits
}

/// One less than the bits of the median of every sixteenth number.
#[inline(always)]
fn likely_width<T: Word>(numbers: &[T; GROUP]) -> u32 {
    const EVERY: usize = 16;
    let mut counts = [0; u32::BITS as usize + 1];
    for number in numbers.iter().step_by(EVERY) {
        counts[(u32::BITS - number.unsigned().leading_zeros()) as usize] += 1;
    }
    let (mut shorter, mut length) = (counts[0], 0);
    while shorter <= GROUP / EVERY / 2 {
        length += 1;
        shorter += counts[length];
    }
    (length as u32).saturating_sub(1)
}

/// The size of a group with each of some widths.
#[inline(always)]
fn costs<T: Word, const N: usize>(numbers: &[T; GROUP], escape_bits: u32, widths: [u32; N]) -> [Cost; N] {
    let last = T::from_low(LAST_PLANE as i64);
    // An escape has a bit in each plane behind the first.
    let escape = T::from_low(i64::from(escape_bits) + LAST_PLANE as i64 - 1);
    let mut counts = [[T::default(); LANES]; N];
    for row in numbers.as_chunks::<LANES>().0 {
        for (counts, width) in counts.iter_mut().zip(widths) {
            for i in 0..LANES {
                let high = row[i] >> width;
                counts[i] = counts[i].plus(if high >= last { escape } else { high });
            }
        }
    }
    std::array::from_fn(|i| {
        let high = T::total(&counts[i]) as usize;
        // The first plane has a bit for each element; without a high part there are no planes.
        let planes = if high > 0 { GROUP + high } else { 0 };
        Cost { bits: widths[i] as usize * GROUP + planes, width: widths[i] }
    })
}

/// Writes a group that is not stored, and gives its bytes.
#[inline(always)]
fn pack_group<B: Bits, T: Word>(
    cost: Cost,
    escape_bits: u32,
    elements: &[u8],
    scratch: &mut DenseScratch<T>,
    payload: &mut [u8],
) -> usize {
    let size = cost.width as usize * ROW;
    pack_rows(cost.width, &scratch.numbers, &mut payload[..size]);
    // No element has bits above the width: there are no planes.
    if cost.bits == size * 8 {
        return size;
    }
    let last = T::from_low(LAST_PLANE as i64);
    for x in scratch.numbers.iter_mut() {
        *x = (*x >> cost.width).min(last);
    }
    let high = low_bits_by_row(&scratch.numbers);
    let (mut first, mut stream) = ([0; ROW], BitWriter::new(&mut scratch.bits));
    let escapes = planes::write::<B>(&high, &mut first, &mut stream);
    put_escapes::<T>(&escapes, escape_bits, elements, &mut stream);
    let bytes = stream.bytes();
    payload[size..size + ROW].copy_from_slice(&first);
    payload[size + ROW..size + ROW + bytes].copy_from_slice(&scratch.bits[..bytes]);
    size + ROW + bytes
}

#[inline(always)]
fn put_escapes<T: Word>(escapes: &Plane, bits: u32, elements: &[u8], stream: &mut BitWriter<'_>) {
    let (elements, mut ones) = (T::split(elements), planes::Ones::of(escapes));
    for _ in 0..planes::count_ones(escapes) {
        let element = planes::element_of::<T>(ones.next());
        stream.put(T::from_le(elements[element]).unsigned().into(), bits);
    }
}
