//! The floor below graphs and agents: threads that wait well, clocks, bounded queues, and accounts that close.
//!
//! Both engines of Livetime, the graphs of nodes and the agents, are made of the parts in this crate. It knows neither. Three
//! types come first: [`Clock`], [`Waiting`] and [`Ring`](ring::Ring).
//!
//! - Time: [`Clock`] is the monotonic clock of a run, real or virtual.
//! - Threads: a thread with nothing to do waits with [`Waiting`], by a [`WaitStrategy`], on its [`Doorbell`], which
//!   others ring.
//! - Queues: a [`FrameRing`](frame_ring::FrameRing) for frames with one sender, a [`Ring`](ring::Ring) for
//!   anything and any number of senders. [`EdgeOptions`] set the capacity, the policy for a full queue
//!   ([`WhenFull::offer`]), and decimation and rate limits ([`Thinning`]).
//! - Accounts: every loss has a [`LossReason`]; [`EdgeCounts`] are the counts of a queue.
//! - Times: [`sampling`] says which items are timed. [`Histogram`] has one writer and any number of readers, who get [`Times`] and merge them.
//! - Memory: a [`MemoryLimit`] bounds the memory of a job, which asks for it before it begins.
//! - Order: [`ordered`] has several ways for many workers to deliver results in the order of their input.
//! - Events: [`Control`] carries events and the request to end a run; repeated faults are reported at growing
//!   intervals.
//!
//! ```
//! use livetime_runtime::{Clock, Histogram};
//!
//! let (clock, service) = (Clock::simulated(), Histogram::default());
//! let start_ns = clock.now_ns();
//! clock.advance(start_ns + 1_500);
//! service.record(clock.now_ns() - start_ns);
//! assert_eq!(service.read().max_ns, 1_500);
//! ```

#![deny(missing_docs, unsafe_code)]

mod account;
mod cause;
mod clock;
mod control;
mod doorbell;
mod event;
#[allow(unsafe_code, reason = "a queue: hands frames over as plain pointers")]
pub mod frame_ring;
mod memory;
#[cfg(all(test, loom))]
#[allow(unsafe_code, reason = "promises the queues who puts and who takes")]
mod models;
pub mod ordered;
mod panic;
mod policy;
mod random;
mod repeats;
#[allow(unsafe_code, reason = "a queue: hands items from thread to thread")]
pub mod ring;
pub mod sampling;
pub mod statistics;
pub mod sync;
mod thinning;
mod thread;
mod wait;

pub use account::{EdgeCounts, LossReason, Losses};
pub use cause::Cause;
pub use clock::{Clock, time_of_day_ns};
pub use control::Control;
pub use doorbell::Doorbell;
pub use event::{Event, EventHandler};
pub use memory::{MemoryLimit, TooMuchMemory};
pub use panic::{lock, panic_text};
pub use policy::{Bounded, EdgeOptions, Offer, RoomMark, WhenFull};
pub use random::Random;
pub use statistics::{Bucket, Histogram, Times};
pub use thinning::Thinning;
pub use thread::{ThreadTimes, spawn};
pub use wait::{WaitStrategy, Waiting, prepare_thread};
