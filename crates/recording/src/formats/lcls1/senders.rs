//! The senders of pictures, from the headers of events, without their data.

use std::path::Path;

use livetime_formats::Result;
use livetime_formats::file::{Place, RecordedFile, Walker, Window, header_at};
use livetime_formats::xtc1::data::holds_panels;
use livetime_formats::xtc1::run::{Event, Piece, Run};
use livetime_formats::xtc1::{DatagramHeader, Src, XtcHeader};

/// The senders of pictures in some events.
#[derive(Default)]
pub(super) struct Senders {
    /// In the order in which they were found. Their process is left out, because it may differ from file to file.
    pub(super) found: Vec<Src>,
}

impl Senders {
    /// Adds the senders of an event. Returns whether the event has pictures.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn look_at(&mut self, run: &Run, event: &Event) -> Result<bool> {
        let mut has_pictures = false;
        for piece in run.pieces(event) {
            if let Some((path, file)) = run.file(piece) {
                has_pictures |= self.look_into(path, file, piece)?;
            }
        }
        Ok(has_pictures)
    }

    fn look_into(&mut self, path: &Path, file: &RecordedFile, piece: &Piece) -> Result<bool> {
        let mut window = Window::new(file.clone());
        let (start, end) = (piece.offset + DatagramHeader::ROOT as u64, piece.offset + piece.length);
        let mut walker = Walker::<XtcHeader>::new(start, end);
        let mut has_pictures = false;
        let mut next = || walker.step(|at| header_at::<XtcHeader, _>(&mut window, at));
        while let Some(found) = next().map_err(|e| e.in_file(path))? {
            if let Ok(Place { header, .. }) = found
                && holds_panels(header.type_id.plain())
            {
                has_pictures = true;
                self.add(header.src.without_process());
            }
        }
        Ok(has_pictures)
    }

    fn add(&mut self, src: Src) {
        if !self.found.contains(&src) {
            self.found.push(src);
        }
    }
}
