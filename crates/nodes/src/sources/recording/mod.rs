//! What `xtc` and `xtc2` have in common: the events of a recording as frames.
//!
//! [`Recording`] is what a file format knows, [`Player`] does the rest: range, passes, times, reading ahead, accounts. [`Playback`] are the
//! parameters of both.

mod loader;
mod picture;
mod playback;
mod player;

use std::path::{Path, PathBuf};

use livetime_engine::{Context, ParamEnum};
use livetime_formats::xtc1::run::Problem;

use super::image_files::listing;
pub(super) use picture::{Picture, stack};
pub use playback::Playback;
pub(super) use player::Player;

/// When events are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Timing {
    /// As fast as the queues behind take them.
    #[default]
    Fast,
    /// As far apart as they were recorded, divided by `speed`.
    Recorded,
}

/// The events of a recording, which several threads may read at once.
pub(super) trait Recording: Send + Sync + 'static {
    /// Working memory, one for each thread.
    type Scratch: Default + Send;

    /// How many events are known.
    fn events(&self) -> usize;

    /// When an event happened, ns since 1970.
    fn event_time_ns(&self, event: usize) -> u64;

    /// Shows the detector's picture of an event; says whether the event has one.
    ///
    /// # Errors
    /// Text that says what is wrong and where, or what `show` says.
    fn read(
        &self,
        event: usize,
        scratch: &mut Self::Scratch,
        show: &mut dyn FnMut(&Picture<'_>) -> Result<(), String>,
    ) -> Result<bool, String>;

    /// Looks for events that were recorded meanwhile.
    ///
    /// # Errors
    /// Text, if the system refuses.
    fn refresh(&mut self) -> Result<(), String>;

    /// Whether events may still come.
    fn may_grow(&self) -> bool;
}

/// The files that `file` names: those that match a pattern, or one and the files of the same run beside it, which `files_of` finds; of
/// several lines just the file in each.
///
/// # Errors
/// Text naming the file.
pub(super) fn files(
    file: &str,
    files_of: impl Fn(&Path) -> livetime_formats::Result<Vec<PathBuf>>,
) -> Result<Vec<PathBuf>, String> {
    if file.contains('\n') {
        return Ok(file.lines().map(PathBuf::from).collect());
    }
    let path = Path::new(file);
    let name = listing::name_of(path);
    if !name.contains(['*', '?']) {
        let files = if path.is_file() { files_of(path).map_err(|e| e.to_string())? } else { Vec::new() };
        return if files.is_empty() {
            Err(format!("`{file}`: wanted a recorded file, found none"))
        } else {
            Ok(files)
        };
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    listing::list(&folder.to_string_lossy(), &name)
}

/// Problems that are told one by one.
const MOST_TOLD: usize = 10;

/// Tells what is wrong with the files of a run, and what will not be sent of one that `is_growing`.
pub(super) fn tell(ctx: &Context, problems: &[Problem], is_growing: bool, follow: bool) {
    for Problem { path, error } in problems.iter().take(MOST_TOLD) {
        ctx.tell_error(format!("{}: {}", path.display(), error.reason()));
    }
    if is_growing && !follow {
        ctx.tell("the run is still being written; what comes from now on is not sent (`follow` is false)");
    }
}

/// The events `A..B` of `text`: from number A on up to B, which is not among them; either may be missing.
///
/// # Errors
/// Text.
pub(super) fn range(text: &str) -> Result<(usize, usize), String> {
    let refuse = || format!("wanted events as `100..200`, `100..` or `..200`, found `{text}`");
    if text.is_empty() {
        return Ok((0, usize::MAX));
    }
    let (first, end) = text.split_once("..").ok_or_else(refuse)?;
    let number = |text: &str, missing| if text.is_empty() { Some(missing) } else { text.trim().parse().ok() };
    let range = number(first, 0).zip(number(end, usize::MAX));
    range.filter(|(first, end)| first < end).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, wanted) in
            [("", (0, usize::MAX)), ("3..5", (3, 5)), ("3..", (3, usize::MAX)), ("..5", (0, 5))]
        {
            assert_eq!(range(text), Ok(wanted), "{text}");
        }
        for text in ["3", "5..3", "3..3", "a..b", "-1..2", "1..2..3"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
