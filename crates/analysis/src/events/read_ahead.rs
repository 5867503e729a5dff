//! Asks the system for the bytes of events before a worker needs them.
//!
//! A thread of its own tells the system which bytes will be needed; the system reads them in large pieces into its cache
//! while the workers work, and they find them there. Nothing is copied for it, and what is there already costs nothing.

use std::fs::File;
use std::sync::mpsc::Receiver;

use super::Recording;
use super::recording::Piece;
use crate::cut::Cut;

/// Pieces that lie so near to each other are asked for at once.
const GAP: u64 = 64 << 10;

/// Reads blocks ahead as their numbers come, until nobody is left who could send one.
pub(crate) fn read_ahead(recording: &Recording, cut: &Cut, asked: &Receiver<usize>) {
    let files: Vec<Option<File>> = recording.files().iter().map(|path| File::open(path).ok()).collect();
    for block in asked {
        ask_for(recording, cut, block, &files);
    }
}

/// Asks for the pieces of a block, those that follow each other at once.
fn ask_for(recording: &Recording, cut: &Cut, block: usize, files: &[Option<File>]) {
    let mut pieces: Vec<Piece> =
        cut.events_of_block(block).flat_map(|event| recording.pieces(event)).collect();
    pieces.sort_by_key(|piece| (piece.file, piece.offset));
    let follow = |a: &Piece, b: &Piece| {
        a.file == b.file && b.offset <= a.offset.saturating_add(a.length).saturating_add(GAP)
    };
    for run in pieces.chunk_by(follow) {
        if let [first, ..] = run
            && let Some(last) = run.last()
            && let Some(Some(file)) = files.get(first.file as usize)
        {
            will_need(file, first.offset, last.offset.saturating_add(last.length) - first.offset);
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn will_need(file: &File, offset: u64, length: u64) {
    // A system that refuses reads later.
    let _ = rustix::fs::fadvise(file, offset, std::num::NonZero::new(length), rustix::fs::Advice::WillNeed);
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
fn will_need(_: &File, _: u64, _: u64) {}
