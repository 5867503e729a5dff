use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{Next, Value};
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::{Datagram, Transition, TypeId, id};
use livetime_frame::{AttributeValue, ColorMode, DType, Flags, FrameMut, FramePool, Layout, with_dtype};
use tempfile::TempDir;

use super::*;
use crate::process::compress::Compress;
use crate::sources::recording::Recording;

fn recorder(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into())];
    Harness::new::<XtcRecorder>(&[&path[..], params].concat()).unwrap()
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("run-r0001-s00-c00.xtc")
}

fn play(file: &Path, detector: &str) -> Vec<Frame> {
    let params = [("file", file.to_str().unwrap().into()), ("detector", detector.into())];
    let mut source = Harness::new::<Recording>(&params).unwrap();
    let mut frames = Vec::new();
    loop {
        let (more, next) = source.produce().unwrap();
        frames.extend(more);
        if next == Next::Finished {
            return frames;
        }
    }
}

/// Whether type, shape, colours and elements are the same, however they lie.
fn assert_same(a: &Frame, b: &Frame) {
    let (a, b) = (a.array().unwrap(), b.array().unwrap());
    let describe = |layout: &Layout| (layout.dtype(), layout.color(), layout.shape().collect::<Vec<_>>());
    assert_eq!(describe(a.layout()), describe(b.layout()));
    let bytes = |array| crate::packed::packed(&array, &mut Vec::new()).to_vec();
    assert!(bytes(a) == bytes(b), "{}", a.layout());
}

#[test]
fn every_type_colour_and_region_is_read_back() {
    for codec in ["none", "hist16", "histn", "blockpack", "blockpack_dense"] {
        let folder = TempDir::new().unwrap();
        let mut harness = recorder(&folder, &[("compression", codec.into()), ("threads", 2.into())]);
        let mut frames = Vec::new();
        for dtype in DType::ALL {
            for (color, shape) in [
                (ColorMode::Mono, vec![37, 41]),
                (ColorMode::Mono, vec![99]),
                (ColorMode::Mono, vec![5, 6, 7]),
                (ColorMode::Mono, vec![4, 2, 9, 11]),
                (ColorMode::Rgb1, ColorMode::Rgb1.shape(21, 13)),
                (ColorMode::Rgb3, ColorMode::Rgb3.shape(21, 13)),
            ] {
                let layout = Layout::packed(dtype, color, &shape).unwrap();
                frames.push(with_dtype!(dtype, T => {
                    let elements: Vec<T> = (0..layout.len()).map(|i| (i % 97) as T).collect();
                    harness.array(layout, &elements).unwrap()
                }));
            }
        }
        let whole = harness.image(&[50, 60], &(0..3000).collect::<Vec<u16>>()).unwrap();
        let (rows, y) = whole.array().unwrap().layout().crop(0, 7, 30).unwrap();
        let (part, x) = rows.crop(1, 3, 40).unwrap();
        frames.push(harness.view(&whole, part, y + x).unwrap());
        frames.iter().for_each(|frame| assert!(harness.feed(frame).is_ok()));
        harness.drain().unwrap();
        let played = play(&file(&folder), "");
        assert_eq!(played.len(), frames.len());
        frames.iter().zip(&played).for_each(|(a, b)| assert_same(a, b));
    }
}

fn described(number: u64) -> FrameMut {
    let layout = Layout::packed(DType::U16, ColorMode::Mono, &[2, 3]).unwrap();
    let mut frame = FramePool::new(1 << 16).allocator().array(layout).unwrap();
    let header = frame.header_mut();
    header.sequence = number;
    header.event_time_ns = 1_700_000_000_000_000_000 + number as i64;
    frame
}

