//! The half of a connection that receives.

use std::io::{BufReader, Read};
use std::net::TcpStream;

use livetime_frame::Frame;
use livetime_link::Message;
use livetime_link::carrier::{CarrierError, Incoming, Memory};
use livetime_link::wire::{Decoder, MAX_HEAD_BYTES};

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
    pub(crate) fn new(stream: TcpStream, decoder: Decoder) -> ZmqIncoming {
        let stream = BufReader::with_capacity(BUFFER_BYTES, stream);
        ZmqIncoming { parts: Parts { stream }, decoder, head: Vec::new() }
    }
}

impl Incoming for ZmqIncoming {
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        let first = self.parts.next()?;
        check_len("head of a message", first.len, 0, MAX_HEAD_BYTES as u64)?;
        self.head.resize(first.len as usize, 0);
        self.parts.read(&mut self.head)?;
        let mut more = first.more;
        let message = self.decoder.head(&self.head)?;
        let message = message.try_map(|head| {
            check_more(more, true)?;
            let part = self.parts.next()?;
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
}

impl Parts {
    /// The head of the next part. Commands before it say nothing to a link, but for a refusal.
    fn next(&mut self) -> Result<Head, CarrierError> {
        loop {
            let head = Head::read(|to| Ok::<_, CarrierError>(self.stream.read_exact(to)?))?;
            if !head.command {
                return Ok(head);
            }
            check_len("command", head.len, 0, MAX_COMMAND_BYTES)?;
            let mut body = vec![0; head.len as usize];
            self.stream.read_exact(&mut body)?;
            if let Some(why) = reason(&body) {
                return Err(ZmtpError::new(
                    "command",
                    "a message",
                    format_args!("a refusal: {}", shown(why)),
                )
                .into());
            }
        }
    }

    fn read(&mut self, to: &mut [u8]) -> Result<(), CarrierError> {
        Ok(self.stream.read_exact(to)?)
    }
}
