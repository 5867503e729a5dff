//! Corrections of detectors whose pixels tell in which gain stage they were read.

#![allow(clippy::needless_range_loop, reason = "the same lane of several arrays is meant")]

#[cfg(test)]
mod tests;

use super::{CommonMode, GainBits, LANES, Scratch, subtract_modes};
use crate::accumulate::Element;
use crate::{LengthError, Level};

/// The constants of each pixel of a picture in each gain stage. A list that is empty changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Staged<'a> {
    /// Where the stage is in the word of a pixel.
    pub bits: &'a GainBits,
    /// The subtrahends: element `s * stride + i` for pixel `i` in stage `s`.
    pub pedestal: &'a [f32],
    /// The factors of the differences, in the same order.
    pub gain: &'a [f32],
    /// From a pixel in one stage to the same pixel in the next: the pixels of the picture, or of all pictures whose constants lie
    /// together.
    pub stride: usize,
    /// 1 for a good pixel, 0 for a bad one, in all stages.
    pub good: &'a [f32],
}

/// Corrects a picture of `rows` x `columns`, or several that lie behind each other, each pixel by the constants of its own stage.
///
/// As [`calibrate`](super::calibrate()), but a common mode is the median of the good pixels in stage 0, and is
/// subtracted from them alone: in other stages a pixel has so much light that its deviations say nothing about the
/// common mode. A pixel whose code belongs to no stage is bad. Returns the number of good pixels with such a code.
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
    if modes.is_empty() {
        return Ok(correct(level, constants, bytes, out));
    }
    // Taken out, because the common modes borrow the scratch memory, too.
    let mut usable = std::mem::take(&mut scratch.usable);
    usable.resize(out.len(), 0.0);
    let unknown = subtract(level, constants, bytes, out, &mut usable);
    subtract_modes(modes, out, &usable, (rows, columns), scratch);
    scale(level, constants, bytes, out);
    scratch.usable = usable;
    Ok(unknown)
}

impl Staged<'_> {
    fn check(&self, bytes: &[u8], pixels: usize) -> Result<(), LengthError> {
        LengthError::check("bytes", bytes.len(), pixels * size_of::<u16>())?;
        if !self.good.is_empty() {
            LengthError::check("good", self.good.len(), pixels)?;
        }
        // A length that would overflow is more than any list has.
        let wanted = self.stride.saturating_mul(self.bits.stages() - 1).saturating_add(pixels);
        let lists = [("pedestal", self.pedestal), ("gain", self.gain)].into_iter();
        lists
            .filter(|(_, list)| !list.is_empty() && list.len() < wanted)
            .try_for_each(|(what, list)| LengthError::check(what, list.len(), wanted))
    }

    /// The elements of some lists for the stages of the pixels from `at` on, `none` for a pixel in no stage, and all
    /// bits where a pixel is in one. The list of a stage is read only if one of the pixels is in it: most detectors
    /// have most pixels in stage 0, and this waits for memory.
    #[inline(always)]
    fn pick<const L: usize, const N: usize>(
        &self,
        codes: &[u32; L],
        at: usize,
        lists: [(&[f32], f32); N],
    ) -> ([[f32; L]; N], [u32; L]) {
        let mut picked = [[0u32; L]; N];
        for (picked, (_, none)) in picked.iter_mut().zip(lists) {
            *picked = [none.to_bits(); L];
        }
        let mut known = [0u32; L];
        for (number, code) in self.bits.codes().iter().enumerate() {
            let (mut is, mut any) = ([0u32; L], 0);
            // All ones or zeros, so that the choice below is bits and no branch.
            for lane in 0..L {
                is[lane] = if codes[lane] == u32::from(*code) { u32::MAX } else { 0 };
                any |= is[lane];
            }
            if any == 0 {
                continue;
            }
            let start = number * self.stride + at;
            for (picked, (list, _)) in picked.iter_mut().zip(lists) {
                // An empty list changes nothing.
                let Some(found) = list.get(start..start + L) else { continue };
                for lane in 0..L {
                    picked[lane] = found[lane].to_bits() & is[lane] | picked[lane] & !is[lane];
                }
            }
            for lane in 0..L {
                known[lane] |= is[lane];
            }
        }
        let mut values = [[0.0; L]; N];
        for (values, picked) in values.iter_mut().zip(picked) {
            for lane in 0..L {
                values[lane] = f32::from_bits(picked[lane]);
            }
        }
        (values, known)
    }

    /// The values of pixels without their pedestals, 0 for bad ones, and how many good ones are in no stage.
    #[inline(always)]
    fn subtracted<const L: usize>(
        &self,
        words: &[u16; L],
        pedestals: &[f32; L],
        known: &[u32; L],
        at: usize,
    ) -> ([f32; L], u64) {
        let good = self.good_at::<L>(at);
        let (mut differences, mut unknown) = ([0.0; L], 0u32);
        for lane in 0..L {
            let is_good = if good[lane] == 0.0 { 0 } else { u32::MAX };
            let difference = f32::from(self.bits.value(words[lane])) - pedestals[lane];
            differences[lane] = f32::from_bits(difference.to_bits() & is_good & known[lane]);
            // The code of a bad pixel does not matter.
            unknown += is_good & !known[lane] & 1;
        }
        (differences, u64::from(unknown))
    }

    #[inline(always)]
    fn good_at<const L: usize>(&self, at: usize) -> [f32; L] {
        let found = self.good.get(at..at + L).and_then(|good| good.try_into().ok());
        found.unwrap_or([1.0; L])
    }

    #[inline(always)]
    fn codes<const L: usize>(&self, words: &[u16; L]) -> [u32; L] {
        let mut codes = [0; L];
        for lane in 0..L {
            codes[lane] = u32::from(self.bits.code(words[lane]));
        }
        codes
    }
}

