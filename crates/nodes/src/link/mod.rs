//! The ends of links (`crates/link`) that nodes lead: threads that connect, send and receive, and the state that they
//! share with their node.
//!
//! The node's thread never waits for the network: it changes the state of the [`End`], and sends only what the socket
//! takes at once. So a slow network is a full window, and a full window is for the node to wait for or to count.

mod bell;
mod carriers;
mod end;
mod pools;
mod receiving;
mod sending;
#[cfg(test)]
mod tests;
mod thread;
mod worker;

pub(crate) use bell::Bell;
pub(crate) use carriers::{Side, connect, listen};
pub(crate) use end::{End, Link};
pub(crate) use pools::{Pools, Progress};
pub(crate) use receiving::Receiving;
pub(crate) use sending::Sending;
pub(crate) use worker::Worker;

use std::time::{SystemTime, UNIX_EPOCH};

use livetime_engine::{CutAccount, CutSide, NodeError, ParamEnum, Params, Stream, Value};
use livetime_frame::{Codec, FramePool};
use livetime_link::{Account, Cut, Part, Retain, Settings};

use crate::codec::Compressor;

/// Codecs of compressed arrays that may arrive.
fn codecs() -> Vec<Codec> {
    Compressor::CHOICES.iter().skip(1).map(|choice| Codec(choice.name)).collect()
}

/// A number that no other incarnation has: time and process tell restarts apart, and 0 means "none" on the wire.
pub(crate) fn new_epoch() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let seed = time ^ u64::from(std::process::id()).rotate_left(40);
    livetime_runtime::Random::new(seed).next_u64().max(1)
}

/// The parameters that both ends have.
pub(crate) struct Bounds {
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
    pub(crate) frame_bytes: u64,
}

impl Bounds {
    /// Memory for a full window of such frames, and for one more: a frame may begin while one byte is left. `None` for frames of
    /// unknown size.
    pub(crate) fn frames_of(&self, stream: Option<&Stream>) -> Option<u64> {
        let span = stream?.layout()?.span();
        let by_bytes = self.bytes.div_ceil((span as u64).max(1));
        let frames = by_bytes.min(self.frames).saturating_add(1);
        Some(frames.saturating_mul(FramePool::cost_bytes(span) as u64))
    }
}

/// The cut called `name`. `pipeline` is the hash of the file of both hosts; empty, where each graph is a file of its own.
pub(crate) fn cut(name: &str, pipeline: &str) -> Result<Cut, NodeError> {
    let mut hash = [0; 32];
    let is_digits = pipeline.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_digits || !pipeline.len().is_multiple_of(2) || pipeline.len() > 2 * hash.len() {
        let wanted = "`pipeline`: wanted at most 64 hexadecimal digits, two for a byte";
        return Err(NodeError::new(format_args!("{wanted}, found `{pipeline}`")));
    }
    for (byte, at) in hash.iter_mut().zip((0..pipeline.len()).step_by(2)) {
        *byte = u8::from_str_radix(&pipeline[at..at + 2], 16).unwrap_or_default();
    }
    Ok(Cut { name: name.to_owned(), pipeline: hash })
}

/// Settings of an end of a cut.
pub(crate) fn settings(cut: Cut, retain: Retain, bounds: &Bounds) -> Settings {
    Settings {
        cut,
        retain,
        window_frames: bounds.frames,
        window_bytes: bounds.bytes,
        max_frame_bytes: bounds.frame_bytes,
        ..Settings::default()
    }
}

/// The values of all parameters with which a link began. They stay while both ends use it: another link in its place would abort the
/// run at the other end.
#[derive(Default)]
pub(crate) struct Begun(Vec<Option<Value>>);

impl Begun {
    pub(crate) fn with(params: &impl Params) -> Begun {
        Begun((0..params.specs().len()).map(|index| params.get(index)).collect())
    }

    /// Whether the link has to begin again, because the parameter `index` was written. A link in use takes its value back.
    pub(crate) fn differs(
        &self,
        params: &mut impl Params,
        index: usize,
        is_used: bool,
    ) -> Result<bool, NodeError> {
        let Some(Some(begun)) = self.0.get(index) else { return Ok(false) };
        if params.get(index).as_ref() == Some(begun) || !is_used {
            return Ok(params.get(index).as_ref() != Some(begun));
        }
        params.set(index, begun).map_err(NodeError::new)?;
        Err(NodeError::new(
            "wanted a link that no peer has used yet: this one is in use, and keeps its parameters",
        ))
    }
}

/// An account of a link in the words of the engine.
pub(crate) fn cut_account(node: &str, cut: &str, side: CutSide, part: &Part) -> CutAccount {
    let Account { offered, delivered, lost, queued, in_doubt, retaken, sent_again } = part.account;
    CutAccount {
        cut: cut.to_owned(),
        node: node.to_owned(),
        epoch: part.epoch,
        side,
        start: part.start,
        offered,
        delivered,
        lost: lost.iter().collect(),
        queued,
        in_doubt,
        retaken,
        sent_again,
    }
}
