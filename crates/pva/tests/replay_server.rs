//! The bytes of recorded clients are sent to our server, which must answer as the recorded servers did.

#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_pva::data::{ScalarType, Type, TypeCache, Value};
use livetime_pva::nt;
use livetime_pva::proto::{Command, Reply, sub};
use livetime_pva::server::{Limits, Provider, PvMap, Server, ServerConfig, SharedPv, Timeouts};
use livetime_pva::wire::{Assembler, HEADER_LEN, Header, Order, Reader, Segment};

/// Recorded messages between other implementations.
fn folder() -> Option<PathBuf> {
    livetime_testkit::data("pva")
}

/// A message as it was recorded: whether the server sent it, and its bytes.
type Recorded = (bool, Vec<u8>);

fn recorded(text: &str) -> Vec<Recorded> {
    let mut label = "";
    let mut messages = Vec::new();
    for line in text.lines() {
        if line.starts_with("# TCP") || line.starts_with("# UDP") {
            label = line;
        }
        let hex = line.trim();
        if !label.starts_with("# TCP") || !hex.starts_with("ca") || hex.contains("...") {
            continue;
        }
        let bytes = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
        messages.push((label.contains("S>C"), bytes.collect()));
    }
    messages
}

fn header(bytes: &[u8]) -> Header {
    Header::decode(bytes.first_chunk().unwrap()).unwrap()
}

/// The kind and the success of an answer, apart from the values in it.
#[derive(PartialEq, Debug)]
struct Gist {
    command: u8,
    sub: Option<u8>,
    success: bool,
}

/// `None` for what comes when it likes: updates of monitors, and what is no application message.
fn gist(bytes: &[u8]) -> Option<Gist> {
    let header = header(bytes);
    if header.control || matches!(header.segment, Segment::Middle | Segment::Last) {
        return None;
    }
    let payload = Reader::new(&bytes[HEADER_LEN..], header.order);
    let command = Command::from_code(header.command)?;
    if !command.is_operation() {
        let status = match command {
            Command::CreateChannel => bytes.get(16),
            Command::GetField => bytes.get(12),
            _ => None,
        };
        let success = status.is_none_or(|&status| status == 0xFF || status < 2);
        return Some(Gist { command: header.command, sub: None, success });
    }
    let reply = Reply::decode(command, payload).unwrap();
    let update = reply.head.is_update();
    let gist = Gist { command: header.command, sub: Some(reply.head.sub), success: reply.is_success() };
    (!update).then_some(gist)
}

/// The type that the recorded server had, from its answer to the first initialisation.
fn recorded_type(messages: &[Recorded]) -> Option<Type> {
    let mut types = TypeCache::new();
    let mut found = None;
    for (_, bytes) in messages.iter().filter(|(server, _)| *server) {
        let header = header(bytes);
        let Some(command) = Command::from_code(header.command) else { continue };
        let mut payload = Reader::new(&bytes[HEADER_LEN..], header.order);
        if command == Command::GetField && bytes[12] == 0xFF {
            payload.bytes(5).unwrap();
            let ty = Type::decode_some(&mut payload, &mut types).unwrap();
            found = found.or(Some(ty));
        } else if command.is_operation() && command != Command::Rpc {
            let mut reply = Reply::decode(command, payload).unwrap();
            if reply.head.sub == sub::INIT && reply.is_success() {
                return reply.ty(&mut types).ok();
            }
        }
    }
    found
}

fn provider(name: &str, messages: &[Recorded]) -> PvMap {
    let pvs = PvMap::new();
    let value = match recorded_type(messages) {
        Some(Type::Structure(ty)) => Value::new(&ty),
        _ => Value::new(&nt::scalar_with(ScalarType::I32, nt::Metadata::NONE)),
    };
    let pv = SharedPv::builder().value(value).on_call(|call| call.done());
    let pv = if name == "T:ro" { pv } else { pv.on_put(|put| put.post()) };
    pvs.add(name, pv.build());
    pvs
}

struct Connection {
    stream: TcpStream,
    assembler: Assembler,
    input: Vec<u8>,
}

impl Connection {
    fn new(server: &Server) -> Connection {
        let stream = TcpStream::connect(server.tcp_address()).unwrap();
        stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
        Connection { stream, assembler: Assembler::new(1 << 26), input: Vec::new() }
    }

