//! Where addresses (`s3://bucket/key`, `http://host/path`) are opened, as the environment says.

use std::path::{Path, PathBuf};

use livetime_recording::Stores;

/// The part of the memory that a job may take that keeps bytes of objects.
const PART: u64 = 4;

/// Disks, and the servers that addresses name, with the credentials and the endpoint of the variables `AWS_*`. Bytes of objects take at
/// most a quarter of `memory`, or 512 MiB. Without the feature `objects` addresses are refused.
///
/// ```
/// let stores = livetime::stores::of_environment(None);
/// assert!(stores.open("http://me:secret@host/run.xtc".as_ref()).is_err());
/// ```
#[cfg(feature = "objects")]
pub fn of_environment(memory: Option<u64>) -> Stores {
    use livetime_objects::{Objects, Settings};
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        // A variable that is no text is none of these.
        Some((name.into_string().ok()?, value.into_string().ok()?))
    });
    let mut settings = Settings::of(variables);
    settings.cache_bytes = memory.map_or(settings.cache_bytes, |memory| memory / PART);
    Stores::with(std::sync::Arc::new(Objects::new(settings)))
}

/// Disks alone.
#[cfg(not(feature = "objects"))]
pub fn of_environment(_memory: Option<u64>) -> Stores {
    Stores::default()
}

/// The path as a message may show it: an address without the signature in its query.
pub fn shown(path: &Path) -> PathBuf {
    livetime_formats::file::shown(path).into_owned()
}

/// The memory that is left for everything else.
pub(crate) fn beside(memory: u64) -> u64 {
    if cfg!(feature = "objects") { memory - memory / PART } else { memory }
}
