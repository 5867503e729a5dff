//! The end that waits for its peer.

use crypto_box::SalsaBox;
use livetime_link::carrier::CarrierError;

use super::boxes::{
    COOKIE_BYTES, KEY_BYTES, LONG_NONCE, SHORT_NONCE, VERSION, new_key, nonce, open, public, random, seal,
    take,
};
use super::sealed::{Opener, Sealer};
use crate::handshake::Newcomer;
use crate::keys::Keys;
use crate::zmtp::{ZmtpError, check_properties, content, named, properties, shown};

/// The number of the nonce of its first box.
const READY: u64 = 1;
/// Bytes of the box that proves the peer's own key: two keys and a tag.
const VOUCH_BYTES: usize = 80;

pub(super) fn shake_hands(
    newcomer: &mut Newcomer<'_>,
    keys: &Keys,
) -> Result<(Sealer, Opener), CarrierError> {
    let hello = newcomer.receive()?;
    let peer = public(&check_hello(&hello, keys)?);

    let transient = new_key();
    // The end holds its state during the handshake, so that its cookie needs no content: the peer has to return it.
    let (random_nonce, cookie) = (random::<LONG_NONCE>(), random::<COOKIE_BYTES>());
    let plain = [&transient.public_key().as_bytes()[..], &cookie].concat();
    let sealed = seal(&SalsaBox::new(&peer, &keys.own), &nonce("WELCOME-", &random_nonce), &plain)?;
    newcomer.send(&[&named("WELCOME"), &random_nonce[..], &sealed].concat())?;

    let session = SalsaBox::new(&peer, &transient);
    let initiate = newcomer.receive()?;
    let mut initiate = content(&initiate, "INITIATE")?;
    if *take::<COOKIE_BYTES>(&mut initiate, "INITIATE")? != cookie {
        return Err(ZmtpError::new("cookie of an INITIATE", "the one of the WELCOME", "another one").into());
    }
    let number = take::<SHORT_NONCE>(&mut initiate, "INITIATE")?;
    let plain = open(&session, &nonce("CurveZMQINITIATE", number), initiate, "INITIATE")?;
    let mut plain = &*plain;
    if *take::<KEY_BYTES>(&mut plain, "key of an INITIATE")? != *keys.peer.as_bytes() {
        return Err(ZmtpError::new("key", "the key of the peer", "another one").into());
    }
    let random_nonce = take::<LONG_NONCE>(&mut plain, "nonce of a vouch")?;
    let vouch = take::<VOUCH_BYTES>(&mut plain, "vouch")?;
    let vouch =
        open(&SalsaBox::new(&keys.peer, &transient), &nonce("VOUCH---", random_nonce), vouch, "vouch")?;
    if vouch != [*peer.as_bytes(), *keys.own.public_key().as_bytes()].concat() {
        return Err(ZmtpError::new("vouch", "the keys of this connection", "other ones").into());
    }
    check_properties(plain)?;
    let own_number = READY.to_be_bytes();
    let sealed = seal(&session, &nonce("CurveZMQREADY---", &own_number), &properties())?;
    newcomer.send(&[&named("READY"), &own_number[..], &sealed].concat())?;
    let opener =
        Opener::new(SalsaBox::new(&peer, &transient), "CurveZMQMESSAGEC", u64::from_be_bytes(*number));
    Ok((Sealer::new(session, "CurveZMQMESSAGES", READY), opener))
}

/// The peer's key for this connection, from a `HELLO` that the own public key was known for.
fn check_hello(hello: &[u8], keys: &Keys) -> Result<[u8; KEY_BYTES], ZmtpError> {
    let mut hello = content(hello, "HELLO")?;
    let version = take::<2>(&mut hello, "HELLO")?;
    if *version != VERSION {
        return Err(ZmtpError::new("version of CURVE", "1.0", shown(version)));
    }
    take::<72>(&mut hello, "HELLO")?;
    let peer = take::<KEY_BYTES>(&mut hello, "HELLO")?;
    let number = take::<SHORT_NONCE>(&mut hello, "HELLO")?;
    let zeros =
        open(&SalsaBox::new(&public(peer), &keys.own), &nonce("CurveZMQHELLO---", number), hello, "HELLO")?;
    if zeros != [0; 64] {
        return Err(ZmtpError::new("box of a HELLO", "64 zeros", "something else"));
    }
    Ok(*peer)
}
