//! `livetime analyze` of raw frames, of selected events beside a graph that selects them, and of peaks in every format.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, or says that it is skipped"
)]

use std::path::Path;

use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_testkit::data;
use serde_json::Value;

use crate::analyze::{analysis, arrays};
use crate::common::{self, livetime, stderr, stdout};

/// The frames of a link are windows of 1024 ticks; the last one is not whole, which is no loss. Frames that are missing are.
#[test]
fn raw_frames_are_analysed() {
    let Some(file) = data("wib/wib1_frames.bin.zst") else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let more = ["--with", "mean,std,projection", "-o", out.to_str().unwrap()];
    let (code, json) = analysis(&file, &more);
    assert_eq!(code, Some(0), "{json}");
    assert_eq!((&json["events"], &json["used"]), (&3.into(), &2.into()));
    assert_eq!(json["results"][0]["shape"], Value::from(vec![256, 1024]));
    assert!(out.join("projection-y.npy").exists());
    let mut frames = zstd::decode_all(&std::fs::read(&file).unwrap()[..]).unwrap();
    frames.drain(464 * 700..464 * 701);
    frames.truncate(464 * 2500 + 9);
    let cut = folder.path().join("cut.wib");
    std::fs::write(&cut, &frames).unwrap();
    let output = livetime(&["analyze", cut.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("1 of 3 events used") && text.contains("frames missing"), "{text}");
    assert!(text.contains("9 bytes that belong to none"), "{text}");
    let output = livetime(&["inspect", "--pictures", cut.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}

/// A run of a camera with event codes: 140 in every second event, 41 in every third.
fn run_with_codes(path: &Path, events: u32) {
    let mut bytes = Vec::new();
    for number in 0..events {
        let header = DatagramHeader::event(1_000_000_000 + u64::from(number) * 1000, number);
        let mut builder = Builder::new(&mut bytes, &header);
        let codes = [(140, 2), (41, 3)].into_iter().filter(|(_, every)| number.is_multiple_of(*every));
        let codes: Vec<u32> = codes.flat_map(|(code, _)| [100, 0, code]).collect();
        let words: Vec<u32> = std::iter::once(codes.len() as u32 / 3).chain(codes).collect();
        let evr = XtcHeader::new(Src::detector(0, 0, 4, 0), TypeId::new(id::EVR_DATA, 3));
        let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        builder.leaf(evr, &[&words]).unwrap();
        let camera =
            XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
        let pixels: Vec<u8> = (0..64 * 48).map(|pixel| (number * 31 + pixel * 7) as u8).collect();
        builder.leaf(camera, &[&[64u32, 48, 8, 0].map(u32::to_le_bytes).concat(), &pixels]).unwrap();
        builder.finish().unwrap();
    }
    std::fs::write(path, bytes).unwrap();
}

/// A graph sends the pictures of the selected events that an analysis of the selected events uses.
#[test]
fn a_graph_selects_the_events_that_an_analysis_selects() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = folder.path().join("e1-r0001-s00-c00.xtc");
    run_with_codes(&run, 60);
    for (number, select) in ["evr(140) and not evr(41)", "evr(41)"].into_iter().enumerate() {
        let what = ["--with", "mean,min,max,sum", "-o"];
        let one = at(&format!("one{number}"));
        let (code, json) = analysis(&run, &[&what[..], &[&one, "--select", select]].concat());
        assert_eq!(code, Some(0), "{json}");
        let graph = common::Pipeline::new(
            "select",
            &format!(
                "nodes:
  run: {{type: recording, params: {{file: {}, select: \"{select}\"}}}}
  out: {{type: hdf5_files, from: {{node: run, when_full: block}}, params: {{path: {}, file_name: s{number}, template: \"%s%s_%d.h5\", mode: stream, capture: true}}}}
",
                run.display(),
                folder.path().display()
            ),
        );
        let output = livetime(&["run", graph.path(), "--json", "--no-pva"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let nodes = report["nodes"].as_array().unwrap();
        let source = nodes.iter().find(|node| node["name"] == "run").unwrap();
        assert_eq!((&report["unintended_losses"], &source["emitted"]), (&0.into(), &json["used"]));
        assert_eq!(source["readbacks"]["not_selected"], json["select"]["left_out"]["refused"]);
        let written = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let name = format!("s{number}");
        let written = written.into_iter().find(|path| {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            file.starts_with(&name) && path.extension().is_some_and(|ending| ending == "h5")
        });
        let other = at(&format!("other{number}"));
        let (code, again) = analysis(&written.unwrap(), &[&what[..], &[&other]].concat());
        assert_eq!((code, &again["used"]), (Some(0), &json["used"]), "{again}");
        assert!(arrays(Path::new(&other)) == arrays(Path::new(&one)), "{select}");
    }
}

/// The node finds in a graph what the reducer finds, and tables say the same in every format.
#[cfg(feature = "parquet")]
#[test]
fn peaks_are_the_same_in_a_graph_and_in_every_format() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = folder.path().join("e1-r0001-s00-c00.xtc");
    run_with_codes(&run, 12);
    let (settings, select) = ("high=250,low=240,rank=2,ring=3..5,pixels=1..9,snr=1", "evr(140)");
    let found = at("found");
    let args = ["--with", "peaks", "--peaks", settings, "--select", select];
    let more = ["--tables", "csv,npy,parquet", "-o", &found];
    let (code, json) = analysis(&run, &[&args[..], &more].concat());
    assert_eq!((code, &json["used"]), (Some(0), &6.into()), "{json}");
    let text = std::fs::read_to_string(Path::new(&found).join("peaks.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.len() > 20 && lines[0].starts_with("event,time_ns,panel,segment,row,column,pixels,row_mean,")
    );
    let file = std::fs::File::open(Path::new(&found).join("peaks.parquet")).unwrap();
    let rows: Vec<String> = SerializedFileReader::new(file)
        .unwrap()
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            let values = row.unwrap().into_columns();
            let value = |field: &parquet::record::Field| match field {
                parquet::record::Field::ULong(value) => value.to_string(),
                parquet::record::Field::Double(value) => value.to_string(),
                other => panic!("{other}"),
            };
            values.iter().map(|(_, field)| value(field)).collect::<Vec<_>>().join(",")
        })
        .collect();
    assert_eq!(rows, lines[1..]);

    let table = at("graph.csv");
    let graph = common::Pipeline::new(
        "peaks",
        &format!(
            "nodes:
  run: {{type: recording, params: {{file: {}, select: \"{select}\"}}}}
  peaks: {{type: find_peaks, from: {{node: run, when_full: block}}, params: {{peaks: \"{settings}\"}}}}
  table: {{type: table_csv, from: {{node: peaks, when_full: block}}, params: {{file: {table}}}}}
",
            run.display()
        ),
    );
    let output = livetime(&["run", graph.path(), "--json", "--no-pva"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(&table).unwrap();
    // Without the number of the event, which a frame has not, and the panel.
    let behind = |line: &str, left_out: &[usize]| -> String {
        let cells = line.split(',').enumerate().filter(|(at, _)| !left_out.contains(at));
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    };
    let of_graph: Vec<String> = text.lines().map(|line| behind(line, &[0])).collect();
    let of_analysis: Vec<String> = lines.iter().map(|line| behind(line, &[0, 2])).collect();
    assert_eq!(of_graph, of_analysis);
}
