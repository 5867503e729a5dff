//! Whole messages, and texts in their payloads.

use super::{Header, padded};

/// Appends a message to `out`: `header` with the size of the payload, the payload and its padding.
pub fn append(out: &mut Vec<u8>, header: Header, payload: &[u8]) {
    let size = padded(payload.len());
    // Longer payloads than 4 GiB are refused where values are encoded.
    Header { size: size as u32, ..header }.encode(out);
    out.extend(payload);
    out.resize(out.len() + size - payload.len(), 0);
}

/// The bytes of a payload up to its first 0.
pub fn text(payload: &[u8]) -> &[u8] {
    let end = payload.iter().position(|&byte| byte == 0).unwrap_or(payload.len());
    &payload[..end]
}
