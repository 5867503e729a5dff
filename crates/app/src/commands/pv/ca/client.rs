//! The client of Channel Access, its failures, and whole values.

use std::sync::Arc;
use std::time::Duration;

use livetime_ca::client::{self, Ask, Channel, Client, ClientConfig, Error, Facts, Pending};
use livetime_ca::dbr::{About, Form, Reading};
use livetime_pva::data::Value;

use super::value::as_value;
use crate::output::{Exit, Failure};

/// A client that is set up by the `EPICS_CA_*` variables.
pub(super) fn client() -> Result<Client, Failure> {
    ClientConfig::from_env().map_err(Error::from).and_then(Client::new).map_err(failure)
}

// A request without sense is the user's mistake; the rest are failures.
pub(super) fn failure(error: Error) -> Failure {
    let exit = if matches!(error, Error::Invalid(_)) { Exit::Usage } else { Exit::Failed };
    Failure::new(exit, error)
}

/// Whether the characters of a channel are one text.
pub(super) fn is_long_text(name: &str, asked: bool) -> bool {
    asked || name.ends_with('$')
}

/// A value on its way: no form of Channel Access has its time and its limits, so that two gets are needed.
pub(super) struct Fetch {
    facts: Pending<Facts>,
    about: Pending<Reading>,
    reading: Pending<Reading>,
    is_text: bool,
}

impl Fetch {
    pub(super) fn begin(channel: &Channel, long_text: bool) -> Fetch {
        // One value of an array is enough for its limits.
        let about = channel.get(Ask::from(Form::Control).count(1));
        let (facts, reading) = (channel.open(), channel.get(Form::Time));
        let is_text = is_long_text(channel.name(), long_text);
        Fetch { facts, about, reading, is_text }
    }

    pub(super) fn wait(self, time: Duration) -> client::Result<Fetched> {
        let reading = self.reading.wait(time)?;
        let (facts, about) = (self.facts.wait(time)?, self.about.wait(time)?.about);
        Ok(Fetched { value: as_value(&reading, &about, facts.count, self.is_text), facts, about })
    }
}

/// A value with the facts about its channel.
pub(super) struct Fetched {
    pub(super) value: Value,
    pub(super) facts: Facts,
    pub(super) about: Arc<About>,
}
