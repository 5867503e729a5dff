use std::fs;
use std::path::Path;
use std::sync::Arc;

use livetime_engine::testing::Harness;
use livetime_engine::{
    Context, Counterpart, EdgeOptions, Graph, LossReason, NodeError, NodeSpec, NodeType, Params, PortSpec,
    Run, RunOptions, Value, WhenFull,
};
use livetime_frame::{AttributeValue, ColorMode, DType, Frame, FramePool, Layout};
use tempfile::TempDir;

use super::{FileNode, FileWriter, Fit, NdFileParams, NewFile, WriteError};
use crate::sinks::hdf5_files::Hdf5Files;
use crate::sinks::tiff_files::TiffFiles;
use crate::test_pictures::Pictures;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into()), ("file_name", "run".into())];
    Harness::new::<TiffFiles>(&[&path[..], params].concat()).unwrap()
}

fn feed(harness: &mut Harness, count: usize) {
    for i in 0..count {
        let image = harness.image::<u8>(&[1, 2], &[i as u8, 0]).unwrap();
        harness.feed(&image).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_node_without_a_folder_waits_for_one() {
    let folder = TempDir::new().unwrap();
    let mut harness = Harness::new::<TiffFiles>(&[]).unwrap();
    assert!(harness.events().is_empty());
    feed(&mut harness, 3);
    assert_eq!((harness.number_of("ignored"), harness.number_of("write_errors")), (3.0, 0.0));
    assert_eq!(harness.get("file_path_exists"), Some(false.into()));
    harness.set("path", folder.path().to_str().unwrap()).unwrap();
    assert_eq!(harness.get("file_path_exists"), Some(true.into()));
    // The path reads back with a slash, as in areaDetector.
    assert_eq!(harness.get("path"), Some(format!("{}/", folder.path().display()).into()));
    feed(&mut harness, 2);
    assert_eq!(names(folder.path()), ["frame_001.tif", "frame_002.tif"]);
}

#[test]
fn folders_are_created_when_the_path_is_written() {
    let folder = TempDir::new().unwrap();
    let mut harness = Harness::new::<TiffFiles>(&[]).unwrap();
    let below = folder.path().join("a/b");
    harness.set("path", below.to_str().unwrap()).unwrap();
    assert_eq!(harness.get("file_path_exists"), Some(false.into()));
    harness.set("create_directory", -2).unwrap();
    assert!(!below.exists());
    harness.set("path", below.to_str().unwrap()).unwrap();
    assert!(below.is_dir());
    assert_eq!(harness.get("file_path_exists"), Some(true.into()));
}

#[test]
fn a_stream_counts_its_own_frames_and_ends() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("mode", "stream".into()), ("num_capture", 3.into())]);
    feed(&mut harness, 2);
    assert_eq!((harness.number_of("ignored"), harness.number_of("num_captured")), (2.0, 0.0));
    for capture in 0..2 {
        harness.set("capture", true).unwrap();
        assert_eq!((harness.number_of("capture"), harness.number_of("num_captured")), (1.0, 0.0));
        feed(&mut harness, 5);
        assert_eq!((harness.number_of("capture"), harness.number_of("num_captured")), (0.0, 3.0));
        assert_eq!(names(folder.path()).len(), 3 * (capture + 1));
    }
    // Without an end, until it is stopped; writing it again changes nothing.
    harness.set("num_capture", 0).unwrap();
    harness.set("capture", true).unwrap();
    feed(&mut harness, 4);
    harness.set("capture", true).unwrap();
    feed(&mut harness, 3);
    assert_eq!(harness.number_of("num_captured"), 7.0);
    harness.set("capture", false).unwrap();
    feed(&mut harness, 1);
    assert_eq!((harness.number_of("num_captured"), names(folder.path()).len()), (7.0, 13));
}

