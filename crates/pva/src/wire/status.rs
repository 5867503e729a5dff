//! How an operation went.

use super::{Reader, Writer};
use crate::{Error, Result};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Level {
    /// It went well.
    #[default]
    Ok,
    /// It went well, but.
    Warning,
    /// It failed.
    Error,
    /// It failed and will always fail.
    Fatal,
}

/// How an operation went, with the reason for people. A plain success allocates nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Status {
    /// How bad it is.
    pub level: Level,
    /// The reason.
    pub message: String,
    /// Where the peer noticed it; for its developers.
    pub trace: String,
}

impl Status {
    /// A success without a text.
    pub const OK: Status = Status { level: Level::Ok, message: String::new(), trace: String::new() };

    /// A failure because of `message`.
    pub fn error(message: impl Into<String>) -> Status {
        Status { level: Level::Error, message: message.into(), trace: String::new() }
    }

    /// Whether the operation succeeded, perhaps with a warning.
    pub fn is_success(&self) -> bool {
        self.level <= Level::Warning
    }

    /// Reads a status.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Status> {
        let at = reader.offset();
        let level = match reader.u8()? {
            0xFF => return Ok(Status::OK),
            0 => Level::Ok,
            1 => Level::Warning,
            2 => Level::Error,
            3 => Level::Fatal,
            other => return Err(Error::at(at, "a status code 0 to 3 or 255", other.to_string())),
        };
        let (message, trace) = (reader.str()?.into_owned(), reader.str()?.into_owned());
        Ok(Status { level, message, trace })
    }

    /// Writes the status; a success without texts as one byte.
    pub fn encode(&self, writer: &mut Writer) {
        if *self == Status::OK {
            return writer.u8(0xFF);
        }
        writer.u8(self.level as u8);
        writer.str(&self.message);
        writer.str(&self.trace);
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        Status::error(error.to_string())
    }
}
