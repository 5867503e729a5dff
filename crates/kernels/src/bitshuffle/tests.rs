use super::*;
use crate::test_data::numbers;

fn plain(size: usize, input: &[u8]) -> Vec<u8> {
    let count = input.len() / size;
    let mut output = vec![0; input.len()];
    for i in 0..count {
        for bit in 0..8 * size {
            let value = input[i * size + bit / 8] >> (bit % 8) & 1;
            output[bit * count / 8 + i / 8] |= value << (i % 8);
        }
    }
    output
}

#[test]
fn bits_go_where_the_definition_says_and_come_back() {
    for size in [1, 2, 4, 8] {
        for eights in (0..20).chain([63, 64, 65, 100]) {
            let input: Vec<u8> =
                numbers(eights as u64 + 1).map(|x| (x >> 11) as u8).take(8 * eights * size).collect();
            let expected = plain(size, &input);
            for level in Level::available() {
                let (mut output, mut back) = (vec![9; input.len()], vec![9; input.len()]);
                shuffle(level, size, &input, &mut output).unwrap();
                assert_eq!(output, expected, "{level:?} {size} {eights}");
                unshuffle(level, size, &output, &mut back).unwrap();
                assert_eq!(back, input, "{level:?} {size} {eights}");
            }
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    assert!(shuffle(Level::best(), 3, &[0; 24], &mut [0; 24]).is_err());
    assert!(shuffle(Level::best(), 2, &[0; 24], &mut [0; 24]).is_err());
    assert!(unshuffle(Level::best(), 2, &[0; 16], &mut [0; 8]).is_err());
}
