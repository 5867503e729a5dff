//! Frames of our own in `testdata/wib`: the file source reads the frames that the simulator made, and the finders find
//! the same hits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;

use livetime_engine::testing::Harness;
use livetime_engine::{Next, Value};
use livetime_frame::Frame;
use livetime_sim::WibSimulator;
use livetime_wire::process::hit_finder::HitFinder;
use livetime_wire::sources::wib_file::WibFile;
use livetime_wire::{HitRow, RawBatch, RowTable};

const FIRST: u64 = 80_150_024_000_000_000;
/// Ticks of the clock at the end of the frames, in which a hit may be still open: its end does not depend on the
/// format.
const END: u64 = 2000;

/// A source to its end: the frames that it sends, in batches.
fn run(mut source: Harness) -> Vec<Frame> {
    let mut batches = Vec::new();
    loop {
        let (frames, next) = source.produce().unwrap();
        batches.extend(frames.into_iter().filter(|frame| RawBatch::of(frame).is_ok()));
        match next {
            Next::Finished => return batches,
            Next::At(ns) => drop(source.advance(ns).unwrap()),
            _ => {}
        }
    }
}

fn bytes(batches: &[Frame]) -> Vec<u8> {
    batches.iter().flat_map(|frame| frame.bytes().iter().copied()).collect()
}

/// Half a millisecond of one link with noise, coherent noise and test pulses on all channels.
fn simulated(format: &str) -> Vec<u8> {
    let params: [(&str, Value); 9] = [
        ("links", 1.into()),
        ("format", format.into()),
        ("rate", 0.0.into()),
        ("loop_time", 0.000_5.into()),
        ("duration", 0.000_5.into()),
        ("first_timestamp", (FIRST as i64).into()),
        ("coherent_rms", 1.5.into()),
        ("argon_rate", 2000.0.into()),
        ("test_pulse_rate", 6000.0.into()),
    ];
    bytes(&run(Harness::new::<WibSimulator>(&params).unwrap()))
}

/// The hits that are complete, a line each.
fn hits(file: &Path, batch: u64, algorithm: &str) -> String {
    let params = [("file", file.to_str().unwrap().into()), ("batch", Value::from(batch as i64))];
    let batches = run(Harness::new::<WibFile>(&params).unwrap());
    let end = RawBatch::of(batches.last().unwrap()).unwrap().end();
    let mut finder = Harness::new::<HitFinder>(&[("algorithm", algorithm.into())]).unwrap();
    let (mut hits, mut some) = (Vec::new(), Vec::new());
    for table in batches.iter().flat_map(|batch| finder.feed(batch).unwrap()).collect::<Vec<_>>() {
        if RowTable::<HitRow>::default().read(&table, &mut some).is_ok() {
            hits.append(&mut some);
        }
    }
    hits.retain(|hit| hit.time_end(25) + END < end);
    // The order must not depend on the length of batches.
    hits.sort_by_key(|hit| (hit.time_start, hit.channel));
    hits.iter().fold(
        "# ticks after the first frame, channel, sum, peak, samples over\n".into(),
        |mut text, hit| {
            let from = hit.time_start - FIRST;
            writeln!(
                text,
                "{from} {} {} {} {}",
                hit.channel, hit.adc_integral, hit.adc_peak, hit.samples_over
            )
            .unwrap();
            text
        },
    )
}

#[test]
fn frames_of_earlier_versions_are_read_and_give_their_hits() {
    let folder = tempfile::tempdir().unwrap();
    for (format, algorithms) in [("wib1", &["default", "seed"][..]), ("wibeth", &["default"])] {
        let made = simulated(format);
        let packed = zstd::encode_all(&made[..], 19).unwrap();
        let packed = livetime_testkit::golden(&format!("wib/{format}.bin.zst"), &packed).unwrap();
        let frames = zstd::decode_all(&packed[..]).unwrap();
        assert!(frames == made, "{format}: the simulator makes other frames than before");
        let file = folder.path().join(format!("{format}.bin"));
        std::fs::write(&file, &frames).unwrap();
        for algorithm in algorithms {
            let found = hits(&file, 0, algorithm);
            let name = format!("wib/{format}.{algorithm}.txt");
            let wanted = livetime_testkit::golden(&name, found.as_bytes()).unwrap();
            // A file with few hits would prove nothing.
            assert!(found.lines().count() > 20, "{format} {algorithm}: {found}");
            // Hits must not depend on where a batch begins.
            for batch in [0, 12, 500] {
                assert_eq!(hits(&file, batch, algorithm).as_bytes(), wanted, "{format} {algorithm} {batch}");
            }
        }
    }
}