#[test]
fn conditions_and_attributes_are_kept() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[]);
    let mut frame = described(77);
    let header = frame.header_mut();
    header.flags = Flags::DAMAGED;
    let attributes = [
        ("Fiducial", AttributeValue::Uint(360)),
        ("Gain", AttributeValue::Float(2.5)),
        ("Sample", AttributeValue::Text("silver".into())),
        ("Offset", AttributeValue::Int(-3)),
    ];
    attributes.iter().for_each(|(name, value)| header.attributes.set(&Arc::from(*name), value.clone()));
    harness.feed(&frame.freeze()).unwrap();
    harness.feed(&described(78).freeze()).unwrap();
    harness.drain().unwrap();
    let played = play(&file(&folder), "Opal1000");
    let header = played[0].header();
    attributes.iter().for_each(|(name, value)| assert_eq!(header.attributes.get(name), Some(value)));
    assert!(header.flags.contains(Flags::DAMAGED));
    assert_eq!(header.event_time_ns, 1_700_000_000_000_000_077);
    assert!(!played[1].header().flags.contains(Flags::DAMAGED));
    assert_eq!(played[1].header().attributes.get("Fiducial"), None);
    let run = Run::open(&[file(&folder)]).unwrap();
    assert_eq!(run.events()[0].stamp.fiducial(), 360);
}

#[test]
fn inputs_are_detectors_of_one_event() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("detector", "CxiDs1-0|Opal1000-3".into())]);
    for number in 0..3 {
        let frame = described(number).freeze();
        harness.feed_to(0, &frame).unwrap();
        if number != 1 {
            harness.feed_to(2, &frame).unwrap();
        }
    }
    harness.drain().unwrap();
    let files = Run::files_of(&file(&folder)).unwrap();
    assert_eq!(files.len(), 2);
    let run = Run::open(&files).unwrap();
    assert!(run.problems().is_empty());
    let pieces: Vec<usize> = run.events().iter().map(|e| run.pieces(e).len()).collect();
    assert_eq!(pieces, [2, 1, 2]);
    let kinds: Vec<Transition> = run.transitions().iter().map(|t| t.header.transition()).collect();
    use Transition::{
        BeginCalibCycle, BeginRun, Configure, Disable, Enable, EndCalibCycle, EndRun, Unconfigure,
    };
    let wanted = [Configure, BeginRun, BeginCalibCycle, Enable, Disable, EndCalibCycle, EndRun, Unconfigure];
    assert_eq!(kinds, wanted);
    assert_eq!(run.transitions()[1].header.env.0, 1);
    assert_eq!(play(&file(&folder), "CxiDs1-0|Opal1000-3").len(), 3);
    assert_eq!(play(&file(&folder), "CxiDs1-0|Opal1000-5").len(), 2);
}

#[test]
fn pictures_of_cameras_are_of_the_type_that_all_readers_know() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("compression", "hist16".into()), ("threads", 0.into())]);
    let flat = harness.image(&[40, 50], &[700u16; 2000]).unwrap();
    let floats = harness.image(&[2, 2], &[1.5f32; 4]).unwrap();
    harness.feed(&flat).unwrap();
    harness.feed(&floats).unwrap();
    harness.drain().unwrap();
    assert_eq!((harness.number_of("uncompressed"), harness.number_of("degraded")), (1.0, 0.0));
    let run = Run::open(&[file(&folder)]).unwrap();
    let mut bytes = EventBytes::default();
    let types = run.events().iter().map(|event| {
        run.read(event, &mut bytes).unwrap();
        let datagram = Datagram::parse(bytes.pieces().next().unwrap()).unwrap();
        assert!(datagram.check().is_ok());
        datagram.leaves().last().unwrap().header.type_id
    });
    let wanted = [TypeId::new(id::FRAME, 1).compressed(), TypeId::new(id::ARRAY, 1)];
    assert_eq!(types.collect::<Vec<_>>(), wanted);
}

