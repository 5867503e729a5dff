//! Runs the program as a user does.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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

/// Returns when the node of this name runs in the program, however busy the machine is: threads bear the names of nodes.
pub fn wait_for_node(program: &std::process::Child, name: &str) {
    let tasks = format!("/proc/{}/task", program.id());
    if !Path::new(&tasks).exists() {
        // A system that does not tell.
        return std::thread::sleep(std::time::Duration::from_secs(2));
    }
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let is_there = || {
        let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        let mut names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        names.any(|found| found.trim_end() == name)
    };
    while !is_there() {
        assert!(std::time::Instant::now() < until, "no thread `{name}` in the program within 60 s");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
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
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
