//! The bytes of ZMTP 3.1 (<https://rfc.zeromq.org/spec/37/>): greeting, heads of frames, commands.

mod command;
mod error;
mod greeting;
mod head;

pub(crate) use command::{check_properties, check_ready, content, error, named, properties, ready, reason};
pub use error::ZmtpError;
pub(crate) use error::shown;
pub(crate) use greeting::{GREETING_BYTES, Greeting};
pub(crate) use head::{Head, MAX_HEAD_BYTES};

/// The longest command that a peer may send: an `INITIATE` of CURVE with the properties of a libzmq peer
/// has some 300 bytes.
pub(crate) const MAX_COMMAND_BYTES: u64 = 512;
