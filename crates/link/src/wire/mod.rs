//! Messages as bytes: little-endian, with a version, each size checked before it is used.
//!
//! A message is a head and the payloads of its frames. [`encode`] makes the head and leaves payloads where they lie;
//! [`Decoder::head`] tells a carrier which memory to get before any byte of a payload is read. So a payload is copied
//! by the carrier alone.
//!
//! | bytes | prefix of each head ([`PREFIX_BYTES`] in all) |
//! |---|---|
//! | 4 | `LTLK` |
//! | 1, 1 | version, kind of message (0 hello … 8 notice) |
//! | 2 | number of frames |
//! | 4 | bytes of the head, prefix included |
//! | 8 | bytes of all payloads |
//! | 8, 8 | number of the connection at the end that sends, and at the end that receives |

mod body;
mod bytes;
mod frame;

use livetime_frame::{Allocator, Codec, Frame, FrameMut, PoolExhausted};

use crate::message::{Body, Data, Message, Parcel};
use bytes::Input;
pub use bytes::WireError;
pub(crate) use frame::payload_bytes;
pub use frame::{FrameHead, payload};

/// The version of this wire form. Ends with different versions refuse each other.
pub const VERSION: u8 = 3;

/// Bytes of the prefix, which say how long the rest is.
pub const PREFIX_BYTES: usize = 36;

/// The longest head: 64 frames of a batch with 16 KiB of attributes each.
pub const MAX_HEAD_BYTES: usize = 1 << 20;

/// Frames of a message at most; see [`MAX_HEAD_BYTES`].
pub const MAX_FRAMES: usize = 1 << 12;

const MAGIC: [u8; 4] = *b"LTLK";

/// Appends the head of `message` to `to`. Payloads follow it in the order of the frames, each as
/// [`payload`] gives it.
///
/// ```
/// use livetime_link::wire::{Decoder, encode};
/// use livetime_link::{Ack, Body, Credit, Message, Standing};
///
/// let ack = Ack {
///     standing: Standing { received: 12, completed: 9, ..Standing::default() },
///     credit: Credit { frames: 100, bytes: 1 << 20 },
///     gap: false, ending: false, clock_ns: 5, echo_ns: 3, held_ns: 1,
/// };
/// let message = Message { from: 7, to: 8, body: Body::Ack(ack) };
/// let mut head = Vec::new();
/// encode(&message, &mut head)?;
/// let decoded = Decoder::new(Vec::new(), 1 << 20).head(&head)?;
/// assert_eq!((decoded.from, decoded.body.name()), (7, "acknowledgement"));
/// # Ok::<(), livetime_link::wire::WireError>(())
/// ```
///
/// # Errors
/// [`WireError`] for a frame that the wire form does not hold, such as a value of a program's own type.
pub fn encode(message: &Message<Frame>, to: &mut Vec<u8>) -> Result<(), WireError> {
    let start = to.len();
    let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
    WireError::limit("frames", frames.len() as u64, MAX_FRAMES as u64)?;
    to.extend(MAGIC);
    to.extend([VERSION, body::kind(&message.body)]);
    to.extend((frames.len() as u16).to_le_bytes());
    to.extend([0; 4]);
    to.extend(frames.iter().map(Parcel::bytes).sum::<u64>().to_le_bytes());
    to.extend(message.from.to_le_bytes());
    to.extend(message.to.to_le_bytes());
    body::put(to, &message.body);
    frames.iter().try_for_each(|frame| frame::put(to, frame))?;
    let len = to.len() - start;
    WireError::limit("bytes of the head", len as u64, MAX_HEAD_BYTES as u64)?;
    to[start + 8..start + 12].copy_from_slice(&(len as u32).to_le_bytes());
    Ok(())
}

/// Lengths of a message, from its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Bytes of the head, prefix included; at most [`MAX_HEAD_BYTES`].
    pub head: usize,
    /// Bytes of all payloads.
    pub payloads: u64,
}

/// Reads heads of messages from one peer.
#[derive(Debug)]
pub struct Decoder {
    heads: frame::Heads,
}

impl Decoder {
    /// A decoder that knows these codecs of arrays, and refuses larger payloads.
    pub fn new(codecs: Vec<Codec>, max_frame_bytes: u64) -> Decoder {
        Decoder { heads: frame::Heads::new(codecs, max_frame_bytes) }
    }

    /// The largest payload.
    pub fn max_frame_bytes(&self) -> u64 {
        self.heads.max_frame_bytes
    }

