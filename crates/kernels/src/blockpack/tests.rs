use super::*;
use crate::Level;
use crate::test_data::numbers;

/// Elements with about `bits` bits of noise, one in `odd` anywhere.
pub(super) fn noise<T: Word>(count: usize, bits: u32, odd: u64, seed: u64) -> Vec<u8> {
    let value = |x: u64| match x.is_multiple_of(odd) {
        true => (x >> 20) as i64,
        false => 1200 + (x >> 32) as i64 % (1i64 << bits),
    };
    numbers(seed).take(count).flat_map(|x| value(x).to_le_bytes()[..size_of::<T>()].to_vec()).collect()
}

fn packed<T: Word>(level: Level, input: &[u8], reference: Option<&[u8]>) -> Vec<u8> {
    let mut block = vec![0xaa; block_bound::<T>(input.len() / size_of::<T>())];
    let size = pack_block::<T>(level, input, reference, &mut Scratch::new(), &mut block).unwrap();
    block.truncate(size);
    block
}

pub(super) fn counts() -> impl Iterator<Item = usize> {
    (0..20).chain([511, 512, 513, 1024, 1500, BLOCK - 1, BLOCK])
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
                    assert_eq!(unpack_block::<T>(level, &block, reference, &mut back), Ok(()));
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

/// One lane as the format describes it.
#[test]
fn bits_lie_as_described() {
    let input: Vec<u8> = (0..512u16).flat_map(|i| (998 + i % 5).to_le_bytes()).collect();
    let block = packed::<u16>(Level::best(), &input, None);
    assert_eq!(block[..4], [0, 0, 3, 0]);
    let centre = u16::from_le_bytes([block[4], block[5]]);
    let word = |i: usize| u64::from(u16::from_le_bytes([block[6 + 2 * i], block[7 + 2 * i]]));
    let lane = 5;
    let bits = word(lane) | word(lane + 32) << 16 | word(lane + 64) << 32;
    for i in 0..16 {
        let e = 998 + ((i * 32 + lane) % 5) as i32 - i32::from(centre);
        assert_eq!((bits >> (3 * i)) & 7, (e + 4) as u64);
    }
    assert_eq!(block.len(), 2 + 4 + 3 * 64);
}

#[test]
fn any_bytes_are_unpacked_or_refused() {
    for seed in 0..3000 {
        let mut random = numbers(seed + 1);
        let length = random.next().unwrap() as usize % 3000;
        let mut block: Vec<u8> = random.take(length).map(|x| (x >> 9) as u8).collect();
        // Few escapes, widths that exist, and few exceptions.
        block.iter_mut().take(2).for_each(|byte| *byte %= 4);
        for descriptor in block.get_mut(2..).unwrap_or_default().chunks_exact_mut(4).take(3) {
            descriptor[0] %= 18;
            descriptor[1] %= 40;
        }
        for level in [Level::PORTABLE, Level::best()] {
            if let Err(error) = unpack_block::<u16>(level, &block, None, &mut [0; 2 * 1100]) {
                assert!(error.to_string().contains("wanted"));
            }
        }
    }
}

#[test]
fn a_block_cut_anywhere_is_refused() {
    let input = noise::<u16>(1100, 5, 30, 3);
    let block = packed::<u16>(Level::best(), &input, None);
    for length in 0..block.len() {
        let error = unpack_block::<u16>(Level::best(), &block[..length], None, &mut vec![0; input.len()]);
        assert!(error.is_err(), "{length} of {}", block.len());
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let pack = |input: &[u8], reference: Option<&[u8]>, room: usize| {
        pack_block::<u16>(Level::best(), input, reference, &mut Scratch::new(), &mut vec![0; room])
    };
    assert!(pack(&[0; 3], None, 100).is_err());
    assert!(pack(&[0; 4], Some(&[0; 2]), 100).is_err());
    assert!(pack(&[0; 4], None, 9).is_err());
    assert!(pack(&[0; 4], None, 10).is_ok());
    assert!(pack(&vec![0; 2 * BLOCK + 2], None, 4 * BLOCK).is_err());
}
