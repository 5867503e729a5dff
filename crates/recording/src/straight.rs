//! Pixels that are read straight into their frame.
//!
//! Where an XTC event has them is known only when it is parsed: see [`Guess`](crate::guess::Guess).

use livetime_formats::xtc1::run::Apart;
use livetime_frame::{FrameMut, Layout, Payload};

use crate::damage::Outcome;
use crate::{Detector, Picture, Reader, Recording};

impl Recording {
    /// As [`Recording::read`] followed by [`Picture::fill`] into `frame`. Returns whether the picture has the layout of
    /// the frame. A picture of another layout is in `picture` as after [`Recording::read`], and the content of the
    /// frame is then undefined.
    ///
    /// Pixels are read into the frame without a copy where possible: pixels of HDF5, and large uncompressed ones of XTC
    /// at the same places as in the event before. The panels of `picture` have no bytes then.
    ///
    /// # Errors
    /// As [`Recording::read`], and if the panels of the picture do not fit together.
    pub fn read_frame(
        &self,
        detector: &Detector,
        event: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        frame: &mut FrameMut,
    ) -> Outcome<bool> {
        let Payload::Array(layout) = *frame.payload() else { return Ok(false) };
        // Taken out of the reader, because reading borrows both.
        let mut guess = std::mem::take(&mut reader.guess);
        guess.take(picture, Some(layout.span()));
        let (lengths, asides) = guess.parts();
        let mut apart = Apart { lengths, asides, target: frame.bytes_mut(), ..Apart::default() };
        // If the guess does not apply (`is_used` is false), the event was read as a whole.
        let mut read = self.read_apart(detector, event, reader, picture, &mut apart);
        if apart.is_used {
            // Pixels are in the frame only if every guessed place is one of this event's pixels; see `guess`.
            let is_right = read.is_ok()
                && (asides.is_empty() || guess.fits(&picture.places))
                && has_layout(picture, layout);
            if !is_right {
                // A wrong guess left old bytes where the parser looked, so the event is read again as a whole.
                read = self.read(detector, event, reader, picture);
            }
            picture.is_elsewhere = is_right;
        }
        reader.guess = guess;
        read?;
        let is_alike = picture.layout()? == layout;
        // Pixels in the frame already need only their header; others are copied.
        match (is_alike, picture.is_elsewhere) {
            (true, true) => picture.describe(frame),
            (true, false) => picture.fill(frame),
            (false, _) => {}
        }
        Ok(is_alike)
    }
}

fn has_layout(picture: &Picture, layout: Layout) -> bool {
    picture.layout().is_ok_and(|found| found == layout)
}
