use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use livetime_engine::testing::Harness;
use livetime_engine::{EdgeOptions, Graph, NodeType, Run, RunOptions, Value, WhenFull};
use livetime_frame::{AttributeValue, ColorMode, DType, Frame, FramePool, Layout};
use tempfile::TempDir;

mod adcore;
mod grids;
mod layouts;
mod parts;
mod rewind;

use super::Hdf5Files;
use crate::process::compress::Compress;
use crate::process::roi::Roi;
use crate::test_pictures::Pictures;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let common: [(&str, Value); 4] = [
        ("path", folder.path().to_str().unwrap().into()),
        ("file_name", "run".into()),
        ("mode", "stream".into()),
        ("capture", true.into()),
    ];
    Harness::new::<Hdf5Files>(&[&common[..], params].concat()).unwrap()
}

/// Runs lines of Python with h5py's file `f`; they fail the test by `assert`.
fn python(path: &Path, lines: &str) {
    let Some(python) = livetime_testkit::python("hdf5") else { return };
    let open = "import sys, h5py, hdf5plugin, numpy as np\npath = sys.argv[1]\nf = h5py.File(path, 'r', swmr=True)\n";
    let output = Command::new(python).arg("-c").arg(format!("{open}{lines}")).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Frame `number`: 6 x 10 of `dtype`, every element different from frame to frame, with three attributes.
fn frame(number: u64) -> Frame {
    frame_of(number, 6, 10)
}

fn frame_of(number: u64, height: u64, width: u64) -> Frame {
    let layout = Layout::packed(DType::U16, ColorMode::Mono, &[height as usize, width as usize]).unwrap();
    let mut frame = FramePool::new(1 << 20).allocator().array(layout).unwrap();
    let pixels: Vec<u8> =
        (0..height * width).flat_map(|i| ((number * 3 + i % 60) as u16).to_le_bytes()).collect();
    frame.bytes_mut().copy_from_slice(&pixels);
    let header = frame.header_mut();
    (header.sequence, header.event_time_ns) = (number, 1_700_000_000_123_456_789 + number as i64);
    let attributes = [
        ("Gain", AttributeValue::Float(number as f64 / 2.0)),
        ("Shot", AttributeValue::Int(-(number as i64))),
        ("Name", AttributeValue::Text(format!("größe {number}").into())),
    ];
    attributes.into_iter().for_each(|(name, value)| header.attributes.set(&Arc::from(name), value));
    frame.freeze()
}

#[test]
fn a_file_has_the_layout_that_clients_expect() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[]);
    for number in [1, 2, 3, 7] {
        node.feed(&frame(number)).unwrap();
    }
    assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (4.0, 3.0));
    let path = folder.path().join("run_001.h5");
    let check = "
n = [1, 2, 3, 7]
d = f['/entry/data/data']
assert d == f['/entry/instrument/detector/data'] and d.chunks == (1, 6, 10) and d.maxshape == (None, 6, 10)
assert (d[:] == np.array([[3 * k + i for i in range(60)] for k in n], 'u2').reshape(4, 6, 10)).all()
a = f['/entry/instrument/NDAttributes']
assert list(a['NDArrayUniqueId'][:]) == n and a['NDArrayUniqueId'].dtype == 'i4'
assert a['NDArrayUniqueId'].chunks == (16384,)
assert list(a['NDArrayEventTime'][:]) == [1700000000123456789 + k for k in n]
assert a['NDArrayEpicsTSSec'][0] == 1700000000 - 631152000 and a['NDArrayEpicsTSnSec'][3] == 123456796
assert abs(a['NDArrayTimeStamp'][0] - 1068848000.123456789) < 1e-6
assert list(a['Gain'][:]) == [.5, 1, 1.5, 3.5] and list(a['Shot'][:]) == [-1, -2, -3, -7]
assert a['Name'][3].decode() == 'größe 7' and a['Gain'].attrs['NDAttrName'] == b'Gain'
assert f['/entry'].attrs['NX_class'] == b'NXentry' and f['/entry/data'].attrs['signal'] == b'data'
assert f['/entry/instrument/performance/timestamp'].shape == (4, 5)
assert list(f['/entry/instrument/detector/NDAttributes/ColorMode'][:]) == [0] * 4
assert list(f['/entry/instrument/loss/missing_before'][:]) == [0, 0, 0, 3] and f['/entry/instrument/loss/lost'][()] == 3
assert b'frames_per_chunk: 1' in f['/entry/livetime/parameters'][()]
";
    node.set("flush_now", true).unwrap();
    assert_eq!(node.get("flush_now"), Some(false.into()));
    python(&path, &format!("{check}assert f['/entry/instrument/loss/finished'][()] == 0"));
    node.set("capture", false).unwrap();
    python(
        &path,
        &format!("{check}assert f['/entry/instrument/loss/finished'][()] == 1\nh5py.File(path, 'r')"),
    );
}

