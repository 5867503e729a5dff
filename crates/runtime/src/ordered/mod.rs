//! Many workers, results in order.
//!
//! Work is cut into pieces that are numbered as they come; threads work on several at once, and whatever the number of
//! threads, the results leave in the order of the numbers. Three ways, from the whole to the part:
//!
//! | you have | take |
//! |---|---|
//! | something to read from and something to write to, and a thread that may wait for the end | [`in_order()`] |
//! | jobs that come one by one, and results that you fetch when it suits you | [`Crew`] |
//! | threads, locks and a way of waiting of your own | [`Places`], the list that all of these keep |
//!
//! All bound what is under way: [`in_order()`] by its jobs, which are used again and again, the other two by their caller,
//! who knows how much is under way. None loses or doubles a result when a worker fails or panics.

mod crew;
mod in_order;
#[cfg(all(test, loom))]
mod models;
mod places;

pub use crew::{Crew, Panicked};
pub use in_order::{Interrupted, Worker, in_order};
pub use places::Places;
