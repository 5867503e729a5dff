//! Other implementations as clients of our server. Without them the tests say so and pass.

#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, Ipv6Addr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use livetime_pva::data::{Array, Builder, Chosen, Dynamic, Field, ScalarType, Type, Value};
use livetime_pva::net::{Destination, has_ipv6};
use livetime_pva::nt;
use livetime_pva::server::{Limits, Peer, Provider, PvMap, Server, ServerConfig, SharedPv};

/// The interpreter that has the other implementations.
fn python() -> Option<PathBuf> {
    livetime_testkit::python("")
}

/// A script, with nothing in its environment about where servers are.
fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name));
    command.env("EPICS_PVA_AUTO_ADDR_LIST", "NO").env("PYTHONUNBUFFERED", "1");
    command
}

fn by_search(command: &mut Command, port: u16) {
    command.env("EPICS_PVA_ADDR_LIST", "127.0.0.1").env("EPICS_PVA_BROADCAST_PORT", port.to_string());
}

fn by_name_server(command: &mut Command, server: &Server) {
    command.env("EPICS_PVA_ADDR_LIST", "").env("EPICS_PVA_NAME_SERVERS", server.tcp_address().to_string());
    // No server listens at this port.
    command.env("EPICS_PVA_BROADCAST_PORT", free_port().to_string());
}

/// Runs it to its end, unless it hangs.
fn run(mut command: Command) -> String {
    let output = livetime_testkit::run_to_end(&mut command).unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    println!("{text}");
    text
}

fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn config(port: u16) -> ServerConfig {
    ServerConfig { udp_port: Some(port), ..ServerConfig::loopback() }
}

fn set(pv: &SharedPv, path: &str, field: impl Into<Field>) {
    pv.update(|value| value.set(path, field)).unwrap();
}

fn pvs() -> PvMap {
    let pvs = PvMap::new();
    for kind in ScalarType::ALL {
        pvs.add(format!("T:{}", kind.name()), SharedPv::writable(Value::new(&nt::scalar(kind))));
        let array = SharedPv::writable(Value::new(&nt::scalar_array(kind)));
        pvs.add(format!("T:a:{}", kind.name()), array);
    }
    let choice = SharedPv::writable(Value::new(&nt::enumerated()));
    set(&choice, "value.choices", vec!["zero".to_string(), "one".into(), "two".into()]);
    pvs.add("T:enum", choice);
    pvs.add("T:table", table());
    pvs.add("T:image:u8", image(Array::from((0..120_000).map(|i| i as u8).collect::<Vec<_>>())));
    pvs.add("T:image:u16", image(Array::from((0..120_000).map(|i| i as u16).collect::<Vec<_>>())));
    pvs.add("T:image:f64", image(Array::from((0..120_000).map(f64::from).collect::<Vec<_>>())));
    add_odd_ones(&pvs);
    add_handlers(&pvs);
    pvs
}

fn table() -> SharedPv {
    let mut value =
        Value::new(&nt::table(&[("number", ScalarType::F64), ("text", ScalarType::Str)]).unwrap());
    value.set("labels", vec!["number".to_string(), "text".into()]).unwrap();
    value.set("value.number", vec![1.0, 2.0]).unwrap();
    value.set("value.text", vec!["x".to_string(), "y".into()]).unwrap();
    SharedPv::new(value)
}

fn image(pixels: Array) -> SharedPv {
    let mut value = Value::new(&nt::ndarray());
    value.set("compressedSize", pixels.data().len() as i64).unwrap();
    value.set("uncompressedSize", pixels.data().len() as i64).unwrap();
    value.set("value", pixels).unwrap();
    value.set("uniqueId", 7).unwrap();
    let Some(Type::StructureArray(ty)) =
        value.bit("dimension").map(|bit| value.structure().nodes()[bit].ty.clone())
    else {
        panic!()
    };
    let dimension = |size: i32| {
        let mut dimension = Value::new(&ty);
        dimension.set("size", size).unwrap();
        dimension.set("fullSize", size).unwrap();
        dimension.set("binning", 1).unwrap();
        Some(dimension)
    };
    value.set("dimension", Field::StructArray(vec![dimension(400), dimension(300)])).unwrap();
    let mut mode = Value::new(&nt::attribute());
    mode.set("name", nt::COLOR_MODE).unwrap();
    mode.set("value", 0).unwrap();
    value.set("attribute", Field::StructArray(vec![Some(mode)])).unwrap();
    SharedPv::new(value)
}

