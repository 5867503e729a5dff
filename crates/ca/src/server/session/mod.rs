//! The talk with one client, without sockets: bytes come in, bytes go out.

mod answer;
mod answers;
mod channels;
mod monitors;
mod output;
mod price;
mod requests;
#[cfg(test)]
mod tests;

use std::io::IoSlice;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use channels::{Channels, Opened};
use livetime_guests::{Account, Charge, Reports};
use monitors::Monitors;
use output::Output;
use price::{CHANNEL, MONITOR, SMALL, price};

use super::mailbox::Mailbox;
use super::service::Parts;
use super::{Event, Peer, Refusal, Service};
use crate::wire::{Assembler, Command, Header, MINOR};
use crate::{Error, Result, Status};

/// The talk with one client. Hand it bytes of the client with [`receive`](Session::receive), let it [`work`](Session::work), and send
/// its [`output`](Session::output).
pub struct Session {
    parts: Arc<Parts>,
    peer: Arc<Peer>,
    mailbox: Arc<Mailbox>,
    /// The memory that the client makes us keep.
    account: Arc<Account>,
    // For channels and monitors.
    held: Charge,
    input: Assembler,
    // For the message that is coming in.
    incoming: Charge,
    output: Output,
    unsent: Charge,
    channels: Channels,
    monitors: Monitors,
    /// Puts that are not done yet.
    puts: usize,
    /// The client wants no updates for now.
    paused: bool,
    // The minor version of the client.
    minor: u16,
    now: Duration,
    // When the message that is coming in began.
    begun: Option<Duration>,
    // Since when nothing of the output has been sent.
    stalled: Option<Duration>,
    refusals: Reports,
}

