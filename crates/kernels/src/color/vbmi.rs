//! False colours with the byte permutation of AVX-512 VBMI: 64 values are looked up in a table of 256 by two instructions
//! and a choice.

use super::Palette;
use super::look_up::{four_by_four, one_by_one};
use std::arch::x86_64::*;

/// Whether this processor has it, beside the instructions of the level avx512.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512vbmi")
}

/// Where the bytes of the three stores of 64 pixels side by side come from: of byte `i`, pixel `i / 3`, colour `i % 3`.
/// Bit 6 chooses green, which is the second of two registers; blue is put in by a mask.
const PLACES: [[u8; 64]; 3] = {
    let mut places = [[0; 64]; 3];
    let mut i = 0;
    while i < 192 {
        places[i / 64][i % 64] = (i / 3 + if i % 3 == 1 { 64 } else { 0 }) as u8;
        i += 1;
    }
    places
};

/// Which bytes of the three stores are blue.
const BLUE: [u64; 3] = {
    let mut masks = [0; 3];
    let mut i = 2;
    while i < 192 {
        masks[i / 64] |= 1 << (i % 64);
        i += 3;
    }
    masks
};

/// One of the three outputs is as long as `input`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn paint(input: &[u8], palette: &Palette, [r, g, b]: [&mut [u8]; 3]) {
    let tables = tables(palette);
    let (values, rest) = input.as_chunks::<64>();
    let ((reds, r), (greens, g), (blues, b)) =
        (r.as_chunks_mut::<64>(), g.as_chunks_mut::<64>(), b.as_chunks_mut::<64>());
    for (((values, red), green), blue) in values.iter().zip(reds).zip(greens).zip(blues) {
        let [r, g, b] = look_up(&tables, load(values));
        store(red, r);
        store(green, g);
        store(blue, b);
    }
    one_by_one(rest, palette, [r, g, b]);
}

/// `output` has three bytes for each of `input`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn paint_interleaved(input: &[u8], palette: &Palette, output: &mut [u8]) {
    let tables = tables(palette);
    let places = [load(&PLACES[0]), load(&PLACES[1]), load(&PLACES[2])];
    let (values, rest) = input.as_chunks::<64>();
    let (pixels, last) = output.as_chunks_mut::<192>();
    for (values, pixels) in values.iter().zip(pixels) {
        let [r, g, b] = look_up(&tables, load(values));
        let (parts, _) = pixels.as_chunks_mut::<64>();
        for ((part, places), blue) in parts.iter_mut().zip(places).zip(BLUE) {
            let red_green = _mm512_permutex2var_epi8(r, places, g);
            store(part, _mm512_mask_permutexvar_epi8(red_green, blue, places, b));
        }
    }
    four_by_four(rest, palette, last);
}

/// The table of one colour, 64 values in a register.
type Table = [__m512i; 4];

#[target_feature(enable = "avx512f")]
fn tables(palette: &Palette) -> [Table; 3] {
    let quarters = |plane: &[u8; 256]| {
        // SAFETY: 64 bytes are read, 0, 64, 128 and 192 bytes behind the beginning of 256.
        [0, 64, 128, 192].map(|at| unsafe { _mm512_loadu_si512(plane[at..].as_ptr().cast()) })
    };
    let [red, green, blue] = &palette.planes;
    [quarters(red), quarters(green), quarters(blue)]
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up(tables: &[Table; 3], values: __m512i) -> [__m512i; 3] {
    // The instruction takes seven bits of a value; the eighth chooses the half of the table.
    let upper = _mm512_movepi8_mask(values);
    let one = |table: &Table| {
        let low = _mm512_permutex2var_epi8(table[0], values, table[1]);
        let high = _mm512_permutex2var_epi8(table[2], values, table[3]);
        _mm512_mask_blend_epi8(upper, low, high)
    };
    [one(&tables[0]), one(&tables[1]), one(&tables[2])]
}

#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn store(bytes: &mut [u8; 64], values: __m512i) {
    // SAFETY: 64 bytes are written to 64 bytes.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), values) }
}
