//! Arrays with one axis have another length in each event.

use std::path::Path;

use livetime_frame::DType;

use super::lcls2::{TYPES, analyzed, datagram, names_of, pixels, record_of};
use super::*;

/// A run whose events have one or two segments with so many samples; returns the values by segment and event.
fn write_waveforms(path: &Path, dtype: DType, lengths: &[[Option<usize>; 2]]) -> [Vec<Vec<f64>>; 2] {
    let mut file = datagram(2, 1, &[names_of(0, dtype, 1), names_of(1, dtype, 1)].concat());
    let mut values = [Vec::new(), Vec::new()];
    for (event, lengths) in lengths.iter().enumerate() {
        let mut records = Vec::new();
        for (segment, length) in lengths.iter().enumerate() {
            let Some(length) = length else { continue };
            let bytes = pixels(dtype, *length, 2 * event as u64 + segment as u64 + 1);
            records.extend(record_of(segment as u32, [*length as u32, 0, 0, 0, 0], &bytes));
            values[segment].push(values_of(dtype, &bytes));
        }
        file.extend(datagram(12, 2 + event as u32, &records));
    }
    std::fs::write(path, file).unwrap();
    values
}

fn number(found: &Found, name: &str) -> f64 {
    match found.results.iter().find(|r| r.name == name).map(|r| &r.value) {
        Some(Value::Number(number)) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + b.abs())
}

#[test]
fn shorter_events_contribute_to_the_first_samples() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    // Short, long, empty; several blocks, and blocks that are longer than all before.
    let length = |n: u64| [0, 1, 77, 4000, 63, 20_000 + n as usize % 999][n as usize % 6];
    let mut lengths: Vec<[Option<usize>; 2]> =
        numbers(5).take(60).map(|n| [Some(length(n)), (n % 7 > 0).then_some(length(n / 6))]).collect();
    lengths[0] = [Some(0), Some(3)];
    lengths[59] = [Some(31_000), None];
    for dtype in TYPES {
        let values = write_waveforms(&path, dtype, &lengths);
        let one = analyzed(&path, "area", 1);
        assert_eq!((one.account.used, one.account.lost()), (60, 0), "{dtype}: {:?}", one.account.named);
        [2, 3, 7].into_iter().for_each(|workers| assert_same_bits(&one, &analyzed(&path, "area", workers)));

        for (segment, events) in values.iter().enumerate() {
            let longest = events.iter().map(Vec::len).max().unwrap();
            assert_eq!(*one.account.lengths(segment).unwrap().end(), longest);
            // The segments differ in their longest waveforms, so that each has files of its own.
            let found = ["n", "mean", "std", "min", "max", "sum", "hits"]
                .map(|name| array(&one, &format!("{name}-{segment}")));
            assert!(found.iter().all(|a| a.shape() == [longest]), "{dtype}");
            let found = found.map(Array::values);
            for sample in (0..longest).step_by(13).chain([longest - 1]) {
                let reached: Vec<Vec<f64>> = events.iter().filter(|e| e.len() > sample).cloned().collect();
                let (mean, deviation, lowest, highest) = plain(&reached, sample);
                let n = reached.len() as f64;
                assert_eq!(found[0][sample], n, "{dtype} {sample}");
                assert!(near(found[1][sample], mean), "{dtype} {sample}: {} {mean}", found[1][sample]);
                assert!(
                    near(found[2][sample], deviation),
                    "{dtype} {sample}: {} {deviation}",
                    found[2][sample]
                );
                assert_eq!((found[3][sample], found[4][sample]), (lowest, highest), "{dtype} {sample}");
                assert!(near(found[5][sample], mean * n), "{dtype} {sample}");
                let hits = reached.iter().filter(|e| e[sample] >= 150.0).count();
                assert_eq!(found[6][sample], hits as f64, "{dtype} {sample}");
            }
        }
        let all: Vec<Vec<f64>> = values.iter().flatten().flatten().map(|v| vec![*v]).collect();
        let (mean, deviation, lowest, highest) = plain(&all, 0);
        assert_eq!(number(&one, "all-count"), all.len() as f64);
        assert!(near(number(&one, "all-mean"), mean) && near(number(&one, "all-std"), deviation), "{dtype}");
        assert_eq!((number(&one, "all-min"), number(&one, "all-max")), (lowest, highest), "{dtype}");
        assert!(
            (number(&one, "all-sum") - mean * all.len() as f64).abs() < 1e-6 * all.len() as f64,
            "{dtype}"
        );
        let outside = ["histogram-below", "histogram-above"];
        let outside = one.results.iter().filter(|r| outside.contains(&&*r.name));
        let outside: f64 = outside.map(|r| number(&one, &r.name)).sum();
        assert_eq!(
            column(&one, "histogram", "count").iter().sum::<f64>() + outside,
            all.len() as f64,
            "{dtype}"
        );
    }
}

#[test]
fn a_waveform_of_another_type_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s000-c000.xtc2");
    write_waveforms(&path, DType::U16, &[[Some(3), None], [Some(5), None], [Some(0), None]]);
    let mut file = std::fs::read(&path).unwrap();
    file.extend(datagram(2, 9, &names_of(0, DType::F32, 1)));
    file.extend(datagram(12, 10, &record_of(0, [3, 0, 0, 0, 0], &[0; 12])));
    std::fs::write(&path, file).unwrap();
    let found = analyzed(&path, "area.raw.raw", 2);
    assert_eq!((found.account.used, found.account.count(FaultKind::Changed)), (3, 1));
    assert_eq!(array(&found, "n").values(), [2.0, 2.0, 2.0, 1.0, 1.0]);
}
