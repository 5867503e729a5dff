//! Why another host does not answer.

use std::{fmt, io};

use axum::http::StatusCode;

use crate::error::Error;

/// Why another host does not answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file does not say where its page is.
    NoPage { name: String },
    /// No connection.
    Unreachable { page: String, error: io::Error },
    /// No answer in time.
    Late { page: String },
    /// The connection ended, or brought no HTTP.
    Broken { page: String, error: hyper::Error },
    /// An answer that is not of Livetime, or not as wanted.
    Strange { page: String, found: String },
    /// Another host, or another run, is at the address.
    Another { page: String, wanted: String, found: String },
    /// It has another token.
    Token { name: String },
    /// As many requests are under way as may be.
    Busy { name: String },
}

impl Fault {
    /// A name for programs.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Fault::NoPage { .. } => "no_page",
            Fault::Unreachable { .. } => "unreachable",
            Fault::Late { .. } => "late",
            Fault::Broken { .. } => "broken",
            Fault::Strange { .. } => "strange",
            Fault::Another { .. } => "another_host",
            Fault::Token { .. } => "another_token",
            Fault::Busy { .. } => "busy",
        }
    }

    pub(super) fn refusal(&self) -> Error {
        let status = match self {
            Fault::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Fault::Late { .. } => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        };
        Error::coded(status, self.code(), self)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoPage { name } => write!(
                f,
                "wanted the page of host `{name}`, found no address of it: write `page: 'HOST:PORT'` to the host in the pipeline file"
            ),
            Fault::Unreachable { page, error } => write!(f, "cannot connect to {page}: {error}"),
            Fault::Late { page } => write!(f, "{page} did not answer in time"),
            Fault::Broken { page, error } => write!(f, "wanted an answer of {page}, found its end: {error}"),
            Fault::Strange { page, found } => write!(f, "wanted the page of a run at {page}, found {found}"),
            Fault::Another { page, wanted, found } => {
                write!(f, "wanted host `{wanted}` at {page}, found host `{found}`")
            }
            Fault::Token { name } => {
                write!(f, "host `{name}` has another token: start all hosts with the same --web-token-file")
            }
            Fault::Busy { name } => {
                write!(
                    f,
                    "wanted a connection to host `{name}`, found as many as there may be: close pages that are not looked at"
                )
            }
        }
    }
}
