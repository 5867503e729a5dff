//! The client of pvAccess, its failures, and values as they are shown.

use livetime_pva::client::{Client, Error};
use livetime_pva::data::Value;

use super::args::Asked;
use crate::output::{Exit, Failure};

pub(super) fn client() -> Result<Client, Failure> {
    Client::from_env().map_err(failure)
}

// A request without sense is the user's mistake; the rest are failures.
pub(super) fn failure(error: Error) -> Failure {
    let exit = if matches!(error, Error::Invalid(_)) { Exit::Usage } else { Exit::Failed };
    Failure::new(exit, error)
}

/// Refuses a request that cannot be read before anything is sent.
pub(super) fn check_request(text: &str) -> Result<(), Failure> {
    let parsed = livetime_pva::request::parse(text);
    parsed.map(drop).map_err(|error| Failure::new(Exit::Usage, format!("the request `{text}`: {error}")))
}

/// One value as people or programs read it.
pub(super) fn shown(name: &str, value: &Value, asked: &Asked) -> String {
    if asked.common.json {
        super::json::named(name, value).to_string()
    } else {
        super::text::line(name, value, asked.clock())
    }
}
