//! Counts of a server.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The counts of a server since its start, and its current connections, channels and operations.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Statistics {
            $($(#[$doc])* pub $name: u64,)*
        }

        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)*
        }

        impl Counters {
            pub(crate) fn read(&self) -> Statistics {
                Statistics { $($name: self.$name.load(Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Bytes that are kept for clients now ([`Limits::memory`](super::Limits::memory)).
    memory,
    /// Connections now.
    connections,
    /// Connections that were accepted.
    accepted,
    /// Connections that were refused because there were too many.
    refused,
    /// Channels now.
    channels,
    /// Monitors now.
    subscriptions,
    /// Bytes received.
    bytes_in,
    /// Bytes sent.
    bytes_out,
    /// Answers to gets.
    gets,
    /// Puts, allowed or not.
    puts,
    /// Remote calls, allowed or not.
    calls,
    /// Updates sent to monitors.
    updates,
    /// Updates that were merged into another because a client was slow.
    squashed,
    /// Searches received, over UDP and TCP.
    searches,
    /// Datagrams thrown away: malformed, too many, or from hosts to be ignored.
    dropped,
}

pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Relaxed);
}

pub(crate) fn subtract(counter: &AtomicU64, count: u64) {
    counter.fetch_sub(count, Relaxed);
}
