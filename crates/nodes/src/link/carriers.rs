//! The carriers of links, by the scheme of an address: `tcp://host:port`, or without a scheme; `zmq://host:port`.
//!
//! A carrier is one row of [`KINDS`]; both nodes read addresses here alone.

use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(feature = "zmq")]
use std::path::Path;

use livetime_engine::NodeError;
use livetime_link::carrier::Carrier;
use livetime_link::carrier::tcp::Tcp;
#[cfg(feature = "zmq")]
use livetime_link_zmq::{Keys, Zmq};

use super::codecs;

/// A way to carry links.
struct Kind {
    scheme: &'static str,
    /// An end that waits for its peer: the address behind the scheme, and the bytes of the largest frame.
    listen: fn(&Listen<'_>) -> Result<Box<dyn Carrier>, NodeError>,
    /// An end that connects to its peer: the address behind the scheme, the folder of keys or nothing, and the bytes of the
    /// largest frame.
    connect: fn(&str, &str, u64) -> Result<Box<dyn Carrier>, NodeError>,
}

const KINDS: &[Kind] = &[
    Kind { scheme: "tcp", listen: listen_tcp, connect: connect_tcp },
    #[cfg(feature = "zmq")]
    Kind { scheme: "zmq", listen: listen_zmq, connect: connect_zmq },
];

/// Schemes of carriers that a program may be built without, and the features that bring them.
const FEATURES: &[(&str, &str)] = &[("zmq", "zmq")];

/// Where a receiver waits.
struct Listen<'a> {
    address: &'a str,
    beyond_loopback: bool,
    /// The folder of keys, or nothing.
    keys: &'a str,
    max_frame_bytes: u64,
}

/// A carrier that waits for its peer at `address`.
pub(crate) fn listen(
    address: &str,
    beyond_loopback: bool,
    keys: &str,
    max_frame_bytes: u64,
) -> Result<Box<dyn Carrier>, NodeError> {
    let (kind, address) = kind("listen", address)?;
    (kind.listen)(&Listen { address, beyond_loopback, keys, max_frame_bytes })
}

/// A carrier that connects to its peer at `address`.
pub(crate) fn connect(
    address: &str,
    keys: &str,
    max_frame_bytes: u64,
) -> Result<Box<dyn Carrier>, NodeError> {
    let (kind, address) = kind("to", address)?;
    (kind.connect)(address, keys, max_frame_bytes)
}

fn kind<'a>(param: &str, address: &'a str) -> Result<(&'static Kind, &'a str), NodeError> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("tcp", address));
    let kind = KINDS.iter().find(|kind| kind.scheme == scheme);
    let known = || KINDS.iter().map(|kind| kind.scheme).collect::<Vec<_>>().join(", ");
    kind.map(|kind| (kind, rest)).ok_or_else(|| {
        let missing = FEATURES.iter().find(|(known, _)| *known == scheme);
        let without =
            missing.map(|(_, feature)| format!("; this program is built without the feature `{feature}`"));
        let without = without.unwrap_or_default();
        NodeError::new(format_args!("`{param}`: wanted a link over {}, found `{address}`{without}", known()))
    })
}

fn listen_tcp(listen: &Listen<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    no_keys(listen.keys)?;
    let address = local_address(listen)?;
    let carrier = Tcp::listen(&address.to_string(), codecs(), listen.max_frame_bytes);
    Ok(Box::new(carrier.map_err(|e| NodeError::new(format_args!("`listen`: {address}: {e}")))?))
}

fn connect_tcp(address: &str, keys: &str, max_frame_bytes: u64) -> Result<Box<dyn Carrier>, NodeError> {
    no_keys(keys)?;
    let address = host_and_port("to", address)?;
    Ok(Box::new(Tcp::connect_to(address, codecs(), max_frame_bytes)))
}

