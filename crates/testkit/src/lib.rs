//! For tests only: the places of data and other implementations, and a record of omissions.
//!
//! A test that lacks its data, a peer or a feature of the machine asks here ([`data`], [`python`], [`repository`] and
//! others), gets `None`, and returns. The omission is appended to a file, because the test runner hides the output of a
//! passing test. `cargo xtask test`
//! (`make test`) reads that file, lists the reasons, and counts the test as skipped.
//!
//! ```no_run
//! fn reads_a_recorded_file() {
//!     let Some(file) = livetime_testkit::data("xtc1/container/e236-r0003-s04-c00.xtc") else { return };
//!     assert!(std::fs::read(file).is_ok());
//! }
//! ```

mod broker;
mod mutated;
mod process;
mod skipped;
pub mod xtc2;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub use broker::Broker;
pub use mutated::mutated;
pub use process::{run_to_end, test_process};
pub use skipped::skip;

/// Longest wait of a test for an event that must come: on any machine, however busy, only a hang takes longer.
pub const HANG: Duration = Duration::from_secs(900);

/// Waits until `holds` returns true. `what` is in the panic's message when it never does.
///
/// # Panics
/// After [`HANG`].
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < HANG, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The root of the checkout whose tests run.
///
/// Asked when the test runs, because checkouts that share a target folder may share its programs.
pub fn repository() -> PathBuf {
    let tested = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let tested = tested.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).into());
    let root = tested.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.unwrap_or(&tested).to_path_buf()
}

/// The folder with recorded data, which is not part of the repository: `LIVETIME_DATA`, else `../shared/data` beside it.
pub fn data_folder() -> PathBuf {
    std::env::var_os("LIVETIME_DATA").map_or_else(|| repository().join("../shared/data"), PathBuf::from)
}

/// The file or folder `name` of the recorded data, for example `wib/wib1_frames.bin.zst`; `None` is a skip on record.
pub fn data(name: &str) -> Option<PathBuf> {
    let path = data_folder().join(name);
    if path.exists() {
        return Some(path);
    }
    let reason = format!(
        "no {name} in {}; LIVETIME_DATA names the folder with recorded data",
        data_folder().display()
    );
    skip(&format!("data/{name}"), &reason);
    None
}

/// The golden file `name` of the repository (`testdata/README.md`); `made` are the bytes that today's code writes.
/// Bytes of earlier versions must stay readable for ever, so the file stays as it is; with `LIVETIME_BLESS=1` it is
/// written again from `made`, for a new kind of data or an intended change of format.
///
/// # Errors
/// When the file cannot be read or written: the checkout is not whole.
pub fn golden(name: &str, made: &[u8]) -> std::io::Result<Vec<u8>> {
    let path = repository().join("testdata").join(name);
    if std::env::var_os("LIVETIME_BLESS").is_some_and(|bless| bless == "1") {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(&path, made)?;
    }
    let named = |e: std::io::Error| std::io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    std::fs::read(&path).map_err(named)
}

/// The Python interpreter of the environment `what` that `tools/peers.sh` makes: `""` has p4p and pvaPy, others are
/// `ophyd`, `bluesky`, `classic`, `metrics`, `hdf5`, `codecs`, `parquet`, `ioc`. `None` is a skip on record.
pub fn python(what: &str) -> Option<PathBuf> {
    let needed = if what.is_empty() { "peer/pva".to_owned() } else { format!("peer/{what}") };
    let args: Vec<&str> = (!what.is_empty()).then_some(what).into_iter().collect();
    made_by("tools/peers.sh", &args, &needed)
}

/// The jar of `core-pva` or `jca` that `tools/java_peer.sh` fetches, and with it a Java to run it. `None` is a skip on record.
pub fn java_peer(what: &str) -> Option<PathBuf> {
    made_by("tools/java_peer.sh", &[what], &format!("peer/java/{what}"))
}

/// The path that a script of the repository prints, once for each process.
fn made_by(script: &str, args: &[&str], needed: &str) -> Option<PathBuf> {
    static MADE: Mutex<Option<HashMap<String, Result<PathBuf, String>>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = made.get_or_insert_default().entry(needed.to_owned()).or_insert_with(|| make(script, args));
    let found = found.clone();
    drop(made);
    found.map_err(|reason| skip(needed, &reason)).ok()
}

fn make(script: &str, args: &[&str]) -> Result<PathBuf, String> {
    let failed = |why: String| Err(format!("{} fails: {why}", [&[script], args].concat().join(" ")));
    let path = repository().join(script);
    let output = match Command::new("bash").arg(path).args(args).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return failed(format!("bash does not start: {error}")),
    };
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !printed.is_empty() {
        return Ok(printed.into());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    failed(last.trim().to_owned())
}

/// The test runner's name for the test `name` of the module `module_path!()`, to run it in a process of its own.
///
/// Mark such a test with ``#[ignore = "run by `…`"]``: `make test` does not count it as skipped.
pub fn test_name(module_path: &str, name: &str) -> String {
    module_path.split_once("::").map_or(name.to_owned(), |(_, module)| format!("{module}::{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_found() {
        assert!(repository().join("crates/testkit/Cargo.toml").is_file());
    }

    #[test]
    fn a_test_has_the_name_of_its_module_without_the_program() {
        assert_eq!(test_name("all::runs", "writes"), "runs::writes");
        assert_eq!(test_name("runs", "writes"), "writes");
        let name = test_name(module_path!(), "a_test_has_the_name_of_its_module_without_the_program");
        assert_eq!(std::thread::current().name(), Some(&*name));
    }

    #[test]
    fn a_script_that_fails_says_why() {
        let reason = make("tools/peers.sh", &["nonsense"]).err();
        assert!(reason.is_some_and(|r| r.contains("found nonsense")));
        assert!(make("tools/nowhere.sh", &[]).is_err());
    }
}
