//! The recorded WIB frames, clean and with every fault of the recipes.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says loudly that it is skipped"
)]

use livetime_formats::channel_map::{TextMap, TextMapKind};
use livetime_formats::wib::{
    Faults, TimeCheck, TimeStep, Wib1Check, Wib1Frame, Wib1FrameMut, Wib1Identity, WibEthFrame,
};

/// The unpacked file `name` of the recorded data.
fn unpacked(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(livetime_testkit::data(&format!("wib/{name}"))?).unwrap();
    Some(zstd::decode_all(&bytes[..]).unwrap())
}

const LINK: Wib1Identity = Wib1Identity { crate_number: 5, slot: 2, fiber: 1 };

/// Every frame with a fault: position and fault.
fn faults(frames: &[Vec<u8>]) -> Vec<(usize, Faults)> {
    let mut check = Wib1Check::new(LINK);
    let faults = frames.iter().map(|bytes| check.next(&Wib1Frame::parse(bytes).unwrap()));
    faults.enumerate().filter(|(_, faults)| !faults.is_empty()).collect()
}

fn frames() -> Option<Vec<Vec<u8>>> {
    let bytes = unpacked("wib1_frames.bin.zst")?;
    Some(bytes.chunks_exact(Wib1Frame::BYTES).map(<[u8]>::to_vec).collect())
}

#[test]
fn golden_frames_have_the_identity_and_times_that_are_documented() {
    let Some(frames) = frames() else { return };
    assert_eq!(frames.len(), 3000);
    for (i, bytes) in frames.iter().enumerate() {
        let frame = Wib1Frame::parse(bytes).unwrap();
        assert_eq!((frame.version(), Wib1Identity::of(&frame)), (1, LINK));
        assert_eq!(frame.timestamp(), 80_150_024_000_000_000 + 25 * i as u64);
    }
    assert_eq!(faults(&frames), []);
}

#[test]
fn every_fault_of_the_recipes_is_found_where_it_is() {
    let Some(clean) = frames() else { return };
    let with = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut frames = clean.clone();
        change(&mut frames);
        faults(&frames)
    };
    let edit = |at: usize, change: &dyn Fn(&mut Wib1FrameMut)| {
        with(&|frames| change(&mut Wib1FrameMut::new(&mut frames[at]).unwrap()))
    };
    assert_eq!(with(&|f| drop(f.remove(700))), [(700, Faults::GAP)]);
    assert_eq!(with(&|f| drop(f.drain(900..2100))), [(900, Faults::GAP)]);
    assert_eq!(with(&|f| f.insert(41, clean[40].clone())), [(41, Faults::BACK)]);
    // 51 comes early; 50 is then late.
    assert_eq!(with(&|f| f.swap(50, 51)), [(50, Faults::GAP), (51, Faults::BACK)]);
    let stamp = Wib1Frame::parse(&clean[60]).unwrap().timestamp();
    assert_eq!(edit(60, &|f| f.set_timestamp(stamp - 1000)), [(60, Faults::BACK), (61, Faults::GAP)]);
    assert_eq!(edit(70, &|f| f.set_errors(true, false, 0)), [(70, Faults::MM)]);
    assert_eq!(edit(70, &|f| f.set_errors(false, true, 0)), [(70, Faults::OOS)]);
    assert_eq!(edit(80, &|f| f.set_errors(false, false, 3)), [(80, Faults::WIB_ERRORS)]);
    assert_eq!(edit(90, &|f| f.set_capture_errors(2, [0, 0x80])), [(90, Faults::capture(2))]);
    assert_eq!(edit(100, &|f| f.set_identity(5, 2, 2)), [(100, Faults::IDENTITY)]);
    assert_eq!(edit(100, &|f| f.set_convert_count(1, 9)), [(100, Faults::CONVERT_COUNT)]);
}

#[test]
fn checksums_and_convert_counts_are_compared_when_asked_for() {
    let Some(mut frames) = frames() else { return };
    frames.truncate(100);
    for (i, bytes) in frames.iter_mut().enumerate() {
        let mut frame = Wib1FrameMut::new(bytes).unwrap();
        (0..4).for_each(|block| frame.set_convert_count(block, 65_520u16.wrapping_add(i as u16)));
        frame.set_checksums();
    }
    let check = |frames: &[Vec<u8>]| {
        let mut check = Wib1Check::new(LINK);
        (check.checksums, check.convert_counts) = (true, true);
        let faults = frames.iter().map(|bytes| check.next(&Wib1Frame::parse(bytes).unwrap()));
        faults.enumerate().filter(|(_, faults)| !faults.is_empty()).collect::<Vec<_>>()
    };
    frames.truncate(30);
    assert_eq!(check(&frames), []);
    for at in [16 + 2, 16 + 112 * 3 + 5, 16 + 112 * 2 + 60] {
        let mut damaged = frames.clone();
        damaged[20][at] ^= 4;
        assert_eq!(check(&damaged), [(20, Faults::checksum((at - 16) / 112))]);
    }
    let stuck = frames[10].clone();
    frames[11][16..].copy_from_slice(&stuck[16..]);
    let expected = [(11, Faults::CONVERT_COUNT), (12, Faults::CONVERT_COUNT)];
    assert_eq!(check(&frames), expected);
}

#[test]
fn golden_ethernet_frames_follow_each_other() {
    let Some(bytes) = unpacked("wibeth_frames.bin.zst") else { return };
    let mut time = TimeCheck::new(WibEthFrame::STEP);
    let mut last = 4089;
    for (i, bytes) in bytes.chunks(WibEthFrame::BYTES).enumerate() {
        let frame = WibEthFrame::parse(bytes).unwrap();
        assert_eq!((frame.detector(), frame.crate_number(), frame.slot(), frame.stream()), (3, 1, 2, 65));
        assert_eq!((frame.block_length(), frame.missing_since(last)), (WibEthFrame::BLOCK_LENGTH, 0));
        assert_eq!(time.next(frame.timestamp()), if i == 0 { TimeStep::First } else { TimeStep::Next });
        last = frame.sequence();
    }
}

#[test]
fn the_recorded_map_is_read() {
    let Some(bytes) = unpacked("protoDUNETPCChannelMap_v3.txt.zst") else { return };
    let text = String::from_utf8(bytes).unwrap();
    let map = TextMap::parse(TextMapKind::Sp, &text).unwrap();
    assert_eq!(map.len(), 15_360);
    let line = |line: &str| line.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<u32>>();
    for fields in text.lines().map(line).step_by(97) {
        let wire = map.wire([fields[0], fields[1], fields[2], fields[3]]).unwrap();
        assert_eq!((wire.offline, u32::from(wire.plane.number())), (fields[12], fields[11]));
    }
    assert!(TextMap::parse(TextMapKind::Sp, &text.replace("\t", "\t\t\t")).is_ok());
    assert!(TextMap::parse(TextMapKind::Sp, &format!("{text}{text}")).is_err());
}