#[test]
fn frames_are_compressed_here_or_come_compressed() {
    let cases = [
        ("zlib", "zlib", "1", 1),
        ("blosc", "Blosc", "32001", 1),
        ("bslz4", "BSLZ4", "32008", 1),
        ("bslz4", "BSLZ4", "32008", 3),
        ("lz4hdf5", "LZ4", "32004", 4),
        ("lz4", "", "32004", 1),
        ("zstd", "", "32015", 1),
    ];
    for (compressor, menu, filter, chunk) in cases {
        let folder = TempDir::new().unwrap();
        let check = format!("
d = f['/entry/data/data']
assert str(d.id.get_create_plist().get_filter(0)[0]) == '{filter}' and d.chunks[0] == CHUNK
assert (d[:] == np.array([[3 * k + i % 60 for i in range(2000)] for k in range(10)], 'u2').reshape(10, 40, 50)).all()
");
        if chunk == 1 {
            let how = [("compressor", compressor.into()), ("blosc_shuffle", "byte".into())];
            let mut compress = Harness::new::<Compress>(&how).unwrap();
            let mut node = sink(&folder, &[("file_name", "came".into())]);
            for number in 0..10 {
                let packed = compress.feed(&frame_of(number, 40, 50)).unwrap().remove(0);
                assert!(packed.array().unwrap().layout().codec().is_some(), "{compressor}");
                node.feed(&packed).unwrap();
            }
            node.set("capture", false).unwrap();
            python(&folder.path().join("came_001.h5"), &check.replace("CHUNK", "1"));
        }
        if !menu.is_empty() {
            let mut node = sink(&folder, &[("compression", menu.into()), ("frames_per_chunk", chunk.into())]);
            for number in 0..10 {
                node.feed(&frame_of(number, 40, 50)).unwrap();
                if number % 4 == 1 {
                    node.set("flush_now", true).unwrap();
                }
            }
            node.set("flush_now", true).unwrap();
            python(&folder.path().join("run_001.h5"), &check.replace("CHUNK", &chunk.to_string()));
            node.set("capture", false).unwrap();
            python(&folder.path().join("run_001.h5"), &check.replace("CHUNK", &chunk.to_string()));
        }
    }
}

#[test]
fn threads_compress_and_frames_stay_in_order() {
    for (workers, axes) in [(1, 0), (3, 0), (4, 1)] {
        let folder = TempDir::new().unwrap();
        let params = [
            ("compression", "BSLZ4".into()),
            ("workers", workers.into()),
            ("extra_dims", axes.into()),
            ("extra_dim_size_x", 100.into()),
            ("frames_per_file", if axes == 0 { 60.into() } else { 0.into() }),
        ];
        let mut node = sink(&folder, &params);
        for number in 0..100 {
            node.feed(&frame_of(number, 40, 50)).unwrap();
            if number == 30 {
                // All frames so far, also frames that are being compressed.
                node.set("flush_now", true).unwrap();
                let shape = if axes == 0 { "(31, 40, 50)" } else { "(31, 1, 40, 50)" };
                python(
                    &folder.path().join("run_001.h5"),
                    &format!("assert f['/entry/data/data'].shape == {shape}"),
                );
            }
        }
        // Without a further frame, the last ones are written by the timer.
        node.advance(2_000_000).unwrap();
        node.advance(200_000_000).unwrap();
        let name = if axes == 0 { "run_002.h5" } else { "run_001.h5" };
        let (first, count) = if axes == 0 { (60, 40) } else { (0, 100) };
        let check = format!(
            "
d, u = f['/entry/data/data'], f['/entry/instrument/NDAttributes/NDArrayUniqueId']
n = np.arange({first}, 100)
assert (u[:] == n).all() and f['/entry/instrument/performance/timestamp'].shape == ({count}, 5)
want = (3 * n[:, None] + np.arange(2000) % 60).astype('u2').reshape({count}, 40, 50)
assert (d[:].reshape({count}, 40, 50) == want).all()
"
        );
        python(&folder.path().join(name), &check);
        node.set("capture", false).unwrap();
        python(&folder.path().join(name), &check);
        assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (100.0, 0.0));
    }
}

