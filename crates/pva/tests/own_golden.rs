//! A recording of our own in `testdata/pva`: the messages of our client and our server, one by one. Every later version
//! reads all of it and writes it again.

#![cfg(all(feature = "client", feature = "server"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::golden::{Counts, replay};
use livetime_pva::client::{Client, ClientConfig, Event};
use livetime_pva::data::{Array, ScalarType, Type, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};

const LONG: Duration = livetime_testkit::HANG;

/// Messages in the order in which they passed: whether the server sent it, and its bytes.
type Recorded = Arc<Mutex<Vec<(bool, Vec<u8>)>>>;

fn server() -> Server {
    let pvs = PvMap::new();
    let mut number = Value::new(&nt::scalar(ScalarType::F64));
    number.set("value", 21.5).unwrap();
    pvs.add("number", SharedPv::builder().value(number).on_put(|put| put.post()).build());
    let mut waveform = Value::new(&nt::scalar_array(ScalarType::I32));
    waveform.set("value", Array::from((0..40).collect::<Vec<i32>>())).unwrap();
    pvs.add("waveform", SharedPv::new(waveform));
    let mut text = Value::new(&nt::scalar(ScalarType::Str));
    text.set("value", "open").unwrap();
    pvs.add("text", SharedPv::new(text));
    Server::start(ServerConfig::loopback(), pvs).unwrap()
}

/// One message from the socket; `None` at its end.
fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 8];
    stream.read_exact(&mut bytes).ok()?;
    let is_control = bytes[2] & 1 == 1;
    let size = bytes[4..8].try_into().unwrap();
    let size = if bytes[2] & 0x80 != 0 { u32::from_be_bytes(size) } else { u32::from_le_bytes(size) };
    bytes.resize(8 + if is_control { 0 } else { size as usize }, 0);
    stream.read_exact(&mut bytes[8..]).ok()?;
    Some(bytes)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, is_server: bool, recorded: &Recorded) {
    while let Some(bytes) = message(&mut from) {
        recorded.lock().unwrap().push((is_server, bytes.clone()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    _ = to.shutdown(Shutdown::Write);
}

/// An address that leads to `server` for one connection, with everything recorded.
fn between(server: SocketAddr, recorded: &Recorded) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let recorded = recorded.clone();
    std::thread::spawn(move || {
        let client = listener.accept().unwrap().0;
        let server = TcpStream::connect(server).unwrap();
        let (back, other) = ((server.try_clone().unwrap(), client.try_clone().unwrap()), recorded.clone());
        std::thread::spawn(move || pass_on(back.0, back.1, true, &other));
        pass_on(client, server, false, &recorded);
    });
    address
}

/// Reads, a type, writes, a refusal, and a monitor of some updates.
fn talk(address: SocketAddr) {
    let account = Some(("golden".to_owned(), "host".to_owned()));
    let client = Client::new(ClientConfig { account, ..ClientConfig::loopback(0) }).unwrap();
    let channel = |name: &str| client.channel_at(address, name);
    let number = channel("number");
    assert_eq!(number.get().wait(LONG).unwrap().f64("value"), Some(21.5));
    assert!(number.get_with("field(value,alarm.severity)").wait(LONG).is_ok());
    assert_eq!(number.info().wait(LONG).unwrap(), Type::Structure(nt::scalar(ScalarType::F64)));
    let mut monitor = number.monitor("record[pipeline=true,queueSize=4]field(value)").unwrap();
    for value in [22.0, 23.0, 24.0] {
        number.put(("value", value)).wait(LONG).unwrap();
        while !matches!(monitor.next(LONG).unwrap(), Some(Event::Update(update)) if update.value.f64("value") == Some(value))
        {
        }
    }
    assert!(channel("waveform").get().wait(LONG).is_ok());
    assert!(channel("text").get().wait(LONG).is_ok());
    assert!(channel("text").put(("value", "shut")).wait(LONG).is_err(), "nobody takes what is put there");
}

fn text(recorded: &[(bool, Vec<u8>)]) -> String {
    let mut text = String::from("# Our client and our server: get, put, monitor with a window, a refusal\n");
    for (is_server, bytes) in recorded {
        let way = if *is_server { "S>C" } else { "C>S" };
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        writeln!(text, "# TCP {way} len={}\n{hex}", bytes.len()).unwrap();
    }
    text
}

#[test]
fn what_earlier_versions_said_is_read_and_written_again() {
    let (server, recorded) = (server(), Recorded::default());
    talk(between(server.tcp_address(), &recorded));
    let said = recorded.lock().unwrap().clone();
    assert!(said.iter().any(|(is_server, _)| *is_server) && said.len() > 30, "{}", said.len());
    let stored = livetime_testkit::golden("pva/own.txt", text(&said).as_bytes()).unwrap();
    let stored = String::from_utf8(stored).unwrap();
    for (name, text) in [("stored", &stored), ("now", &text(&said))] {
        let mut counts = Counts::default();
        replay(name, text, &mut counts);
        assert!(
            counts.messages > 30 && counts.same + counts.cached_types == counts.messages,
            "{name}: {counts:?}"
        );
    }
}
