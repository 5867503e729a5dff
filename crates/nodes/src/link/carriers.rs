//! The carriers of links, by the scheme of an address: `tcp://host:port`, or without a scheme; `kafka://broker:port/topic`
//! with the feature `kafka`.
//!
//! A carrier is one row of [`KINDS`]; both nodes read addresses here alone.

use std::net::{SocketAddr, ToSocketAddrs};

use livetime_engine::NodeError;
use livetime_link::Settings;
use livetime_link::carrier::Carrier;
use livetime_link::carrier::tcp::Tcp;

use super::codecs;

/// A way to carry links.
struct Kind {
    scheme: &'static str,
    /// An end that waits for its peer.
    listen: fn(&Listen<'_>) -> Result<Box<dyn Carrier>, NodeError>,
    /// An end that connects to its peer at the address behind the scheme.
    connect: fn(&str, &Side<'_>) -> Result<Box<dyn Carrier>, NodeError>,
}

const KINDS: &[Kind] = &[
    Kind { scheme: "tcp", listen: listen_tcp, connect: connect_tcp },
    #[cfg(feature = "kafka")]
    Kind { scheme: "kafka", listen: listen_kafka, connect: connect_kafka },
];

/// The end of the link that wants a carrier.
pub(crate) struct Side<'a> {
    pub(crate) settings: &'a Settings,
    /// Its incarnation.
    #[cfg_attr(not(feature = "kafka"), allow(dead_code, reason = "TCP needs no name of an end"))]
    pub(crate) epoch: u64,
}

/// Where a receiver waits.
struct Listen<'a> {
    address: &'a str,
    beyond_loopback: bool,
    side: &'a Side<'a>,
}

/// A carrier that waits for its peer at `address`.
pub(crate) fn listen(
    address: &str,
    beyond_loopback: bool,
    side: &Side<'_>,
) -> Result<Box<dyn Carrier>, NodeError> {
    let (kind, address) = kind("listen", address)?;
    (kind.listen)(&Listen { address, beyond_loopback, side })
}

/// A carrier that connects to its peer at `address`.
pub(crate) fn connect(address: &str, side: &Side<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let (kind, address) = kind("to", address)?;
    (kind.connect)(address, side)
}

fn kind<'a>(param: &str, address: &'a str) -> Result<(&'static Kind, &'a str), NodeError> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("tcp", address));
    let kind = KINDS.iter().find(|kind| kind.scheme == scheme);
    let known = || KINDS.iter().map(|kind| kind.scheme).collect::<Vec<_>>().join(", ");
    kind.map(|kind| (kind, rest)).ok_or_else(|| {
        NodeError::new(format_args!("`{param}`: wanted a link over {}, found `{address}`", known()))
    })
}

fn listen_tcp(listen: &Listen<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let address = local_address(listen)?;
    let carrier = Tcp::listen(&address.to_string(), codecs(), listen.side.settings.max_frame_bytes);
    Ok(Box::new(carrier.map_err(|e| NodeError::new(format_args!("`listen`: {address}: {e}")))?))
}

fn connect_tcp(address: &str, side: &Side<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let address = host_and_port("to", address)?;
    Ok(Box::new(Tcp::connect_to(address, codecs(), side.settings.max_frame_bytes)))
}

/// The reading end of a topic. It connects to the broker, and listens nowhere.
#[cfg(feature = "kafka")]
fn listen_kafka(listen: &Listen<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let (address, ends) = kafka("listen", listen.address, listen.side)?;
    Ok(Box::new(livetime_link_kafka::Consuming::new(address, ends, listen.side.epoch)))
}

#[cfg(feature = "kafka")]
fn connect_kafka(address: &str, side: &Side<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let (address, ends) = kafka("to", address, side)?;
    Ok(Box::new(livetime_link_kafka::Producing::new(address, ends, side.epoch)))
}

#[cfg(feature = "kafka")]
fn kafka(
    param: &str,
    address: &str,
    side: &Side<'_>,
) -> Result<(livetime_link_kafka::Address, livetime_link_kafka::Ends), NodeError> {
    let address = address
        .parse::<livetime_link_kafka::Address>()
        .map_err(|e| NodeError::new(format_args!("`{param}`: {e}")))?;
    let Settings { cut, window_frames, max_frame_bytes, .. } = side.settings.clone();
    Ok((address, livetime_link_kafka::Ends { cut, window_frames, max_frame_bytes, codecs: codecs() }))
}

/// An address of this host, beyond loopback only where the pipeline file allows it.
fn local_address(listen: &Listen<'_>) -> Result<SocketAddr, NodeError> {
    let found = listen.address;
    let wanted = |what: &str| NodeError::new(format_args!("`listen`: wanted {what}, found `{found}`"));
    let mut addresses = found.to_socket_addrs().map_err(|_| wanted("host:port of this host"))?;
    let address = addresses.next().ok_or_else(|| wanted("host:port of this host"))?;
    if address.ip().is_loopback() || listen.beyond_loopback {
        return Ok(address);
    }
    Err(wanted("an address of loopback, or `beyond_loopback: true`"))
}

/// `address` if it reads as host:port. Its host may become known later.
fn host_and_port<'a>(param: &str, address: &'a str) -> Result<&'a str, NodeError> {
    let wanted = |found| NodeError::new(format_args!("`{param}`: wanted host:port, found {found}"));
    match address.rsplit_once(':') {
        _ if address.is_empty() => Err(wanted("nothing".to_owned())),
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(address),
        _ => Err(wanted(format!("`{address}`"))),
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::NodeError;
    use livetime_link::Settings;
    use livetime_link::carrier::Carrier;

    use super::Side;

    fn connect(address: &str) -> Result<Box<dyn Carrier>, NodeError> {
        super::connect(address, &Side { settings: &Settings::default(), epoch: 1 })
    }

    fn listen(address: &str) -> Result<Box<dyn Carrier>, NodeError> {
        super::listen(address, false, &Side { settings: &Settings::default(), epoch: 1 })
    }

    #[test]
    fn an_address_names_its_carrier() {
        assert!(connect("daq2:7440").is_ok());
        assert!(connect("tcp://daq2:7440").is_ok());
        let Err(error) = connect("udp://daq2:7440") else { panic!("no such carrier") };
        assert!(error.to_string().contains("wanted a link over tcp"), "{error}");
        let Err(error) = connect("tcp://daq2") else { panic!("no port") };
        assert!(error.to_string().contains("wanted host:port, found `daq2`"), "{error}");
    }

    #[test]
    fn a_receiver_says_where_it_waits() {
        let carrier = listen("tcp://127.0.0.1:0").unwrap();
        let address = carrier.address().unwrap();
        assert!(address.starts_with("127.0.0.1:") && !address.ends_with(":0"), "{address}");
        let Err(error) = listen("0.0.0.0:0") else { panic!("others reach it") };
        assert!(error.to_string().contains("`beyond_loopback: true`"), "{error}");
    }

    #[cfg(feature = "kafka")]
    #[test]
    fn a_topic_of_a_broker_is_an_address() {
        let carrier = listen("kafka://127.0.0.1:9/hits").unwrap();
        assert_eq!(carrier.address().unwrap(), "kafka://127.0.0.1:9/hits");
        assert!(connect("kafka://127.0.0.1:9/hits?record_bytes=5000").is_ok());
        let Err(error) = connect("kafka://127.0.0.1:9") else { panic!("no topic") };
        assert!(error.to_string().contains("`to`: wanted the name of a topic"), "{error}");
    }
}