/// Runs `$group::<lanes>` over the pixels of a picture, and gives the sum. Written out: a closure would be compiled for the portable level.
macro_rules! groups {
    ($pixels:expr, $group:ident($($arg:expr),*)) => {{
        let (whole, mut at, mut sum) = ($pixels - $pixels % LANES, 0, 0u64);
        while at < whole {
            sum += $group::<LANES>($($arg,)* at);
            at += LANES;
        }
        while at < $pixels {
            sum += $group::<1>($($arg,)* at);
            at += 1;
        }
        sum
    }};
}

per_level! {
    /// All steps but common modes. Returns how many good pixels are in no stage.
    fn correct(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32]) -> u64 = correct_body;
}

#[inline(always)]
fn correct_body(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32]) -> u64 {
    groups!(out.len(), correct_group(constants, bytes, out))
}

#[inline(always)]
fn correct_group<const L: usize>(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32], at: usize) -> u64 {
    let words = u16::load::<L>(bytes, at);
    let lists = [(constants.pedestal, 0.0), (constants.gain, 1.0)];
    let ([pedestals, gains], known) = constants.pick(&constants.codes(&words), at, lists);
    let (differences, unknown) = constants.subtracted(&words, &pedestals, &known, at);
    if let Some(out) = out.get_mut(at..at + L) {
        for lane in 0..L {
            out[lane] = differences[lane] * gains[lane];
        }
    }
    unknown
}

per_level! {
    /// The steps before common modes, and which pixels have them. Returns how many good ones are in no stage.
    fn subtract(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32], usable: &mut [f32]) -> u64
        = subtract_body;
}

#[inline(always)]
fn subtract_body(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32], usable: &mut [f32]) -> u64 {
    groups!(out.len(), subtract_group(constants, bytes, out, usable))
}

#[inline(always)]
fn subtract_group<const L: usize>(
    constants: &Staged<'_>,
    bytes: &[u8],
    out: &mut [f32],
    usable: &mut [f32],
    at: usize,
) -> u64 {
    let words = u16::load::<L>(bytes, at);
    let codes = constants.codes(&words);
    let ([pedestals], known) = constants.pick(&codes, at, [(constants.pedestal, 0.0)]);
    let (differences, unknown) = constants.subtracted(&words, &pedestals, &known, at);
    if let Some(out) = out.get_mut(at..at + L) {
        out.copy_from_slice(&differences);
    }
    let (good, first) =
        (constants.good_at::<L>(at), constants.bits.codes().first().map(|code| u32::from(*code)));
    if let Some(usable) = usable.get_mut(at..at + L) {
        for lane in 0..L {
            usable[lane] = if Some(codes[lane]) == first { good[lane] } else { 0.0 };
        }
    }
    unknown
}

per_level! {
    /// The step behind common modes.
    fn scale(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32]) -> u64 = scale_body;
}

#[inline(always)]
fn scale_body(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32]) -> u64 {
    groups!(out.len(), scale_group(constants, bytes, out))
}

#[inline(always)]
fn scale_group<const L: usize>(constants: &Staged<'_>, bytes: &[u8], out: &mut [f32], at: usize) -> u64 {
    let codes = constants.codes(&u16::load::<L>(bytes, at));
    let ([gains], _) = constants.pick(&codes, at, [(constants.gain, 1.0)]);
    if let Some(out) = out.get_mut(at..at + L) {
        for lane in 0..L {
            out[lane] *= gains[lane];
        }
    }
    0
}
