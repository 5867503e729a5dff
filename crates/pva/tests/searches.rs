//! Searches by IPv4 and IPv6 over loopback, asked for politely and not. Where there is no IPv6 they say so and pass.

#![cfg(all(feature = "client", feature = "server", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test fails by panicking")]

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::data::{ScalarType, Value};
use livetime_pva::net::{Destination, has_ipv6};
use livetime_pva::nt;
use livetime_pva::proto::{Search, ServerMessage};
use livetime_pva::server::{Limits, PvMap, Server, ServerConfig, SharedPv};
use livetime_pva::wire::{Assembler, Order, Writer};
use livetime_testkit::wait_until;

const LONG: Duration = livetime_testkit::HANG;
const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

fn ipv6() -> bool {
    let there = has_ipv6();
    if !there {
        livetime_testkit::skip("machine/ipv6", "this machine has no ::1");
    }
    there
}

fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn pvs() -> PvMap {
    let pvs = PvMap::new();
    let mut value = Value::new(&nt::scalar(ScalarType::I64));
    value.set("value", 42).unwrap();
    pvs.add("here", SharedPv::new(value));
    pvs
}

fn config(addresses: &[IpAddr], port: u16) -> ServerConfig {
    ServerConfig { addresses: addresses.to_vec(), udp_port: Some(port), ..ServerConfig::loopback() }
}

fn client(search: &[&str], port: u16) -> Client {
    let search = search.iter().map(|entry| Destination::parse(entry, port).unwrap()).collect();
    Client::new(ClientConfig { search, ..ClientConfig::loopback(port) }).unwrap()
}

fn read(client: &Client) -> Option<i64> {
    client.channel("here").get().wait(LONG).unwrap().i64("value")
}

