//! A simulated detector, recorded as XTC and played.

use std::path::Path;

use livetime_engine::Next;
use livetime_engine::testing::Harness;
use livetime_frame::{AttributeValue, Flags, Frame, Layout};
use livetime_nodes::sinks::xtc_recorder::XtcRecorder;
use livetime_nodes::sources::recording::Recording;
use livetime_sim::SimDetector;
use tempfile::TempDir;

fn play(file: &Path) -> Vec<Frame> {
    let mut source = Harness::new::<Recording>(&[("file", file.to_str().unwrap().into())]).unwrap();
    let mut frames = Vec::new();
    loop {
        let (more, next) = source.produce().unwrap();
        frames.extend(more);
        if next == Next::Finished {
            return frames;
        }
    }
}

/// Whether type, shape, colours and elements are the same.
fn assert_same(a: &Frame, b: &Frame) {
    let describe = |layout: &Layout| (layout.dtype(), layout.color(), layout.shape().collect::<Vec<_>>());
    let layouts = [a, b].map(|frame| describe(frame.array().unwrap().layout()));
    assert_eq!(layouts[0], layouts[1]);
    assert!(a.bytes() == b.bytes());
}

#[test]
fn what_a_detector_sends_is_what_is_played() {
    for (codec, dtype) in [
        ("none", "u8"),
        ("hist16", "u16"),
        ("histn", "u8"),
        ("histn", "u16"),
        ("blockpack", "i32"),
        ("blockpack_dense", "u16"),
    ] {
        for threads in [0, 1, 3] {
            let folder = TempDir::new().unwrap();
            let params = [("data_type", dtype.into()), ("acquire_period", 0.into()), ("noise", 3.0.into())];
            let mut detector = Harness::new::<SimDetector>(&params).unwrap();
            let frames = detector.run_source(6).unwrap();
            let path = folder.path().to_str().unwrap().into();
            let params = [("path", path), ("compression", codec.into()), ("threads", threads.into())];
            let mut recorder = Harness::new::<XtcRecorder>(&params).unwrap();
            frames.iter().for_each(|frame| assert!(recorder.feed(frame).is_ok()));
            recorder.drain().unwrap();
            let file = folder.path().join("run-r0001-s00-c00.xtc");
            assert_eq!(recorder.number_of("num_captured"), 6.0);
            assert_eq!(recorder.get("full_file_name"), Some(file.to_str().unwrap().into()));
            let played = play(&file);
            assert_eq!(played.len(), 6);
            for (a, b) in frames.iter().zip(&played) {
                assert_same(a, b);
                assert_eq!(a.header().event_time_ns, b.header().event_time_ns);
                assert!(!b.header().flags.contains(Flags::ARRIVAL_TIME));
                // The source of a replay numbers frames itself; an attribute keeps the recorded number.
                let number = AttributeValue::Uint(a.header().sequence);
                assert_eq!(b.header().attributes.get("RecordedSequence"), Some(&number));
            }
        }
    }
}
