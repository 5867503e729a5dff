//! Clients as small as possible, so that their cost is not taken for the server's.

use crate::Failed;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A server that does not answer for this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);
/// No header of an answer is longer.
const LONGEST_HEADER: usize = 16 << 10;
/// No message of the state is longer; taken before anything is measured.
pub(super) const LONGEST_MESSAGE: usize = 256 << 10;

fn connect(address: SocketAddr) -> Result<TcpStream, Failed> {
    let stream = TcpStream::connect(address).map_err(|e| format!("cannot connect to {address}: {e}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

// ---- Requests ----

/// A connection that is kept for one request after the other.
pub(super) struct Requests {
    stream: TcpStream,
    address: SocketAddr,
    buffer: Vec<u8>,
}

/// An answer with its whole body.
pub(super) struct Answer<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

impl Requests {
    pub(super) fn open(address: SocketAddr) -> Result<Requests, Failed> {
        Ok(Requests { stream: connect(address)?, address, buffer: vec![0; LONGEST_HEADER] })
    }

    /// Sends a request and waits for its answer. `token` is for requests that change the run.
    pub(super) fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> Result<Answer<'_>, Failed> {
        let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{token}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.write_all(request.as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer<'_>, Failed> {
        let mut filled = 0;
        let head = loop {
            let read = self.stream.read(&mut self.buffer[filled..])?;
            if read == 0 {
                return Err(format!("wanted an answer, found the end after {filled} bytes").into());
            }
            filled += read;
            if let Some(end) = self.buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = String::from_utf8_lossy(&self.buffer[..head]).into_owned();
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| format!("wanted an answer of HTTP, found `{text}`"))?;
        let length =
            |line: &str| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
        let whole = head + text.lines().find_map(length).unwrap_or(0);
        if self.buffer.len() < whole {
            self.buffer.resize(whole, 0);
        }
        // A part of the body may have come with the header.
        self.stream.read_exact(&mut self.buffer[filled.min(whole)..whole])?;
        Ok(Answer { status, body: &self.buffer[head..whole] })
    }
}

// ---- The state ----

/// The state socket of a run.
pub(super) struct StateSocket {
    stream: TcpStream,
    buffer: Vec<u8>,
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

impl StateSocket {
    pub(super) fn open(address: SocketAddr) -> Result<StateSocket, Failed> {
        let mut stream = connect(address)?;
        let request = format!(
            "GET /api/v1/state HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        // The first message may follow at once, so the header is read to its end and no further.
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && head.len() < LONGEST_HEADER {
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        match head.starts_with(b"HTTP/1.1 101 ") {
            true => Ok(StateSocket { stream, buffer: vec![0; LONGEST_MESSAGE] }),
            false => Err(format!("wanted a WebSocket, found {}", String::from_utf8_lossy(&head)).into()),
        }
    }

    /// A handle that can end the connection while another thread waits for messages.
    pub(super) fn handle(&self) -> Result<TcpStream, Failed> {
        self.stream.try_clone().map_err(Failed::from)
    }

    /// The next text; `None` at the end. Pings are answered.
    pub(super) fn next(&mut self) -> Option<&str> {
        loop {
            let (kind, length) = self.frame()?;
            match kind {
                TEXT => return std::str::from_utf8(&self.buffer[..length]).ok(),
                PING => {
                    let payload = self.buffer[..length.min(125)].to_vec();
                    self.send(PONG, &payload)?;
                }
                CLOSE => return None,
                _ => {}
            }
        }
    }

    /// Kind and length of the next frame, whose payload is in the buffer.
    fn frame(&mut self) -> Option<(u8, usize)> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        let mut longer = [0; 8];
        // 126 and 127 announce a length of two or eight bytes.
        let length = match head[1] & 127 {
            126 => {
                self.stream.read_exact(&mut longer[6..]).ok()?;
                usize::try_from(u64::from_be_bytes(longer)).ok()?
            }
            127 => {
                self.stream.read_exact(&mut longer).ok()?;
                usize::try_from(u64::from_be_bytes(longer)).ok()?
            }
            short => usize::from(short),
        };
        // A message longer than the buffer ends the client.
        self.stream.read_exact(self.buffer.get_mut(..length)?).ok()?;
        Some((head[0] & 15, length))
    }

    /// Acknowledges a moment.
    pub(super) fn seen(&mut self, version: u64) -> Option<()> {
        self.send(TEXT, format!("{{\"kind\":\"seen\",\"version\":{version}}}").as_bytes())
    }

    /// Clients must mask their frames; a mask of zeros changes nothing. At most 125 bytes, which need no extended
    /// length.
    fn send(&mut self, kind: u8, payload: &[u8]) -> Option<()> {
        let mut frame = vec![128 | kind, 128 | payload.len() as u8, 0, 0, 0, 0];
        frame.extend_from_slice(payload);
        self.stream.write_all(&frame).ok()
    }
}
