//! Arrays of LCLS-II: all types, several segments, real files.

use std::path::{Path, PathBuf};

use livetime_frame::{DType, with_dtype};
use livetime_kernels::Pixel as _;

use super::*;

/// Types in the order of their numbers in the format.
pub(crate) const TYPES: [DType; 10] = [
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F32,
    DType::F64,
];

fn xtc(src: u32, kind: u16, payload: &[u8]) -> Vec<u8> {
    let extent = (12 + payload.len() as u32).to_le_bytes();
    [&src.to_le_bytes()[..], &[0, 0], &kind.to_le_bytes(), &extent, payload].concat()
}

fn name(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(256, 0);
    bytes
}

/// Describes the picture `raw` of a segment of the detector `area`.
pub(crate) fn names(segment: u32, dtype: DType) -> Vec<u8> {
    names_of(segment, dtype, 2)
}

/// The same with so many axes.
pub(crate) fn names_of(segment: u32, dtype: DType, rank: u32) -> Vec<u8> {
    let number = TYPES.iter().position(|t| *t == dtype).unwrap() as u32;
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let payload = [
        words(&[1]),
        name("type"),
        name("area"),
        name("0"),
        name("raw"),
        words(&[0, segment]),
        name(""),
        words(&[0]),
        name("raw"),
        words(&[number, rank]),
    ];
    xtc(0x100 + segment, 4, &payload.concat())
}

pub(crate) fn datagram(transition: u32, seconds: u32, payload: &[u8]) -> Vec<u8> {
    let header = [0, seconds, transition << 24].map(u32::to_le_bytes).concat();
    [header, xtc(0, 0, payload)].concat()
}

pub(crate) fn record(segment: u32, rows: u32, columns: u32, pixels: &[u8]) -> Vec<u8> {
    record_of(segment, [rows, columns, 0, 0, 0], pixels)
}

pub(crate) fn record_of(segment: u32, shape: [u32; 5], pixels: &[u8]) -> Vec<u8> {
    let shape = shape.map(u32::to_le_bytes).concat();
    xtc(0x100 + segment, 1, &[xtc(0, 2, &shape), xtc(0, 3, pixels)].concat())
}

pub(crate) fn pixels(dtype: DType, count: usize, seed: u64) -> Vec<u8> {
    let value = |n: u64| if dtype.is_float() { n as f64 / 1e17 - 300.0 } else { (n % 101) as f64 - 50.0 };
    let values = numbers(seed).take(count).map(value);
    with_dtype!(dtype, T => values.flat_map(|v| T::from_f64(v).to_le_bytes()).collect())
}

pub(crate) fn analyzed(path: &Path, detector: &str, workers: usize) -> Found {
    let recording = Recording::open(&[path]).unwrap();
    let detector = livetime_analysis::detector(&recording, Some(detector)).unwrap();
    let options = options(workers);
    analyze(&recording, &detector, &options, &all(), &mut |_| GoOn::Yes).unwrap()
}

#[test]
fn all_types_agree_with_plain_loops_for_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    let (rows, columns, events) = (50, 103, 40);
    for dtype in TYPES {
        let mut file = datagram(2, 1, &[names(0, dtype), names(1, dtype)].concat());
        let mut frames = vec![Vec::new(); 2];
        for event in 0..events {
            let panels: Vec<Vec<u8>> =
                (0..2u64).map(|s| pixels(dtype, (rows * columns) as usize, event * 2 + s + 1)).collect();
            let records: Vec<Vec<u8>> =
                (0..).zip(&panels).map(|(segment, p)| record(segment, rows, columns, p)).collect();
            file.extend(datagram(12, 2 + event as u32, &records.concat()));
            frames.iter_mut().zip(&panels).for_each(|(all, p)| all.push(values_of(dtype, p)));
        }
        std::fs::write(&path, &file).unwrap();
        let one = analyzed(&path, "area", 1);
        assert_eq!((one.account.used, one.account.lost()), (events, 0), "{dtype}");
        [2, 3, 7].into_iter().for_each(|workers| assert_same_bits(&one, &analyzed(&path, "area", workers)));

        let found = ["mean", "std", "min", "max", "sum"].map(|name| array(&one, name));
        assert!(found.iter().all(|a| a.shape() == [2, rows as usize, columns as usize]), "{dtype}");
        let found = found.map(Array::values);
        for (panel, frames) in frames.iter().enumerate() {
            for pixel in (0..(rows * columns) as usize).step_by(7) {
                let (mean, deviation, lowest, highest) = plain(frames, pixel);
                let at = panel * (rows * columns) as usize + pixel;
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * (1.0 + b.abs());
                assert!(near(found[0][at], mean), "{dtype} {} {mean}", found[0][at]);
                assert!(near(found[1][at], deviation), "{dtype} {} {deviation}", found[1][at]);
                assert_eq!((found[2][at], found[3][at]), (lowest, highest), "{dtype}");
                assert!(near(found[4][at], mean * events as f64), "{dtype}");
            }
        }
    }
}

