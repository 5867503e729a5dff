//! The carriers of links, by the scheme of an address: `tcp://host:port`, or without a scheme; `zmq://host:port`;
//! `kafka://broker:port/topic`.
//!
//! A carrier is one row of [`KINDS`]; all nodes read addresses here alone.

use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(any(feature = "zmq", feature = "kafka"))]
use std::path::Path;

use livetime_engine::NodeError;
use livetime_link::Settings;
use livetime_link::carrier::Carrier;
use livetime_link::carrier::tcp::Tcp;
#[cfg(feature = "zmq")]
use livetime_link_zmq::{Keys, Zmq};

use super::codecs;

/// A carrier, or why the address names none.
type Made = Result<Box<dyn Carrier>, NodeError>;

/// A way to carry links.
struct Kind {
    scheme: &'static str,
    /// An end that waits for its peer.
    listen: fn(&Listen<'_>) -> Made,
    /// An end that connects to its peer at the address behind the scheme.
    connect: fn(&str, &Side<'_>) -> Made,
}

const KINDS: &[Kind] = &[
    Kind { scheme: "tcp", listen: listen_tcp, connect: connect_tcp },
    #[cfg(feature = "zmq")]
    Kind { scheme: "zmq", listen: listen_zmq, connect: connect_zmq },
    #[cfg(feature = "kafka")]
    Kind { scheme: "kafka", listen: listen_kafka, connect: connect_kafka },
];

/// Schemes of carriers that a program may be built without: the features that bring them have these names.
const FEATURES: &[&str] = &["zmq", "kafka"];

/// The end of the link that wants a carrier.
pub(crate) struct Side<'a> {
    pub(crate) settings: &'a Settings,
    /// The folder of keys, or nothing.
    pub(crate) keys: &'a str,
    /// Its incarnation.
    #[cfg_attr(not(feature = "kafka"), allow(dead_code, reason = "only Kafka keeps names of ends"))]
    pub(crate) epoch: u64,
}

/// Where a receiver waits.
struct Listen<'a> {
    address: &'a str,
    beyond_loopback: bool,
    side: &'a Side<'a>,
}

/// A carrier that waits for its peer at `address`.
pub(crate) fn listen(address: &str, beyond_loopback: bool, side: &Side<'_>) -> Made {
    let (kind, address) = kind("listen", address)?;
    (kind.listen)(&Listen { address, beyond_loopback, side })
}

/// A carrier that connects to its peer at `address`.
pub(crate) fn connect(address: &str, side: &Side<'_>) -> Made {
    let (kind, address) = kind("to", address)?;
    (kind.connect)(address, side)
}

fn kind<'a>(param: &str, address: &'a str) -> Result<(&'static Kind, &'a str), NodeError> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("tcp", address));
    let kind = KINDS.iter().find(|kind| kind.scheme == scheme);
    let known = || KINDS.iter().map(|kind| kind.scheme).collect::<Vec<_>>().join(", ");
    kind.map(|kind| (kind, rest)).ok_or_else(|| {
        let is_missing = FEATURES.contains(&scheme);
        let without = format!("; this program is built without the feature `{scheme}`");
        let without = if is_missing { without.as_str() } else { "" };
        NodeError::new(format_args!("`{param}`: wanted a link over {}, found `{address}`{without}", known()))
    })
}

fn listen_tcp(listen: &Listen<'_>) -> Made {
    no_keys("tcp", listen.side.keys)?;
    let address = local_address(listen)?;
    let carrier = Tcp::listen(&address.to_string(), codecs(), listen.side.settings.max_frame_bytes);
    Ok(Box::new(carrier.map_err(|e| NodeError::new(format_args!("`listen`: {address}: {e}")))?))
}

fn connect_tcp(address: &str, side: &Side<'_>) -> Made {
    no_keys("tcp", side.keys)?;
    let address = host_and_port("to", address)?;
    Ok(Box::new(Tcp::connect_to(address, codecs(), side.settings.max_frame_bytes)))
}

/// A carrier without encryption refuses keys: a link that looks safe must be safe.
fn no_keys(scheme: &str, keys: &str) -> Result<(), NodeError> {
    if keys.is_empty() {
        return Ok(());
    }
    Err(NodeError::new(format_args!(
        "`keys`: wanted none for a link over {scheme}, or an address zmq://host:port, found `{keys}`"
    )))
}

#[cfg(feature = "zmq")]
fn read_keys(folder: &str) -> Result<Option<Keys>, NodeError> {
    if folder.is_empty() {
        return Ok(None);
    }
    Keys::read(Path::new(folder)).map(Some).map_err(|e| NodeError::new(format_args!("`keys`: {e}")))
}

#[cfg(feature = "zmq")]
fn listen_zmq(listen: &Listen<'_>) -> Made {
    let address = local_address(listen)?;
    let (keys, most) = (read_keys(listen.side.keys)?, listen.side.settings.max_frame_bytes);
    let carrier = Zmq::listen(&address.to_string(), keys, codecs(), most);
    Ok(Box::new(carrier.map_err(|e| NodeError::new(format_args!("`listen`: {address}: {e}")))?))
}

#[cfg(feature = "zmq")]
fn connect_zmq(address: &str, side: &Side<'_>) -> Made {
    let address = host_and_port("to", address)?;
    let (keys, most) = (read_keys(side.keys)?, side.settings.max_frame_bytes);
    Ok(Box::new(Zmq::connect_to(address, keys, codecs(), most)))
}

/// The reading end of a topic. It connects to the broker, and listens nowhere.
#[cfg(feature = "kafka")]
fn listen_kafka(listen: &Listen<'_>) -> Made {
    let (address, ends) = kafka("listen", listen.address, listen.side)?;
    Ok(Box::new(livetime_link_kafka::Consuming::new(address, ends, listen.side.epoch)))
}

