use super::*;
use crate::Level;
use crate::test_data::numbers;

/// Name, bytes of a lane, and the operation on the bits of a lane.
type Operation = (&'static str, usize, fn(u64, u64) -> u64);

/// In the order of [`results`].
const OPERATIONS: [Operation; 24] = [
    ("and", 8, |a, b| a & b),
    ("or", 8, |a, b| a | b),
    ("xor", 8, |a, b| a ^ b),
    ("add8", 1, u64::wrapping_add),
    ("add16", 2, u64::wrapping_add),
    ("add32", 4, u64::wrapping_add),
    ("add64", 8, u64::wrapping_add),
    ("sub8", 1, u64::wrapping_sub),
    ("sub16", 2, u64::wrapping_sub),
    ("sub32", 4, u64::wrapping_sub),
    ("left16", 2, |a, _| a << 3),
    ("left32", 4, |a, _| a << 3),
    ("left64", 8, |a, _| a << 3),
    ("right16", 2, |a, _| a >> 3),
    ("right32", 4, |a, _| a >> 3),
    ("right64", 8, |a, _| a >> 3),
    ("min8", 1, Ord::min),
    ("max8", 1, Ord::max),
    ("min16", 2, Ord::min),
    ("max16", 2, Ord::max),
    ("at_least8", 1, |a, b| if a >= b { a } else { 0 }),
    ("at_least16", 2, |a, b| if a >= b { a } else { 0 }),
    ("even32", 8, |a, _| a & 0xffff_ffff),
    ("odd32", 8, |a, _| a >> 32),
];

#[inline(always)]
fn results<V: Vector>(a: V, b: V) -> [V; 24] {
    [
        a.and(b),
        a.or(b),
        a.xor(b),
        a.add8(b),
        a.add16(b),
        a.add32(b),
        a.add64(b),
        a.sub8(b),
        a.sub16(b),
        a.sub32(b),
        a.left16(3),
        a.left32(3),
        a.left64(3),
        a.right16(3),
        a.right32(3),
        a.right64(3),
        a.min8(b),
        a.max8(b),
        a.min16(b),
        a.max16(b),
        a.at_least8(b),
        a.at_least16(b),
        a.even32(),
        a.odd32(),
    ]
}

/// The results on the first bytes of `a` and `b`, one after the other.
#[inline(always)]
fn bytes_of_results<V: Vector>(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for result in results::<V>(load(a), load(b)) {
        let at = bytes.len();
        bytes.resize(at + size_of::<V>(), 0);
        store(result, &mut bytes[at..]);
    }
    bytes
}

/// 0.25 in each number, the lanes of `a`, and 3·`a` − `b`, added up.
#[inline(always)]
fn sums<V: Vector>(a: &[u8], b: &[u8]) -> Vec<f64> {
    let mut sums = vec![0.25; size_of::<V>() / 4];
    add_to::<V>(load(a), &mut sums);
    add_product_to::<V>(load(a), 3.0, load(b), &mut sums);
    sums
}

fn nothing<T>(_: &[u8], _: &[u8]) -> Vec<T> {
    Vec::new()
}

per_level! {
    fn bytes_of_level(a: &[u8], b: &[u8]) -> Vec<u8> = nothing | bytes_of_results::<Avx2> | bytes_of_results::<Avx512>;
}

per_level! {
    fn sums_of_level(a: &[u8], b: &[u8]) -> Vec<f64> = nothing | sums::<Avx2> | sums::<Avx512>;
}

fn bytes(seed: u64) -> Vec<u8> {
    numbers(seed).map(|x| (x >> 20) as u8).take(4096).collect()
}

/// The little-endian number in these bytes.
fn lane(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[test]
fn every_register_computes_what_plain_integers_do() {
    let (a, b) = (bytes(1), bytes(2));
    for level in Level::available() {
        // Every alignment, with the same values in other lanes.
        for at in 0..1024 {
            let (a, b) = (&a[at..], &b[at..]);
            let found = bytes_of_level(level, a, b);
            let size = found.len() / OPERATIONS.len();
            for (number, (name, width, operation)) in OPERATIONS.into_iter().enumerate() {
                for from in (0..size).step_by(width) {
                    let expected = operation(lane(&a[from..from + width]), lane(&b[from..from + width]));
                    let found = &found[number * size + from..][..width];
                    assert_eq!(found, &expected.to_le_bytes()[..width], "{} {name}", level.name());
                }
            }
        }
    }
}

#[test]
fn lanes_are_added_to_numbers_as_numbers_with_a_sign() {
    let (a, b) = (bytes(3), bytes(4));
    for level in Level::available() {
        for (i, sum) in sums_of_level(level, &a, &b).into_iter().enumerate() {
            let [a, b] = [&a, &b].map(|bytes| f64::from(lane(&bytes[4 * i..4 * i + 4]) as u32 as i32));
            assert_eq!(sum, 0.25 + a + (3.0 * a - b), "{} {i}", level.name());
        }
    }
}
