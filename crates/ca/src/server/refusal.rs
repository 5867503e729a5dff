//! Why a request of a client is not done.

use std::fmt;

use crate::Status;

/// Why a request is not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// For the program of the client.
    pub status: Status,
    /// For people.
    pub reason: String,
}

impl Refusal {
    /// A refusal with a status and a reason.
    pub fn new(status: Status, reason: impl Into<String>) -> Refusal {
        Refusal { status, reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}
