//! HistN: a pixel in the window takes a few bits, any other as many as the largest pixel needs.

use super::{MAP_BITS, map_words, pixels};
#[cfg(target_arch = "x86_64")]
use crate::level::LevelKind;
use crate::{LengthError, Level};

/// How pixels become codes of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// Smallest value of the window.
    pub base: u16,
    /// Bits of a pixel in the window, which is 2^`inside` wide: at most 8.
    pub inside: u32,
    /// Bits of any other pixel: at most 16.
    pub outside: u32,
}

impl Codes {
    /// Widths that do not exist become the largest ones.
    fn checked(self) -> Codes {
        Codes { inside: self.inside.min(8), outside: self.outside.min(16), ..self }
    }

    fn length(self, inside: bool) -> u32 {
        if inside { self.inside } else { self.outside }
    }
}

/// Bytes beyond the codes that [`pack_codes`] may write.
const SLACK: usize = 8;

/// Packs pixels as codes, lowest bits first; gives the number of bits. Bits behind them, up to a multiple
/// of 64, are zeros. `map` gets a bit for each pixel, and zeros behind them.
///
/// # Errors
/// [`LengthError`] if `data` has less room than two bytes per pixel and 8 more, or `map` does not have
/// [`map_words`] words.
///
/// ```
/// use livetime_kernels::{Level, hist};
/// let codes = hist::Codes { base: 256, inside: 3, outside: 13 };
/// let (mut data, mut map) = ([0; 12], [0]);
/// let bits = hist::pack_codes(Level::best(), &[0x05, 0x01, 0x34, 0x12], codes, &mut data, &mut map)?;
/// assert_eq!((bits, map), (16, [1]));
/// assert_eq!(u16::from_le_bytes([data[0], data[1]]), 0x1234 << 3 | 5);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn pack_codes(
    level: Level,
    bytes: &[u8],
    codes: Codes,
    data: &mut [u8],
    map: &mut [u16],
) -> Result<usize, LengthError> {
    let all = pixels(bytes);
    LengthError::check("map", map.len(), map_words(all.len()))?;
    if data.len() < 2 * all.len() + SLACK {
        return Err(LengthError { what: "data", len: data.len(), expected: 2 * all.len() + SLACK });
    }
    let codes = codes.checked();
    Ok(match level.kind() {
        LevelKind::Portable => pack_portable(all, codes, data, map),
        // SAFETY: these levels have BMI2.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 => unsafe { bmi2::pack(all, codes, data, map) },
    })
}

/// The inverse of [`pack_codes`]; gives the number of bits used, `None` if there are too few. Additions to the base
/// wrap round.
///
/// # Errors
/// [`LengthError`] if `map` has fewer than [`map_words`] words.
pub fn unpack_codes(
    level: Level,
    data: &[u8],
    map: &[u16],
    codes: Codes,
    bytes: &mut [u8],
) -> Result<Option<usize>, LengthError> {
    let all = bytes.as_chunks_mut::<2>().0;
    let (words, wanted) = (map.len(), map_words(all.len()));
    let Some(map) = map.get(..wanted) else {
        return Err(LengthError { what: "map", len: words, expected: wanted });
    };
    let codes = codes.checked();
    // A window that reaches beyond 16 bits goes the portable way, whose additions wrap round.
    let fits = usize::from(codes.base) + (1 << codes.inside) <= 1 << 16;
    let done = match level.kind() {
        // SAFETY: these levels have BMI2.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 if fits => unsafe { bmi2::unpack(data, map, codes, all) },
        _ => (0, 0),
    };
    Ok(unpack_rest(data, map, codes, all, done))
}

fn pack_portable(all: &[[u8; 2]], codes: Codes, data: &mut [u8], map: &mut [u16]) -> usize {
    let mut stream = BitStream::new(data);
    for (word, pixels) in map.iter_mut().zip(all.chunks(MAP_BITS)) {
        *word = 0;
        for (bit, pixel) in pixels.iter().enumerate() {
            let v = u16::from_le_bytes(*pixel);
            let inside = u32::from(v.wrapping_sub(codes.base)) < 1 << codes.inside;
            *word |= u16::from(inside) << bit;
            let code = if inside { v.wrapping_sub(codes.base) } else { v };
            stream.put(u64::from(code), codes.length(inside));
        }
    }
    stream.finish()
}

