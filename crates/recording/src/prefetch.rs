//! Asks the system for the bytes of events before a reader needs them.

use std::fs::File;

use livetime_formats::file::{ReadAt, RecordedFile};
use livetime_formats::xtc1::run::Piece;

use crate::Recording;

/// Pieces with at most this gap between them are requested at once: reading the gap costs less than a second request.
const GAP: u64 = 64 << 10;

/// Tells the system which events will be read soon, so that it reads their bytes in large pieces into its cache while
/// other threads work. No byte is copied, and cached bytes cost nothing. The call may wait for the disk: give it a
/// thread of its own.
///
/// Use it in readers that take many events at once and keep no frames, such as an analysis.
/// [`Recording::frames`] reads ahead by itself.
///
/// ```no_run
/// use livetime_recording::{Prefetch, Recording};
///
/// let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
/// let prefetch = Prefetch::new(&recording);
/// std::thread::spawn(move || prefetch.ask_for(0..100));
/// # Ok::<(), livetime_recording::Error>(())
/// ```
#[derive(Debug)]
pub struct Prefetch {
    recording: Recording,
    /// The files that could be opened, in the order in which pieces name them.
    files: Vec<Option<RecordedFile>>,
}

impl Prefetch {
    /// Of the files that the run has now.
    pub fn new(recording: &Recording) -> Prefetch {
        let files = recording.files().iter().map(|path| recording.stores().open(path).ok()).collect();
        Prefetch { recording: recording.clone(), files }
    }

    /// Asks for the bytes of some events. A system that refuses reads them when they are needed.
    pub fn ask_for(&self, events: impl IntoIterator<Item = usize>) {
        let mut pieces: Vec<Piece> =
            events.into_iter().flat_map(|event| self.recording.pieces(event)).collect();
        pieces.sort_by_key(|piece| (piece.file, piece.offset));
        let follow = |a: &Piece, b: &Piece| {
            a.file == b.file && b.offset <= a.offset.saturating_add(a.length).saturating_add(GAP)
        };
        for run in pieces.chunk_by(follow) {
            if let [first, ..] = run
                && let Some(last) = run.last()
                && let Some(Some(file)) = self.files.get(first.file as usize)
            {
                let length = last.offset.saturating_add(last.length) - first.offset;
                match file {
                    RecordedFile::Disk(file) => will_need(file, first.offset, length),
                    RecordedFile::Object(object) => object.will_need(first.offset, length),
                }
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn will_need(file: &File, offset: u64, length: u64) {
    // Advice only: a system that refuses reads the bytes when they are needed.
    let _ = rustix::fs::fadvise(file, offset, std::num::NonZero::new(length), rustix::fs::Advice::WillNeed);
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
fn will_need(_: &File, _: u64, _: u64) {}
