//! A receiver, and messages for it.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use livetime_frame::{Allocator, FrameMut, FramePool};
use livetime_frame::{ColorMode, DType, Frame, Layout};
use livetime_link::carrier::{Carrier, CarrierError, Connected};
use livetime_link::wire::FrameHead;
use livetime_link::{Body, Data, Message, Told};
use livetime_link_zmq::{Keys, Zmq};

pub(crate) const MAX_FRAME_BYTES: u64 = 2 << 20;

pub(crate) fn listening() -> (Zmq, String) {
    listening_with(None)
}

pub(crate) fn listening_with(keys: Option<Keys>) -> (Zmq, String) {
    let carrier = Zmq::listen("127.0.0.1:0", keys, Vec::new(), MAX_FRAME_BYTES).unwrap();
    let address = carrier.address().unwrap();
    (carrier, address.trim_start_matches("zmq://").to_owned())
}

/// The next connection, or why there is none.
pub(crate) fn meet(carrier: &mut Zmq) -> Result<Connected, CarrierError> {
    loop {
        if let Some(connection) = carrier.connect(Duration::from_secs(5))? {
            return Ok(connection);
        }
    }
}

/// Why the carrier, or the connection, refuses a peer.
pub(crate) fn refusal<T>(met: Result<T, CarrierError>) -> String {
    let Err(why) = met else { panic!("wanted a refusal, found none") };
    why.to_string()
}

/// A connection whose client says these bytes after a peer's greeting.
pub(crate) fn says(address: &str, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&greeting("NULL")).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

pub(crate) fn greeting(mechanism: &str) -> Vec<u8> {
    let mut bytes = vec![0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1];
    bytes.extend(mechanism.as_bytes());
    bytes.resize(64, 0);
    bytes
}

pub(crate) fn ready(socket: &str) -> Vec<u8> {
    let body = [b"\x05READY\x0bSocket-Type\0\0\0", &[socket.len() as u8][..], socket.as_bytes()].concat();
    [&[4, body.len() as u8][..], &body].concat()
}

/// Frames of these sizes.
pub(crate) fn data(sizes: &[usize]) -> Message<Frame> {
    let mut allocator = FramePool::new(64 << 20).allocator();
    let frame = |size: &usize| {
        let layout = Layout::packed(DType::U8, ColorMode::Mono, &[*size]).unwrap();
        let mut frame = allocator.array(layout).unwrap();
        frame.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7 + size) as u8);
        frame.freeze()
    };
    let frames: Vec<Frame> = sizes.iter().map(frame).collect();
    let told = Told { offered: frames.len() as u64, ..Told::default() };
    Message { from: 1, to: 2, body: Body::Data(Data { position: 0, told, clock_ns: 5, frames }) }
}

/// The payloads of a message of data.
pub(crate) fn payloads(message: &Message<Frame>) -> Vec<&[u8]> {
    let Body::Data(data) = &message.body else { panic!("wanted data, found {message:?}") };
    data.frames.iter().map(Frame::bytes).collect()
}

pub(crate) fn memory(allocator: &mut Allocator) -> impl FnMut(&FrameHead) -> Option<FrameMut> {
    |head| head.allocate(allocator).ok()
}
