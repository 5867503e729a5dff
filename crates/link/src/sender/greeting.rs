//! Receivers that say hello: the one before over a new connection, or a new incarnation.

use livetime_runtime::LossReason;

use super::event::SenderEvent;
use super::peer::{Caller, Peer};
use super::state::Sender;
use crate::connection::State;
use crate::message::{Body, Credit, Hello, Message, Parcel, Welcome};
use crate::{Losses, Retain, Settings, Standing, Violation};

impl<F: Parcel + Clone> Sender<F> {
    /// A receiver says hello. It is believed when it confirms our welcome: a hello of an earlier connection may come
    /// late, and its incarnation has died.
    pub(super) fn greet(&mut self, session: u64, hello: &Hello, now_ns: u64) -> Result<(), Violation> {
        hello.cut.check(&self.settings.cut)?;
        let least = self.settings.max_frame_bytes;
        Violation::check("bytes of the largest frame", hello.max_frame_bytes, least, u64::MAX)?;
        let known = self.peer.as_ref().filter(|peer| peer.epoch == hello.epoch);
        let told = if known.is_some() { hello.standing } else { hello.stored };
        let standing = told.filter(|(ours, _)| *ours == self.epoch).map(|(_, standing)| standing);
        let reached = standing.map_or(0, |standing| standing.received);
        Violation::check("received position", reached, 0, self.reached)?;
        let start = match (standing, known) {
            (Some(standing), _) => standing.received.max(self.base),
            (None, Some(known)) => known.start,
            (None, None) => self.base,
        };
        // A late hello of a receiver that has come further gives room from where it was then.
        let credit_from = standing.filter(|_| known.is_some()).map_or(start, |standing| standing.received);
        // Losses before the start, as they will be counted when the caller confirms.
        let newer = standing.filter(|standing| standing.received >= self.settled);
        let lost = newer.map_or(self.lost_by_receivers, |standing| standing.lost);
        let Hello { epoch, credit, .. } = *hello;
        self.caller =
            Some(Caller { session, epoch, standing, credit, credit_from, start, lost, is_welcomed: false });
        self.connection.heard_ns = now_ns;
        Ok(())
    }

    /// The welcome that is due, and the number of the caller's connection.
    pub(super) fn welcome(&mut self) -> Option<(u64, Welcome)> {
        let caller = self.caller.as_mut().filter(|caller| !caller.is_welcomed)?;
        caller.is_welcomed = true;
        let (cut, retain) = (self.settings.cut.clone(), self.settings.retain);
        let (epoch, start, lost, told) = (self.epoch, caller.start, caller.lost, self.told);
        let before = self.before;
        let Settings { window_frames, window_bytes, retakes, .. } = self.settings;
        // A pool goes by the frames that each worker has not completed, and a worker completes a frame when its result was
        // received, which is why it retains results no longer.
        let is_awaited = retakes || retain == Retain::Received;
        let window = if is_awaited {
            Credit::default()
        } else {
            Credit { frames: window_frames, bytes: window_bytes }
        };
        Some((caller.session, Welcome { epoch, cut, retain, start, lost, told, before, window }))
    }

    /// The first acknowledgement of a caller: it is the receiver from now on.
    pub(super) fn confirm(&mut self, message: &Message<F>, now_ns: u64) -> Result<(), Violation> {
        let is_ack = matches!(message.body, Body::Ack(_) | Body::Abort(_) | Body::Finished(_));
        let Some(caller) = self.caller.take_if(|caller| is_ack && caller.session == message.from) else {
            return Ok(());
        };
        let is_new = self.peer.as_ref().is_none_or(|peer| peer.epoch != caller.epoch);
        if is_new {
            self.meet(&caller)?;
        } else {
            caller.standing.iter().try_for_each(|standing| self.advance(standing))?;
        }
        if let Some(peer) = &mut self.peer {
            peer.allow(caller.credit_from, caller.credit);
        }
        self.connection.peer = caller.session;
        self.connection.state = State::Open;
        self.go_back(now_ns);
        self.ending.greet();
        self.events.push_back(SenderEvent::Met { epoch: caller.epoch, is_new });
        Ok(())
    }

    /// Goes on with a new incarnation: from where its store ends, else from the first frame that is kept.
    fn meet(&mut self, caller: &Caller) -> Result<(), Violation> {
        match &caller.standing {
            Some(standing) => self.believe_store(standing)?,
            None => self.assume_nothing(),
        }
        let (epoch, start) = (caller.epoch, self.settled.max(self.base));
        let standing = Standing::at(start, self.lost_by_receivers);
        self.peer = Some(Peer { epoch, standing, credit: Credit::default(), start });
        Ok(())
    }

    /// The receiver that died has left no trace of what it did.
    fn assume_nothing(&mut self) {
        let base = self.base;
        if self.settled < base {
            self.in_doubt += base - self.settled;
            self.events.push_back(SenderEvent::InDoubt { from: self.settled, to: base });
        }
        if base < self.reached {
            self.sent_again += self.reached - base;
            self.events.push_back(SenderEvent::SentAgain { from: base, to: self.reached });
        }
        self.settled = base;
    }

    /// The new incarnation knows from its store what the one before has handled: nothing is in doubt.
    fn believe_store(&mut self, standing: &Standing) -> Result<(), Violation> {
        let stored = standing.received;
        let least = if self.settings.retain == Retain::Stored { self.settled } else { 0 };
        Violation::check("stored position", stored, least, self.reached)?;
        Violation::check("completed position of a store", standing.completed, stored, stored)?;
        Violation::check("stored position of a store", standing.stored, stored, stored)?;
        if stored >= self.settled {
            self.count(stored, &standing.lost)?;
            self.release(stored);
        }
        // Received and not kept by the sender, and not stored: now it is known that these are lost.
        if self.settled < self.base {
            let mut lost = Losses::default();
            lost.add(LossReason::PeerGone, self.base - self.settled);
            self.lost.add_all(&lost);
            self.events.push_back(SenderEvent::Settled { from: self.settled, to: self.base, lost });
            self.settled = self.base;
        }
        Ok(())
    }
}
