//! Python with other implementations.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter of an environment that `tools/peers.sh` makes; without it the test says so.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn python(what: &str) -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/peers.sh");
    let made = Command::new("bash").arg(script).arg(what).output().ok().filter(|made| made.status.success());
    if made.is_none() {
        eprintln!("SKIPPED: tools/peers.sh cannot install {what}");
    }
    Some(PathBuf::from(String::from_utf8(made?.stdout).ok()?.trim()))
}

/// Runs a script of `tests/peers` with a folder to its end.
#[track_caller]
pub(crate) fn run(python: &Path, script: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
    let ran = Command::new(python).arg(script).arg(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
