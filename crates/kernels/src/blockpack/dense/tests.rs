use super::super::tests::{counts, noise};
use super::super::{BLOCK, ROW};
use super::*;
use crate::Level;
use crate::test_data::numbers;

fn packed<T: Word>(level: Level, input: &[u8], reference: Option<&[u8]>) -> Vec<u8> {
    let mut block = vec![0xaa; dense_block_bound::<T>(input.len() / size_of::<T>())];
    let size = pack_dense_block::<T>(level, input, reference, &mut DenseScratch::new(), &mut block).unwrap();
    block.truncate(size);
    block
}

/// The format by its definition, element by element and bit by bit; for elements of 16 bits and whole groups.
fn unpack_plainly(block: &[u8], reference: &[u16]) -> Vec<u16> {
    let groups = reference.len() / GROUP;
    let (descriptors, mut rest) = block[1..].split_at(8 * groups);
    let bit = |bytes: &[u8], at: usize| u32::from(bytes[at / 8] >> (at % 8) & 1);
    // Bit `b` of lane `l` of a row belongs to element 32 b + l.
    let place = |element: usize| element % 32 * 16 + element / 32;
    let mut all = vec![0; reference.len()];
    for (group, d) in descriptors.chunks(8).enumerate() {
        let head = u32::from(d[0]) | u32::from(d[1]) << 8;
        let (width, step, planes) = (head & 63, head >> 6 & 31, head >> 11);
        let elements = &mut all[group * GROUP..][..GROUP];
        if width == 63 {
            let payload;
            (payload, rest) = rest.split_at(2 * GROUP);
            let pairs = elements.iter_mut().zip(payload.chunks(2));
            pairs.for_each(|(x, bytes)| *x = u16::from_le_bytes([bytes[0], bytes[1]]));
            continue;
        }
        let (rows, stream) = rest.split_at(width as usize * ROW);
        let mut high = vec![0; GROUP];
        let mut at = 0;
        if planes == 1 {
            let (first, stream) = stream.split_at(ROW);
            let mut members: Vec<usize> = (0..GROUP).filter(|place| bit(first, *place) == 1).collect();
            members.iter().for_each(|place| high[*place] = 1);
            for _ in 2..=7 {
                let ones = members.iter().enumerate().filter(|(i, _)| bit(stream, at + i) == 1);
                let next: Vec<usize> = ones.map(|(_, place)| *place).collect();
                at += members.len();
                members = next;
                members.iter().for_each(|place| high[*place] += 1);
            }
        }
        let after = &stream[if planes == 1 { ROW } else { 0 }..];
        let mut escapes = at;
        for (in_plane, high) in high.iter().enumerate() {
            let element = in_plane % 16 * 32 + in_plane / 16;
            if *high == 7 {
                let bits = (0..usize::from(block[0])).map(|i| bit(after, escapes + i) << i);
                elements[element] = bits.sum::<u32>() as u16;
                escapes += usize::from(block[0]);
            }
        }
        for (i, x) in elements.iter_mut().enumerate().filter(|(i, _)| high[place(*i)] < 7) {
            let lane = |at: usize| bit(rows, at / 16 * 8 * ROW + i % 32 * 16 + at % 16);
            let low: u32 = (0..width).map(|b| lane(i / 32 * width as usize + b as usize) << b).sum();
            let n = low | high[place(i)] << width;
            let e = if n.is_multiple_of(2) { (n / 2) as i32 } else { -((n / 2) as i32) - 1 };
            let half = d[4 + i / 64 / 2] >> (4 * (i / 64 % 2)) & 15;
            let offset = if half < 8 { i32::from(half) } else { i32::from(half) - 16 };
            let centre = i32::from(u16::from_le_bytes([d[2], d[3]])) + (offset << step);
            *x = (e + centre + i32::from(reference[group * GROUP + i])) as u16;
        }
        rest = &after[escapes.div_ceil(8)..];
    }
    assert!(rest.is_empty());
    all
}

#[test]
fn blocks_are_as_the_format_says() {
    for (bits, odd, drift) in [(0, u64::MAX, 0), (3, 40, 0), (5, 70, 1), (8, 9, 3), (16, 2, 7)] {
        let words = |bytes: &[u8]| -> Vec<u16> {
            bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
        };
        let mut input = words(&noise::<u16>(4 * GROUP, bits, odd, 9));
        input.iter_mut().enumerate().for_each(|(i, x)| *x = x.wrapping_add((i / 50) as u16 * drift));
        let reference = words(&noise::<u16>(4 * GROUP, bits / 2, odd, 8));
        let bytes = |words: &[u16]| words.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let block = packed::<u16>(Level::best(), &bytes(&input), Some(&bytes(&reference)));
        assert!(unpack_plainly(&block, &reference) == input, "{bits} {odd} {drift}");
    }
}

