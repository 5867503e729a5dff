//! The key of a record: whose message it has, and which part of it.
//!
//! The bytes of a message, its head and then its payloads, begin in the key of its first record when the head is short,
//! and go on in the values of its records. So the payload of a frame is sent from where it lies.
//!
//! | bytes | little-endian |
//! |---|---|
//! | 4, 1 | `LTKR`, version |
//! | 1, … | length of the name of the cut, the name |
//! | 8 | epoch of the sender |
//! | 8 | number of the message: it grows |
//! | 4, 4 | number of the part, and of all parts |
//! | … | the first bytes of the message; none but in part 0 |

use std::fmt;

const MAGIC: [u8; 4] = *b"LTKR";

/// The version of keys. Records of another version are refused.
pub const VERSION: u8 = 1;

/// A longer head of a message is no part of the key.
pub const MAX_HEAD_IN_KEY: usize = 16 << 10;

/// What the key of a record says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key<'a> {
    /// Name of the cut, at most 255 bytes.
    pub cut: &'a str,
    /// The sender's incarnation.
    pub epoch: u64,
    /// Number of the message.
    pub message: u64,
    /// Number of this part.
    pub part: u32,
    /// Number of all parts.
    pub parts: u32,
    /// The first bytes of the message.
    pub begin: &'a [u8],
}

/// A record that is not one of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotOurs(&'static str);

impl fmt::Display for NotOurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted a record of a link, found one with another {}", self.0)
    }
}

impl std::error::Error for NotOurs {}

impl<'a> Key<'a> {
    /// Appends the bytes of the key.
    pub fn put(&self, to: &mut Vec<u8>) {
        let cut = &self.cut[..self.cut.floor_char_boundary(255)];
        to.extend(MAGIC);
        to.extend([VERSION, cut.len() as u8]);
        to.extend(cut.as_bytes());
        to.extend(self.epoch.to_le_bytes());
        to.extend(self.message.to_le_bytes());
        to.extend(self.part.to_le_bytes());
        to.extend(self.parts.to_le_bytes());
        to.extend(self.begin);
    }

    /// Reads a key.
    ///
    /// ```
    /// use livetime_link_kafka::record::Key;
    /// let key = Key { cut: "link", epoch: 7, message: 3, part: 0, parts: 1, begin: b"LTLK" };
    /// let mut bytes = Vec::new();
    /// key.put(&mut bytes);
    /// assert_eq!(Key::read(&bytes), Ok(key));
    /// assert!(Key::read(b"{\"id\": 5}").is_err());
    /// ```
    ///
    /// # Errors
    /// [`NotOurs`] with the part of the key that differs.
    pub fn read(bytes: &'a [u8]) -> Result<Key<'a>, NotOurs> {
        let (magic, rest) = bytes.split_first_chunk().ok_or(NotOurs("key"))?;
        if *magic != MAGIC {
            return Err(NotOurs("key"));
        }
        let ([version, len], rest) = rest.split_first_chunk().ok_or(NotOurs("key"))?;
        if *version != VERSION {
            return Err(NotOurs("version"));
        }
        let (cut, rest) = rest.split_at_checked(usize::from(*len)).ok_or(NotOurs("length of its key"))?;
        let cut = str::from_utf8(cut).map_err(|_| NotOurs("name of its link"))?;
        let (epoch, rest) = number(rest)?;
        let (message, rest) = number(rest)?;
        let (parts, begin) = number(rest)?;
        let (part, parts) = (parts as u32, (parts >> 32) as u32);
        if part >= parts || (part > 0 && !begin.is_empty()) {
            return Err(NotOurs("number of its part"));
        }
        Ok(Key { cut, epoch, message, part, parts, begin })
    }
}

/// Whether the message that begins with these bytes says that a sender begins. Its head is always in the key.
pub(crate) fn is_welcome(begin: &[u8]) -> bool {
    const WELCOME: u8 = 1;
    begin.get(5) == Some(&WELCOME)
}

fn number(bytes: &[u8]) -> Result<(u64, &[u8]), NotOurs> {
    let (number, rest) = bytes.split_first_chunk().ok_or(NotOurs("length of its key"))?;
    Ok((u64::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_cut_off_anywhere_is_refused() {
        let mut bytes = Vec::new();
        Key { cut: "link", epoch: 7, message: 3, part: 0, parts: 1, begin: b"" }.put(&mut bytes);
        for len in 0..bytes.len() {
            assert!(Key::read(&bytes[..len]).is_err(), "{len}");
        }
        bytes[4] += 1;
        assert_eq!(Key::read(&bytes), Err(NotOurs("version")));
    }

    #[test]
    fn a_part_behind_the_last_one_is_refused() {
        for (part, parts, begin) in [(0, 0, &b""[..]), (2, 2, b""), (1, 2, b"x")] {
            let mut bytes = Vec::new();
            Key { cut: "", epoch: 7, message: 3, part, parts, begin }.put(&mut bytes);
            assert_eq!(Key::read(&bytes), Err(NotOurs("number of its part")));
        }
    }
}
