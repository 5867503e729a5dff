use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{AttributeValue, ColorMode, DType, FramePool, Layout, with_dtype};
use tempfile::TempDir;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use super::*;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into()), ("file_name", "run".into())];
    Harness::new::<TiffFiles>(&[&path[..], params].concat()).unwrap()
}

fn decoder(path: PathBuf) -> Decoder<Cursor<Vec<u8>>> {
    Decoder::new(Cursor::new(fs::read(path).unwrap())).unwrap()
}

/// All samples in the order of the file.
fn samples(path: PathBuf) -> Vec<u8> {
    let mut result = DecodingResult::U8(Vec::new());
    decoder(path).read_image_to_buffer(&mut result).unwrap();
    result.as_buffer(0).as_bytes().to_vec()
}

#[test]
fn every_type_and_colour_is_read_back() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let mut number = 0;
    for dtype in DType::ALL {
        for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
            let layout = Layout::packed(dtype, color, &color.shape(5, 3)).unwrap();
            let frame = with_dtype!(dtype, T => {
                let elements: Vec<T> = (0..layout.len()).map(|i| i as T).collect();
                harness.array(layout, &elements).unwrap()
            });
            harness.feed(&frame).unwrap();
            number += 1;
            let path = folder.path().join(format!("run_{number:03}.tif"));
            let mut file = decoder(path.clone());
            let bits = 8 * dtype.bytes() as u8;
            let kind = if color.is_rgb() { tiff::ColorType::RGB(bits) } else { tiff::ColorType::Gray(bits) };
            assert_eq!((file.dimensions().unwrap(), file.colortype().unwrap()), ((5, 3), kind));
            let expected: Vec<u8> = match color {
                // Row, colour, column in the frame; colour, row, column in the file.
                ColorMode::Rgb2 => {
                    let row = |c: usize, y: usize| {
                        &frame.bytes()[(y * 3 + c) * 5 * dtype.bytes()..][..5 * dtype.bytes()]
                    };
                    (0..9).flat_map(|i| row(i / 3, i % 3).to_vec()).collect()
                }
                _ => frame.bytes().to_vec(),
            };
            assert_eq!(samples(path), expected, "{layout}");
        }
    }
    assert_eq!(harness.number_of("num_captured"), 40.0);
    assert_eq!(harness.number_of("file_number"), 41.0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 40);
}

#[test]
fn views_are_written_from_where_they_lie() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("auto_increment", false.into()), ("overwrite", true.into())]);
    for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
        let whole = Layout::packed(DType::U16, color, &color.shape(9, 7)).unwrap();
        let elements: Vec<u16> = (0..whole.len() as u16).collect();
        let frame = harness.array(whole, &elements).unwrap();
        let axes = whole.axes();
        let (rows, y) = whole.crop(axes.y.unwrap(), 2, 4).unwrap();
        let (part, x) = rows.crop(axes.x.unwrap(), 3, 5).unwrap();
        let view = harness.view(&frame, part, y + x).unwrap();
        harness.feed(&view).unwrap();
        let mut expected = Vec::new();
        let colors = if color.is_rgb() { 3 } else { 1 };
        let at = |y: usize, x: usize, c: usize| match color {
            ColorMode::Rgb1 => (y * 9 + x) * 3 + c,
            ColorMode::Rgb2 => (y * 3 + c) * 9 + x,
            _ => (c * 7 + y) * 9 + x,
        };
        for i in 0..4 * 5 * colors {
            let (y, x, c) = match color {
                ColorMode::Rgb1 => (i / 15, i / 3 % 5, i % 3),
                _ => (i / 5 % 4, i % 5, i / 20),
            };
            expected.extend_from_slice(&(at(y + 2, x + 3, c) as u16).to_ne_bytes());
        }
        assert_eq!(samples(folder.path().join("run_001.tif")), expected, "{color}");
    }
}

