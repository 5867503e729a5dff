//! The end of a link that receives.

mod account;
mod incoming;
mod state;
mod token;

use crate::connection::{State, Step};
use crate::message::{Abort, Ack, Body, Credit, Data, Finish, Hello, Message, Notice, Parcel, Told, Welcome};
use crate::{Settings, Standing, Violation};
use incoming::Incoming;
pub use state::{Receiver, ReceiverEvent};
pub use token::{Settlement, Token};

impl<F: Parcel> Receiver<F> {
    /// The sender's epoch, and how far its frames are settled: what a store must keep with each frame, so that
    /// [`Receiver::resumed`] can go on. `None` before a sender came.
    pub fn store(&self) -> Option<(u64, Standing)> {
        let Some(incoming) = &self.current else { return self.stored };
        let settled = incoming.standing.settled(incoming.retain);
        Some((incoming.epoch, Standing::at(settled, incoming.standing.lost)))
    }

    /// There is a connection.
    pub fn connected(&mut self, now_ns: u64) {
        self.connection.open(self.epoch, now_ns);
        self.hello_due = true;
        self.gap_at = None;
        self.ack_due = false;
        if let Some((_, is_told)) = &mut self.abort {
            *is_told = false;
        }
    }

    /// There is none any more.
    pub fn disconnected(&mut self) {
        self.connection.state = State::Down;
    }

    /// Handles a message.
    ///
    /// # Errors
    /// [`Violation`] for a message that no honest sender sends. Nothing of it is believed but frames before the fault, and
    /// the connection must be closed.
    pub fn receive(&mut self, message: Message<F>, now_ns: u64) -> Result<(), Violation> {
        if self.connection.state == State::Down || message.to != self.connection.session {
            return Ok(());
        }
        if let Body::Welcome(welcome) = &message.body {
            return self.welcome(message.from, welcome, now_ns);
        }
        if message.from != self.connection.peer {
            // From before the welcome; it is sent again.
            return Ok(());
        }
        match message.body {
            Body::Data(data) => self.take(data, now_ns)?,
            Body::Heartbeat(beat) => {
                self.told(&beat.told)?;
                self.hear_clock(beat.clock_ns, now_ns);
            }
            Body::Finish(finish) => self.finish(&finish)?,
            Body::Abort(abort) => self.aborted_by_peer(abort)?,
            Body::Notice(notice) => self.notice(&notice, now_ns)?,
            other => return Err(Violation::Unexpected { wanted: "data", found: other.name() }),
        }
        self.connection.heard_ns = now_ns;
        Ok(())
    }

    fn welcome(&mut self, session: u64, welcome: &Welcome, now_ns: u64) -> Result<(), Violation> {
        let epoch = welcome.epoch;
        welcome.cut.check(&self.settings.cut)?;
        if self.given_up == Some(epoch) {
            return Ok(());
        }
        let is_new = self.current.as_ref().is_none_or(|incoming| incoming.epoch != epoch);
        if is_new {
            // A connection is of one process, and a process has one epoch.
            let known = self.current.as_ref().filter(|_| self.connection.state == State::Open);
            let wanted = known.map_or(epoch, |incoming| incoming.epoch);
            Violation::check("epoch", epoch, wanted, wanted)?;
            if self.closed.iter().any(|part| part.epoch == epoch)
                || self.replaced.iter().any(|incoming| incoming.epoch == epoch)
            {
                // Two senders that take turns. Frames of the first one are in doubt since the second came.
                let (wanted, found) = ("a sender that was not replaced", "one that was");
                return Err(Violation::Unexpected { wanted, found });
            }
            let stored = self.stored.filter(|(known, _)| *known == epoch);
            let least = stored.map_or(0, |(_, standing)| standing.received);
            Violation::check("start", welcome.start, least, u64::MAX)?;
            let mut incoming = Incoming::new(welcome)?;
            incoming.aborted = self.abort.is_some();
            self.retire(welcome.before);
            self.current = Some(incoming);
        } else if let Some(incoming) = &mut self.current {
            // An old welcome may start earlier; frames that came before are dropped.
            Violation::check("start", welcome.start, 0, incoming.standing.received)?;
            incoming.hear(&welcome.told)?;
        }
        self.connection.state = State::Open;
        self.connection.peer = session;
        self.connection.heard_ns = now_ns;
        // The sender waits for it before it sends frames.
        self.ack_due = true;
        self.events.push_back(ReceiverEvent::Met { epoch, is_new });
        Ok(())
    }

    /// The sender is replaced by another incarnation, or does not come back.
    /// `before` is the epoch whose frames went to other receivers.
    fn retire(&mut self, before: u64) {
        let Some(mut incoming) = self.current.take() else { return };
        incoming.is_gone = true;
        incoming.is_retaken = self.settings.retakes || incoming.epoch == before;
        self.replaced.push(incoming);
        self.fold();
        (self.gap_at, self.ack_due, self.finished_due) = (None, false, false);
    }