/// TCP knows no keys, and a link that looks safe must be safe.
fn no_keys(keys: &str) -> Result<(), NodeError> {
    if keys.is_empty() {
        return Ok(());
    }
    Err(NodeError::new(format_args!(
        "`keys`: wanted none for a link over tcp, or an address zmq://host:port, found `{keys}`"
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
fn listen_zmq(listen: &Listen<'_>) -> Result<Box<dyn Carrier>, NodeError> {
    let address = local_address(listen)?;
    let carrier =
        Zmq::listen(&address.to_string(), read_keys(listen.keys)?, codecs(), listen.max_frame_bytes);
    Ok(Box::new(carrier.map_err(|e| NodeError::new(format_args!("`listen`: {address}: {e}")))?))
}

#[cfg(feature = "zmq")]
fn connect_zmq(address: &str, keys: &str, max_frame_bytes: u64) -> Result<Box<dyn Carrier>, NodeError> {
    let address = host_and_port("to", address)?;
    Ok(Box::new(Zmq::connect_to(address, read_keys(keys)?, codecs(), max_frame_bytes)))
}

/// An address of this host, beyond loopback only where keys keep strangers out, or the pipeline file allows it.
fn local_address(listen: &Listen<'_>) -> Result<SocketAddr, NodeError> {
    let found = listen.address;
    let wanted = |what: &str| NodeError::new(format_args!("`listen`: wanted {what}, found `{found}`"));
    let mut addresses = found.to_socket_addrs().map_err(|_| wanted("host:port of this host"))?;
    let address = addresses.next().ok_or_else(|| wanted("host:port of this host"))?;
    if address.ip().is_loopback() || listen.beyond_loopback || !listen.keys.is_empty() {
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
    use super::{connect, listen};

    #[test]
    fn an_address_names_its_carrier() {
        assert!(connect("daq2:7440", "", 1).is_ok());
        assert!(connect("tcp://daq2:7440", "", 1).is_ok());
        let Err(error) = connect("udp://daq2:7440", "", 1) else { panic!("no such carrier") };
        assert!(error.to_string().contains("wanted a link over tcp"), "{error}");
        let Err(error) = connect("tcp://daq2", "", 1) else { panic!("no port") };
        assert!(error.to_string().contains("wanted host:port, found `daq2`"), "{error}");
    }

    #[test]
    #[cfg(not(feature = "zmq"))]
    fn a_program_without_a_carrier_says_so() {
        let Err(error) = connect("zmq://daq2:7440", "", 1) else { panic!("no such carrier") };
        assert!(error.to_string().contains("built without the feature `zmq`"), "{error}");
    }

    #[test]
    #[cfg(feature = "zmq")]
    fn an_address_over_zeromq_is_whole() {
        let address = listen("zmq://127.0.0.1:0", false, "", 1).unwrap().address().unwrap();
        assert!(address.starts_with("zmq://127.0.0.1:") && connect(&address, "", 1).is_ok(), "{address}");
        assert!(listen("zmq://0.0.0.0:0", false, "", 1).is_err() && connect("zmq://daq2", "", 1).is_err());
    }

    #[test]
    #[cfg(feature = "zmq")]
    fn keys_open_the_way_beyond_loopback() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        livetime_link_zmq::create_keys([&one, &other]).unwrap();
        let [one, other] = [&one, &other].map(|folder| folder.to_str().unwrap());
        assert!(
            listen("zmq://0.0.0.0:0", false, one, 1).is_ok() && connect("zmq://daq2:7440", other, 1).is_ok()
        );
        let nothing = folder.path().to_str().unwrap();
        let Err(error) = listen("zmq://0.0.0.0:0", false, nothing, 1) else { panic!("there are no keys") };
        assert!(error.to_string().contains("`keys`") && error.to_string().contains("secret.key"), "{error}");
    }

    #[test]
    fn keys_over_tcp_are_refused() {
        for error in [listen("0.0.0.0:0", false, "keys", 1).err(), connect("daq2:7440", "keys", 1).err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains("`keys`: wanted none for a link over tcp"), "{error}");
        }
    }

    #[test]
    fn a_receiver_says_where_it_waits() {
        let carrier = listen("tcp://127.0.0.1:0", false, "", 1).unwrap();
        let address = carrier.address().unwrap();
        assert!(address.starts_with("127.0.0.1:") && !address.ends_with(":0"), "{address}");
        let Err(error) = listen("0.0.0.0:0", false, "", 1) else { panic!("others reach it") };
        assert!(error.to_string().contains("`beyond_loopback: true`"), "{error}");
    }
}
