use super::*;
use crate::test_data::numbers;

/// The definition: bits of a little-endian stream.
fn bits(bytes: &[u8], at: usize, count: usize) -> i16 {
    (0..count).fold(0, |v, i| v | i16::from(bytes[(at + i) / 8] >> ((at + i) % 8) & 1) << i)
}

/// The definition of WIB1, by the table of the format: low and high byte of a sample within its segment.
fn wib1_sample(frame: &[u8], channel: usize) -> i16 {
    let (block, chip, ch) = (channel / 64, channel % 64 / 8, channel % 8);
    let segment = &frame[16 + 112 * block + 16 + 12 * (2 * (chip / 2) + ch / 4)..];
    let (low, high) = [(0, 2), (2, 4), (6, 8), (8, 10)][ch % 4];
    let pair = u16::from_le_bytes([segment[low + chip % 2], segment[high + chip % 2]]);
    (if ch % 2 == 0 { pair & 0xFFF } else { pair >> 4 }) as i16
}

fn random_bytes(len: usize, seed: u64) -> Vec<u8> {
    numbers(seed).map(|x| (x >> 32) as u8).take(len).collect()
}

#[test]
fn every_level_unpacks_what_the_definitions_say() {
    for level in Level::available() {
        for frames in [0, 1, 2, 12, 13] {
            // One byte off, so that nothing is aligned.
            let bytes = random_bytes(frames * WIBETH_BYTES + 1, frames as u64);
            let wib1 = &bytes[1..][..frames * WIB1_BYTES];
            let mut samples = vec![-1; frames * WIB_CHANNELS];
            unpack_wib1(level, wib1, &mut samples).unwrap();
            for (i, &sample) in samples.iter().enumerate() {
                let frame = &wib1[i / 256 * WIB1_BYTES..];
                assert_eq!(sample, wib1_sample(frame, i % 256), "{} WIB1 sample {i}", level.name());
            }
            let wib2 = &bytes[1..][..frames * WIB2_BYTES];
            unpack_wib2(level, wib2, &mut samples).unwrap();
            for (i, &sample) in samples.iter().enumerate() {
                let frame = &wib2[i / 256 * WIB2_BYTES..];
                assert_eq!(
                    sample,
                    bits(&frame[20..], 14 * (i % 256), 14),
                    "{} WIB2 sample {i}",
                    level.name()
                );
            }
            let mut samples = vec![-1; frames * WIBETH_SAMPLES];
            unpack_wibeth(level, &bytes[1..], &mut samples).unwrap();
            for (i, &sample) in samples.iter().enumerate() {
                let frame = &bytes[1 + i / WIBETH_SAMPLES * WIBETH_BYTES..];
                let expected = bits(&frame[32..], 14 * (i % WIBETH_SAMPLES), 14);
                assert_eq!(sample, expected, "{} WIBEth sample {i}", level.name());
            }
        }
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let level = Level::best();
    assert_eq!(unpack_wib1(level, &[0; 463], &mut []).unwrap_err().what, "frames");
    assert_eq!(unpack_wib1(level, &[0; 464], &mut [0; 255]).unwrap_err().what, "samples");
    assert_eq!(unpack_wib2(level, &[0; 464], &mut [0; 256]).unwrap_err().expected, 0);
    assert_eq!(unpack_wibeth(level, &[0; 7200], &mut [0; 64]).unwrap_err().expected, 4096);
}

#[test]
fn golden_samples() {
    let (Some(frames), Some(expected)) = (
        crate::test_data::file("wib/wib1_frames.bin.zst"),
        crate::test_data::file("wib/wib1_adc16_first24.bin"),
    ) else {
        return;
    };
    let expected: Vec<i16> = expected.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect();
    for level in Level::available() {
        let mut samples = vec![0; expected.len()];
        unpack_wib1(level, &frames[..24 * WIB1_BYTES], &mut samples).unwrap();
        assert_eq!(samples, expected, "{}", level.name());
    }
}
