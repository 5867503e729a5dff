//! Chunks that hold parts of frames, judged by h5py.

use livetime_engine::Value;
use livetime_engine::testing::Harness;
use livetime_frame::{ColorMode, DType, Layout};
use tempfile::TempDir;

use super::{Compress, frame_of, python, sink};

#[test]
fn frames_are_cut_into_chunks() {
    let cases: [(&str, [i64; 3], i64, &str); 6] = [
        ("None", [16, 10, 0], 1, "(1, 10, 16)"),
        ("None", [16, 0, 0], 3, "(3, 40, 16)"),
        ("zlib", [7, 13, 99], 1, "(1, 13, 7)"),
        ("BSLZ4", [25, 20, 0], 3, "(3, 20, 25)"),
        ("Blosc", [99, 1, 0], 1, "(1, 1, 50)"),
        ("LZ4", [33, 33, 0], 4, "(4, 33, 33)"),
    ];
    for (compression, [columns, rows, other], frames, chunks) in cases {
        let folder = TempDir::new().unwrap();
        let params: [(&str, Value); 6] = [
            ("compression", compression.into()),
            ("chunk_size_auto", false.into()),
            ("chunk_columns", columns.into()),
            ("chunk_rows", rows.into()),
            ("chunk_size_2", other.into()),
            ("frames_per_chunk", frames.into()),
        ];
        let mut node = sink(&folder, &params);
        for number in 0..10 {
            node.feed(&frame_of(number, 40, 50)).unwrap();
            if number % 4 == 1 {
                node.set("flush_now", true).unwrap();
            }
        }
        let check = format!("
d = f['/entry/data/data']
assert d.chunks == {chunks}, d.chunks
assert (d[:] == np.array([[3 * k + i % 60 for i in range(2000)] for k in range(10)], 'u2').reshape(10, 40, 50)).all()
assert (len(d.id.get_create_plist().get_filter(0)) if d.id.get_create_plist().get_nfilters() else 0) == (0 if '{compression}' == 'None' else 4)
");
        node.set("flush_now", true).unwrap();
        python(&folder.path().join("run_001.h5"), &check);
        node.set("capture", false).unwrap();
        python(&folder.path().join("run_001.h5"), &check);
    }
}

#[test]
fn colours_and_what_cannot_be_cut() {
    let folder = TempDir::new().unwrap();
    let cut: [(&str, Value); 2] = [("chunk_size_auto", false.into()), ("chunk_size_2", 2.into())];
    let mut node = sink(&folder, &cut);
    let layout = Layout::packed(DType::U8, ColorMode::Rgb1, &[5, 4, 3]).unwrap();
    let pixels: Vec<u8> = (0..60).collect();
    let colours = node.array(layout, &pixels).unwrap();
    node.feed(&colours).unwrap();
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "
d = f['/entry/data/data']
assert d.chunks == (1, 2, 4, 3) and (d[0] == np.arange(60).reshape(5, 4, 3)).all()
",
    );
    let mut compress = Harness::new::<Compress>(&[("compressor", "bslz4".into())]).unwrap();
    let packed = compress.feed(&frame_of(1, 40, 50)).unwrap().remove(0);
    let cases = [
        ("came", 0, "wanted frames that come uncompressed for chunks that hold parts of a frame"),
        ("scan", 1, "wanted `extra_dims` 0"),
    ];
    for (name, axes, wanted) in cases {
        let params: [(&str, Value); 4] = [
            ("file_name", name.into()),
            ("chunk_size_auto", false.into()),
            ("chunk_rows", 4.into()),
            ("extra_dims", axes.into()),
        ];
        let mut node = sink(&folder, &params);
        let fed = if name == "came" { packed.clone() } else { frame_of(1, 40, 50) };
        let why = node.feed(&fed).unwrap_err().to_string();
        assert!(why.contains(wanted), "{why}");
        // The frame is lost, and no file is left.
        assert_eq!((node.number_of("num_lost"), node.number_of("num_captured")), (1.0, 0.0));
        assert!(!folder.path().join(format!("{name}_001.h5")).exists());
    }
}

/// Reading chunk by chunk gives the written frames.
#[test]
fn what_was_cut_is_read_by_ourselves() {
    use livetime_formats::hdf5::{Filled, Hdf5, Scratch};
    let folder = TempDir::new().unwrap();
    let params: [(&str, Value); 5] = [
        ("compression", "BSLZ4".into()),
        ("chunk_size_auto", false.into()),
        ("chunk_columns", 7.into()),
        ("chunk_rows", 9.into()),
        ("frames_per_chunk", 2.into()),
    ];
    let mut node = sink(&folder, &params);
    let frames: Vec<_> = (0..5).map(|number| frame_of(number, 40, 50)).collect();
    frames.iter().for_each(|frame| drop(node.feed(frame).unwrap()));
    node.set("capture", false).unwrap();
    let file = Hdf5::open(&folder.path().join("run_001.h5")).unwrap();
    let (array, mut scratch) = (file.array("/entry/data/data").unwrap(), Scratch::default());
    for (row, frame) in frames.iter().enumerate() {
        let mut found = vec![0; 4000];
        assert_eq!(array.read(row as u64, 1, &mut found, &mut scratch).unwrap(), Filled::Whole);
        assert_eq!(found, frame.bytes());
    }
}
