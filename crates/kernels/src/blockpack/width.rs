//! How many bits the remainders of a group get.

use super::word::LANES;
use super::{GROUP, ROW, Word};

/// Most exceptions of a group: a byte of its descriptor counts them.
const MOST_EXCEPTIONS: usize = 255;

/// The width that takes least room: the width of the group before if its neighbours are no better; else the width that
/// a sample suggests, or the next one from there on as long as it becomes better. No function here calls itself: a
/// function that is not inlined is not compiled for a level.
#[inline(always)]
pub(super) fn best_width<T: Word>(differences: &[T; GROUP], centre: T, before: Option<u32>) -> u32 {
    // Both neighbours of the start exist.
    let mut start = before.unwrap_or_else(|| likely_width(differences, centre)).clamp(1, T::BITS - 1);
    let mut near = costs(differences, centre, [start - 1, start, start + 1]);
    if before.is_some() && !is_lowest(near) {
        // Far from it the room that widths take says nothing of where the best one is.
        let likely = likely_width(differences, centre).clamp(1, T::BITS - 1);
        if likely.abs_diff(start) > 1 {
            start = likely;
            near = costs(differences, centre, [start - 1, start, start + 1]);
        }
    }
    if is_lowest(near) {
        return start;
    }
    let [below, _, above] = near;
    let step = |width: u32| if below < above { width.checked_sub(1) } else { Some(width + 1) };
    let (mut width, mut cost) = if below < above { (start - 1, below) } else { (start + 1, above) };
    while let Some(next) = step(width).filter(|next| *next <= T::BITS) {
        let [next_cost] = costs(differences, centre, [next]);
        if next_cost >= cost {
            break;
        }
        (width, cost) = (next, next_cost);
    }
    width
}

/// Whether a width takes no more than its neighbours.
fn is_lowest([below, here, above]: [usize; 3]) -> bool {
    here <= below && here <= above
}

/// The best width for every sixteenth remainder.
#[inline(always)]
fn likely_width<T: Word>(differences: &[T; GROUP], centre: T) -> u32 {
    const EVERY: usize = 16;
    let mut lengths = [0; 33];
    for d in differences.iter().step_by(EVERY) {
        lengths[(32 - d.minus(centre).fold_sign().unsigned().leading_zeros()) as usize] += 1;
    }
    let (mut best, mut larger) = ((usize::MAX, 0), 0);
    for width in (0..=T::BITS).rev() {
        // Two bytes for each exception, and each sample stands for 16 numbers.
        let cost = width as usize * ROW + 2 * EVERY * larger;
        if cost < best.0 {
            best = (cost, width);
        }
        // A number of as many bits as the width fits it, and is too large for smaller ones only.
        larger += lengths[width as usize];
    }
    best.1
}

/// Bytes that the group takes with each width, escapes counted as exceptions. Widths with too many exceptions take more than any
/// other, the larger the less, so that a search goes up from them.
#[inline(always)]
fn costs<T: Word, const N: usize>(differences: &[T; GROUP], centre: T, widths: [u32; N]) -> [usize; N] {
    let outside = outside(differences, widths.map(|width| Outside::new(width, centre)));
    std::array::from_fn(|i| {
        let refused = if outside[i] > MOST_EXCEPTIONS { ((T::BITS - widths[i]) as usize) << 20 } else { 0 };
        widths[i] as usize * ROW + 2 * outside[i] + refused
    })
}

/// How many differences each test finds.
#[inline(always)]
fn outside<T: Word, const N: usize>(differences: &[T; GROUP], tests: [Outside<T>; N]) -> [usize; N] {
    let mut counts = [[T::default(); LANES]; N];
    for row in differences.as_chunks::<LANES>().0 {
        for i in 0..LANES {
            for (counts, test) in counts.iter_mut().zip(tests) {
                counts[i] = counts[i].plus(T::from_low(i64::from(test.of(row[i]))));
            }
        }
    }
    counts.map(|counts| T::total(&counts) as usize)
}

/// Tells which differences do not fit a width: less the centre and with the bias, they are larger than the ones of the
/// width. Only numbers with a sign are compared by one instruction; so half of the range of all numbers is subtracted
/// from both sides.
#[derive(Clone, Copy)]
pub(super) struct Outside<T> {
    add: T,
    most: T,
}

impl<T: Word> Outside<T> {
    #[inline(always)]
    pub(super) fn new(width: u32, centre: T) -> Outside<T> {
        let half = T::bias(T::BITS);
        Outside { add: T::bias(width).minus(centre).plus(half), most: T::ones(width).plus(half) }
    }

    #[inline(always)]
    pub(super) fn of(self, difference: T) -> bool {
        difference.plus(self.add).exceeds(self.most)
    }

    /// The packed number of a difference, bits above the width included.
    #[inline(always)]
    pub(super) fn number(self, difference: T) -> T {
        difference.plus(self.add).minus(T::bias(T::BITS))
    }
}
