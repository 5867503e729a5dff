//! Any bytes, cut anywhere, from sockets to a whole client: answers to its searches, then up to three connections
//! that it makes because of them. Whatever they say, afterwards the client finds a good server and reads.
//!
//! The input is a row of pieces: a byte that says what (2 bits; 0: a datagram, 1: the end of a connection, else more of
//! it) and how long (6 bits, in fours), then the piece. The client connects wherever it is told to, so this runs only
//! where there is nothing but loopback:
//!
//! `unshare -rn sh -c 'ip link set lo up; cargo +nightly fuzz run pva_client_socket'`
#![no_main]

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::pin::pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::data::{ScalarType, Value};
use livetime_pva::net::{Destination, own_addresses};
use livetime_pva::nt;
use livetime_pva::proto::{ClientMessage, SearchResponse};
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
use livetime_pva::wire::{Assembler, Order, Writer};

const LONG: Duration = Duration::from_secs(20);
const CONNECTIONS: usize = 3;
const HELLO: &[u8] = &[
    0xCA, 2, 0x41, 2, 0, 0, 0, 0, // byte order
    0xCA, 2, 0x40, 1, 10, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 1, 2, b'c', b'a', // greeting
    0xCA, 2, 0x40, 9, 1, 0, 0, 0, 0xFF, // welcome
    0xCA, 2, 0x40, 7, 9, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0xFF, // the first channel
];

/// The bad server and the good one.
struct World {
    searches: UdpSocket,
    bad: TcpListener,
    good: Server,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let strange = own_addresses().into_iter().find(|address| !address.is_loopback());
        assert_eq!(strange, None, "the client would connect anywhere: see the head of this file");
        let searches = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        searches.set_read_timeout(Some(Duration::from_millis(5))).expect("a time-out");
        let bad = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        bad.set_nonblocking(true).expect("a mode");
        let pvs = PvMap::new();
        pvs.add("good", SharedPv::new(Value::new(&nt::scalar(ScalarType::F64))));
        let good = Server::start(ServerConfig::loopback(), pvs).expect("a server");
        World { searches, bad, good }
    })
}

/// Answers one search, if there is one: `good` is at the good server, all else at the bad one. `extra` is said, too.
fn answer(world: &World, extra: &mut Option<&[u8]>) {
    let mut buffer = [0; 1500];
    let Ok((count, from)) = world.searches.recv_from(&mut buffer) else { return };
    let (mut assembler, mut rest) = (Assembler::new(1500), &buffer[..count]);
    let Ok(Some(message)) = assembler.next(&mut rest) else { return };
    let asked = ClientMessage::decode(message.header.command, message.reader(), &mut Default::default());
    let Ok(ClientMessage::Search(search)) = asked else { panic!("a search, not {asked:?}") };
    if let Some(extra) = extra.take() {
        let _ = world.searches.send_to(extra, from);
    }
    let (bad, good) = (world.bad.local_addr().expect("a port").port(), world.good.tcp_address().port());
    for (id, name) in search.channels {
        let port = if name == "good" { good } else { bad };
        let (guid, address) = ([port as u8; 12], Ipv4Addr::LOCALHOST.into());
        let (protocol, ids) = ("tcp".into(), vec![id]);
        let found =
            SearchResponse { guid, sequence: search.sequence, address, port, protocol, found: true, ids };
        let mut writer = Writer::new(Order::Big);
        found.encode(&mut writer).expect("short");
        let _ = world.searches.send_to(&writer.to_vec(), from);
    }
}

/// The connection that the client makes, unless it has better to do.
fn connection(world: &World, extra: &mut Option<&[u8]>) -> Option<TcpStream> {
    let end = Instant::now() + Duration::from_millis(60);
    while Instant::now() < end {
        answer(world, extra);
        if let Ok((mut stream, _)) = world.bad.accept() {
            stream.set_nodelay(true).ok()?;
            stream.write_all(HELLO).ok()?;
            return Some(stream);
        }
    }
    None
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let world = world();
    let port = world.searches.local_addr().expect("a port").port();
    let search = vec![Destination::new((Ipv4Addr::LOCALHOST, port).into())];
    let config =
        ClientConfig { search, beacons: Vec::new(), max_message: 1 << 20, ..ClientConfig::loopback(port) };
    let client = Client::new(config).expect("a client");
    let channel = client.channel("bad");
    let _get = channel.get();
    let _put = channel.put(("value", 1));
    let _monitor = channel.monitor("record[pipeline=true]");
    let (mut rest, mut stream, mut made) = (input, None, 0);
    while let Some((&control, after)) = rest.split_first() {
        let (piece, next) = after.split_at(after.len().min(4 + usize::from(control >> 2) * 4));
        rest = next;
        let mut extra = (control & 3 == 0).then_some(piece);
        if extra.is_some() || control & 3 == 1 {
            stream = None;
        }
        if stream.is_none() {
            made += 1;
            stream = if made <= CONNECTIONS { connection(world, &mut extra) } else { None };
        }
        match &mut stream {
            None => break,
            Some(open) => {
                if control & 3 != 0 && open.write_all(piece).is_err() {
                    stream = None;
                }
            }
        }
    }
    drop(stream);
    let mut good = pin!(client.channel("good").get());
    let end = Instant::now() + LONG;
    loop {
        answer(world, &mut None);
        while world.bad.accept().is_ok() {}
        if let Poll::Ready(read) = good.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            read.expect("the value of a good server");
            break;
        }
        assert!(Instant::now() < end, "a client that finds a good server");
    }
});
