//! Many workers, results in order.
//!
//! Work is divided into numbered pieces. Threads work on several pieces at once, and the results leave in the
//! order of the numbers, for any number of threads. There are three ways, from the highest level to the
//! lowest:
//!
//! | you have | take |
//! |---|---|
//! | something to read from and something to write to, and a thread that may wait for the end | [`in_order()`] |
//! | jobs that come one by one, and results that you fetch when it suits you | [`Crew`] |
//! | threads, locks and a way of waiting of your own | [`Places`], the list that all of these keep |
//!
//! All of them bound the number of pieces under way: [`in_order()`] by its reused jobs, the other two by
//! their caller. None of them loses or repeats a result when a worker fails or panics.

mod crew;
mod in_order;
#[cfg(all(test, loom))]
mod models;
mod places;

pub use crew::{Crew, Panicked};
pub use in_order::{Interrupted, Worker, in_order};
pub use places::Places;
