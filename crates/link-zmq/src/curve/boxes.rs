//! Boxes of CURVE, and what stands around them: nonces, keys, random bytes.

use crypto_box::aead::{AeadInPlace, OsRng};
use crypto_box::{Nonce, PublicKey, SalsaBox, SecretKey, Tag};

use crate::zmtp::ZmtpError;

/// Bytes that a box has more than its content.
pub(super) const TAG_BYTES: usize = 16;
pub(super) const KEY_BYTES: usize = 32;
pub(super) const COOKIE_BYTES: usize = 96;
/// Bytes of a nonce that is a number, and of a random one.
pub(super) const SHORT_NONCE: usize = 8;
pub(super) const LONG_NONCE: usize = 16;
pub(super) const VERSION: [u8; 2] = [1, 0];

/// A nonce of 24 bytes: a name, and a number or random bytes.
pub(super) fn nonce(name: &str, rest: &[u8]) -> Nonce {
    let mut nonce = Nonce::default();
    let (front, back) = nonce.split_at_mut(name.len());
    front.copy_from_slice(name.as_bytes());
    back.copy_from_slice(rest);
    nonce
}

pub(super) fn seal(key: &SalsaBox, nonce: &Nonce, content: &[u8]) -> Result<Vec<u8>, ZmtpError> {
    let mut sealed = [&[0; TAG_BYTES], content].concat();
    let tag = key.encrypt_in_place_detached(nonce, &[], &mut sealed[TAG_BYTES..]);
    sealed[..TAG_BYTES]
        .copy_from_slice(&tag.map_err(|_| ZmtpError::new("box", "one to seal", "a longer one"))?);
    Ok(sealed)
}

pub(super) fn open(
    key: &SalsaBox,
    nonce: &Nonce,
    sealed: &[u8],
    what: &'static str,
) -> Result<Vec<u8>, ZmtpError> {
    let unfit = || ZmtpError::new(what, "a box of the peer with the right key", "another one");
    let (tag, content) = sealed.split_first_chunk::<TAG_BYTES>().ok_or_else(unfit)?;
    let mut content = content.to_vec();
    key.decrypt_in_place_detached(nonce, &[], &mut content, &Tag::from(*tag)).map_err(|_| unfit())?;
    Ok(content)
}

/// The next `N` bytes of a command.
pub(super) fn take<'a, const N: usize>(
    body: &mut &'a [u8],
    what: &'static str,
) -> Result<&'a [u8; N], ZmtpError> {
    let short = || ZmtpError::new(what, format_args!("{N} bytes"), body.len());
    let (taken, rest) = body.split_first_chunk::<N>().ok_or_else(short)?;
    *body = rest;
    Ok(taken)
}

pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    crypto_box::aead::rand_core::RngCore::fill_bytes(&mut OsRng, &mut bytes);
    bytes
}

pub(super) fn new_key() -> SecretKey {
    SecretKey::generate(&mut OsRng)
}

pub(super) fn public(bytes: &[u8; KEY_BYTES]) -> PublicKey {
    PublicKey::from(*bytes)
}
