//! The state of a sender.

use std::collections::VecDeque;

use super::clock::ClockOffset;
use super::ending::Ending;
use super::event::SenderEvent;
use super::peer::{Caller, Peer};
use crate::connection::Connection;
use crate::message::{Parcel, Told};
use crate::{Losses, Settings};

/// The sending end of a cut as a state machine: it knows no socket, thread or clock. Its inputs are frames, messages,
/// the state of the connection, and times; its outputs are [`Step`](crate::Step)s and [`SenderEvent`]s.
///
/// Each frame gets a position: 0 for the first one of this incarnation, then without gaps. Frames are kept from the
/// position that [`Retain`](crate::Retain) allows to forget, at most one window of them. Whatever happens,
/// [`Sender::account`] closes.
///
/// ```
/// use livetime_link::{Parcel, Receiver, ReceiverEvent, Sender, Settings, Settlement, Step};
/// # #[derive(Clone)] struct Byte; impl Parcel for Byte { fn bytes(&self) -> u64 { 1 } }
/// let (mut sender, mut receiver) = (Sender::new(Settings::default(), 1), Receiver::new(Settings::default(), 2));
/// sender.connected(0);
/// receiver.connected(0);
/// sender.offer(Byte)?;
/// sender.finish();
/// while !sender.has_ended() {
///     if let Step::Send(message) = receiver.step(0) { sender.receive(message, 0)?; }
///     if let Step::Send(message) = sender.step(0) { receiver.receive(message, 0)?; }
///     while let Some(event) = receiver.next_event() {
///         if let ReceiverEvent::Frame(token, _frame) = event { receiver.settle(token, Settlement::Completed, 0); }
///     }
/// }
/// assert_eq!((sender.account().offered, sender.account().delivered), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sender<F> {
    pub(super) settings: Settings,
    pub(super) epoch: u64,
    /// Frames from position `base` on; each with the bytes of all frames before it.
    pub(super) kept: VecDeque<(F, u64)>,
    pub(super) base: u64,
    /// Bytes of all frames that ever got a position.
    pub(super) bytes: u64,
    pub(super) told: Told,
    /// Each frame before it is delivered, lost or in doubt.
    pub(super) settled: u64,
    pub(super) delivered: u64,
    /// Losses of frames with a position.
    pub(super) lost: Losses,
    /// Losses that receivers reported: a part of `lost`.
    pub(super) lost_by_receivers: Losses,
    pub(super) in_doubt: u64,
    pub(super) sent_again: u64,
    pub(super) retaken: u64,
    /// Frames that were taken back, until the caller takes them.
    pub(super) spare: Vec<F>,
    /// The epoch before this one in the same process, whose frames were taken back; 0 for none.
    pub(super) before: u64,
    /// The position after the last frame that was ever sent.
    pub(super) reached: u64,
    /// The position of the next frame to be sent over this connection.
    pub(super) next: u64,
    pub(super) peer: Option<Peer>,
    /// Has said hello, and not yet confirmed our welcome.
    pub(super) caller: Option<Caller>,
    pub(super) connection: Connection,
    /// When [`Ack::standing`](crate::Ack::standing) moved, or frames were sent with none under way.
    pub(super) progress_ns: u64,
    pub(super) ending: Ending,
    /// The run of this end was stopped.
    pub(super) stopped: bool,
    /// The receiver has asked for the end.
    pub(super) asked_to_end: bool,
    pub(super) clock: Option<ClockOffset>,
    pub(super) events: VecDeque<SenderEvent>,
}

impl<F: Parcel + Clone> Sender<F> {
    /// A sender without a connection. `epoch` is a random number other than 0.
    pub fn new(settings: Settings, epoch: u64) -> Sender<F> {
        Sender {
            settings,
            epoch,
            kept: VecDeque::new(),
            base: 0,
            bytes: 0,
            told: Told::default(),
            settled: 0,
            delivered: 0,
            lost: Losses::default(),
            lost_by_receivers: Losses::default(),
            in_doubt: 0,
            sent_again: 0,
            retaken: 0,
            spare: Vec::new(),
            before: 0,
            reached: 0,
            next: 0,
            peer: None,
            caller: None,
            connection: Connection::default(),
            progress_ns: 0,
            ending: Ending::No,
            stopped: false,
            asked_to_end: false,
            clock: None,
            events: VecDeque::new(),
        }
    }

    /// A sender that follows on `before`, whose frames were taken back: a receiver that was only cut off must not wait for
    /// them.
    pub fn following(settings: Settings, epoch: u64, before: u64) -> Sender<F> {
        Sender { before, ..Sender::new(settings, epoch) }
    }

    /// The oldest news that was not taken yet.
    pub fn next_event(&mut self) -> Option<SenderEvent> {
        self.events.pop_front()
    }

    /// Sends again from the first frame that the receiver does not have.
    pub(super) fn go_back(&mut self, now_ns: u64) {
        self.next = self.received();
        self.progress_ns = now_ns;
    }

    /// Bytes of all frames before a position that is kept, or the tail.
    pub(super) fn bytes_before(&self, position: u64) -> u64 {
        let place = position.saturating_sub(self.base) as usize;
        self.kept.get(place).map_or(self.bytes, |(_, before)| *before)
    }

    /// The position after the last frame.
    pub(super) fn tail(&self) -> u64 {
        self.base + self.kept.len() as u64
    }

    /// The position that the receiver wants next.
    pub(super) fn received(&self) -> u64 {
        self.peer.as_ref().map_or(self.base, |peer| peer.standing.received)
    }
}
