//! Why a client of a run's page hears nothing.

use std::{fmt, io};

use tungstenite::http::StatusCode;

/// Why a client of a run's page hears nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// A text that is no link.
    Link {
        /// The text.
        found: String,
    },
    /// There is no connection.
    Connect {
        /// The host.
        host: String,
        /// Why.
        found: ConnectFault,
    },
    /// The server closed the connection, with a reason if it gave one.
    Closed(Option<String>),
    /// The connection broke.
    Socket(Box<tungstenite::Error>),
    /// The system refuses to wait.
    System(io::Error),
    /// A message is no JSON.
    Json(serde_json::Error),
    /// A history is of another version, or shorter or longer than its header says.
    History {
        /// The wanted value.
        wanted: String,
        /// The found value.
        found: String,
    },
}

/// Why there is no connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectFault {
    /// The system refuses.
    System(io::Error),
    /// The server speaks otherwise.
    Socket(Box<tungstenite::Error>),
    /// The handshake did not end in time.
    Interrupted,
    /// The token cannot be a token.
    Token,
    /// The server refuses, with a sentence if it said one.
    Refused(StatusCode, Option<String>),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Link { found } => {
                write!(f, "wanted a link as http://HOST:PORT/#t=TOKEN, found `{found}`")
            }
            ClientError::Connect { host, found } => write!(f, "cannot connect to {host}: {found}"),
            ClientError::Closed(Some(reason)) => f.write_str(reason),
            ClientError::Closed(None) => f.write_str("the server closed the connection"),
            ClientError::Socket(error) => error.fmt(f),
            ClientError::System(error) => error.fmt(f),
            ClientError::Json(error) => write!(f, "wanted a message in JSON: {error}"),
            ClientError::History { wanted, found } => write!(f, "wanted {wanted}, found {found}"),
        }
    }
}

impl fmt::Display for ConnectFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectFault::System(error) => error.fmt(f),
            ConnectFault::Socket(error) => error.fmt(f),
            ConnectFault::Interrupted => f.write_str("Interrupted handshake (WouldBlock)"),
            ConnectFault::Token => f.write_str("the token is none"),
            ConnectFault::Refused(_, Some(message)) => f.write_str(message),
            ConnectFault::Refused(status, None) => status.fmt(f),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<tungstenite::Error> for ClientError {
    fn from(error: tungstenite::Error) -> ClientError {
        ClientError::Socket(Box::new(error))
    }
}

impl From<io::Error> for ConnectFault {
    fn from(error: io::Error) -> ConnectFault {
        ConnectFault::System(error)
    }
}

impl From<tungstenite::Error> for ConnectFault {
    fn from(error: tungstenite::Error) -> ConnectFault {
        ConnectFault::Socket(Box::new(error))
    }
}
