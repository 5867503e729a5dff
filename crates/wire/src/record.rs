//! The data that were read out for a trigger.

use std::ops::Range;

use livetime_engine::NodeError;
use livetime_formats::trigger::Missing;
use livetime_frame::Frame;

use super::{DecisionRow, HitRow, RawFormat, Row};

/// The data that were read out for a decision: raw frames and hits of a window of time, by reference, and a
/// list of missing data.
///
/// The memory of the frames lives as long as the record. Every tick of the window is, for each link, either under a piece or in a missing
/// interval.
#[derive(Clone, Debug, Default)]
pub struct TriggerRecord {
    /// The request.
    pub decision: DecisionRow,
    /// Raw data, one for each link that is known, by number.
    pub fragments: Vec<Fragment>,
    /// Hits, one for each stream of hits that is known.
    pub hits: Vec<HitFragment>,
}

/// Raw frames of one link.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Number of the link.
    pub link: u16,
    /// Format of the frames.
    pub format: RawFormat,
    /// The frames, in the order of time.
    pub pieces: Vec<Piece>,
    /// The missing intervals, in the order of time.
    pub missing: Vec<Missing>,
}

/// Whole raw frames in a batch.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The batch.
    pub frame: Frame,
    /// Bytes of the batch.
    pub range: Range<usize>,
    /// Time of the first frame, ticks of the clock.
    pub first: u64,
}

/// Hits of one stream.
#[derive(Clone, Debug)]
pub struct HitFragment {
    /// The link that they are from; `None` for a stream of merged hits.
    pub link: Option<u16>,
    /// Tables of [`HitRow`] that hold the hits, and others of about that time.
    pub tables: Vec<Frame>,
    /// Times without their hits.
    pub missing: Vec<Missing>,
}

impl Piece {
    /// The frames.
    pub fn bytes(&self) -> &[u8] {
        self.frame.bytes().get(self.range.clone()).unwrap_or_default()
    }
}

impl Fragment {
    /// Bytes of all frames.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.range.len()).sum()
    }
}

impl HitFragment {
    /// Appends the hits that start in the window of `decision`, in the order of time and channel.
    ///
    /// # Errors
    /// [`NodeError`] when a table is not one of hits.
    pub fn rows(&self, decision: &DecisionRow, rows: &mut Vec<HitRow>) -> Result<(), NodeError> {
        let window = decision.window_begin..decision.window_end;
        let from = rows.len();
        for table in &self.tables {
            let before = rows.len();
            HitRow::get(table.table()?, rows)?;
            let mut kept = before;
            for at in before..rows.len() {
                if window.contains(&rows[at].time_start) {
                    rows.swap(kept, at);
                    kept += 1;
                }
            }
            rows.truncate(kept);
        }
        rows[from..].sort_by_key(|hit| (hit.time_start, hit.channel));
        Ok(())
    }
}

impl TriggerRecord {
    /// Whether all data of all links are there.
    pub fn is_whole(&self) -> bool {
        self.decision.window_begin < self.decision.window_end
            && !self.fragments.is_empty()
            && self.fragments.iter().all(|fragment| fragment.missing.is_empty())
            && self.hits.iter().all(|hits| hits.missing.is_empty())
    }

    /// Bytes of raw data.
    pub fn bytes(&self) -> usize {
        self.fragments.iter().map(Fragment::bytes).sum()
    }
}