#[test]
fn tags_carry_number_time_and_attributes() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let mut frame = FramePool::new(1 << 20)
        .allocator()
        .array(Layout::packed(DType::U8, ColorMode::Mono, &[2, 2]).unwrap())
        .unwrap();
    let header = frame.header_mut();
    header.sequence = (1 << 32) + 77;
    header.event_time_ns = (631_152_000 + 10) * 1_000_000_000 + 500_000_000;
    for (name, value) in [("Gain", AttributeValue::Float(2.5)), ("Model", AttributeValue::Text("µ".into()))]
    {
        header.attributes.set(&Arc::from(name), value);
    }
    harness.feed(&frame.freeze()).unwrap();
    let mut file = decoder(folder.path().join("run_001.tif"));
    assert_eq!(file.get_tag_f64(Tag::Unknown(65000)).unwrap(), 10.5);
    assert_eq!(file.get_tag_u32(Tag::Unknown(65001)).unwrap(), 77);
    assert_eq!(file.get_tag_u32(Tag::Unknown(65002)).unwrap(), 10);
    assert_eq!(file.get_tag_u32(Tag::Unknown(65003)).unwrap(), 500_000_000);
    assert_eq!(file.get_tag_ascii_string(Tag::Unknown(65010)).unwrap(), "Gain:2.5");
    assert_eq!(file.get_tag_ascii_string(Tag::Software).unwrap(), "Livetime");
    let bytes = fs::read(folder.path().join("run_001.tif")).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has("Model:µ\0"));
}

#[test]
fn a_frame_without_a_time_has_that_of_its_arrival() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let mut frame = FramePool::new(1 << 20)
        .allocator()
        .array(Layout::packed(DType::U8, ColorMode::Mono, &[2, 2]).unwrap())
        .unwrap();
    frame.header_mut().attributes.set(&Arc::from("Gain"), AttributeValue::Float(2.5));
    let now_s = || livetime_engine::time_of_day_ns() as f64 / 1e9 - 631_152_000.0;
    let before = now_s();
    harness.feed(&frame.freeze()).unwrap();
    let mut file = decoder(folder.path().join("run_001.tif"));
    let recorded = file.get_tag_f64(Tag::Unknown(65000)).unwrap();
    assert!((before - 0.001..=now_s() + 0.001).contains(&recorded), "{before} {recorded}");
    assert_eq!(file.get_tag_ascii_string(Tag::Unknown(65010)).unwrap(), "Gain:2.5");
    assert_eq!(file.get_tag_ascii_string(Tag::Unknown(65011)).unwrap(), "TimeStampSource:arrival");
}

#[test]
fn a_second_run_goes_on_behind_the_first() {
    let folder = TempDir::new().unwrap();
    for run in 0..3u8 {
        let mut harness = sink(&folder, &[]);
        for _ in 0..4 {
            let image = harness.image::<u8>(&[1, 1], &[run]).unwrap();
            harness.feed(&image).unwrap();
        }
        assert_eq!((harness.number_of("num_captured"), harness.number_of("write_errors")), (4.0, 0.0));
    }
    let runs: Vec<u8> = (1..=12).map(|n| samples(folder.path().join(format!("run_{n:03}.tif")))[0]).collect();
    assert_eq!(runs, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    // The remains of a killed program are not touched.
    fs::write(folder.path().join("run_013.tif.tmp"), "half").unwrap();
    let mut harness = sink(&folder, &[]);
    let image = harness.image::<u8>(&[1, 1], &[9]).unwrap();
    harness.feed(&image).unwrap();
    assert_eq!(samples(folder.path().join("run_014.tif")), [9]);
    assert_eq!(fs::read(folder.path().join("run_013.tif.tmp")).unwrap(), b"half");
}

#[test]
fn two_at_once_never_write_to_one_file() {
    let folder = TempDir::new().unwrap();
    for suffix in [".tmp", ""] {
        let work = |who: u8| {
            let mut harness = sink(&folder, &[("temp_suffix", suffix.into())]);
            let image = harness.image::<u8>(&[100, 100], &[who; 10_000]).unwrap();
            (0..100).filter(|_| harness.feed(&image).is_ok()).count()
        };
        let written: Vec<usize> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..3).map(|who| scope.spawn(move || work(who))).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut found = [0; 3];
        for file in fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            let pixels = samples(path.clone());
            assert!(pixels.len() == 10_000 && pixels.iter().all(|p| *p == pixels[0]), "{path:?}");
            found[usize::from(pixels[0])] += 1;
            fs::remove_file(path).unwrap();
        }
        assert_eq!(found.to_vec(), written);
    }
}

