//! Python with other implementations.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter of an environment that `tools/peers.sh` makes.
pub(crate) fn python(what: &str) -> Option<PathBuf> {
    livetime_testkit::python(what)
}

/// Runs a script of `tests/peers` with a folder to its end.
#[track_caller]
pub(crate) fn run(python: &Path, script: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
    let ran = Command::new(python).arg(script).arg(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
