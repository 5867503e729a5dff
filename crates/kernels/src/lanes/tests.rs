use super::*;
use crate::Level;
use crate::test_data::numbers;

/// Differences of such fit 16 bits.
#[inline(always)]
fn half<L: Lanes>(x: L) -> L {
    x.shift_right(1)
}

/// Every operation on `a` and `b`, one row each.
#[inline(always)]
fn all<L: Lanes>(a: &[i16], b: &[i16]) -> Vec<i16> {
    let mut rows = Vec::new();
    for at in (0..a.len()).step_by(L::COUNT) {
        let (x, y) = (L::load(&a[at..]), L::load(&b[at..]));
        let (more, same) = (x.greater(y), x.equal(y));
        let results = [
            x.add(y),
            x.sub(y),
            x.add_saturating(y),
            x.add_saturating_unsigned(y),
            x.min(y),
            x.max(y),
            x.abs(),
            x.shift_right(6),
            x.mul_low(y),
            x.mul_high(y),
            x.mul_rounded(y),
            x.select(more, y),
            x.toward(half(x), half(y), L::one()),
            x.toward_where(half(x), half(y), L::one(), more),
            x.count(more, L::one()),
            x.only(x.less_unsigned(y)),
            x.only(more | same),
            x.only(more & !same & more),
        ];
        rows.resize(a.len() * (results.len() + 2), 0);
        for (i, result) in results.iter().enumerate() {
            result.store(&mut rows[i * a.len() + at..]);
        }
        for lane in 0..L::COUNT {
            rows[results.len() * a.len() + at + lane] = (L::bits(more) >> lane & 1) as i16;
            rows[(results.len() + 1) * a.len() + at + lane] = i16::from(L::any(same) || L::any(L::NONE));
        }
    }
    rows
}

per_level! {
    fn all_of_level(a: &[i16], b: &[i16]) -> Vec<i16> = all::<Portable> | all::<Avx2> | all::<Avx512>;
}

/// The same in plain integers; the last row depends on the number of lanes and is left out.
fn plain(a: i16, b: i16) -> [i16; 19] {
    let product = i32::from(a) * i32::from(b);
    let toward = ((a >> 1) - (b >> 1)).signum();
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.saturating_add(b),
        (a as u16).saturating_add(b as u16) as i16,
        a.min(b),
        a.max(b),
        a.wrapping_abs(),
        a >> 6,
        product as i16,
        (product >> 16) as i16,
        ((product + 0x4000) >> 15) as i16,
        if a > b { a } else { b },
        a.wrapping_add(toward),
        if a > b { a.wrapping_add(toward) } else { a },
        a.wrapping_add(i16::from(a > b)),
        if (a as u16) < b as u16 { a } else { 0 },
        if a >= b { a } else { 0 },
        if a > b { a } else { 0 },
        i16::from(a > b),
    ]
}

#[test]
fn every_level_computes_what_plain_integers_do() {
    let odd = [i16::MIN, i16::MAX, 0, -1, 1, 511, -512];
    let value = |x: u64| if x.is_multiple_of(4) { odd[(x >> 8) as usize % 7] } else { (x >> 20) as i16 };
    let a: Vec<i16> = numbers(1).map(value).take(1024).collect();
    // In every fifth lane both are equal, for the comparisons.
    let b: Vec<i16> = numbers(2)
        .enumerate()
        .map(|(i, x)| if i % 5 == 0 { a[i % 1024] } else { value(x) })
        .take(1024)
        .collect();
    for level in Level::available() {
        let rows = all_of_level(level, &a, &b);
        for i in 0..a.len() {
            for (row, expected) in plain(a[i], b[i]).into_iter().enumerate() {
                assert_eq!(
                    rows[row * a.len() + i],
                    expected,
                    "{} row {row}: {} {}",
                    level.name(),
                    a[i],
                    b[i]
                );
            }
        }
        let any = &rows[19 * a.len()..];
        assert!((0..a.len()).all(|i| a[i] != b[i] || any[i] == 1), "{}", level.name());
    }
}