#[test]
fn frames_that_no_thread_has_time_for_are_written_as_they_are() {
    let folder = TempDir::new().unwrap();
    let params = [("compression", "histn".into()), ("threads", 1.into()), ("queue", 1.into())];
    let mut harness = recorder(&folder, &params);
    let pixels: Vec<u16> =
        (0..512 * 512u32).map(|i| 1000 + (i.wrapping_mul(2_654_435_761) >> 27) as u16).collect();
    let frame = harness.image(&[512, 512], &pixels).unwrap();
    (0..40).for_each(|_| assert!(harness.feed(&frame).is_ok()));
    harness.drain().unwrap();
    let degraded = harness.number_of("degraded");
    assert!(degraded > 0.0 && degraded < 40.0, "{degraded}");
    assert_eq!((harness.number_of("num_captured"), harness.number_of("uncompressed")), (40.0, 0.0));
    let bytes = fs::metadata(file(&folder)).unwrap().len();
    assert_eq!(harness.number_of("bytes_written") + 8.0 * 40.0, bytes as f64);
    let played = play(&file(&folder), "");
    assert_eq!(played.len(), 40);
    played.iter().for_each(|other| assert_same(&frame, other));
}

#[test]
fn without_degrading_the_node_waits_for_threads() {
    let folder = TempDir::new().unwrap();
    let params = [("compression", "histn".into()), ("queue", 1.into()), ("degrade", false.into())];
    let mut harness = recorder(&folder, &params);
    let frame = harness.image(&[256, 256], &[700u16; 256 * 256]).unwrap();
    (0..40).for_each(|_| assert!(harness.feed(&frame).is_ok()));
    harness.drain().unwrap();
    assert_eq!((harness.number_of("degraded"), harness.number_of("num_captured")), (0.0, 40.0));
    assert!(fs::metadata(file(&folder)).unwrap().len() < 40 * 256 * 256);
}

#[test]
fn full_files_are_followed_by_others() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("chunk_bytes", 1000.into())]);
    (0..20).for_each(|n| assert!(harness.feed(&described(n).freeze()).is_ok()));
    harness.drain().unwrap();
    let files = Run::files_of(&file(&folder)).unwrap();
    assert!(files.len() > 2, "{files:?}");
    assert!(files.iter().all(|f| fs::metadata(f).unwrap().len() <= 1200));
    assert_eq!(Run::open(&files).unwrap().events().len(), 20);
    let numbers: Vec<i64> = play(&file(&folder), "").iter().map(|f| f.header().event_time_ns).collect();
    assert!(numbers.is_sorted() && numbers.len() == 20);
}

#[test]
fn each_finished_file_has_the_index_that_is_made_afterwards() {
    use livetime_formats::file::{index_path, write_index};
    use livetime_formats::xtc1::DatagramHeader;

    for wanted in [true, false] {
        let folder = TempDir::new().unwrap();
        let mut harness = recorder(&folder, &[("chunk_bytes", 1000.into()), ("index", wanted.into())]);
        (0..20).for_each(|n| assert!(harness.feed(&described(n).freeze()).is_ok()));
        harness.drain().unwrap();
        let files = Run::files_of(&file(&folder)).unwrap();
        assert!(files.len() > 2 && files.iter().all(|file| index_path(file).exists() == wanted), "{files:?}");
        for file in files.iter().filter(|_| wanted) {
            let ours = fs::read(index_path(file)).unwrap();
            write_index::<DatagramHeader>(file).unwrap();
            assert!(ours == fs::read(index_path(file)).unwrap() && ours.len() > 48);
        }
        assert_eq!(play(&file(&folder), "").len(), 20);
    }
}

/// A folder in place of the index: the run is whole, and the report says that the index is missing.
#[test]
fn an_index_that_cannot_be_written_is_told() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("index", true.into())]);
    fs::create_dir_all(folder.path().join("run-r0001-s00-c00.xtc.ltindex/full")).unwrap();
    harness.feed(&described(1).freeze()).unwrap();
    let error = harness.drain().unwrap_err().to_string();
    assert!(error.contains("no index beside a whole file") && error.contains(".ltindex"), "{error}");
    assert_eq!(play(&file(&folder), "").len(), 1);
}

