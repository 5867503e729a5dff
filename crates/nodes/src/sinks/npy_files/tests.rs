use std::fs;
use std::path::Path;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{ColorMode, DType, Layout};
use tempfile::TempDir;

use super::*;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into())];
    Harness::new::<NpyFiles>(&[&path[..], params].concat()).unwrap()
}

/// Type, shape and bytes of the elements that the header says are there, as NumPy reads them.
fn read(file: &Path) -> (String, Vec<usize>, Vec<u8>) {
    let bytes = fs::read(file).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let begin = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let text = String::from_utf8(bytes[10..begin].to_vec()).unwrap();
    let between = |from: &str, to: char| {
        let rest = &text[text.find(from).unwrap() + from.len()..];
        rest[..rest.find(to).unwrap()].to_owned()
    };
    let dtype = between("'descr': '", '\'');
    let shape: Vec<usize> =
        between("'shape': (", ')').split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let size: usize = dtype[2..].parse().unwrap();
    let end = begin + shape.iter().product::<usize>() * size;
    (dtype, shape, bytes[begin..end].to_vec())
}

#[test]
fn a_stack_can_be_read_after_each_array() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let file = folder.path().join("stack_0001.npy.inprogress");
    let mut wanted = Vec::new();
    for number in 0..12u16 {
        let pixels: Vec<u16> = (0..6).map(|i| 100 * number + i).collect();
        let frame = harness.image(&[2, 3], &pixels).unwrap();
        harness.feed(&frame).unwrap();
        wanted.extend(pixels.iter().flat_map(|pixel| pixel.to_le_bytes()));
        assert_eq!(read(&file), ("<u2".into(), vec![usize::from(number) + 1, 2, 3], wanted.clone()));
    }
    // Bytes that a killed program may have left behind the arrays that the header counts.
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .map(|mut f| std::io::Write::write_all(&mut f, b"half"))
        .unwrap()
        .unwrap();
    assert_eq!(read(&file).2, wanted);
}

#[test]
fn other_shapes_and_numbers_begin_other_files() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("max_frames", 2.into())]);
    for shape in [[2, 2], [2, 2], [2, 2], [4, 1]] {
        let frame = harness.image(&shape, &[1.5f64, 2.0, -1.0, 0.0]).unwrap();
        harness.feed(&frame).unwrap();
    }
    harness.drain().unwrap();
    let shapes: Vec<_> = (1..=3).map(|n| read(&folder.path().join(format!("stack_000{n}.npy"))).1).collect();
    assert_eq!(shapes, [[2, 2, 2], [1, 2, 2], [1, 4, 1]]);
    assert_eq!((harness.number_of("num_captured"), harness.number_of("files_written")), (4.0, 3.0));
}

#[test]
fn views_of_any_order_are_packed_one_file_each() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("grouping", "single".into())]);
    let layout = Layout::packed(DType::I16, ColorMode::Mono, &[3, 4]).unwrap();
    let whole = harness.array::<i16>(layout, &(0..12).collect::<Vec<i16>>()).unwrap();
    let (part, start) = layout.crop(1, 1, 2).unwrap();
    let view = harness.view(&whole, part, start).unwrap();
    harness.feed(&view).unwrap();
    let wanted = [1i16, 2, 5, 6, 9, 10].map(i16::to_le_bytes).concat();
    assert_eq!(read(&folder.path().join("stack_0001.npy")), ("<i2".into(), vec![3, 2], wanted));
    let line = harness.image(&[5], &[1u8, 2, 3, 4, 5]).unwrap();
    harness.feed(&line).unwrap();
    assert_eq!(read(&folder.path().join("stack_0002.npy")), ("|u1".into(), vec![5], vec![1, 2, 3, 4, 5]));
}

#[test]
fn what_cannot_be_written_is_counted_and_tried_again() {
    let folder = TempDir::new().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let mut harness = Harness::new::<NpyFiles>(&[("path", gone.to_str().unwrap().into())]).unwrap();
    fs::remove_dir(&gone).unwrap();
    let frame = harness.image(&[2], &[1u8, 2]).unwrap();
    assert!(harness.feed(&frame).unwrap_err().to_string().contains("wanted a folder"));
    fs::create_dir(&gone).unwrap();
    assert!(harness.feed(&frame).is_err(), "not yet tried again");
    harness.advance(1_000_000_000).unwrap();
    harness.feed(&frame).unwrap();
    harness.set("capture", false).unwrap();
    harness.feed(&frame).unwrap();
    let counts = ["write_errors", "num_captured", "ignored"].map(|name| harness.number_of(name));
    assert_eq!(counts, [2.0, 1.0, 1.0]);
    assert_eq!(read(&gone.join("stack_0001.npy")).1, [1, 2]);
}

/// A written array is no failure when its file cannot have its name, and the log names the place of the data.
#[test]
fn a_file_that_cannot_have_its_name_is_told() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("max_frames", 2.into())]);
    let frame = harness.image(&[2], &[1u8, 2]).unwrap();
    harness.feed(&frame).unwrap();
    fs::write(folder.path().join("stack_0001.npy"), "of somebody else").unwrap();
    for _ in 0..3 {
        harness.feed(&frame).unwrap();
    }
    let told =
        |event: &livetime_engine::Event| event.is_error && event.message.contains("0001.npy.inprogress");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    assert_eq!(["num_captured", "write_errors"].map(|name| harness.number_of(name)), [4.0, 0.0]);
    for name in ["stack_0001.npy.inprogress", "stack_0002.npy"] {
        assert_eq!(read(&folder.path().join(name)).1, [2, 2]);
    }
}

/// Within a second; then the next file is begun.
#[test]
fn a_file_that_is_taken_away_is_noticed() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let frame = harness.image(&[2], &[1u8, 2]).unwrap();
    harness.feed(&frame).unwrap();
    fs::remove_file(folder.path().join("stack_0001.npy.inprogress")).unwrap();
    harness.advance(2_000_000_000).unwrap();
    harness.feed(&frame).unwrap();
    let told = |event: &livetime_engine::Event| event.message.contains("the data are gone");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    harness.drain().unwrap();
    assert_eq!(read(&folder.path().join("stack_0002.npy")).2, [1, 2]);
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    assert_compliant::<NpyFiles>(&[("path", folder.path().to_str().unwrap().into())]);
}
