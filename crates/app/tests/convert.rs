//! `livetime sim xtc`, `convert` and `recover` as users call them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::{livetime, stderr, stdout};
use serde_json::Value;

/// A folder of its own for a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = common::temporary(&format!("convert-{name}"));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str], code: i32) -> Output {
    let output = livetime(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    output
}

fn json(args: &[&str], code: i32) -> Value {
    serde_json::from_slice(&run(args, code).stdout).unwrap()
}

#[test]
fn a_simulated_run_is_compressed_cut_and_comes_back() {
    let folder = Folder::new("round");
    let [raw, packed, back, cut] = ["raw.xtc", "packed.xtc", "back.xtc", "cut.xtc"].map(|n| folder.path(n));
    let simulated = json(&["sim", "xtc", &raw, "--count", "3", "--seed", "5", "--json"], 0);
    assert_eq!(simulated["bytes"], simulated["raw_bytes"]);
    let report = json(&["convert", &raw, "-o", &packed, "--codec", "hist16", "--json"], 0);
    assert_eq!((&report["complete"], &report["events"]), (&true.into(), &3.into()));
    assert!((0.54..0.6).contains(&report["ratio"].as_f64().unwrap()), "{report}");
    assert!(report["usage"]["effective_mb_s"].as_f64().unwrap() > 0.0);
    let text = stdout(&run(&["convert", &packed, "-o", &back, "--codec", "none"], 0));
    assert!(text.contains("CspadElement_v2") && text.contains("MB/s of raw data"), "{text}");
    assert!(folder.read("raw.xtc") == folder.read("back.xtc"));
    run(&["convert", &packed, "-o", &cut, "--events", "1..2", "--without", "Evr"], 0);
    let inspected = json(&["inspect", "--json", &cut], 0);
    assert_eq!((&inspected[0]["events"], &inspected[0]["state"]["whole"]), (&1.into(), &true.into()));
    assert!(!inspected[0]["leaves"].as_array().unwrap().iter().any(|l| l["type"] == "EvrData_v3"));
    // Nothing is overwritten.
    assert!(stderr(&run(&["convert", &raw, "-o", &cut], 1)).contains("a file that is not there yet"));
}

#[test]
fn reference_frames_come_from_the_file_or_from_an_array() {
    let folder = Folder::new("reference");
    let [raw, mean, dark, npy] = ["raw.xtc", "mean.xtc", "dark.xtc", "dark.npy"].map(|n| folder.path(n));
    run(&["sim", "xtc", &raw, "--preset", "dark", "--count", "12"], 0);
    let args = ["convert", &raw, "-o", &mean, "--codec", "blockpack", "--reference", "mean:8", "--json"];
    let cspad = |report: &Value| {
        report["leaves"].as_array().unwrap().iter().find(|l| l["type"] == "CspadElement_v2").unwrap()["ratio"]
            .as_f64()
            .unwrap()
    };
    assert!(cspad(&json(&args, 0)) < 0.34);
    // An array of one value helps nothing and harms nothing.
    let header =
        format!("{:<118}\n", "{'descr': '<u2', 'fortran_order': False, 'shape': (4, 8, 185, 388), }");
    let pixels = 1200u16.to_le_bytes().repeat(4 * 8 * 185 * 388);
    let length = (header.len() as u16).to_le_bytes();
    std::fs::write(&npy, [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &pixels].concat()).unwrap();
    let args = ["convert", &raw, "-o", &dark, "--codec", "blockpack", "--reference", &npy, "--json"];
    assert!((0.4..0.5).contains(&cspad(&json(&args, 0))));
    for packed in [&mean, &dark] {
        let back = folder.path("back.xtc");
        run(&["convert", packed, "-o", &back, "--codec", "none"], 0);
        assert!(folder.read("raw.xtc") == folder.read("back.xtc"));
        std::fs::remove_file(back).unwrap();
    }
    run(&["convert", &raw, "-o", &folder.path("x"), "--codec", "blockpack", "--reference", "missing.npy"], 2);
}

#[test]
fn several_numbers_of_threads_are_measured_and_leave_the_plot_only() {
    let folder = Folder::new("sweep");
    let (raw, out) = (folder.path("raw.xtc"), folder.path("out.xtc"));
    run(&["sim", "xtc", &raw, "--size", "9MB"], 0);
    let rows = json(&["convert", &raw, "-o", &out, "--codec", "histn", "--workers", "1..3", "--json"], 0);
    let workers: Vec<u64> =
        rows["rows"].as_array().unwrap().iter().map(|r| r["workers"].as_u64().unwrap()).collect();
    assert_eq!(workers, [1, 2, 3]);
    let mut left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|f| f.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["out.workers.png", "raw.xtc"]);
    assert_eq!(rows["plot"], folder.path("out.workers.png"));
}

