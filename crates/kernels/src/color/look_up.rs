//! False colours, looked up one by one.

use super::Palette;

pub(super) fn one_by_one(input: &[u8], palette: &Palette, [r, g, b]: [&mut [u8]; 3]) {
    for (((value, r), g), b) in input.iter().zip(r).zip(g).zip(b) {
        [*r, *g, *b] = palette.color(*value);
    }
}

/// Four colours are three words, written at once.
pub(super) fn four_by_four(input: &[u8], palette: &Palette, output: &mut [u8]) {
    let (fours, rest) = input.as_chunks::<4>();
    let (twelves, last) = output.as_chunks_mut::<12>();
    for (values, pixels) in fours.iter().zip(twelves) {
        let [a, b, c, d] = values.map(|value| u32::from_le_bytes(palette.colors[usize::from(value)]));
        // The fourth byte of a colour is 0, so that words can be joined.
        let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
        let (places, _) = pixels.as_chunks_mut::<4>();
        places.iter_mut().zip(words).for_each(|(place, word)| *place = word.to_le_bytes());
    }
    for (value, pixel) in rest.iter().zip(last.as_chunks_mut::<3>().0) {
        *pixel = palette.color(*value);
    }
}
