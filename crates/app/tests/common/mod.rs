//! Runs the program as a user does.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses its own part")]

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// `livetime` with the standard nodes.
pub fn livetime(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_livetime")).args(args).output().expect("livetime starts")
}

/// The example with a counting source and a slow sink beside the standard nodes; `cargo test` builds it.
pub fn own_nodes() -> Command {
    let tests = std::env::current_exe().expect("tests have a path");
    let folder = tests.parent().and_then(Path::parent).expect("tests lie in target/*/deps");
    let program = folder.join("examples/own_nodes");
    assert!(
        program.exists(),
        "{} is missing: cargo build -p livetime --example own_nodes",
        program.display()
    );
    Command::new(program)
}

/// Starts a program that serves; at which address, as it says itself.
pub fn serving(command: &mut Command) -> (Child, String) {
    let mut program =
        command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut log = BufReader::new(program.stderr.take().expect("a pipe")).lines();
    let address = log.find_map(|line| Some(line.ok()?.split_once("... at ")?.1.to_owned()));
    // Its pipe must not become full from now on.
    std::thread::spawn(move || log.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
    (program, address.expect("an address"))
}

/// A run that tells by its metrics how far it is, so that no test has to guess by time.
pub struct Running {
    pub program: Child,
    /// The rest of stderr.
    pub log: Lines<BufReader<ChildStderr>>,
    pub url: String,
}

impl Running {
    /// Starts `livetime run` with these arguments and `--metrics 0`, and waits for its first frames.
    pub fn start(args: &[&str]) -> Running {
        let mut command = own_nodes();
        command.arg("run").args(args).args(["--metrics", "0"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().expect("the program starts");
        let mut log = BufReader::new(program.stderr.take().expect("a pipe")).lines();
        let url = log.find_map(|line| Some(line.ok()?.split_once("metrics at ")?.1.to_owned()));
        let run = Running { program, log, url: url.expect("an address") };
        run.wait_for("livetime_frames_sent_total{node=\"cam\"}", 1.0);
        run
    }

    pub fn connect(&self) -> TcpStream {
        let address = self.url.trim_start_matches("http://").trim_end_matches("/metrics");
        TcpStream::connect(address).expect("it serves metrics")
    }

    pub fn metrics(&self) -> String {
        let (mut client, mut text) = (self.connect(), String::new());
        client.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it serves metrics");
        client.read_to_string(&mut text).expect("metrics are text");
        text
    }

    /// Waits until a metric that begins so is at least `least`.
    pub fn wait_for(&self, begin: &str, least: f64) {
        let is_enough =
            |line: &str| line.rsplit(' ').next().is_some_and(|v| v.parse().is_ok_and(|v: f64| v >= least));
        let holds = || self.metrics().lines().any(|line| line.starts_with(begin) && is_enough(line));
        livetime_testkit::wait_until(begin, holds);
    }

    /// Sends it a signal, as `kill` does.
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.program.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }
}

/// Exit code and report of an analysis of `file` in three parts, each by a process of its own.
pub fn analyzed_in_parts(file: &str, more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let folder = tempfile::tempdir().expect("a folder for the parts");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (plan, parts) = (at("plan.json"), at("parts"));
    let planned = livetime(&[&["analyze", file, "--plan", &plan, "--parts", "3"], more].concat());
    assert_eq!(planned.status.code(), Some(0), "{}", stderr(&planned));
    for part in ["0", "1", "2"] {
        let output = livetime(&["analyze", "--plan", &plan, "--part", part, "-o", &parts, "--workers", "2"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let merged = livetime(&["analyze", "--plan", &plan, "--merge", &parts, "--json"]);
    let json = serde_json::from_slice(&merged.stdout);
    (merged.status.code(), json.unwrap_or_else(|e| panic!("{e}: {}", stderr(&merged))))
}

/// The unusable events in the report of an analysis, in one piece or in parts.
pub fn account_of(analysis: &serde_json::Value) -> [serde_json::Value; 6] {
    ["events", "used", "incomplete", "not_used", "named", "problems"].map(|name| analysis[name].clone())
}

/// A pipeline file in the system's folder for temporary files, removed at the end.
pub struct Pipeline(PathBuf);

impl Pipeline {
    pub fn new(name: &str, text: &str) -> Pipeline {
        let path = temporary(&format!("{name}.yaml"));
        std::fs::write(&path, text).expect("the folder can be written");
        Pipeline(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

/// A path in the system's folder for temporary files that no other test has.
pub fn temporary(name: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("livetime-{}-{number}-{name}", std::process::id()))
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        // Settings that a run has kept must not be restored by another test.
        let _ = std::fs::remove_file(self.0.with_extension("settings.json"));
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A new folder, which is removed with all that is in it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = temporary(name);
        std::fs::create_dir(&path).expect("a new folder");
        Folder(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a path of text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
