//! Sinks as users meet them: an incomplete file ends the run with 1 and is named, nothing is replaced, a fault is told
//! once, and the counts of a killed program can be read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Pipeline, livetime, stderr, stdout};
use serde_json::{Value, json as value};
use tempfile::TempDir;

/// A camera of 500 small pictures per second and one sink.
fn pipeline(name: &str, sink: &str, folder: &Path) -> Pipeline {
    let text = format!(
        "nodes:\n  cam:\n    type: sim_detector\n    \
         params: {{max_size_x: 32, max_size_y: 16, acquire_period: 2 ms}}\n  \
         sink:\n    type: {sink}\n    from: cam\n    queue: 100\n    params: {{path: {}}}\n",
        folder.display()
    );
    Pipeline::new(&format!("sinks-{name}"), &text)
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
    let command = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until there is a file of this kind in the folder.
fn wait_for(folder: &Path, end: &str) -> PathBuf {
    let limit = Instant::now() + livetime_testkit::HANG;
    loop {
        let found = files(folder).into_iter().find(|path| path.display().to_string().ends_with(end));
        if let Some(path) = found {
            return path;
        }
        assert!(Instant::now() < limit, "no file *{end} in {}", folder.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).map_or(Vec::new(), |all| all.map(|entry| entry.unwrap().path()).collect());
    all.sort();
    all
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

fn completed(report: &Value) -> u64 {
    report["nodes"][1]["completed"].as_u64().unwrap()
}

#[test]
fn a_recording_whose_name_is_taken_ends_with_1_and_says_where_it_is() {
    let folder = TempDir::new().unwrap();
    let pipeline = pipeline("taken", "xtc_recorder", folder.path());
    let run = start(&["run", pipeline.path(), "--duration", "1s", "--json"]);
    let written = wait_for(folder.path(), ".inprogress");
    let wanted = written.with_extension("");
    fs::write(&wanted, "theirs").unwrap();
    let output = run.wait_with_output().unwrap();
    let report = json(&output);
    assert_eq!(
        (output.status.code(), &report["exit_reason"]),
        (Some(1), &"not_finished".into()),
        "{report:#}"
    );
    let told = report["unfinished"][0].as_str().unwrap();
    assert!(told.starts_with("sink: ") && told.contains(&format!("`{}`", written.display())), "{told}");
    assert!(stderr(&output).contains(" error sink: "), "{}", stderr(&output));
    assert_eq!((&report["ledger_closed"], &report["unintended_losses"]), (&true.into(), &0.into()));
    assert_eq!(fs::read(&wanted).unwrap(), b"theirs");
    // All that was counted is there.
    let inspected = livetime(&["inspect", written.to_str().unwrap(), "--json"]);
    assert!(stdout(&inspected).contains(&format!("{}", completed(&report))), "{}", stdout(&inspected));
}

#[test]
fn a_folder_that_is_removed_ends_the_run_with_1() {
    for sink in ["xtc_recorder", "tiff_files"] {
        let folder = TempDir::new().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let pipeline = pipeline(&format!("removed-{sink}"), sink, &below);
        let run = start(&["run", pipeline.path(), "--duration", "1500ms"]);
        wait_for(&below, if sink == "xtc_recorder" { ".inprogress" } else { ".tif" });
        while fs::remove_dir_all(&below).is_err() {}
        let output = run.wait_with_output().unwrap();
        let text = stdout(&output);
        match sink {
            "xtc_recorder" => {
                assert_eq!(output.status.code(), Some(1), "{text}");
                assert!(
                    text.contains("NOT FINISHED: sink: ") && text.contains("the data are gone"),
                    "{text}"
                );
            }
            // Each picture that could not be written is a loss.
            _ => assert_eq!(output.status.code(), Some(3), "{text}"),
        }
        let errors = stderr(&output).lines().filter(|line| line.contains(" error ")).count();
        assert!((1..=4).contains(&errors), "{}", stderr(&output));
    }
}

#[test]
fn a_ledger_that_cannot_be_written_is_told_before_or_ends_the_run_with_1() {
    let text = |file: &Path| {
        format!(
            "nodes:\n  wires: {{type: wib_simulator, params: {{links: 1}}}}\n  \
             ledger: {{type: link_ledger, from: wires.ledger, params: {{file: {}}}}}\n",
            file.display()
        )
    };
    let missing = Pipeline::new("sinks-ledger", &text(Path::new("/no/such/folder/run.json")));
    let output = livetime(&["run", missing.path(), "--duration", "200ms"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("did not start: ledger: `/no/such/folder`: wanted a folder"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_missing_folder_is_told_at_once_and_every_frame_is_counted() {
    for sink in ["xtc_recorder", "tiff_files"] {
        let pipeline = pipeline(&format!("missing-{sink}"), sink, Path::new("/no/such/folder"));
        let output = livetime(&["run", pipeline.path(), "--frames", "300", "--json", "--no-web"]);
        let report = json(&output);
        assert_eq!(output.status.code(), Some(3), "{report:#}");
        assert_eq!(report["nodes"][1]["lost"]["node_error"], 300);
        let first = stderr(&output).lines().next().unwrap().to_owned();
        assert!(first.contains(" error sink: `/no/such/folder`: wanted a folder, found none"), "{first}");
        let lines = stderr(&output).lines().filter(|line| line.contains(" error ")).count();
        assert!((2..=4).contains(&lines), "{}", stderr(&output));
        assert!(report["events_repeated"].as_u64().unwrap() > 250, "{report:#}");
    }
}

#[test]
fn a_second_run_and_one_at_the_same_time_replace_nothing() {
    for (sink, end) in [("xtc_recorder", ".xtc"), ("tiff_files", ".tif"), ("npy_files", ".npy")] {
        let folder = TempDir::new().unwrap();
        let pipeline = pipeline(&format!("second-{sink}"), sink, folder.path());
        let args = ["run", pipeline.path(), "--frames", "50", "--json"];
        let first = json(&livetime(&args));
        let before: Vec<(PathBuf, Vec<u8>)> =
            files(folder.path()).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        let at_once: Vec<Child> = (0..2).map(|_| start(&args)).collect();
        let more: Vec<Value> =
            at_once.into_iter().map(|run| json(&run.wait_with_output().unwrap())).collect();
        for report in more.iter().chain([&first]) {
            assert_eq!((&report["exit_code"], completed(report)), (&0.into(), 50), "{sink}: {report:#}");
        }
        assert!(before.iter().all(|(path, bytes)| fs::read(path).unwrap() == *bytes), "{sink}");
        let wanted = if end == ".tif" { 150 } else { 3 };
        assert_eq!(files(folder.path()).len(), wanted, "{sink}");
    }
}

#[test]
fn what_a_killed_program_has_written_can_be_read_and_is_not_touched_later() {
    for (sink, end) in [("xtc_recorder", ".inprogress"), ("tiff_files", "_020.tif")] {
        let folder = TempDir::new().unwrap();
        let pipeline = pipeline(&format!("killed-{sink}"), sink, folder.path());
        let mut run = start(&["run", pipeline.path()]);
        wait_for(folder.path(), end);
        std::thread::sleep(Duration::from_millis(200));
        run.kill().unwrap();
        run.wait().unwrap();
        let left = files(folder.path());
        let kept: Vec<Vec<u8>> = left.iter().map(|path| fs::read(path).unwrap()).collect();
        let is_whole = |path: &&PathBuf| path.extension().is_some_and(|e| e == "tif");
        // Pictures of one size make files of one length; what is cut off has another name.
        let lengths: Vec<u64> =
            left.iter().filter(is_whole).map(|path| fs::metadata(path).unwrap().len()).collect();
        assert!(lengths.iter().all(|len| *len == lengths[0] && *len > 32 * 16), "{lengths:?}");
        if sink == "xtc_recorder" {
            let recovered = folder.path().join("recovered.xtc");
            let output = livetime(&["recover", left[0].to_str().unwrap(), "-o", recovered.to_str().unwrap()]);
            // Killed within a write, half a frame is left behind the last one.
            assert!(matches!(output.status.code(), Some(0 | 3)), "{}{}", stdout(&output), stderr(&output));
            fs::remove_file(recovered).unwrap();
        }
        let again = json(&livetime(&["run", pipeline.path(), "--frames", "20", "--json"]));
        assert_eq!((&again["exit_code"], completed(&again)), (&0.into(), 20), "{sink}: {again:#}");
        for (path, bytes) in left.iter().zip(kept) {
            assert_eq!(fs::read(path).unwrap(), bytes, "{}", path.display());
        }
    }
}

/// A sink behind a simulated link, slow enough for any machine, without end unless `apa.duration` is set.
#[cfg(feature = "parquet")]
fn wires(name: &str, sink: &str) -> Pipeline {
    let text = format!(
        "memory: 256 MiB
nodes:
  apa: {{type: wib_simulator, params: {{links: 1, rate: 0.01, loop_time: 10 ms, argon_rate: 3000}}}}
  finder: {{type: hit_finder, from: {{node: apa, when_full: block}}}}
  activity: {{type: trigger_prescale, from: {{node: finder, when_full: block}}, params: {{every: 50, planes: collection}}}}
  trigger: {{type: trigger_candidate, from: {{node: activity, when_full: block}}, params: {{hold_off: 0}}}}
  readout:
    type: readout_buffer
    from: [{{node: finder, to: hits, when_full: block}}, {{node: trigger, to: decisions, when_full: block}}]
    params: {{deadline: 0.1}}
  sink: {sink}
"
    );
    Pipeline::new(&format!("sinks-{name}"), &text)
}

/// Something that can be read of what a killed program has left: frames, rows or records, as the list in `docs/operate.md` promises.
#[cfg(feature = "parquet")]
fn readable(file: &Path) -> usize {
    let name = file.display().to_string();
    let inspected = |file: &Path| -> Value {
        let output = livetime(&["inspect", file.to_str().unwrap(), "--json"]);
        json(&output)[0].clone()
    };
    match name.trim_end_matches(".inprogress").rsplit('.').next().unwrap() {
        "csv" => fs::read_to_string(file).unwrap().lines().count(),
        "wib" => inspected(file)["links"][0]["frames"].as_u64().unwrap() as usize,
        "records" => inspected(file)["records"].as_array().unwrap().len(),
        _ => {
            let saved = file.with_extension("saved");
            let output = livetime(&["recover", &name, "-o", saved.to_str().unwrap()]);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{name}: {}", stdout(&output));
            let rows = inspected(&saved)["rows"].as_u64().unwrap() as usize;
            fs::remove_file(saved).unwrap();
            rows
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn what_sinks_of_wire_readout_have_written_outlives_a_killed_program_and_later_runs() {
    let block = "when_full: block";
    for (name, from, params) in [
        ("table_csv", "apa.truth", "file: FOLDER/t.csv"),
        ("wib_dump", "apa", "path: FOLDER"),
        ("hits_parquet", "finder", "path: FOLDER, flush_seconds: 0.1, row_group: 1000"),
        ("trigger_records", "readout", "path: FOLDER"),
    ] {
        let folder = TempDir::new().unwrap();
        let params = params.replace("FOLDER", &folder.path().display().to_string());
        let sink = format!("{{type: {name}, from: {{node: {from}, {block}}}, params: {{{params}}}}}");
        let pipeline = wires(name, &sink);
        let mut run = start(&["run", pipeline.path(), "--no-pva"]);
        let limit = Instant::now() + livetime_testkit::HANG;
        let is_large = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() > 40_000);
        // One record may be longer than that.
        let is_enough = |path: &PathBuf| is_large(path) && (name != "trigger_records" || readable(path) > 0);
        while !files(folder.path()).iter().any(is_enough) {
            assert!(Instant::now() < limit, "{name} writes nothing");
            std::thread::sleep(Duration::from_millis(20));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let left: Vec<(PathBuf, Vec<u8>)> =
            files(folder.path()).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        assert!(left.iter().all(|(path, _)| path.extension().is_some_and(|end| end == "inprogress")));
        assert!(left.iter().map(|(path, _)| readable(path)).sum::<usize>() > 0, "{name}");
        let args = ["run", pipeline.path(), "--no-pva", "--json", "--set", "apa.duration=20ms"];
        let two: Vec<Child> = (0..2).map(|_| start(&args)).collect();
        for run in two {
            let output = run.wait_with_output().unwrap();
            let report = json(&output);
            let nodes = report["nodes"].as_array().unwrap();
            let sink = nodes.iter().find(|node| node["name"] == "sink").unwrap();
            assert!(sink["completed"].as_u64() > Some(0) && sink["lost"] == value!({}), "{name}: {sink:#}");
            let written = PathBuf::from(sink["readbacks"]["full_file_name"].as_str().unwrap());
            assert!(readable(&written) > 0, "{name}");
        }
        assert!(left.iter().all(|(path, bytes)| fs::read(path).unwrap() == *bytes), "{name}");
        // As many files of each of the three runs.
        assert_eq!(files(folder.path()).len(), 3 * left.len(), "{name}");
    }
}

#[test]
fn the_log_has_levels_and_the_time_of_day() {
    let pipeline = pipeline("levels", "tiff_files", Path::new("/no/such/folder"));
    let lines = |level: &str| -> Vec<String> {
        let metrics = ["--metrics", "0"];
        let args = [&["--log", level, "run", pipeline.path(), "--frames", "20"][..], &metrics].concat();
        stderr(&livetime(&args)).lines().map(str::to_owned).collect()
    };
    let is_stamped = |line: &String| line.as_bytes().get(23) == Some(&b'Z') && line.starts_with("20");
    let (errors, all) = (lines("error"), lines("info"));
    assert!(!errors.is_empty() && errors.iter().all(|line| line.contains("Z error sink: ")), "{errors:?}");
    assert!(errors.iter().chain(&all).all(is_stamped), "{errors:?} {all:?}");
    assert!(all.iter().any(|line| line.contains("Z info serving metrics at http://")), "{all:?}");
    let wrong = livetime(&["run", "--log", "loud"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("error, warn, info, debug"), "{}", stderr(&wrong));
}

/// A service that is started again and again until its input is there must not use up the numbers of its runs.
#[test]
fn a_start_that_fails_leaves_no_file_and_takes_no_number() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    let text = format!(
        "nodes:\n  cam: {{type: sim_detector, params: {{max_size_x: 32, max_size_y: 16}}}}\n  \
         run: {{type: xtc_recorder, from: cam, params: {{path: {path}, compression: hist16, threads: 2}}}}\n  \
         wires: {{type: wib_file, params: {{file: /nonexistent.wib}}}}\n  \
         hits: {{type: hit_finder, from: wires}}\n  \
         table: {{type: table_csv, from: hits, params: {{file: {path}/hits.csv}}}}\n  \
         late: {{type: recording, params: {{file: /nonexistent.xtc}}}}\n  end: {{type: null, from: late}}\n"
    );
    let pipeline = Pipeline::new("sinks-failing-start", &text);
    for _ in 0..3 {
        let output = livetime(&["run", pipeline.path(), "--no-pva", "--no-web"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("did not start"), "{}", stderr(&output));
        assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
    }
}
