//! Bluesky with ophyd-async and with classic ophyd, unmodified, against the program: the scripts of `examples/bluesky`.
//!
//! Their packages come from `tools/peers.sh bluesky` and `classic`; without them the tests say so and pass. Sockets are on loopback only.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program with the pipeline of the examples, ended when the test is over.
struct Served {
    program: Child,
    address: String,
    folder: PathBuf,
}

impl Served {
    fn start(more: &[&str]) -> Served {
        Served::start_changed(|text| text, more)
    }

    /// The same with another pipeline, made from the one of the examples.
    fn start_changed(change: impl Fn(String) -> String, more: &[&str]) -> Served {
        let folder = common::temporary("bluesky");
        std::fs::create_dir_all(&folder).unwrap();
        let text = std::fs::read_to_string(examples().join("pipeline.yaml")).unwrap();
        let own = "pvaccess: {prefix: '13SIM1:', port: 0, search_port: 0, interfaces: 127.0.0.1}";
        let text = text.replace("pvaccess: {prefix: '13SIM1:'}", own);
        assert!(text.contains(own));
        let text = change(text);
        let path = folder.join("pipeline.yaml");
        std::fs::write(&path, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.arg("run").arg(&path).args(more);
        let (program, address) = common::serving(command.stdout(Stdio::null()));
        Served { program, address, folder }
    }

    /// Runs a script of the examples to its end, which must be a good one; returns its output.
    fn run(&self, python: &Path, script: &str, args: &[&str]) -> String {
        let (ended_well, text) = self.try_to_run(python, script, args);
        assert!(ended_well, "{script}: {text}");
        eprintln!("{text}");
        text
    }

    /// Runs a script of the examples. Returns whether it ended well, and its output.
    fn try_to_run(&self, python: &Path, script: &str, args: &[&str]) -> (bool, String) {
        let mut command = Command::new(python);
        command.arg(examples().join(script)).arg("--folder").arg(self.folder.join("new/files")).args(args);
        command.env("EPICS_PVA_NAME_SERVERS", &self.address);
        command.env("EPICS_PVA_ADDR_LIST", "").env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
        self.end_of(command)
    }

    /// Lets a client work to its end, for at most five minutes. Returns whether it ended well, and its output.
    fn end_of(&self, mut command: Command) -> (bool, String) {
        // Settings and caches of the user are not touched.
        command.env("PYTHONUNBUFFERED", "1").env("HOME", &self.folder);
        let errors = self.folder.join("errors");
        command.stderr(std::fs::File::create(&errors).unwrap());
        let output = livetime_testkit::run_to_end(&mut command).unwrap();
        let errors = std::fs::read_to_string(&errors).unwrap();
        eprintln!("{errors}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), if output.status.success() { text } else { text + &errors })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn examples() -> PathBuf {
    livetime_testkit::repository().join("examples/bluesky")
}

#[test]
fn count_writes_a_frame_per_event() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    for writer in ["hdf", "tiff", "jpeg"] {
        let said = served.run(&python, "count.py", &["--writer", writer]);
        assert!(said.ends_with("counted\n"), "{said}");
    }
}

#[test]
fn a_fly_scan_is_collected_while_it_completes() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    for writer in ["hdf", "tiff"] {
        let said = served.run(&python, "fly.py", &["--writer", writer]);
        assert!(said.ends_with("flown\n"), "{said}");
    }
}

#[test]
fn colours_have_the_shape_that_documents_say() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&["--set", "detector.color_mode=rgb1"]);
    let said = served.run(&python, "fly.py", &["--writer", "hdf", "--events", "5"]);
    assert!(said.contains("5 frames of [3, 150, 200]") && said.ends_with("flown\n"), "{said}");
}

#[test]
fn values_of_plugins_belong_to_their_event() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    let said = served.run(&python, "signals.py", &["--writer", "hdf"]);
    assert!(said.ends_with("signals read\n"), "{said}");
}

#[test]
fn attributes_are_in_the_files_from_the_first_frame_on() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    for writer in ["hdf", "tiff"] {
        let said = served.run(&python, "attributes.py", &["--writer", writer]);
        assert!(said.ends_with("attributes read\n"), "{said}");
    }
}

