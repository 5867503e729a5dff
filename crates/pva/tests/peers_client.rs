//! The client with servers of other implementations: pvxs (p4p), pvAccessCPP (pvaPy), QSRV.

#![cfg(feature = "client")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig, Error, Event, Put, get_many};
use livetime_pva::data::{Field, ScalarType, Type, Value};
use livetime_pva::net::{Destination, has_ipv6};
use livetime_pva::nt;
use livetime_pva::wire::{Buffer, BufferSource};

const LONG: Duration = livetime_testkit::HANG;

/// The Python with p4p and pvaPy that `tools/peers.sh` makes.
fn python() -> Option<PathBuf> {
    livetime_testkit::python("")
}

fn free_udp_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    udp: u16,
    port: u16,
}

impl Peer {
    fn script(script: &str, udp: u16, arguments: &[&str]) -> Option<Peer> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
        let udp_text = udp.to_string();
        let all = [&[path.to_str().unwrap(), &udp_text], arguments].concat();
        Peer::start(&all, udp)
    }

    fn start(arguments: &[&str], udp: u16) -> Option<Peer> {
        Peer::start_at("127.0.0.1", arguments, udp)
    }

    fn start_at(address: &str, arguments: &[&str], udp: u16) -> Option<Peer> {
        let udp_text = udp.to_string();
        let mut child = Command::new(python()?)
            .args(arguments)
            .envs([
                ("EPICS_PVAS_INTF_ADDR_LIST", address),
                ("PVXS_ENABLE_IPV6", "YES"),
                ("EPICS_PVA_ADDR_LIST", "127.0.0.1"),
                ("EPICS_PVA_AUTO_ADDR_LIST", "NO"),
                ("EPICS_PVAS_BEACON_ADDR_LIST", "127.255.255.255"),
                ("EPICS_PVAS_AUTO_BEACON_ADDR_LIST", "NO"),
                ("EPICS_PVAS_BROADCAST_PORT", &udp_text),
                ("EPICS_PVA_BROADCAST_PORT", &udp_text),
                ("EPICS_PVAS_SERVER_PORT", "0"),
                ("EPICS_PVA_SERVER_PORT", "0"),
                ("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1"),
                ("EPICS_CAS_SERVER_PORT", "0"),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        Some(Peer { child, stdin, stdout: BufReader::new(stdout), udp, port: 0 })
    }

    fn p4p(arguments: &[&str]) -> Option<Peer> {
        Peer::p4p_at(free_udp_port(), arguments)
    }

    fn p4p_at(udp: u16, arguments: &[&str]) -> Option<Peer> {
        let port = if arguments.is_empty() { &["0"][..] } else { arguments };
        Peer::script("types_pvxs.py", udp, port)?.ready()
    }

    fn pvapy() -> Option<Peer> {
        Peer::script("types_pvaccesscpp.py", free_udp_port(), &[])?.ready()
    }

    fn ready(mut self) -> Option<Peer> {
        let line = self.line();
        self.port = line.strip_prefix("PORT ").and_then(|port| port.parse().ok()).unwrap_or_else(|| {
            panic!("the peer said {line:?} and not its port");
        });
        Some(self)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().into()
    }

    fn ask(&mut self, command: &str) {
        self.tell(command);
        assert_eq!(self.line(), "OK");
    }

    fn tell(&mut self, command: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{command}").unwrap();
    }

    fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    fn client(&self) -> Client {
        Client::new(ClientConfig::loopback(self.udp)).unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn get(client: &Client, name: &str) -> Value {
    client.channel(name).get().wait(LONG).unwrap_or_else(|error| panic!("{name}: {error}"))
}

const NAMES: [(&str, ScalarType); 12] = [
    ("bool", ScalarType::Bool),
    ("b", ScalarType::I8),
    ("Bu", ScalarType::U8),
    ("h", ScalarType::I16),
    ("Hu", ScalarType::U16),
    ("i", ScalarType::I32),
    ("Iu", ScalarType::U32),
    ("l", ScalarType::I64),
    ("Lu", ScalarType::U64),
    ("f", ScalarType::F32),
    ("d", ScalarType::F64),
    ("s", ScalarType::Str),
];

#[test]
fn pvxs_every_type_is_read_and_written() {
    let Some(peer) = Peer::p4p(&[]) else { return };
    let client = peer.client();
    let scalars = [
        Field::Bool(true),
        Field::I8(-8),
        Field::U8(200),
        Field::I16(-300),
        Field::U16(60000),
        Field::I32(-70000),
        Field::U32(4_000_000_000),
        Field::I64(-(1 << 60)),
        Field::U64((1 << 63) + 5),
        Field::F32(0.5),
        Field::F64(4.25),
        Field::Str("text".into()),
    ];
    for ((name, kind), expected) in NAMES.into_iter().zip(scalars) {
        let name = format!("scalar:{name}");
        let channel = client.channel(&name);
        let value = get(&client, &name);
        assert!(nt::is(value.id(), "NTScalar"));
        assert_eq!(value.get("value"), Some(&expected), "{name}");
        assert!(value.i64("alarm.severity").is_some() && nt::time_of(&value, "timeStamp").is_some());
        channel.put(("value", "1")).wait(LONG).unwrap();
        let again = get(&client, &name);
        let one = Field::from("1");
        let read = again.get("value").unwrap();
        assert!(read.as_f64() == Some(1.0) || *read == one, "{name} {read:?}");
        assert_eq!(
            client.channel(&name).info().wait(LONG).unwrap().as_structure().unwrap(),
            value.structure()
        );
        let ty = &value.structure().nodes()[1].ty;
        assert_eq!(*ty, Type::Scalar(kind));
    }
    for (name, kind) in NAMES {
        let name = format!("array:{name}");
        let value = get(&client, &name);
        assert!(nt::is(value.id(), "NTScalarArray"));
        if kind == ScalarType::Str {
            assert_eq!(value.get("value").unwrap().as_strings().unwrap(), ["one", "two", ""]);
            client.channel(&name).put(("value", &["x", "y"][..])).wait(LONG).unwrap();
            assert_eq!(get(&client, &name).get("value").unwrap().as_strings().unwrap(), ["x", "y"]);
            continue;
        }
        let numbers: Vec<f64> = value.array("value").unwrap().iter_f64().collect();
        let expected: &[f64] =
            if kind == ScalarType::Bool { &[0., 1., 1., 1., 1.] } else { &[0., 1., 2., 3., 4.] };
        assert_eq!(numbers, expected, "{name}");
        assert_eq!(value.array("value").unwrap().kind(), kind);
        client.channel(&name).put(("value", vec![1u8, 0, 1])).wait(LONG).unwrap();
        let again = get(&client, &name);
        assert_eq!(again.array("value").unwrap().iter_f64().collect::<Vec<_>>(), [1., 0., 1.]);
    }
}

/// Checks the values of the special PVs of both kinds of servers.
fn check_structures(client: &Client, image: (usize, usize)) {
    let enumerated = get(client, "enum");
    assert_eq!((enumerated.id(), enumerated.i64("value.index")), ("epics:nt/NTEnum:1.0", Some(1)));
    assert_eq!(enumerated.get("value.choices").unwrap().as_strings().unwrap(), ["Off", "On", "Broken"]);
    let channel = client.channel("enum");
    for (put, index) in [(Field::from("Broken"), 2), (Field::from(0), 0), (Field::from("1"), 1)] {
        channel.put(("value", put)).wait(LONG).unwrap();
        assert_eq!(get(client, "enum").i64("value.index"), Some(index));
    }
    let wrong = channel.put(("value", "Perhaps")).wait(LONG).unwrap_err().to_string();
    assert!(wrong.contains(r#"one of the choices ["Off", "On", "Broken"]"#), "{wrong}");

    let odd = get(client, "odd");
    assert_eq!(odd.get("structs").unwrap().as_values().unwrap().len(), 2);
    assert_eq!(odd.get("structs").unwrap().as_values().unwrap()[1].as_ref().unwrap().f64("y"), Some(4.0));
    assert!(odd.to_string().contains("chosen"), "{odd}");

    let value = get(client, "image");
    assert!(nt::is(value.id(), "NTNDArray"));
    let pixels = value.array("value").unwrap();
    assert_eq!((pixels.kind(), pixels.len()), (ScalarType::U16, image.0 * image.1));
    let pixels = pixels.elements::<u16>().unwrap();
    assert!(pixels.iter().enumerate().all(|(index, &pixel)| pixel == index as u16));
    let sizes = value.get("dimension").unwrap().as_values().unwrap().iter().flatten();
    assert_eq!(sizes.map(|d| d.i64("size").unwrap() as usize).collect::<Vec<_>>(), [image.0, image.1]);
}

#[test]
fn pvxs_structures_and_refusals() {
    let Some(peer) = Peer::p4p(&[]) else { return };
    let client = peer.client();
    check_structures(&client, (640, 480));
    let table = get(&client, "table");
    assert_eq!(table.get("labels").unwrap().as_strings().unwrap(), ["a", "b"]);
    assert_eq!(table.get("value.b").unwrap().as_strings().unwrap(), ["x", "y"]);
    let large = get(&client, "array:large");
    assert_eq!(large.array("value").unwrap().elements::<f64>().unwrap()[99_999], 99_999.0);
    let put: Vec<f64> = (0..200_000).map(f64::from).collect();
    client.channel("array:large").put(("value", put)).wait(LONG).unwrap();
    assert_eq!(get(&client, "array:large").array("value").unwrap().len(), 200_000);

    let refused = client.channel("refused").put(("value", 1)).wait(LONG).unwrap_err();
    assert_eq!(refused.to_string(), "the server refused: not today");
    let nothing = client.channel("scalar:d").get_with("field(nosuch)").wait(LONG).unwrap_err();
    assert!(nothing.to_string().contains("at least one field"), "{nothing}");
    let part = client.channel("scalar:d").get_with("field(value)").wait(LONG).unwrap();
    assert_eq!(part.f64("value"), Some(4.25));
    let wrong = client.channel("scalar:d").put(("nosuch", 1)).wait(LONG).unwrap_err();
    assert!(wrong.to_string().contains("`nosuch`"), "{wrong}");
    let several = Put::field("value", 5.5).and("alarm.message", "by hand");
    client.channel("scalar:d").put(several).wait(LONG).unwrap();
    assert_eq!(get(&client, "scalar:d").str("alarm.message"), Some("by hand"));
    let syntax = client.channel("scalar:d").get_with("field(").wait(LONG).unwrap_err();
    assert!(matches!(syntax, Error::Invalid(_)), "{syntax}");
}

#[test]
fn pvaccesscpp_every_type_is_read_and_written() {
    let Some(peer) = Peer::pvapy() else { return };
    let client = peer.client();
    for (name, kind) in NAMES {
        let scalar = get(&client, &format!("scalar:{name}"));
        assert_eq!(scalar.structure().nodes()[1].ty, Type::Scalar(kind));
        if kind != ScalarType::Str {
            let expected = if kind == ScalarType::Bool { 1.0 } else { 7.0 };
            assert_eq!(scalar.f64("value"), Some(expected), "{name}");
        }
        let channel = client.channel(&format!("scalar:{name}"));
        channel.put(("value", "1")).wait(LONG).unwrap();
        let part = channel.get_with("value").wait(LONG).unwrap();
        assert_eq!(part.structure().len(), 2, "narrowed");
        let read = part.get("value").unwrap();
        assert!(read.as_f64() == Some(1.0) || read.as_str() == Some("1"), "{name} {read:?}");
        let array = get(&client, &format!("array:{name}"));
        match kind {
            ScalarType::Str => assert_eq!(array.get("value").unwrap().as_strings().unwrap(), ["a", "b", ""]),
            _ => assert_eq!(array.array("value").unwrap().len(), 3),
        }
        assert!(channel.info().wait(LONG).unwrap().as_structure().is_some());
    }
    check_structures(&client, (300, 200));
    let large = get(&client, "array:large");
    let numbers = large.array("value").unwrap().elements::<f64>().unwrap().into_owned();
    assert!(numbers.len() == 50_000 && numbers.iter().enumerate().all(|(i, &v)| v == i as f64));
    assert_eq!(large.i64("after"), Some(5));

    let both = client.channel("counter").put_get("putField(value)getField(value)", ("value", 9)).wait(LONG);
    assert_eq!(both.unwrap().i64("value"), Some(9));
    client.channel("counter").process().wait(LONG).unwrap();
    let mut again = client.channel("counter").get_request("").unwrap();
    for _ in 0..3 {
        // The server sends only what changed since the time before.
        assert_eq!(again.get(LONG).unwrap().i64("value"), Some(9));
    }
}

fn call(client: &Client, name: &str, arguments: &[(&str, f64)]) -> Result<Option<f64>, Error> {
    let types: Vec<_> = arguments.iter().map(|(name, _)| (*name, Type::Scalar(ScalarType::F64))).collect();
    let mut uri = Value::new(&nt::uri(&types).unwrap());
    uri.set("scheme", "pva").unwrap();
    uri.set("path", name).unwrap();
    for (name, value) in arguments {
        uri.set(&format!("query.{name}"), *value).unwrap();
    }
    let answer = client.channel(name).rpc(uri).wait(LONG)?;
    Ok(answer.and_then(|answer| answer.as_value()?.f64("value")))
}

#[test]
fn procedures_are_called() {
    let Some(pvxs) = Peer::p4p(&[]) else { return };
    let Some(cpp) = Peer::pvapy() else { return };
    for client in [pvxs.client(), cpp.client()] {
        assert_eq!(call(&client, "call:add", &[("lhs", 1.5), ("rhs", 2.0)]).unwrap(), Some(3.5));
    }
    let failed = call(&pvxs.client(), "call:fail", &[]).unwrap_err();
    assert!(failed.to_string().contains("Error handling RPC"), "{failed}");
}

/// The servers that answer within a second, asked again while there are fewer: a busy machine may need longer.
fn servers_of(client: &Client, count: usize) -> Vec<livetime_pva::client::Server> {
    let ask = || client.servers(Duration::from_secs(1));
    (0..LONG.as_secs()).map(|_| ask()).find(|servers| servers.len() >= count).unwrap_or_else(ask)
}

#[test]
fn servers_and_names_are_listed() {
    let Some(pvxs) = Peer::p4p(&[]) else { return };
    let client = pvxs.client();
    let servers = servers_of(&client, 1);
    assert_eq!(servers.len(), 1, "{servers:?}");
    assert_eq!(servers[0].address, pvxs.address());
    let names = client.names(pvxs.address()).unwrap().wait(LONG).unwrap();
    assert!(names.contains(&"scalar:d".to_string()) && names.len() > 20);
    let info = client.server_info(pvxs.address()).unwrap().wait(LONG).unwrap();
    assert!(info.str("implLang").is_some(), "{info}");

    let Some(cpp) = Peer::pvapy() else { return };
    let client = cpp.client();
    let servers = servers_of(&client, 2);
    assert_eq!(servers.len(), 2, "records and calls have a server each: {servers:?}");
    let names = servers.iter().flat_map(|s| client.names(s.address).unwrap().wait(LONG).unwrap_or_default());
    assert!(names.collect::<Vec<_>>().contains(&"enum".to_string()));
}

fn follow(peer: &mut Peer, request: &str, count: i64) -> Vec<i64> {
    let client = peer.client();
    let mut monitor = client.channel("counter").monitor(request).unwrap();
    assert!(matches!(monitor.next(LONG).unwrap(), Some(Event::Connected { server: Some(_) })));
    let Some(Event::Update(first)) = monitor.next(LONG).unwrap() else { panic!("no first update") };
    let mut seen = vec![first.value.i64("value").unwrap()];
    peer.ask(&format!("count counter {count}"));
    let patience = if peer.port == 0 { Duration::from_secs(1) } else { LONG };
    while seen.last() != Some(&count) {
        match monitor.next(patience).unwrap() {
            Some(Event::Update(update)) => seen.push(update.value.i64("value").unwrap()),
            // pvDatabase keeps what came while its queue was full until the next value comes.
            None if peer.port == 0 => peer.ask(&format!("post counter {count}")),
            other => {
                panic!("{request} at {:?}: {other:?} after {seen:?}", client.channel("counter").server())
            }
        }
    }
    seen
}

#[test]
fn changes_are_followed_with_and_without_a_window() {
    for (name, peer) in [("pvxs", Peer::p4p(&[])), ("pvAccessCPP", Peer::pvapy())] {
        let Some(mut peer) = peer else { return };
        for request in ["field(value)", "record[pipeline=true,queueSize=4]", "record[queueSize=100]value"] {
            let seen = follow(&mut peer, request, 50);
            assert!(seen.is_sorted(), "{name} {seen:?}");
            assert!(seen.len() >= 2);
            peer.ask("post counter 0");
        }
    }
}

#[test]
fn a_monitor_goes_on_after_the_server_was_away_and_tells_the_gap() {
    let Some(peer) = Peer::p4p(&[]) else { return };
    let (udp, client) = (peer.udp, peer.client());
    let channel = client.channel("counter");
    let mut monitor = channel.monitor("").unwrap();
    let mut prepared = channel.get_request("").unwrap();
    assert!(prepared.get(LONG).is_ok());
    let Some(Event::Connected { server: Some(first) }) = monitor.next(LONG).unwrap() else {
        panic!("no server")
    };
    assert!(matches!(monitor.next(LONG).unwrap(), Some(Event::Update(_))));
    drop(peer);
    assert_eq!(monitor.next(LONG).unwrap(), Some(Event::Disconnected { is_closed: false }));
    let late = channel.get().wait(Duration::from_millis(300)).unwrap_err().to_string();
    assert!(late.contains("searched") && late.contains(&format!("127.0.0.1:{udp}")), "{late}");
    let put = channel.put(("value", 5));
    let mut peer = Peer::p4p_at(udp, &[]).unwrap();
    let Some(Event::Connected { server: Some(second) }) = monitor.next(LONG).unwrap() else {
        panic!("no server")
    };
    assert_ne!(first, second, "another process has another identity");
    put.wait(LONG).unwrap();
    peer.ask("post counter 77");
    assert_eq!(prepared.get(LONG).unwrap().i64("value"), Some(77));
    loop {
        match monitor.next(LONG).unwrap() {
            Some(Event::Update(update)) if update.value.i64("value") == Some(77) => break,
            Some(Event::Update(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_channel_that_the_server_closes_is_opened_again() {
    let Some(mut peer) = Peer::p4p(&[]) else { return };
    let client = peer.client();
    let mut monitor = client.channel("counter").monitor("").unwrap();
    assert!(matches!(monitor.next(LONG).unwrap(), Some(Event::Connected { server: Some(_) })));
    peer.ask("close counter");
    let mut events = Vec::new();
    while !events.ends_with(&["connected"]) {
        events.push(match monitor.next(LONG).unwrap().unwrap() {
            Event::Connected { .. } => "connected",
            Event::Disconnected { is_closed: true } => "disconnected",
            Event::Disconnected { is_closed: false } => "lost",
            Event::Update(_) => "update",
            Event::Ended(_) => "ended",
        });
    }
    assert!(events.contains(&"disconnected"), "{events:?}");
}

#[test]
fn pvxs_is_found_and_read_by_ipv6() {
    if !has_ipv6() {
        return livetime_testkit::skip("machine/ipv6", "this machine has no ::1");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/p4p_neighbour.py");
    let udp = free_udp_port();
    let Some(mut peer) = Peer::start_at("::1", &[script.to_str().unwrap()], udp) else { return };
    assert_eq!(peer.line(), "ready");
    for entry in ["::1", "[::1%lo]"] {
        let search = vec![Destination::parse(entry, udp).unwrap()];
        let client = Client::new(ClientConfig { search, ..ClientConfig::loopback(udp) }).unwrap();
        assert_eq!(get(&client, "theirs").i64("value"), Some(17));
        let servers = servers_of(&client, 1);
        assert_eq!(servers.len(), 1);
        assert!(servers[0].address.ip().is_loopback() && servers[0].address.is_ipv6());
        assert_eq!(client.names(servers[0].address).unwrap().wait(LONG).unwrap(), ["theirs"]);
    }
}

#[test]
fn a_name_server_is_enough() {
    let Some(mut peer) = Peer::p4p(&[]) else { return };
    let client = Client::new(ClientConfig::name_servers(&[peer.address()])).unwrap();
    let channel = client.channel("counter");
    assert_eq!(channel.get().wait(LONG).unwrap().i64("value"), Some(0));
    peer.ask("post counter 3");
    assert_eq!(channel.get().wait(LONG).unwrap().i64("value"), Some(3));
    let nowhere = client.channel("nosuch").get().wait(Duration::from_millis(200)).unwrap_err().to_string();
    assert!(nowhere.contains(&peer.address().to_string()), "{nowhere}");
}

#[test]
fn ten_thousand_channels_are_read_together() {
    let Some(peer) = Peer::p4p(&["0", "10000"]) else { return };
    let client = peer.client();
    let names = (0..10_000).map(|number| format!("many:{number}"));
    let start = Instant::now();
    let requests = names.map(|name| client.channel(&name).get_request("").unwrap());
    let mut requests: Vec<_> = requests.collect();
    get_many(&mut requests, 3 * LONG).unwrap();
    eprintln!("connect and first get of 10000 channels of pvxs: {:?}", start.elapsed());
    for round in 0..3 {
        let start = Instant::now();
        get_many(&mut requests, LONG).unwrap();
        eprintln!("round {round}: {:?}", start.elapsed());
        let right = |(number, request): (usize, &livetime_pva::client::GetRequest)| {
            request.value().unwrap().f64("value") == Some(number as f64)
        };
        assert!(requests.iter().enumerate().all(right));
    }
}

#[test]
fn many_threads_share_a_connection() {
    let Some(peer) = Peer::p4p(&["0", "8"]) else { return };
    let client = peer.client();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                let mut request = client.channel(&format!("many:{thread}")).get_request("value").unwrap();
                for _ in 0..500 {
                    assert_eq!(request.get(LONG).unwrap().f64("value"), Some(f64::from(thread)));
                }
            });
        }
    });
}

#[test]
fn whoever_spins_gets_the_same() {
    let Some(peer) = Peer::p4p(&[]) else { return };
    let client = Client::new(ClientConfig { spin: true, ..ClientConfig::loopback(peer.udp) }).unwrap();
    let mut request = client.channel("scalar:d").get_request("").unwrap();
    (0..1000).for_each(|_| assert_eq!(request.get(LONG).unwrap().f64("value"), Some(4.25)));
    let late = client.channel("nosuch").get().wait(Duration::from_millis(50));
    assert!(matches!(late, Err(Error::Timeout(_))));
}

struct Pool(AtomicUsize);

struct Slot(Vec<u8>, Arc<AtomicUsize>);

impl BufferSource for Pool {
    fn buffer(&self, len: usize) -> Option<Box<dyn Buffer>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(Box::new(Slot(vec![0; len], Arc::default())))
    }
}

impl Buffer for Slot {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.1.fetch_add(1, Ordering::Relaxed);
        &mut self.0
    }
}

#[test]
fn images_are_received_into_the_memory_of_the_caller() {
    let Some(peer) = Peer::p4p(&[]) else { return };
    let pool = Arc::new(Pool(AtomicUsize::new(0)));
    let buffers: Arc<dyn BufferSource> = Arc::clone(&pool) as _;
    let client = Client::new(ClientConfig { buffers, ..ClientConfig::loopback(peer.udp) }).unwrap();
    let channel = client.channel("image");
    for round in 1..=3 {
        let value = channel.get().wait(LONG).unwrap();
        assert_eq!(pool.0.load(Ordering::Relaxed), round);
        // From the second time on it is known where the pixels begin, and they lie where they can be read.
        let pixels = value.array("value").unwrap();
        assert!(round == 1 || pixels.as_slice::<u16>().is_some());
        assert_eq!(pixels.len(), 640 * 480);
    }
}

#[test]
fn callbacks_are_called_and_futures_woken_without_a_waiter() {
    let Some(mut peer) = Peer::p4p(&[]) else { return };
    let client = peer.client();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (copy, inner) = (Arc::clone(&seen), client.clone());
    let monitor = client.channel("counter").subscribe("", move |event| {
        // The client may be used in a callback.
        let _ = inner.channel("enum").name();
        if let Event::Update(update) = event {
            copy.lock().unwrap().push(update.value.i64("value").unwrap());
        }
    });
    let _monitor = monitor.unwrap();
    let value = block_on(client.channel("scalar:d").get()).unwrap();
    assert_eq!(value.f64("value"), Some(4.25));
    let mut other = client.channel("counter").monitor("").unwrap();
    assert!(matches!(block_on(other.event()), Ok(Event::Connected { .. })));
    peer.ask("post counter 5");
    let deadline = Instant::now() + LONG;
    while seen.lock().unwrap().last() != Some(&5) {
        assert!(Instant::now() < deadline, "{:?}", seen.lock().unwrap());
        std::thread::sleep(Duration::from_millis(5));
    }
    loop {
        match block_on(other.event()).unwrap() {
            Event::Update(update) if update.value.i64("value") == Some(5) => break,
            _ => {}
        }
    }
    // Cancelled: nothing happens.
    drop(client.channel("scalar:d").get());
    drop(client.channel("nosuch").get());
    assert!(client.channel("scalar:d").get().wait(LONG).is_ok());
}

struct Unpark(std::thread::Thread);

impl std::task::Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park_timeout(LONG),
        }
    }
}

fn ioc(module: &str) -> Option<Peer> {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/records.db");
    Peer::start(&["-m", module, "-d", records.to_str().unwrap()], free_udp_port())
}

#[test]
fn records_are_read_written_and_processed() {
    for module in ["pvxslibs.ioc", "epicscorelibs.ioc"] {
        let Some(peer) = ioc(module) else { return };
        let client = peer.client();
        let ai = get(&client, "q:ai");
        assert_eq!((ai.f64("value"), ai.str("display.units")), (Some(1.5), Some("mm")), "{module}");
        let mode = get(&client, "q:mode");
        assert_eq!(
            mode.get("value.choices").unwrap().as_strings().unwrap(),
            ["Single", "Continuous", "Stop"]
        );
        client.channel("q:mode").put(("value", "Stop")).wait(LONG).unwrap();
        assert_eq!(get(&client, "q:mode").i64("value.index"), Some(2));
        let mut monitor = client.channel("q:ai").monitor("").unwrap();
        assert!(matches!(monitor.next(LONG).unwrap(), Some(Event::Connected { server: Some(_) })));
        let Some(Event::Update(first)) = monitor.next(LONG).unwrap() else { panic!("no update") };
        assert_eq!(first.value.str("display.units"), Some("mm"));
        client
            .channel("q:ai")
            .put_with("record[process=true,block=true]", ("value", 50.0))
            .wait(LONG)
            .unwrap();
        let Some(Event::Update(update)) = monitor.next(LONG).unwrap() else { panic!("no update") };
        assert_eq!(update.value.f64("value"), Some(50.0));
        assert_eq!(update.value.i64("alarm.severity"), Some(1), "{module} {}", update.value);
        assert_eq!(update.value.str("display.units"), Some("mm"));
        client.channel("q:wave").put(("value", vec![1.0, 2.0])).wait(LONG).unwrap();
        assert_eq!(get(&client, "q:wave").array("value").unwrap().as_slice::<f64>(), Some(&[1.0, 2.0][..]));
        client.channel("q:long").put(("value", "12")).wait(LONG).unwrap();
        assert_eq!(get(&client, "q:long.VAL").i64("value"), Some(12));
        assert_eq!(get(&client, "q:text").str("value"), Some("hello"));
        let too_many = client.channel("q:long").put(("value", "many")).wait(LONG).unwrap_err();
        assert!(too_many.to_string().contains("int32_t"), "{too_many}");
    }
}