    /// Keeps only the sums of senders without frames under way.
    fn fold(&mut self) {
        let closed = &mut self.closed;
        self.replaced.retain(|incoming| {
            let is_settled = incoming.is_settled();
            if is_settled {
                closed.push(incoming.part());
            }
            !is_settled
        });
        account::bound(&mut self.closed);
    }

    fn take(&mut self, data: Data<F>, now_ns: u64) -> Result<(), Violation> {
        self.told(&data.told)?;
        self.hear_clock(data.clock_ns, now_ns);
        let Some(incoming) = &mut self.current else { return Ok(()) };
        let others = under_way(self.replaced.iter());
        let end = data.position.saturating_add(data.frames.len() as u64);
        Violation::check("position after the last frame", end, 0, incoming.entered())?;
        if self.abort.is_some() || incoming.aborted {
            return Ok(());
        }
        for (position, frame) in (data.position..end).zip(data.frames) {
            let wanted = incoming.standing.received;
            if position > wanted {
                self.ack_due |= self.gap_at.replace(wanted) != Some(wanted);
                break;
            }
            if position == wanted {
                let token = incoming.push(frame.bytes(), &self.settings, others)?;
                self.events.push_back(ReceiverEvent::Frame(token, frame));
                note(&mut self.news, &mut self.news_ns, now_ns);
            }
        }
        self.check_end();
        Ok(())
    }

    fn told(&mut self, told: &Told) -> Result<(), Violation> {
        self.current.as_mut().map_or(Ok(()), |incoming| incoming.hear(told))
    }

    fn hear_clock(&mut self, clock_ns: u64, now_ns: u64) {
        self.echo = Some((clock_ns, now_ns));
    }

    fn finish(&mut self, finish: &Finish) -> Result<(), Violation> {
        self.told(&finish.told)?;
        let Some(incoming) = &mut self.current else { return Ok(()) };
        let entered = incoming.entered();
        Violation::check("position of the end", finish.tail, entered, entered)?;
        incoming.tail = Some(finish.tail);
        incoming.was_stopped |= finish.stopped;
        self.finished_due = true;
        if incoming.standing.received < finish.tail {
            let wanted = incoming.standing.received;
            self.ack_due |= self.gap_at.replace(wanted) != Some(wanted);
        }
        self.check_end();
        Ok(())
    }

    /// Frames that the carrier's store has no more are lost, as if they had come.
    fn notice(&mut self, notice: &Notice, now_ns: u64) -> Result<(), Violation> {
        self.told(&notice.told)?;
        let Some(incoming) = &mut self.current else { return Ok(()) };
        if incoming.aborted || notice.position != incoming.standing.received {
            return Ok(());
        }
        let others = under_way(self.replaced.iter());
        incoming.miss(notice, &self.settings, others)?;
        note(&mut self.news, &mut self.news_ns, now_ns);
        self.check_end();
        Ok(())
    }

    /// Reports the end once, when the last frame was received.
    fn check_end(&mut self) {
        let Some(incoming) = &mut self.current else { return };
        if incoming.tail == Some(incoming.standing.received) && !incoming.has_ended {
            incoming.has_ended = true;
            self.events.push_back(ReceiverEvent::End);
        }
    }

    fn aborted_by_peer(&mut self, abort: Abort) -> Result<(), Violation> {
        self.told(&abort.told)?;
        let Some(incoming) = &mut self.current else { return Ok(()) };
        self.finished_due = true;
        if !incoming.aborted {
            incoming.aborted = true;
            self.events.push_back(ReceiverEvent::Aborted(abort.why));
        }
        Ok(())
    }

    /// The run of this end was aborted: no frame is taken any more. Frames under way must still be settled; then the
    /// sender gets the final standing.
    pub fn abort(&mut self, why: &str) {
        self.abort.get_or_insert_with(|| (why.to_owned(), false));
        if let Some(incoming) = &mut self.current {
            incoming.aborted = true;
        }
    }

    /// The sender does not come back: frames that it had, and that never came, are in doubt. Final: should it come back
    /// after all, this end does not answer it.
    pub fn give_up(&mut self) {
        self.given_up = self.current.as_ref().map(|incoming| incoming.epoch);
        self.retire(0);
    }

    /// The run of this end was stopped: the sender is asked to end too, again with every acknowledgement.
    pub fn ask_to_end(&mut self) {
        self.ack_due |= !std::mem::replace(&mut self.ending, true);
    }

    /// True when the sender has told that its run was stopped, which did not end by itself.
    pub fn was_stopped(&self) -> bool {
        self.current.as_ref().is_some_and(|incoming| incoming.was_stopped)
    }

    /// How a received frame ended. Returns false for a token that was settled before, or never given.
    pub fn settle(&mut self, token: Token, settlement: Settlement, now_ns: u64) -> bool {
        if let Some(incoming) = self.current.as_mut().filter(|incoming| incoming.epoch == token.epoch) {
            let is_known = incoming.settle(token.position, settlement);
            note(&mut self.news, &mut self.news_ns, now_ns);
            return is_known;
        }
        let found = self.replaced.iter_mut().find(|incoming| incoming.epoch == token.epoch);
        let is_known = found.is_some_and(|incoming| incoming.settle(token.position, settlement));
        self.fold();
        is_known
    }

