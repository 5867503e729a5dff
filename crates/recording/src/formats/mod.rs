//! The formats of recorded runs: a folder for each, and a line in the table.
//!
//! A format implements [`Run`](crate::run::Run), its open run, and has a [`Format`], its line. `cargo xtask new-format` writes both;
//! `docs/add-a-format.md` says how to go on.

mod hdf5;
mod lcls1;
mod lcls2;
mod wire;

use std::path::{Path, PathBuf};

use livetime_formats::file::{ReadAt, Stores};
use livetime_formats::{Error, Result};

use crate::detector::{Detector, Part};
use crate::format::{Begin, Format, RunFormat};

pub(crate) use hdf5::FORMAT as HDF5;
pub use hdf5::join;
pub(crate) use lcls1::FORMAT as LCLS1;

/// All formats. Where the signs of several are equally sure, the first counts.
const ALL: &[&Format] = &[
    &lcls1::FORMAT,         // XTC of LCLS-I
    &lcls2::FORMAT,         // XTC of LCLS-II
    &hdf5::FORMAT,          // HDF5 of areaDetector, odin, DECTRIS detectors, h5py and this program
    &wire::dump::FORMAT,    // raw frames of the wire readout
    &wire::records::FORMAT, // trigger records of the wire readout
];

/// First bytes of a file that are read to recognise its format.
const HEAD: usize = 64;

impl RunFormat {
    /// Of the file `path`: by its name, or else by its content.
    ///
    /// # Errors
    /// If it is none of these, or the system refuses.
    pub fn of(path: &Path) -> Result<RunFormat> {
        RunFormat::of_from(&Stores::default(), path)
    }

    /// As [`RunFormat::of`], also of an object at an address.
    ///
    /// # Errors
    /// As [`RunFormat::of`].
    pub fn of_from(stores: &Stores, path: &Path) -> Result<RunFormat> {
        for format in ALL {
            if (format.is_named)(path)? {
                return Ok(RunFormat(format));
            }
        }
        let file = stores.open(path)?;
        let mut head = [0; HEAD];
        let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e).in_file(path))?;
        let begin = Begin { path, head: head.get(..count).unwrap_or_default(), stores };
        let mut by_sign: Vec<&Format> = ALL.to_vec();
        by_sign.sort_by_key(|format| format.sign.rank());
        let found = by_sign.into_iter().find(|format| format.sign.is_in(&begin));
        found.map(RunFormat).ok_or_else(|| Error::new(any_file(), "something else").in_file(path))
    }

    /// The files of the run that `path` belongs to.
    pub(crate) fn files_of(self, path: &Path, stores: &Stores) -> Result<Vec<PathBuf>> {
        (self.0.files_of)(path, stores)
    }
}

/// Files of all formats, in words.
fn any_file() -> String {
    let mut files: Vec<&str> = ALL.iter().map(|format| format.file).collect();
    files.dedup();
    let last = files.pop().unwrap_or_default();
    if files.is_empty() { last.to_owned() } else { format!("{}, or {last}", files.join(", ")) }
}

impl Detector {
    /// How the files of its runs are written.
    pub fn format(&self) -> RunFormat {
        let format = ALL.iter().find(|format| format.name == self.format_name());
        // Each naming belongs to a line of the table, as a test makes sure, so that a detector of no format cannot be made.
        RunFormat(format.unwrap_or(&ALL[0]))
    }

    /// The words by which plans of analyses tell detectors of different kinds, as [`Detector::key`].
    pub fn keys() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|format| format.naming.key)
    }

    /// The detector with these [`Detector::key`] and [`Detector::parts`]; `None` if it can be none.
    pub fn of_parts(key: &str, parts: &[Part]) -> Option<Detector> {
        let mut kinds = ALL.iter().map(|format| format.naming).filter(|naming| naming.key == key);
        kinds.find_map(|naming| (naming.of_parts)(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        for (at, format) in ALL.iter().enumerate() {
            assert!(
                format.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                "{format:?}"
            );
            assert!(ALL.iter().skip(at + 1).all(|other| other.name != format.name), "{format:?}");
            assert_eq!(format.naming.format, format.name);
        }
    }

    /// Programs, pages and plans of analyses have kept these words.
    #[test]
    fn words_that_were_given_stay() {
        let words = |of: fn(&Format) -> &'static str| ALL.iter().map(|format| of(format)).collect::<Vec<_>>();
        assert_eq!(words(|format| format.name)[..5], ["xtc1", "xtc2", "hdf5", "wire", "records"]);
        assert_eq!(words(|format| format.label)[..5], ["xtc1", "xtc2", "hdf5", "wiredump", "triggerrecords"]);
        assert_eq!(words(|format| format.naming.key)[..5], ["lcls1", "lcls2", "hdf5", "link", "link"]);
    }

    #[test]
    fn a_plan_keeps_a_detector_of_each_kind() {
        let text = |text: &str| Part::Text(text.to_owned());
        let (one, two) = (Part::Number(7), Part::Number(3));
        for (key, parts, format, name) in [
            ("lcls1", vec![Part::Number(0x0100_0001), one], "xtc1", ""),
            ("lcls2", vec![text("epix"), text("raw"), text("image"), two.clone()], "xtc2", "epix.raw.image"),
            ("hdf5", vec![text("/entry/data"), two], "hdf5", "/entry/data"),
            ("link", vec![text("slot2"), text("wire")], "wire", "slot2"),
            ("link", vec![text("readout7"), text("records")], "records", "readout7"),
        ] {
            let detector = Detector::of_parts(key, &parts).unwrap();
            assert_eq!((detector.key(), detector.parts()), (key, parts));
            assert_eq!(detector.format().name(), format);
            assert!(name.is_empty() || detector.to_string() == name, "{detector}");
        }
        for parts in [&[][..], &[text("slot2")], &[text("slot2"), text("hdf5")]] {
            assert_eq!(Detector::of_parts("link", parts), None);
        }
    }

    #[test]
    fn a_file_of_no_format_is_told_all_of_them() {
        let words = any_file();
        assert!(
            words.starts_with("an XTC file of LCLS-I or LCLS-II, an HDF5 file, raw frames of wires"),
            "{words}"
        );
        assert!(words.contains(", or "), "{words}");
    }
}
