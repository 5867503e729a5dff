//! Recorded data for tests, which are not part of the repository.

use std::path::PathBuf;

/// The file `name` of the recorded data; `None` is a skip on record.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    livetime_testkit::data(name)
}
