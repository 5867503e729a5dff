//! Every level against a plain definition, pixel by pixel.

use super::super::tests::{mode, plain, random};
use super::super::{Constants, Group};
use super::*;

/// A picture, and constants of some pixels before and behind it, as of other panels.
struct Case {
    bits: GainBits,
    words: Vec<u16>,
    pedestal: Vec<f32>,
    gain: Vec<f32>,
    stride: usize,
    good: Vec<f32>,
}

impl Case {
    /// `mostly` of all pixels are in stage 0, the others anywhere.
    fn new(bits: &str, count: usize, mostly: f64) -> Case {
        let bits: GainBits = bits.parse().unwrap();
        let stride = count + 5;
        let words = random(count, 1).zip(random(count, 2));
        let words =
            words.map(|(v, of)| (v * 65536.0) as u16 & if of < mostly { bits.value(0xFFFF) } else { 0xFFFF });
        let constants =
            |seed, least: f64| random(bits.stages() * stride, seed).map(move |v| (least + v * 900.0) as f32);
        Case {
            words: words.collect(),
            pedestal: constants(3, 0.0).collect(),
            gain: constants(4, -100.0).collect(),
            stride,
            good: random(count, 5).map(|v| f32::from(u8::from(v > 0.1))).collect(),
            bits,
        }
    }

    fn staged(&self) -> Staged<'_> {
        let Case { bits, pedestal, gain, stride, good, .. } = self;
        Staged { bits, pedestal, gain, stride: *stride, good }
    }
}

/// The results by definition: the corrected pixels, and the number of good ones that are in no stage.
fn judge(
    words: &[u16],
    shape: (usize, usize),
    constants: &Staged<'_>,
    modes: &[CommonMode],
) -> (Vec<f32>, u64) {
    let stages: Vec<Option<usize>> = words.iter().map(|word| constants.bits.stage(*word)).collect();
    let values: Vec<f64> = words.iter().map(|word| f64::from(constants.bits.value(*word))).collect();
    let of = |list: &[f32], none: f32| -> Vec<f32> {
        let one = |(at, stage): (usize, &Option<usize>)| {
            stage.and_then(|stage| list.get(stage * constants.stride + at)).copied().unwrap_or(none)
        };
        stages.iter().enumerate().map(one).collect()
    };
    let (pedestal, gain) = (of(constants.pedestal, 0.0), of(constants.gain, 1.0));
    let is_good = |at: usize| constants.good.get(at).is_none_or(|good| *good != 0.0);
    let only = |wanted: &dyn Fn(usize) -> bool| -> Vec<f32> {
        (0..words.len()).map(|at| f32::from(u8::from(wanted(at)))).collect()
    };
    let with = |good: &[f32], modes: &[CommonMode]| {
        plain(&values, shape, &Constants { pedestal: &pedestal, gain: &gain, good }, modes)
    };
    // Pixels of stage 0 know nothing of the others.
    let first = with(&only(&|at| is_good(at) && stages[at] == Some(0)), modes);
    let others = with(&only(&|at| is_good(at) && stages[at].is_some()), &[]);
    let out = (0..words.len()).map(|at| if stages[at] == Some(0) { first[at] } else { others[at] });
    (out.collect(), (0..words.len()).filter(|at| is_good(*at) && stages[*at].is_none()).count() as u64)
}

fn bits(all: &[f32]) -> Vec<u32> {
    all.iter().map(|v| v.to_bits()).collect()
}

/// At any address: the picture begins `shift` bytes into memory.
fn compare(words: &[u16], shape: (usize, usize), constants: &Staged<'_>, modes: &[CommonMode], shift: usize) {
    let (wanted, wanted_unknown) = judge(words, shape, constants, modes);
    let bytes: Vec<u8> =
        [0; 8][..shift].iter().copied().chain(words.iter().flat_map(|w| w.to_le_bytes())).collect();
    for level in Level::available() {
        let mut out = vec![f32::NAN; words.len()];
        let mut scratch = Scratch::default();
        let unknown =
            calibrate_staged(level, &bytes[shift..], shape, constants, modes, &mut scratch, &mut out)
                .unwrap();
        assert_eq!(bits(&out), bits(&wanted), "{level:?} {shape:?} {} {modes:?}", constants.bits);
        assert_eq!(unknown, wanted_unknown, "{level:?} {shape:?} {}", constants.bits);
    }
}

