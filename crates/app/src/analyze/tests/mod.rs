//! Results are the same bits for any number of workers, and those of plain loops; nothing broken is left out silently.

mod detectors;
mod graph;
mod lcls2;
mod waveforms;

use std::path::{Path, PathBuf};

use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::panels;
use livetime_formats::xtc1::{
    Builder, Configs, Damage, DatagramHeader, Src, Transition, TypeId, XtcHeader, id,
};
use livetime_frame::DType;

use super::*;

const CAMERA: Src = Src::detector(24, 0, 3, 1);
const OTHER: Src = Src::detector(32, 0, 10, 7);

/// Repeatable numbers.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    })
}

/// Payload of a camera's picture of 8, 16 or 32 bits.
fn frame(width: u32, height: u32, bits: u32, event: u64) -> Vec<u8> {
    let mut payload = [width, height, bits, 0].map(u32::to_le_bytes).concat();
    let bytes = bits as usize / 8;
    for number in numbers(event + 1).take((width * height) as usize) {
        // Mostly a narrow band, as a detector gives, and some extreme values.
        let value = if number % 97 == 0 { u64::MAX } else { 100 + number % 80 };
        payload.extend_from_slice(&value.to_le_bytes()[..bytes]);
    }
    payload
}

struct Leaf {
    src: Src,
    type_id: TypeId,
    payload: Vec<u8>,
    engine: Engine,
    damage: Damage,
}

impl Leaf {
    fn new(payload: Vec<u8>) -> Leaf {
        let (type_id, engine) = (TypeId::new(id::FRAME, 1), Engine::NONE);
        Leaf { src: CAMERA, type_id, payload, engine, damage: Damage::default() }
    }
}

fn datagram(event: u64, leaves: &[Leaf]) -> Vec<u8> {
    datagram_of(event, leaves, &Configs::default())
}

