//! The state of a link's time that is not in the ledger yet.

use std::collections::VecDeque;

use livetime_formats::wib::Faults;

use crate::{LedgerRow, State};

/// Rows that touch each other, except between epochs.
#[derive(Debug)]
pub(super) struct History {
    link: u16,
    rows: VecDeque<LedgerRow>,
    /// Number of rows at the front that belong to earlier epochs.
    earlier: usize,
}

impl History {
    pub(super) fn new(link: u16) -> History {
        History { link, rows: VecDeque::new(), earlier: 0 }
    }

    pub(super) fn link(&self) -> u16 {
        self.link
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Enters an interval after all known time of this epoch.
    pub(super) fn tell(&mut self, begin: u64, end: u64, state: State, bits: u32) {
        let row = LedgerRow { link: self.link, begin, end, state: state as u8, bits };
        let is_inside = self.rows.len() > self.earlier;
        match self.rows.back_mut() {
            // An empty interval comes from a frame at the very expected time.
            _ if begin >= end => {}
            // The good time of a link is one row that grows: the ledger stays small while nothing happens.
            Some(last) if is_inside && (last.end, last.state, last.bits) == (begin, row.state, bits) => {
                last.end = end
            }
            _ => self.rows.push_back(row),
        }
    }

    /// Extends the last row to `end`.
    pub(super) fn grow(&mut self, end: u64) {
        if let Some(last) = self.rows.back_mut() {
            last.end = end;
        }
    }

    /// Turns absent time into dropped time; false when `begin..end`, the time of one frame, was not absent.
    pub(super) fn came_late(&mut self, begin: u64, end: u64) -> bool {
        self.change(begin, end, State::Absent, State::Dropped, Faults::BACK.bits()) > 0
    }

    /// The good time in `begin..end` came after frames of a later time; how much that is.
    pub(super) fn came_behind(&mut self, begin: u64, end: u64) -> u64 {
        self.change(begin, end, State::Good, State::Late, 0)
    }

    /// Gives another state to the parts of `begin..end` that are in the state `from`; how much that is.
    fn change(&mut self, begin: u64, end: u64, from: State, to: State, bits: u32) -> u64 {
        // Rows of earlier epochs may be of any time.
        let (mut at, mut high) = (self.earlier, self.rows.len());
        // Rows of an epoch are in order, so the search is binary; late frames are the only callers.
        while at < high {
            let middle = at.midpoint(high);
            if self.rows[middle].end <= begin { at = middle + 1 } else { high = middle }
        }
        let mut changed = 0;
        while let Some(row) = self.rows.get(at).copied().filter(|row| row.begin < end) {
            // Only time in the state `from` changes: a repeated frame must not undo another's.
            if State::of(row.state) != from {
                at += 1;
                continue;
            }
            let middle = LedgerRow {
                begin: row.begin.max(begin),
                end: row.end.min(end),
                state: to as u8,
                bits,
                ..row
            };
            // A row may be hit in its middle, and then becomes three; empty parts are left out.
            let parts =
                [LedgerRow { end: middle.begin, ..row }, middle, LedgerRow { begin: middle.end, ..row }];
            self.rows.remove(at);
            for part in parts.into_iter().filter(|part| part.begin < part.end) {
                self.rows.insert(at, part);
                at += 1;
            }
            changed += middle.end - middle.begin;
        }
        changed
    }

    /// Keeps later rows from being joined to the rows so far.
    pub(super) fn begin_epoch(&mut self) {
        self.earlier = self.rows.len();
    }

    /// Moves the rows of earlier epochs and the rows before `until` to `rows`; a row that reaches beyond is cut there.
    pub(super) fn take(&mut self, until: u64, rows: &mut Vec<LedgerRow>) {
        while let Some(row) = self.rows.front_mut() {
            if self.earlier == 0 && row.end > until {
                if row.begin < until {
                    rows.push(LedgerRow { end: until, ..*row });
                    row.begin = until;
                }
                return;
            }
            rows.push(*row);
            self.rows.pop_front();
            self.earlier = self.earlier.saturating_sub(1);
        }
    }
}
