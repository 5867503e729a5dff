//! The half of a connection that receives.

use std::io::{BufReader, Read};
use std::net::TcpStream;
use std::ops::Range;

use livetime_frame::Frame;
use livetime_link::Message;
use livetime_link::carrier::{CarrierError, Incoming, Memory};
use livetime_link::wire::{Decoder, MAX_HEAD_BYTES};

use crate::curve::{Opener, SEALED_BYTES};
use crate::zmtp::{Head, MAX_COMMAND_BYTES, ZmtpError, reason, shown};

/// Bytes read at once, while heads and small frames come: a batch of hits is one call of the system. A large payload goes
/// past this buffer, but for its first and last bytes.
const BUFFER_BYTES: usize = 16 << 10;

pub(crate) struct ZmqIncoming {
    parts: Parts,
    decoder: Decoder,
    /// The head of a message, whose memory is kept.
    head: Vec<u8>,
}

impl ZmqIncoming {
    pub(crate) fn new(stream: TcpStream, opener: Option<Opener>, decoder: Decoder) -> ZmqIncoming {
        let stream = BufReader::with_capacity(BUFFER_BYTES, stream);
        let parts = Parts { stream, opener, sealed: Vec::new(), opened: 0..0 };
        ZmqIncoming { parts, decoder, head: Vec::new() }
    }
}

impl Incoming for ZmqIncoming {
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        let first = self.parts.next(MAX_HEAD_BYTES as u64)?;
        check_len("head of a message", first.len, 0, MAX_HEAD_BYTES as u64)?;
        self.head.resize(first.len as usize, 0);
        self.parts.read(&mut self.head)?;
        let mut more = first.more;
        let message = self.decoder.head(&self.head)?;
        let message = message.try_map(|head| {
            check_more(more, true)?;
            let part = self.parts.next(head.bytes)?;
            check_len("payload of a frame", part.len, head.bytes, head.bytes)?;
            let mut frame = memory(&head).ok_or(CarrierError::NoMemory)?;
            self.parts.read(frame.bytes_mut())?;
            more = part.more;
            Ok::<_, CarrierError>(frame)
        })?;
        check_more(more, false)?;
        Ok(message.freeze())
    }
}

fn check_len(what: &'static str, found: u64, least: u64, most: u64) -> Result<(), ZmtpError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let wanted = if least == most { most.to_string() } else { format!("at most {most}") };
    Err(ZmtpError::new(what, format_args!("{wanted} bytes"), found))
}

fn check_more(found: bool, wanted: bool) -> Result<(), ZmtpError> {
    let name = |more| if more { "another part" } else { "its end" };
    if found == wanted {
        return Ok(());
    }
    Err(ZmtpError::new("parts of a message", name(wanted), name(found)))
}

/// The parts of messages.
struct Parts {
    stream: BufReader<TcpStream>,
    opener: Option<Opener>,
    /// The bytes of the last sealed part, and where its content lies.
    sealed: Vec<u8>,
    opened: Range<usize>,
}

impl Parts {
    /// The head of the next part, whose bytes [`Parts::read`] gives. Memory is taken for at most `most` bytes of a sealed
    /// one. Commands before it say nothing to a link, but for a refusal.
    fn next(&mut self, most: u64) -> Result<Head, CarrierError> {
        loop {
            let head = self.head()?;
            let part = match self.opener.is_some() && !head.command {
                true => self.open(head, most.max(MAX_COMMAND_BYTES))?,
                false => head,
            };
            if !part.command {
                return Ok(part);
            }
            check_len("command", part.len, 0, MAX_COMMAND_BYTES)?;
            let mut body = vec![0; part.len as usize];
            // A sealed part says all in its box, so that only the peer itself can have said it.
            match head.command {
                true => self.stream.read_exact(&mut body)?,
                false => self.read(&mut body)?,
            }
            if let Some(why) = reason(&body) {
                let found = format_args!("a refusal: {}", shown(why)).to_string();
                return Err(ZmtpError::new("command", "a message", found).into());
            }
        }
    }

    fn head(&mut self) -> Result<Head, CarrierError> {
        Head::read(|to| Ok::<_, CarrierError>(self.stream.read_exact(to)?))
    }

    fn open(&mut self, head: Head, most: u64) -> Result<Head, CarrierError> {
        check_len("sealed part", head.len, 0, most.saturating_add(SEALED_BYTES as u64))?;
        self.sealed.resize(head.len as usize, 0);
        self.stream.read_exact(&mut self.sealed)?;
        let Some(opener) = &mut self.opener else { return Ok(head) };
        let opened = opener.open(&mut self.sealed)?;
        let part = Head { more: opened.more, command: opened.command, len: opened.content.len() as u64 };
        self.opened = SEALED_BYTES..self.sealed.len();
        Ok(part)
    }

    /// All bytes of the part, once.
    fn read(&mut self, to: &mut [u8]) -> Result<(), CarrierError> {
        match self.opener {
            None => Ok(self.stream.read_exact(to)?),
            Some(_) => {
                to.copy_from_slice(&self.sealed[self.opened.clone()]);
                Ok(())
            }
        }
    }
}
