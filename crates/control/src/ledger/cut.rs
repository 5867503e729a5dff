//! The two ends of a cut: an edge between hosts, of which each side keeps an account.
//!
//! Each side writes a [`CutEnd`] into the `cuts` of its report. The ends of one cut and epoch belong together: the sender's account must
//! close, and the receiver must say the same.

use serde_json::{Value, json};

use super::error::LedgerError;
use super::fields::{Lost, lost, number, object, sum, text};

/// A side of a cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// Frames leave here.
    Sender,
    /// Frames arrive here.
    Receiver,
}

impl Side {
    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Side::Sender => "sender",
            Side::Receiver => "receiver",
        }
    }
}

/// One side's account of a cut: offered = delivered + lost + queued + in doubt + retaken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutEnd {
    /// The name of the cut, the same on both sides.
    pub cut: String,
    /// The sender's incarnation whose frames are counted.
    pub epoch: String,
    /// The end of the cut that gives these counts.
    pub side: Side,
    /// A receiver that took over from others: how many frames they had, which are not in its counts.
    pub start: u64,
    /// Frames that were to cross. The receiver's number is the last that the sender told it.
    pub offered: u64,
    /// Frames that the receiver has completed.
    pub delivered: u64,
    /// Losses by reason.
    pub lost: Lost,
    /// Frames that wait at the sender or are on the way.
    pub queued: u64,
    /// Frames that were sent and not known to be completed when one side died.
    pub in_doubt: u64,
    /// Frames taken back from a receiver that is gone, and offered to another one.
    pub retaken: u64,
}

impl CutEnd {
    pub(super) fn of_json(value: &Value) -> Result<CutEnd, LedgerError> {
        let map = object(value, "cuts")?;
        let side = match map.get("side").and_then(Value::as_str) {
            Some("sender") => Side::Sender,
            Some("receiver") => Side::Receiver,
            _ => return Err(LedgerError::Wrong("side")),
        };
        Ok(CutEnd {
            cut: text(map, "cut"),
            epoch: text(map, "epoch"),
            side,
            start: if map.contains_key("start") { number(map, "start")? } else { 0 },
            offered: number(map, "offered")?,
            delivered: number(map, "delivered")?,
            lost: lost(map)?,
            queued: number(map, "queued")?,
            in_doubt: number(map, "in_doubt")?,
            retaken: if map.contains_key("retaken") { number(map, "retaken")? } else { 0 },
        })
    }

    /// As it stands in a report.
    pub fn json(&self) -> Value {
        json!({
            "cut": self.cut, "epoch": self.epoch, "side": self.side.name(), "start": self.start, "offered": self.offered,
            "delivered": self.delivered, "lost": self.lost, "queued": self.queued, "in_doubt": self.in_doubt,
            "retaken": self.retaken,
            "closed": self.is_closed(),
        })
    }

    /// Whether its sum closes.
    pub fn is_closed(&self) -> bool {
        let parts = [self.delivered, self.queued, self.in_doubt, self.retaken];
        sum(parts.into_iter().chain(self.lost.values().copied())) == Some(self.offered)
    }
}
