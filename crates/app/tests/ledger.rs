//! Runs that are killed: the files of their recorder are the truth about what their black box says, and the next run tells it once.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{livetime, stderr, stdout};

/// Runs that are killed, each at another moment.
const KILLS: u64 = 20;
/// The time of a file is the time of the system's last tick, which may be this much earlier.
const TICK: Duration = Duration::from_millis(20);

/// A folder with a pipeline that writes a file for each picture.
fn recording() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.yaml");
    let text = format!(
        "nodes:\n  cam: {{type: sim_detector, params: {{size_x: 16, size_y: 16, acquire_period: 2 ms}}}}\n  \
         files: {{type: tiff_files, from: cam, params: {{path: {}, file_name: p}}}}\n",
        folder.path().display()
    );
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn with_end(folder: &Path, end: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == end)).collect()
}

/// Runs the pipeline until there are `more` further pictures, and kills it. Returns its pictures.
fn killed_after(more: usize, folder: &Path, file: &Path) -> Vec<PathBuf> {
    let before = with_end(folder, "tif");
    let mut run = Command::new(env!("CARGO_BIN_EXE_livetime"))
        .args(["run", "--no-web", file.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + livetime_testkit::HANG;
    while with_end(folder, "tif").len() < before.len() + more {
        assert!(Instant::now() < end, "{} pictures", with_end(folder, "tif").len());
        std::thread::yield_now();
    }
    run.kill().unwrap();
    run.wait().unwrap();
    with_end(folder, "tif").into_iter().filter(|picture| !before.contains(picture)).collect()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(output)))
}

fn seconds(time: &Value) -> SystemTime {
    let time: jiff::Timestamp = time.as_str().unwrap().parse().unwrap();
    time.into()
}

#[test]
fn a_killed_run_left_the_account_of_its_files() {
    let mut random = 20_261_128_u64;
    for _ in 0..KILLS {
        let (folder, file) = recording();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let pictures = killed_after(1 + (random >> 33) as usize % 120, folder.path(), &file);
        let boxes = with_end(folder.path(), "blackbox");
        let ledger = livetime(&["ledger", "--json", boxes[0].to_str().unwrap()]);
        assert_eq!((boxes.len(), ledger.status.code()), (1, Some(3)), "{}", stderr(&ledger));
        let run = &json(&ledger)["runs"][0];
        assert_eq!((&run["state"], run["ledger_closed"].as_bool()), (&Value::from("killed"), Some(true)));
        // Nothing that was there when the counts were read is missing in them, and they claim nothing that was not written.
        let known = seconds(&run["known_until"]);
        let written = |picture: &&PathBuf| fs::metadata(picture).unwrap().modified().unwrap() + TICK < known;
        let earlier = pictures.iter().filter(written).count() as u64;
        let delivered = run["edges"][0]["delivered"].as_u64().unwrap();
        let completed = run["nodes"][1]["completed"].as_u64().unwrap();
        assert!(earlier <= delivered, "{earlier} pictures before {known:?}, {delivered} delivered");
        assert!(completed <= pictures.len() as u64, "{completed} completed, {} pictures", pictures.len());
    }
}

#[test]
fn the_next_run_tells_it_once() {
    let (folder, file) = recording();
    let path = file.to_str().unwrap();
    let first = killed_after(20, folder.path(), &file).len();
    killed_after(20, folder.path(), &file);
    assert!(first >= 20);
    assert_eq!(with_end(folder.path(), "blackbox").len(), 1, "the second took over what the first had left");
    let next = livetime(&["run", "--no-web", "--json", "--frames", "5", path]);
    assert_eq!(stderr(&next).matches("an earlier run").count(), 2, "{}", stderr(&next));
    let report = json(&next);
    let previous = report["previous"].as_array().unwrap();
    assert_eq!((next.status.code(), previous.len()), (Some(0), 2));
    assert!(with_end(folder.path(), "blackbox").is_empty());
    let last = livetime(&["run", "--no-web", "--json", "--frames", "5", path]);
    assert_eq!(
        (json(&last)["previous"].as_array().map(Vec::len), stderr(&last).contains("earlier")),
        (Some(0), false)
    );
    // The ledger has each run once, also if two files tell of it.
    let kept = folder.path().join("report.json");
    fs::write(&kept, &next.stdout).unwrap();
    let kept = kept.to_str().unwrap();
    let ledger = livetime(&["ledger", kept, kept, "--json"]);
    assert_eq!((ledger.status.code(), json(&ledger)["runs"].as_array().map(Vec::len)), (Some(3), Some(3)));
}

#[test]
fn a_run_goes_on_without_a_black_box() {
    let (folder, file) = recording();
    let nowhere = folder.path().join("nowhere");
    let run = livetime(&[
        "run",
        "--no-web",
        "--frames",
        "5",
        "--black-box",
        nowhere.to_str().unwrap(),
        file.to_str().unwrap(),
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert!(stderr(&run).contains("black box, without which a kill loses the counts"), "{}", stderr(&run));
}

#[test]
fn the_ledger_joins_the_sides_of_a_cut_and_refuses_what_is_no_report() {
    let folder = TempDir::new().unwrap();
    let report = |name: &str, side: &str, delivered: u64, lost: &str| {
        let path = folder.path().join(name);
        let text = format!(
            r#"{{"run":"{name}","finished":true,"edges":[],"nodes":[],"cuts":[{{"cut":"a.out -> b.in","epoch":"1",
            "side":"{side}","offered":10,"delivered":{delivered},"lost":{lost},"queued":0,"in_doubt":0}}]}}"#
        );
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (sender, same) = (report("s", "sender", 10, "{}"), report("r", "receiver", 10, "{}"));
    let code = |files: &[&str]| livetime(&[&["ledger"], files].concat()).status.code();
    assert_eq!((code(&[&sender, &same]), code(&[&sender])), (Some(0), Some(3)), "one side alone is unknown");
    let fewer = report("f", "receiver", 9, r#"{"late":1}"#);
    assert_eq!(code(&[&sender, &fewer]), Some(1), "the sides differ");
    let (lossy, too) =
        (report("l", "sender", 9, r#"{"queue_full":1}"#), report("t", "receiver", 9, r#"{"queue_full":1}"#));
    assert_eq!(code(&[&lossy, &too]), Some(3));
    let huge = report("h", "sender", u64::MAX, r#"{"late":18446744073709551615}"#);
    assert_eq!(code(&[&huge]), Some(1), "a sum that no count can be does not close");
    for (name, text, why) in [
        ("no", "nodes: {}", "found no JSON"),
        ("other", r#"{"nodes": []}"#, "found JSON without `edges`"),
        ("wrong", r#"{"edges": [{"lost": {}, "unintended": -1}], "nodes": []}"#, "`unintended` has a value"),
        ("box", "livetime blackbx\u{1}\0\0\0\0\u{10}\0\0", "neither slot of the black box"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let refused = livetime(&["ledger", path.to_str().unwrap()]);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(2), String::new()));
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
}
