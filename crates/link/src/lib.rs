//! Links: edges of a graph whose ends are on two hosts, with a ledger that closes.
//!
//! A frame that enters a link gets a *position*: 0, 1, 2 … for each *epoch*, the incarnation of a process. The
//! [`Sender`] keeps frames until the [`Receiver`] has received, completed or stored them ([`Retain`]); the receiver tells
//! cumulatively how far it is, and gives credit in frames and bytes. So both ends know at every moment, through cuts of
//! the network and killed processes, where each frame is: offered = delivered + lost by reason + queued + in doubt
//! ([`Account`]).
//!
//! - [`Sender`] and [`Receiver`] are state machines. They know no socket, clock or thread, so that the tests can lead them
//!   through millions of schedules.
//! - [`wire`] has the bytes of their messages.
//! - [`carrier`] moves these bytes: [`carrier::tcp`], and [`carrier::memory`] with faults for tests. It also says how
//!   ZeroMQ and Kafka fit.
//!
//! What dies, and what both ends then know:
//!
//! | what dies | the sender's account | the receiver's account |
//! |---|---|---|
//! | the connection | goes on from the last acknowledged frame | closes; nothing comes twice |
//! | the receiver, `retain: received` | frames that were received, and not completed, are in doubt | |
//! | the receiver, `retain: completed` | frames are sent again and counted, because some may be handled twice | |
//! | the receiver, `retain: stored` | goes on behind the last stored frame ([`Receiver::resumed`]) | |
//! | the sender | | frames that it told of, and that never came, are in doubt |

#![deny(missing_docs, unsafe_code)]

mod account;
pub mod carrier;
mod connection;
mod message;
mod receiver;
mod sender;
mod settings;
mod violation;
pub mod wire;

pub use account::{Account, Losses, Part, Retain, Standing};
pub use connection::Step;
pub use message::{
    Abort, Ack, Body, Credit, Cut, Data, Finish, Heartbeat, Hello, Message, Notice, Parcel, Told, Welcome,
};
pub use receiver::{Receiver, ReceiverEvent, Settlement, Token};
pub use sender::{ClockOffset, NotTaken, Sender, SenderEvent};
pub use settings::Settings;
pub use violation::Violation;
