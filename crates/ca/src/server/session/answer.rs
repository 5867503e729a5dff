//! The last answer to a get of a channel, for the next one.
//!
//! Most gets find a value that has not changed. Then the answer is copied from the memory of the channel itself, and neither the value nor
//! a lock is touched: with ten thousand channels these lie outside of the cache.

use crate::wire::Header;

/// The longest payload that is kept: a number of 64 bits with alarm and time.
const LONGEST: usize = 24;

/// The payload of an answer, and its question.
pub(super) struct Answer {
    version: u32,
    /// The number of values that the client asked for.
    asked: u32,
    data_type: u16,
    /// The number of values in the answer.
    sent: u16,
    len: u8,
    payload: [u8; LONGEST],
}

impl Answer {
    /// The message `bytes` that answers the request, of a channel that had this version or a later one; `None` for a long one.
    pub(super) fn of(version: u32, request: &Header, bytes: &[u8]) -> Option<Answer> {
        let (header, len) = Header::decode(bytes)?;
        // Of an array that is sent from where it lies, only the head is among the bytes.
        let found = bytes.get(len..).filter(|found| found.len() == header.size as usize)?;
        let mut payload = [0; LONGEST];
        payload.get_mut(..found.len())?.copy_from_slice(found);
        let (asked, sent) = (request.count, u16::try_from(header.count).ok()?);
        Some(Answer { version, asked, data_type: request.data_type, sent, len: found.len() as u8, payload })
    }

    /// The payload and its number of values, if the request is the same and the channel has not changed.
    #[inline]
    pub(super) fn to(&self, version: u32, request: &Header) -> Option<(&[u8], u32)> {
        let is_same =
            self.version == version && self.data_type == request.data_type && self.asked == request.count;
        is_same.then(|| (&self.payload[..self.len.into()], self.sent.into()))
    }
}
