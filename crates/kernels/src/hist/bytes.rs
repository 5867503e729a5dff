//! Hist16: a pixel in the window takes one byte, any other two.

use super::{MAP_BITS, map_words, pixels};
#[cfg(target_arch = "x86_64")]
use super::{bytes_avx2, bytes_avx512};
#[cfg(target_arch = "x86_64")]
use crate::level::LevelKind;
use crate::{LengthError, Level};

/// Values in the window.
const WINDOW: u16 = 256;

/// Packs pixels: `pixel - base` in one byte where that is below 256, else the pixel in two. Gives the bytes written to
/// `data`; `map` gets a bit for each pixel, and zeros behind them.
///
/// # Errors
/// [`LengthError`] if `data` is shorter than the pixels or `map` does not have [`map_words`] words.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let (mut data, mut map) = ([0; 4], [0]);
/// let used = hist::pack_bytes(Level::best(), &[0x05, 0x01, 0x34, 0x12], 256, &mut data, &mut map)?;
/// assert_eq!((&data[..used], map), (&[0x05, 0x34, 0x12][..], [1]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn pack_bytes(
    level: Level,
    bytes: &[u8],
    base: u16,
    data: &mut [u8],
    map: &mut [u16],
) -> Result<usize, LengthError> {
    let all = pixels(bytes);
    LengthError::check("map", map.len(), map_words(all.len()))?;
    let room = data.len();
    let Some(data) = data.get_mut(..2 * all.len()) else {
        return Err(LengthError { what: "data", len: room, expected: 2 * all.len() });
    };
    let done = match level.kind() {
        LevelKind::Portable => (0, 0),
        // SAFETY: the levels prove AVX2 and AVX-512, `present` the rest.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if bytes_avx512::present() => unsafe { bytes_avx512::pack(all, base, data, map) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 => unsafe { bytes_avx2::pack(all, base, data, map) },
    };
    Ok(pack_rest(all, base, data, map, done))
}

/// Goes on after `done` pixels, a multiple of 16, at byte `at`.
fn pack_rest(
    all: &[[u8; 2]],
    base: u16,
    data: &mut [u8],
    map: &mut [u16],
    (done, mut at): (usize, usize),
) -> usize {
    for (word, pixels) in map[done / MAP_BITS..].iter_mut().zip(all[done..].chunks(MAP_BITS)) {
        *word = 0;
        for (bit, pixel) in pixels.iter().enumerate() {
            let distance = u16::from_le_bytes(*pixel).wrapping_sub(base);
            if distance < WINDOW {
                *word |= 1 << bit;
                data[at] = distance as u8;
                at += 1;
            } else {
                data[at..at + 2].copy_from_slice(pixel);
                at += 2;
            }
        }
    }
    at
}

/// The inverse of [`pack_bytes`]; gives the bytes of `data` that were used, `None` if there are too few. Additions to
/// `base` wrap round.
///
/// # Errors
/// [`LengthError`] if `map` has fewer than [`map_words`] words.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let mut pixels = [0; 4];
/// let used = hist::unpack_bytes(Level::best(), &[0x05, 0x34, 0x12], &[1], 256, &mut pixels)?;
/// assert_eq!((used, pixels), (Some(3), [0x05, 0x01, 0x34, 0x12]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn unpack_bytes(
    level: Level,
    data: &[u8],
    map: &[u16],
    base: u16,
    bytes: &mut [u8],
) -> Result<Option<usize>, LengthError> {
    let all = bytes.as_chunks_mut::<2>().0;
    let (words, wanted) = (map.len(), map_words(all.len()));
    let Some(map) = map.get(..wanted) else {
        return Err(LengthError { what: "map", len: words, expected: wanted });
    };
    let done = match level.kind() {
        LevelKind::Portable => (0, 0),
        // SAFETY: the levels prove AVX2 and AVX-512, `present` the rest.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if bytes_avx512::present() => unsafe { bytes_avx512::unpack(data, map, base, all) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 => unsafe { bytes_avx2::unpack(data, map, base, all) },
    };
    Ok(unpack_rest(data, map, base, all, done))
}

/// Goes on after `done` pixels, a multiple of 16, at byte `at`.
fn unpack_rest(
    data: &[u8],
    map: &[u16],
    base: u16,
    all: &mut [[u8; 2]],
    (done, mut at): (usize, usize),
) -> Option<usize> {
    for (word, pixels) in map[done / MAP_BITS..].iter().zip(all[done..].chunks_mut(MAP_BITS)) {
        for (bit, pixel) in pixels.iter_mut().enumerate() {
            if word >> bit & 1 == 1 {
                *pixel = base.wrapping_add(u16::from(*data.get(at)?)).to_le_bytes();
                at += 1;
            } else {
                pixel.copy_from_slice(data.get(at..at + 2)?);
                at += 2;
            }
        }
    }
    Some(at)
}
