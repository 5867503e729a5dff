//! From a TCP connection to a peer that may send messages.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use livetime_link::carrier::CarrierError;

use crate::zmtp::{self, GREETING_BYTES, Greeting, Head, MAX_COMMAND_BYTES, ZmtpError, shown};

/// A peer that has not said in this time who it is gives way to the next one. The longest handshake goes to and fro four
/// times.
const LIMIT: Duration = Duration::from_secs(1);

/// A connection during the handshake. All reads together end in time, so that a peer that sends byte after byte gets no more.
pub(crate) struct Newcomer<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl<'a> Newcomer<'a> {
    pub(crate) fn new(stream: &'a TcpStream) -> Newcomer<'a> {
        Newcomer { stream, until: Instant::now() + LIMIT }
    }

    /// Both ends greet each other.
    pub(crate) fn greet(&mut self, own: Greeting) -> Result<(), CarrierError> {
        self.write(&own.bytes())?;
        let mut peer = [0; GREETING_BYTES];
        // The first byte of another protocol is enough, and often there are no 64.
        self.read_exact(&mut peer[..1])?;
        if peer[0] != own.bytes()[0] {
            return Err(ZmtpError::new("greeting", "the signature of ZMTP", shown(&peer[..1])).into());
        }
        self.read_exact(&mut peer[1..])?;
        Ok(own.check_peer(&peer)?)
    }

    /// Both ends say that they are a PAIR, without security.
    pub(crate) fn introduce(&mut self) -> Result<(), CarrierError> {
        self.send(&zmtp::ready())?;
        let answer = self.receive()?;
        Ok(zmtp::check_ready(&answer)?)
    }

    pub(crate) fn send(&mut self, body: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::new();
        Head { more: false, command: true, len: body.len() as u64 }.put(&mut bytes);
        bytes.extend(body);
        self.write(&bytes)
    }

    /// The next command.
    pub(crate) fn receive(&mut self) -> Result<Vec<u8>, CarrierError> {
        let head = Head::read(|to| Ok::<_, CarrierError>(self.read_exact(to)?))?;
        if !head.command || head.len > MAX_COMMAND_BYTES {
            let wanted = format_args!("a command of at most {MAX_COMMAND_BYTES} bytes").to_string();
            return Err(ZmtpError::new("handshake", wanted, format_args!("{head:?}")).into());
        }
        let mut body = vec![0; head.len as usize];
        self.read_exact(&mut body)?;
        Ok(body)
    }

    /// Tells the peer why it must go. It may be gone already.
    pub(crate) fn refuse(&mut self, why: &CarrierError) {
        if let CarrierError::Refused(why) = why {
            _ = self.send(&zmtp::error(&why.to_string()));
        }
    }

    /// The connection without a limit of time.
    pub(crate) fn welcome(self) -> io::Result<()> {
        self.stream.set_read_timeout(None)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&mut &*self.stream).write_all(bytes)
    }

    fn read_exact(&mut self, to: &mut [u8]) -> io::Result<()> {
        let mut read = 0;
        while read < to.len() {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match (&mut &*self.stream).read(&mut to[read..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(more) => read += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}
