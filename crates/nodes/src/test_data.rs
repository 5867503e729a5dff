//! Recorded data for tests, which are not part of the repository.

use std::path::{Path, PathBuf};

/// The file `name` in the folder that the environment variable `LIVETIME_DATA` names, else in `shared/data`
/// beside the workspace. Says so when it is not there, because the test then checks nothing.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LIVETIME_DATA").map_or(beside, PathBuf::from);
    let file = folder.join(name);
    if file.is_file() {
        return Some(file);
    }
    eprintln!("SKIPPED: no `{}`; LIVETIME_DATA names the folder with test data", file.display());
    None
}