/// Frames that are not compressed here, and frames whose chunk the node writes itself.
#[test]
fn threads_write_what_they_need_not_compress() {
    for (comes, workers, axes) in [("", 1, 0), ("", 3, 0), ("bslz4", 2, 0), ("lz4", 4, 0), ("", 3, 1)] {
        let folder = TempDir::new().unwrap();
        let params = [
            ("workers", workers.into()),
            ("extra_dims", axes.into()),
            ("extra_dim_size_x", 100.into()),
            ("flush_frames", 7.into()),
        ];
        let mut node = sink(&folder, &params);
        let mut compress =
            (!comes.is_empty()).then(|| Harness::new::<Compress>(&[("compressor", comes.into())]).unwrap());
        for number in 0..100 {
            let frame = frame_of(number, 40, 50);
            let frame = compress.as_mut().map_or(frame.clone(), |c| c.feed(&frame).unwrap().remove(0));
            node.feed(&frame).unwrap();
        }
        node.set("flush_now", true).unwrap();
        let check = "
d, u = f['/entry/data/data'], f['/entry/instrument/NDAttributes/NDArrayUniqueId']
n = np.arange(100)
assert (u[:] == n).all()
want = (3 * n[:, None] + np.arange(2000) % 60).astype('u2').reshape(100, 40, 50)
assert (d[:].reshape(100, 40, 50) == want).all()
";
        python(&folder.path().join("run_001.h5"), check);
        node.set("capture", false).unwrap();
        python(&folder.path().join("run_001.h5"), check);
        assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (100.0, 0.0));
        assert!(node.number_of("run_time") >= 0.0 && node.number_of("flushes") > 1.0);
    }
}

/// Without a frame that is left out on purpose none is missing.
#[test]
fn frames_that_were_left_out_on_purpose_are_not_lost() {
    let folder = TempDir::new().unwrap();
    let mut graph = Graph::default();
    graph.add("cam", NodeType::of::<Pictures>()).unwrap();
    let roi = graph.add("roi", NodeType::of::<Roi>()).unwrap();
    let hdf5 = graph.add("hdf5", NodeType::of::<Hdf5Files>()).unwrap();
    let path = folder.path().to_str().unwrap();
    for (node, name, value) in
        [(hdf5, "path", Value::from(path)), (hdf5, "mode", "stream".into()), (hdf5, "capture", true.into())]
    {
        graph.set(node, name, &value).unwrap();
    }
    let _ = roi;
    let every = |every| EdgeOptions { when_full: WhenFull::Block, every, ..EdgeOptions::default() };
    graph.connect("cam", "roi", every(3)).unwrap();
    graph.connect("roi", "hdf5", every(2)).unwrap();
    let run = Run::start(&graph, RunOptions { max_frames: Some(600), ..RunOptions::default() }).unwrap();
    run.wait(livetime_testkit::HANG);
    let report = run.finish(livetime_testkit::HANG);
    assert!(report.imbalances().is_empty(), "{report:?}");
    python(
        &folder.path().join("frame_001.h5"),
        "
u = f['/entry/instrument/NDAttributes/NDArrayUniqueId'][:]
assert len(u) == 100 and (np.diff(u) == 6).all()
loss = f['/entry/instrument/loss']
assert loss['lost'][()] == 0 and not loss['missing_before'][:].any()
",
    );
}

#[test]
fn a_file_of_few_frames_is_small() {
    let folder = TempDir::new().unwrap();
    let common = [("path", folder.path().to_str().unwrap().into())];
    let bytes = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    let mut single = Harness::new::<Hdf5Files>(&common).unwrap();
    single.feed(&frame(0)).unwrap();
    assert!(bytes("frame_001.h5") < 32 << 10, "{}", bytes("frame_001.h5"));
    let mut ten = sink(&folder, &[("num_capture", 10.into())]);
    (0..10).for_each(|number| drop(ten.feed(&frame(number)).unwrap()));
    assert!(bytes("run_001.h5") < 64 << 10, "{}", bytes("run_001.h5"));
    python(
        &folder.path().join("run_001.h5"),
        "
a = f['/entry/instrument/NDAttributes']
assert a['NDArrayUniqueId'].chunks == (10,) and list(a['Shot'][:]) == [-k for k in range(10)]
",
    );
}

