//! Bytes: headers, kinds of messages, messages out of a stream and into one.

mod assembler;
mod command;
mod header;
mod message;

pub use assembler::{Assembler, Message};
pub use command::{Command, MINOR, REPEATER_PORT, SERVER_PORT};
pub use header::{EXTENDED_LEN, HEADER_LEN, Header, padded};
pub use message::{append, text};
