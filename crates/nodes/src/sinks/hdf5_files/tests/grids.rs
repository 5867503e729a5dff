//! The axes of a scan, judged by h5py.

use std::sync::Arc;

use livetime_frame::{AttributeValue, Frame};
use tempfile::TempDir;

use super::{frame, python, sink};

fn at(number: u64, place: &[(&str, AttributeValue)]) -> Frame {
    let mut frame = frame(number).try_into_mut().ok().unwrap();
    for (name, value) in place {
        frame.header_mut().attributes.set(&Arc::from(*name), value.clone());
    }
    frame.freeze()
}

#[test]
fn frames_in_order_fill_the_axes_of_a_scan_and_end_it() {
    for (chunk, compression) in [(1, "None"), (2, "None"), (1, "BSLZ4")] {
        let folder = TempDir::new().unwrap();
        let mut node = sink(&folder, &[("capture", false.into()), ("compression", compression.into())]);
        for (name, value) in [("extra_dims", 2), ("extra_dim_size_n", 2), ("extra_dim_size_x", 3)] {
            node.set(name, value).unwrap();
        }
        node.set("frames_per_chunk", chunk).unwrap();
        assert_eq!(node.number_of("num_capture"), 6.0);
        node.set("extra_dim_size_y", 4).unwrap();
        assert_eq!(node.number_of("num_capture"), 24.0);
        // All of the scan, as nothing else is wanted.
        node.set("num_capture", 0).unwrap();
        node.set("capture", true).unwrap();
        for number in 0..30 {
            node.feed(&frame(number)).unwrap();
            if number == 13 {
                node.set("flush_now", true).unwrap();
                python(
                    &folder.path().join("run_001.h5"),
                    "assert f['/entry/data/data'].shape == (3, 3, 2, 6, 10)",
                );
            }
        }
        assert_eq!((node.number_of("num_captured"), node.get("capture")), (24.0, Some(false.into())));
        let check = format!(
            "
d = f['/entry/data/data']
assert d.shape == (4, 3, 2, 6, 10) and d.chunks == (1, 1, {chunk}, 6, 10), (d.shape, d.chunks)
assert (d[..., 0, 0].ravel() == 3 * np.arange(24)).all() and (d[3, 2, 1, 5] == 69 + np.arange(50, 60)).all()
a = f['/entry/instrument/NDAttributes']
assert a['NDArrayUniqueId'][:].tolist() == list(range(24)) and a['Shot'].shape == (24,)
assert d.attrs['NDArrayNumDims'] == 2 and d.attrs['NDArrayNumDims'].shape == ()
"
        );
        python(&folder.path().join("run_001.h5"), &check);
    }
}

#[test]
fn frames_go_where_their_attributes_say() {
    let folder = TempDir::new().unwrap();
    let params = [
        ("extra_dims", 2.into()),
        ("extra_dim_size_x", 3.into()),
        ("extra_dim_size_y", 4.into()),
        ("position_mode", true.into()),
        ("position_name_x", "x".into()),
        ("position_name_y", "y".into()),
        ("position_index_y", "height".into()),
        ("dim_attributes", true.into()),
        ("fill_value", 77.0.into()),
    ];
    let mut node = sink(&folder, &params);
    // A snake, from the last line to the first; the place in the middle of the second line is left out.
    let places = (0..12u64).map(|k| (3 - k / 3, if k / 3 % 2 == 0 { k % 3 } else { 2 - k % 3 }));
    for (number, (y, x)) in places.enumerate().filter(|(_, place)| *place != (1, 1)) {
        let place = [
            ("x", AttributeValue::Float(x as f64)),
            ("y", AttributeValue::Int(y as i64)),
            ("height", AttributeValue::Float(y as f64 / 4.0)),
        ];
        node.feed(&at(number as u64, &place)).unwrap();
    }
    for (x, found) in [
        (AttributeValue::Int(3), "found 3"),
        (AttributeValue::Float(0.5), "found 0.5"),
        (AttributeValue::Int(-1), "found -1"),
    ] {
        let wrong = at(50, &[("x", x), ("y", AttributeValue::Int(0))]);
        let error = node.feed(&wrong).unwrap_err().to_string();
        assert!(
            error.contains("wanted a place from 0 to 2 in the attribute `x`") && error.contains(found),
            "{error}"
        );
    }
    assert!(node.feed(&frame(51)).unwrap_err().to_string().contains("found none"));
    let again = [
        ("x", AttributeValue::Int(0)),
        ("y", AttributeValue::Int(0)),
        ("height", AttributeValue::Float(0.0)),
    ];
    node.feed(&at(100, &again)).unwrap();
    assert_eq!(
        ["wrong_positions", "positions_again", "num_captured"].map(|n| node.number_of(n)),
        [4.0, 1.0, 12.0]
    );
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "
d, a = f['/entry/data/data'], f['/entry/instrument/NDAttributes']
assert d.shape == (4, 3, 1, 6, 10), d.shape
numbers = np.array([[(3 - y) * 3 + (x if (3 - y) % 2 == 0 else 2 - x) for x in range(3)] for y in range(4)])
numbers[0, 0] = 100
want = 3 * numbers
want[1, 1] = 77
assert (d[:, :, 0, 0, 0] == want).all(), d[:, :, 0, 0, 0]
assert a['NDArrayUniqueId'].shape == (4, 3, 1) and a['NDArrayUniqueId'][1, 1, 0] == 0
numbers[1, 1] = 0
assert (a['NDArrayUniqueId'][:, :, 0] == numbers).all()
assert a['height'].shape == (4,) and a['height'][:].tolist() == [0, .25, .5, .75]
assert a['Name'][3, 0, 0].decode() == 'größe 0' and a['x'].shape == (4, 3, 1)
assert f['/entry/instrument/loss/missing_before'].shape[0] == 12
",
    );
}

#[test]
fn a_scan_that_cannot_be_written_is_refused_when_it_begins() {
    let folder = TempDir::new().unwrap();
    let mut node =
        sink(&folder, &[("capture", false.into()), ("extra_dims", 1.into()), ("extra_dim_size_x", 5.into())]);
    node.set("position_mode", true).unwrap();
    let error = node.set("capture", true).unwrap_err().to_string();
    assert!(error.contains("PosNameDimX"), "{error}");
    node.set("position_mode", false).unwrap();
    node.set("frames_per_file", 2).unwrap();
    assert!(node.set("capture", true).unwrap_err().to_string().contains("frames_per_file"));
    node.set("frames_per_file", 0).unwrap();
    node.set("extra_dim_size_x", 4_194_304).unwrap();
    node.set("extra_dim_size_n", 2).unwrap();
    assert!(node.set("capture", true).unwrap_err().to_string().contains("at most 4194304 places"));
    node.set("extra_dim_size_x", 2).unwrap();
    node.set("extra_dim_chunk_x", 2).unwrap();
    node.set("compression", "zlib").unwrap();
    node.set("capture", true).unwrap();
    assert!(node.feed(&frame(0)).unwrap_err().to_string().contains("wanted chunks of one frame"));
}