/// Clients make the name of the file out of the number that they read when `capture` is true.
#[test]
fn a_stream_into_one_file_has_its_name_before_its_first_frame() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let params = [("path", path.into()), ("mode", "stream".into()), ("file_number", 0.into())];
    let mut harness = Harness::new::<Hdf5Files>(&params).unwrap();
    let image = harness.image::<u8>(&[1, 2], &[1, 2]).unwrap();
    let name = |harness: &mut Harness| match harness.get("full_file_name") {
        Some(Value::Text(name)) => name.rsplit('/').next().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    harness.set("capture", true).unwrap();
    assert_eq!((name(&mut harness), harness.number_of("file_number")), ("frame_000.h5".into(), 1.0));
    // A name that is written now is for the next file.
    harness.set("file_name", "other").unwrap();
    harness.feed(&image).unwrap();
    harness.set("capture", false).unwrap();
    assert_eq!((names(folder.path()), harness.number_of("file_number")), (vec!["frame_000.h5".into()], 1.0));
    // Without a frame nothing is left.
    harness.set("capture", true).unwrap();
    assert_eq!(names(folder.path()), ["frame_000.h5", "other_001.h5"]);
    harness.set("capture", false).unwrap();
    assert_eq!(names(folder.path()), ["frame_000.h5"]);
    // With `lazy_open` the first frame opens the file and numbers it.
    harness.set("lazy_open", true).unwrap();
    harness.set("capture", true).unwrap();
    assert_eq!((names(folder.path()).len(), harness.number_of("file_number")), (1, 2.0));
    harness.feed(&image).unwrap();
    assert_eq!((name(&mut harness), harness.number_of("file_number")), ("other_002.h5".into(), 3.0));
    // A missing folder is named at once, and the capture goes on.
    harness.set("capture", false).unwrap();
    harness.set("lazy_open", false).unwrap();
    harness.set("path", folder.path().join("later").to_str().unwrap()).unwrap();
    harness.set("capture", true).unwrap();
    assert!(harness.get("write_message").is_some_and(|said| said.to_string().contains("later")));
    fs::create_dir(folder.path().join("later")).unwrap();
    harness.feed(&image).unwrap();
    harness.set("capture", false).unwrap();
    assert_eq!(names(&folder.path().join("later")), ["other_003.h5"]);
}

#[test]
fn frames_are_kept_in_memory_and_written_together() {
    let folder = TempDir::new().unwrap();
    let params = [("mode", "capture".into()), ("num_capture", 3.into()), ("auto_save", false.into())];
    let mut harness = sink(&folder, &params);
    harness.set("capture", true).unwrap();
    feed(&mut harness, 5);
    assert_eq!((harness.number_of("capture"), harness.number_of("num_captured")), (0.0, 3.0));
    assert!(names(folder.path()).is_empty());
    harness.set("write_file", true).unwrap();
    assert_eq!(harness.get("write_file"), Some(false.into()));
    assert_eq!((names(folder.path()).len(), harness.number_of("num_captured")), (3, 3.0));
    // Frames in memory are written once, and are gone now.
    assert!(harness.set("write_file", true).unwrap_err().to_string().contains("none has come"));
    harness.set("capture", true).unwrap();
    feed(&mut harness, 2);
    harness.set("free_capture", true).unwrap();
    assert!(harness.set("write_file", true).is_err());
    // With AutoSave the end of the capture writes them.
    harness.set("auto_save", true).unwrap();
    harness.set("capture", false).unwrap();
    harness.set("capture", true).unwrap();
    feed(&mut harness, 3);
    assert_eq!(names(folder.path()).len(), 6);
    harness.set("num_capture", 0).unwrap();
    assert!(harness.set("capture", true).is_err());
    assert_eq!(harness.get("capture"), Some(false.into()));
}

#[test]
fn a_capture_takes_half_of_the_memory_at_most() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("mode", "capture".into()), ("num_capture", 1_000_000.into())]);
    harness.set("capture", true).unwrap();
    let half = harness.pool().statistics().limit_bytes / 2;
    let image = harness.image::<u8>(&[1 << 10, 1 << 18], &vec![0; 1 << 28]).unwrap();
    for _ in 0..half >> 28 {
        harness.feed(&image).unwrap();
    }
    let error = harness.feed(&image).unwrap_err().to_string();
    assert!(error.contains("wanted memory for 1000000 frames") && error.contains("room for 2"), "{error}");
    assert_eq!(harness.get("capture"), Some(false.into()));
    assert_eq!(harness.number_of("num_captured"), 2.0);
}

#[test]
fn the_last_frame_is_written_when_asked_for() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("auto_save", false.into())]);
    assert!(harness.set("write_file", true).is_err());
    feed(&mut harness, 3);
    assert!(names(folder.path()).is_empty());
    harness.set("write_file", true).unwrap();
    harness.set("write_file", true).unwrap();
    assert_eq!(names(folder.path()), ["run_001.tif", "run_002.tif"]);
    assert!(harness.set("capture", true).unwrap_err().to_string().contains("found single"));
    assert_eq!(harness.get("capture"), Some(false.into()));
    assert!(harness.set("read_file", true).unwrap_err().to_string().contains("image_files"));
}

#[test]
fn a_template_need_not_have_a_number_and_an_empty_one_is_that_of_the_format() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("template", "%s%s.tiff".into()), ("file_number", 0.into())]);
    feed(&mut harness, 1);
    assert_eq!(names(folder.path()), ["run.tiff"]);
    let image = harness.image::<u8>(&[1, 1], &[1]).unwrap();
    assert!(harness.feed(&image).unwrap_err().to_string().contains("no number in the template"));
    harness.set("template", "").unwrap();
    assert_eq!(harness.get("template"), Some("%s%s_%3.3d.tif".into()));
}

