//! Addresses of topics.

use std::fmt;

/// Bytes of a record's value at most, unless the address says otherwise: a broker takes 1 MiB by default, and the record's
/// key and frame need room too.
const RECORD_BYTES: usize = 900_000;
const LEAST_RECORD_BYTES: usize = 1_000;
const MOST_RECORD_BYTES: usize = 1 << 30;

/// A topic of a broker: `broker:9092/topic`, several brokers with commas between. `?group=NAME` names the group of the
/// reading end, and `?record_bytes=N` the largest value of a record of the writing one; both with `&` between.
///
/// ```
/// let address: livetime_link_kafka::Address = "daq1:9092,daq2:9092/hits?group=trigger".parse()?;
/// assert_eq!((&*address.brokers, &*address.topic), ("daq1:9092,daq2:9092", "hits"));
/// assert_eq!(address.group.as_deref(), Some("trigger"));
/// # Ok::<(), livetime_link_kafka::AddressError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The brokers to ask first.
    pub brokers: String,
    /// The topic.
    pub topic: String,
    /// The group that reads; `None`: the one with the names of topic and link.
    pub group: Option<String>,
    /// Bytes of a record's value at most.
    pub record_bytes: usize,
    /// How the brokers are sure of us, and we of them ([`read_properties`](crate::read_properties)).
    pub properties: Vec<(String, String)>,
}

/// A text that is no address of a topic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressError(String);

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressError {}

fn wanted(what: impl fmt::Display, found: &str) -> AddressError {
    AddressError(format!("wanted {what}, found `{found}`"))
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let (place, options) = text.split_once('?').unwrap_or((text, ""));
        let (brokers, topic) = place.split_once('/').unwrap_or((place, ""));
        let is_broker = |broker: &str| {
            let parts = broker.rsplit_once(':');
            parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        if !brokers.split(',').all(is_broker) {
            return Err(wanted("host:port/topic of a broker", text));
        }
        if !is_name(topic) {
            return Err(wanted("the name of a topic behind `/`", text));
        }
        let (brokers, topic) = (brokers.to_owned(), topic.to_owned());
        let (record_bytes, properties) = (RECORD_BYTES, Vec::new());
        let mut address = Address { brokers, topic, group: None, record_bytes, properties };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            address.take(option)?;
        }
        Ok(address)
    }
}

impl Address {
    fn take(&mut self, option: &str) -> Result<(), AddressError> {
        match option.split_once('=') {
            Some(("group", group)) if is_name(group) => self.group = Some(group.to_owned()),
            Some(("record_bytes", bytes)) => {
                let range = LEAST_RECORD_BYTES..=MOST_RECORD_BYTES;
                let bytes = bytes.parse().ok().filter(|bytes| range.contains(bytes));
                let sizes = format_args!("`record_bytes` from {LEAST_RECORD_BYTES} to {MOST_RECORD_BYTES}");
                self.record_bytes = bytes.ok_or_else(|| wanted(sizes, option))?;
            }
            _ => return Err(wanted("`group=NAME` or `record_bytes=N`", option)),
        }
        Ok(())
    }
}

/// What Kafka takes as a name.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=249).contains(&name.len()) && name.chars().all(is_part) && name != "." && name != ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_named() {
        for (text, wanted) in [
            ("", "host:port/topic"),
            ("daq1/hits", "host:port/topic"),
            ("daq1:9092,:1/hits", "host:port/topic"),
            ("daq1:9092", "the name of a topic"),
            ("daq1:9092/a b", "the name of a topic"),
            ("daq1:9092/hits?groups=a", "`group=NAME` or"),
            ("daq1:9092/hits?record_bytes=7", "from 1000 to 1073741824"),
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(wanted) && error.contains("found `"), "{error}");
        }
    }

    #[test]
    fn options_stand_behind_the_topic() {
        let address: Address = "[::1]:9092/hits?record_bytes=5000&group=b".parse().unwrap();
        assert_eq!((address.record_bytes, address.group.as_deref()), (5000, Some("b")));
    }
}