/// The same of detectors with configurations, which are needed to compress.
fn datagram_of(event: u64, leaves: &[Leaf], configs: &Configs) -> Vec<u8> {
    let mut bytes = Vec::new();
    let header = DatagramHeader::event(1_000_000_000 + event * 8_333_333, 3 * event as u32);
    let mut builder = Builder::new(&mut bytes, &header);
    builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER)).unwrap();
    for leaf in leaves {
        let (mut type_id, mut payload) = (leaf.type_id, leaf.payload.clone());
        if leaf.engine != Engine::NONE {
            let found = panels(type_id, leaf.src, &leaf.payload, configs).unwrap();
            payload.clear();
            Compressor::new(leaf.engine).unwrap().encode(&found, &mut payload).unwrap();
            type_id = type_id.compressed();
        }
        payload.resize(payload.len().next_multiple_of(4), 0);
        let header = XtcHeader { damage: leaf.damage, ..XtcHeader::new(leaf.src, type_id) };
        builder.leaf(header, &[&payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn write(folder: &Path, datagrams: &[Vec<u8>]) -> PathBuf {
    write_of(folder, &configure(&[]), datagrams)
}

/// A transition with these configurations.
fn configure(leaves: &[(Src, TypeId, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::new(Transition::Configure, 999_999_999, 0));
    for (src, type_id, payload) in leaves {
        builder.leaf(XtcHeader::new(*src, *type_id), &[payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn write_of(folder: &Path, configure: &[u8], datagrams: &[Vec<u8>]) -> PathBuf {
    let path = folder.join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, [configure, &datagrams.concat()].concat()).unwrap();
    path
}

/// A file of the folder that `LIVETIME_DATA` names, else of `shared/data` beside the workspace.
#[allow(clippy::print_stderr, reason = "a test says that it is skipped")]
fn data(name: &str) -> Option<Vec<u8>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("LIVETIME_DATA").map_or(beside, PathBuf::from).join(name);
    let bytes = std::fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED: no `{}`; LIVETIME_DATA names the folder with test data", path.display());
    }
    bytes
}

fn all() -> Reducers {
    Reducers::default()
        .with(PixelStatistics::all())
        .with(Histogram::default())
        .with(Hits { threshold: 150.0 })
        .with(InOrder)
}

/// Depends on the order of events as much as anything can.
struct InOrder;

impl Reducer for InOrder {
    type Partial = (f64, Vec<u64>);

    fn partial(&self, _: &Layout) -> (f64, Vec<u64>) {
        (0.0, Vec::new())
    }

    fn map(&self, (chain, events): &mut (f64, Vec<u64>), event: &EventPictures<'_>) {
        let sum: f64 = event.pictures().flat_map(|p| p.values()).filter(|v| v.is_finite()).sum();
        *chain = *chain / 3.0 + sum.abs().sqrt();
        events.push(event.event as u64);
    }

    fn merge(&self, (chain, events): &mut (f64, Vec<u64>), next: &mut (f64, Vec<u64>)) {
        *chain = *chain / 7.0 + std::mem::take(&mut next.0);
        events.append(&mut next.1);
    }

    fn finish(&self, _: &Layout, (chain, events): (f64, Vec<u64>)) -> Vec<Named> {
        vec![Named::number("chain", chain), Named::table("order", vec![Column::new("event", events)])]
    }
}

fn analyzed(path: &Path, workers: usize) -> Found {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector(Some("Opal1000")).unwrap();
    let options = Options { workers, ..Options::default() };
    analyze(&recording, &detector, &options, &all(), &mut |_| {}).unwrap()
}

fn array<'a>(found: &'a Found, name: &str) -> &'a Array {
    match &found.results.iter().find(|r| r.name == name).unwrap().value {
        Value::Array(array) => array,
        other => panic!("{other:?}"),
    }
}

fn column(found: &Found, table: &str, name: &str) -> Vec<f64> {
    match &found.results.iter().find(|r| r.name == table).unwrap().value {
        Value::Table(table) => table.columns.iter().find(|c| c.name == name).unwrap().cells.values(),
        other => panic!("{other:?}"),
    }
}

/// The same bits also where they are NaN, which are not equal.
fn assert_same_bits(one: &Found, other: &Found) {
    assert_eq!((one.account.clone(), one.results.len()), (other.account.clone(), other.results.len()));
    for (a, b) in one.results.iter().zip(&other.results) {
        assert_eq!(a, b, "{}", a.name);
    }
}

/// Mean, deviation, lowest and highest of one pixel, by plain loops.
fn plain(frames: &[Vec<f64>], pixel: usize) -> (f64, f64, f64, f64) {
    let n = frames.len() as f64;
    let values = || frames.iter().map(|f| f[pixel]);
    let mean = values().sum::<f64>() / n;
    let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (
        mean,
        variance.sqrt(),
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    )
}

#[test]
fn any_number_of_workers_finds_the_same_bits_as_plain_loops() {
    let folder = tempfile::tempdir().unwrap();
    // Large enough for several blocks, in each type and compression.
    for (bits, width, height, events, engines) in [
        (8, 101, 97, 70, vec![Engine::NONE, Engine::HISTN, Engine::BLOCKPACK]),
        (16, 101, 77, 60, vec![Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK]),
        (32, 51, 49, 80, vec![Engine::NONE, Engine::BLOCKPACK]),
    ] {
        let payloads: Vec<Vec<u8>> = (0..events).map(|e| frame(width, height, bits, e)).collect();
        let datagrams: Vec<Vec<u8>> = payloads
            .iter()
            .enumerate()
            .map(|(e, p)| {
                // Recorders leave out compression when they are busy.
                let engine = engines[e % engines.len()];
                let other = Leaf { src: OTHER, ..Leaf::new(frame(3, 3, 8, 0)) };
                datagram(e as u64, &[other, Leaf { engine, ..Leaf::new(p.clone()) }])
            })
            .collect();
        let path = write(folder.path(), &datagrams);
        let one = analyzed(&path, 1);
        assert_eq!((one.account.used, one.account.lost()), (events, 0));
        [2, 3, 7].into_iter().for_each(|workers| assert_same_bits(&one, &analyzed(&path, workers)));

        let dtype = [DType::U8, DType::U16, DType::U32][bits as usize / 16];
        let frames: Vec<Vec<f64>> = payloads.iter().map(|p| picture::values(dtype, &p[16..])).collect();
        let pixels = (width * height) as usize;
        let found = ["mean", "std", "min", "max", "sum", "hits"].map(|name| array(&one, name).values());
        for pixel in (0..pixels).step_by(37).chain([pixels - 1]) {
            let (mean, deviation, lowest, highest) = plain(&frames, pixel);
            assert!((found[0][pixel] - mean).abs() <= 1e-12 * mean, "{bits} bits, pixel {pixel}");
            assert!(
                (found[1][pixel] - deviation).abs() <= 1e-9 * (1.0 + deviation),
                "{bits} bits, pixel {pixel}"
            );
            assert_eq!((found[2][pixel], found[3][pixel]), (lowest, highest), "{bits} bits, pixel {pixel}");
            assert_eq!(found[4][pixel], frames.iter().map(|f| f[pixel]).sum::<f64>());
            assert_eq!(found[5][pixel], frames.iter().filter(|f| f[pixel] >= 150.0).count() as f64);
        }
        assert_eq!(array(&one, "mean").shape(), [height as usize, width as usize]);
        assert_eq!(column(&one, "order", "event"), (0..events).map(|e| e as f64).collect::<Vec<f64>>());
        let counted: f64 = column(&one, "histogram", "count").iter().sum();
        assert_eq!(counted, (pixels as u64 * events) as f64);
        let hits = column(&one, "events", "hits");
        assert_eq!(hits[1], frames[1].iter().filter(|v| **v >= 150.0).count() as f64);
    }
}

#[test]
fn what_cannot_be_used_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = |e: u64| Leaf::new(frame(20, 10, 16, e));
    let mut datagrams: Vec<Vec<u8>> = (0..10).map(|e| datagram(e, &[good(e)])).collect();
    datagrams[2] = datagram(2, &[Leaf { damage: Damage::DROPPED, ..good(2) }]);
    datagrams[3] = datagram(3, &[]);
    datagrams[4] = datagram(4, &[Leaf::new(frame(10, 20, 16, 4))]);
    datagrams[5] = datagram(5, &[Leaf { engine: Engine::HIST16, ..Leaf::new(frame(100, 100, 16, 5)) }]);
    let middle = datagrams[5].len() / 2;
    datagrams[5][middle] ^= 0x55;
    let path = write(folder.path(), &datagrams);
    // Cut inside the last event.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();

    let found = analyzed(&path, 2);
    let named: Vec<(usize, FaultKind)> =
        found.account.named.iter().map(|b| (b.event, b.fault.kind)).collect();
    let expected =
        [(2, FaultKind::Damaged), (3, FaultKind::Missing), (4, FaultKind::Changed), (5, FaultKind::Broken)];
    assert_eq!(named, expected, "{:?}", found.account.named);
    assert_eq!((found.events, found.account.used, found.account.lost()), (9, 5, 3));
    assert!(found.account.named[0].fault.why.contains("dropped contribution"));
    assert_eq!(
        found.account.named[2].fault.why,
        "wanted u16 [10, 20] in panel 0 as in the first event, found u16 [20, 10]"
    );
    assert_eq!(column(&found, "order", "event"), [0.0, 1.0, 6.0, 7.0, 8.0]);
    assert_eq!(Recording::open(&[&path]).unwrap().problems().len(), 1);
    assert_same_bits(&found, &analyzed(&path, 7));
}

#[test]
fn a_run_that_is_being_written_is_analysed_up_to_now() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..6).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 8, e))])).collect();
    let path = write(folder.path(), &datagrams[..4]);
    let growing = path.with_extension("xtc.inprogress");
    std::fs::rename(&path, &growing).unwrap();
    let recording = Recording::open(&[&growing]).unwrap();
    assert!(recording.is_growing());
    // What has the time of the last datagram may still be preceded by another one.
    assert_eq!(recording.events(), 3);
    assert_eq!(analyzed(&growing, 2).account.used, 3);
}