#[test]
fn what_cannot_be_written_is_refused_and_the_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[]);
    node.feed(&frame(0)).unwrap();
    let other = node.image::<u8>(&[2, 2], &[1; 4]).unwrap();
    let error = node.feed(&other).unwrap_err().to_string();
    assert!(
        error.contains("wanted frames of 6x10 u16 mono as the first of the file, found 2x2 u8 mono"),
        "{error}"
    );
    assert_eq!(node.get("write_message"), Some(error.into()));
    node.feed(&frame(1)).unwrap();
    assert_eq!((node.number_of("num_captured"), node.number_of("write_errors")), (2.0, 1.0));
    assert_eq!(node.number_of("num_lost"), 1.0);
    node.set("on_change", "new_file").unwrap();
    node.feed(&other).unwrap();
    node.set("capture", false).unwrap();
    python(&folder.path().join("run_001.h5"), "assert f['/entry/data/data'].shape == (2, 6, 10)");
    python(&folder.path().join("run_002.h5"), "assert f['/entry/data/data'].shape == (1, 2, 2)");
    for menu in ["szip", "N-bit", "JPEG"] {
        node.set("compression", menu).unwrap();
        node.set("capture", true).unwrap();
        assert!(node.feed(&frame(2)).unwrap_err().to_string().ends_with(&format!("found {menu}")));
        assert!(node.get("write_message").unwrap().to_string().contains("wanted None, zlib"), "{menu}");
    }
}

#[test]
fn frames_for_which_there_is_no_file_are_lost_until_there_is_one() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("later");
    let path = [("path", below.to_str().unwrap().into())];
    let mut node = sink(&folder, &path);
    for number in 0..3 {
        let error = node.feed(&frame(number)).unwrap_err().to_string();
        assert!(error.contains("later`: wanted a folder, found none"), "{error}");
    }
    assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (0.0, 3.0));
    std::fs::create_dir(&below).unwrap();
    node.feed(&frame(3)).unwrap();
    node.set("capture", false).unwrap();
    assert_eq!((node.number_of("num_captured"), node.number_of("num_lost")), (1.0, 3.0));
    python(&below.join("run_001.h5"), "assert f['/entry/instrument/loss/lost'][()] == 3");
}

#[test]
fn files_of_so_many_frames_are_shown_as_one() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[("frames_per_file", 4.into())]);
    (0..10).for_each(|number| drop(node.feed(&frame(number)).unwrap()));
    node.set("capture", false).unwrap();
    assert!(folder.path().join("run_003.h5").is_file());
    python(
        &folder.path().join("run_001_all.h5"),
        "
d = f['/entry/data/data']
assert d.shape == (10, 6, 10) and d.is_virtual
assert (d[:] == np.array([[3 * k + i for i in range(60)] for k in range(10)], 'u2').reshape(10, 6, 10)).all()
",
    );
}

#[test]
fn a_frame_is_seen_after_the_flush_period_when_no_other_comes() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[("flush_period", 0.5.into())]);
    node.feed(&frame(0)).unwrap();
    let path = folder.path().join("run_001.h5");
    python(&path, "assert f['/entry/data/data'].shape[0] == 0");
    node.advance(600_000_000).unwrap();
    python(&path, "assert f['/entry/data/data'].shape[0] == 1");
}

#[test]
fn values_that_are_missing_or_come_later() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[]);
    node.feed(&frame(0)).unwrap();
    let bare = node.image::<u16>(&[6, 10], &[1; 60]).unwrap();
    node.feed(&bare).unwrap();
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "
a = f['/entry/instrument/NDAttributes']
assert np.isnan(a['Gain'][1]) and a['Shot'][1] == 0 and a['Name'][1] == b''
",
    );
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    livetime_engine::testing::assert_compliant::<Hdf5Files>(&[("path", path.into())]);
}
