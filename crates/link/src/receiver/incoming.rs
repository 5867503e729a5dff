//! The frames of one incarnation of a sender.

use std::collections::VecDeque;

use livetime_runtime::LossReason;

use super::token::{Settlement, Token};
use crate::account::Part;
use crate::message::{Credit, Notice, Told, Welcome};
use crate::{Account, Losses, Retain, Settings, Standing, Violation};

/// Frames without an acknowledgement are at most such a part of the sender's window, where it waits for one.
const PARTS: u64 = 4;

/// A frame that was received, and whose predecessors are not all settled, or it itself.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bytes: u64,
    /// `None` while it is under way.
    settlement: Option<Settlement>,
}

/// Frames of one sender: what it told, and how far this end has come with it.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) epoch: u64,
    pub(super) retain: Retain,
    pub(super) standing: Standing,
    /// What the sender keeps at most, and the bytes of its largest frame so far.
    window: Credit,
    largest: u64,
    /// Frames before it belong to earlier incarnations of the receiver.
    start: u64,
    told: Told,
    /// From the settled position on.
    slots: VecDeque<Slot>,
    bytes: u64,
    delivered: u64,
    /// Losses of this end.
    lost: Losses,
    sent_again: u64,
    /// The position of the end, if the sender told it.
    pub(super) tail: Option<u64>,
    pub(super) has_ended: bool,
    /// The sender's run was stopped.
    pub(super) was_stopped: bool,
    /// No more frames are taken from it: the run of one end was aborted.
    pub(super) aborted: bool,
    /// The sender does not come back.
    pub(super) is_gone: bool,
    /// Frames that did not come were sent to another receiver.
    pub(super) is_retaken: bool,
}

impl Incoming {
    pub(super) fn new(welcome: &Welcome) -> Result<Incoming, Violation> {
        let mut incoming = Incoming {
            epoch: welcome.epoch,
            retain: welcome.retain,
            standing: Standing::at(welcome.start, welcome.lost),
            window: welcome.window,
            largest: 0,
            start: welcome.start,
            told: Told { offered: welcome.start, lost: Losses::default() },
            slots: VecDeque::new(),
            bytes: 0,
            delivered: 0,
            lost: Losses::default(),
            sent_again: 0,
            tail: None,
            has_ended: false,
            was_stopped: false,
            aborted: false,
            is_gone: false,
            is_retaken: false,
        };
        Violation::check("losses before the start", welcome.lost.total(), 0, welcome.start)?;
        incoming.hear(&welcome.told)?;
        Ok(incoming)
    }

    /// The number of frames that got a position, as far as the sender told it.
    pub(super) fn entered(&self) -> u64 {
        self.told.entered().unwrap_or(0)
    }

    /// Takes over the sender's account, if it is newer.
    pub(super) fn hear(&mut self, told: &Told) -> Result<(), Violation> {
        if told.offered < self.told.offered {
            return Ok(());
        }
        told.lost.since(&self.told.lost).ok_or(Violation::Shrunk)?;
        let lost = told.lost.total();
        let most = told.offered.saturating_sub(self.entered());
        Violation::check("frames lost by the sender", lost, 0, most)?;
        self.told = *told;
        Ok(())
    }

    /// Takes the next frame. `others` are frames and bytes under way of other senders.
    pub(super) fn push(
        &mut self,
        bytes: u64,
        settings: &Settings,
        others: (u64, u64),
    ) -> Result<Token, Violation> {
        let Settings { window_frames, window_bytes, max_frame_bytes, .. } = *settings;
        Violation::check("bytes of a frame", bytes, 0, max_frame_bytes)?;
        let frames_under_way = self.slots.len() as u64 + 1 + others.0;
        Violation::check("frames under way by our credit", frames_under_way, 1, window_frames)?;
        Violation::check(
            "bytes under way by our credit",
            self.bytes + others.1,
            0,
            window_bytes.saturating_sub(1),
        )?;
        self.slots.push_back(Slot { bytes, settlement: None });
        self.bytes += bytes;
        self.largest = self.largest.max(bytes);
        let position = self.standing.received;
        self.standing.received += 1;
        Ok(Token { epoch: self.epoch, position })
    }

