//! Parts of messages in boxes.

use crypto_box::aead::AeadInPlace;
use crypto_box::{SalsaBox, Tag};

use super::boxes::{SHORT_NONCE, TAG_BYTES, nonce};
use crate::zmtp::{Head, ZmtpError};

/// The name of the command, as it stands before each box.
const MESSAGE: &[u8; 8] = b"\x07MESSAGE";
/// Where tag and content of the box begin.
const TAG: usize = MESSAGE.len() + SHORT_NONCE;
const CONTENT: usize = TAG + TAG_BYTES;
/// Bytes that a sealed part has more than its content: also the flags, which are sealed too.
pub(crate) const SEALED_BYTES: usize = CONTENT + 1;

const MORE: u8 = 1;
const COMMAND: u8 = 2;

/// Seals the parts that this end sends.
pub(crate) struct Sealer {
    session: SalsaBox,
    name: &'static str,
    number: u64,
}

impl Sealer {
    /// `number` is the last one that a box of this end had.
    pub(super) fn new(session: SalsaBox, name: &'static str, number: u64) -> Sealer {
        Sealer { session, name, number }
    }

    /// Appends a sealed part, with the head of its frame, to `to`.
    pub(crate) fn put(&mut self, part: &[u8], more: bool, to: &mut Vec<u8>) -> Result<(), ZmtpError> {
        self.number += 1;
        let number = self.number.to_be_bytes();
        Head { more: false, command: false, len: (SEALED_BYTES + part.len()) as u64 }.put(to);
        let start = to.len();
        to.extend(MESSAGE);
        to.extend(number);
        to.extend([0; TAG_BYTES]);
        to.push(if more { MORE } else { 0 });
        to.extend(part);
        let (front, content) = to[start..].split_at_mut(CONTENT);
        let tag = self.session.encrypt_in_place_detached(&nonce(self.name, &number), &[], content);
        front[TAG..].copy_from_slice(&tag.map_err(|_| ZmtpError::new("box", "one to seal", "a longer one"))?);
        Ok(())
    }
}

/// Opens the parts that the peer sends.
pub(crate) struct Opener {
    session: SalsaBox,
    name: &'static str,
    /// The number of the peer's last box. The next one has a larger one, so that no box counts twice.
    number: u64,
}

/// A part without its box.
pub(crate) struct Opened<'a> {
    pub(crate) more: bool,
    pub(crate) command: bool,
    pub(crate) content: &'a [u8],
}

impl Opener {
    pub(super) fn new(session: SalsaBox, name: &'static str, number: u64) -> Opener {
        Opener { session, name, number }
    }

    /// The part in these bytes of a frame, opened in place.
    pub(crate) fn open<'a>(&mut self, sealed: &'a mut [u8]) -> Result<Opened<'a>, ZmtpError> {
        let unfit = |found: &str| ZmtpError::new("sealed part", "the peer's next box", found);
        let (front, content) = sealed.split_at_mut_checked(CONTENT).ok_or_else(|| unfit("a shorter one"))?;
        let Some((number, tag)) =
            front.strip_prefix(MESSAGE).and_then(|rest| rest.split_first_chunk::<SHORT_NONCE>())
        else {
            return Err(unfit("another command"));
        };
        let tag = Tag::clone_from_slice(tag);
        if u64::from_be_bytes(*number) <= self.number {
            return Err(unfit("an earlier one"));
        }
        self.session
            .decrypt_in_place_detached(&nonce(self.name, number), &[], content, &tag)
            .map_err(|_| unfit("one that was changed, or of another key"))?;
        self.number = u64::from_be_bytes(*number);
        let (flags, content) = content.split_first().ok_or_else(|| unfit("one without flags"))?;
        Ok(Opened { more: flags & MORE != 0, command: flags & COMMAND != 0, content })
    }
}

#[cfg(test)]
mod tests {
    use crypto_box::SalsaBox;

    use super::super::boxes::new_key;
    use super::{Opener, Sealer};

    /// Two sealed parts without the heads of their frames, and who opens them.
    fn sealed() -> (Vec<Vec<u8>>, Opener) {
        let (one, other) = (new_key(), new_key());
        let mut sealer = Sealer::new(SalsaBox::new(&other.public_key(), &one), "CurveZMQMESSAGEC", 2);
        let parts = [(&b"hits"[..], true), (&[7; 300][..], false)].map(|(part, more)| {
            let mut bytes = Vec::new();
            sealer.put(part, more, &mut bytes).unwrap();
            bytes.split_off(if part.len() < 200 { 2 } else { 9 })
        });
        (parts.to_vec(), Opener::new(SalsaBox::new(&one.public_key(), &other), "CurveZMQMESSAGEC", 2))
    }

    #[test]
    fn parts_come_back() {
        let (mut parts, mut opener) = sealed();
        let first = opener.open(&mut parts[0]).unwrap();
        assert_eq!((first.more, first.command, first.content), (true, false, &b"hits"[..]));
        let second = opener.open(&mut parts[1]).unwrap();
        assert_eq!((second.more, second.content), (false, &[7; 300][..]));
    }

    #[test]
    fn a_part_that_was_changed_repeated_or_cut_is_refused() {
        let (parts, mut opener) = sealed();
        for at in 0..parts[0].len() {
            let mut changed = parts[0].clone();
            changed[at] ^= 1;
            assert!(opener.open(&mut changed).is_err(), "byte {at}");
            assert!(opener.open(&mut parts[0].clone()[..at]).is_err(), "{at} bytes");
        }
        opener.open(&mut parts[1].clone()).unwrap();
        let earlier = opener.open(&mut parts[0].clone()).map(|_| ()).unwrap_err().to_string();
        assert!(earlier.contains("found an earlier one"), "{earlier}");
    }
}
