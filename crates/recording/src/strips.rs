//! Pixels that stay in their files when an event is read, and are read in strips after it.
//!
//! Their places are guessed from the event before, and checked as for pixels that are read [straight](crate::straight)
//! into a frame.

use livetime_formats::Error;
use livetime_formats::xtc1::run::Apart;

use crate::damage::Outcome;
use crate::{Detector, Picture, Reader, Recording};

impl Recording {
    /// As [`Recording::read`], but pixels may stay in the files; returns whether they did. Then the panels of `picture` have no bytes, and
    /// [`Recording::read_strip`] reads these.
    ///
    /// Those stay that are large, of XTC, not compressed, and lie as in the event that `picture` held before.
    ///
    /// # Errors
    /// As [`Recording::read`].
    pub fn read_around(
        &self,
        detector: &Detector,
        event: usize,
        reader: &mut Reader,
        picture: &mut Picture,
    ) -> Outcome<bool> {
        let mut guess = std::mem::take(&mut reader.guess);
        guess.take(picture, None);
        let (lengths, asides) = guess.parts();
        let mut apart = Apart { lengths, asides, leaves_out: true, ..Apart::default() };
        let mut read = self.read_apart(detector, event, reader, picture, &mut apart);
        if apart.is_used {
            picture.is_elsewhere = read.is_ok() && guess.fits(&picture.places);
            if !picture.is_elsewhere {
                read = self.read(detector, event, reader, picture);
            }
        }
        reader.guess = guess;
        read.map(|()| picture.is_elsewhere)
    }

    /// Fills `bytes` with the pixels of a panel of `picture` from byte `start` on. `panel`: its position among
    /// [`Picture::panels`].
    ///
    /// # Errors
    /// If the pixels of the picture did not stay in the files, the panel has fewer, or the system refuses.
    pub fn read_strip(&self, picture: &Picture, panel: usize, start: usize, bytes: &mut [u8]) -> Outcome {
        // Strips may be read only of a picture whose pixels stayed in the files.
        let place = picture.places.get(panel).filter(|_| picture.is_elsewhere);
        let place = place.and_then(|place| place.piece.map(|piece| (piece, place.bytes.clone())));
        let (piece, place) = place.ok_or_else(|| Error::new("pixels that stayed in the files", "none"))?;
        // The place comes from the file, so the sums are checked.
        let end = start.checked_add(bytes.len()).and_then(|end| end.checked_add(place.start));
        if end.is_none_or(|end| end > place.end) {
            let found = format!("{} from {start} on", bytes.len());
            return Err(Error::new(format!("bytes in 0..{}", place.len()), found).into());
        }
        Ok(self.read_part(picture.event(), piece, place.start + start, bytes)?)
    }
}