fn every_block_comes_back_from_every_level<T: Word>() {
    for (count, odd) in counts().flat_map(|count| [3, 40, u64::MAX].map(|odd| (count, odd))) {
        for bits in 0..=T::BITS.min(31) {
            let input = noise::<T>(count, bits, odd, 5);
            let reference = noise::<T>(count, bits / 2, odd, 6);
            for reference in [None, Some(&reference[..])] {
                let expected = packed::<T>(Level::PORTABLE, &input, reference);
                for level in Level::available() {
                    let block = packed::<T>(level, &input, reference);
                    assert!(block == expected, "{level:?} {count} {bits} {odd}");
                    let mut back = vec![0x55; input.len()];
                    assert_eq!(unpack_dense_block::<T>(level, &block, reference, &mut back), Ok(()));
                    assert!(back == input, "{level:?} {count} {bits} {odd}");
                }
            }
        }
    }
}

#[test]
fn blocks_of_bytes_come_back() {
    every_block_comes_back_from_every_level::<u8>();
}

#[test]
fn blocks_of_words_come_back() {
    every_block_comes_back_from_every_level::<u16>();
}

#[test]
fn blocks_of_double_words_come_back() {
    every_block_comes_back_from_every_level::<u32>();
}

#[test]
fn extremes_wrap_round() {
    for input in [[0u16, u16::MAX], [0x7fff, 0x8000], [1, 0x8001]] {
        let input: Vec<u8> = (0..1000).flat_map(|i| input[i * i % 7 % 2].to_le_bytes()).collect();
        let reference: Vec<u8> = input.iter().rev().copied().collect();
        let block = packed::<u16>(Level::best(), &input, Some(&reference));
        let mut back = vec![0; input.len()];
        unpack_dense_block::<u16>(Level::best(), &block, Some(&reference), &mut back).unwrap();
        assert_eq!(back, input);
    }
}

/// A descriptor alone where all elements are equal.
#[test]
fn what_is_constant_takes_no_room() {
    assert_eq!(packed::<u16>(Level::best(), &[7; 2 * BLOCK], None).len(), 1 + 16 * 8);
}

#[test]
fn any_bytes_are_unpacked_or_refused() {
    let mut unpacked = 0;
    for seed in 0..6000 {
        let mut random = numbers(seed + 1);
        let length = random.next().unwrap() as usize % 3000;
        let mut block: Vec<u8> = random.take(length).map(|x| (x >> 9) as u8 & (x >> 30) as u8).collect();
        block.iter_mut().take(1).for_each(|byte| *byte %= 18);
        for (i, head) in block.get_mut(1..).unwrap_or_default().chunks_exact_mut(8).take(3).enumerate() {
            head[0] = (head[0] % 17) | (head[0] & 0xc0);
            head[1] &= if i == 0 { 0xff } else { 0x0f };
        }
        let results = Level::available().into_iter().map(|level| {
            let mut output = [0; 2 * 1100];
            unpack_dense_block::<u16>(level, &block, None, &mut output).map(|()| output)
        });
        let results: Vec<_> = results.collect();
        assert!(results.iter().all(|result| result == &results[0]), "{seed}");
        match &results[0] {
            Ok(_) => unpacked += 1,
            Err(error) => assert!(error.to_string().contains("wanted")),
        }
    }
    assert!(unpacked < 6000);
}

/// Any bits of the payload of a block stand for something, which is the same for all levels.
#[test]
fn changed_blocks_are_the_same_to_all_levels() {
    let input = noise::<u16>(1100, 5, 30, 3);
    let block = packed::<u16>(Level::best(), &input, None);
    let mut noticed = 0;
    for at in 0..block.len() {
        let mut changed = block.clone();
        changed[at] ^= 1 << (at % 8);
        let results = Level::available().into_iter().map(|level| {
            let mut output = vec![0; input.len()];
            unpack_dense_block::<u16>(level, &changed, None, &mut output).map(|()| output)
        });
        let results: Vec<_> = results.collect();
        assert!(results.iter().all(|result| result == &results[0]), "byte {at}");
        noticed += usize::from(results[0].as_ref() != Ok(&input));
    }
    // A few bits mean nothing: the bits that fill up a stream, and some bits in the descriptor of a stored group.
    assert!(noticed > block.len() * 9 / 10, "{noticed} of {}", block.len());
}

#[test]
fn a_block_cut_anywhere_is_refused() {
    for odd in [30, u64::MAX] {
        let input = noise::<u16>(1100, 5, odd, 3);
        let block = packed::<u16>(Level::best(), &input, None);
        for length in 0..block.len() {
            let mut output = vec![0; input.len()];
            let error = unpack_dense_block::<u16>(Level::best(), &block[..length], None, &mut output);
            assert!(error.is_err(), "{length} of {}", block.len());
        }
        let longer = [&block[..], &[0]].concat();
        let error = unpack_dense_block::<u16>(Level::best(), &longer, None, &mut vec![0; input.len()]);
        assert_eq!(error.unwrap_err().what, "bytes behind the groups");
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let pack = |input: &[u8], reference: Option<&[u8]>, room: usize| {
        let mut scratch = DenseScratch::new();
        pack_dense_block::<u16>(Level::best(), input, reference, &mut scratch, &mut vec![0; room])
    };
    assert!(pack(&[0; 3], None, 100).is_err());
    assert!(pack(&[0; 4], Some(&[0; 2]), 100).is_err());
    assert!(pack(&[0; 4], None, 12).is_err());
    assert!(pack(&[0; 4], None, 13).is_ok());
    assert!(pack(&vec![0; 2 * BLOCK + 2], None, 4 * BLOCK).is_err());
}
