//! The pipeline files of `examples/ladder`, in their order: each is right, runs to its end, and its ledger closes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{stderr, stdout};

/// The pipeline files, in the order of their numbers.
fn steps() -> Vec<PathBuf> {
    let folder = livetime_testkit::repository().join("examples/ladder");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

fn livetime_in(folder: &Path, args: &[&str], step: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
    command.arg(args[0]).arg(step).args(&args[1..]).current_dir(folder).output().unwrap()
}

#[test]
fn every_step_is_checked_and_runs() {
    let (folder, steps) = (tempfile::tempdir().unwrap(), steps());
    assert_eq!(steps.len(), 11, "{steps:?}");
    for step in &steps {
        let checked = livetime_in(folder.path(), &["check"], step);
        assert_eq!(checked.status.code(), Some(0), "{}: {}", step.display(), stderr(&checked));
        let run = ["run", "--frames", "50", "--no-pva", "--no-web", "--json"];
        let done = livetime_in(folder.path(), &run, step);
        // Exit code 3: frames were lost, and accounted for, where the machine is busy.
        assert!(matches!(done.status.code(), Some(0 | 3)), "{}: {}", step.display(), stderr(&done));
        let report: Value = serde_json::from_str(&stdout(&done)).unwrap();
        assert_eq!(report["ledger_closed"], true, "{}", step.display());
    }
    for file in ["run_001.h5", "run-r0001-s00-c00.xtc"] {
        assert!(folder.path().join("out/ladder").join(file).is_file(), "{file}");
    }
}
