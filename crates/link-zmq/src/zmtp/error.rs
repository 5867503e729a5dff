//! Peers that do not fit.

use std::fmt;

use livetime_link::carrier::CarrierError;

/// Bytes that are no ZMTP, or a peer that has no place at the other end of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ZmtpError {
    what: &'static str,
    wanted: String,
    found: String,
}

impl ZmtpError {
    pub(crate) fn new(what: &'static str, wanted: impl fmt::Display, found: impl fmt::Display) -> ZmtpError {
        ZmtpError { what, wanted: wanted.to_string(), found: found.to_string() }
    }
}

impl fmt::Display for ZmtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZeroMQ peer, {}: wanted {}, found {}", self.what, self.wanted, self.found)
    }
}

impl std::error::Error for ZmtpError {}

impl From<ZmtpError> for CarrierError {
    fn from(error: ZmtpError) -> CarrierError {
        CarrierError::Refused(Box::new(error))
    }
}

/// Text of a peer for an error: the begin of it, with escapes.
pub(crate) fn shown(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(80)].escape_ascii().to_string()
}
