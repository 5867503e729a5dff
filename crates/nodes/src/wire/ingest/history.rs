//! What became of the time of a link that is not in the ledger yet.

use std::collections::VecDeque;

use livetime_formats::wib::Faults;

use crate::wire::{LedgerRow, State};

/// Rows that touch each other, except between epochs.
#[derive(Debug)]
pub(super) struct History {
    link: u16,
    rows: VecDeque<LedgerRow>,
    /// The first so many rows are of earlier epochs.
    earlier: usize,
    /// The highest time told of in this run.
    end: u64,
}

impl History {
    pub(super) fn new(link: u16) -> History {
        History { link, rows: VecDeque::new(), earlier: 0, end: 0 }
    }

    pub(super) fn link(&self) -> u16 {
        self.link
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Enters time behind all that is known of this epoch.
    pub(super) fn tell(&mut self, begin: u64, end: u64, state: State, bits: u32) {
        self.end = self.end.max(end);
        let row = LedgerRow { link: self.link, begin, end, state: state as u8, bits };
        let is_inside = self.rows.len() > self.earlier;
        match self.rows.back_mut() {
            Some(last) if is_inside && (last.end, last.state, last.bits) == (begin, row.state, bits) => {
                last.end = end
            }
            _ => self.rows.push_back(row),
        }
    }

    /// The last row goes on up to `end`.
    pub(super) fn grow(&mut self, end: u64) {
        self.end = self.end.max(end);
        if let Some(last) = self.rows.back_mut() {
            last.end = end;
        }
    }

    /// Frames that were dropped before it was known that their time is the link's; not what was told already.
    pub(super) fn dropped(&mut self, begin: u64, end: u64, bits: u32) {
        let begin = begin.max(self.end);
        if begin < end {
            self.begin_epoch();
            self.tell(begin, end, State::Dropped, bits);
        }
    }

    /// Makes dropped what was absent, if all of `begin..end` was.
    pub(super) fn came_late(&mut self, begin: u64, end: u64) -> bool {
        let inside = |row: &LedgerRow| row.begin <= begin && end <= row.end;
        let epoch = self.rows.range(self.earlier..);
        let found = epoch.rev().position(|row| inside(row) && State::of(row.state) == State::Absent);
        let Some(at) = found.map(|from_end| self.rows.len() - 1 - from_end) else { return false };
        let absent = self.rows[at];
        let late = LedgerRow { begin, end, state: State::Dropped as u8, bits: Faults::BACK.bits(), ..absent };
        let parts = [LedgerRow { end: begin, ..absent }, late, LedgerRow { begin: end, ..absent }];
        self.rows.remove(at);
        for part in parts.into_iter().rev().filter(|part| part.begin < part.end) {
            self.rows.insert(at, part);
        }
        true
    }

    /// What is told from now on does not touch what was told before.
    pub(super) fn begin_epoch(&mut self) {
        self.earlier = self.rows.len();
    }

    /// Moves the rows of earlier epochs and those before `until` to `rows`; one that reaches beyond is cut there.
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