    /// What to do now.
    pub fn step(&mut self, now_ns: u64) -> Step<F> {
        if self.connection.dies(now_ns, self.settings.dead_after_ns) {
            return Step::Reconnect;
        }
        match self.body(now_ns) {
            Some(body) => self.connection.send(body, now_ns),
            None => Step::Wait(self.deadline()),
        }
    }

    fn body(&mut self, now_ns: u64) -> Option<Body<F>> {
        let is_silent = now_ns >= self.connection.sent_ns.saturating_add(self.settings.heartbeat_ns);
        match self.connection.state {
            State::Down => return None,
            State::Greeting => {
                let is_due = std::mem::take(&mut self.hello_due) || is_silent;
                return is_due.then(|| Body::Hello(self.hello()));
            }
            State::Open => {}
        }
        if let Some((why, is_told)) = &mut self.abort
            && (!std::mem::replace(is_told, true) || is_silent)
        {
            self.finished_due = true;
            return Some(Body::Abort(Abort { why: why.clone(), told: Told::default() }));
        }
        if self.finished_due && self.has_finished() {
            self.finished_due = false;
            return self.current.as_ref().map(|incoming| Body::Finished(incoming.standing));
        }
        let is_late = self.news > 0 && now_ns >= self.ack_ns();
        let is_due = self.ack_due || self.news >= self.settings.ack_frames || is_late || is_silent;
        is_due.then(|| Body::Ack(self.ack(now_ns)))
    }

    fn hello(&self) -> Hello {
        let current = self.current.as_ref();
        let standing = current.map(|incoming| (incoming.epoch, incoming.standing));
        let (cut, max_frame_bytes) = (self.settings.cut.clone(), self.settings.max_frame_bytes);
        Hello {
            epoch: self.epoch,
            cut,
            max_frame_bytes,
            credit: self.credit(),
            standing,
            stored: self.stored,
        }
    }

    fn ack(&mut self, now_ns: u64) -> Ack {
        self.news = 0;
        let standing = self.current.as_ref().map_or(Standing::default(), |incoming| incoming.standing);
        let gap = std::mem::take(&mut self.ack_due) && self.gap_at == Some(standing.received);
        let (echo_ns, held_ns) = self.echo.map_or((0, 0), |(echo, at)| (echo, now_ns.saturating_sub(at)));
        let (credit, ending) = (self.credit(), self.ending);
        Ack { standing, credit, gap, ending, clock_ns: now_ns, echo_ns, held_ns }
    }

    /// Room, not counting frames that are under way. It never shrinks but by frames that come: what was once promised to the
    /// sender stays promised.
    fn credit(&self) -> Credit {
        let (frames, bytes) = under_way(self.current.iter().chain(&self.replaced));
        let Settings { window_frames, window_bytes, .. } = self.settings;
        Credit { frames: window_frames.saturating_sub(frames), bytes: window_bytes.saturating_sub(bytes) }
    }

    /// True when the sender can wait for acknowledgements.
    pub fn has_leisure(&self) -> bool {
        let frames = self.settings.ack_frames;
        !self.ending && self.current.as_ref().is_some_and(|incoming| incoming.has_leisure(frames))
    }

    /// When the news are acknowledged at the latest.
    fn ack_ns(&self) -> u64 {
        let Settings { ack_after_ns, ack_at_leisure_ns, .. } = self.settings;
        self.news_ns.saturating_add(if self.has_leisure() { ack_at_leisure_ns } else { ack_after_ns })
    }

    fn deadline(&self) -> u64 {
        let Settings { dead_after_ns, heartbeat_ns, .. } = self.settings;
        let dead = self.connection.heard_ns.saturating_add(dead_after_ns);
        let beat = self.connection.sent_ns.saturating_add(heartbeat_ns);
        match self.connection.state {
            State::Down => u64::MAX,
            State::Open if self.news > 0 => dead.min(beat).min(self.ack_ns()),
            State::Greeting | State::Open => dead.min(beat),
        }
    }

    /// The oldest news that was not taken yet.
    pub fn next_event(&mut self) -> Option<ReceiverEvent<F>> {
        self.events.pop_front()
    }
}

/// Frames and bytes under way. Those of senders that were replaced count too: else a peer that restarts again and again
/// would get one window of memory each time.
fn under_way<'a>(incoming: impl Iterator<Item = &'a Incoming>) -> (u64, u64) {
    incoming.map(Incoming::under_way).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
}

/// Counts news for the next acknowledgement.
fn note(news: &mut u64, since_ns: &mut u64, now_ns: u64) {
    if *news == 0 {
        *since_ns = now_ns;
    }
    *news += 1;
}