fn datagram(names: &[(u32, Cow<'_, str>)], flags: u8, port: u16) -> Vec<u8> {
    let mut writer = Writer::new(Order::Big);
    Search::of(names, flags, port).encode(&mut writer).unwrap();
    writer.to_vec()
}

/// The server that an answer names, and the address that it came from.
fn answer(socket: &UdpSocket) -> (SocketAddr, IpAddr) {
    let mut buffer = [0; 1500];
    let (count, from) = socket.recv_from(&mut buffer).unwrap();
    let (mut assembler, mut rest) = (Assembler::new(1500), &buffer[..count]);
    let message = assembler.next(&mut rest).unwrap().unwrap();
    match ServerMessage::decode(message.header.command, message.reader()).unwrap() {
        ServerMessage::SearchResponse(response) => {
            (SocketAddr::new(response.address, response.port), from.ip())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_is_found_by_ipv6() {
    if !ipv6() {
        return;
    }
    let port = free_port();
    let server = Server::start(config(&[V6], port), pvs()).unwrap();
    assert_eq!(server.tcp_address().ip(), V6);
    for search in [["::1"], [&*format!("[::1]:{port}")]] {
        assert_eq!(read(&client(&search, port)), Some(42));
    }
}

#[test]
fn one_server_has_both_kinds_of_addresses() {
    if !ipv6() {
        return;
    }
    let port = free_port();
    let server = Server::start(config(&[V4, V6], port), pvs()).unwrap();
    let ports: Vec<u16> = server.tcp_addresses().iter().map(SocketAddr::port).collect();
    assert_eq!(ports, [ports[0]; 2]);
    for address in [V4, V6] {
        let client = client(&[&address.to_string()], port);
        assert_eq!(read(&client), Some(42));
        let mut found = Vec::new();
        wait_until("a server answers", || {
            found = client.servers(Duration::from_millis(300));
            !found.is_empty()
        });
        assert_eq!(
            found.iter().map(|server| server.address).collect::<Vec<_>>(),
            [(address, ports[0]).into()]
        );
    }
}

#[test]
fn a_port_taken_at_one_address_is_another_at_all() {
    if !ipv6() {
        return;
    }
    let taken = TcpListener::bind((V6, 0)).unwrap();
    let tcp_port = taken.local_addr().unwrap().port();
    let server = Server::start(ServerConfig { tcp_port, ..config(&[V4, V6], free_port()) }, pvs()).unwrap();
    let ports: Vec<u16> = server.tcp_addresses().iter().map(SocketAddr::port).collect();
    assert!(ports.len() == 2 && ports[0] == ports[1] && ports[0] != tcp_port, "{ports:?}");
}

// By IPv4 only: the loopback of Linux carries no groups of IPv6.
#[test]
fn a_group_is_searched() {
    let port = free_port();
    let group = Destination::parse("224.0.1.1,0@127.0.0.1", port).unwrap();
    let config = ServerConfig { groups: vec![group], beacons: vec![group], ..config(&[V4], port) };
    let server = Server::start(config, pvs()).unwrap();
    assert_eq!(read(&client(&["224.0.1.1,0@127.0.0.1"], port)), Some(42));
    assert!(server.statistics().searches > 0);
}

#[test]
fn an_answer_comes_from_the_address_that_was_asked() {
    let port = free_port();
    let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let server = Server::start(config(&[any], port), pvs()).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    let names = [(1, "here".into())];
    for asked in [[127, 0, 0, 1], [127, 0, 0, 2], [127, 3, 2, 1]] {
        let own = socket.local_addr().unwrap().port();
        for flags in [0, Search::UNICAST] {
            socket.send_to(&datagram(&names, flags, own), (IpAddr::from(asked), port)).unwrap();
            let (server, from) = answer(&socket);
            assert!(server.ip().is_unspecified());
            assert_eq!(from, IpAddr::from(asked));
        }
    }
    assert_eq!(server.statistics().dropped, 0);
}

#[test]
fn a_tag_with_a_strange_address_is_not_believed() {
    let port = free_port();
    let server = Server::start(config(&[V4], port), pvs()).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut forged = Writer::new(Order::Big);
    livetime_pva::proto::origin_tag(&mut forged, Some([192, 0, 2, 1].into())).unwrap();
    let names = [(1, "here".into())];
    let search = Search { address: V4, ..Search::of(&names, 0, socket.local_addr().unwrap().port()) };
    search.encode(&mut forged).unwrap();
    let group = socket2::SockRef::from(&socket);
    group.set_multicast_if_v4(&Ipv4Addr::LOCALHOST).unwrap();
    socket.send_to(&forged.to_vec(), ("224.0.0.128", port)).unwrap();
    let end = Instant::now() + LONG;
    while server.statistics().dropped == 0 {
        assert!(Instant::now() < end, "{:?}", server.statistics());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Resident memory in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Reads as others do, all the time.
struct Bystander {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<usize>>,
}

impl Bystander {
    fn start(server: SocketAddr) -> Bystander {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let client = Client::new(ClientConfig::name_servers(&[])).unwrap();
        let read_on = move || {
            let mut get = client.channel_at(server, "here").get_request("").unwrap();
            let mut count = 0;
            while !stopped.load(Ordering::Relaxed) {
                assert_eq!(get.get(LONG).unwrap().i64("value"), Some(42));
                count += 1;
            }
            count
        };
        Bystander { stop, thread: Some(std::thread::spawn(read_on)) }
    }

    fn finish(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

const MILLION: u64 = 1_000_000;

/// A million searches in datagrams, at most `per_second` of which are answered.
fn a_million_searches(per_second: u32) {
    let port = free_port();
    let limits = Limits { searches: per_second, ..Limits::default() };
    let server = Server::start(ServerConfig { limits, ..config(&[V4], port) }, pvs()).unwrap();
    let bystander = Bystander::start(server.tcp_address());
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let own = socket.local_addr().unwrap().port();
    let searches: Vec<Vec<u8>> = (0..64)
        .map(|i| {
            let names = [(i, Cow::from("here")), (i + 1, format!("nobody:{i}").into())];
            datagram(&names, Search::MUST_REPLY, own)
        })
        .collect();
    let before = resident();
    let handled = || {
        let counted = server.statistics();
        counted.searches + counted.dropped
    };
    let (mut sent, mut lost) = (0, 0);
    while sent < MILLION {
        for search in &searches {
            socket.send_to(search, ("127.0.0.1", port)).unwrap();
            sent += 1;
        }
        // The server, and not its socket, has to cope with them: the socket holds some 200. The ones that are not handled
        // a second after the one before them are lost.
        let mut newest = (handled(), Instant::now());
        while newest.0 + lost + 128 < sent {
            std::thread::yield_now();
            match handled() {
                now if now > newest.0 => newest = (now, Instant::now()),
                now if newest.1.elapsed() > Duration::from_secs(1) => lost = sent - now,
                _ => {}
            }
        }
    }
    assert!(handled() > MILLION / 2, "{:?} of {sent}", server.statistics());
    assert!(resident() < before + (16 << 20), "{} bytes grew to {}", before, resident());
    assert!(bystander.finish() > 0);
    // The server learns of the end a little later.
    let end = Instant::now() + LONG;
    while server.statistics().connections > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(server.statistics().connections, 0);
    assert_eq!(read(&client(&["127.0.0.1"], port)), Some(42));
}

#[test]
fn a_million_searches_that_are_too_many() {
    a_million_searches(1000);
}

#[test]
fn a_million_searches_that_are_answered() {
    a_million_searches(u32::MAX);
}