/// A frame with these attributes.
fn steering(attributes: &[(&str, AttributeValue)]) -> Frame {
    let layout = Layout::packed(DType::U8, ColorMode::Mono, &[1, 1]).unwrap();
    let mut frame = FramePool::new(1 << 20).allocator().array(layout).unwrap();
    for (name, value) in attributes {
        frame.header_mut().attributes.set(&Arc::from(*name), value.clone());
    }
    frame.freeze()
}

#[test]
fn frames_steer_the_writer() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let text = |text: &str| AttributeValue::Text(text.into());
    harness.feed(&steering(&[("FilePluginDestination", text("another"))])).unwrap();
    assert_eq!(harness.number_of("ignored"), 1.0);
    harness.feed(&steering(&[("FilePluginDestination", text("all"))])).unwrap();
    harness.feed(&steering(&[("FilePluginDestination", text("tiff_files"))])).unwrap();
    let named = [("FilePluginFileName", text("b")), ("FilePluginFileNumber", AttributeValue::Int(7))];
    harness.feed(&steering(&named)).unwrap();
    harness.feed(&steering(&named)).unwrap();
    let wanted = ["b_007.tif", "b_008.tif", "run_001.tif", "run_002.tif"];
    assert_eq!(names(folder.path()), wanted);
    let outside = steering(&[("FilePluginFileName", text("../c"))]);
    assert!(harness.feed(&outside).unwrap_err().to_string().contains("`../c`"));
}

#[test]
fn the_file_of_the_detector_is_removed_when_that_is_wanted() {
    let folder = TempDir::new().unwrap();
    let raw = folder.path().join("raw");
    fs::write(&raw, "pixels").unwrap();
    let name = AttributeValue::Text(raw.to_str().unwrap().into());
    let frame = steering(&[("DriverFileName", name)]);
    let mut harness = sink(&folder, &[]);
    harness.feed(&frame).unwrap();
    assert!(raw.exists());
    harness.set("delete_driver_file", true).unwrap();
    harness.feed(&frame).unwrap();
    assert!(!raw.exists());
    harness.feed(&frame).unwrap();
    assert!(harness.events().last().unwrap().message.contains("raw"));
}

/// A format whose files cannot be finished.
struct Broken;

#[derive(Params)]
struct BrokenParams {
    #[param(flatten)]
    common: NdFileParams,
}

impl FileWriter for Broken {
    type Params = BrokenParams;

    const SPEC: NodeSpec = NodeSpec::sink("broken", "Finishes no file.", &[PortSpec::array("in")]);
    const COUNTERPART: Counterpart = Counterpart::new("NDFileBroken", "Broken");
    const TEMPLATE: &'static str = "%s%s_%d.x";
    const HOLDS_MANY: bool = true;

    fn common(params: &BrokenParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut BrokenParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn new(_: &BrokenParams) -> Result<Broken, NodeError> {
        Ok(Broken)
    }

    fn takes(&mut self, _: &Frame, _: &BrokenParams) -> Result<Fit, WriteError> {
        Ok(Fit::Yes)
    }

    fn open(
        &mut self,
        _: &NewFile,
        _: &Frame,
        _: &mut BrokenParams,
        _: &mut Context,
    ) -> Result<(), WriteError> {
        Ok(())
    }

    fn write(&mut self, _: &Frame, _: &mut BrokenParams, _: &mut Context) -> Result<(), WriteError> {
        Ok(())
    }

    fn close(&mut self, _: &mut BrokenParams) -> Result<(), WriteError> {
        Err(std::io::Error::other("no space left").into())
    }

    fn unseen(&mut self) -> u64 {
        2
    }
}

#[test]
fn frames_of_a_file_that_cannot_be_finished_are_lost() {
    let folder = TempDir::new().unwrap();
    let mut graph = Graph::default();
    graph.add("cam", NodeType::of::<Pictures>()).unwrap();
    let sink = graph.add("sink", NodeType::of::<FileNode<Broken>>()).unwrap();
    let path = folder.path().to_str().unwrap();
    for (node, name, value) in [
        (sink, "path", Value::from(path)),
        (sink, "mode", "stream".into()),
        (sink, "num_capture", 3.into()),
        (sink, "capture", true.into()),
    ] {
        graph.set(node, name, &value).unwrap();
    }
    let options = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
    graph.connect("cam", "sink", options).unwrap();
    let run = Run::start(&graph, RunOptions { max_frames: Some(3), ..RunOptions::default() }).unwrap();
    run.wait(livetime_testkit::HANG);
    let report = run.finish(livetime_testkit::HANG);
    assert!(report.imbalances().is_empty(), "{report:?}");
    assert_eq!(report.nodes[sink].lost.get(&LossReason::Unreadable), Some(&2));
}
