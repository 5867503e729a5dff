//! Files of our own in `testdata/xtc1`: a run of a small camera, as it is and compressed. Each later version reads the
//! files of an earlier one; today's conversion writes the same bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use crate::datagrams::{damaged, datagram};
use livetime_formats::file::{Next, Reader};
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::recover::save;
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, Transition, TypeId, XtcHeader, id};
use livetime_recording::convert::{Options, convert};

const SECOND: u64 = 1_000_000_000;
const EVENTS: u64 = 6;
const WIDTH: u32 = 48;
const HEIGHT: u32 = 32;
const CAMERA: Src = Src::detector(24, 0, 3, 1);

fn pixels(event: u64) -> Vec<u8> {
    let pixel = |i: u64| {
        let noise = (event * 5000 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        let peak = if i % 97 == event { 900 } else { 0 };
        (1000 + i * 37 % 200 + noise + peak) as u16
    };
    (0..u64::from(WIDTH * HEIGHT)).flat_map(|i| pixel(i).to_le_bytes()).collect()
}

fn event(number: u64, bytes: &mut Vec<u8>) {
    let ns = 100 * SECOND + number * SECOND / 120;
    let mut builder = Builder::new(bytes, &DatagramHeader::event(ns, number as u32));
    let head = [WIDTH, HEIGHT, 12, 32].map(u32::to_le_bytes).concat();
    builder.open(XtcHeader::new(Src::segment(2), TypeId::CONTAINER)).unwrap();
    builder.leaf(XtcHeader::new(CAMERA, TypeId::new(id::FRAME, 1)), &[&head, &pixels(number)]).unwrap();
    builder.close();
    builder.finish().unwrap();
}

/// Transitions, events, and one datagram that is marked as damaged.
fn run() -> Vec<u8> {
    let mut bytes = [Transition::Configure, Transition::BeginRun]
        .map(|transition| datagram(transition, SECOND, 0, &[1; 4]))
        .concat();
    (0..EVENTS).for_each(|number| event(number, &mut bytes));
    bytes.extend(damaged(Transition::L1Accept, 200 * SECOND, 99, &[5; 8], Damage(1 << 1)));
    bytes.extend(datagram(Transition::EndRun, 1000 * SECOND, 0, &[]));
    bytes
}

/// The file that this codec makes of `input`, in a folder of its own.
fn converted(input: &Path, codec: Engine) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("e1-r0001-s00-c00.xtc");
    convert(&[input], &output, &Options { codec: Some(codec), ..Options::default() }, |_| true).unwrap();
    fs::read(output).unwrap()
}

#[test]
fn files_of_earlier_versions_are_read_and_written_alike() {
    let folder = tempfile::tempdir().unwrap();
    let made = run();
    let plain = livetime_testkit::golden("xtc1/camera.xtc", &made).unwrap();
    assert!(plain == made, "the builder writes other bytes than before");
    let raw = folder.path().join("e1-r0001-s00-c00.xtc");
    fs::write(&raw, &plain).unwrap();
    for (name, codec) in
        [("hist16", Engine::HIST16), ("histn", Engine::HISTN), ("blockpack", Engine::BLOCKPACK)]
    {
        let made = converted(&raw, codec);
        let packed = livetime_testkit::golden(&format!("xtc1/camera.{name}.xtc"), &made).unwrap();
        let path = folder.path().join(format!("{name}.xtc"));
        fs::write(&path, &packed).unwrap();
        assert!(packed.len() < plain.len() && packed == made, "{name} writes other bytes than before");
        assert!(converted(&path, Engine::NONE) == plain, "{name} does not come back");
    }
}

#[test]
fn events_have_the_pictures_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    fs::write(&path, livetime_testkit::golden("xtc1/camera.xtc", &run()).unwrap()).unwrap();
    let run = Run::open(&[&path]).unwrap();
    assert_eq!(run.events().len() as u64, EVENTS + 1);
    let mut bytes = EventBytes::default();
    run.read(&run.events()[3], &mut bytes).unwrap();
    let found = fs::read(&path).unwrap();
    let at = found.windows(64).position(|window| window == &pixels(3)[..64]).unwrap();
    assert_eq!(&found[at..at + (2 * WIDTH * HEIGHT) as usize], pixels(3));
}

#[test]
fn a_file_that_is_cut_gives_every_whole_event() {
    let folder = tempfile::tempdir().unwrap();
    let plain = livetime_testkit::golden("xtc1/camera.xtc", &run()).unwrap();
    let (cut, saved) = (folder.path().join("cut.xtc"), folder.path().join("saved.xtc"));
    fs::write(&cut, &plain[..plain.len() / 2]).unwrap();
    save(&cut, &saved, |_| true).unwrap();
    let saved = fs::read(saved).unwrap();
    let mut reader = Reader::<DatagramHeader, _>::new(&saved[..]);
    let mut datagrams = 0;
    while let Next::Datagram(raw) = reader.next().unwrap() {
        assert_eq!(raw.bytes, &plain[raw.offset as usize..][..raw.bytes.len()]);
        datagrams += 1;
    }
    assert_eq!(datagrams, 5, "Configure, BeginRun and three of six events");
}