#[test]
fn a_file_whose_writer_was_killed_is_recovered_up_to_its_last_datagram() {
    let folder = Folder::new("killed");
    let [run_file, saved, packed] = ["run.xtc", "saved.xtc", "packed.xtc"].map(|n| folder.path(n));
    let written = folder.path("run.xtc.unproved");
    // Small datagrams are written many at once: it is killed inside one of these writes.
    let mut writer = Command::new(env!("CARGO_BIN_EXE_livetime"));
    let writer = writer.args(["sim", "xtc", &run_file, "--count", "100000"]).stdout(Stdio::null());
    let mut child = writer.spawn().unwrap();
    while std::fs::metadata(&written).map_or(0, |m| m.len()) < 30_000_000 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let size = std::fs::metadata(&written).unwrap().len();
    let inspected =
        serde_json::from_slice::<Value>(&livetime(&["inspect", "--json", &written]).stdout).unwrap();
    let complete = inspected[0]["state"]["complete_bytes"].as_u64().unwrap();
    let is_whole = complete == size;
    let report = json(&["recover", &written, "-o", &saved, "--json"], if is_whole { 0 } else { 3 });
    assert_eq!((&report["bytes"], &report["lost_bytes"]), (&complete.into(), &(size - complete).into()));
    assert_eq!(report["events"], inspected[0]["events"]);
    assert!(folder.read("saved.xtc") == folder.read("run.xtc.unproved")[..complete as usize]);
    // The files that the killed program has left hold no later program up.
    run(&["sim", "xtc", &run_file, "--count", "2"], 0);
    assert!(!std::fs::exists(&written).unwrap() && std::fs::exists(&run_file).unwrap());
    // The recovered file is a file like any other; the conversion, too, tells of lost bytes.
    run(&["convert", &saved, "-o", &packed, "--codec", "blockpack"], 0);
    let cut = folder.path("cut.xtc");
    std::fs::write(&cut, &folder.read("saved.xtc")[..complete as usize - 1000]).unwrap();
    let text = stdout(&run(&["convert", &cut, "-o", &folder.path("half.xtc")], 3));
    assert!(text.contains("LOST: ") && text.contains("see livetime recover"), "{text}");
}

/// Names in the folder, without those in `but`.
fn others(folder: &Folder, but: &[&str]) -> Vec<String> {
    let entries = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| !but.contains(&&**name)).collect()
}

/// Starts the command, interrupts it when the file `written` grows, and returns its exit code with what it said.
fn interrupted(args: &[&str], written: &str, signal: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
    let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while std::fs::metadata(written).map_or(0, |m| m.len()) < 1_000_000 {
        assert!(child.try_wait().unwrap().is_none(), "{args:?} ended before");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), stderr(&output))
}

#[test]
fn what_is_interrupted_leaves_nothing_and_works_the_next_time() {
    let folder = Folder::new("interrupted");
    let [raw, packed, wires] = ["raw.xtc", "packed.xtc", "wires"].map(|n| folder.path(n));
    let sim = |count| ["sim", "xtc", &raw, "--count", count];
    let (code, told) = interrupted(&sim("100000"), &folder.path("raw.xtc.unproved"), "-INT");
    assert!(code == Some(1) && told.contains("that it was stopped"), "{code:?} {told}");
    assert_eq!(others(&folder, &[]), Vec::<String>::new());
    run(&sim("60"), 0);
    let convert = ["convert", &raw, "-o", &packed, "--codec", "blockpack", "--workers", "1"];
    let (code, told) = interrupted(&convert, &folder.path("packed.xtc.unproved"), "-TERM");
    assert!(code == Some(1) && told.contains("that it was stopped"), "{code:?} {told}");
    assert_eq!(others(&folder, &["raw.xtc"]), Vec::<String>::new());
    run(&["convert", &raw, "-o", &packed, "--events", "..2"], 0);
    let links = ["sim", "wib", &wires, "--links", "2", "--duration", "10s"];
    let (code, told) = interrupted(&links, &folder.path("wires-l00.wib.unproved"), "-INT");
    assert!(code == Some(1) && told.contains("the work was stopped"), "{code:?} {told}");
    assert_eq!(others(&folder, &["raw.xtc", "packed.xtc"]), Vec::<String>::new());
}

