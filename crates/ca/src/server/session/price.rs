//! The price of a request: turns of the thread, and memory.

use crate::wire::{Command, Header};

/// Bytes counted for a channel: about its state and its entries in maps.
pub(super) const CHANNEL: usize = 512;
/// Bytes counted for a monitor: about its state, its entry at the owner of the channel, and one update.
pub(super) const MONITOR: usize = 1024;
/// So much of a buffer that changes often is not counted, because most connections never need more.
pub(super) const SMALL: usize = 16 << 10;

/// Bytes that are read in the time of a get.
const BYTES: usize = 64;

/// The cost of a message, in gets.
pub(super) fn price(header: &Header) -> usize {
    let work = match Command::from_number(header.command) {
        // A put calls a handler and writes to the log; a monitor reads and enters a list.
        Some(Command::Write | Command::WriteNotify | Command::EventAdd) => 8,
        Some(Command::CreateChannel | Command::ClearChannel | Command::EventCancel) => 4,
        // The rights at each channel are looked at.
        Some(Command::ClientName | Command::HostName) => 64,
        _ => 1,
    };
    work + header.size as usize / BYTES
}