#[test]
fn no_file_is_replaced_or_left_half_written() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("file_number", 5.into()), ("auto_increment", false.into())]);
    let first = harness.image::<u8>(&[1, 1], &[1]).unwrap();
    let second = harness.image::<u8>(&[1, 1], &[2]).unwrap();
    harness.feed(&first).unwrap();
    let error = harness.feed(&second).err().unwrap().to_string();
    assert!(error.ends_with("run_005.tif`: wanted a new file, found one of this name"), "{error}");
    assert_eq!(harness.get("write_message"), Some(error.as_str().into()));
    assert_eq!((harness.get("write_status"), harness.number_of("write_errors")), (Some("error".into()), 1.0));
    assert_eq!(samples(folder.path().join("run_005.tif")), [1]);
    harness.set("overwrite", true).unwrap();
    // A file that another program is writing is left alone.
    fs::write(folder.path().join("run_005.tif.tmp"), "theirs").unwrap();
    harness.feed(&second).unwrap();
    assert_eq!(samples(folder.path().join("run_005.tif")), [2]);
    assert_eq!(fs::read(folder.path().join("run_005.tif.tmp")).unwrap(), b"theirs");
    fs::remove_file(folder.path().join("run_005.tif.tmp")).unwrap();
    harness.set("auto_increment", true).unwrap();
    harness.feed(&second).unwrap();
    assert_eq!((harness.get("write_status"), harness.number_of("file_number")), (Some("ok".into()), 6.0));
    // The name is taken by a folder: the rename fails, and nothing is left.
    fs::create_dir(folder.path().join("run_006.tif")).unwrap();
    assert!(harness.feed(&second).err().unwrap().to_string().contains("run_006.tif"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    harness.set("temp_suffix", "").unwrap();
    harness.set("file_number", 7).unwrap();
    harness.feed(&first).unwrap();
    assert_eq!(samples(folder.path().join("run_007.tif")), [1]);
}

#[test]
fn a_missing_folder_is_shown_and_told_and_keeps_nobody_from_starting() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("a/b").to_str().unwrap().to_owned();
    let path = ("path", missing.as_str().into());
    let mut harness = Harness::new::<TiffFiles>(std::slice::from_ref(&path)).unwrap();
    let told = harness.events();
    assert!(
        told[0].is_error && told[0].message.starts_with(&format!("`{missing}`: wanted a folder")),
        "{told:?}"
    );
    assert_eq!(harness.get("file_path_exists"), Some(false.into()));
    let image = harness.image::<u8>(&[1, 1], &[1]).unwrap();
    assert!(harness.feed(&image).unwrap_err().to_string().contains("/a/b`: wanted a folder, found none"));
    assert_eq!(harness.number_of("write_errors"), 1.0);
    // The folder comes, goes, and is named again.
    fs::create_dir_all(&missing).unwrap();
    harness.feed(&image).unwrap();
    assert_eq!(harness.get("file_path_exists"), Some(true.into()));
    fs::remove_dir_all(&missing).unwrap();
    assert!(harness.feed(&image).is_err());
    harness.set("path", "/no/such/folder").unwrap();
    assert_eq!(harness.get("file_path_exists"), Some(false.into()));
    harness.set("path", folder.path().to_str().unwrap()).unwrap();
    assert_eq!(harness.get("file_path_exists"), Some(true.into()));
    harness.feed(&image).unwrap();
    // Folders that may be created are created again.
    let below = folder.path().join("c");
    let params = [("path", below.to_str().unwrap().into()), ("create_directory", (-1).into())];
    let mut harness = Harness::new::<TiffFiles>(&params).unwrap();
    harness.feed(&image).unwrap();
    fs::remove_dir_all(&below).unwrap();
    harness.feed(&image).unwrap();
    assert_eq!(harness.number_of("write_errors"), 0.0);
}

#[test]
fn templates_that_are_none_are_refused() {
    let folder = TempDir::new().unwrap();
    assert!(Harness::new::<TiffFiles>(&[("template", "%f".into())]).is_err());
    let mut harness = sink(&folder, &[]);
    assert!(harness.set("template", "%s%f").is_err());
}

#[test]
fn what_is_no_picture_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let cube = harness.image::<u8>(&[2, 2, 2], &[0; 8]).unwrap();
    let error = harness.feed(&cube).err().unwrap().to_string();
    assert!(error.ends_with("found 2x2x2 u8 mono"), "{error}");
    let slice = harness.image::<u8>(&[1, 2, 2], &[1, 2, 3, 4]).unwrap();
    harness.feed(&slice).unwrap();
    assert_eq!(samples(folder.path().join("run_001.tif")), [1, 2, 3, 4]);
    let line = harness.image::<i16>(&[3], &[1, -2, 3]).unwrap();
    harness.feed(&line).unwrap();
    assert_eq!(decoder(folder.path().join("run_002.tif")).dimensions().unwrap(), (3, 1));
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    assert_compliant::<TiffFiles>(&[("path", folder.path().to_str().unwrap().into())]);
}
