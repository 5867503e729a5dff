//! `wibeth_udp`: raw frames that the electronics of 2023 and later send over Ethernet.
//!
//! Out: `raw`, batches of WIBEth frames ([`RawBatch`](crate::RawBatch)), a link for each stream; `ledger`, the state of
//! each link's time ([`LedgerRow`](crate::LedgerRow)).
//!
//! A datagram holds one frame of 7200 bytes; bytes in front of the frame, or behind it, are left out (a frame that is
//! sent on with the headers of its packet has 7243 bytes). A stream is known by detector, crate, slot and number, and
//! becomes the next link when its first frame comes. Timestamps and sequence numbers show missing frames, which are
//! absent in the ledger wherever they were lost; a datagram that is too short is a frame that was cut off. Streams
//! beyond `most_streams` are counted and dropped.
//!
//! Many datagrams are taken with one system call. A batch that is not full is sent when no datagram comes for 5 ms, and
//! every 5 ms.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::{RawBatch, sources::wibeth_udp::WibethUdp};
//!
//! let mut source = Harness::new::<WibethUdp>(&[("address", "127.0.0.1:0".into()), ("batch", 2.into())])?;
//! let port = source.number_of("port") as u16;
//! let sender = std::net::UdpSocket::bind("127.0.0.1:0")?;
//! let mut frame = [0; 7200];
//! for sequence in 0..2u64 {
//!     frame[..8].copy_from_slice(&(0x382 << 52 | sequence << 40 | 2 << 22 | 1 << 12 | 3 << 6).to_le_bytes());
//!     frame[8..16].copy_from_slice(&(sequence * 2048).to_le_bytes());
//!     sender.send_to(&frame, ("127.0.0.1", port))?;
//! }
//! let sent = source.run_source(1)?;
//! assert_eq!(RawBatch::of(&sent[0])?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod socket;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::wib::{Faults, RawFormat, WibEthFrame};
use livetime_frame::PayloadKind;

use super::raw_readings::{FrameReadings, batch_frames, tell_losses};
use crate::{IngestOptions, LinkIngest, RawSender};
use socket::Receiver;

/// When the node looks again if nothing has come.
const PAUSE_NS: u64 = 10_000;
/// How long a frame waits at most for others in its batch, while there are some.
const LINGER_NS: u64 = 5_000_000;
/// The bytes before identity and time in a frame.
const HEADER: usize = 16;

/// Parameters of `wibeth_udp`.
#[derive(Params)]
pub struct WibethUdpParams {
    /// Address and port to listen at; port 0 takes a free one.
    #[param(default = "0.0.0.0:0")]
    pub address: String,
    /// Number of the link of the first stream that comes; the others follow.
    #[param(max = 65535)]
    pub first_link: u32,
    /// Streams at most.
    #[param(default = 256, min = 1, max = 4096)]
    pub most_streams: usize,
    /// Frames of a batch; 0 means the frames of about 200 us: 6.
    #[param(max = 100000)]
    pub batch: usize,
    /// Datagrams that are taken with one call of the system, if so many wait.
    #[param(default = 16, min = 1, max = 1024)]
    pub datagrams: usize,
    /// Room for datagrams that wait, asked of the system, which may grant less.
    #[param(default = 33554432, min = 65536, max = 1073741824, unit = "B")]
    pub buffer_bytes: usize,
    /// The port.
    #[param(readback)]
    pub port: u32,
    /// Room for datagrams that wait, as the system grants it.
    #[param(readback, unit = "B")]
    pub granted_bytes: usize,
    /// Streams seen, each as crate/slot/stream, in the order of their links.
    #[param(readback)]
    pub streams: String,
    /// Datagrams that came.
    #[param(readback)]
    pub received: u64,
    /// Calls of the system that took them.
    #[param(readback)]
    pub calls: u64,
    /// Datagrams that are too short to name their stream, or of a stream beyond the bound.
    #[param(readback)]
    pub refused: u64,
    /// What became of the frames.
    #[param(flatten)]
    pub readings: FrameReadings,
}

/// Streams over Ethernet.
pub struct WibethUdp {
    params: WibethUdpParams,
    receiver: Option<Receiver>,
    streams: Streams,
    /// When begun batches were sent.
    flushed_ns: u64,
}

/// The streams that have come.
#[derive(Default)]
struct Streams {
    sender: RawSender,
    /// Where the frames of each link are from.
    identities: Vec<u64>,
    refused: u64,
}

