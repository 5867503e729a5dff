//! The header of a message: 16 bytes, or 24 for a large payload or a long array. All numbers are big-endian.

/// The length of a header in bytes, without the extension.
pub const HEADER_LEN: usize = 16;

/// The length of a header with a size and a count of 32 bits.
pub const EXTENDED_LEN: usize = 24;

/// The size that stands for "32 bits follow"; no payload of a short header is so long.
const EXTENDED: u16 = 0xFFFF;

/// The header of a message. The meaning of its numbers depends on the command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Header {
    /// The number of a [`Command`](super::Command).
    pub command: u16,
    /// The length of the payload in bytes, padding included.
    pub size: u32,
    /// Mostly the type of values.
    pub data_type: u16,
    /// Mostly the number of values.
    pub count: u32,
    /// Mostly the channel: the client's number of it, or the server's.
    pub first: u32,
    /// Mostly the request, as the client has numbered it.
    pub second: u32,
}

impl Header {
    /// The header at the beginning of `bytes` and its length; `None` while some of it is missing.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Option<(Header, usize)> {
        let (short, rest) = bytes.split_first_chunk::<HEADER_LEN>()?;
        let half = |at: usize| u16::from_be_bytes([short[at], short[at + 1]]);
        let word = |at: usize| u32::from_be_bytes([short[at], short[at + 1], short[at + 2], short[at + 3]]);
        let header = Header {
            command: half(0),
            size: half(2).into(),
            data_type: half(4),
            count: half(6).into(),
            first: word(8),
            second: word(12),
        };
        if half(2) != EXTENDED {
            return Some((header, HEADER_LEN));
        }
        let (size, rest) = rest.split_first_chunk()?;
        let (count, _) = rest.split_first_chunk()?;
        let (size, count) = (u32::from_be_bytes(*size), u32::from_be_bytes(*count));
        Some((Header { size, count, ..header }, EXTENDED_LEN))
    }

    /// Appends the header to `out`, extended where size or count need it.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let short =
            u16::try_from(self.size).ok().filter(|&size| size != EXTENDED).zip(self.count.try_into().ok());
        let (size, count) = short.unwrap_or((EXTENDED, 0_u16));
        let mut bytes = [0; HEADER_LEN];
        for (to, half) in bytes.as_chunks_mut().0.iter_mut().zip([self.command, size, self.data_type, count])
        {
            *to = half.to_be_bytes();
        }
        bytes[8..12].copy_from_slice(&self.first.to_be_bytes());
        bytes[12..].copy_from_slice(&self.second.to_be_bytes());
        // In one piece: a header is written for each answer.
        out.extend(bytes);
        if short.is_none() {
            out.extend(self.size.to_be_bytes());
            out.extend(self.count.to_be_bytes());
        }
    }
}

/// The length of a payload with its padding: payloads end at a multiple of eight bytes.
#[inline]
pub fn padded(size: usize) -> usize {
    size.next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_search_for_a_channel() {
        let header = Header { command: 6, size: 8, data_type: 5, count: 13, first: 1, second: 1 };
        let mut bytes = Vec::new();
        header.encode(&mut bytes);
        assert_eq!(bytes, [0, 6, 0, 8, 0, 5, 0, 13, 0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_large_payload_or_count_extends_it() {
        for (size, count, len) in
            [(0xFFFE, 0xFFFF, 16), (0xFFFF, 1, 24), (8, 0x1_0000, 24), (1 << 20, 1 << 20, 24)]
        {
            let header = Header { command: 15, size, data_type: 4, count, first: 1, second: 7 };
            let mut bytes = Vec::new();
            header.encode(&mut bytes);
            assert_eq!((bytes.len(), Header::decode(&bytes)), (len, Some((header, len))));
            assert_eq!(Header::decode(&bytes[..len - 1]), None);
        }
    }

    proptest! {
        #[test]
        fn comes_back(command: u16, size: u32, data_type: u16, count: u32, first: u32, second: u32) {
            let header = Header { command, size, data_type, count, first, second };
            let mut bytes = Vec::new();
            header.encode(&mut bytes);
            prop_assert_eq!(Header::decode(&bytes), Some((header, bytes.len())));
        }
    }
}
