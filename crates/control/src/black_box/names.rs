//! The names of black boxes.

use std::path::Path;

/// How the names of black boxes end.
pub const EXTENSION: &str = "blackbox";

/// The name of a pipeline file without its end.
pub(super) fn stem(pipeline: &Path) -> String {
    pipeline.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
