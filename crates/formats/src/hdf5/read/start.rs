//! The first bytes of a file.

use super::super::superblock::SIGNATURE;
use super::input::{Fields, Input};
use crate::{Error, Result};

/// The superblock, as far as it is of use.
pub(super) struct Start {
    pub(super) version: u8,
    pub(super) is_open: bool,
    pub(super) end: u64,
    /// Where the header of the root group is.
    pub(super) root: u64,
}

impl Start {
    /// The fault of a file of this size, if it is shorter than it says. Of a file that is being written the end may be told before its bytes are there.
    pub(super) fn cut(&self, size: u64) -> Option<String> {
        let is_cut = !self.is_open && size < self.end;
        is_cut.then(|| format!("a file of {size} bytes that says it has {}: it was cut", self.end))
    }
}

/// Reads a superblock of any version.
pub(super) fn start(input: &Input<'_>) -> Result<Start> {
    let head = input.read(0, 16)?;
    if !head.starts_with(&SIGNATURE) {
        return Err(Error::new("an HDF5 file", "something else").at(0));
    }
    let version = head[8];
    let sizes = if version < 2 { [head[13], head[14]] } else { [head[9], head[10]] };
    if version > 3 || sizes != [8, 8] {
        let found = format!("version {version} with addresses of {} bytes", sizes[0]);
        return Err(Error::new("a superblock of version 0 to 3 with addresses of 8 bytes", found).at(8));
    }
    if version < 2 { old(input, version) } else { new(input, version) }
}

fn new(input: &Input<'_>, version: u8) -> Result<Start> {
    let body = input.checked(0, 48, &SIGNATURE)?;
    let mut fields = Fields::new(&body[12..], 12);
    let (base, _, end) = (fields.uint(8)?, fields.uint(8)?, fields.uint(8)?);
    check_base(base)?;
    Ok(Start { version, is_open: body[11] & 5 != 0, end, root: fields.uint(8)? })
}

/// The format of the first ten years of HDF5, which the library still writes by default. It does not show whether the
/// file has a writer.
fn old(input: &Input<'_>, version: u8) -> Result<Start> {
    let begin = if version == 0 { 24 } else { 28 };
    let body = input.read(begin, 48)?;
    let mut fields = Fields::new(&body, begin);
    let (base, _, end, _) = (fields.uint(8)?, fields.uint(8)?, fields.uint(8)?, fields.uint(8)?);
    check_base(base)?;
    fields.skip(8)?;
    Ok(Start { version, is_open: false, end, root: fields.uint(8)? })
}

fn check_base(base: u64) -> Result<()> {
    if base == 0 {
        return Ok(());
    }
    Err(Error::new("addresses from the begin of the file", format!("from byte {base}")).at(12))
}
