//! The carrier: an end that connects to the other end again and again.

use std::net::TcpStream;
use std::time::Duration;

use livetime_frame::Codec;
use livetime_link::carrier::tcp::Streams;
use livetime_link::carrier::{Carrier, CarrierError, Connected};
use livetime_link::wire::Decoder;

use crate::curve::{self, Opener, Sealer};
use crate::handshake::Newcomer;
use crate::incoming::ZmqIncoming;
use crate::keys::Keys;
use crate::outgoing::ZmqOutgoing;
use crate::zmtp::Greeting;

const SCHEME: &str = "zmq://";

/// One end of a link over ZeroMQ.
///
/// ```
/// use std::time::Duration;
///
/// use livetime_link::carrier::Carrier;
/// use livetime_link_zmq::Zmq;
///
/// let mut receiver = Zmq::listen("127.0.0.1:0", None, Vec::new(), 1 << 20)?;
/// let mut sender = Zmq::connect_to(&receiver.address().unwrap_or_default(), None, Vec::new(), 1 << 20);
/// let sending = std::thread::spawn(move || sender.connect(Duration::from_secs(5)).map(|ends| ends.is_some()));
/// assert!(receiver.connect(Duration::from_secs(5))?.is_some());
/// # assert!(sending.join().is_ok_and(|sent| sent.is_ok_and(|is_there| is_there)));
/// # Ok::<(), livetime_link::carrier::CarrierError>(())
/// ```
#[derive(Debug)]
pub struct Zmq {
    streams: Streams,
    /// The end that waits is the server of CURVE.
    listens: bool,
    keys: Option<Keys>,
    codecs: Vec<Codec>,
    max_frame_bytes: u64,
}

impl Zmq {
    /// An end that waits at `address` (`zmq://host:port` or `host:port`) for its peer. A second peer waits until the first
    /// connection has ended.
    ///
    /// # Errors
    /// [`CarrierError`] when the address cannot be used.
    pub fn listen(
        address: &str,
        keys: Option<Keys>,
        codecs: Vec<Codec>,
        max_frame_bytes: u64,
    ) -> Result<Zmq, CarrierError> {
        let streams = Streams::listen(address.trim_start_matches(SCHEME))?;
        Ok(Zmq { streams, listens: true, keys, codecs, max_frame_bytes })
    }

    /// An end that connects to its peer at `address` (`zmq://host:port` or `host:port`).
    pub fn connect_to(address: &str, keys: Option<Keys>, codecs: Vec<Codec>, max_frame_bytes: u64) -> Zmq {
        let streams = Streams::connect_to(address.trim_start_matches(SCHEME));
        Zmq { streams, listens: false, keys, codecs, max_frame_bytes }
    }

    fn shake_hands(&self, newcomer: &mut Newcomer<'_>) -> Result<Option<(Sealer, Opener)>, CarrierError> {
        let Some(keys) = &self.keys else {
            newcomer.greet(Greeting { mechanism: "NULL", as_server: false })?;
            newcomer.introduce()?;
            return Ok(None);
        };
        newcomer.greet(Greeting { mechanism: "CURVE", as_server: self.listens })?;
        curve::shake_hands(newcomer, keys, self.listens).map(Some)
    }

    /// The two halves of a connection, when the peer may come in.
    fn meet(&self, stream: TcpStream) -> Result<Connected, CarrierError> {
        let mut newcomer = Newcomer::new(&stream);
        let met = self.shake_hands(&mut newcomer);
        if let Err(why) = &met {
            newcomer.refuse(why);
        }
        let (sealer, opener) = met?.unzip();
        newcomer.welcome()?;
        let decoder = Decoder::new(self.codecs.clone(), self.max_frame_bytes);
        let incoming = ZmqIncoming::new(stream.try_clone()?, opener, decoder);
        Ok((Box::new(ZmqOutgoing::new(stream, sealer)), Box::new(incoming)))
    }
}

impl Carrier for Zmq {
    fn address(&self) -> Option<String> {
        self.streams.address().map(|address| format!("{SCHEME}{address}"))
    }

    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        let Some(stream) = self.streams.next(wait)? else { return Ok(None) };
        match self.meet(stream) {
            Ok(connected) => Ok(Some(connected)),
            // A peer that was busy, or has gone: there may be another one.
            Err(CarrierError::Broken(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
