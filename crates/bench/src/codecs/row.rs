//! One measurement of a codec, and how long it takes.

use crate::{Settings, Spread};

pub(super) struct Row {
    pub(super) data: &'static str,
    pub(super) codec: &'static str,
    pub(super) level: &'static str,
    pub(super) reference: &'static str,
    /// Of a peer.
    pub(super) version: Option<String>,
    pub(super) ratio: f64,
    pub(super) compress: Spread,
    pub(super) decompress: Spread,
}

/// How long a repeat takes.
pub(super) fn span_s(settings: &Settings) -> f64 {
    if settings.quick { 0.001 } else { 0.2 }
}