fn add_odd_ones(pvs: &PvMap) {
    let add = |name: &str, ty: Type, field: Field| {
        let ty = Builder::new("").member("value", ty).member("other", ScalarType::I32).structure().unwrap();
        let pv = SharedPv::writable(Value::new(&ty));
        set(&pv, "value", field);
        pvs.add(name, pv);
    };
    let union =
        Builder::new("").member("number", ScalarType::I32).member("text", ScalarType::Str).union().unwrap();
    let chosen = |selector, field| Chosen { selector, field };
    let text = chosen(1, Field::Str("text".into()));
    add("T:union", union.clone().into(), Field::Union(Some(Box::new(text.clone()))));
    let unions = vec![Some(text), Some(chosen(0, Field::I32(1)))];
    add("T:unions", Type::UnionArray(union), Field::UnionArray(unions));
    let any = |kind: ScalarType, field: Field| Dynamic::new(kind.into(), field).unwrap();
    add("T:any", Type::Any, Field::Any(Some(Box::new(any(ScalarType::F64, Field::F64(2.5))))));
    let anys = vec![
        Some(any(ScalarType::I32, Field::I32(1))),
        Some(any(ScalarType::Str, Field::Str("b".into()))),
        None,
    ];
    add("T:anys", Type::AnyArray, Field::AnyArray(anys));
    let element =
        Builder::new("").member("a", ScalarType::I32).member("b", ScalarType::Str).structure().unwrap();
    let with = |a: i32| {
        let mut value = Value::new(&element);
        value.set("a", a).unwrap();
        Some(value)
    };
    let all = Field::StructArray(vec![with(1), None, with(3)]);
    add("T:structures", Type::StructureArray(element.clone()), all);
}

fn integer() -> Value {
    Value::new(&nt::scalar(ScalarType::I64))
}

fn add_handlers(pvs: &PvMap) {
    pvs.add("T:readonly", SharedPv::new(integer()));
    let picky = SharedPv::builder().value(integer()).on_put(|put| match put.value.i64("value") {
        Some(13) => put.refuse("never 13"),
        _ => put.post(),
    });
    pvs.add("T:picky", picky.build());
    let (go, may_go) = std::sync::mpsc::channel();
    let may_go = Arc::new(std::sync::Mutex::new(may_go));
    let slow = SharedPv::builder().value(integer()).on_put(move |put| {
        let (waits, may_go) = (put.options.block, Arc::clone(&may_go));
        std::thread::spawn(move || {
            let (pv, value) = (put.pv.clone(), put.value.clone());
            let mut put = Some(put);
            if waits {
                std::thread::sleep(Duration::from_millis(300));
            } else {
                put.take().unwrap().accept();
                may_go.lock().unwrap().recv().unwrap();
            }
            pv.post(&value, value.changed()).unwrap();
            if let Some(put) = put {
                put.accept();
            }
        });
    });
    pvs.add("T:slow", slow.build());
    let lets_go = SharedPv::builder().on_call(move |call| {
        go.send(()).unwrap();
        call.done();
    });
    pvs.add("T:go", lets_go.build());
    let sum = SharedPv::builder().on_call(|call| {
        let number = |name: &str| call.argument(name).and_then(Field::as_f64);
        match (number("a"), number("b")) {
            (Some(a), Some(b)) => {
                let mut result = Value::new(&nt::scalar(ScalarType::F64));
                result.set("value", a + b).unwrap();
                call.reply(result);
            }
            _ => call.refuse("two numbers, please"),
        }
    });
    pvs.add("T:sum", sum.build());
    let later = SharedPv::builder().on_call(|call| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            let mut result = Value::new(&nt::scalar(ScalarType::F64));
            result.set("value", call.argument("a").unwrap().as_f64().unwrap()).unwrap();
            call.reply(result);
        });
    });
    pvs.add("T:later", later.build());
    let changing = SharedPv::new(integer());
    pvs.add("T:changing", changing.clone());
    let change = SharedPv::builder().on_call(move |call| {
        let mut text = Value::new(&nt::scalar(ScalarType::Str));
        text.set("value", "now a text").unwrap();
        changing.replace(text);
        call.done();
    });
    pvs.add("T:change", change.build());
}

