//! Every level against a plain definition.

use super::*;

trait Bytes {
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! bytes {
    ($($t:ty)*) => {$(impl Bytes for $t { fn bytes(&self) -> Vec<u8> { self.to_le_bytes().into() } })*};
}
bytes!(u16 i32 f32);

/// Numbers that look like the pixels of a detector.
pub(super) fn random(count: usize, seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    (0..count).map(move |_| {
        // Knuth's linear congruential generator: the same numbers in each run.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    })
}

fn plain_median(values: &[f32]) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// Pixel by pixel.
pub(super) fn plain(
    raw: &[f64],
    (rows, columns): (usize, usize),
    constants: &Constants<'_>,
    modes: &[CommonMode],
) -> Vec<f32> {
    let of = |list: &[f32], at: usize, otherwise: f32| list.get(at).copied().unwrap_or(otherwise);
    let good = |at: usize| of(constants.good, at, 1.0) != 0.0;
    let mut out: Vec<f32> = raw.iter().map(|v| *v as f32).collect();
    for (at, v) in out.iter_mut().enumerate() {
        *v = if good(at) { *v - of(constants.pedestal, at, 0.0) } else { 0.0 };
    }
    for mode in modes {
        let group = |at: usize| {
            let (plane, row, column) = (at / (rows * columns), at / columns % rows, at % columns);
            let bank = |count: usize| (column / (columns / count.min(columns))).min(count.min(columns) - 1);
            match mode.group {
                Group::Panel => (plane, 0, 0),
                Group::Row => (plane, row, 0),
                Group::Column => (plane, 0, column),
                Group::Bank(count) => (plane, 0, bank(count)),
                Group::BankRow(count) => (plane, row, bank(count)),
            }
        };
        let before = out.clone();
        for at in (0..out.len()).filter(|at| good(*at)) {
            let same = (0..out.len()).filter(|other| group(*other) == group(at) && good(*other));
            let values: Vec<f32> = same.map(|other| before[other]).collect();
            let median = plain_median(&values);
            // Only groups of a masked detector can be too small.
            let is_enough = constants.good.is_empty() || values.len() >= mode.least_pixels;
            if is_enough && median.abs() <= mode.most {
                out[at] = before[at] - median;
            }
        }
    }
    out.iter().enumerate().map(|(at, v)| v * of(constants.gain, at, 1.0)).collect()
}

pub(super) fn mode(group: Group) -> CommonMode {
    CommonMode { group, most: f32::INFINITY, least_pixels: 3 }
}

fn compare<T: Element + Bytes>(make: impl Fn(f64) -> T) {
    let shapes = [(1, 1), (1, 33), (3, 16), (7, 13), (5, 50)];
    let modes = [
        vec![],
        vec![mode(Group::Row)],
        vec![mode(Group::Column)],
        vec![mode(Group::Panel)],
        vec![mode(Group::Bank(4)), mode(Group::Row), mode(Group::Column)],
        vec![CommonMode { most: 15.0, ..mode(Group::BankRow(3)) }],
    ];
    for (planes, (rows, columns)) in [1, 3].into_iter().flat_map(|n| shapes.map(|shape| (n, shape))) {
        let count = planes * rows * columns;
        let raw: Vec<T> = random(count, 7).map(|v| make(v * 100.0)).collect();
        let bytes: Vec<u8> = raw.iter().flat_map(|v| v.bytes()).collect();
        let values: Vec<f64> = raw.iter().map(|v| v.to_f64()).collect();
        let pedestal: Vec<f32> = random(count, 8).map(|v| (v * 50.0) as f32).collect();
        let gain: Vec<f32> = random(count, 9).map(|v| 0.5 + v as f32).collect();
        let good: Vec<f32> = random(count, 10).map(|v| f32::from(u8::from(v > 0.2))).collect();
        for (constants, modes) in [
            Constants::default(),
            Constants { pedestal: &pedestal, ..Constants::default() },
            Constants { pedestal: &pedestal, gain: &gain, good: &good },
            Constants { good: &good, ..Constants::default() },
        ]
        .into_iter()
        .flat_map(|constants| modes.iter().map(move |modes| (constants, modes)))
        {
            let wanted = plain(&values, (rows, columns), &constants, modes);
            for level in Level::available() {
                let mut out = vec![f32::NAN; count];
                let mut scratch = Scratch::default();
                // At an odd address, as in a file.
                let shifted = [&[0u8][..], &bytes].concat();
                let shape = (rows, columns);
                calibrate::<T>(level, &shifted[1..], shape, &constants, modes, &mut scratch, &mut out)
                    .unwrap();
                // By bits, so that zeros must have the same sign.
                let bits = |all: &[f32]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&out), bits(&wanted), "{level:?} {rows} {columns} {modes:?}");
            }
        }
    }
}

#[test]
fn every_level_does_what_is_defined() {
    compare::<u16>(|v| v as u16);
    compare::<i32>(|v| v as i32 - 50);
    compare::<f32>(|v| v as f32);
}

#[test]
fn bad_pixels_may_be_nan_and_infinite() {
    let bytes: Vec<u8> = [f32::NAN, 1.0, f32::INFINITY, 3.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let constants = Constants { good: &[0.0, 1.0, 0.0, 1.0], gain: &[2.0; 4], ..Constants::default() };
    for level in Level::available() {
        let mut out = [9.0; 4];
        let modes = [CommonMode { least_pixels: 1, ..mode(Group::Row) }];
        calibrate::<f32>(level, &bytes, (1, 4), &constants, &modes, &mut Scratch::default(), &mut out)
            .unwrap();
        assert_eq!(out, [0.0, -2.0, 0.0, 2.0]);
    }
}

#[test]
fn lengths_are_checked() {
    let mut out = [0.0; 4];
    let constants = Constants { gain: &[1.0; 3], ..Constants::default() };
    let call = |bytes: &[u8], constants, out: &mut [f32]| {
        calibrate::<u16>(Level::best(), bytes, (2, 2), constants, &[], &mut Scratch::default(), out)
    };
    assert_eq!(call(&[0; 8], &constants, &mut out).unwrap_err().what, "gain");
    assert_eq!(call(&[0; 7], &Constants::default(), &mut out).unwrap_err().what, "bytes");
}

#[test]
fn texts_are_read_and_written() {
    for text in ["row", "column,most=50", "panel,least=3", "bank=8,most=0.5,least=100", "bank-row=2"] {
        assert_eq!(text.parse::<CommonMode>().unwrap().to_string(), text);
    }
    for text in
        ["", "rows", "bank", "bank=0", "bank=99999", "row,most=-1", "row,most=nan", "row,least=x", "row,x=1"]
    {
        assert!(text.parse::<CommonMode>().is_err(), "{text}");
    }
}

#[test]
fn long_pictures_go_through_in_pieces() {
    let count = 2 * CHUNK + 77;
    let raw: Vec<u16> = random(count, 7).map(|v| (v * 9000.0) as u16).collect();
    let bytes: Vec<u8> = raw.iter().flat_map(|v| v.to_le_bytes()).collect();
    let values: Vec<f64> = raw.iter().map(|v| f64::from(*v)).collect();
    let [pedestal, gain] = [8, 9].map(|seed| random(count, seed).map(|v| v as f32).collect::<Vec<f32>>());
    let good: Vec<f32> = random(count, 10).map(|v| f32::from(u8::from(v > 0.2))).collect();
    let constants = Constants { pedestal: &pedestal, gain: &gain, good: &good };
    for level in Level::available() {
        let mut out = vec![f32::NAN; count];
        calibrate::<u16>(level, &bytes, (1, count), &constants, &[], &mut Scratch::default(), &mut out)
            .unwrap();
        assert_eq!(out, plain(&values, (1, count), &constants, &[]), "{level:?}");
    }
}
