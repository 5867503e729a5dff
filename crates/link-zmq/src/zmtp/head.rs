//! Heads of frames of ZMTP: flags and a length of one or eight bytes.

use super::error::ZmtpError;

pub(crate) const MAX_HEAD_BYTES: usize = 9;

const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// What the head of a frame says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    /// Another part of the message follows.
    pub(crate) more: bool,
    /// The frame is a command, and no part of a message.
    pub(crate) command: bool,
    /// Bytes that follow.
    pub(crate) len: u64,
}

impl Head {
    pub(crate) fn put(self, to: &mut Vec<u8>) {
        let flags = if self.more { MORE } else { 0 } | if self.command { COMMAND } else { 0 };
        match u8::try_from(self.len) {
            Ok(len) => to.extend([flags, len]),
            Err(_) => {
                to.push(flags | LONG);
                to.extend(self.len.to_be_bytes());
            }
        }
    }

    /// `next` gives each byte.
    pub(crate) fn read<E: From<ZmtpError>>(
        mut next: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Head, E> {
        let mut first = [0; 2];
        next(&mut first)?;
        let [flags, short] = first;
        if flags & !(MORE | LONG | COMMAND) != 0 || flags & (MORE | COMMAND) == MORE | COMMAND {
            return Err(ZmtpError::new(
                "flags of a frame",
                "more, long or command",
                format_args!("{flags:#x}"),
            )
            .into());
        }
        let mut len = u64::from(short);
        if flags & LONG != 0 {
            let mut bytes = [short, 0, 0, 0, 0, 0, 0, 0];
            next(&mut bytes[1..])?;
            len = u64::from_be_bytes(bytes);
        }
        Ok(Head { more: flags & MORE != 0, command: flags & COMMAND != 0, len })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use livetime_link::carrier::CarrierError;

    use super::Head;

    fn read(mut bytes: &[u8]) -> Result<Head, CarrierError> {
        Head::read(|to| Ok(bytes.read_exact(to)?))
    }

    #[test]
    fn heads_come_back() {
        for len in [0, 255, 256, 1 << 20, u64::MAX] {
            for (more, command) in [(false, false), (true, false), (false, true)] {
                let head = Head { more, command, len };
                let mut bytes = Vec::new();
                head.put(&mut bytes);
                assert_eq!(bytes.len(), if len < 256 { 2 } else { 9 });
                assert_eq!(read(&bytes).unwrap(), head);
            }
        }
        assert!(read(&[8, 0]).unwrap_err().to_string().contains("found 0x8"));
        assert!(matches!(read(&[2, 0, 0]), Err(CarrierError::Broken(_))));
    }
}
