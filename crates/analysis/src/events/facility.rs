//! Whose format a file has.

use std::fs::File;
use std::path::Path;

use livetime_formats::file::{Format, Head, ReadAt};
use livetime_formats::{Error, Result, xtc1, xtc2};

/// Whose format a file has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Facility {
    /// XTC of LCLS-I.
    Lcls1,
    /// XTC of LCLS-II.
    Lcls2,
}

/// Whose format a file has: by its name, or else by what it begins with.
///
/// # Errors
/// If it is neither, or the system refuses.
pub fn facility(path: &Path) -> Result<Facility> {
    match Format::of(path) {
        Some(Format::Xtc1 | Format::SmallXtc1) => return Ok(Facility::Lcls1),
        Some(Format::Xtc2 | Format::SmallXtc2) => return Ok(Facility::Lcls2),
        Some(Format::Index) => return Err(Error::new("a file of datagrams", "an index file").in_file(path)),
        None => {}
    }
    let file = File::open(path).map_err(|e| Error::io("to open the file", e).in_file(path))?;
    let mut head = [0; 40];
    let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e).in_file(path))?;
    let head = &head[..count];
    if xtc1::DatagramHeader::parse(head).is_ok() {
        return Ok(Facility::Lcls1);
    }
    match xtc2::DatagramHeader::parse(head) {
        Ok(_) => Ok(Facility::Lcls2),
        Err(_) => Err(Error::new("an XTC file of LCLS-I or LCLS-II", "something else").in_file(path)),
    }
}