    /// The next message, header and all; `None` at the end.
    fn message(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut input = &self.input[..];
            if let Some(message) = self.assembler.next(&mut input).unwrap() {
                let bytes = [&message.header.encode()[..], message.bytes()].concat();
                let rest = input.len();
                self.input.drain(..self.input.len() - rest);
                return Some(bytes);
            }
            self.input.clear();
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece) {
                Ok(0) => return None,
                Ok(count) => self.input.extend(&piece[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no message: {error}"),
            }
        }
    }

    fn answer(&mut self, command: u8) -> Vec<u8> {
        self.find_answer(command).expect("the server goes on")
    }

    fn find_answer(&mut self, command: u8) -> Option<Vec<u8>> {
        std::iter::from_fn(|| self.message()).find(|message| message[3] == command && message[2] & 1 == 0)
    }
}

/// Sends what the client sent and compares what comes back, step by step. Returns how many answers there were.
fn replay(messages: &[Recorded], server: &Server) -> usize {
    let mut connection = Connection::new(server);
    let (mut theirs, mut ours) = (None, None);
    let mut answers = 0;
    for (from_server, bytes) in messages {
        if *from_server {
            let Some(expected) = gist(bytes) else { continue };
            let answer = loop {
                let answer = connection.message().expect("the server goes on");
                match gist(&answer) {
                    Some(gist) => break (gist, answer),
                    None => continue,
                }
            };
            assert_eq!(answer.0, expected, "{:02x?}", answer.1);
            if expected.command == Command::CreateChannel as u8 {
                (theirs, ours) = (bytes.get(12..16), Some(answer.1[12..16].to_vec()));
            }
            answers += 1;
            continue;
        }
        let mut bytes = bytes.clone();
        if let (Some(theirs), Some(ours)) = (theirs, &ours)
            && bytes[8..12] == *theirs
        {
            bytes[8..12].copy_from_slice(ours);
        }
        connection.stream.write_all(&bytes).unwrap();
    }
    answers
}

#[test]
fn recorded_clients_are_answered_as_they_were() {
    let Some(folder) = folder() else { return };
    let validation = recorded(&fs::read_to_string(folder.join("01-pvxs-get-ntscalar-int.txt")).unwrap());
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut sessions, mut answers) = (0, 0);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        // Clients of well-behaved servers; in 22 the server ends the channel by itself.
        let wanted = name.starts_with(['0', '1', '2', '3', '4', '8']) && !name.starts_with("00");
        if !wanted || name.contains("-as-text") || name.starts_with("22") {
            continue;
        }
        let mut messages = recorded(&text);
        let Some(channel) = text.split("'ch': [(").skip(1).find_map(|part| part.split('\'').nth(1)) else {
            continue;
        };
        if messages.is_empty() {
            continue;
        }
        if messages[0].1[3] == Command::CreateChannel as u8 {
            messages.splice(0..0, validation[..4].to_vec());
        }
        let server = Server::start(ServerConfig::loopback(), provider(channel, &messages)).unwrap();
        println!("{name}");
        answers += replay(&messages, &server);
        sessions += 1;
    }
    println!("{sessions} sessions, {answers} answers");
    assert!(sessions >= 30 && answers >= 150, "{sessions} {answers}");
}

fn hello(connection: &mut Connection) {
    assert!(say_hello(connection), "the server goes on");
}

/// Whether the server took it.
fn say_hello(connection: &mut Connection) -> bool {
    let validation = [&[0xCA, 2, 0, 1, 18, 0, 0, 0][..], &[0, 0, 1, 0, 0xFF, 0x7F, 0, 0, 9], b"anonymous"];
    connection.stream.write_all(&validation.concat()).is_ok()
        && connection.find_answer(Command::ConnectionValidated as u8).is_some()
}

fn number_server(config: ServerConfig) -> Server {
    let pvs = PvMap::new();
    pvs.add("n", SharedPv::new(Value::new(&nt::scalar(ScalarType::F64))));
    Server::start(config, pvs).unwrap()
}

#[test]
fn who_never_says_hello_is_closed_and_others_are_not() {
    let timeouts = Timeouts { handshake: Duration::from_millis(300), ..Timeouts::default() };
    let server = number_server(ServerConfig { timeouts, ..ServerConfig::loopback() });
    // On a busy machine one that says hello may be late too, and comes again.
    let mut good = loop {
        let mut good = Connection::new(&server);
        if say_hello(&mut good) {
            break good;
        }
    };
    let mut silent = Connection::new(&server);
    while silent.message().is_some() {}
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xFF; 300], &[0xCA, 2, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF]] {
        let mut bad = Connection::new(&server);
        let _ = bad.stream.write_all(garbage);
        while bad.message().is_some() {}
    }
    good.stream.write_all(&[0xCA, 2, 0, 2, 1, 0, 0, 0, 7]).unwrap();
    assert_eq!(good.answer(2)[8..], [7]);
    let end = Instant::now() + livetime_testkit::HANG;
    while server.statistics().connections != 1 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.statistics().connections, 1);
}

