//! The cost of the messages of a client, so that no connection keeps the others of its thread waiting.

use crate::proto::{Command, sub};
use crate::wire::{HEADER_LEN, Message};

/// The work of a turn of a connection, in gets: some 0.3 ms. A client with one request waits for one turn of each
/// client that sends at full speed; half as much would cost a stream of gets more system calls.
pub(crate) const TURN: usize = 1024;

/// Bytes that are read and decoded in the time of a get.
const BYTES: usize = 64;

/// The cost of each name of a list: to open a channel, to search a PV of that name, to close a channel, and to end an
/// operation. As [`TURN`], in gets.
pub(super) const CREATED: usize = 4;
pub(super) const SEARCHED: usize = 1;
pub(super) const CLOSED: usize = 4;
pub(super) const ENDED: usize = 2;

/// Texts, or elements of arrays of structures, that are read in the time of a get.
pub(super) const READ: usize = 4;

/// The sub-command of an operation, behind the numbers of channel and operation.
const SUB: usize = 8;

/// The cost of a message, in gets.
pub(super) fn price(message: &Message<'_>) -> usize {
    let bytes = message.bytes();
    let is_init = bytes.get(SUB).is_some_and(|byte| byte & sub::INIT != 0);
    let work = match Command::from_code(message.header.command) {
        Some(command) if command.is_operation() && is_init => 16,
        // These commands call a handler and write to the log, so they cost more than a get.
        Some(Command::Put | Command::PutGet | Command::Process | Command::Rpc) => 16,
        Some(Command::Monitor | Command::DestroyRequest | Command::DestroyChannel) => 8,
        // Each name of a list is charged when it is handled.
        Some(Command::CreateChannel | Command::Search) => return 8,
        _ => 1,
    };
    work + (HEADER_LEN + bytes.len()) / BYTES
}