#[test]
fn nan_stays_in_its_pixel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    let nan = f32::NAN;
    let events = [[1.0f32, nan, nan, 2.0], [3.0, 5.0, nan, f32::INFINITY]];
    let mut file = datagram(2, 1, &names(0, DType::F32));
    for (event, values) in events.iter().enumerate() {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        file.extend(datagram(12, 2 + event as u32, &record(0, 2, 2, &bytes)));
    }
    std::fs::write(&path, &file).unwrap();
    let found = analyzed(&path, "area.raw", 2);
    let [mean, std, min, max] = ["mean", "std", "min", "max"].map(|name| array(&found, name).values());
    assert_eq!((mean[0], std[0], min[0], max[0]), (2.0, 1.0, 1.0, 3.0));
    assert!(mean[1].is_nan() && std[1].is_nan() && mean[2].is_nan() && std[3].is_nan());
    assert_eq!((min[1], max[1], mean[3], min[3], max[3]), (5.0, 5.0, f64::INFINITY, 2.0, f64::INFINITY));
    assert!(min[2].is_nan() && max[2].is_nan());
    // Three values are no numbers; the infinite one is above the range, which the finite values of the first event
    // give.
    assert_eq!(column(&found, "histogram", "count").iter().sum::<f64>(), 2.0);
    let number = |name: &str| match found.results.iter().find(|r| r.name == name).map(|r| &r.value) {
        Some(Value::Number(number)) => *number,
        other => panic!("{other:?}"),
    };
    assert_eq!((number("histogram-nan"), number("histogram-above")), (3.0, 3.0));
}

#[test]
fn a_panel_that_is_missing_has_fewer_events() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    let mut file = datagram(2, 1, &[names(0, DType::U16), names(1, DType::U16)].concat());
    for event in 0..6u32 {
        let pixel = |add: u16| (10 * event as u16 + add).to_le_bytes();
        let mut records = record(0, 1, 1, &pixel(0));
        if event % 2 == 0 {
            records.extend(record(1, 1, 1, &pixel(5)));
        }
        file.extend(datagram(12, 2 + event, &records));
    }
    std::fs::write(&path, &file).unwrap();
    let found = analyzed(&path, "area", 3);
    assert_eq!((found.account.used, found.account.incomplete, found.account.lost()), (6, 3, 0));
    assert_eq!(array(&found, "mean").values(), [25.0, 25.0]);
    assert_eq!(array(&found, "max").values(), [50.0, 45.0]);
    assert_same_bits(&found, &analyzed(&path, "area", 1));
}

/// A sample, unpacked into `folder`.
pub(crate) fn sample(folder: &Path, name: &str) -> Option<PathBuf> {
    let packed = data(&format!("xtc2/lcls2/{name}.zst"))?;
    let path = folder.join(name);
    std::fs::write(&path, zstd::decode_all(&packed[..]).unwrap()).unwrap();
    Some(path)
}

#[test]
fn real_detectors_have_the_panels_and_events_of_their_description() {
    let folder = tempfile::tempdir().unwrap();
    for (name, detector, shape) in [
        ("test_epix_calib.xtc2", "epixquad.raw.raw", &[4, 352, 384][..]),
        ("test_jungfrau05M_calib.xtc2", "jungfrau", &[1, 512, 1024]),
        ("dgramedit-test.xtc2", "hsd.raw.eventHeader", &[0]),
    ] {
        let Some(path) = sample(folder.path(), name) else { return };
        let found = analyzed(&path, detector, 2);
        assert_eq!(found.account.lost(), 0, "{name}: {:?}", found.account.named);
        let mean = array(&found, "mean");
        if shape.len() > 1 {
            assert_eq!((found.account.used, mean.shape()), (2, shape), "{name}");
            // Both events lie between the extremes, and the mean between them.
            let [min, max] = ["min", "max"].map(|name| array(&found, name).values());
            let halfway = |((m, low), high): ((f64, f64), f64)| m == (low + high) / 2.0;
            assert!(mean.values().into_iter().zip(min).zip(max).all(halfway), "{name}");
        } else {
            assert_eq!(found.account.used, 10, "{name}");
        }
        assert_same_bits(&found, &analyzed(&path, detector, 7));
    }
}

#[test]
fn waveforms_of_a_real_digitiser_have_many_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = sample(folder.path(), "dgramedit-test.xtc2") else { return };
    let found = analyzed(&path, "hsd.raw.chan00", 2);
    assert_eq!((found.account.used, found.account.lost()), (10, 0), "{:?}", found.account.named);
    assert_eq!(found.account.lengths(0), Some(&(261_648..=261_912)));
    let n = array(&found, "n").values();
    assert_eq!((n.len(), n[0], n[261_647], n[261_648], n[261_911]), (261_912, 10.0, 10.0, 5.0, 1.0));
    assert_eq!(n.iter().sum::<f64>(), found.account.raw_bytes as f64);
    assert_same_bits(&found, &analyzed(&path, "hsd.raw.chan00", 7));
}

#[test]
fn a_damaged_segment_leaves_the_others_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    let of = |segment: u32, value: u8, damage: u8| {
        let mut record = record(segment, 4, 5, &[value; 20]);
        record[4] = damage;
        record
    };
    let mut dropped = datagram(12, 6, &[]);
    // The damage of the root, behind time, env and src.
    dropped[16] = 1 << 4;
    let file = [
        datagram(2, 1, &[names(0, DType::U8), names(1, DType::U8)].concat()),
        datagram(12, 2, &[of(0, 10, 0), of(1, 30, 0)].concat()),
        datagram(12, 3, &[of(0, 20, 0), of(1, 200, 1 << 3)].concat()),
        datagram(12, 4, &[of(0, 200, 1 << 3), of(0, 30, 0), of(1, 50, 0)].concat()),
        datagram(12, 5, &[of(0, 200, 1 << 3), of(1, 200, 1 << 3)].concat()),
        dropped,
    ];
    std::fs::write(&path, file.concat()).unwrap();
    let found = analyzed(&path, "area", 2);
    let why: Vec<&str> = found.account.named.iter().map(|b| &*b.fault.why).collect();
    assert_eq!((found.account.used, found.account.incomplete, found.account.lost()), (3, 1, 2), "{why:?}");
    assert!(
        why[0].ends_with("with damage: corrupted") && why[1].ends_with("damage: dropped contribution"),
        "{why:?}"
    );
    let mean = array(&found, "mean").values();
    assert_eq!((mean[0], mean[20]), (20.0, 40.0));
}
