//! The other hosts of a graph, through the page of this one: their states, and requests that are handed on to their pages.
//!
//! | rule | against |
//! |---|---|
//! | connections go to addresses of the pipeline file alone | a request that chooses where this server connects to |
//! | rights are judged here, by the routes of the other host (`inner`) | a reader who writes through another door |
//! | the other host learns the person and their right (`person`), and trusts holders of the token | a change without a name |
//! | a request says which host it is for, and an answer which host it is from | another run at the address |
//! | a request that was handed on once is not handed on again | a circle |
//! | page and scripts come from this server; the answer of a host is no document (`SANDBOX`) | scripts of another host |

mod ask;
mod fault;
mod hosts;
pub(crate) mod inner;
mod names;
mod other;
mod pass;
pub(crate) mod person;
mod seen;
mod states;
mod tunnel;

pub(crate) use hosts::OverHosts;
pub(crate) use other::{Foreign, HOST, SANDBOX};
