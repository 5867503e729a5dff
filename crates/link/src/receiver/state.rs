//! The state of a receiver.

use std::collections::VecDeque;

use super::incoming::Incoming;
use super::token::Token;
use crate::account::Part;
use crate::connection::Connection;
use crate::message::Parcel;
use crate::{Settings, Standing};

/// News of a [`Receiver`], in order.
#[derive(Clone, PartialEq, Debug)]
pub enum ReceiverEvent<F> {
    /// A frame, in the order of positions, each once. [`Receiver::settle`] must be called for it.
    Frame(Token, F),
    /// A sender is there; a new incarnation begins with position 0.
    Met {
        /// Its epoch.
        epoch: u64,
        /// True when it was not there before.
        is_new: bool,
    },
    /// No frame will follow: all frames of the sender were received.
    End,
    /// The sender's run was aborted: no frame will follow.
    Aborted(String),
}

/// The receiving end of a cut as a state machine; see [`Sender`](crate::Sender), which has an example of both.
///
/// It takes frames in the order of their positions, each once, and drops all behind a gap until the wanted one comes.
#[derive(Debug)]
pub struct Receiver<F> {
    pub(super) settings: Settings,
    pub(super) epoch: u64,
    /// The sender that is connected, or was last.
    pub(super) current: Option<Incoming>,
    /// Senders that were replaced, while frames of theirs are under way.
    pub(super) replaced: Vec<Incoming>,
    /// The accounts of all others, oldest first.
    pub(super) closed: Vec<Part>,
    /// What a store knows of the incarnation before this one.
    pub(super) stored: Option<(u64, Standing)>,
    /// A sender that this end does not wait for any more.
    pub(super) given_up: Option<u64>,
    pub(super) connection: Connection,
    /// Frames received and settled since the last acknowledgement, and when the first of them was.
    pub(super) news: u64,
    pub(super) news_ns: u64,
    /// The first hello over this connection is due.
    pub(super) hello_due: bool,
    /// A gap is reported once for each wanted position.
    pub(super) gap_at: Option<u64>,
    /// An acknowledgement is due at once.
    pub(super) ack_due: bool,
    /// The sender has asked for the end.
    pub(super) finished_due: bool,
    pub(super) abort: Option<(String, bool)>,
    /// The run of this end was stopped.
    pub(super) ending: bool,
    pub(super) echo: Option<(u64, u64)>,
    pub(super) events: VecDeque<ReceiverEvent<F>>,
}

impl<F: Parcel> Receiver<F> {
    /// A receiver without a connection. `epoch` is a random number other than 0.
    pub fn new(settings: Settings, epoch: u64) -> Receiver<F> {
        Receiver {
            settings,
            epoch,
            current: None,
            replaced: Vec::new(),
            closed: Vec::new(),
            stored: None,
            given_up: None,
            connection: Connection::default(),
            news: 0,
            news_ns: 0,
            hello_due: false,
            gap_at: None,
            ack_due: false,
            finished_due: false,
            abort: None,
            ending: false,
            echo: None,
            events: VecDeque::new(),
        }
    }

    /// A receiver that goes on where an earlier incarnation's store ends: `stored` is the last [`Receiver::store`] that
    /// was stored together with the frames.
    pub fn resumed(settings: Settings, epoch: u64, stored: (u64, Standing)) -> Receiver<F> {
        Receiver { stored: Some(stored), ..Receiver::new(settings, epoch) }
    }
}
