//! Corrections of detectors whose pixels tell in which gain stage they were read.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{CHUNK, CommonMode, GainBits, LANES, Scratch, subtract_modes};
use crate::accumulate::Element;
use crate::{LengthError, Level};

/// What is known of each pixel of a picture in each gain stage. A list that is empty changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Staged<'a> {
    /// Where the stage is in the word of a pixel.
    pub bits: &'a GainBits,
    /// What is subtracted: that of pixel `i` in stage `s` is element `s * stride + i`.
    pub pedestal: &'a [f32],
    /// What the difference is multiplied by, in the same order.
    pub gain: &'a [f32],
    /// From a pixel in one stage to the same pixel in the next: the pixels of the picture, or of all pictures whose constants lie
    /// together.
    pub stride: usize,
    /// 1 for a good pixel, 0 for a bad one, in all stages.
    pub good: &'a [f32],
}

/// Corrects a picture of `rows` x `columns`, or several that lie behind each other, each pixel by the constants of its own stage.
///
/// As [`calibrate`](super::calibrate()), but a common mode is the median of the good pixels in stage 0, and is subtracted from them alone:
/// in other stages a pixel has so much light that its deviations tell nothing of what it has in common with others. A pixel whose code is
/// that of no stage is bad. Returns how many there are of these among the good pixels.
///
/// ```
/// use livetime_kernels::Level;
/// use livetime_kernels::calibrate::{Scratch, Staged, calibrate_staged};
///
/// let bits = "jungfrau".parse()?;
/// let raw: Vec<u8> = [12u16, 1 << 14 | 30, 2 << 14 | 9, 3 << 14 | 50].into_iter().flat_map(u16::to_le_bytes).collect();
/// let pedestal: Vec<f32> = [10.0, 20.0, 40.0].into_iter().flat_map(|stage| [stage; 4]).collect();
/// let constants = Staged { bits: &bits, pedestal: &pedestal, gain: &[], stride: 4, good: &[] };
/// let mut corrected = [0.0; 4];
/// let level = Level::best();
/// let unknown =
///     calibrate_staged(level, &raw, (1, 4), &constants, &[], &mut Scratch::default(), &mut corrected)?;
/// assert_eq!((corrected, unknown), ([2.0, 10.0, 0.0, 10.0], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LengthError`] if the picture or `good` does not have as many elements as `out`, or there are too few pedestals or gains.
pub fn calibrate_staged(
    level: Level,
    bytes: &[u8],
    (rows, columns): (usize, usize),
    constants: &Staged<'_>,
    modes: &[CommonMode],
    scratch: &mut Scratch,
    out: &mut [f32],
) -> Result<u64, LengthError> {
    constants.check(bytes, out.len())?;
    let mut usable = std::mem::take(&mut scratch.usable);
    usable.resize(if modes.is_empty() { 0 } else { out.len() }, 0.0);
    let mut unknown = 0;
    for start in (0..out.len()).step_by(CHUNK) {
        let range = start..out.len().min(start + CHUNK);
        unknown += subtract(level, constants, bytes, range.clone(), out, &mut usable);
        if modes.is_empty() {
            scale(level, constants, bytes, range, out);
        }
    }
    if !modes.is_empty() {
        subtract_modes(modes, out, &usable, (rows, columns), scratch);
        scale(level, constants, bytes, 0..out.len(), out);
    }
    scratch.usable = usable;
    Ok(unknown)
}