#[cfg(feature = "kafka")]
fn connect_kafka(address: &str, side: &Side<'_>) -> Made {
    let (address, ends) = kafka("to", address, side)?;
    Ok(Box::new(livetime_link_kafka::Producing::new(address, ends, side.epoch)))
}

#[cfg(feature = "kafka")]
fn kafka(
    param: &str,
    address: &str,
    side: &Side<'_>,
) -> Result<(livetime_link_kafka::Address, livetime_link_kafka::Ends), NodeError> {
    let mut address = address
        .parse::<livetime_link_kafka::Address>()
        .map_err(|e| NodeError::new(format_args!("`{param}`: {e}")))?;
    if !side.keys.is_empty() {
        let properties = livetime_link_kafka::read_properties(Path::new(side.keys));
        address.properties = properties.map_err(|e| NodeError::new(format_args!("`keys`: {e}")))?;
    }
    let Settings { cut, window_frames, max_frame_bytes, .. } = side.settings.clone();
    Ok((address, livetime_link_kafka::Ends { cut, window_frames, max_frame_bytes, codecs: codecs() }))
}

/// An address of this host, beyond loopback only where keys keep strangers out, or the pipeline file allows it.
fn local_address(listen: &Listen<'_>) -> Result<SocketAddr, NodeError> {
    let found = listen.address;
    let wanted = |what: &str| NodeError::new(format_args!("`listen`: wanted {what}, found `{found}`"));
    let mut addresses = found.to_socket_addrs().map_err(|_| wanted("host:port of this host"))?;
    let address = addresses.next().ok_or_else(|| wanted("host:port of this host"))?;
    if address.ip().is_loopback() || listen.beyond_loopback || !listen.side.keys.is_empty() {
        return Ok(address);
    }
    Err(wanted("an address of loopback, an address zmq://host:port with `keys`, or `beyond_loopback: true`"))
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
    use livetime_link::Settings;

    use super::{Made, Side};

    fn connect(address: &str, keys: &str) -> Made {
        super::connect(address, &Side { settings: &Settings::default(), keys, epoch: 1 })
    }

    fn listen(address: &str, keys: &str) -> Made {
        super::listen(address, false, &Side { settings: &Settings::default(), keys, epoch: 1 })
    }

    #[test]
    fn an_address_names_its_carrier() {
        assert!(connect("daq2:7440", "").is_ok());
        assert!(connect("tcp://daq2:7440", "").is_ok());
        let Err(error) = connect("udp://daq2:7440", "") else { panic!("no such carrier") };
        assert!(error.to_string().contains("wanted a link over tcp"), "{error}");
        let Err(error) = connect("tcp://daq2", "") else { panic!("no port") };
        assert!(error.to_string().contains("wanted host:port, found `daq2`"), "{error}");
    }

    #[test]
    #[cfg(not(feature = "zmq"))]
    fn a_program_without_a_carrier_says_so() {
        let Err(error) = connect("zmq://daq2:7440", "") else { panic!("no such carrier") };
        assert!(error.to_string().contains("built without the feature `zmq`"), "{error}");
    }

    #[test]
    #[cfg(feature = "zmq")]
    fn an_address_over_zeromq_is_whole() {
        let address = listen("zmq://127.0.0.1:0", "").unwrap().address().unwrap();
        assert!(address.starts_with("zmq://127.0.0.1:") && connect(&address, "").is_ok(), "{address}");
        assert!(listen("zmq://0.0.0.0:0", "").is_err() && connect("zmq://daq2", "").is_err());
    }

    #[test]
    #[cfg(feature = "zmq")]
    fn keys_open_the_way_beyond_loopback() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        livetime_link_zmq::create_keys([&one, &other]).unwrap();
        let [one, other] = [&one, &other].map(|folder| folder.to_str().unwrap());
        assert!(listen("zmq://0.0.0.0:0", one).is_ok() && connect("zmq://daq2:7440", other).is_ok());
        let nothing = folder.path().to_str().unwrap();
        let Err(error) = listen("zmq://0.0.0.0:0", nothing) else { panic!("there are no keys") };
        assert!(error.to_string().contains("`keys`") && error.to_string().contains("secret.key"), "{error}");
    }

    #[test]
    fn keys_over_tcp_are_refused() {
        for error in [listen("0.0.0.0:0", "keys").err(), connect("daq2:7440", "keys").err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains("`keys`: wanted none for a link over tcp"), "{error}");
        }
    }

    #[test]
    fn a_receiver_says_where_it_waits() {
        let carrier = listen("tcp://127.0.0.1:0", "").unwrap();
        let address = carrier.address().unwrap();
        assert!(address.starts_with("127.0.0.1:") && !address.ends_with(":0"), "{address}");
        let Err(error) = listen("0.0.0.0:0", "") else { panic!("others reach it") };
        assert!(error.to_string().contains("`beyond_loopback: true`"), "{error}");
    }

    #[cfg(feature = "kafka")]
    #[test]
    fn a_topic_of_a_broker_is_an_address() {
        let carrier = listen("kafka://127.0.0.1:9/hits", "").unwrap();
        assert_eq!(carrier.address().unwrap(), "kafka://127.0.0.1:9/hits");
        assert!(connect("kafka://127.0.0.1:9/hits?record_bytes=5000", "").is_ok());
        let Err(error) = connect("kafka://127.0.0.1:9", "") else { panic!("no topic") };
        assert!(error.to_string().contains("`to`: wanted the name of a topic"), "{error}");
    }
}
