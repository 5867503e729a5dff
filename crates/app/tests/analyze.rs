//! `livetime analyze`: files of the original program and of LCLS-II, as a user analyses them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, or says that it is skipped"
)]

use crate::common;

use std::path::{Path, PathBuf};

use common::{livetime, stderr, stdout};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_testkit::data;
use serde_json::Value;

const CONTAINER: &str = "xtc1/container/e236-r0003-s04-c00";

pub(crate) fn analysis(file: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let args = [&["analyze", "--json", file.to_str().unwrap()], more].concat();
    let output = livetime(&args);
    let json = serde_json::from_slice(&output.stdout);
    (output.status.code(), json.unwrap_or_else(|e| panic!("{e}: {}", stderr(&output))))
}

#[test]
fn compressed_and_plain_files_have_the_same_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for ending in ["xtc", "hist16.xtc", "histn.xtc"] {
        let Some(file) = data(&format!("{CONTAINER}.{ending}")) else { return };
        let out = folder.path().join(ending);
        let more = ["--detector", "Cspad", "--with", "mean,std,min,max", "-o", out.to_str().unwrap()];
        let (code, json) = analysis(&file, &more);
        assert_eq!(code, Some(0), "{json}");
        assert_eq!((&json["events"], &json["used"]), (&2.into(), &2.into()));
        assert_eq!(json["files"].as_array().unwrap().len(), 1);
        assert_eq!(json["results"][0]["shape"], Value::from(vec![1, 185, 388]));
        let arrays = ["mean", "std", "min", "max"].map(|name| {
            assert!(out.join(format!("{name}.png")).exists());
            std::fs::read(out.join(format!("{name}.npy"))).unwrap()
        });
        assert!(arrays[0].starts_with(b"\x93NUMPY\x01\x00"));
        assert_eq!(arrays[0].len(), 128 + 8 * 185 * 388);
        assert_eq!(arrays[2].len(), 128 + 2 * 185 * 388);
        found.push(arrays);
    }
    assert!(found[0] == found[1] && found[0] == found[2]);
}

#[test]
fn a_sweep_compares_and_plots() {
    let Some(file) = data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let more = ["--detector", "xpphsd.raw.array0Pgp", "--with", "mean,hits,histogram", "--threshold", "1"];
    let (code, json) = analysis(&file, &[&more[..], &["--workers", "1..3", "-o", out]].concat());
    assert_eq!(code, Some(0), "{json}");
    assert_eq!(json["same_for_all_workers"], true);
    let workers: Vec<u64> =
        json["rates"].as_array().unwrap().iter().map(|r| r["workers"].as_u64().unwrap()).collect();
    assert_eq!(workers, [1, 2, 3]);
    assert!(json["rates"][0]["effective_mb_s"].as_f64().unwrap() > 0.0);
    for name in ["mean.npy", "hits.npy", "events.npy", "histogram.npy", "workers.png", "analysis.json"] {
        assert!(folder.path().join(name).metadata().unwrap().len() > 64, "{name}");
    }
}