fn open_channel(connection: &mut Connection) {
    connection.stream.write_all(&[0xCA, 2, 0, 7, 8, 0, 0, 0, 1, 0, 9, 0, 0, 0, 1, b'n']).unwrap();
    connection.answer(Command::CreateChannel as u8);
}

#[test]
fn too_many_connections_are_refused() {
    let limits = Limits { connections: 3, ..Limits::default() };
    let server = number_server(ServerConfig { limits, shards: 2, ..ServerConfig::loopback() });
    let mut good: Vec<_> = (0..3).map(|_| Connection::new(&server)).collect();
    good.iter_mut().for_each(hello);
    good.iter_mut().for_each(open_channel);
    // Clients that do something keep their places.
    let mut refused = Connection::new(&server);
    assert!(refused.message().is_none());
    drop(good.pop());
    let end = Instant::now() + livetime_testkit::HANG;
    while server.statistics().connections > 2 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    hello(&mut Connection::new(&server));
    assert_eq!(server.statistics().refused, 1);
}

#[test]
fn who_takes_all_places_and_does_nothing_shuts_nobody_out() {
    let limits = Limits { connections_per_host: 8, ..Limits::default() };
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let list = Arc::clone(&told);
    let log: livetime_pva::server::Log = Arc::new(move |event| list.lock().unwrap().push(event.to_string()));
    let config = ServerConfig { limits, log: Some(log), ..ServerConfig::loopback() };
    let server = number_server(config);
    let mut worker = Connection::new(&server);
    hello(&mut worker);
    open_channel(&mut worker);
    let mut idle: Vec<_> = (0..7).map(|_| Connection::new(&server)).collect();
    idle.iter_mut().for_each(hello);
    // One after the other comes, works, and goes.
    for _ in 0..3 {
        let mut next = Connection::new(&server);
        hello(&mut next);
        open_channel(&mut next);
    }
    // The first that came had rested longest.
    assert!(idle[0].message().is_none());
    open_channel(&mut worker);
    assert_eq!(server.statistics().refused, 0);
    let told = told.lock().unwrap();
    assert!(told.iter().any(|text| text.starts_with("made room for 127.0.0.1:")), "{told:?}");
    assert!(
        told.iter().any(|text| text.ends_with("it had no channel, and another client wanted its place")),
        "{told:?}"
    );
}