    /// The lengths of the message that begins with `prefix`.
    ///
    /// # Errors
    /// [`WireError`] for other bytes than a prefix of this version, and for lengths beyond the bounds.
    pub fn lengths(&self, prefix: &[u8; PREFIX_BYTES]) -> Result<Lengths, WireError> {
        let prefix = read_prefix(&mut Input(prefix))?;
        let most = prefix.frames.saturating_mul(self.heads.max_frame_bytes);
        WireError::limit("bytes of the payloads", prefix.payloads, most)?;
        Ok(Lengths { head: prefix.head, payloads: prefix.payloads })
    }

    /// The message with this head; [`FrameHead`]s stand for its frames.
    ///
    /// # Errors
    /// [`WireError`] names the part, the wanted and the found value.
    pub fn head(&mut self, head: &[u8]) -> Result<Message<FrameHead>, WireError> {
        let mut input = Input(head);
        let prefix = read_prefix(&mut input)?;
        if prefix.head != head.len() {
            return Err(WireError::new("bytes of the head", prefix.head, head.len()));
        }
        let mut body = body::read(&mut input, prefix.kind)?;
        let mut payloads = 0u64;
        if let Body::Data(data) = &mut body {
            for _ in 0..prefix.frames {
                let head = self.heads.read(&mut input)?;
                payloads = payloads.saturating_add(head.bytes);
                data.frames.push(head);
            }
        } else {
            WireError::limit("frames of this kind of message", prefix.frames, 0)?;
        }
        input.end("head")?;
        if payloads != prefix.payloads {
            return Err(WireError::new("bytes of the payloads", payloads, prefix.payloads));
        }
        Ok(Message { from: prefix.from, to: prefix.to, body })
    }
}

struct Prefix {
    kind: u8,
    frames: u64,
    head: usize,
    payloads: u64,
    from: u64,
    to: u64,
}

fn read_prefix(input: &mut Input<'_>) -> Result<Prefix, WireError> {
    let magic = input.take("first bytes", 4)?;
    if magic != MAGIC {
        return Err(WireError::new("first bytes", "LTLK", magic.escape_ascii()));
    }
    let version = input.u8("version")?;
    if version != VERSION {
        return Err(WireError::new("version", VERSION, version));
    }
    let (kind, frames, head) = (input.u8("kind")?, input.u16("frames")?, input.u32("bytes of the head")?);
    WireError::limit("frames", frames.into(), MAX_FRAMES as u64)?;
    WireError::limit("bytes of the head", head.into(), MAX_HEAD_BYTES as u64)?;
    if (head as usize) < PREFIX_BYTES {
        return Err(WireError::new("bytes of the head", format_args!("at least {PREFIX_BYTES}"), head));
    }
    let payloads = input.u64("bytes of the payloads")?;
    let (from, to) = (input.u64("number of the connection")?, input.u64("number of the connection")?);
    Ok(Prefix { kind, frames: frames.into(), head: head as usize, payloads, from, to })
}

impl Message<FrameHead> {
    /// The same message with memory for each frame.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the allocator has no memory.
    pub fn allocate(self, allocator: &mut Allocator) -> Result<Message<FrameMut>, PoolExhausted> {
        self.try_map(|head| head.allocate(allocator))
    }
}

impl Message<FrameMut> {
    /// The same message, when all payloads are read.
    pub fn freeze(self) -> Message<Frame> {
        let Ok(message) = self.try_map(|frame| Ok::<_, std::convert::Infallible>(frame.freeze()));
        message
    }
}

impl<F> Message<F> {
    /// The same message with other frames.
    ///
    /// # Errors
    /// The first one of `change`.
    pub fn try_map<G, E>(self, change: impl FnMut(F) -> Result<G, E>) -> Result<Message<G>, E> {
        let body = match self.body {
            Body::Data(Data { position, told, clock_ns, frames }) => {
                let frames = frames.into_iter().map(change).collect::<Result<_, E>>()?;
                Body::Data(Data { position, told, clock_ns, frames })
            }
            Body::Hello(body) => Body::Hello(body),
            Body::Welcome(body) => Body::Welcome(body),
            Body::Ack(body) => Body::Ack(body),
            Body::Heartbeat(body) => Body::Heartbeat(body),
            Body::Finish(body) => Body::Finish(body),
            Body::Finished(body) => Body::Finished(body),
            Body::Abort(body) => Body::Abort(body),
            Body::Notice(body) => Body::Notice(body),
        };
        Ok(Message { from: self.from, to: self.to, body })
    }
}