#[test]
fn runs_begin_and_end_when_they_are_told_to() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("capture", false.into()), ("num_capture", 2.into())]);
    let feed = |harness: &mut Harness, n| harness.feed(&described(n).freeze()).map(drop);
    feed(&mut harness, 0).unwrap();
    assert_eq!((harness.number_of("ignored"), fs::read_dir(folder.path()).unwrap().count()), (1.0, 0));
    harness.set("capture", true).unwrap();
    assert!(folder.path().join("run-r0001-s00-c00.xtc.inprogress").exists());
    (1..=3).for_each(|n| feed(&mut harness, n).unwrap());
    assert_eq!((harness.get("capture"), harness.number_of("ignored")), (Some(false.into()), 2.0));
    assert_eq!(harness.number_of("file_number"), 2.0);
    assert_eq!(Run::open(&[file(&folder)]).unwrap().events().len(), 2);
    harness.set("capture", true).unwrap();
    feed(&mut harness, 4).unwrap();
    harness.set("capture", false).unwrap();
    assert_eq!(play(&folder.path().join("run-r0002-s00-c00.xtc"), "").len(), 1);
    // A run that is there is never replaced.
    harness.set("file_number", 1).unwrap();
    harness.set("capture", true).unwrap();
    assert_eq!(harness.number_of("file_number"), 3.0);
    harness.set("capture", false).unwrap();
    harness.set("auto_increment", false).unwrap();
    harness.set("file_number", 3).unwrap();
    let error = harness.set("capture", true).unwrap_err().to_string();
    assert!(error.ends_with("run-r0003`: wanted a new file, found one of this name"), "{error}");
    assert_eq!(harness.get("capture"), Some(false.into()));
}

#[test]
fn names_and_frames_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let start = |params: &[(&str, Value)]| {
        let path = [("path", folder.path().to_str().unwrap().into())];
        Harness::new::<XtcRecorder>(&[&path[..], params].concat()).err().unwrap().to_string()
    };
    assert!(start(&[("detector", "Camera".into())]).ends_with("found `Camera`"));
    assert!(start(&[("template", "%s%s_%d".into())]).contains("wanted a template"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let mut harness = recorder(&folder, &[]);
    let mut compress = Harness::new::<Compress>(&[]).unwrap();
    let image = compress.image(&[64, 64], &[1u8; 64 * 64]).unwrap();
    let packed = compress.feed(&image).unwrap().remove(0);
    let error = harness.feed(&packed).unwrap_err().to_string();
    assert_eq!(error, "wanted an uncompressed array, found 64x64 u8 mono blockpack");
}

#[test]
fn a_frame_without_a_time_has_that_of_its_arrival() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[]);
    let mut frame = described(3);
    frame.header_mut().event_time_ns = 0;
    let before = livetime_engine::time_of_day_ns();
    harness.feed(&frame.freeze()).unwrap();
    harness.feed(&described(4).freeze()).unwrap();
    harness.drain().unwrap();
    // In the order of their times.
    let played = play(&file(&folder), "");
    let header = played[1].header();
    assert!((before..=livetime_engine::time_of_day_ns()).contains(&header.event_time_ns), "{header:?}");
    assert!(header.flags.contains(Flags::ARRIVAL_TIME));
    assert!(!played[0].header().flags.contains(Flags::ARRIVAL_TIME));
}

