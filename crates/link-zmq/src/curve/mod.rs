//! CURVE, the security of ZeroMQ (<https://rfc.zeromq.org/spec/25/>): both ends prove that they have the secret keys of
//! the public ones that they know of each other, and all parts of messages are encrypted with keys of this connection.

mod client;
mod sealed;
mod server;

use crypto_box::aead::{AeadInPlace, OsRng};
use crypto_box::{Nonce, PublicKey, SalsaBox, SecretKey, Tag};
use livetime_link::carrier::CarrierError;

use crate::handshake::Newcomer;
use crate::keys::Keys;
use crate::zmtp::ZmtpError;
pub(crate) use sealed::{Opener, SEALED_BYTES, Sealer};

/// Bytes that a box has more than its content.
const TAG_BYTES: usize = 16;
const KEY_BYTES: usize = 32;
const COOKIE_BYTES: usize = 96;
/// Bytes of a nonce that is a number, and of a random one.
const SHORT_NONCE: usize = 8;
const LONG_NONCE: usize = 16;
const VERSION: [u8; 2] = [1, 0];

/// Shakes hands with the only peer that may come.
pub(crate) fn shake_hands(
    newcomer: &mut Newcomer<'_>,
    keys: &Keys,
    as_server: bool,
) -> Result<(Sealer, Opener), CarrierError> {
    if as_server { server::shake_hands(newcomer, keys) } else { client::shake_hands(newcomer, keys) }
}

/// A nonce of 24 bytes: a name, and a number or random bytes.
fn nonce(name: &str, rest: &[u8]) -> Nonce {
    let mut nonce = Nonce::default();
    let (front, back) = nonce.split_at_mut(name.len());
    front.copy_from_slice(name.as_bytes());
    back.copy_from_slice(rest);
    nonce
}

fn seal(key: &SalsaBox, nonce: &Nonce, content: &[u8]) -> Result<Vec<u8>, ZmtpError> {
    let mut sealed = [&[0; TAG_BYTES], content].concat();
    let tag = key.encrypt_in_place_detached(nonce, &[], &mut sealed[TAG_BYTES..]);
    sealed[..TAG_BYTES]
        .copy_from_slice(&tag.map_err(|_| ZmtpError::new("box", "one to seal", "a longer one"))?);
    Ok(sealed)
}

fn open(key: &SalsaBox, nonce: &Nonce, sealed: &[u8], what: &'static str) -> Result<Vec<u8>, ZmtpError> {
    let unfit = || ZmtpError::new(what, "a box of the peer with the right key", "another one");
    let (tag, content) = sealed.split_first_chunk::<TAG_BYTES>().ok_or_else(unfit)?;
    let mut content = content.to_vec();
    key.decrypt_in_place_detached(nonce, &[], &mut content, &Tag::from(*tag)).map_err(|_| unfit())?;
    Ok(content)
}

/// The next `N` bytes of a command.
fn take<'a, const N: usize>(body: &mut &'a [u8], what: &'static str) -> Result<&'a [u8; N], ZmtpError> {
    let short = || ZmtpError::new(what, format_args!("{N} bytes"), body.len());
    let (taken, rest) = body.split_first_chunk::<N>().ok_or_else(short)?;
    *body = rest;
    Ok(taken)
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    crypto_box::aead::rand_core::RngCore::fill_bytes(&mut OsRng, &mut bytes);
    bytes
}

fn new_key() -> SecretKey {
    SecretKey::generate(&mut OsRng)
}

fn public(bytes: &[u8; KEY_BYTES]) -> PublicKey {
    PublicKey::from(*bytes)
}