#[test]
fn what_is_broken_is_told_and_ends_with_3() {
    let Some(file) = data(&format!("{CONTAINER}.hist16.xtc")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(file).unwrap();
    // The last event is cut off.
    bytes.truncate(400_000);
    let cut = folder.path().join("cut.xtc");
    std::fs::write(&cut, &bytes).unwrap();
    let output = livetime(&["analyze", cut.to_str().unwrap(), "--detector", "Cspad"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("1 of 1 events used") && text.contains("at byte 367432"), "{text}");
}

#[test]
fn wrong_usage_is_told_before_anything_is_read() {
    let Some(file) = data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else { return };
    let file = file.to_str().unwrap();
    for (args, expected) in [
        (
            vec!["analyze", file],
            "wanted one detector (--detector), found xppcspad.raw.arrayRaw, xpphsd.fex.arrayFex, \
             xpphsd.raw.array0Pgp, xpphsd.raw.array1Pgp\n",
        ),
        (
            vec!["analyze", file, "--detector", "nobody"],
            "wanted a detector `nobody`, found xppcspad.raw.arrayRaw, ",
        ),
        (vec!["analyze", file, "--detector", "xpphsd.fex", "--with", "hits"], "wants `--threshold`"),
        (
            vec!["analyze", file, "--detector", "xpphsd.fex", "--threshold", "3"],
            "`--threshold` is for `--with hits`",
        ),
        (
            vec!["analyze", file, "--detector", "xpphsd.fex", "--bins", "9"],
            "`--bins` is for `--with histogram`",
        ),
        (vec!["analyze", file, "--workers", "0"], "wanted a number from 1 to 1024"),
        (vec!["analyze", file, "--events", "9..3"], "wanted a range of events"),
    ] {
        let output = livetime(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
    // Small data: its detectors are nowhere recorded, so that asking for another one would not help.
    if let Some(file) = data("xtc2/lcls2/chunking/smalldata/xpptut15-r0014-s000-c000.smd.xtc2") {
        let output = livetime(&["analyze", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("found none in the first events (15 events)"),
            "{}",
            stderr(&output)
        );
    }
    let output = livetime(&["analyze", "/no/such.xtc"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no"), "{}", stderr(&output));
}

const GRAPH: &str = "\
nodes:
  cam: {type: pva_source, params: {channel: X}}
  codec: {type: compress, from: cam, when_full: latest, params: {compressor: lz4}}
  back: {type: decompress, from: codec}
  stats: {type: statistics, from: back, params: {compute_statistics: true}}
  end: {type: null, from: stats}
";

#[test]
fn a_pipeline_is_the_work() {
    let Some(file) = data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = common::Pipeline::new("work", GRAPH);
    let mut told = Vec::new();
    for workers in ["1", "3"] {
        let out = folder.path().join(workers);
        let more = ["--detector", "xpphsd.raw.array0Pgp", "--pipeline", graph.path(), "--workers", workers];
        let (code, json) = analysis(&file, &[&more[..], &["-o", out.to_str().unwrap()]].concat());
        assert_eq!(code, Some(0), "{json}");
        assert_eq!((&json["used"], &json["run"]["ledger_closed"]), (&json["events"], &true.into()));
        assert!(json["used"].as_u64().unwrap() > 0);
        assert!(json["rates"][0]["effective_mb_s"].as_f64().unwrap() > 0.0);
        let written = std::fs::read_to_string(out.join("analysis.json")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), json);
        told.push(json["readbacks"].clone());
    }
    assert_eq!(told[0], told[1]);
    assert!(told[0]["stats"]["mean_value"].as_f64().is_some(), "{}", told[0]);
}

/// A run of a camera: a good picture, and another event.
fn camera(folder: &Path, damage: Damage, payload: &[u8]) -> PathBuf {
    let good = [&[2u32, 2, 8, 0].map(u32::to_le_bytes).concat()[..], &[1, 2, 3, 4]].concat();
    let payload = if payload.is_empty() { &good } else { payload };
    camera_of(folder, &[(Damage::default(), &good[..]), (damage, payload)])
}

/// A run of a camera with these pictures.
fn camera_of(folder: &Path, events: &[(Damage, &[u8])]) -> PathBuf {
    let leaf = XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
    let mut bytes = Vec::new();
    for (event, (damage, payload)) in (0..).zip(events.iter().copied()) {
        let header = DatagramHeader::event(1_000_000_000 + event * 8_333_333, 3 * event as u32);
        let mut builder = Builder::new(&mut bytes, &header);
        builder.leaf(XtcHeader { damage, ..leaf }, &[payload]).unwrap();
        builder.finish().unwrap();
    }
    let path = folder.join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn pictures_that_cannot_be_read_end_a_pipeline_with_3_and_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let graph = common::Pipeline::new(
        "broken",
        "nodes:\n  cam: {type: sim_detector}\n  end: {type: null, from: cam}\n",
    );
    let run = |damage: u32, payload: &[u8]| {
        let file = camera(folder.path(), Damage(damage), payload);
        livetime(&["analyze", file.to_str().unwrap(), "--pipeline", graph.path(), "--workers", "2"])
    };
    let good = run(0, &[]);
    assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
    // A picture that the recorder marked goes through it, and is no loss.
    let damaged = run(1 << 14, &[]);
    assert_eq!(damaged.status.code(), Some(0), "{}", stderr(&damaged));
    let text = stdout(&damaged);
    assert!(text.contains("2 of 2 events") && text.contains("without some panel: 1 of the"), "{text}");
    let short = [&[2u32, 9, 8, 0].map(u32::to_le_bytes).concat()[..], &[1, 2, 3, 4]].concat();
    let unreadable = run(0, &short);
    assert_eq!(unreadable.status.code(), Some(3), "{}", stderr(&unreadable));
    let told = stderr(&unreadable);
    assert!(told.contains("error cam: ") && told.contains("event 1 at "), "{told}");
}

#[test]
fn a_pipeline_that_cannot_be_the_work_is_refused() {
    let Some(file) = data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else { return };
    let graph = common::Pipeline::new("refused", &format!("{GRAPH}  other: {{type: sim_detector}}\n"));
    let begin = ["analyze", file.to_str().unwrap(), "--detector", "xpphsd.raw.array0Pgp"];
    let with = ["--pipeline", graph.path()];
    for (more, expected) in [
        (vec![], "choose with --source NAME"),
        (vec!["--workers", "1..2"], "wanted one number of workers"),
        (vec!["--every", "2"], "cannot be used with"),
        (vec!["--threshold", "2"], "cannot be used with"),
        (vec!["--source", "cam", "--with", "mean", "--of", "nobody"], "--of nobody: wanted a node"),
        (vec!["--source", "cam", "--set", "stats.nothing=1"], "unknown parameter `nothing`"),
    ] {
        let output = livetime(&[&begin[..], &with, &more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{more:?}: {}", stderr(&output));
    }
}

#[test]
fn a_file_that_is_cut_before_its_first_picture_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let file = camera(folder.path(), Damage(0), &[]);
    let bytes = std::fs::read(&file).unwrap();
    for length in [0, 30, 70] {
        std::fs::write(&file, &bytes[..length]).unwrap();
        for more in [&[][..], &["--detector", "Opal1000"]] {
            let output = livetime(&[&["analyze", file.to_str().unwrap()], more].concat());
            assert_eq!(output.status.code(), Some(1), "{length}: {}", stderr(&output));
            let text = stderr(&output);
            assert!(length == 0 || text.contains("up to the end of the file"), "{length}: {text}");
        }
    }
}

/// All NPY files of a folder, with their bytes.
pub(crate) fn arrays(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let arrays = files.filter(|file| file.extension().is_some_and(|ending| ending == "npy"));
    let name = |file: &Path| file.file_name().unwrap().to_str().unwrap().to_owned();
    let mut arrays: Vec<_> = arrays.map(|file| (name(&file), std::fs::read(&file).unwrap())).collect();
    arrays.sort();
    arrays
}

#[test]
fn parts_of_a_plan_write_the_same_files_as_one_process() {
    let Some(file) = data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else { return };
    in_parts(&file, "xpphsd.raw.array0Pgp");
}

#[test]
fn parts_of_a_simulated_run_write_the_same_files_as_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("e1-r0001-s00-c00.xtc");
    // Four blocks.
    let written = livetime(&["sim", "xtc", run.to_str().unwrap(), "--events", "22"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    in_parts(&run, "Cspad");
}

#[test]
fn a_run_that_was_converted_to_hdf5_has_the_same_pictures_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = at("e1-r0001-s00-c00.xtc");
    let written = livetime(&["sim", "xtc", &run, "--count", "4"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let results = |file: &str, detector: &str| {
        let out = format!("{file}.out");
        let what = ["--detector", detector, "--with", "mean,std,min,max,sum,histogram", "-o", &out];
        let (code, json) = analysis(Path::new(file), &what);
        assert_eq!((code, &json["used"]), (Some(0), &4.into()), "{json}");
        arrays(Path::new(&out))
    };
    let wanted = results(&run, "Cspad");
    assert!(wanted.len() >= 6);
    let (h5, back) = (at("a.h5"), at("back.xtc"));
    let made = livetime(&["convert", &run, "-o", &h5, "--codec", "bslz4", "--detector", "Cspad"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(stdout(&made).contains("every picture was read again"), "{}", stdout(&made));
    assert!(results(&h5, "data") == wanted);
    let made = livetime(&["convert", &h5, "-o", &back, "--json"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(results(&back, "Opal1000") == wanted);
}

/// Analyses a run by one process and in parts, one of which is killed, and compares.
pub(crate) fn in_parts(file: &Path, detector: &str) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let what =
        ["--detector", detector, "--with", "mean,std,min,max,sum,histogram,hits", "--threshold", "100"];
    let whole = at("whole");
    let (code, one) = analysis(file, &[&what[..], &["-o", &whole]].concat());
    assert_eq!((code, &one["reduction"]), (Some(0), &2.into()), "{one}");

    let (plan, parts, out) = (at("plan.json"), at("parts"), at("out"));
    let (code, json) = analysis(file, &[&what[..], &["--plan", &plan, "--parts", "3"]].concat());
    let count = json["parts"].as_u64().unwrap();
    assert_eq!((code, count), (Some(0), 3), "{json}");
    let planned = |more: &[&str]| livetime(&[&["analyze", "--plan", &plan, "--json"], more].concat());
    let part = |number: u64, workers: &str| {
        let output = planned(&["--part", &number.to_string(), "-o", &parts, "--workers", workers]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let found: Vec<Value> = (0..count).rev().map(|number| part(number, "2")).collect();
    let used: u64 = found.iter().map(|part| part["used"].as_u64().unwrap()).sum();
    assert_eq!(Value::from(used), one["used"]);

    // The last one was killed before it had written its file.
    let last = found[0]["file"].as_str().unwrap();
    std::fs::remove_file(last).unwrap();
    let output = planned(&["--merge", &parts, "-o", &out]);
    assert_eq!(output.status.code(), Some(1));
    let missing = format!("wanted every part, found none of {}\n", count - 1);
    assert!(stderr(&output).ends_with(&missing), "{}", stderr(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["missing"], Value::from(vec![count - 1]));
    assert_eq!(part(count - 1, "3")["repeated"], false);
    assert_eq!(part(count - 1, "1")["repeated"], true);

    let output = planned(&["--merge", &parts, "-o", &out]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let merged: Value = serde_json::from_slice(&output.stdout).unwrap();
    for name in ["detector", "panels", "events", "used", "incomplete", "not_used", "reduction"] {
        assert_eq!(merged[name], one[name], "{name}");
    }
    assert_eq!(merged["parts"], Value::from(count));
    let [whole, out] = [&whole, &out].map(|folder| arrays(Path::new(folder)));
    assert!(whole.len() >= 7 && whole == out);

    // Two parts become one file, and that is merged with the third.
    let (some, again) = (at("some"), at("again"));
    let output = planned(&["--merge", &parts, "--into", "0..2", "-o", &some]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["merged"], Value::from(vec![0, 2]));
    std::fs::copy(last, Path::new(&some).join(Path::new(last).file_name().unwrap())).unwrap();
    let output = planned(&["--merge", &some, "-o", &again]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(arrays(Path::new(&again)) == whole);
    let output = planned(&["--merge", &parts, "--into", "0..9", "-o", &some]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).ends_with("wanted some parts of 0..3, found 0..9\n"), "{}", stderr(&output));
}

#[test]
fn a_part_whose_process_is_killed_is_there_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = camera(folder.path(), Damage::default(), &[]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plan, parts, part) = (at("plan.json"), at("parts"), at("parts/part-00000.ltpart"));
    livetime(&["analyze", file.to_str().unwrap(), "--plan", &plan]);
    let args = ["analyze", "--plan", &plan, "--part", "0", "-o", &parts];
    let output = livetime(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let whole = std::fs::read(&part).unwrap();
    // Whenever it is killed.
    for after_ms in [0, 1, 3, 10, 30] {
        std::fs::remove_file(&part).unwrap();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_livetime"))
            .args(args)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(after_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(std::fs::read(&part).map_or(true, |bytes| bytes == whole), "killed after {after_ms} ms");
        let again = livetime(&args);
        assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
        assert!(std::fs::read(&part).unwrap() == whole);
    }
}

#[test]
fn a_part_without_events_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = camera(folder.path(), Damage::default(), &[]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plan, parts) = (at("plan.json"), at("parts"));
    livetime(&["analyze", file.to_str().unwrap(), "--plan", &plan, "--parts", "2"]);
    let part =
        |more: &[&str]| livetime(&[&["analyze", "--plan", &plan, "-o", &parts, "--part"], more].concat());
    let texts = ["0", "1"].map(|number| stdout(&part(&[number, "--workers", "1"])));
    let empty = texts.iter().find(|text| text.contains(", 0 used, 0 not")).unwrap();
    let last = empty.lines().last().unwrap();
    assert!(last.starts_with("1 workers: no data, ") && last.ends_with(" s"), "{empty}");
    assert!(texts.iter().any(|text| text.contains("2 used, 0 not") && text.contains(" CPU s per 100 MB")));
    for number in ["0", "1"] {
        let json: Value = serde_json::from_slice(&part(&[number, "--json"]).stdout).unwrap();
        assert_eq!(json["rates"][0]["cpu_s_per_100_mb"].is_null(), json["used"] == 0, "{json}");
    }
}

#[test]
fn a_plan_is_used_as_it_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let file = camera(folder.path(), Damage::default(), &[]);
    let file = file.to_str().unwrap();
    let plan = folder.path().join("plan.json");
    let plan = plan.to_str().unwrap();
    let parts = folder.path().join("parts");
    let parts = parts.to_str().unwrap();
    let output = livetime(&["analyze", file, "--plan", plan]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("1 parts of 2 events of CxiEndstation-0|Opal1000-1"),
        "{}",
        stdout(&output)
    );
    for (args, code, expected) in [
        (vec!["--plan", plan, "--part", "1", "-o", parts], 2, "wanted a part from 0 to 0, found 1"),
        (vec!["--plan", plan, "--part", "0"], 2, "--output"),
        (vec!["--part", "0", "-o", parts], 2, "--plan"),
        (vec!["--plan", plan], 2, "FILES"),
        (vec!["--plan", plan, "--part", "0", "-o", parts, "--with", "mean"], 2, "cannot be used with"),
        (vec!["--plan", plan, "--merge", parts, "--part", "0", "-o", parts], 2, "cannot be used with"),
        (vec!["--plan", "/no/such.json", "--part", "0", "-o", parts], 1, "/no/such.json"),
        (vec!["--plan", file, "--part", "0", "-o", parts], 1, file),
        (vec!["--plan", plan, "--merge", "/no/such"], 1, "/no/such"),
    ] {
        let output = livetime(&[&["analyze"], &args[..]].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
    let output = livetime(&["analyze", "--plan", plan, "--part", "0", "-o", parts]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("part 0 of 1: events 0..2, 2 used, 0 not: "), "{}", stdout(&output));
    let output = livetime(&["analyze", "--plan", plan, "--merge", parts]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("1 part merged\n"), "{}", stdout(&output));
    // It lies elsewhere now.
    let moved = folder.path().join("moved");
    std::fs::create_dir(&moved).unwrap();
    std::fs::copy(file, moved.join("e1-r0001-s00-c00.xtc")).unwrap();
    std::fs::rename(file, folder.path().join("away")).unwrap();
    let part = ["analyze", "--plan", plan, "--part", "0", "-o", parts];
    let output = livetime(&part);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("found none (--run FOLDER says"), "{}", stderr(&output));
    let output = livetime(&[&part[..], &["--run", moved.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("which was there with the same bits"), "{}", stdout(&output));
    std::fs::rename(folder.path().join("away"), file).unwrap();
    // The run is another one now.
    let mut bytes = std::fs::read(file).unwrap();
    bytes.push(0);
    std::fs::write(file, bytes).unwrap();
    let output = livetime(&["analyze", "--plan", plan, "--part", "0", "-o", parts]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("as it was at the plan"), "{}", stderr(&output));
}

/// Nodes that keep no state, and a branch that does.
const STATELESS: &str = "\
nodes:
  cam: {type: pva_source, params: {channel: X}}
  codec: {type: compress, from: cam, when_full: latest, params: {compressor: lz4}}
  back: {type: decompress, from: codec}
  small: {type: roi, from: back, params: {min_x: 10, size_x: 100, min_y: 20, size_y: 50}}
  turned: {type: transform, from: small, params: {operation: rot90}}
";

#[test]
fn parts_through_a_pipeline_write_the_same_files_as_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("e1-r0001-s00-c00.xtc");
    // Four blocks.
    let written = livetime(&["sim", "xtc", run.to_str().unwrap(), "--events", "22"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let graph = common::Pipeline::new("stateless", STATELESS);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let what = ["--detector", "Cspad", "--with", "mean,std,max,hits,histogram", "--threshold", "1500"];
    let what = [&what[..], &["--pipeline", graph.path()]].concat();
    let (code, one) = analysis(&run, &[&what[..], &["-o", &at("one"), "--workers", "1"]].concat());
    assert_eq!(code, Some(0), "{one}");
    assert_eq!(one["pipeline"]["of"], "turned");
    let counts = ["given", "used", "left_out", "lost"].map(|name| one["pipeline"][name].as_u64().unwrap());
    assert_eq!((counts, &one["used"]), ([22, 22, 0, 0], &22.into()));
    // Four quadrants of 8 sections: the part of each picture is turned.
    let shape: Vec<u64> =
        one["panels"][0]["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(shape[shape.len() - 2..], [100, 50]);
    for workers in ["2", "3", "5"] {
        let (code, other) =
            analysis(&run, &[&what[..], &["-o", &at(workers), "--workers", workers]].concat());
        assert_eq!((code, &other["pipeline"]), (Some(0), &one["pipeline"]));
        assert!(arrays(Path::new(&at(workers))) == arrays(Path::new(&at("one"))), "{workers} workers");
    }

    let (plan, parts) = (at("plan.json"), at("parts"));
    let (code, json) = analysis(&run, &[&what[..], &["--plan", &plan, "--parts", "3"]].concat());
    assert_eq!((code, &json["pipeline"]["hash"]), (Some(0), &one["pipeline"]["hash"]), "{json}");
    // The plan has all of the pipeline: the file is needed no more.
    drop(graph);
    for part in ["2", "0", "1"] {
        let args = ["analyze", "--plan", &plan, "--part", part, "-o", &parts, "--workers", "2"];
        let output = livetime(&args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let output = livetime(&["analyze", "--json", "--plan", &plan, "--merge", &parts, "-o", &at("merged")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let merged: Value = serde_json::from_slice(&output.stdout).unwrap();
    for name in ["detector", "panels", "events", "used", "not_used", "pipeline", "reduction"] {
        assert_eq!(merged[name], one[name], "{name}");
    }
    let [merged, one] = ["merged", "one"].map(|name| arrays(Path::new(&at(name))));
    assert!(one.len() == 6 && merged == one, "{} files", one.len());
}

#[test]
fn what_keeps_state_is_refused_by_name_for_parts() {
    let folder = tempfile::tempdir().unwrap();
    let file = camera(folder.path(), Damage::default(), &[]);
    let file = file.to_str().unwrap();
    let filter = "  filter: {type: process, from: cam, params: {enable_filter: true}}\n";
    let text =
        format!("nodes:\n  cam: {{type: sim_detector}}\n{filter}  same: {{type: transform, from: cam}}\n");
    let graph = common::Pipeline::new("state", &text);
    let plan = folder.path().join("plan.json");
    let begin = ["analyze", file, "--pipeline", graph.path(), "--plan", plan.to_str().unwrap()];
    let output = livetime(&begin);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains(":3:3: filter: wanted a node that keeps no state from frame to frame"), "{told}");
    assert!(!plan.exists());
    let output = livetime(&[&begin[..], &["--of", "same"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = stdout(&output);
    assert!(
        told.contains("through `same` of ") && told.contains("left out, not on the way to it: filter"),
        "{told}"
    );
    let output = livetime(&[
        "analyze",
        "--plan",
        plan.to_str().unwrap(),
        "--part",
        "0",
        "--pipeline",
        graph.path(),
        "-o",
        "x",
    ]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_node_that_fails_is_told_with_its_event() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |last: u16| {
        let pixels = [1, 2, 3, last].map(u16::to_le_bytes).concat();
        [&[2u32, 2, 16, 0].map(u32::to_le_bytes).concat()[..], &pixels].concat()
    };
    let pictures = [4, 40_000].map(picture);
    let file =
        camera_of(folder.path(), &pictures.each_ref().map(|picture| (Damage::default(), &picture[..])));
    let file = file.to_str().unwrap();
    let run = |policy: &str| {
        let text =
            format!("nodes:\n  cam: {{type: sim_detector}}\n  odd: {{type: brighten, from: cam{policy}}}\n");
        let graph = common::Pipeline::new("fails", &text);
        let mut program = common::own_nodes();
        program
            .args(["analyze", file, "--pipeline", graph.path(), "--with", "mean", "--json"])
            .output()
            .unwrap()
    };
    let skips = run("");
    assert_eq!(skips.status.code(), Some(3), "{}", stderr(&skips));
    let json: Value = serde_json::from_slice(&skips.stdout).unwrap();
    assert_eq!((&json["pipeline"]["lost"], &json["pipeline"]["used"]), (&1.into(), &1.into()));
    let lost = &json["pipeline"]["named"][0];
    assert_eq!((&lost["event"], &lost["node"]), (&1.into(), &"odd".into()), "{json}");
    assert!(
        lost["why"].as_str().unwrap().ends_with("wanted a pixel of at most 65535, found 80000"),
        "{json}"
    );
    let stops = run(", on_error: stop");
    assert_eq!(stops.status.code(), Some(1), "{}", stderr(&stops));
    assert!(stderr(&stops).contains("event 1: odd: "), "{}", stderr(&stops));
}

#[test]
fn events_are_selected_and_pictures_are_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = folder.path().join("run-r0001-s00-c00.xtc");
    let written = livetime(&["sim", "xtc", run.to_str().unwrap(), "--events", "6"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let (dark, lit) = (at("dark"), at("lit"));
    let (code, json) = analysis(&run, &["--with", "mean,std,mask", "--noise", "0.5..1e6", "-o", &dark]);
    assert_eq!(code, Some(0), "{json}");
    let (pedestal, mask) = (format!("{dark}/mean.npy"), format!("{dark}/mask.npy"));
    let corrected =
        ["--pedestal", &pedestal, "--mask", &mask, "--common-mode", "bank=2", "--with", "mean,peaks"];
    let select =
        ["--select", "evr(140) and not evr(41)", "--peaks", "high=100000", "--workers", "1..3", "-o", &lit];
    let (code, json) = analysis(&run, &[&corrected[..], &select[..]].concat());
    assert_eq!(
        (code, &json["used"], &json["same_for_all_workers"]),
        (Some(0), &6.into(), &true.into()),
        "{json}"
    );
    assert_eq!(json["select"]["expression"], "evr(140) and not evr(41)");
    let mean = json["results"].as_array().unwrap().iter().find(|r| r["name"] == "mean").unwrap();
    // The mean of what is left after the mean was subtracted, and a median.
    assert!(mean["mean"].as_f64().unwrap().abs() < 1.0 && mean["dtype"] == "f64", "{mean}");
    let (code, json) = analysis(&run, &["--select", "evr(41)"]);
    let message = json["errors"][0]["message"].as_str().unwrap_or_default();
    assert_eq!(code, Some(1), "{json}");
    assert!(message.contains("wanted at least one event, found none in 6: 6 refused"), "{json}");
}

#[test]
fn pixels_are_corrected_by_their_gain_stage() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run-r0001-s00-c00.xtc");
    let written = livetime(&["sim", "xtc", run.to_str().unwrap(), "--events", "3"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    // The highest bit of a CSPad's 14 as if it were a gain stage: a pedestal of -8192 there makes the values what they were.
    let pixels = 4 * 8 * 185 * 388;
    let npy = |name: &str, stages: &[f32]| {
        let path = folder.path().join(name);
        let shape = (stages.len(), 4, 8, 185, 388);
        let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape:?}, }}\n");
        let mut bytes =
            [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes()].concat();
        stages.iter().for_each(|value| bytes.extend(value.to_le_bytes().repeat(pixels)));
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (pedestal, one) = (npy("pedestal.npy", &[0.0, -8192.0]), npy("one.npy", &[0.0]));
    let number = |json: &Value, name: &str, field: &str| {
        let result = json["results"].as_array().unwrap().iter().find(|r| r["name"] == name).unwrap();
        result[field].as_f64().unwrap()
    };
    let statistics = ["--with", "mean"];
    let (_, raw) = analysis(&run, &statistics);
    let staged = |bits: &str, pedestal: &str| {
        analysis(&run, &[&["--pedestal", pedestal, "--gain-bits", bits][..], &statistics].concat())
    };
    let (code, json) = staged("13:1", &pedestal);
    assert_eq!((code, number(&json, "unknown-gain-codes", "value")), (Some(0), 0.0), "{json}");
    assert_eq!(number(&json, "mean", "mean"), number(&raw, "mean", "mean"));
    // With one stage alone, all others are unknown.
    let (code, json) = staged("13:1=0", &one);
    let unknown = number(&json, "unknown-gain-codes", "value");
    assert!(code == Some(0) && unknown > 0.0, "{json}");
    assert!(number(&json, "mean", "mean") < number(&raw, "mean", "mean"));
    for (given, wanted) in [
        (["--pedestal", &pedestal, "--gain-bits", "jungfrau"], "a first axis of 3 gain stages"),
        (["--pedestal", &pedestal, "--mask", &one], "as of gain stages, without gain bits"),
    ] {
        let output = livetime(&[&["analyze", run.to_str().unwrap()][..], &given].concat());
        assert_ne!(output.status.code(), Some(0), "{given:?}");
        assert!(stderr(&output).contains(wanted), "{given:?}: {}", stderr(&output));
    }
}

#[test]
fn wrong_selections_and_corrections_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run-r0001-s00-c00.xtc");
    let run = run.to_str().unwrap();
    assert_eq!(livetime(&["sim", "xtc", run, "--count", "2"]).status.code(), Some(0));
    let text = folder.path().join("text");
    std::fs::write(&text, "1 2 three\n").unwrap();
    let text = text.to_str().unwrap();
    for (more, wanted) in [
        (["--select", "evr(140"], "`)` at character 8"),
        (["--select", "ebeam.charge > 1"], "wanted a value of the run for `ebeam.charge`, found evr(…)"),
        (["--pedestal", text], "wanted a number in line 1, found `three`"),
        (["--mask", "/no/such/file"], "to read constants"),
        (["--common-mode", "rows"], "wanted a common mode as row, column"),
        (["--gain-bits", "15:2"], "wanted gain bits as 14:2"),
        (["--geometry", text], "nine numbers in line 1"),
        (["--noise", "1..2"], "`--noise` is for `--with mask`"),
    ] {
        let output = livetime(&[&["analyze", run][..], &more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(wanted), "{more:?}: {}", stderr(&output));
    }
    let out = folder.path().join("cut.xtc");
    let output = livetime(&["convert", run, "-o", out.to_str().unwrap(), "--select", "evr(140) and 1 > 0"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 selected, 0 refused, 0 without value"), "{}", stdout(&output));
}