#[test]
fn some_events_of_a_run_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..20).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 16, e))])).collect();
    let path = write(folder.path(), &datagrams);
    let recording = Recording::open(&[&path]).unwrap();
    let detector = recording.detector(None).unwrap();
    for (events, every, expected) in
        [(3..9, 1, vec![3, 4, 5, 6, 7, 8]), (0..usize::MAX, 7, vec![0, 7, 14]), (15..40, 3, vec![15, 18])]
    {
        let options = Options { workers: 2, events, every };
        let mut told = Vec::new();
        let tell = &mut |progress: Progress| told.push(progress);
        let found = analyze(&recording, &detector, &options, &all(), tell).unwrap();
        let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
        assert_eq!(column(&found, "order", "event"), expected);
        let last = told.last().unwrap();
        assert_eq!((last.done, last.events), (expected.len(), expected.len()));
        assert_eq!(last.raw_bytes, 128 * expected.len() as u64);
    }
    let options = Options { workers: 1, events: 30..40, every: 1 };
    let error = analyze(&recording, &detector, &options, &all(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("found no event"), "{error}");
}

#[test]
fn a_reducer_that_panics_ends_the_analysis() {
    struct Panics;
    impl Reducer for Panics {
        type Partial = ();
        fn partial(&self, _: &Layout) {}
        fn map(&self, _: &mut (), event: &EventPictures<'_>) {
            assert!(event.event != 5, "this is the test's own panic");
        }
        fn merge(&self, _: &mut (), _: &mut ()) {}
        fn finish(&self, _: &Layout, _: ()) -> Vec<Named> {
            Vec::new()
        }
    }
    let folder = tempfile::tempdir().unwrap();
    // Large enough for one event in a block.
    let datagrams: Vec<Vec<u8>> =
        (0..12).map(|e| datagram(e, &[Leaf::new(frame(512, 512, 16, e % 2))])).collect();
    let path = write(folder.path(), &datagrams);
    let recording = Recording::open(&[&path]).unwrap();
    let detector = recording.detector(None).unwrap();
    let options = Options { workers: 3, ..Options::default() };
    let reducers = Reducers::default().with(Panics);
    let error = analyze(&recording, &detector, &options, &reducers, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("one that panicked"), "{error}");
}

#[test]
fn several_detectors_must_be_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let leaves = [Leaf::new(frame(8, 8, 8, 0)), Leaf { src: OTHER, ..Leaf::new(frame(4, 4, 8, 0)) }];
    let path = write(folder.path(), &[datagram(0, &leaves)]);
    let recording = Recording::open(&[&path]).unwrap();
    let error = recording.detector(None).unwrap_err().to_string();
    assert!(error.contains("Opal1000-1") && error.contains("Cspad-7"), "{error}");
    let error = recording.detector(Some("Timepix")).unwrap_err().to_string();
    assert!(error.contains("wanted a detector `Timepix`"), "{error}");
    assert_eq!(recording.detector(Some("Opal1000-1")).unwrap(), Detector::Lcls1(CAMERA));
}
