use super::*;
use crate::test_data::numbers;

/// The format by its definition, a byte at a time, with its rules for the end.
fn decode_plainly(mut block: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    let next = |block: &mut &[u8]| {
        let byte = block[0];
        *block = &block[1..];
        usize::from(byte)
    };
    let length = |block: &mut &[u8], half: usize| {
        let mut length = half;
        loop {
            let more = if half == 15 { next(block) } else { 0 };
            length += more;
            if more < 255 {
                return length;
            }
        }
    };
    let mut last_match = None;
    loop {
        let token = next(&mut block);
        let literals = length(&mut block, token >> 4);
        output.extend_from_slice(&block[..literals]);
        block = &block[literals..];
        if block.is_empty() {
            assert!(last_match.is_none_or(|start| start + LAST_START <= output.len()));
            assert!(last_match.is_none() || literals >= LAST_LITERALS);
            return output;
        }
        last_match = Some(output.len());
        let distance = next(&mut block) | next(&mut block) << 8;
        for _ in 0..length(&mut block, token & 15) + MIN_MATCH {
            output.push(output[output.len() - distance]);
        }
    }
}

/// Runs of many lengths with noise between.
fn runs(length: usize, noise: u64, longest: u64, seed: u64) -> Vec<u8> {
    let (mut random, mut output) = (numbers(seed), Vec::new());
    while output.len() < length {
        let x = random.next().unwrap();
        output.extend(random.by_ref().take((x >> 8) as usize % noise as usize).map(|x| (x >> 17) as u8));
        output.extend(std::iter::repeat_n(x as u8, 1 + (x >> 40) as usize % longest as usize));
    }
    output.truncate(length);
    output
}

fn check(input: &[u8]) {
    let mut expected = None;
    for level in Level::available() {
        let mut block = vec![0xaa; bound(input.len())];
        let size = encode_runs(level, input, &mut block).unwrap();
        block.truncate(size);
        assert!(decode_plainly(&block) == input, "{level:?} {} bytes", input.len());
        check_decoded(&block, input);
        assert!(expected.get_or_insert_with(|| block.clone()) == &block, "{level:?} {} bytes", input.len());
    }
}

/// With room for the bytes, for a few more, and for one too few.
fn check_decoded(block: &[u8], input: &[u8]) {
    for more in [0, 1, 63, 64, 200] {
        let mut output = vec![0xaa; input.len() + more];
        assert_eq!(decode_runs(block, &mut output), Some(input.len()), "{more} bytes more");
        assert!(output[..input.len()] == *input, "{more} bytes more");
    }
    if !input.is_empty() {
        assert_eq!(decode_runs(block, &mut vec![0; input.len() - 1]), None);
    }
}

#[test]
fn blocks_come_back_whatever_their_length_and_runs() {
    for length in (0..300).chain([511, 512, 1000, 8191, 8192, 8193, 70_000]) {
        for (noise, longest) in [(1, 3), (3, 12), (40, 40), (200, 80), (2, 700), (1, 100_000)] {
            check(&runs(length, noise, longest, length as u64 + noise));
        }
    }
}

#[test]
fn blocks_come_back_from_any_alignment() {
    let input = runs(1000, 30, 50, 9);
    (0..64).for_each(|from| check(&input[from..]));
}

#[test]
fn a_run_anywhere_is_found() {
    for (start, length) in (0..140).flat_map(|start| [6, 7, 18, 19, 20, 64, 65, 130].map(|l| (start, l))) {
        let mut input: Vec<u8> = (0..400u32).map(|i| (i * 7 % 251) as u8).collect();
        input[start..=start + length].fill(99);
        check(&input);
        let mut block = vec![0; bound(input.len())];
        let size = encode_runs(Level::best(), &input, &mut block).unwrap();
        assert!(size <= input.len() - length + 8, "{start} {length}: {size}");
    }
}

#[test]
fn too_little_room_is_refused() {
    assert!(encode_runs(Level::best(), &[0; 100], &mut [0; bound(100) - 1]).is_err());
}

#[test]
fn a_damaged_block_is_refused_or_becomes_what_the_format_says() {
    let (input, mut random) = (runs(700, 30, 90, 4), numbers(5));
    let mut block = vec![0; bound(input.len())];
    let size = encode_runs(Level::best(), &input, &mut block).unwrap();
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut damaged = block[..size].to_vec();
        let (x, y) = (random.next().unwrap() as usize, random.next().unwrap());
        damaged[x % size] = y as u8;
        damaged.truncate(size - (y >> 8) as usize % 2 * (x >> 32) % size);
        let mut output = vec![0; 2 * input.len()];
        if let Some(made) = decode_runs(&damaged, &mut output) {
            assert!(decode_runs_plainly(&damaged) == output[..made]);
            accepted += 1;
        }
    }
    // Else one of the two outcomes would not be tested.
    assert!((100..19_000).contains(&accepted), "{accepted}");
}

/// A byte at a time, of a block that is known to be whole.
fn decode_runs_plainly(block: &[u8]) -> Vec<u8> {
    let (mut at, mut output) = (0, Vec::new());
    loop {
        let token = usize::from(block[at]);
        at += 1;
        let literals = length(token >> 4, block, &mut at).unwrap();
        output.extend_from_slice(&block[at..at + literals]);
        at += literals;
        if at == block.len() {
            return output;
        }
        assert_eq!(block[at..at + 2], [1, 0]);
        at += 2;
        let matched = length(token & 15, block, &mut at).unwrap() + MIN_MATCH;
        output.extend(std::iter::repeat_n(*output.last().unwrap(), matched));
    }
}
