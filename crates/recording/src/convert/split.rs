//! Where one file of the output ends and the next begins.

use std::path::{Path, PathBuf};

use livetime_formats::file::FileName;

/// How the output is split into files. The files are chunks of one stream: only the first has the configurations.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Split {
    /// One file.
    #[default]
    Not,
    /// At most this many events in each; 0 counts as 1.
    Events(u64),
    /// At most this many bytes in each, except one with a larger datagram.
    Bytes(u64),
}

impl Split {
    pub(super) fn events(self) -> EventSplit {
        EventSplit(if let Split::Events(events) = self { events.max(1) } else { u64::MAX })
    }

    pub(super) fn bytes(self) -> u64 {
        if let Split::Bytes(bytes) = self { bytes.max(1) } else { u64::MAX }
    }
}

/// The number of events in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventSplit(u64);

impl EventSplit {
    /// Whether the event behind `taken` others is the first of a file, and not of the first file.
    pub(super) fn is_due(self, taken: u64) -> bool {
        taken > 0 && taken.is_multiple_of(self.0)
    }
}

/// The name of file `number` of an output: `x-c02.xtc` and `x-c03.xtc` follow each other, `x.xtc` becomes `x-c00.xtc`.
pub(super) fn chunk_path(output: &Path, number: u32) -> PathBuf {
    let name = output.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let (stem, extension) = name.split_at(name.find('.').unwrap_or(name.len()));
    let (stem, first) = match FileName::parse(output) {
        Some(parsed) => (stem.rsplit_once("-c").map_or(stem, |(stem, _)| stem), parsed.chunk),
        None => (stem, 0),
    };
    output.with_file_name(format!("{stem}-c{:02}{extension}", first.saturating_add(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_named_as_those_of_a_run() {
        let name = |output: &str, number| chunk_path(output.as_ref(), number);
        assert_eq!(name("/d/e1-r0002-s03-c00.xtc", 1), Path::new("/d/e1-r0002-s03-c01.xtc"));
        assert_eq!(name("e1-r0002-s03-c98.xtc", 3), Path::new("e1-r0002-s03-c101.xtc"));
        assert_eq!(name("d.x/run.smd.xtc", 0), Path::new("d.x/run-c00.smd.xtc"));
        assert_eq!(name("run", 12), Path::new("run-c12"));
    }

    #[test]
    fn files_begin_behind_whole_numbers_of_events() {
        assert_eq!(
            [0, 1, 2, 3, 4].map(|taken| Split::Events(2).events().is_due(taken)),
            [false, false, true, false, true]
        );
        assert!(!Split::Not.events().is_due(u64::MAX - 1) && Split::Events(0).events().is_due(1));
    }
}
