//! The end that connects.

use crypto_box::SalsaBox;
use livetime_link::carrier::CarrierError;

use super::boxes::{
    COOKIE_BYTES, KEY_BYTES, LONG_NONCE, SHORT_NONCE, VERSION, new_key, nonce, open, public, random, seal,
    take,
};
use super::sealed::{Opener, Sealer};
use crate::handshake::Newcomer;
use crate::keys::Keys;
use crate::zmtp::{check_properties, content, named, properties};

/// Numbers of its nonces: one for each box.
const HELLO: u64 = 1;
const INITIATE: u64 = 2;

pub(super) fn shake_hands(
    newcomer: &mut Newcomer<'_>,
    keys: &Keys,
) -> Result<(Sealer, Opener), CarrierError> {
    let transient = new_key();
    let first = SalsaBox::new(&keys.peer, &transient);
    let number = HELLO.to_be_bytes();
    let zeros = seal(&first, &nonce("CurveZMQHELLO---", &number), &[0; 64])?;
    let name = named("HELLO");
    newcomer.send(
        &[&name, &VERSION[..], &[0; 72], transient.public_key().as_bytes(), &number, &zeros].concat(),
    )?;

    let welcome = newcomer.receive()?;
    let mut welcome = content(&welcome, "WELCOME")?;
    let random_nonce = take::<LONG_NONCE>(&mut welcome, "WELCOME")?;
    let welcome = open(&first, &nonce("WELCOME-", random_nonce), welcome, "WELCOME")?;
    let mut welcome = &*welcome;
    let peer = public(take::<KEY_BYTES>(&mut welcome, "key of a WELCOME")?);
    let cookie = take::<COOKIE_BYTES>(&mut welcome, "cookie of a WELCOME")?;

    let session = SalsaBox::new(&peer, &transient);
    let random_nonce = random::<LONG_NONCE>();
    let vouched = [*transient.public_key().as_bytes(), *keys.peer.as_bytes()].concat();
    let vouch = seal(&SalsaBox::new(&peer, &keys.own), &nonce("VOUCH---", &random_nonce), &vouched)?;
    let plain = [keys.own.public_key().as_bytes(), &random_nonce[..], &vouch, &properties()].concat();
    let number = INITIATE.to_be_bytes();
    let sealed = seal(&session, &nonce("CurveZMQINITIATE", &number), &plain)?;
    newcomer.send(&[&named("INITIATE"), &cookie[..], &number, &sealed].concat())?;

    let ready = newcomer.receive()?;
    let mut ready = content(&ready, "READY")?;
    let number = take::<SHORT_NONCE>(&mut ready, "READY")?;
    check_properties(&open(&session, &nonce("CurveZMQREADY---", number), ready, "READY")?)?;
    let opener =
        Opener::new(SalsaBox::new(&peer, &transient), "CurveZMQMESSAGES", u64::from_be_bytes(*number));
    Ok((Sealer::new(session, "CurveZMQMESSAGEC", INITIATE), opener))
}
