//! Frames that are taken back, judged by h5py.

use std::sync::Arc;
use std::time::Duration;

use livetime_engine::testing::Harness;
use livetime_engine::{
    EdgeOptions, Graph, LossReason, NodeType, Run, RunOptions, Value, WhenFull, time_of_day_ns,
};
use livetime_frame::{AttributeValue, Frame};
use tempfile::TempDir;

use super::{Hdf5Files, Pictures, frame, python, sink};

/// The file must have the frames `want`, and `taken` frames must have been taken back out of it.
fn check(folder: &TempDir, name: &str, want: &[u64], taken: u64) {
    let lines = format!(
        "
n = {want:?}
d = f['/entry/data/data']
assert d.shape[0] == len(n), (d.shape, len(n))
assert (d[:] == np.array([[3 * k + i for i in range(60)] for k in n], 'u2').reshape(-1, 6, 10)).all()
a = f['/entry/instrument/NDAttributes']
assert list(a['NDArrayUniqueId'][:]) == n and list(a['Shot'][:]) == [-k for k in n]
assert [v.decode() for v in a['Name'][:]] == ['größe %d' % k for k in n]
assert {{a[k].shape for k in a}} == {{(len(n),)}}, {{k: a[k].shape for k in a}}
assert f['/entry/instrument/performance/timestamp'].shape == (len(n), 5)
loss = f['/entry/instrument/loss']
assert loss['missing_before'].shape == (len(n),) and loss['taken_back'][()] == {taken}, loss['taken_back'][()]
"
    );
    python(&folder.path().join(name), &lines);
}

fn feed(node: &mut Harness, numbers: std::ops::Range<u64>) {
    numbers.for_each(|number| drop(node.feed(&frame(number)).unwrap()));
}

/// A node for frames whose times do not go on, as the times of [`frame`].
fn rewinding(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    sink(folder, &[&[("rewind_by_event_time", false.into())], params].concat())
}

#[test]
fn frames_are_taken_back_and_the_next_ones_take_their_place() {
    let ways: [&[(&str, Value)]; 6] = [
        &[],
        &[("compression", "BSLZ4".into())],
        &[("compression", "zlib".into()), ("frames_per_chunk", 4.into())],
        &[("frames_per_chunk", 4.into()), ("attribute_chunk", 3.into())],
        &[("compression", "BSLZ4".into()), ("workers", 2.into())],
        &[
            ("compression", "LZ4".into()),
            ("chunk_size_auto", false.into()),
            ("chunk_rows", 4.into()),
            ("frames_per_chunk", 3.into()),
        ],
    ];
    for way in ways {
        let folder = TempDir::new().unwrap();
        let mut node = rewinding(&folder, way);
        feed(&mut node, 0..10);
        node.set("rewind", 6).unwrap();
        assert_eq!((node.number_of("num_captured"), node.number_of("num_rewound")), (6.0, 4.0));
        node.set("rewind", -1).unwrap();
        assert_eq!((node.number_of("num_captured"), node.get("rewind")), (6.0, Some((-1).into())));
        check(&folder, "run_001.h5", &[0, 1, 2, 3, 4, 5], 4);
        feed(&mut node, 10..15);
        node.set("flush_now", true).unwrap();
        check(&folder, "run_001.h5", &[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14], 4);
        node.set("rewind", 1).unwrap();
        feed(&mut node, 20..27);
        node.set("rewind", 5).unwrap();
        node.set("rewind", 5).unwrap();
        node.set("capture", false).unwrap();
        let want = [0, 20, 21, 22, 23];
        check(&folder, "run_001.h5", &want, 17);
        python(
            &folder.path().join("run_001.h5"),
            "
d = f['/entry/data/data']
assert d.id.get_num_chunks() == -(-5 // d.chunks[0]) * -(-6 // d.chunks[1]), d.id.get_num_chunks()
",
        );
        assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (5.0, 5.0));
    }
}

#[test]
fn a_capture_goes_on_until_it_has_its_frames_and_numbers_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let mut node = rewinding(&folder, &[("num_capture", 5.into()), ("frames_per_file", 3.into())]);
    feed(&mut node, 0..4);
    for wrong in [5, 2] {
        let why = node.set("rewind", wrong).unwrap_err().to_string();
        assert!(
            why.contains("wanted a number of frames that stay from 3, those of finished files, to 4"),
            "{why}"
        );
    }
    node.set("rewind", 3).unwrap();
    feed(&mut node, 7..8);
    assert_eq!(node.get("capture"), Some(true.into()));
    feed(&mut node, 8..9);
    assert_eq!(node.get("capture"), Some(false.into()));
    check(&folder, "run_001.h5", &[0, 1, 2], 0);
    check(&folder, "run_002.h5", &[7, 8], 1);
    python(&folder.path().join("run_001_all.h5"), "assert f['/entry/data/data'].shape == (5, 6, 10)");
    assert!(node.set("rewind", 0).unwrap_err().to_string().contains("wanted a capture in mode stream"));
    let folder = TempDir::new().unwrap();
    let mut node = rewinding(&folder, &[("extra_dims", 1.into()), ("extra_dim_size_x", 5.into())]);
    feed(&mut node, 0..2);
    assert!(node.set("rewind", 1).unwrap_err().to_string().contains("position_mode"));
    feed(&mut node, 2..5);
    assert_eq!(node.number_of("num_captured"), 5.0);
}

