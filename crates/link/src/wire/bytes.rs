//! Little-endian numbers and short texts, read with a check before each use.

use std::fmt;

/// Bytes that are no message of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireError {
    what: &'static str,
    wanted: String,
    found: String,
}

impl WireError {
    pub(super) fn new(what: &'static str, wanted: impl fmt::Display, found: impl fmt::Display) -> WireError {
        WireError { what, wanted: wanted.to_string(), found: found.to_string() }
    }

    /// An error, if `found` is more than `most`.
    pub(super) fn limit(what: &'static str, found: u64, most: u64) -> Result<(), WireError> {
        if found <= most {
            return Ok(());
        }
        Err(WireError::new(what, format_args!("at most {most}"), found))
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message of a link, {}: wanted {}, found {}", self.what, self.wanted, self.found)
    }
}

impl std::error::Error for WireError {}

/// The part of a message that is still to be read.
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn take(&mut self, what: &'static str, len: usize) -> Result<&'a [u8], WireError> {
        let Some((taken, rest)) = self.0.split_at_checked(len) else {
            let found = format_args!("{}", self.0.len()).to_string();
            return Err(WireError::new(what, format_args!("{len} bytes"), found));
        };
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], WireError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(what, N)?);
        Ok(bytes)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, WireError> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, WireError> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, WireError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, WireError> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(super) fn hash(&mut self, what: &'static str) -> Result<[u8; 32], WireError> {
        self.array(what)
    }

    /// 0 or 1.
    pub(super) fn flag(&mut self, what: &'static str) -> Result<bool, WireError> {
        match self.u8(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(WireError::new(what, "0 or 1", other)),
        }
    }

    /// One of `choices`, by its place.
    pub(super) fn choice<T: Copy>(&mut self, what: &'static str, choices: &[T]) -> Result<T, WireError> {
        let place = self.u8(what)?;
        let found = choices.get(usize::from(place)).copied();
        found.ok_or_else(|| WireError::new(what, format_args!("a number below {}", choices.len()), place))
    }

    /// A text after its length.
    pub(super) fn text(&mut self, what: &'static str) -> Result<&'a str, WireError> {
        let len = self.u16(what)?;
        let bytes = self.take(what, usize::from(len))?;
        str::from_utf8(bytes).map_err(|e| WireError::new(what, "UTF-8", e))
    }

    pub(super) fn end(&self, what: &'static str) -> Result<(), WireError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(WireError::new(what, "the end", format_args!("{} more bytes", self.0.len())))
    }
}

/// The longest text that fits behind its length, cut between characters.
pub(super) fn put_text(to: &mut Vec<u8>, text: &str) {
    let text = &text[..text.floor_char_boundary(usize::from(u16::MAX))];
    to.extend((text.len() as u16).to_le_bytes());
    to.extend(text.as_bytes());
}
