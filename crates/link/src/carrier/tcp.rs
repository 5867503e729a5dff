//! A plain TCP connection per link: vectored writes from the memory of frames, reads into it. Not encrypted: for one host,
//! or a network that is trusted.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use livetime_frame::{Codec, Frame};

use super::stream::{Reader, Rest, Writer, is_small, write_all};
use super::{Carrier, CarrierError, Connected, Incoming, Memory, Outgoing};
use crate::message::Message;
use crate::wire::Decoder;

/// Between two tries to connect: a restarted peer is found soon, and a missing one costs ten tries a second.
const PAUSE: Duration = Duration::from_millis(100);

/// A send that makes no progress for so long breaks the connection. Credits keep an honest peer reading: only one that is
/// stopped, or behind a cut network, lets the buffers of the kernel fill.
const STUCK: Duration = Duration::from_secs(2);

/// One end of a link over TCP.
#[derive(Debug)]
pub struct Tcp {
    streams: Streams,
    codecs: Vec<Codec>,
    max_frame_bytes: u64,
}

impl Tcp {
    /// An end that waits at `address` for its peer. A second peer waits until the first connection has ended.
    ///
    /// # Errors
    /// [`CarrierError`] when the address cannot be used.
    pub fn listen(address: &str, codecs: Vec<Codec>, max_frame_bytes: u64) -> Result<Tcp, CarrierError> {
        Ok(Tcp { streams: Streams::listen(address)?, codecs, max_frame_bytes })
    }

    /// An end that connects to its peer at `address` (`host:port`).
    pub fn connect_to(address: &str, codecs: Vec<Codec>, max_frame_bytes: u64) -> Tcp {
        Tcp { streams: Streams::connect_to(address), codecs, max_frame_bytes }
    }
}

impl Carrier for Tcp {
    fn address(&self) -> Option<String> {
        self.streams.address()
    }

    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        let Some(stream) = self.streams.next(wait)? else { return Ok(None) };
        let incoming = stream.try_clone()?;
        let decoder = Decoder::new(self.codecs.clone(), self.max_frame_bytes);
        let incoming = TcpIncoming { stream: incoming, reader: Reader::new(decoder) };
        let outgoing = TcpOutgoing { stream, writer: Writer::default(), rest: Rest::default() };
        Ok(Some((Box::new(outgoing), Box::new(incoming))))
    }
}

/// TCP connections to the peer, one after the other: what every carrier over TCP begins with.
#[derive(Debug)]
pub struct Streams {
    side: Side,
}

#[derive(Debug)]
enum Side {
    Listen(TcpListener),
    Connect(String),
}

impl Streams {
    /// Connections that come to `address`.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn listen(address: &str) -> io::Result<Streams> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Streams { side: Side::Listen(listener) })
    }

    /// Connections to `address` (`host:port`).
    pub fn connect_to(address: &str) -> Streams {
        Streams { side: Side::Connect(address.to_owned()) }
    }

    /// As [`Carrier::address`].
    pub fn address(&self) -> Option<String> {
        match &self.side {
            Side::Listen(listener) => listener.local_addr().ok().map(|address| address.to_string()),
            Side::Connect(_) => None,
        }
    }

    /// Waits for a connection, at most this long. A write to it that makes no progress for 2 s fails.
    ///
    /// # Errors
    /// When the system refuses an option of the connection.
    pub fn next(&self, wait: Duration) -> io::Result<Option<TcpStream>> {
        let begun = Instant::now();
        loop {
            let left = wait.saturating_sub(begun.elapsed());
            // Each failure may be over at the next try: a peer that is not there yet, a name that is not known yet.
            if let Ok(stream) = self.try_once(left) {
                stream.set_nonblocking(false)?;
                // A heartbeat must not wait for more bytes.
                stream.set_nodelay(true)?;
                stream.set_write_timeout(Some(STUCK))?;
                return Ok(Some(stream));
            }
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(PAUSE.min(left));
        }
    }

    fn try_once(&self, wait: Duration) -> io::Result<TcpStream> {
        match &self.side {
            Side::Listen(listener) => listener.accept().map(|(stream, _)| stream),
            Side::Connect(address) => {
                let address = address.to_socket_addrs()?.next().ok_or(io::ErrorKind::AddrNotAvailable)?;
                TcpStream::connect_timeout(&address, wait.max(PAUSE))
            }
        }
    }
}

struct TcpOutgoing {
    stream: TcpStream,
    writer: Writer,
    rest: Rest,
}

impl Outgoing for TcpOutgoing {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        if self.rest.write(&mut self.stream)? {
            return Ok(());
        }
        self.writer.write(message, |slices| write_all(&mut self.stream, slices))
    }

    fn send_at_once(&mut self, message: &Message<Frame>) -> Result<bool, CarrierError> {
        if !is_small(message) {
            return Ok(false);
        }
        self.writer.write(message, |slices| self.rest.write_at_once(&self.stream, slices))
    }

    fn close(&mut self) {
        // An error says that it is closed already.
        _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for TcpOutgoing {
    fn drop(&mut self) {
        self.close();
    }
}

struct TcpIncoming {
    stream: TcpStream,
    reader: Reader,
}

impl Incoming for TcpIncoming {
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        self.reader.read(&mut self.stream, memory)
    }
}