#[test]
fn every_length_and_address_is_what_is_defined() {
    for (text, mostly) in
        [("jungfrau", 0.0), ("jungfrau", 0.9), ("14:1", 0.5), ("13:3=6,1", 0.5), ("10:4", 0.0)]
    {
        for count in (0..70).chain([127, 128, 129]) {
            let case = Case::new(text, count, mostly);
            for shift in 0..=4 {
                compare(&case.words, (1, count), &case.staged(), &[], shift);
            }
        }
    }
}

#[test]
fn lists_may_be_empty() {
    let case = Case::new("jungfrau", 75, 0.5);
    let none: &[f32] = &[];
    for choice in 0..8 {
        let pick = |bit: u32, list| if choice >> bit & 1 == 1 { list } else { none };
        let Staged { bits, pedestal, gain, stride, good } = case.staged();
        let constants =
            Staged { bits, pedestal: pick(0, pedestal), gain: pick(1, gain), stride, good: pick(2, good) };
        compare(&case.words, (5, 15), &constants, &[], 1);
        compare(&case.words, (5, 15), &constants, &[mode(Group::Row)], 0);
    }
}

#[test]
fn common_modes_are_of_stage_0() {
    let limited = CommonMode { most: 200.0, ..mode(Group::BankRow(3)) };
    for (planes, (rows, columns)) in
        [1, 3].into_iter().flat_map(|n| [(1, 33), (7, 13), (5, 50)].map(|shape| (n, shape)))
    {
        for modes in [vec![mode(Group::Panel)], vec![mode(Group::Row), mode(Group::Column)], vec![limited]] {
            let case = Case::new("jungfrau", planes * rows * columns, 0.7);
            compare(&case.words, (rows, columns), &case.staged(), &modes, 1);
        }
    }
}

#[test]
fn stages_that_only_some_pixels_are_in_are_read() {
    let case = Case::new("jungfrau", 9001, 0.98);
    compare(&case.words, (1, case.words.len()), &case.staged(), &[], 1);
}

/// Memory of a larger picture does not get into a smaller one.
#[test]
fn memory_is_used_again() {
    let mut scratch = Scratch::default();
    for count in [60, 20, 40] {
        let case = Case::new("jungfrau", count, 0.7);
        let bytes: Vec<u8> = case.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let (mut out, modes) = (vec![f32::NAN; count], [mode(Group::Row)]);
        calibrate_staged(
            Level::best(),
            &bytes,
            (2, count / 2),
            &case.staged(),
            &modes,
            &mut scratch,
            &mut out,
        )
        .unwrap();
        assert_eq!(bits(&out), bits(&judge(&case.words, (2, count / 2), &case.staged(), &modes).0));
    }
}

#[test]
fn lengths_are_checked() {
    let case = Case::new("jungfrau", 6, 0.5);
    let refused = |bytes: usize, constants: Staged<'_>| {
        let mut out = [0.0; 6];
        calibrate_staged(
            Level::best(),
            &vec![0; bytes],
            (2, 3),
            &constants,
            &[],
            &mut Scratch::default(),
            &mut out,
        )
        .map_err(|e| e.to_string())
    };
    let all = case.staged();
    assert_eq!(refused(12, all), Ok(0));
    assert_eq!(refused(11, all).unwrap_err(), "bytes has 11 elements instead of 12");
    assert_eq!(
        refused(12, Staged { good: &[1.0; 5], ..all }).unwrap_err(),
        "good has 5 elements instead of 6"
    );
    let short = Staged { pedestal: &all.pedestal[..27], ..all };
    assert_eq!(refused(12, short).unwrap_err(), "pedestal has 27 elements instead of 28");
    assert!(refused(12, Staged { gain: &[1.0; 18], stride: usize::MAX, ..all }).is_err());
}

#[test]
fn texts_are_read_and_written() {
    for (text, wanted) in [
        ("jungfrau", "14:2=0,1,3"),
        ("14:2", "14:2=0,1,2,3"),
        ("14:1", "14:1=0,1"),
        ("12:4=15", "12:4=15"),
        (" 13 : 3=4, 1 ", "13:3=4,1"),
    ] {
        let bits: GainBits = text.parse().unwrap();
        assert_eq!(bits.to_string(), wanted);
        assert_eq!(wanted.parse::<GainBits>().unwrap(), bits);
    }
    for text in [
        "", "14", "14:", "14:0", "15:2", "16:1", "0:1", "-1:1", "11:5", "14:2=", "14:2=0,4", "14:2=1,1",
        "14:2=0;1", "Jungfrau",
    ] {
        let error = text.parse::<GainBits>().unwrap_err().to_string();
        assert!(
            error.starts_with("wanted gain bits as 14:2") && error.ends_with(&format!("`{text}`")),
            "{error}"
        );
    }
}
