//! Reading the accounts of a run from a file, whichever kind it is.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::layout::{self, LayoutError};
use crate::ledger::{LedgerError, RunAccount, State};

/// More than any report has: a report of a graph with hundreds of nodes has a few MB.
const MOST_BYTES: u64 = 64 << 20;

/// Why a file has no accounts.
#[derive(Debug)]
pub enum ReadError {
    /// The file cannot be read.
    Io(std::io::Error),
    /// The file has more bytes than any report; the most that one may have.
    TooLarge(u64),
    /// It is neither JSON nor a black box.
    NotJson(serde_json::Error),
    /// It is JSON, and no report.
    Ledger(LedgerError),
    /// It is a damaged black box.
    BlackBox(LayoutError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::TooLarge(most) => write!(f, "wanted a report of at most {most} bytes, found more"),
            ReadError::NotJson(error) => {
                write!(f, "wanted a report of `livetime run --json` or a black box, found no JSON: {error}")
            }
            ReadError::Ledger(error) => error.fmt(f),
            ReadError::BlackBox(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// Whether it is a black box without a copy.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, ReadError::BlackBox(LayoutError::NoCopy))
    }
}

/// Reads a report of `livetime run --json`, or a black box of a run that lives or was killed.
///
/// # Errors
/// [`ReadError`]: the file cannot be read, or is neither.
pub fn read(path: &Path) -> Result<RunAccount, ReadError> {
    read_open(&File::open(path).map_err(ReadError::Io)?)
}

fn read_open(file: &File) -> Result<RunAccount, ReadError> {
    let bytes = bytes_of(file)?;
    if !layout::is_one(&bytes) {
        let value: Value = serde_json::from_slice(&bytes).map_err(ReadError::NotJson)?;
        return RunAccount::of_json(&value).map_err(ReadError::Ledger);
    }
    let account = account_of(&bytes)?;
    // Only its own run holds the lock, until it ends in whatever way.
    let is_left = account.state == State::Running && file.try_lock_shared().is_ok();
    Ok(if is_left { RunAccount { state: State::Killed, ..account } } else { account })
}

/// Reads a black box that no program writes any more.
pub(super) fn left(file: &File) -> Result<RunAccount, ReadError> {
    let account = account_of(&bytes_of(file)?)?;
    let is_killed = account.state == State::Running;
    Ok(if is_killed { RunAccount { state: State::Killed, ..account } } else { account })
}

fn bytes_of(file: &File) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > MOST_BYTES { Err(ReadError::TooLarge(MOST_BYTES)) } else { Ok(bytes) }
}

fn account_of(bytes: &[u8]) -> Result<RunAccount, ReadError> {
    let content = layout::newest(bytes).map_err(ReadError::BlackBox)?;
    let value: Value = serde_json::from_slice(content).map_err(ReadError::NotJson)?;
    RunAccount::of_json(&value).map_err(ReadError::Ledger)
}
