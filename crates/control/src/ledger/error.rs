//! Why a text is no ledger.

use std::fmt;

/// Why a file is no ledger.
#[derive(Debug)]
pub enum LedgerError {
    /// It is JSON, and lacks what every report has.
    NotAReport(&'static str),
    /// An account lacks a key.
    Missing(&'static str),
    /// A key of an account has another type, or a number that cannot be.
    Wrong(&'static str),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LedgerError::NotAReport(key) => {
                write!(
                    f,
                    "wanted a report of `livetime run --json` or a black box, found JSON without `{key}`"
                )
            }
            LedgerError::Missing(key) => {
                write!(f, "wanted a count `{key}` in each account, found one without")
            }
            LedgerError::Wrong(key) => write!(f, "`{key}` has a value that no report has"),
        }
    }
}

impl std::error::Error for LedgerError {}