/// Counts until it is dropped.
struct Counter {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Counter {
    fn start(pvs: &PvMap) -> Counter {
        let pv = SharedPv::new(integer());
        pvs.add("T:counter", pv.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let count = move || {
            for number in 1..i64::MAX {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                set(&pv, "value", number);
                std::thread::sleep(Duration::from_micros(500));
            }
        };
        Counter { stop, thread: Some(std::thread::spawn(count)) }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn every_type_and_operation(name: &str, type_cache: bool, shards: usize) {
    let Some(python) = python() else { return };
    let (port, pvs) = (free_port(), pvs());
    let _counter = Counter::start(&pvs);
    let config = ServerConfig { type_cache, shards, ..config(port) };
    let server = Server::start(config, pvs).unwrap();
    let mut client = script(&python, name);
    by_search(&mut client, port);
    assert!(run(client).contains("done"));
    println!("{:?}", server.statistics());
}

#[test]
fn p4p_reads_writes_watches_and_calls() {
    every_type_and_operation("p4p_client.py", false, 1);
}

#[test]
fn p4p_knows_types_by_number() {
    every_type_and_operation("p4p_client.py", true, 2);
}

#[test]
fn pvapy_reads_writes_watches_and_calls() {
    every_type_and_operation("pvapy_client.py", true, 1);
}

#[test]
fn pvapy_is_told_types_in_full() {
    every_type_and_operation("pvapy_client.py", false, 2);
}

/// A server of one picture, which takes messages of 32 MiB.
fn picture_server(port: u16) -> Server {
    let pvs = PvMap::new();
    pvs.add("T:picture", SharedPv::writable(Value::new(&nt::ndarray())));
    let limits = Limits { message: 32 << 20, ..Limits::default() };
    Server::start(ServerConfig { limits, ..config(port) }, pvs).unwrap()
}

#[test]
fn p4p_writes_large_pictures_and_is_told_of_those_that_are_too_large() {
    let Some(python) = python() else { return };
    let port = free_port();
    let server = picture_server(port);
    let mut client = script(&python, "p4p_large.py");
    by_search(&mut client, port);
    assert!(run(client).contains("done"));
    assert_eq!(server.statistics().accepted, 1, "one connection, to the end");
}

#[cfg(feature = "client")]
#[test]
fn our_client_writes_large_pictures_and_is_told_of_those_that_are_too_large() {
    use livetime_pva::client::{Client, ClientConfig};

    let server = picture_server(free_port());
    let client = Client::new(ClientConfig::name_servers(&[server.tcp_address()])).unwrap();
    let channel = client.channel("T:picture");
    let limit = Duration::from_secs(60);
    let put = |pixels: Vec<u8>| channel.put(("value", Array::from(pixels))).wait(limit);
    let large: Vec<u8> = (0..20_000_000).map(|i| (i % 251) as u8).collect();
    put(large.clone()).unwrap();
    let read = || channel.get().wait(limit).unwrap().array("value").unwrap().data().clone();
    assert!(read() == large);
    let refused = put(vec![0; 40_000_000]).unwrap_err().to_string();
    assert!(refused.contains("wanted a message of at most 33554432 bytes, found 400000"), "{refused}");
    assert!(read() == large);
    assert_eq!(server.statistics().accepted, 1, "one connection, to the end");
}

/// Has `many:0`, `many:1` and so on, made when they are asked for.
struct Many(usize);

impl Many {
    fn number(&self, name: &str) -> Option<usize> {
        name.strip_prefix("many:")?.parse().ok().filter(|&number| number < self.0)
    }
}

impl Provider for Many {
    fn has(&self, name: &str) -> bool {
        self.number(name).is_some()
    }

    fn open(&self, name: &str, _peer: &Peer) -> Option<SharedPv> {
        let mut value = integer();
        value.set("value", self.number(name)? as i64).unwrap();
        Some(SharedPv::new(value))
    }
}

#[test]
fn ten_thousand_channels_by_search_and_by_name_server() {
    let Some(python) = python() else { return };
    let port = free_port();
    let server = Server::start(config(port), Many(10_000)).unwrap();
    for search in [true, false] {
        let mut client = script(&python, "many.py");
        client.arg("10000");
        match search {
            true => by_search(&mut client, port),
            false => by_name_server(&mut client, &server),
        }
        assert!(run(client).contains("done"));
    }
    println!("{:?}", server.statistics());
}

#[test]
fn two_servers_share_the_port_of_searches() {
    let Some(python) = python() else { return };
    let port = free_port();
    let named = |name: &str, number: i64| {
        let pvs = PvMap::new();
        let pv = SharedPv::new(integer());
        set(&pv, "value", number);
        pvs.add(name, pv);
        pvs
    };
    let _one = Server::start(config(port), named("one", 1)).unwrap();
    let _two = Server::start(config(port), named("two", 2)).unwrap();
    let _three = Server::start(config(port), named("three", 3)).unwrap();
    let mut client = script(&python, "one_get.py");
    client.args(["one", "two", "three"]);
    by_search(&mut client, port);
    assert_eq!(run(client).split_whitespace().collect::<Vec<_>>(), ["1", "2", "3"]);
}

#[test]
fn our_server_and_that_of_p4p_tell_each_other_who_is_searched() {
    let Some(python) = python() else { return };
    let port = free_port();
    let ours = |config: ServerConfig| Server::start(config, Many(5)).unwrap();
    // Of several, the kernel gives a search to one: let each of them be it.
    for first in [true, false] {
        let before = first.then(|| ours(config(port)));
        let mut server = script(&python, "p4p_neighbour.py");
        by_search(&mut server, port);
        server.env("EPICS_PVAS_INTF_ADDR_LIST", "127.0.0.1").env("EPICS_PVAS_SERVER_PORT", "0");
        server
            .env("EPICS_PVAS_AUTO_BEACON_ADDR_LIST", "NO")
            .env("EPICS_PVAS_BROADCAST_PORT", port.to_string());
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let _ours = before.unwrap_or_else(|| ours(config(port)));
        let mut client = script(&python, "one_get.py");
        client.args(["theirs", "many:3"]);
        by_search(&mut client, port);
        assert_eq!(run(client).split_whitespace().collect::<Vec<_>>(), ["17", "3"]);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

#[test]
fn a_taken_port_is_replaced_and_announced() {
    let Some(python) = python() else { return };
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free_port();
    let tcp_port = taken.local_addr().unwrap().port();
    let server = Server::start(ServerConfig { tcp_port, ..config(port) }, Many(3)).unwrap();
    assert_ne!(server.tcp_address().port(), tcp_port);
    let mut client = script(&python, "one_get.py");
    client.arg("many:2");
    by_search(&mut client, port);
    assert_eq!(run(client).trim(), "2");
}

#[test]
fn clients_come_back_when_the_server_does() {
    let Some(python) = python() else { return };
    let port = free_port();
    let pvs = PvMap::new();
    let pv = SharedPv::new(integer());
    set(&pv, "value", 1);
    pvs.add("T:back", pv.clone());
    let beacons = vec![Destination::parse("127.0.0.1", port).unwrap()];
    let config = ServerConfig { beacons, ..config(port) };
    let mut server = Some(Server::start(config.clone(), pvs.clone()).unwrap());
    let tcp_port = server.as_ref().unwrap().tcp_address().port();
    let mut client = script(&python, "follow.py");
    by_search(&mut client, port);
    let mut child = client.arg("T:back").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..=3 {
        let mut waiting: HashSet<_> = [format!("p4p {number}"), format!("pvapy {number}")].into();
        while !waiting.is_empty() {
            let line = lines.next().expect("the clients go on").unwrap();
            waiting.remove(&line);
        }
        server.take();
        set(&pv, "value", number + 1);
        server = Some(Server::start(ServerConfig { tcp_port, ..config.clone() }, pvs.clone()).unwrap());
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn p4p_finds_and_reads_by_ipv6() {
    let Some(python) = python() else { return };
    if !has_ipv6() {
        return livetime_testkit::skip("machine/ipv6", "this machine has no ::1");
    }
    let port = free_port();
    let addresses = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    let server = Server::start(ServerConfig { addresses, ..config(port) }, Many(5)).unwrap();
    for (list, name) in [("::1", "many:3"), ("[::1]:PORT 127.0.0.1", "many:4")] {
        let mut client = script(&python, "one_get.py");
        client.arg(name);
        by_search(&mut client, port);
        let list = list.replace("PORT", &port.to_string());
        client.env("EPICS_PVA_ADDR_LIST", list).env("PVXS_ENABLE_IPV6", "YES");
        assert_eq!(run(client).trim(), &name[5..]);
    }
    let mut client = script(&python, "one_get.py");
    client.arg("many:2");
    by_name_server(&mut client, &server);
    let address = server.tcp_addresses().iter().find(|address| address.is_ipv6()).unwrap().to_string();
    client.env("EPICS_PVA_NAME_SERVERS", address).env("PVXS_ENABLE_IPV6", "YES");
    assert_eq!(run(client).trim(), "2");
}
