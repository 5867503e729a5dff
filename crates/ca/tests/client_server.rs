//! Our client with our server: cases that a test cannot make a stock IOC do.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use livetime_ca::client::{Client, ClientConfig, Error, Event};
use livetime_ca::dbr::{About, Form, Values};
use livetime_ca::server::{Pv, PvMap, Refusal, Server, ServerConfig};
use livetime_ca::{Changes, Status};

const LONG: Duration = livetime_testkit::HANG;

fn server(pvs: &PvMap) -> Server {
    Server::start(ServerConfig::loopback(), pvs.clone()).unwrap()
}

fn config(server: &Server) -> ClientConfig {
    ClientConfig { repeater: None, ..ClientConfig::loopback(server.udp_address().unwrap().port()) }
}

fn client(server: &Server) -> Client {
    Client::new(config(server)).unwrap()
}

#[test]
fn ten_thousand_channels_share_a_connection() {
    let pvs = PvMap::new();
    let name = |number: i32| format!("N:{number}");
    (0..10_000)
        .for_each(|number| pvs.add(name(number), Pv::new(Values::Long(vec![number]), About::default())));
    let server = server(&pvs);
    let client = client(&server);
    let channels: Vec<_> = (0..10_000).map(|number| client.channel(&name(number))).collect();
    let gets: Vec<_> = channels.iter().map(|channel| channel.get(Form::Plain)).collect();
    for (number, get) in (0..).zip(gets) {
        assert_eq!(get.wait(LONG).unwrap().values, Values::Long(vec![number]));
    }
    assert_eq!(channels[0].server(), Some(server.tcp_address()));
}

#[test]
fn a_put_waits_for_its_end_and_has_the_reason_of_a_refusal() {
    let (sender, puts) = channel();
    let pvs = PvMap::new();
    let kept = Pv::builder(Values::Double(vec![0.0]), About::default());
    pvs.add("kept", kept.on_put(move |_, put| sender.send(put).unwrap()).build());
    pvs.add("read", Pv::new(Values::Long(vec![7]), About::default()));
    let server = server(&pvs);
    let client = client(&server);
    let kept = client.channel("kept");
    let pending = kept.put(Values::Double(vec![1.0]));
    let put = puts.recv_timeout(LONG).unwrap();
    assert!(put.waits);
    put.done.finish(Ok(()));
    pending.wait(LONG).unwrap();
    let pending = kept.put(Values::Double(vec![2.0]));
    let refusal = Refusal::new(Status::PutFailed, "not today");
    puts.recv_timeout(LONG).unwrap().done.finish(Err(refusal));
    assert!(matches!(pending.wait(LONG), Err(Error::Refused(_))));
    let error = client.channel("read").put(Values::Long(vec![1])).wait(LONG).unwrap_err();
    assert_eq!(error.to_string(), "the server refused: this client may not write it");
    // A put that the server had when it ended is in doubt, and must not be sent again.
    let pending = kept.put(Values::Double(vec![3.0]));
    let kept_back = puts.recv_timeout(LONG).unwrap();
    drop(server);
    assert_eq!(pending.wait(LONG), Err(Error::Disconnected));
    drop(kept_back);
}

#[test]
fn a_channel_that_has_outgrown_its_count_is_opened_again() {
    let (pvs, small) = (PvMap::new(), Pv::new(Values::Char(vec![1; 10].into()), About::default()));
    pvs.add("picture", small.clone());
    let server = server(&pvs);
    let client = client(&server);
    let mut monitor = client.channel("picture").monitor(Form::Plain, Changes::VALUE);
    let mut sizes = |count| {
        let mut events = (0..count).map(|_| monitor.next(LONG).unwrap());
        let size = |event| match event {
            Event::Update(reading) => reading.values.len().to_string(),
            other => format!("{other:?}"),
        };
        events.by_ref().map(size).collect::<Vec<_>>()
    };
    assert_eq!(sizes(2), ["Connected", "10"]);
    let picture = Values::Char(vec![2; 5000].into());
    pvs.add("picture", Pv::new(picture.clone(), About::default()));
    small.post(picture);
    // The server sends the picture, which is larger than the client was told, and closes the channel.
    assert_eq!(sizes(4), ["5000", "Disconnected", "Connected", "5000"]);
}

#[test]
fn what_was_tried_is_said() {
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let search = ClientConfig { repeater: None, ..ClientConfig::loopback(nobody.port()) };
    let text = |config: ClientConfig, server: Option<SocketAddr>| {
        let client = Client::new(config).unwrap();
        let channel = server.map_or_else(|| client.channel("X"), |server| client.channel_at(server, "X"));
        channel.get(Form::Plain).wait(Duration::from_millis(50)).unwrap_err().to_string()
    };
    let begin = "get of `X`: no answer within 50ms: ";
    assert_eq!(text(search.clone(), None), format!("{begin}searched by UDP at {nobody}"));
    assert_eq!(
        text(ClientConfig::name_servers(&[nobody]), None),
        format!("{begin}searched by TCP at {nobody}")
    );
    // It accepts and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    assert_eq!(text(search, Some(address)), format!("{begin}{address} did not open it"));
}

#[test]
fn a_server_that_says_nothing_more_is_left() {
    // It answers searches, accepts and is silent.
    let (searches, silent) =
        (UdpSocket::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (at, port) = (searches.local_addr().unwrap(), silent.local_addr().unwrap().port());
    let answer = move || {
        let mut datagram = [0; 2000];
        while let Ok((_, from)) = searches.recv_from(&mut datagram) {
            let mut answer =
                [&[0, 6, 0, 8][..], &port.to_be_bytes(), &[0; 2], &[0xFF; 4], &datagram[24..28]].concat();
            answer.extend([0, 13, 0, 0, 0, 0, 0, 0]);
            searches.send_to(&answer, from).unwrap();
        }
    };
    std::thread::spawn(answer);
    let silence = Duration::from_millis(200);
    let config = ClientConfig { repeater: None, silence, ..ClientConfig::loopback(at.port()) };
    let client = Client::new(config).unwrap();
    let channel = client.channel("X");
    let begun = Instant::now();
    let (_first, _) = silent.accept().unwrap();
    // The second connection comes when the first one was given up.
    let (_second, _) = silent.accept().unwrap();
    assert!(begun.elapsed() > silence);
    drop(channel);
}
