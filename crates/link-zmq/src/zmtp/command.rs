//! Commands: a name, and what the name stands for.

use super::error::{ZmtpError, shown};

const SOCKET_TYPE: &str = "Socket-Type";
/// The type of both sockets of a link: exactly two ends, messages both ways.
const PAIR: &str = "PAIR";

/// The name of a command or a property as it is written.
pub(crate) fn named(name: &str) -> Vec<u8> {
    let mut bytes = vec![name.len() as u8];
    bytes.extend(name.as_bytes());
    bytes
}

/// The content behind the `wanted` name.
pub(crate) fn content<'a>(body: &'a [u8], wanted: &str) -> Result<&'a [u8], ZmtpError> {
    body.strip_prefix(&*named(wanted)).ok_or_else(|| match reason(body) {
        Some(why) => ZmtpError::new("answer", wanted, format_args!("a refusal: {}", shown(why))),
        None => ZmtpError::new("answer", wanted, shown(body)),
    })
}

/// The properties of this end.
pub(crate) fn properties() -> Vec<u8> {
    let mut bytes = named(SOCKET_TYPE);
    bytes.extend((PAIR.len() as u32).to_be_bytes());
    bytes.extend(PAIR.as_bytes());
    bytes
}

/// The peer must be a PAIR.
pub(crate) fn check_properties(mut properties: &[u8]) -> Result<(), ZmtpError> {
    let cut = || ZmtpError::new("properties of a peer", "whole ones", "the end");
    let mut found = None;
    while let Some((len, rest)) = properties.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*len)).ok_or_else(cut)?;
        let (len, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let (value, rest) = rest.split_at_checked(u32::from_be_bytes(*len) as usize).ok_or_else(cut)?;
        if name.eq_ignore_ascii_case(SOCKET_TYPE.as_bytes()) {
            found = Some(value);
        }
        properties = rest;
    }
    match found {
        Some(found) if found == PAIR.as_bytes() => Ok(()),
        found => Err(ZmtpError::new("type of its socket", PAIR, found.map_or("none".to_owned(), shown))),
    }
}

/// `READY`, without security.
pub(crate) fn ready() -> Vec<u8> {
    [named("READY"), properties()].concat()
}

/// The peer's answer without security.
pub(crate) fn check_ready(body: &[u8]) -> Result<(), ZmtpError> {
    check_properties(content(body, "READY")?)
}

/// `ERROR` with its reason.
pub(crate) fn error(why: &str) -> Vec<u8> {
    let why = &why[..why.floor_char_boundary(255)];
    [named("ERROR"), named(why)].concat()
}

/// The reason of an `ERROR`.
pub(crate) fn reason(body: &[u8]) -> Option<&[u8]> {
    body.strip_prefix(&*named("ERROR")).map(|body| body.get(1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{check_properties, check_ready, error, ready};

    #[test]
    fn only_a_pair_may_come() {
        assert_eq!(check_ready(&ready()), Ok(()));
        let push = b"\x05READY\x0bSocket-Type\0\0\0\x04PUSH";
        assert!(check_ready(push).unwrap_err().to_string().contains("wanted PAIR, found PUSH"));
        assert!(check_ready(b"\x05READY").unwrap_err().to_string().contains("found none"));
        let refused = check_ready(&error("no room")).unwrap_err().to_string();
        assert!(refused.contains("a refusal: no room"), "{refused}");
        for len in 1..ready().len() - 6 {
            assert!(check_properties(&ready()[6..][..len]).is_err());
        }
    }
}