    /// Takes over what the carrier's store knows: frames that never come, at most as many as there is credit for.
    pub(super) fn miss(
        &mut self,
        notice: &Notice,
        settings: &Settings,
        others: (u64, u64),
    ) -> Result<(), Violation> {
        let end = notice.position.saturating_add(notice.removed);
        Violation::check("position after the removed frames", end, 0, self.entered())?;
        let frames_under_way = (self.slots.len() as u64).saturating_add(others.0);
        let most = settings.window_frames.saturating_sub(frames_under_way);
        Violation::check("removed frames by our credit", notice.removed, 0, most)?;
        for _ in 0..notice.removed {
            self.slots
                .push_back(Slot { bytes: 0, settlement: Some(Settlement::Lost(LossReason::Retention)) });
        }
        self.standing.received = end;
        self.sent_again = self.sent_again.saturating_add(notice.again);
        self.advance();
        Ok(())
    }

    /// True when the sender can wait for the acknowledgement of `frames` frames: these are a small part of its window, and
    /// no end is near.
    pub(super) fn has_leisure(&self, frames: u64) -> bool {
        let many = frames.saturating_mul(PARTS);
        let bytes = many.saturating_mul(self.largest);
        self.tail.is_none() && !self.aborted && many <= self.window.frames && bytes <= self.window.bytes
    }

    /// Frames and bytes from the settled position on.
    pub(super) fn under_way(&self) -> (u64, u64) {
        (self.slots.len() as u64, self.bytes)
    }

    pub(super) fn settle(&mut self, position: u64, settlement: Settlement) -> bool {
        let retain = self.retain;
        let place = position.checked_sub(self.standing.settled(retain));
        let Some(slot) = place.and_then(|place| self.slots.get_mut(usize::try_from(place).ok()?)) else {
            return false;
        };
        let may_change = match slot.settlement {
            None => true,
            Some(Settlement::Completed) => settlement != Settlement::Completed,
            Some(_) => false,
        };
        if may_change {
            slot.settlement = Some(settlement);
            self.advance();
        }
        may_change
    }

    /// Moves the positions over all frames that are settled, and counts these.
    fn advance(&mut self) {
        let from = self.standing.settled(self.retain);
        let behind = (self.standing.completed - from) as usize;
        let settled = |slot: &&Slot| slot.settlement.is_some();
        self.standing.completed += self.slots.iter().skip(behind).take_while(settled).count() as u64;
        while let Some(slot) = self.slots.front().copied() {
            let Some(settlement) = slot.settlement else { break };
            match settlement {
                Settlement::Completed if self.retain == Retain::Stored => break,
                Settlement::Completed | Settlement::Stored => self.delivered += 1,
                Settlement::Lost(reason) => self.lose(reason),
            }
            if self.retain == Retain::Stored {
                self.standing.stored += 1;
            }
            self.slots.pop_front();
            self.bytes -= slot.bytes;
        }
    }

    fn lose(&mut self, reason: LossReason) {
        self.standing.lost.add(reason, 1);
        self.lost.add(reason, 1);
    }

    /// True when no frame is under way.
    pub(super) fn is_settled(&self) -> bool {
        self.slots.is_empty()
    }

    /// The same with the sender's name.
    pub(super) fn part(&self) -> Part {
        Part { epoch: self.epoch, start: self.start, account: self.account() }
    }

    /// The account of these frames.
    pub(super) fn account(&self) -> Account {
        let (under_way, missing) = (self.slots.len() as u64, self.entered() - self.standing.received);
        let mut lost = self.told.lost;
        lost.add_all(&self.lost);
        let (mut queued, mut in_doubt, mut retaken) = (under_way, 0, 0);
        match (self.aborted, self.is_gone) {
            (true, _) => lost.add(LossReason::Aborted, missing),
            (false, true) if self.is_retaken => retaken = missing,
            (false, true) => in_doubt = missing,
            (false, false) => queued += missing,
        }
        let offered = self.told.offered - self.start;
        let sent_again = self.sent_again;
        Account { offered, delivered: self.delivered, lost, queued, in_doubt, retaken, sent_again }
    }
}