impl Node for WibethUdp {
    type Params = WibethUdpParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "wibeth_udp",
        "Raw frames over Ethernet (WIBEth in UDP), a link for each stream.",
        &[PortSpec::bytes("raw"), PortSpec::table("ledger")],
    );

    fn new(params: WibethUdpParams) -> Result<WibethUdp, NodeError> {
        Ok(WibethUdp { params, receiver: None, streams: Streams::default(), flushed_ns: 0 })
    }

    fn params(&mut self) -> &mut WibethUdpParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Bytes), Stream::Other(PayloadKind::Table)])
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let p = &mut self.params;
        // The old socket first: it may have the same port.
        self.receiver = None;
        let receiver = Receiver::bind(&p.address, p.buffer_bytes, p.datagrams).map_err(|error| {
            NodeError::new(format_args!("wanted to listen at `{}`, found: {error}", p.address))
        })?;
        (p.port, p.granted_bytes) = (receiver.port().into(), receiver.granted_bytes());
        if p.granted_bytes < p.buffer_bytes {
            let (granted, wanted) = (p.granted_bytes, p.buffer_bytes);
            ctx.tell(format!(
                "the system grants {granted} bytes for datagrams that wait, wanted were {wanted}"
            ));
        }
        self.receiver = Some(receiver);
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some(receiver) = &mut self.receiver else { return Ok(Next::Idle) };
        let (p, streams, mut result) = (&self.params, &mut self.streams, Ok(()));
        let received = receiver.receive(|datagram| {
            let put = streams.put(datagram, p, ctx);
            result = std::mem::replace(&mut result, Ok(())).and(put);
        });
        let received =
            received.map_err(|error| NodeError::new(format_args!("wanted datagrams, found: {error}")))?;
        let now_ns = ctx.now_ns();
        // A batch must not wait for frames of a detector that sends slowly, so half-filled batches go out after a
        // while.
        if received == 0 || now_ns >= self.flushed_ns + LINGER_NS {
            self.flushed_ns = now_ns;
            result = result.and(self.streams.sender.flush(ctx));
        }
        result = result.and(self.streams.sender.tell(ctx));
        self.params.received += received as u64;
        self.params.calls += u64::from(received > 0);
        if received > 0 {
            self.read_back();
        }
        result.map(|()| if received > 0 { Next::Now } else { Next::At(ctx.now_ns() + PAUSE_NS) })
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "address" | "datagrams" | "buffer_bytes" => self.start(ctx),
            // The other parameters act on streams whose first datagram is still to come.
            _ => Ok(()),
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let finished = self.streams.sender.finish(ctx);
        self.read_back();
        tell_losses(&self.streams.sender.counts(), 0, 1, ctx);
        if self.params.refused > 0 {
            ctx.unreadable(
                self.params.refused,
                format!(
                    "{} datagrams are too short for a header, or of one stream too many",
                    self.params.refused
                ),
            );
        }
        finished
    }

    fn stop(&mut self) {
        self.receiver = None;
    }
}

impl WibethUdp {
    fn read_back(&mut self) {
        let (counts, p) = (self.streams.sender.counts(), &mut self.params);
        p.readings.read(&counts);
        p.refused = self.streams.refused;
        let known = if p.streams.is_empty() { 0 } else { p.streams.split(", ").count() };
        // The list is made anew only when a stream was added.
        if known != self.streams.identities.len() {
            p.streams =
                self.streams.identities.iter().map(|identity| name(*identity)).collect::<Vec<_>>().join(", ");
        }
    }
}

impl Streams {
    fn put(&mut self, datagram: &[u8], p: &WibethUdpParams, ctx: &mut Context) -> Result<(), NodeError> {
        let frame = frame_in(datagram);
        let link = frame.get(..HEADER).and_then(|header| self.link(RawFormat::WibEth.identity(header), p));
        match link {
            Some(link) => self.sender.put(link, frame, Faults::NONE, ctx),
            // Datagrams without a stream are counted, not told one by one: a wrong sender would fill the log.
            None => {
                self.refused += 1;
                Ok(())
            }
        }
    }

    /// Number of the stream's link in the sender; a new one if it has none, unless there are too many.
    fn link(&mut self, identity: u64, p: &WibethUdpParams) -> Option<usize> {
        let known = self.identities.iter().position(|known| *known == identity);
        // A limit: a sender with random headers must not make a link, with its memory, for each datagram.
        if known.is_some() || self.identities.len() >= p.most_streams {
            return known;
        }
        let number = u16::try_from(p.first_link as usize + self.identities.len()).ok()?;
        let options = IngestOptions { identity: Some(identity), ..Default::default() };
        self.identities.push(identity);
        let ingest = LinkIngest::new(RawFormat::WibEth, number, options);
        Some(self.sender.add(ingest, batch_frames(p.batch, RawFormat::WibEth)))
    }
}

/// The frame in a datagram: the bytes behind any headers; the whole datagram when it is too short for a frame.
fn frame_in(datagram: &[u8]) -> &[u8] {
    let extra = datagram.len().saturating_sub(WibEthFrame::BYTES);
    // Ethernet, IP and UDP have 42 bytes; a byte more was seen in front and is possible behind.
    let places = [0, extra, 42].map(|at| datagram.get(at..at + WibEthFrame::BYTES));
    // Bytes alone do not tell where a frame begins, so a place counts only if a valid header with the right length is
    // there.
    let is_frame = |bytes: &&[u8]| {
        WibEthFrame::parse(bytes).is_ok_and(|frame| frame.block_length() == WibEthFrame::BLOCK_LENGTH)
    };
    // Without a valid header the last bytes count as the frame, so that the checks of a frame count the fault.
    places.into_iter().flatten().find(is_frame).unwrap_or(datagram.get(extra..).unwrap_or(datagram))
}

/// A stream as crate/slot/stream.
fn name(identity: u64) -> String {
    format!("{}/{}/{}", identity >> 12 & 0x3FF, identity >> 22 & 0xF, identity >> 26 & 0xFF)
}