#[test]
fn tiled_reads_the_files() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    let said = served.run(&python, "catalog.py", &["--writer", "hdf"]);
    assert!(said.ends_with("catalogued\n"), "{said}");
}

#[test]
fn events_come_out_of_a_stream_that_never_stops() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    let said = served.run(&python, "continuous.py", &[]);
    assert!(said.ends_with("continued\n"), "{said}");
}

#[test]
fn readers_follow_the_file_while_the_scan_goes_on() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    let said = served.run(&python, "follow.py", &[]);
    assert!(said.ends_with("followed\n"), "{said}");
}

/// Classic ophyd waits until each number that it writes reads back, makes the names of files out of numbers, and takes
/// the end of `Acquire_RBV` for the end of the plugins' work.
#[test]
fn classic_ophyd_counts_and_scans() {
    let Some(python) = livetime_testkit::python("classic") else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let served = Served::start(&[&format!("--ca={port}")]);
    for [writer, images] in [["hdf", "1"], ["hdf", "3"], ["tiff", "2"]] {
        let mut command = Command::new(&python);
        command
            .arg(examples().join("classic/count_and_scan.py"))
            .arg("--folder")
            .arg(served.folder.join("pictures of a folder whose path is longer than forty characters"));
        command.args(["--writer", writer, "--images", images]);
        command.env("EPICS_CA_NAME_SERVERS", format!("127.0.0.1:{port}"));
        command.env("EPICS_CA_ADDR_LIST", "").env("EPICS_CA_AUTO_ADDR_LIST", "NO");
        let (ended_well, said) = served.end_of(command);
        assert!(ended_well && said.ends_with("classic ophyd is content\n"), "{writer}: {said}");
    }
}

/// The block of commands of the document that begins with `first`.
fn block(first: &str) -> String {
    let text = std::fs::read_to_string(livetime_testkit::repository().join("docs/bluesky.md")).unwrap();
    let begin = text.find(&format!("```sh\n{first}")).unwrap() + "```sh\n".len();
    text[begin..].split("```").next().unwrap().to_owned()
}

#[test]
fn the_document_installs_what_is_tested() {
    let names = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        words.filter(|word| word.contains("==")).map(str::to_owned).collect()
    };
    let peers = std::fs::read_to_string(livetime_testkit::repository().join("tools/peers.sh")).unwrap();
    for (first, name) in [("python3 -m venv", "name=bluesky"), ("pip install ophyd", "name=classic")] {
        let wanted = peers.split_once(name).unwrap().1.split_once(";;").unwrap().0.replace("wanted=\"", " ");
        assert_eq!(names(&block(first)), names(&wanted));
    }
}

#[test]
fn the_lines_of_the_document_work() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let served = Served::start(&[]);
    let folder = served.folder.join("clone");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(livetime_testkit::repository().join("examples"), folder.join("examples"))
        .unwrap();
    let lines = block("export");
    assert_eq!(lines.lines().filter(|line| line.starts_with("python ")).count(), 7, "{lines}");
    let path = format!("{}:{}", python.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", &format!("set -ev\n{lines}")]).current_dir(&folder).env("PATH", path);
    // The run of this test is found by its address alone, also when another program on this machine serves a run.
    command.env("EPICS_PVA_NAME_SERVERS", &served.address).env("EPICS_PVA_BROADCAST_PORT", "9");
    command.env("EPICS_PVA_AUTO_ADDR_LIST", "NO").env("HOME", &served.folder);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("continued\n"), "{said}");
}

/// Half of the frames never come to the writer. The scan flushes ten times a second, which must not look like progress.
#[test]
fn a_fly_scan_whose_frames_do_not_come_ends() {
    let Some(python) = livetime_testkit::python("bluesky") else { return };
    let halve = |text: String| {
        let (all, half) =
            ("hdf5_files, from: detector, queue: 200", "hdf5_files, from: {node: detector, every: 2}");
        assert!(text.contains(all));
        text.replace(all, half)
    };
    let served = Served::start_changed(halve, &[]);
    let (ended_well, said) = served.try_to_run(&python, "fly.py", &["--writer", "hdf", "--events", "20"]);
    assert!(!ended_well && said.contains("TimeoutError"), "{said}");
}
