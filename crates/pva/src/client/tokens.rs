//! Tokens of the poll: the waker, then sockets for searches, then connections.

use mio::Token;

/// Of the waker.
pub(super) const WAKE: Token = Token(0);
/// Of the first socket for searches.
pub(super) const FIRST_UDP: usize = 1;
/// Of the first connection.
pub(super) const FIRST_CONN: usize = 64;
