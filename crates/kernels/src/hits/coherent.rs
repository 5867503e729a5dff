//! Noise that all channels of a front-end board have in common.

use super::check;
use crate::lanes::{Lanes, MOST};
use crate::{LengthError, Level};

/// Channels of a front-end board.
const BOARD: usize = 128;
/// Most that a channel may lie from its pedestal and be counted whole, so that pulses do not pull the mean.
const CLIP: i16 = 100;

/// Takes the noise away that the channels of a board and plane have in common: at every tick the rounded mean of their
/// samples over their pedestals, each clipped at 100 counts.
///
/// - `samples`: rows of as many channels as there are `pedestals`, a multiple of 128; changed in place, kept from 0 up.
/// - `pedestals`: of each channel, as [`HitFinder::pedestal`](super::HitFinder::pedestal) gives it.
/// - `planes`: 0, 1 or 2 for each channel.
///
/// # Errors
/// Lengths that do not fit; nothing is changed.
///
/// ```
/// use livetime_kernels::{Level, hits::remove_coherent};
/// let planes: Vec<u8> = (0..128).map(|c| (c % 3) as u8).collect();
/// let mut samples = vec![900i16; 128];
/// samples.iter_mut().zip(&planes).for_each(|(s, plane)| *s += 5 * i16::from(*plane));
/// samples[7] += 50; // a pulse takes a 43rd part of it from its neighbours
/// remove_coherent(Level::best(), &mut samples, &[900; 128], &planes)?;
/// assert_eq!((samples[0], samples[2], samples[7]), (900, 900, 949));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn remove_coherent(
    level: Level,
    samples: &mut [i16],
    pedestals: &[i16],
    planes: &[u8],
) -> Result<(), LengthError> {
    let channels = pedestals.len();
    LengthError::check("pedestals", channels, channels.max(BOARD) / BOARD * BOARD)?;
    LengthError::check("planes", planes.len(), channels)?;
    check::rows(samples, channels / MOST)?;
    for (board, planes) in planes.as_chunks::<BOARD>().0.iter().enumerate() {
        // 1 where the plane is.
        let members = [0, 1, 2].map(|p| planes.map(|plane| i16::from(plane.min(2) == p)));
        let at = board * BOARD;
        for row in samples.chunks_exact_mut(channels) {
            let pedestals = &pedestals[at..at + BOARD];
            let means = members.each_ref().map(|members| {
                let count: i32 = members.iter().map(|m| i32::from(*m)).sum();
                let sum = sum(level, &row[at..at + BOARD], pedestals, members);
                // Half of the count with the sign of the sum: the mean is rounded to the nearest.
                let half = sum.signum() * count / 2;
                // A plane without a channel on this board has no mean.
                (sum + half).checked_div(count).unwrap_or(0) as i16
            });
            subtract(level, &mut row[at..at + BOARD], &members, means);
        }
    }
    Ok(())
}

per_level! {
    fn sum(samples: &[i16], pedestals: &[i16], members: &[i16; BOARD]) -> i32
        = sum_body::<crate::lanes::Portable> | sum_body::<crate::lanes::Avx2> | sum_body::<crate::lanes::Avx512>;
}

per_level! {
    fn subtract(samples: &mut [i16], members: &[[i16; BOARD]; 3], means: [i16; 3])
        = subtract_body::<crate::lanes::Portable>
        | subtract_body::<crate::lanes::Avx2>
        | subtract_body::<crate::lanes::Avx512>;
}

/// Σ of the clipped samples over their pedestals, of the channels that are members.
#[inline(always)]
fn sum_body<L: Lanes>(samples: &[i16], pedestals: &[i16], members: &[i16; BOARD]) -> i32 {
    // At most 16 vectors of at most 100 each: 16 bits are enough.
    let mut sums = L::splat(0);
    for at in (0..BOARD).step_by(L::COUNT) {
        let over = L::load(&samples[at..]).sub(L::load(&pedestals[at..]));
        let clipped = over.min(L::splat(CLIP)).max(L::splat(-CLIP));
        sums = sums.add(clipped.mul_low(L::load(&members[at..])));
    }
    let mut lanes = [0; MOST];
    sums.store(&mut lanes);
    lanes.iter().map(|lane| i32::from(*lane)).sum()
}

#[inline(always)]
fn subtract_body<L: Lanes>(samples: &mut [i16], members: &[[i16; BOARD]; 3], means: [i16; 3]) {
    for at in (0..BOARD).step_by(L::COUNT) {
        let mut sample = L::load(&samples[at..]);
        for (members, mean) in members.iter().zip(means) {
            sample = sample.sub(L::load(&members[at..]).mul_low(L::splat(mean)));
        }
        sample.max(L::splat(0)).store(&mut samples[at..]);
    }
}
