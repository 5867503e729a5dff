//! Puts the commit into the program, for `--version` and for the records of its benchmarks.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    watch_sources();
    watch_commit();
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=12"]);
    println!("cargo::rustc-env=LIVETIME_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// A change of any of them compiles this crate again anyway, and makes the checkout differ from its commit.
/// (Git's index would tell as well, but `git status` writes it.)
fn watch_sources() {
    let crates = std::fs::read_dir("..").into_iter().flatten().flatten();
    let sources = crates.map(|entry| entry.path().join("src")).filter(|path| path.is_dir());
    for path in sources.chain(["../engine/derive/src", "../../Cargo.lock"].map(PathBuf::from)) {
        watch(&path);
    }
}

/// Watches `HEAD` and the log of its changes; in a second work tree neither lies in `.git`.
fn watch_commit() {
    let paths = ["HEAD", "logs/HEAD"].map(|name| git(&["rev-parse", "--git-path", name]));
    paths.into_iter().flatten().for_each(|path| watch(Path::new(&path)));
}

/// A file that is not there would let this run at every build.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
