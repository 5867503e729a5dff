//! Runs the program as a user does.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// A pipeline file in the system's folder for temporary files, removed at the end.
pub struct Pipeline(PathBuf);

impl Pipeline {
    pub fn new(name: &str, text: &str) -> Pipeline {
        let path = std::env::temp_dir().join(format!("livetime-{}-{name}.yaml", std::process::id()));
        std::fs::write(&path, text).expect("the folder can be written");
        Pipeline(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
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