/// A stream of bits that is written, lowest bits first.
struct BitStream<'a> {
    data: &'a mut [u8],
    /// The byte in which the stream ends, its bits in `open`, and how many there are: fewer than 8.
    at: usize,
    open: u64,
    bits: u32,
}

impl<'a> BitStream<'a> {
    #[inline(always)]
    fn new(data: &'a mut [u8]) -> BitStream<'a> {
        BitStream { data, at: 0, open: 0, bits: 0 }
    }

    /// At most 56 bits, with zeros above them. Writes eight bytes, for which the caller has seen to room.
    #[inline(always)]
    fn put(&mut self, code: u64, length: u32) {
        self.open |= code << self.bits;
        self.bits += length;
        if let Some(to) = self.data.get_mut(self.at..self.at + 8) {
            to.copy_from_slice(&self.open.to_le_bytes());
        }
        self.at += (self.bits / 8) as usize;
        self.open >>= self.bits & !7;
        self.bits %= 8;
    }

    /// Ends with eight bytes that hold the open bits and zeros.
    fn finish(mut self) -> usize {
        self.put(0, 0);
        8 * self.at + self.bits as usize
    }
}

/// Goes on after `done` pixels, a multiple of 16, at bit `at`.
fn unpack_rest(
    data: &[u8],
    map: &[u16],
    codes: Codes,
    all: &mut [[u8; 2]],
    (done, mut at): (usize, usize),
) -> Option<usize> {
    for (word, pixels) in map[done / MAP_BITS..].iter().zip(all[done..].chunks_mut(MAP_BITS)) {
        for (bit, pixel) in pixels.iter_mut().enumerate() {
            let inside = word >> bit & 1 == 1;
            let length = codes.length(inside);
            let code = bits_at(data, at, length)?;
            let v = if inside { codes.base.wrapping_add(code) } else { code };
            *pixel = v.to_le_bytes();
            at += length as usize;
        }
    }
    Some(at)
}

/// At most 16 bits from bit `at` on.
fn bits_at(data: &[u8], at: usize, length: u32) -> Option<u16> {
    if at + length as usize > 8 * data.len() {
        return None;
    }
    // Up to 7 bits before the code: 23 bits are in four bytes.
    let mut bytes = [0; 4];
    let from = &data[at / 8..];
    let count = from.len().min(4);
    bytes[..count].copy_from_slice(&from[..count]);
    let bits = u32::from_le_bytes(bytes) >> (at % 8);
    Some((u64::from(bits) & ((1 << length) - 1)) as u16)
}

/// Four pixels at a time with the instructions that gather and scatter bits by a mask.
#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use super::{BitStream, Codes, MAP_BITS, SLACK, pack_portable};
    use std::arch::x86_64::*;

    /// For each map of four pixels: which bits of the pixels are codes, how many, and the difference of the pixels from the codes.
    struct Table {
        masks: [u64; 16],
        lengths: [u32; 16],
        bases: [u64; 16],
    }

    impl Table {
        fn new(codes: Codes) -> Table {
            let mut table = Table { masks: [0; 16], lengths: [0; 16], bases: [0; 16] };
            for map in 0..16usize {
                for pixel in 0..4 {
                    let inside = map >> pixel & 1 == 1;
                    let length = codes.length(inside);
                    table.masks[map] |= ((1 << length) - 1) << (16 * pixel);
                    table.lengths[map] += length;
                    table.bases[map] |= if inside { u64::from(codes.base) << (16 * pixel) } else { 0 };
                }
            }
            table
        }
    }

