use super::*;
use crate::test_data::numbers;

fn plain(size: usize, input: &[u8]) -> Vec<u8> {
    let count = input.len() / size;
    (0..input.len()).map(|at| input[at % count * size + at / count]).collect()
}

fn check_both(size: usize, input: &[u8]) {
    let expected = plain(size, input);
    for level in Level::available() {
        let (mut output, mut back) = (vec![9; input.len()], vec![9; input.len()]);
        shuffle(level, size, input, &mut output).unwrap();
        assert!(output == expected, "{level:?} {size} {}", input.len());
        unshuffle(level, size, &output, &mut back).unwrap();
        assert!(back == input, "{level:?} {size} {}", input.len());
        let count = input.len() / size;
        let planes: Vec<Vec<u8>> = (0..size).map(|b| output[b * count..][..count].to_vec()).collect();
        let planes: Vec<&[u8]> = planes.iter().map(Vec::as_slice).collect();
        back.fill(9);
        let found = unshuffle_planes(level, &planes, &mut back);
        assert_eq!(found.is_ok(), size <= MOST_PLANES);
        assert!(found.is_err() || back == input, "planes {level:?} {size} {}", input.len());
    }
}

#[test]
fn bytes_go_where_the_definition_says_and_come_back() {
    for size in (1..=17).chain([32, 255]) {
        for count in (0..200).chain([1000]) {
            let input: Vec<u8> =
                numbers(count as u64 + 1).map(|x| (x >> 11) as u8).take(count * size).collect();
            check_both(size, &input);
        }
    }
}

#[test]
fn elements_may_start_anywhere() {
    let input: Vec<u8> = numbers(5).map(|x| (x >> 11) as u8).take(64 + 150 * 16).collect();
    for size in [2, 4, 8, 16] {
        (0..64).for_each(|from| check_both(size, &input[from..from + 150 * size]));
    }
}

#[test]
fn wrong_lengths_are_refused() {
    assert!(shuffle(Level::best(), 0, &[0; 24], &mut [0; 24]).is_err());
    assert!(shuffle(Level::best(), 5, &[0; 24], &mut [0; 24]).is_err());
    assert!(unshuffle(Level::best(), 2, &[0; 16], &mut [0; 8]).is_err());
    assert!(unshuffle_planes(Level::best(), &[], &mut [0; 8]).is_err());
    assert!(unshuffle_planes(Level::best(), &[&[0; 4], &[0; 3]], &mut [0; 8]).is_err());
    assert!(unshuffle_planes(Level::best(), &[&[0; 4], &[0; 4], &[0; 4]], &mut [0; 13]).is_err());
}