#[test]
fn searches_over_tcp_are_answered_there() {
    let server = number_server(ServerConfig::loopback());
    let mut connection = Connection::new(&server);
    hello(&mut connection);
    let mut search = vec![0xCA, 2, 0, 3, 45, 0, 0, 0, 9, 0, 0, 0, 0x80, 0, 0, 0];
    search.extend([0; 18]);
    search.extend([1, 3, b't', b'c', b'p', 2, 0, 1, 0, 0, 0, 1, b'n', 2, 0, 0, 0, 2, b'n', b'o']);
    search[4] = (search.len() - 8) as u8;
    connection.stream.write_all(&search).unwrap();
    let answer = connection.answer(Command::SearchResponse as u8);
    // Found, one, the first.
    assert_eq!(answer[answer.len() - 7..], [1, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn a_storm_of_searches_leaves_the_server_alive() {
    let limits = Limits { searches: 100, ..Limits::default() };
    let server = number_server(ServerConfig { limits, udp_port: Some(0), ..ServerConfig::loopback() });
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = ("127.0.0.1", server.udp_port().unwrap());
    for i in 0..20_000u32 {
        let bytes: Vec<u8> = (0..i % 60).map(|j| (i.wrapping_mul(j + 7) >> 3) as u8).collect();
        let _ = socket.send_to(&bytes, to);
    }
    hello(&mut Connection::new(&server));
    let end = Instant::now() + livetime_testkit::HANG;
    while server.statistics().dropped < 1000 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(server.statistics().dropped >= 1000);
}

#[test]
fn a_client_that_does_not_read_is_closed_in_the_end() {
    let pvs = PvMap::new();
    let pv = SharedPv::new(Value::new(&nt::scalar_array(ScalarType::F64)));
    pv.update(|value| value.set("value", vec![1.0; 1 << 20])).unwrap();
    pvs.add("n", pv);
    let timeouts = Timeouts { stalled: Duration::from_millis(300), ..Timeouts::default() };
    let server = Server::start(ServerConfig { timeouts, ..ServerConfig::loopback() }, pvs).unwrap();
    let mut lazy = Connection::new(&server);
    hello(&mut lazy);
    lazy.stream.write_all(&[0xCA, 2, 0, 7, 8, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, b'n']).unwrap();
    let sid = lazy.answer(7)[12..16].to_vec();
    let request = |sub: u8, body: &[u8]| {
        let length = 9 + body.len() as u8;
        [&[0xCA, 2, 0, 10, length, 0, 0, 0][..], &sid, &[1, 0, 0, 0, sub], body].concat()
    };
    // On a busy machine it may be closed before it has asked for all.
    let _ = lazy.stream.write_all(&request(8, &[0x80, 0, 0]));
    for _ in 0..50 {
        let _ = lazy.stream.write_all(&request(0, &[]));
    }
    let end = Instant::now() + livetime_testkit::HANG;
    while server.statistics().connections > 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.statistics().connections, 0);
    assert!(server.statistics().gets < 10);
}

#[test]
fn byte_orders_can_be_mixed() {
    let server = number_server(ServerConfig::loopback());
    let mut connection = Connection::new(&server);
    hello(&mut connection);
    connection.stream.write_all(&[0xCA, 2, 0x80, 7, 0, 0, 0, 8, 0, 1, 0, 0, 0, 5, 1, b'n']).unwrap();
    let answer = connection.answer(7);
    assert_eq!(header(&answer).order, Order::HOST);
    assert_eq!(answer[8..12], 5u32.to_ne_bytes());
    assert!(PvMap::new().names().is_empty());
}

/// Opens `n` and prepares a put, and then sends `step` again and again until the server is gone. Answers are read and
/// thrown away.
fn flood(server: &Server, step: impl Fn(&[u8]) -> Vec<u8>) -> [std::thread::JoinHandle<()>; 2] {
    let mut client = Connection::new(server);
    hello(&mut client);
    client.stream.write_all(&[0xCA, 2, 0, 7, 8, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, b'n']).unwrap();
    let sid = client.answer(7)[12..16].to_vec();
    let init = [&[0xCA, 2, 0, 11, 12, 0, 0, 0][..], &sid, &[2, 0, 0, 0, 8, 0x80, 0, 0]].concat();
    client.stream.write_all(&init).unwrap();
    let steps = step(&sid).repeat(1000);
    let (mut input, mut output) = (client.stream.try_clone().unwrap(), client.stream);
    let mut buffer = vec![0; 1 << 20];
    let reads = std::thread::spawn(move || while input.read(&mut buffer).is_ok_and(|count| count > 0) {});
    [std::thread::spawn(move || while output.write_all(&steps).is_ok() {}), reads]
}

/// A put that is refused, since nothing takes it.
fn refused_put(sid: &[u8]) -> Vec<u8> {
    let put = [&[0xCA, 2, 0, 11, 19, 0, 0, 0][..], sid, &[2, 0, 0, 0, 0, 1, 2], &[0; 8]];
    put.concat()
}

/// A monitor that is made, started and destroyed.
fn short_monitor(sid: &[u8]) -> Vec<u8> {
    let step = |command: u8, body: &[u8]| {
        let size = 8 + body.len() as u8;
        [&[0xCA, 2, 0, command, size, 0, 0, 0][..], sid, &[3, 0, 0, 0], body].concat()
    };
    [step(13, &[8, 0x80, 0, 0]), step(13, &[0x44]), step(15, &[])].concat()
}

/// Each connection has its turn beside all others. Without turns this client is never answered.
#[test]
fn who_asks_now_and_then_is_answered_beside_clients_that_flood() {
    let server = number_server(ServerConfig::loopback());
    let floods: Vec<_> = (0..20)
        .flat_map(|number| match number % 4 {
            0 => flood(&server, short_monitor),
            _ => flood(&server, refused_put),
        })
        .collect();
    let mut client = Connection::new(&server);
    client.stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
    hello(&mut client);
    for asked in 0..50 {
        client.stream.write_all(&[0xCA, 2, 0, 2, 1, 0, 0, 0, asked]).unwrap();
        assert_eq!(client.answer(2)[8..], [asked]);
    }
    assert!(server.statistics().puts > 50);
    drop(server);
    floods.into_iter().for_each(|thread| thread.join().unwrap());
}