#[test]
fn each_data_set_of_pixels_keeps_its_own_frames() {
    let folder = TempDir::new().unwrap();
    let layout = r#"<hdf5_layout>
        <global name="detector_data_destination" ndattribute="Where"/>
        <group name="e"><dataset name="light" source="detector" det_default="true"/><dataset name="dark" source="detector"/></group>
        </hdf5_layout>"#;
    let mut node = rewinding(&folder, &[("xml_file_name", layout.into())]);
    for number in 0..9 {
        let mut frame = frame(number).try_into_mut().ok().unwrap();
        let place = if number % 3 == 2 { "/e/dark" } else { "/e/light" };
        frame.header_mut().attributes.set(&Arc::from("Where"), AttributeValue::Text(place.into()));
        node.feed(&frame.freeze()).unwrap();
    }
    node.set("rewind", 4).unwrap();
    feed(&mut node, 20..21);
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "assert list(f['/e/light'][:, 0, 0]) == [0, 3, 9, 60] and list(f['/e/dark'][:, 0, 0]) == [6]",
    );
}

/// Frame `number`, of `late_ms` before now.
fn frame_from(number: u64, late_ms: i64) -> Frame {
    let mut frame = frame(number).try_into_mut().ok().unwrap();
    frame.header_mut().event_time_ns = time_of_day_ns() - late_ms * 1_000_000;
    frame.freeze()
}

#[test]
fn frames_from_before_are_left_out_when_they_come() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[]);
    // A detector whose clock is an hour behind.
    let hour_ms = 3_600_000;
    node.feed(&frame_from(0, hour_ms)).unwrap();
    node.feed(&frame_from(1, hour_ms)).unwrap();
    node.set("rewind", 1).unwrap();
    node.feed(&frame_from(2, hour_ms + 60_000)).unwrap();
    assert_eq!((node.number_of("num_captured"), node.number_of("num_rewound")), (1.0, 2.0));
    node.feed(&frame_from(3, hour_ms - 60_000)).unwrap();
    node.set("capture", false).unwrap();
    check(&folder, "run_001.h5", &[0, 3], 1);
    assert_eq!(node.number_of("num_lost"), 0.0);
}

/// While a detector goes on: each frame is in the file, or was taken back, and the ledger says so.
#[test]
fn the_ledger_knows_what_was_taken_back() {
    let folder = TempDir::new().unwrap();
    let mut graph = Graph::default();
    let cam = graph.add("cam", NodeType::of::<Pictures>()).unwrap();
    let hdf5 = graph.add("hdf5", NodeType::of::<Hdf5Files>()).unwrap();
    let params: [(usize, &str, Value); 4] = [
        (cam, "period", 0.001.into()),
        (hdf5, "path", folder.path().to_str().unwrap().into()),
        (hdf5, "mode", "stream".into()),
        (hdf5, "capture", true.into()),
    ];
    params.iter().for_each(|(node, name, value)| graph.set(*node, name, value).unwrap());
    let waiting = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
    graph.connect("cam", "hdf5", waiting).unwrap();
    let run = Run::start(&graph, RunOptions { max_frames: Some(300), ..RunOptions::default() }).unwrap();
    while run.report().nodes[hdf5].completed < 30 {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.set("hdf5", "rewind", &10.into()).unwrap();
    assert!(run.wait(livetime_testkit::HANG));
    let report = run.finish(livetime_testkit::HANG);
    assert_eq!((report.imbalances(), report.unintended_losses()), (vec![], 0));
    let taken = report.nodes[hdf5].lost[&LossReason::TakenBack];
    assert!((20..290).contains(&taken), "{taken}");
    python(
        &folder.path().join("frame_001.h5"),
        &format!(
            "
u = f['/entry/instrument/NDAttributes/NDArrayUniqueId'][:]
assert len(u) == 300 - {taken} and f['/entry/data/data'].shape[0] == len(u), len(u)
steps = np.diff(u)
assert steps[9] == 1 + {taken} and (np.delete(steps, 9) == 1).all(), u
"
        ),
    );
}