#[test]
fn an_unfinished_run_is_recovered_to_its_own_name() {
    let folder = Folder::new("own-name");
    let [raw, unfinished] = ["raw.xtc", "raw.xtc.inprogress"].map(|n| folder.path(n));
    run(&["sim", "xtc", &raw, "--count", "1"], 0);
    std::fs::rename(&raw, &unfinished).unwrap();
    assert!(stdout(&run(&["recover", &unfinished, "-o", &raw], 0)).contains("nothing was lost"));
    assert!(folder.read("raw.xtc") == folder.read("raw.xtc.inprogress"));
    let output = run(&["recover", &unfinished, "-o", &raw], 1);
    assert!(stderr(&output).contains("raw.xtc: wanted a file that is not there yet"), "{}", stderr(&output));
}

#[test]
fn a_choice_of_no_event_and_a_name_of_no_format_are_refused() {
    let folder = Folder::new("none");
    let [raw, cut, hdf5] = ["raw.xtc", "cut.xtc", "raw.h5"].map(|n| folder.path(n));
    run(&["sim", "xtc", &raw, "--count", "4"], 0);
    run(&["convert", &raw, "-o", &hdf5], 0);
    for (input, output) in [(&raw, &cut), (&raw, &folder.path("cut.h5")), (&hdf5, &cut)] {
        let refused = run(&["convert", input, "-o", output, "--events", "100..200"], 1);
        assert!(stderr(&refused).contains("none of the run's 4 events"), "{}", stderr(&refused));
    }
    let refused = run(&["convert", &raw, "-o", &cut, "--select", "evr(99)"], 1);
    assert!(stderr(&refused).contains("found none in 4: "), "{}", stderr(&refused));
    let refused = run(&["analyze", &raw, "--select", "evr(99)"], 1);
    assert!(stderr(&refused).contains("found none in 4: "), "{}", stderr(&refused));
    let refused = run(&["analyze", &raw, "--events", "100..200"], 1);
    assert!(
        stderr(&refused).contains("--events: wanted numbers of the run's 4 events"),
        "{}",
        stderr(&refused)
    );
    for name in ["q.png", "run", "run.xtc2"] {
        let refused = run(&["convert", &raw, "-o", &folder.path(name)], 2);
        assert!(stderr(&refused).contains("ends with .xtc (LCLS-I) or .h5, .hdf5"), "{}", stderr(&refused));
    }
    assert_eq!(others(&folder, &["raw.xtc", "raw.h5"]), Vec::<String>::new());
}

#[test]
fn failures_are_told_as_json_too() {
    let folder = Folder::new("failures");
    let [raw, missing, none, plan] =
        ["raw.xtc", "missing.xtc", "none.xtc", "plan.json"].map(|n| folder.path(n));
    run(&["sim", "xtc", &raw, "--count", "1"], 0);
    let commands: [(&[&str], i32, &str); 7] = [
        (&["sim", "xtc", &raw, "--count", "1", "--json"], 1, "exists"),
        (&["sim", "wib", &raw, "--faults", "explode", "--json"], 2, "usage"),
        (&["convert", &missing, "-o", &none, "--json"], 1, "not_found"),
        (&["convert", &raw, "-o", "q.png", "--json"], 2, "usage"),
        (&["recover", &missing, "-o", &none, "--json"], 1, "not_found"),
        (&["analyze", &missing, "--json"], 1, "not_found"),
        (&["analyze", "--plan", &plan, "--merge", "parts", "-o", "out", "--json"], 1, "failed"),
    ];
    for (args, code, word) in commands {
        let told = json(args, code);
        assert_eq!((&told["ok"], &told["exit_code"]), (&false.into(), &code.into()), "{args:?}");
        assert_eq!(told["errors"][0]["code"], word, "{args:?}: {told}");
        assert!(told["errors"][0]["message"].as_str().unwrap().len() > 10, "{told}");
    }
}

#[test]
fn recovery_ends_as_it_says() {
    let folder = Folder::new("recover");
    let [raw, noise, saved] = ["raw.xtc", "noise.xtc", "saved.xtc"].map(|n| folder.path(n));
    run(&["sim", "xtc", &raw, "--count", "1"], 0);
    assert!(stdout(&run(&["recover", &raw, "-o", &saved], 0)).contains("nothing was lost"));
    assert!(folder.read("raw.xtc") == folder.read("saved.xtc"));
    std::fs::write(&noise, [7; 5000]).unwrap();
    let output = run(&["recover", &noise, "-o", &folder.path("none.xtc")], 1);
    assert!(stdout(&output).contains("nothing could be saved"));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3);
    run(&["recover", &folder.path("missing.xtc"), "-o", &folder.path("none.xtc")], 1);
    run(&["recover", &raw, "-o", &saved], 1);
    // An empty file has no format that could want anything.
    let empty = folder.path("empty.h5");
    std::fs::write(&empty, []).unwrap();
    for args in [&["recover", &empty][..], &["recover", &empty, "-o", &folder.path("none.h5")]] {
        assert!(stdout(&run(args, 1)).contains("it is empty"));
    }
}