impl Session {
    /// A talk with the client at `address`; `ring` is called from any thread when there is something to send. `now`: any clock that
    /// goes forward.
    pub fn new(
        service: &Service,
        address: SocketAddr,
        ring: impl Fn() + Send + Sync + 'static,
        now: Duration,
    ) -> Session {
        let parts = Arc::clone(&service.0);
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        let is_local = parts.guests.is_local(address.ip());
        let account = parts.guests.account(address.ip());
        let mut session = Session {
            peer: Arc::new(Peer { address, user: String::new(), host: String::new(), is_local }),
            mailbox: Arc::new(Mailbox::new(ring)),
            input: Assembler::new(parts.limits.message),
            parts,
            incoming: Charge::new(&account),
            output: Output::default(),
            unsent: Charge::new(&account),
            held: Charge::new(&account),
            account,
            channels: Channels::default(),
            monitors: Monitors::default(),
            puts: 0,
            paused: false,
            minor: 0,
            now,
            begun: None,
            stalled: None,
            refusals: Reports::default(),
        };
        session
            .say(Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() }, &[]);
        session
    }

    /// Takes bytes of the client. They are worked on by [`work`](Session::work).
    pub fn receive(&mut self, bytes: &[u8], now: Duration) {
        self.now = now;
        self.input.push(bytes);
    }

    /// Whether more input may come: not while answers wait for a client that does not read them, nor while there is a message to work on.
    pub fn accepts(&self) -> bool {
        self.pending() < self.parts.limits.output && (self.input.held() < SMALL || self.input.expected() > 0)
    }

    /// Answers requests for at most `left`, their prices in gets together, and adds updates as long as the output is short. Returns whether
    /// there is more to do at once.
    ///
    /// # Errors
    /// When the client sends something that makes the rest of the stream unreadable, or takes too much memory; the connection ends then.
    pub fn work(&mut self, mut left: usize) -> Result<bool> {
        self.hear();
        let turn = left;
        let mut has_more = true;
        while left > 0 && self.pending() < self.parts.limits.output {
            self.pass_over()?;
            let Some(message) = self.input.next()? else {
                has_more = false;
                break;
            };
            left = left.saturating_sub(price(&message.header));
            self.request(&message);
            if self.puts > 0 {
                // A put that ended at once is answered before the next request is.
                self.hear();
            }
        }
        self.expect()?;
        let has_updates = self.update(turn);
        self.settle()?;
        Ok((has_more || has_updates) && self.pending() < self.parts.limits.output)
    }

    /// Refuses the next message if it is longer than it may be.
    fn pass_over(&mut self) -> Result<()> {
        let most = self.parts.limits.message;
        let Some(header) = self.input.header().filter(|header| header.size as usize > most) else {
            return Ok(());
        };
        let reason = format!("wanted a message of at most {most} bytes, found {}", header.size);
        self.leave_out(&header, Refusal::new(Status::TooLarge, reason))
    }

    /// Answers a put whose payload is left out by a refusal. Other messages have no use for a large payload, and end the talk.
    fn leave_out(&mut self, header: &Header, refusal: Refusal) -> Result<()> {
        let is_put = [Command::Write, Command::WriteNotify].iter().any(|put| *put as u16 == header.command);
        if !is_put {
            return Err(Error::new("a client that keeps to its bounds", refusal.reason));
        }
        self.input.skip();
        self.refuse(&Header { size: 0, ..*header }, &refusal);
        Ok(())
    }

    /// Counts the memory for a message that is coming in, and notes when it began.
    fn expect(&mut self) -> Result<()> {
        self.begun = self.input.is_inside().then(|| self.begun.unwrap_or(self.now));
        let expected = self.input.expected().max(self.input.held());
        let counted = if expected > SMALL { expected } else { 0 };
        if counted == self.incoming.bytes() {
            return Ok(());
        }
        if self.incoming.set(counted) {
            self.input.make_room();
            return Ok(());
        }
        let Some(header) = self.input.header() else { return Ok(()) };
        let reason = format!("no memory for a message of {expected} bytes while others wait");
        self.leave_out(&header, Refusal::new(Status::NoMemory, reason))
    }

    /// Takes the notes of other threads.
    fn hear(&mut self) {
        let notes = self.mailbox.take();
        notes.ended.into_iter().for_each(|ended| self.answer_put(ended));
        self.monitors.ready(notes.updated);
    }

    /// Sends at most so many updates. Returns whether more wait for which there is room.
    fn update(&mut self, most: usize) -> bool {
        for _ in 0..most {
            if self.paused || self.pending() >= self.parts.limits.output || !self.send_update() {
                return false;
            }
        }
        true
    }

    /// The next bytes for the client, in one piece. Others may follow.
    pub fn output(&self) -> &[u8] {
        self.output.next()
    }

    /// The next bytes for the client where they lie, together at most `room`. Returns how many of `slices` are used.
    pub fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>], room: usize) -> usize {
        self.output.slices(slices, room)
    }

    /// How many bytes wait for the client.
    pub fn pending(&self) -> usize {
        self.output.pending()
    }

    /// So many bytes of the output are sent.
    pub fn sent(&mut self, count: usize) {
        if count > 0 {
            self.stalled = None;
        }
        self.output.sent(count);
    }

    /// Looks at the clock, and for memory for updates that found none.
    ///
    /// # Errors
    /// When the client does not read, or its message does not come to an end.
    pub fn tick(&mut self, now: Duration) -> Result<()> {
        self.now = now;
        let (pending, limits) = (self.pending(), self.parts.limits);
        self.stalled = (pending > 0).then(|| self.stalled.unwrap_or(now));
        if self.stalled.is_some_and(|since| now.saturating_sub(since) > limits.stalled) {
            let found = format!("{pending} bytes that wait for it");
            return Err(Error::new(format!("a client that reads within {:?}", limits.stalled), found));
        }
        if self.begun.is_some_and(|since| now.saturating_sub(since) > limits.arrival) {
            return Err(Error::new(format!("a whole message within {:?}", limits.arrival), "a part of one"));
        }
        Ok(())
    }

    /// Tells the log of a refusal, but not of each one in a flood.
    fn report(&mut self, request: &Header, record: &str, refusal: &Refusal) {
        let command = Command::from_number(request.command);
        let request =
            command.map_or_else(|| format!("command {}", request.command), |command| format!("{command:?}"));
        let last = format!("{request} of `{record}`");
        let (peer, now) = (Arc::clone(&self.peer), self.now);
        if let Some(text) = self.refusals.add("refused", "requests", last, refusal, now) {
            self.parts.tell(&Event::Refused { peer, text });
        }
    }

    /// Counts so many more bytes that are held for the client; `false` if that is too much.
    fn take(&mut self, bytes: usize) -> bool {
        self.held.set(self.held.bytes() + bytes)
    }

    fn give(&mut self, bytes: usize) {
        // Less is always granted.
        let _ = self.held.set(self.held.bytes().saturating_sub(bytes));
    }

    /// Closes a channel and ends its monitors.
    fn close_channel(&mut self, sid: u32) -> Option<Opened> {
        let opened = self.channels.remove(sid)?;
        opened.monitors.iter().for_each(|&number| self.end_monitor(number));
        self.give(CHANNEL + opened.record.len());
        Some(opened)
    }

    /// Ends a monitor and gives its memory back.
    fn end_monitor(&mut self, number: u32) {
        if self.monitors.close(number) {
            self.give(MONITOR);
        }
    }

    /// The client.
    pub fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// How many channels and monitors the client has.
    pub fn held(&self) -> (usize, usize) {
        (self.channels.len(), self.monitors.len())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.monitors.close_all();
    }
}
