//! The messages of a link.

use livetime_frame::Frame;

use crate::{Losses, Retain, Standing, Violation};

/// A thing with a size that a link carries: a frame, or in tests a number.
pub trait Parcel {
    /// Bytes of its payload on the wire.
    fn bytes(&self) -> u64;
}

impl Parcel for Frame {
    fn bytes(&self) -> u64 {
        crate::wire::payload_bytes(self)
    }
}

/// A message with the numbers of the connection at both ends. A message with other numbers is from an earlier connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Message<F> {
    /// Number of the connection at the end that sends the message.
    pub from: u64,
    /// Number of the connection at the other end; 0 in a [`Body::Hello`], which comes first.
    pub to: u64,
    /// The content.
    pub body: Body<F>,
}

/// The content of a message. The receiver sends `Hello`, `Ack`, `Finished` and `Abort`; the sender all others, and
/// `Abort` too.
#[derive(Clone, PartialEq, Debug)]
pub enum Body<F> {
    /// The receiver's first message over a connection.
    Hello(Hello),
    /// The sender's answer.
    Welcome(Welcome),
    /// Frames.
    Data(Data<F>),
    /// How far the receiver has come.
    Ack(Ack),
    /// The sender is there, and has nothing else to say.
    Heartbeat(Heartbeat),
    /// No frame will follow.
    Finish(Finish),
    /// The receiver has settled all frames that it will ever settle. Final.
    Finished(Standing),
    /// The run of this end was aborted.
    Abort(Abort),
    /// A store between both ends knows something of frames.
    Notice(Notice),
}

impl<F> Body<F> {
    /// Name in errors.
    pub fn name(&self) -> &'static str {
        match self {
            Body::Hello(_) => "hello",
            Body::Welcome(_) => "welcome",
            Body::Data(_) => "data",
            Body::Ack(_) => "acknowledgement",
            Body::Heartbeat(_) => "heartbeat",
            Body::Finish(_) => "finish",
            Body::Finished(_) => "finished",
            Body::Abort(_) => "abort",
            Body::Notice(_) => "notice",
        }
    }
}

/// The cut that a link carries, as both ends must know it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// Name of the cut in the pipeline file, at most 255 bytes.
    pub name: String,
    /// Hash of the pipeline file: both hosts must run the same file.
    pub pipeline: [u8; 32],
}

impl Cut {
    /// The peer's cut must be the `wanted` one, out of the same pipeline file.
    pub(crate) fn check(&self, wanted: &Cut) -> Result<(), Violation> {
        if self.name != wanted.name {
            return Err(Violation::Cut { wanted: wanted.name.clone(), found: self.name.clone() });
        }
        if self.pipeline != wanted.pipeline {
            let begin = |cut: &Cut| u32::from_be_bytes([0, 1, 2, 3].map(|place| cut.pipeline[place]));
            return Err(Violation::Pipeline { wanted: begin(wanted), found: begin(self) });
        }
        Ok(())
    }
}

/// The receiver's first message over a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    /// The receiver's epoch: a random number that each incarnation of a process draws at its start.
    pub epoch: u64,
    /// The cut that it wants.
    pub cut: Cut,
    /// The largest payload that it takes.
    pub max_frame_bytes: u64,
    /// Room for frames.
    pub credit: Credit,
    /// The sender's epoch that it knows, and how far this incarnation came with it.
    pub standing: Option<(u64, Standing)>,
    /// The same of the incarnations before it, from a store.
    pub stored: Option<(u64, Standing)>,
}

/// The sender's answer to a [`Hello`].
#[derive(Clone, PartialEq, Debug)]
pub struct Welcome {
    /// The sender's epoch.
    pub epoch: u64,
    /// The cut that it serves.
    pub cut: Cut,
    /// How long it keeps frames.
    pub retain: Retain,
    /// Position of the next frame that it will send.
    pub start: u64,
    /// Losses of earlier receivers among the frames before `start`.
    pub lost: Losses,
    /// Its account.
    pub told: Told,
    /// The epoch before this one in the sender's process, whose frames went to other receivers; 0 for none.
    pub before: u64,
    /// What the sender keeps at most, if it can wait for acknowledgements; 0: it wants each of them soon.
    pub window: Credit,
}

/// Frames that follow each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Data<F> {
    /// Position of the first one.
    pub position: u64,
    /// The sender's account when it sent them.
    pub told: Told,
    /// The sender's clock, in ns.
    pub clock_ns: u64,
    /// The frames.
    pub frames: Vec<F>,
}

/// The sender's account, as it tells it: what has entered the link are `offered - lost` frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// Offered to the link.
    pub offered: u64,
    /// Lost before they got a position.
    pub lost: Losses,
}

impl Told {
    /// The number of frames that got a position; `None` when more were lost than offered.
    pub fn entered(&self) -> Option<u64> {
        self.offered.checked_sub(self.lost.total())
    }
}

/// Room at the receiver, from [`Standing::received`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Credit {
    /// Frames that it takes.
    pub frames: u64,
    /// Bytes that it takes. A frame may begin while one is left, so that a frame larger than the window passes.
    pub bytes: u64,
}

/// How far the receiver has come. Cumulative, so that any of them may be lost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ack {
    /// How far.
    pub standing: Standing,
    /// Room from there on.
    pub credit: Credit,
    /// The receiver has seen a gap, and drops frames until the wanted position comes.
    pub gap: bool,
    /// The receiver's run was stopped: the sender's is to end as well, and its frames are still taken.
    pub ending: bool,
    /// The receiver's clock, in ns.
    pub clock_ns: u64,
    /// The newest clock of the sender that the receiver has seen, and how long ago.
    pub echo_ns: u64,
    /// Time since the receiver saw `echo_ns`, in ns.
    pub held_ns: u64,
}

/// The sender is there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Heartbeat {
    /// Its account.
    pub told: Told,
    /// Its clock, in ns.
    pub clock_ns: u64,
}

/// No frame will follow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Finish {
    /// The position after the last frame.
    pub tail: u64,
    /// The sender's final account.
    pub told: Told,
    /// The sender's run was stopped; its sources have not ended by themselves.
    pub stopped: bool,
}

/// What a carrier that stores frames tells the receiver: a sender itself never does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The next position.
    pub position: u64,
    /// So many frames from there on were removed from the store before this receiver could take them: they never come.
    pub removed: u64,
    /// At most so many of the frames that come were handled by an earlier receiver.
    pub again: u64,
    /// The sender's account, as far as it is known.
    pub told: Told,
}

/// The run of one end was aborted.
#[derive(Clone, PartialEq, Debug)]
pub struct Abort {
    /// The reason, at most 1,000 bytes.
    pub why: String,
    /// The account of a sender; zeros from a receiver.
    pub told: Told,
}