impl Staged<'_> {
    fn check(&self, bytes: &[u8], pixels: usize) -> Result<(), LengthError> {
        LengthError::check("bytes", bytes.len(), pixels * size_of::<u16>())?;
        if !self.good.is_empty() {
            LengthError::check("good", self.good.len(), pixels)?;
        }
        let wanted = self.stride.saturating_mul(self.bits.stages() - 1).saturating_add(pixels);
        let lists = [("pedestal", self.pedestal), ("gain", self.gain)].into_iter();
        lists
            .filter(|(_, list)| !list.is_empty() && list.len() < wanted)
            .try_for_each(|(what, list)| LengthError::check(what, list.len(), wanted))
    }

    /// The stages of some words; as many as there are stages for those of none.
    #[inline(always)]
    fn stages<const L: usize>(&self, words: [u16; L]) -> [u16; L] {
        let mut stages = [self.bits.stages() as u16; L];
        for (number, code) in self.bits.codes().iter().enumerate() {
            for (stage, word) in stages.iter_mut().zip(words) {
                *stage = if self.bits.code(word) == *code { number as u16 } else { *stage };
            }
        }
        stages
    }

    /// Of pixels from `at` on, the elements of their stages. Those of a stage that none of them is in are not read: most detectors have
    /// most pixels in stage 0, and memory is what this waits for.
    #[inline(always)]
    fn pick<const L: usize>(&self, list: &[f32], at: usize, stages: [u16; L], none: f32) -> [f32; L] {
        let mut picked = [none; L];
        for number in 0..self.bits.stages() {
            let is = stages.map(|stage| stage == number as u16);
            if !is.iter().fold(false, |any, is| any | is) {
                continue;
            }
            let start = number * self.stride + at;
            let Some(found) = list.get(start..start + L) else { break };
            for ((picked, found), is) in picked.iter_mut().zip(found).zip(is) {
                *picked = if is { *found } else { *picked };
            }
        }
        picked
    }
}

per_level! {
    fn subtract(constants: &Staged<'_>, bytes: &[u8], range: Range<usize>, out: &mut [f32], usable: &mut [f32]) -> u64
        = subtract_body;
}

/// Pedestals are subtracted from the pixels of `range`, and bad ones become 0; `usable` is 1 for pixels with a common mode, or empty.
/// Returns how many good pixels are in no stage.
#[inline(always)]
fn subtract_body(
    constants: &Staged<'_>,
    bytes: &[u8],
    range: Range<usize>,
    out: &mut [f32],
    usable: &mut [f32],
) -> u64 {
    let whole = range.end - range.len() % LANES;
    let mut unknown = 0;
    for at in (range.start..whole).step_by(LANES) {
        unknown += subtract_group::<LANES>(constants, bytes, at, out, usable);
    }
    for at in whole..range.end {
        unknown += subtract_group::<1>(constants, bytes, at, out, usable);
    }
    unknown
}

#[inline(always)]
fn subtract_group<const L: usize>(
    constants: &Staged<'_>,
    bytes: &[u8],
    at: usize,
    out: &mut [f32],
    usable: &mut [f32],
) -> u64 {
    let words = u16::load::<L>(bytes, at);
    let stages = constants.stages(words);
    let pedestals = constants.pick(constants.pedestal, at, stages, 0.0);
    let mut good = [1.0f32; L];
    if let Some(found) = constants.good.get(at..at + L) {
        good.copy_from_slice(found);
    }
    let none = constants.bits.stages() as u16;
    if let Some(out) = out.get_mut(at..at + L) {
        for lane in 0..L {
            let difference = f32::from(constants.bits.value(words[lane])) - pedestals[lane];
            out[lane] = if good[lane] == 0.0 || stages[lane] == none { 0.0 } else { difference };
        }
    }
    if let Some(usable) = usable.get_mut(at..at + L) {
        for lane in 0..L {
            usable[lane] = if stages[lane] == 0 { good[lane] } else { 0.0 };
        }
    }
    let unknown = |lane: usize| u32::from((good[lane] != 0.0) & (stages[lane] == none));
    u64::from((0..L).map(unknown).sum::<u32>())
}

per_level! {
    fn scale(constants: &Staged<'_>, bytes: &[u8], range: Range<usize>, out: &mut [f32]) = scale_body;
}

#[inline(always)]
fn scale_body(constants: &Staged<'_>, bytes: &[u8], range: Range<usize>, out: &mut [f32]) {
    if constants.gain.is_empty() {
        return;
    }
    let whole = range.end - range.len() % LANES;
    for at in (range.start..whole).step_by(LANES) {
        scale_group::<LANES>(constants, bytes, at, out);
    }
    for at in whole..range.end {
        scale_group::<1>(constants, bytes, at, out);
    }
}

#[inline(always)]
fn scale_group<const L: usize>(constants: &Staged<'_>, bytes: &[u8], at: usize, out: &mut [f32]) {
    let stages = constants.stages(u16::load::<L>(bytes, at));
    let gains = constants.pick(constants.gain, at, stages, 1.0);
    if let Some(out) = out.get_mut(at..at + L) {
        out.iter_mut().zip(gains).for_each(|(out, gain)| *out *= gain);
    }
}
