//! Conversion and recovery of whole files: nothing is lost, nothing depends on the number of threads.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

use crate::datagrams as common;

use std::fs;
use std::path::{Path, PathBuf};

use common::datagram;
use livetime_codecs::BlockpackTier;
use livetime_formats::file::{Head, Next, Reader};
use livetime_formats::npy::Npy;
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::data::{PictureReader, picture_leaves};
use livetime_formats::xtc1::recover::save;
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::{
    Builder, Configs, Damage, Datagram, DatagramHeader, Edit, Src, Transition, TypeId, XtcHeader, id, rewrite,
};
use livetime_formats::{Error, Result};
use livetime_recording::Judgement;
use livetime_recording::convert::{Options, Reason, ReferenceSource, Report, Selection, Split, convert};

const SECOND: u64 = 1_000_000_000;
const ENGINES: [Engine; 3] = [Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK];

/// A folder that goes at the end, with files in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Converts; returns what is in the new file too.
    fn convert(&self, inputs: &[&Path], options: &Options) -> Result<(Report, Vec<u8>)> {
        let output = self.path("output.xtc");
        let report = convert(inputs, &output, options, |_| true)?;
        let bytes = report.files.iter().flat_map(|(path, _)| fs::read(path).unwrap()).collect();
        report.files.iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
        assert_eq!(self.names().iter().filter(|name| name.contains("output")).count(), 0);
        Ok((report, bytes))
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn with(codec: Engine) -> Options {
    Options { codec: Some(codec), ..Options::default() }
}

fn datagrams(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = Reader::<DatagramHeader, _>::new(bytes);
    let mut found = Vec::new();
    while let Next::Datagram(raw) = reader.next().unwrap() {
        found.push(raw.bytes.to_vec());
    }
    found
}

/// A file of the original program.
fn golden(name: &str) -> Option<Vec<u8>> {
    Some(fs::read(common::data("xtc1/container")?.join(name)).unwrap())
}

const RAW: &str = "e236-r0003-s04-c00.xtc";

/// A run of a camera of 40 x 50 pixels with a fixed pattern: transitions and `events` events, ten in a second.
fn camera_run(events: u64) -> Vec<u8> {
    let mut bytes = [Transition::Configure, Transition::BeginRun]
        .map(|transition| datagram(transition, SECOND, 0, &[1; 4]))
        .concat();
    for event in 0..events {
        camera_event(event, 100 * SECOND + event * SECOND / 10, &mut bytes);
    }
    bytes.extend(datagram(Transition::EndRun, 1000 * SECOND, 0, &[]));
    bytes
}

const CAMERA: Src = Src::detector(24, 0, 3, 1);

fn pixel(event: u64, i: u64) -> u16 {
    let noise = (event * 2000 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
    (1000 + i * 37 % 200 + noise) as u16
}

fn camera_event(event: u64, ns: u64, bytes: &mut Vec<u8>) {
    let mut builder = Builder::new(bytes, &DatagramHeader::event(ns, event as u32));
    let words = [50u32, 40, 12, 32].map(u32::to_le_bytes).concat();
    let pixels: Vec<u8> = (0..2000).flat_map(|i| pixel(event, i).to_le_bytes()).collect();
    builder.open(XtcHeader::new(Src::segment(2), TypeId::CONTAINER)).unwrap();
    builder.leaf(XtcHeader::new(CAMERA, TypeId::new(id::FRAME, 1)), &[&words, &pixels]).unwrap();
    builder
        .leaf(XtcHeader::new(Src { log: 6 << 24, phy: 0 }, TypeId::new(id::EBEAM, 0)), &[&[3; 48]])
        .unwrap();
    builder.finish().unwrap();
}

#[test]
fn files_of_the_original_program_are_decompressed_to_the_plain_one() {
    let Some(raw) = golden(RAW) else { return };
    let folder = Folder::new();
    for name in ["e236-r0003-s04-c00.hist16.xtc", "e236-r0003-s04-c00.histn.xtc"] {
        let file = folder.file(name, &golden(name).unwrap());
        let (report, bytes) = folder.convert(&[&file], &with(Engine::NONE)).unwrap();
        assert!(bytes == raw && report.is_complete() && report.changed() > 0, "{name}");
        assert_eq!(report.raw_bytes, raw.len() as u64);
    }
}

#[test]
fn every_codec_and_number_of_threads_comes_back_byte_for_byte() {
    let folder = Folder::new();
    let mut inputs = vec![camera_run(300)];
    inputs.extend(golden(RAW));
    for raw in inputs {
        let file = folder.file("raw.xtc", &raw);
        for engine in ENGINES {
            let (report, packed) = folder.convert(&[&file], &with(engine)).unwrap();
            assert_eq!((report.raw_bytes, report.output_bytes), (raw.len() as u64, packed.len() as u64));
            assert!(packed.len() < raw.len() * 4 / 5, "{engine}: {} of {}", packed.len(), raw.len());
            for workers in [1, 2, 5] {
                let options = Options { workers, ..with(engine) };
                assert!(folder.convert(&[&file], &options).unwrap().1 == packed, "{engine} {workers}");
            }
            let packed = folder.file("packed.xtc", &packed);
            assert!(folder.convert(&[&packed], &with(Engine::NONE)).unwrap().1 == raw, "{engine}");
            for other in ENGINES {
                let changed = folder.convert(&[&packed], &with(other)).unwrap().1;
                assert!(changed == folder.convert(&[&file], &with(other)).unwrap().1, "{engine} to {other}");
            }
        }
        assert!(folder.convert(&[&file], &Options::default()).unwrap().1 == raw);
    }
}

#[test]
fn reference_frames_are_in_the_file() {
    let folder = Folder::new();
    let raw = camera_run(40);
    let file = folder.file("e1-r0001-s00-c00.xtc", &raw);
    let dark: Vec<f64> = (0..2000).map(|i| f64::from(pixel(3, i))).collect();
    let frame = ReferenceSource::Frame(Npy { shape: vec![40, 50], values: dark });
    let none = folder.convert(&[&file], &with(Engine::BLOCKPACK)).unwrap().1;
    for reference in [ReferenceSource::Mean(16), frame] {
        let options = Options { reference, ..with(Engine::BLOCKPACK) };
        let (report, packed) = folder.convert(&[&file], &options).unwrap();
        assert!(report.is_complete() && packed.len() < none.len() * 3 / 4, "{} {}", packed.len(), none.len());
        let packed = folder.file("e1-r0002-s00-c00.xtc", &packed);
        // A reader that knows how to read pictures needs nothing else, from any event on.
        let run = Run::open(&[&packed]).unwrap();
        let mut bytes = EventBytes::default();
        for (number, event) in run.events().iter().enumerate().rev() {
            run.read(event, &mut bytes).unwrap();
            let datagram = Datagram::parse(bytes.pieces().next().unwrap()).unwrap();
            let leaf = picture_leaves(&datagram).next().unwrap();
            let mut reader = PictureReader::default();
            let panels = reader.panels(&leaf, run.configs(event)).unwrap();
            let expected: Vec<u8> = (0..2000).flat_map(|i| pixel(number as u64, i).to_le_bytes()).collect();
            assert!(panels[0].pixels == expected, "event {number}");
        }
        assert!(folder.convert(&[&packed], &with(Engine::NONE)).unwrap().1 == raw);
        // The frames of another compression replace the reference frames of the first one.
        let again = Options { reference: ReferenceSource::Mean(4), ..with(Engine::BLOCKPACK) };
        let first = folder.convert(&[&file], &again).unwrap().1;
        assert!(folder.convert(&[&packed], &again).unwrap().1 == first);
    }
}

#[test]
fn what_needs_a_reference_frame_does_not_stay_without_it() {
    let folder = Folder::new();
    let (raw, damage) = (camera_run(20), Damage::DROPPED);
    let file = folder.file("raw.xtc", &raw);
    let options = Options { reference: ReferenceSource::Mean(8), ..with(Engine::BLOCKPACK) };
    let packed = folder.convert(&[&file], &options).unwrap().1;
    let damaged = |bytes: &[u8]| {
        edited(bytes, |header, payload, builder| {
            if header.type_id.number() != id::FRAME {
                return Edit::Keep;
            }
            builder.leaf(XtcHeader { damage, ..header }, &[payload]).unwrap();
            Edit::Replace
        })
    };
    let file = folder.file("damaged.xtc", &damaged(&packed));
    assert!(folder.convert(&[&file], &with(Engine::NONE)).unwrap().1 == damaged(&raw));
}

#[test]
fn the_dense_tier_comes_back() {
    let folder = Folder::new();
    let raw = camera_run(30);
    let file = folder.file("raw.xtc", &raw);
    let fast = folder.convert(&[&file], &with(Engine::BLOCKPACK)).unwrap().1;
    for reference in [ReferenceSource::None, ReferenceSource::Mean(8)] {
        let options = Options { tier: BlockpackTier::Dense, reference, ..with(Engine::BLOCKPACK) };
        let (report, dense) = folder.convert(&[&file], &options).unwrap();
        assert!(report.is_complete() && dense != fast && dense.len() < raw.len() * 4 / 5, "{}", dense.len());
        let dense = folder.file("dense.xtc", &dense);
        assert!(folder.convert(&[&dense], &with(Engine::NONE)).unwrap().1 == raw);
        // From one tier to the other.
        assert!(folder.convert(&[&dense], &with(Engine::BLOCKPACK)).unwrap().1 == fast);
    }
}

#[test]
fn a_reference_that_suits_nothing_is_refused() {
    let folder = Folder::new();
    let file = folder.file("raw.xtc", &camera_run(3));
    let error = |inputs: &[&Path], codec, reference| {
        let options = Options { reference, ..with(codec) };
        folder.convert(inputs, &options).unwrap_err().to_string()
    };
    let small = || ReferenceSource::Frame(Npy { shape: vec![3], values: vec![0.0; 3] });
    let dense = Options { tier: BlockpackTier::Dense, ..with(Engine::HIST16) };
    let text = folder.convert(&[&file], &dense).unwrap_err().to_string();
    assert!(text.contains("blockpack as the codec, to pack densely"), "{text}");
    let text = error(&[&file], Engine::BLOCKPACK, small());
    assert!(text.contains("3 in the array") && text.contains("Opal1000-1 with 2000"), "{text}");
    assert!(error(&[&file], Engine::HIST16, ReferenceSource::Mean(3)).contains("blockpack as the codec"));
    let mut bytes = Vec::new();
    camera_event(0, SECOND, &mut bytes);
    let headless = folder.file("headless.xtc", &bytes);
    let text = error(&[&headless], Engine::BLOCKPACK, ReferenceSource::Mean(3));
    assert!(text.contains("a Configure before the first event"), "{text}");
}

#[test]
fn cuts_take_what_they_say() {
    let folder = Folder::new();
    let raw = camera_run(2000);
    let all = datagrams(&raw);
    let file = folder.file("raw.xtc", &raw);
    let all_but = Selection::default;
    let cases: [(Selection, Vec<u64>); 4] = [
        (Selection { events: 700..703, ..all_but() }, vec![700, 701, 702]),
        (Selection { times_ns: 150 * SECOND..150 * SECOND + SECOND / 5, ..all_but() }, vec![500, 501]),
        (Selection { every: 900, ..all_but() }, vec![0, 900, 1800]),
        (Selection { first: 2, ..all_but() }, vec![0, 1]),
    ];
    for (selection, expected) in cases {
        let options = Options { selection, ..Options::default() };
        let (report, cut) = folder.convert(&[&file], &options).unwrap();
        let wanted = |i: &usize| *i < 2 || *i == all.len() - 1 || expected.contains(&(*i as u64 - 2));
        let wanted: Vec<u8> = (0..all.len()).filter(wanted).flat_map(|i| all[i].clone()).collect();
        assert!(cut == wanted, "{expected:?}");
        assert_eq!(
            (report.events, report.events_left_out),
            (expected.len() as u64, 2000 - expected.len() as u64)
        );
    }
    let none = Options { selection: Selection { events: 5000..6000, ..all_but() }, ..Options::default() };
    let refused = folder.convert(&[&file], &none).unwrap_err().to_string();
    assert!(refused.contains("none of the run's 2000 events"), "{refused}");
    let without = Selection { without: vec!["Opal1000".parse().unwrap()], ..Selection::default() };
    let (report, cut) =
        folder.convert(&[&file], &Options { selection: without, ..Options::default() }).unwrap();
    let left_out: u64 = report.leaves.values().map(|l| l.left_out).sum();
    assert_eq!((left_out, cut.len()), (2000, raw.len() - 2000 * (20 + 16 + 4000)));
}

#[test]
fn split_files_are_chunks_of_one_stream() {
    let folder = Folder::new();
    let raw = camera_run(1000);
    let file = folder.file("raw.xtc", &raw);
    for split in [Split::Events(300), Split::Bytes(1 << 20)] {
        let options = Options { split, ..Options::default() };
        let report = convert(&[&file], &folder.path("e1-r0009-s00-c00.xtc"), &options, |_| true).unwrap();
        let paths: Vec<PathBuf> = report.files.iter().map(|(path, _)| path.clone()).collect();
        let parts: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        assert!(parts.concat() == raw && parts.len() == 4, "{split:?}: {}", parts.len());
        let events = |part: &Vec<u8>| datagrams(part).iter().filter(|d| d[11] & 15 == 12).count();
        match split {
            Split::Events(_) => {
                assert_eq!(parts.iter().map(events).collect::<Vec<_>>(), [300, 300, 300, 100])
            }
            _ => assert!(parts.iter().all(|part| part.len() <= 1 << 20)),
        }
        assert_eq!(paths[3], folder.path("e1-r0009-s00-c03.xtc"));
        assert_eq!(Run::open(&paths).unwrap().events().len(), 1000);
        let inputs: Vec<&Path> = paths.iter().rev().map(PathBuf::as_path).collect();
        assert!(folder.convert(&inputs, &Options::default()).unwrap().1 == raw);
        paths.iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

/// Senders and payloads.
type Leaves = Vec<(u32, Vec<u8>)>;

/// The leaves of all datagrams.
fn leaves(bytes: &[u8]) -> Vec<(DatagramHeader, Leaves)> {
    let leaves = |bytes: &Vec<u8>| {
        let datagram = Datagram::parse(bytes).unwrap();
        (datagram.header, datagram.leaves().map(|l| (l.header.src.phy, l.payload.to_vec())).collect())
    };
    datagrams(bytes).iter().map(leaves).collect()
}

#[test]
fn streams_of_a_run_become_one() {
    let folder = Folder::new();
    let change = |transition, second, payload: &[u8]| datagram(transition, second * SECOND, 0, payload);
    let event = |second, fiducial, payload: u8| {
        datagram(Transition::L1Accept, second * SECOND, fiducial, &[payload; 8])
    };
    let configure = change(Transition::Configure, 1, &[1; 4]);
    let s0 = [configure.clone(), event(10, 1, 10), event(13, 4, 13), event(14, 5, 14)].concat();
    let s1 = [configure.clone(), event(12, 3, 12), event(11, 2, 11), event(14, 5, 41)].concat();
    let camera = [change(Transition::Configure, 2, &[7; 4]), event(20, 4, 99), event(30, 77, 98)].concat();
    let paths = [
        folder.file("e1-r0007-s00-c00.xtc", &s0),
        folder.file("e1-r0007-s01-c00.xtc", &s1),
        folder.file("e1-r0007-s80-c00.xtc", &camera),
    ];
    let inputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let (report, merged) = folder.convert(&inputs, &Options { workers: 3, ..Options::default() }).unwrap();
    let found: Vec<(u64, Vec<u8>)> = leaves(&merged)
        .into_iter()
        .map(|(header, leaves)| {
            (header.time_ns() / SECOND, leaves.iter().map(|(_, payload)| payload[0]).collect())
        })
        .collect();
    let expected: Vec<(u64, Vec<u8>)> = vec![
        (1, vec![1, 7]),
        (10, vec![10]),
        (11, vec![11]),
        (12, vec![12]),
        (13, vec![13, 99]),
        (14, vec![14, 41]),
    ];
    assert_eq!(found, expected);
    assert_eq!((report.joined.pieces, report.joined.copies), (2, 2));
    // A piece that belongs to no event is a loss, and is said.
    assert_eq!((report.joined.cameras_left_out, report.is_complete()), (1, false));
    let (report, _) = folder.convert(&inputs[..2], &Options::default()).unwrap();
    assert!(report.is_complete());
    let stranger = folder.file("e1-r0008-s00-c00.xtc", &s0);
    let refused: Error = folder.convert(&[&paths[0], &stranger], &Options::default()).unwrap_err();
    assert!(refused.to_string().contains("files of run 7"), "{refused}");
}

/// The plain golden file with `edit` done to the leaves of events.
fn edited(raw: &[u8], mut edit: impl FnMut(XtcHeader, &[u8], &mut Builder<'_>) -> Edit) -> Vec<u8> {
    let mut out = Vec::new();
    for bytes in datagrams(raw) {
        let datagram = Datagram::parse(&bytes).unwrap();
        rewrite(&datagram, &mut out, |leaf, builder| Ok(edit(leaf.header, leaf.payload, builder))).unwrap();
    }
    out
}

/// The reasons for which leaves of CSPads were kept, and how many.
fn kept(report: &Report) -> Vec<(Reason, u64)> {
    let cspads = report.kept.iter().filter(|((_, type_id, _), _)| type_id.number() == id::CSPAD_ELEMENT);
    cspads.map(|((_, _, reason), kept)| (reason.clone(), kept.count)).collect()
}

#[test]
fn what_is_damaged_double_or_not_understood_is_kept_and_said() {
    let Some(raw) = golden(RAW) else { return };
    let packed = golden("e236-r0003-s04-c00.hist16.xtc").unwrap();
    let folder = Folder::new();
    let is_cspad = |header: XtcHeader| header.type_id.number() == id::CSPAD_ELEMENT;
    let check = |bytes: &[u8], codec: Engine, wanted: &dyn Fn(&Reason) -> bool| {
        let file = folder.file("edited.xtc", bytes);
        let (report, out) = folder.convert(&[&file], &with(codec)).unwrap();
        let kept = kept(&report);
        assert!(kept.iter().all(|(reason, _)| wanted(reason)), "{kept:?}");
        assert_eq!(kept.iter().map(|(_, count)| count).sum::<u64>(), 2);
        let cspads = |bytes: &[u8]| {
            let of_event = |(_, leaves): (DatagramHeader, Leaves)| leaves;
            leaves(bytes).into_iter().flat_map(of_event).filter(|(_, p)| p.len() > 70_000).collect::<Vec<_>>()
        };
        assert!(cspads(&out) == cspads(bytes));
    };
    let damaged = edited(&raw, |header, payload, builder| {
        if !is_cspad(header) {
            return Edit::Keep;
        }
        builder.leaf(XtcHeader { damage: Damage::DROPPED, ..header }, &[payload]).unwrap();
        Edit::Replace
    });
    check(&damaged, Engine::HIST16, &|reason| *reason == Reason::Damaged);

    let without_config =
        edited(
            &raw,
            |header, _, _| {
                if header.type_id.number() == id::CSPAD_CONFIG { Edit::Replace } else { Edit::Keep }
            },
        );
    check(
        &without_config,
        Engine::BLOCKPACK,
        &|reason| matches!(reason, Reason::Unreadable(text) if text.contains("a CspadConfig of")),
    );

    let cut = edited(&raw, |header, payload, builder| {
        if !is_cspad(header) {
            return Edit::Keep;
        }
        builder.leaf(header, &[&payload[..payload.len() - 8]]).unwrap();
        Edit::Replace
    });
    check(&cut, Engine::HISTN, &|reason| matches!(reason, Reason::Unreadable(_)));

    let broken = edited(&packed, |header, payload, builder| {
        if !is_cspad(header) {
            return Edit::Keep;
        }
        let mut payload = payload.to_vec();
        payload[1000] ^= 1;
        builder.leaf(header, &[&payload]).unwrap();
        Edit::Replace
    });
    check(&broken, Engine::NONE, &|reason| matches!(reason, Reason::NotDecompressed(_)));
    check(&broken, Engine::BLOCKPACK, &|reason| matches!(reason, Reason::NotDecompressed(_)));
}

#[test]
fn raw_and_compressed_twins_both_stay() {
    let Some(raw) = golden(RAW) else { return };
    let packed = datagrams(&golden("e236-r0003-s04-c00.hist16.xtc").unwrap());
    let folder = Folder::new();
    let mut both = Vec::new();
    for (bytes, packed) in datagrams(&raw).iter().zip(&packed) {
        let (datagram, packed) = (Datagram::parse(bytes).unwrap(), Datagram::parse(packed).unwrap());
        let mut builder = Builder::new(&mut both, &datagram.header);
        for leaf in datagram.leaves().chain(packed.leaves().filter(|l| l.header.type_id.is_compressed())) {
            builder.leaf(leaf.header, &[leaf.payload]).unwrap();
        }
        builder.finish().unwrap();
    }
    let file = folder.file("both.xtc", &both);
    for codec in [Engine::NONE, Engine::HISTN] {
        let (report, out) = folder.convert(&[&file], &with(codec)).unwrap();
        assert_eq!(report.changed(), 0, "{codec}");
        assert!(out == both && kept(&report).iter().all(|(reason, _)| *reason == Reason::Twin), "{codec}");
    }
}

#[test]
fn a_file_cut_anywhere_gives_all_that_is_complete() {
    let folder = Folder::new();
    let bytes = camera_run(2);
    let all = datagrams(&bytes);
    let ends: Vec<usize> = all
        .iter()
        .scan(0, |end, d| Some(std::mem::replace(end, *end + d.len())))
        .chain([bytes.len()])
        .collect();
    // Every byte of the headers, and some of the data.
    let headers = ends.iter().flat_map(|end| end.saturating_sub(3)..end + 130);
    let cuts = headers.chain((0..bytes.len()).step_by(997)).filter(|cut| *cut <= bytes.len());
    for cut in cuts {
        let file = folder.file("cut.xtc", &bytes[..cut]);
        let end = *ends.iter().rfind(|end| **end <= cut).unwrap();
        let saved_path = folder.path("saved.xtc");
        let saved = save(&file, &saved_path, |_| true).unwrap();
        assert_eq!((saved.bytes, saved.lost_bytes), (end as u64, (cut - end) as u64), "cut at {cut}");
        assert_eq!(saved_path.exists(), end > 0, "cut at {cut}");
        let converted = folder.convert(&[&file], &Options::default());
        if end == 0 {
            assert!(converted.is_err(), "cut at {cut}");
            continue;
        }
        assert!(fs::read(&saved_path).unwrap() == bytes[..end], "cut at {cut}");
        fs::remove_file(&saved_path).unwrap();
        let (report, out) = converted.unwrap();
        assert!(out == bytes[..end], "cut at {cut}");
        let lost: Vec<(u64, u64)> = report.lost.iter().map(|l| (l.offset, l.length)).collect();
        let expected = if cut == end { vec![] } else { vec![(end as u64, (cut - end) as u64)] };
        assert_eq!(lost, expected, "cut at {cut}");
        // There is an output, with events or without.
        let wanted = if cut == end { Judgement::Whole } else { Judgement::Lossy };
        assert_eq!(report.findings().judgement(), wanted, "cut at {cut}");
    }
}

#[test]
fn what_is_lost_is_said_with_its_neighbours() {
    let folder = Folder::new();
    let bytes = camera_run(10);
    let all = datagrams(&bytes);
    let start: usize = all[..5].iter().map(Vec::len).sum();
    let mut broken = bytes.clone();
    broken[start + 36..start + 40].fill(0xFF);
    let file = folder.file("broken.xtc", &broken);
    let saved = save(&file, &folder.path("saved.xtc"), |_| true).unwrap();
    assert_eq!((saved.datagrams, saved.events, saved.lost_regions), (12, 9, 1));
    let region = &saved.regions[0];
    assert_eq!((region.lost.offset, region.lost.length), (start as u64, all[5].len() as u64));
    assert_eq!(region.events_before, 3);
    let time =
        |neighbour: &Option<livetime_formats::xtc1::recover::Neighbour>| neighbour.unwrap().header.time_ns();
    assert_eq!(time(&region.before), 100 * SECOND + 2 * SECOND / 10);
    assert_eq!(time(&region.behind), 100 * SECOND + 4 * SECOND / 10);
    let expected: Vec<u8> = [&all[..5], &all[6..]].concat().concat();
    assert!(fs::read(folder.path("saved.xtc")).unwrap() == expected);
}

#[test]
fn nothing_is_overwritten_and_nothing_half_done_stays() {
    let folder = Folder::new();
    let file = folder.file("raw.xtc", &camera_run(500));
    let output = folder.file("output.xtc", b"mine");
    let refused = convert(&[&file], &output, &Options::default(), |_| true).unwrap_err();
    assert!(refused.to_string().contains("a file that is not there yet"), "{refused}");
    assert!(save(&file, &output, |_| true).is_err());
    assert_eq!(fs::read(&output).unwrap(), b"mine");
    fs::remove_file(&output).unwrap();
    let xtc2 = folder.file("x.xtc2", &[0; 100]);
    assert!(
        convert(&[&xtc2], &output, &Options::default(), |_| true)
            .unwrap_err()
            .to_string()
            .contains("LCLS-II")
    );
    let noise = folder.file("noise.xtc", &[0xEE; 1000]);
    assert!(convert(&[&noise], &output, &Options::default(), |_| true).is_err());
    assert_eq!(save(&noise, &output, |_| true).unwrap().datagrams, 0);
    // The second of the chunks is taken: the first one goes again.
    folder.file("e1-r0001-s00-c01.xtc", b"mine");
    let options = Options { split: Split::Events(100), ..Options::default() };
    assert!(convert(&[&file], &folder.path("e1-r0001-s00-c00.xtc"), &options, |_| true).is_err());
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, ["e1-r0001-s00-c01.xtc", "noise.xtc", "raw.xtc", "x.xtc2"]);
}

/// The pictures of one camera in an event: pixels (compressible or not), damage.
fn event_of(leaves: &[(&[u8], Damage)]) -> Vec<u8> {
    let mut bytes = datagram(Transition::Configure, SECOND, 0, &[1; 4]);
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(100 * SECOND, 3));
    for (pixels, damage) in leaves {
        let words = [50u32, 40, 12, 32].map(u32::to_le_bytes).concat();
        let header = XtcHeader { damage: *damage, ..XtcHeader::new(CAMERA, TypeId::new(id::FRAME, 1)) };
        builder.leaf(header, &[&words, pixels]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

#[test]
fn a_good_and_a_damaged_picture_of_one_detector_come_back_as_they_were() {
    let folder = Folder::new();
    let good: Vec<u8> = (0..2000).flat_map(|i| pixel(0, i).to_le_bytes()).collect();
    let other: Vec<u8> = (0..2000).flat_map(|i| pixel(1, i).to_le_bytes()).collect();
    // Nothing makes these smaller.
    let noise: Vec<u8> = (0..4000u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 51) as u8).collect();
    let (fine, bad) = (Damage(0), Damage(1 << 14));
    for leaves in [
        [(&good[..], fine), (&other[..], bad)],
        [(&other[..], bad), (&good[..], fine)],
        [(&good[..], fine), (&good[..100], bad)],
        [(&good[..], fine), (&noise[..], fine)],
        [(&good[..], fine), (&good[..], fine)],
    ] {
        let raw = event_of(&leaves);
        let file = folder.file("raw.xtc", &raw);
        for engine in ENGINES {
            let packed = folder.convert(&[&file], &with(engine)).unwrap().1;
            assert!(packed.len() < raw.len(), "{engine}");
            let file = folder.file("packed.xtc", &packed);
            let back = folder.convert(&[&file], &with(Engine::NONE)).unwrap().1;
            assert!(back == raw, "{engine}: {} bytes of {}", back.len(), raw.len());
            // And who reads pictures gets the same one of both.
            let picture = |bytes: &[u8]| {
                let all = datagrams(bytes);
                let datagram = Datagram::parse(&all[1]).unwrap();
                let leaf = picture_leaves(&datagram).next().unwrap();
                assert!(leaf.header.damage.is_none());
                PictureReader::default().panels(&leaf, &Configs::default()).unwrap()[0].pixels.to_vec()
            };
            assert!(picture(&packed) == picture(&raw) || leaves[1].0 == noise, "{engine}");
        }
    }
}
