use super::*;
use crate::test_data::numbers;
use crate::{LengthError, Level};

/// Pixels around 1200, one in `odd` anywhere.
fn pixels_of(len: usize, odd: u64, seed: u64) -> Vec<u8> {
    let value = |x: u64| if x.is_multiple_of(odd) { (x >> 20) as u16 } else { 1100 + (x >> 30) as u16 % 200 };
    numbers(seed).take(len).flat_map(|x| value(x).to_le_bytes()).collect()
}

fn lengths() -> impl Iterator<Item = usize> {
    (0..70).chain([127, 128, 129, 1000, 9001])
}

#[test]
fn survey_and_counts_are_those_of_plain_loops() {
    for len in lengths() {
        let bytes = pixels_of(len, 5, len as u64 + 1);
        let values: Vec<u16> = pixels(&bytes).iter().map(|p| u16::from_le_bytes(*p)).collect();
        let high = count_high_bytes(&bytes);
        for level in Level::available() {
            for block in [0, 3, 4, 254, 255] {
                let found = survey(level, &bytes, block);
                let expected = values.iter().fold(0u32, |s, v| s.wrapping_add(u32::from(*v)));
                assert_eq!((found.sum, sum(level, &bytes)), (expected, expected));
                assert_eq!(found.highest, values.iter().copied().max().unwrap_or(0));
                let blocks = [block.wrapping_sub(1), block, block.wrapping_add(1), block.wrapping_add(2)];
                assert_eq!(found.counts, blocks.map(|b| high[usize::from(b)]), "{level:?} {len} {block}");
            }
            let mut counts = [0; 512];
            count_values(level, &bytes, 1024, &mut counts);
            for (i, count) in counts.iter().enumerate() {
                let expected = values.iter().filter(|v| usize::from(**v) == 1024 + i).count();
                assert_eq!(*count as usize, expected);
            }
        }
    }
}

#[test]
fn bytes_come_back_and_are_the_same_on_every_level() {
    for (len, odd) in lengths().flat_map(|len| [1, 2, 7, 100, u64::MAX].map(|odd| (len, odd))) {
        let bytes = pixels_of(len, odd, len as u64 + 7);
        let packed = |level| {
            let (mut data, mut map) = (vec![0; 2 * len], vec![9; map_words(len)]);
            let used = pack_bytes(level, &bytes, 1080, &mut data, &mut map).unwrap();
            data.truncate(used);
            (data, map)
        };
        let expected = packed(Level::PORTABLE);
        for level in Level::available() {
            let (data, map) = packed(level);
            assert_eq!((&data, &map), (&expected.0, &expected.1), "{level:?} {len} {odd}");
            let mut back = vec![0; 2 * len];
            assert_eq!(unpack_bytes(level, &data, &map, 1080, &mut back), Ok(Some(data.len())));
            assert_eq!(back, bytes);
            for short in 0..data.len().min(40) {
                let data = &data[..data.len() - 1 - short];
                assert_eq!(unpack_bytes(level, data, &map, 1080, &mut back), Ok(None));
            }
        }
    }
}

#[test]
fn codes_come_back_and_are_the_same_on_every_level() {
    let widths = [(0, 16), (1, 11), (5, 14), (8, 15), (8, 16), (7, 13)];
    for (len, (inside, outside)) in lengths().flat_map(|len| widths.map(|w| (len, w))) {
        let mut bytes = pixels_of(len, 4, len as u64 + 3);
        for pixel in bytes.as_chunks_mut::<2>().0 {
            *pixel = (u16::from_le_bytes(*pixel) & ((1u32 << outside) - 1) as u16).to_le_bytes();
        }
        let codes = Codes { base: 1111, inside, outside };
        let packed = |level| {
            let (mut data, mut map) = (vec![0xaa; 2 * len + 8], vec![9; map_words(len)]);
            let bits = pack_codes(level, &bytes, codes, &mut data, &mut map).unwrap();
            assert!(data[bits.div_ceil(8)..].iter().take(4).all(|v| *v == 0));
            data.truncate(bits.div_ceil(8));
            (data, map, bits)
        };
        let expected = packed(Level::PORTABLE);
        for level in Level::available() {
            let (data, map, bits) = packed(level);
            assert_eq!(
                (&data, &map, bits),
                (&expected.0, &expected.1, expected.2),
                "{level:?} {len} {codes:?}"
            );
            let mut back = vec![0; 2 * len];
            assert_eq!(unpack_codes(level, &data, &map, codes, &mut back), Ok(Some(bits)));
            assert_eq!(back, bytes, "{level:?} {len} {codes:?}");
            for short in 1..data.len().min(80) {
                let data = &data[..data.len() - short];
                assert_eq!(unpack_codes(level, data, &map, codes, &mut back), Ok(None));
            }
        }
    }
}

#[test]
fn edges_are_all_values_but_the_core() {
    for (len, core) in
        lengths().flat_map(|len| [0..0, 0..1, 170..190, 300..512, 0..512].map(|core| (len, core)))
    {
        let bytes = pixels_of(len, 4, len as u64 + 3);
        for (level, start) in
            Level::available().into_iter().flat_map(|level| [0, 1024, 65_300].map(|s| (level, s)))
        {
            let (mut all, mut edges) = ([0; 512], [7; 512]);
            count_values(level, &bytes, start, &mut all);
            count_edges(level, &bytes, start, core.clone(), &mut edges);
            all[core.start.into()..core.end.into()].fill(0);
            assert_eq!(edges, all, "{level:?} {len} {start} {core:?}");
        }
    }
}

#[test]
fn a_window_beyond_16_bits_wraps_on_every_level() {
    let codes = Codes { base: 65530, inside: 8, outside: 16 };
    for level in Level::available() {
        let mut back = vec![0; 128];
        let used = unpack_codes(level, &[200; 200], &[0xffff; 4], codes, &mut back);
        assert_eq!((used, &back[..2]), (Ok(Some(512)), &(65530u16.wrapping_add(200)).to_le_bytes()[..]));
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let error = pack_bytes(Level::best(), &[0; 8], 0, &mut [0; 7], &mut [0]);
    assert_eq!(error, Err(LengthError { what: "data", len: 7, expected: 8 }));
    let error = unpack_bytes(Level::best(), &[0; 8], &[], 0, &mut [0; 8]);
    assert_eq!(error, Err(LengthError { what: "map", len: 0, expected: 1 }));
    let codes = Codes { base: 0, inside: 1, outside: 1 };
    let error = pack_codes(Level::best(), &[0; 8], codes, &mut [0; 8], &mut [0]);
    assert_eq!(error, Err(LengthError { what: "data", len: 8, expected: 16 }));
}
