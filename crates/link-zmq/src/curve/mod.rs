//! CURVE, the security of ZeroMQ (<https://rfc.zeromq.org/spec/25/>): both ends prove that they have the secret keys of
//! the public ones that they know of each other, and all parts of messages are encrypted with keys of this connection.

mod boxes;
mod client;
mod sealed;
mod server;

use livetime_link::carrier::CarrierError;

use crate::handshake::Newcomer;
use crate::keys::Keys;
pub(crate) use sealed::{Opener, SEALED_BYTES, Sealer};

/// Shakes hands with the only peer that may come.
pub(crate) fn shake_hands(
    newcomer: &mut Newcomer<'_>,
    keys: &Keys,
    as_server: bool,
) -> Result<(Sealer, Opener), CarrierError> {
    if as_server { server::shake_hands(newcomer, keys) } else { client::shake_hands(newcomer, keys) }
}
