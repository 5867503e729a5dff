//! The bytes of a black box.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 15 | `livetime blackbx` |
//! | 16 to 19 | version, 1 |
//! | 20 to 23 | bytes of a slot, n |
//! | 4096 to 4095 + n, then n more | two slots |
//!
//! A slot has the number of the copy (8 bytes), the length of its text (8 bytes), a checksum (8 bytes: XXH3 of the text, with the XXH3
//! of number and length as its seed), and the text: JSON as in a report. Numbers are little-endian. Copies go into the slots in turn, so that a copy that was torn by a kill
//! leaves the one before it whole. Of two whole copies the one with the higher number counts.

use std::fmt;

use twox_hash::XxHash3_64;

const MAGIC: &[u8; 16] = b"livetime blackbx";
const VERSION: u32 = 1;
/// Where the first slot begins: slots are in pages of their own.
pub(super) const FIRST: u64 = 4096;
/// Bytes of a slot before its text.
pub(super) const SLOT_HEAD: usize = 24;
/// More than any run needs; a file that wants more is not believed.
const MOST_SLOT: u32 = 16 << 20;

/// Why bytes are no black box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutError {
    /// They begin otherwise.
    NotOne,
    /// They are of a version that this program cannot read.
    Version(u32),
    /// Slots are of a size that no run makes.
    SlotSize(u32),
    /// No slot has a whole copy.
    NoCopy,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::NotOne => f.write_str("wanted a black box, found a file that begins otherwise"),
            LayoutError::Version(found) => {
                write!(f, "wanted a black box of version {VERSION}, found {found}")
            }
            LayoutError::SlotSize(found) => {
                write!(f, "wanted slots of {SLOT_HEAD} to {MOST_SLOT} bytes, found {found}")
            }
            LayoutError::NoCopy => {
                f.write_str("neither slot of the black box has a whole copy of the counts")
            }
        }
    }
}

impl std::error::Error for LayoutError {}

/// Whether bytes begin as a black box.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The head of a file whose slots have `slot` bytes each.
pub(super) fn head(slot: u32) -> [u8; 24] {
    let mut head = [0; 24];
    head[..16].copy_from_slice(MAGIC);
    head[16..20].copy_from_slice(&VERSION.to_le_bytes());
    head[20..].copy_from_slice(&slot.to_le_bytes());
    head
}

/// A slot with copy number `number`.
pub(super) fn slot(number: u64, text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SLOT_HEAD + text.len());
    bytes.extend(number.to_le_bytes());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(hash(&bytes, text).to_le_bytes());
    bytes.extend(text);
    bytes
}

/// The text of the newest whole copy.
pub(super) fn newest(bytes: &[u8]) -> Result<&[u8], LayoutError> {
    if !is_one(bytes) || bytes.len() < 24 {
        return Err(LayoutError::NotOne);
    }
    let four = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (version, size) = (four(16), four(20));
    if version != VERSION {
        return Err(LayoutError::Version(version));
    }
    // A size of 0 would make `chunks` panic.
    if size > MOST_SLOT || (size as usize) < SLOT_HEAD {
        return Err(LayoutError::SlotSize(size));
    }
    let slots = bytes.get(FIRST as usize..).unwrap_or_default().chunks(size as usize).take(2);
    let newest = slots.filter_map(whole).max_by_key(|(number, _)| *number);
    newest.map(|(_, text)| text).ok_or(LayoutError::NoCopy)
}

/// Number and text of a slot whose checksum fits.
fn whole(slot: &[u8]) -> Option<(u64, &[u8])> {
    let eight = |at: usize| Some(u64::from_le_bytes(slot.get(at..at + 8)?.try_into().ok()?));
    let (number, length, checksum) = (eight(0)?, usize::try_from(eight(8)?).ok()?, eight(16)?);
    // The length is a claim of the file.
    let text = slot.get(SLOT_HEAD..)?.get(..length)?;
    // An empty slot of zeros has no copy.
    (number > 0 && hash(&slot[..16], text) == checksum).then_some((number, text))
}

fn hash(head: &[u8], text: &[u8]) -> u64 {
    // The head is part of the checksum: a number without its own text does not fit.
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(head), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(slots: [&[u8]; 2]) -> Vec<u8> {
        let mut bytes = head(256).to_vec();
        for (number, slot) in slots.into_iter().enumerate() {
            bytes.resize(FIRST as usize + 256 * number, 0);
            bytes.extend(slot);
        }
        bytes
    }

    #[test]
    fn the_newest_whole_copy_counts() {
        let (old, new) = (slot(1, b"{}"), slot(2, b"{\"a\":1}"));
        let whole = file([&old, &new]);
        assert_eq!(newest(&whole), Ok(&b"{\"a\":1}"[..]));
        // A copy that was torn anywhere leaves the one before it.
        for end in 0..new.len() {
            assert_eq!(newest(&file([&old, &new[..end]])), Ok(&b"{}"[..]), "{end}");
        }
        for wrong in 0..new.len() {
            let mut new = new.clone();
            new[wrong] ^= 0x40;
            assert_eq!(newest(&file([&old, &new])), Ok(&b"{}"[..]), "{wrong}");
        }
        assert_eq!(newest(&file([&[], &[]])), Err(LayoutError::NoCopy));
    }

    #[test]
    fn what_is_no_black_box_is_refused() {
        assert_eq!(newest(b"livetime"), Err(LayoutError::NotOne));
        assert_eq!(newest(MAGIC), Err(LayoutError::NotOne));
        let mut bytes = file([&slot(1, b"{}"), &[]]);
        bytes[16] = 9;
        assert_eq!(newest(&bytes), Err(LayoutError::Version(9)));
        let huge = slot(u64::MAX, b"");
        let mut lying = huge.clone();
        lying[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(newest(&file([&lying, &[]])), Err(LayoutError::NoCopy));
        for size in [0, 23, u32::MAX] {
            let mut bytes = file([&huge, &[]]);
            bytes[20..24].copy_from_slice(&size.to_le_bytes());
            assert_eq!(newest(&bytes), Err(LayoutError::SlotSize(size)));
        }
    }
}