#[test]
fn a_run_that_cannot_be_finished_says_where_its_data_are() {
    for removed in [false, true] {
        let folder = TempDir::new().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let path = [("path", below.to_str().unwrap().into())];
        let mut harness = Harness::new::<XtcRecorder>(&path).unwrap();
        harness.feed(&described(1).freeze()).unwrap();
        match removed {
            true => fs::remove_dir_all(&below).unwrap(),
            false => fs::write(below.join("run-r0001-s00-c00.xtc"), "theirs").unwrap(),
        }
        let error = harness.drain().unwrap_err().to_string();
        let wanted = if removed { "the data are gone: somebody has removed `" } else { "all data are in `" };
        assert!(error.contains(wanted) && error.contains("run-r0001-s00-c00.xtc.inprogress`"), "{error}");
        assert_eq!(harness.get("write_message"), Some(error.as_str().into()));
        if !removed {
            assert_eq!(fs::read(below.join("run-r0001-s00-c00.xtc")).unwrap(), b"theirs");
            let left = below.join("run-r0001-s00-c00.xtc.inprogress");
            assert_eq!(Run::open(&[left]).unwrap().events().len(), 1);
        }
    }
}

#[test]
fn a_run_that_ends_before_the_graph_tells_what_is_not_finished_and_loses_no_frame() {
    let folder = TempDir::new().unwrap();
    let mut harness = recorder(&folder, &[("num_capture", 2.into())]);
    fs::write(file(&folder), "theirs").unwrap();
    harness.feed(&described(1).freeze()).unwrap();
    harness.feed(&described(2).freeze()).unwrap();
    let told = harness.events();
    assert!(told.last().unwrap().message.contains("all data are in `"), "{told:?}");
    assert_eq!(harness.number_of("num_captured"), 2.0);
}

#[test]
fn a_folder_that_is_taken_away_ends_the_run_and_one_that_comes_begins_the_next() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("below");
    let path = [("path", below.to_str().unwrap().into())];
    let mut harness = Harness::new::<XtcRecorder>(&path).unwrap();
    assert!(harness.events()[0].message.contains("/below`: wanted a folder, found none"));
    let mut number = 0;
    let mut feed = |harness: &mut Harness, s: u64| {
        number += 1;
        harness.advance(s * 1_000_000_000).unwrap();
        harness.feed(&described(number).freeze()).map(drop)
    };
    assert!(feed(&mut harness, 1).is_err());
    assert_eq!(
        (harness.get("capture"), harness.get("file_path_exists")),
        (Some(true.into()), Some(false.into()))
    );
    fs::create_dir(&below).unwrap();
    // Within a second nothing is tried.
    assert!(feed(&mut harness, 1).is_err());
    feed(&mut harness, 3).unwrap();
    assert_eq!(
        (harness.get("file_path_exists"), harness.number_of("write_errors")),
        (Some(true.into()), 2.0)
    );
    fs::remove_dir_all(&below).unwrap();
    assert!(feed(&mut harness, 5).is_err());
    assert!(
        harness.events().iter().any(|e| e.message.contains("the data are gone")),
        "{:?}",
        harness.events()
    );
    fs::create_dir(&below).unwrap();
    feed(&mut harness, 7).unwrap();
    harness.drain().unwrap();
    assert_eq!(fs::read_dir(&below).unwrap().count(), 1);
    assert_eq!(play(&below.join("run-r0002-s00-c00.xtc"), "").len(), 1);
}

#[test]
fn two_at_once_record_two_runs() {
    let folder = TempDir::new().unwrap();
    let work = |_| {
        let mut harness = recorder(&folder, &[]);
        harness.feed(&described(1).freeze()).unwrap();
        harness.drain().unwrap();
        harness.number_of("file_number")
    };
    let mut numbers: Vec<f64> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|who| scope.spawn(move || work(who))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    numbers.sort_by(f64::total_cmp);
    assert_eq!(numbers, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    for run in 1..=6 {
        assert_eq!(play(&folder.path().join(format!("run-r{run:04}-s00-c00.xtc")), "").len(), 1);
    }
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_compliant::<XtcRecorder>(&[("path", path.into()), ("compression", "blockpack".into())]);
}