    /// Four codes are put at once if they have at most 56 bits, else two.
    const FOUR: u32 = 14;

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn pack(all: &[[u8; 2]], codes: Codes, data: &mut [u8], map: &mut [u16]) -> usize {
        let table = Table::new(codes);
        let (words, rest) = all.as_chunks::<MAP_BITS>();
        let (word_maps, rest_map) = map.split_at_mut(words.len());
        let mut stream = BitStream::new(data);
        for (pixels, word) in words.iter().zip(word_maps) {
            let (quads, bits) = split(pixels, codes);
            *word = bits;
            for (i, quad) in quads.into_iter().enumerate() {
                let four = usize::from(bits >> (4 * i)) % 16;
                let (mask, length) = (table.masks[four], table.lengths[four]);
                if codes.outside <= FOUR {
                    stream.put(_pext_u64(quad, mask), length);
                } else {
                    let low = (mask as u32).count_ones();
                    stream.put(_pext_u64(quad, mask & 0xFFFF_FFFF), low);
                    stream.put(_pext_u64(quad, mask & !0xFFFF_FFFF), length - low);
                }
            }
        }
        pack_rest(rest, codes, stream, rest_map)
    }

    /// The last pixels, in a stream of their own that is added to the first.
    fn pack_rest(rest: &[[u8; 2]], codes: Codes, mut stream: BitStream, map: &mut [u16]) -> usize {
        let mut data = [0; 2 * MAP_BITS + SLACK];
        let mut bits = pack_portable(rest, codes, &mut data, map) as u32;
        for bytes in data.as_chunks::<4>().0 {
            let now = bits.min(32);
            stream.put(u64::from(u32::from_le_bytes(*bytes)), now);
            bits -= now;
            if bits == 0 {
                break;
            }
        }
        stream.finish()
    }

    /// Sixteen pixels less the base where they are in the window, and the map of those.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn split(pixels: &[[u8; 2]; MAP_BITS], codes: Codes) -> ([u64; 4], u16) {
        let base = _mm256_set1_epi16(codes.base as i16);
        let widest = _mm256_set1_epi16((1 << codes.inside) - 1);
        // SAFETY: 16 pixels are as long as a vector.
        let v = unsafe { _mm256_loadu_si256(pixels.as_ptr().cast()) };
        let distance = _mm256_sub_epi16(v, base);
        // AVX2 compares only numbers with sign: without, `distance <= widest` where the smaller one is `distance`.
        let inside = _mm256_cmpeq_epi16(_mm256_min_epu16(distance, widest), distance);
        let values = _mm256_blendv_epi8(v, distance, inside);
        // Each half of the vector is packed twice: the bits of its eight pixels are in bytes 0 and 2.
        let [low, _, high, _] =
            (_mm256_movemask_epi8(_mm256_packs_epi16(inside, inside)) as u32).to_le_bytes();
        let mut quads = [0; 4];
        // SAFETY: four words are as long as a vector.
        unsafe { _mm256_storeu_si256(quads.as_mut_ptr().cast(), values) };
        (quads, u16::from_le_bytes([low, high]))
    }

    /// Unpacks whole words of map while there is data for them; gives the pixels and the bits done. The window does
    /// not reach beyond 16 bits, so that no sum runs over into the next pixel.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn unpack(data: &[u8], map: &[u16], codes: Codes, all: &mut [[u8; 2]]) -> (usize, usize) {
        let table = Table::new(codes);
        let (mut at, mut done) = (0, 0);
        for (pixels, word) in all.as_chunks_mut::<MAP_BITS>().0.iter_mut().zip(map) {
            // The codes of 16 pixels, 7 bits before them, and the bytes that a last load of 8 bytes reads beyond.
            let Some(data) = data.get(at / 8..at / 8 + 2 * MAP_BITS + 9) else { break };
            let mut bit = at % 8;
            for (i, to) in pixels.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let four = usize::from(word >> (4 * i)) % 16;
                let (mask, length) = (table.masks[four], table.lengths[four] as usize);
                let quad = if codes.outside <= FOUR {
                    _pdep_u64(window(data, bit), mask)
                } else {
                    let low = (mask as u32).count_ones() as usize;
                    _pdep_u64(window(data, bit), mask & 0xFFFF_FFFF)
                        | _pdep_u64(window(data, bit + low), mask & !0xFFFF_FFFF)
                };
                bit += length;
                to.as_flattened_mut().copy_from_slice(&(quad + table.bases[four]).to_le_bytes());
            }
            at = at - at % 8 + bit;
            done += MAP_BITS;
        }
        (done, at)
    }

    /// At least 57 bits from `bit` on.
    #[inline(always)]
    fn window(data: &[u8], bit: usize) -> u64 {
        let bytes = data[bit / 8..].first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(bytes) >> (bit % 8)
    }
}
