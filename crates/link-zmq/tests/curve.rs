//! Who has the right keys comes in, and nobody else; libzmq agrees.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use livetime_frame::FramePool;
use livetime_link::carrier::{CarrierError, Connected};
use livetime_link_zmq::{Keys, Zmq, create_keys};

use crate::libzmq::Peer;
use crate::meeting::{
    MAX_FRAME_BYTES, data, greeting, listening_with, meet, memory, payloads, ready, refusal, says,
};

/// Folders with keys of two links: `a` and `b` know each other, and so do `c` and `d`.
fn keys() -> (tempfile::TempDir, [PathBuf; 4]) {
    let folder = tempfile::tempdir().unwrap();
    let folders = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
    create_keys([&folders[0], &folders[1]]).unwrap();
    create_keys([&folders[2], &folders[3]]).unwrap();
    (folder, folders)
}

fn read(folder: &Path) -> Option<Keys> {
    Some(Keys::read(folder).unwrap())
}

/// One try of a receiver and a sender with these keys, as each of them sees it.
fn try_to_meet(
    receiver: Option<Keys>,
    sender: Option<Keys>,
) -> (Result<Connected, CarrierError>, Result<Connected, CarrierError>) {
    let (mut listening, address) = listening_with(receiver);
    let sending =
        std::thread::spawn(move || meet(&mut Zmq::connect_to(&address, sender, Vec::new(), MAX_FRAME_BYTES)));
    let met = meet(&mut listening);
    (met, sending.join().unwrap())
}

fn pass(from: &mut Connected, to: &mut Connected) {
    let mut allocator = FramePool::new(64 << 20).allocator();
    for sizes in [&[][..], &[1 << 20], &[0, 1, 255, 256, 100_000], &[200; 64]] {
        let sent = data(sizes);
        // The reader is another thread, as a large message fills the buffers of the connection.
        let came = std::thread::scope(|scope| {
            scope.spawn(|| from.0.send(&sent).unwrap());
            to.1.receive(&mut memory(&mut allocator)).unwrap()
        });
        assert_eq!(payloads(&came), payloads(&sent));
    }
}

#[test]
fn messages_pass_both_ways() {
    let (_folder, [a, b, ..]) = keys();
    let (receiver, sender) = try_to_meet(read(&a), read(&b));
    let (mut receiver, mut sender) = (receiver.unwrap(), sender.unwrap());
    pass(&mut sender, &mut receiver);
    pass(&mut receiver, &mut sender);
}

/// Sends without a wait until the socket is full; then all that was sent must be there, and in order.
fn fill(from: &mut Connected, to: &mut Connected) {
    let sizes = |number: usize| [number, 20_000, 30_000];
    assert!(!from.0.send_at_once(&data(&[100_000])).unwrap(), "a large message is left to `send`");
    let mut sent = 0;
    while from.0.send_at_once(&data(&sizes(sent))).unwrap() {
        sent += 1;
    }
    let mut allocator = FramePool::new(64 << 20).allocator();
    std::thread::scope(|scope| {
        // The rest of the message that has begun, and one more.
        scope.spawn(|| (sent..sent + 2).for_each(|number| from.0.send(&data(&sizes(number))).unwrap()));
        for number in 0..sent + 2 {
            let came = to.1.receive(&mut memory(&mut allocator)).unwrap();
            assert_eq!(payloads(&came), payloads(&data(&sizes(number))), "message {number} of {sent}");
        }
    });
}

#[test]
fn a_full_socket_gets_the_rest_later() {
    let (_folder, [a, b, ..]) = keys();
    for keys in [(None, None), (read(&a), read(&b))] {
        let (receiver, sender) = try_to_meet(keys.0, keys.1);
        let (mut receiver, mut sender) = (receiver.unwrap(), sender.unwrap());
        fill(&mut sender, &mut receiver);
        fill(&mut receiver, &mut sender);
    }
}

#[test]
fn a_peer_without_the_right_key_never_comes_in() {
    let (_folder, [a, b, c, d]) = keys();
    // Other keys altogether, and the wrong public key at either end.
    for (receiver, sender) in [(&a, &d), (&a, &c), (&a, &a)] {
        let (receiver, sender) = try_to_meet(read(receiver), read(sender));
        assert!(refusal(receiver).contains("found another one"));
        assert!(refusal(sender).contains("a refusal"));
    }
    // The receiver's public key is known, but the sender's own key is another one.
    fs::copy(b.join("peer.key"), d.join("peer.key")).unwrap();
    let (receiver, sender) = try_to_meet(read(&a), read(&d));
    assert!(refusal(receiver).contains("wanted the key of the peer, found another one"));
    assert!(refusal(sender).contains("a refusal"));
    let (receiver, sender) = try_to_meet(read(&a), None);
    assert!(refusal(receiver).contains("wanted CURVE, found NULL") && sender.is_err());
}

#[test]
fn strangers_are_refused_before_they_say_more() {
    let (_folder, [a, ..]) = keys();
    let (mut listening, address) = listening_with(read(&a));
    let _null = says(&address, &ready("PAIR"));
    assert!(refusal(meet(&mut listening)).contains("wanted CURVE, found NULL"));
    let hello = [b"\x05HELLO\x01\0", &[0; 192][..]].concat();
    for body in [&hello[..], &hello[..50], b"\x05READY", b"\x08INITIATE", b""] {
        let mut peer = TcpStream::connect(&address).unwrap();
        peer.write_all(&[&greeting("CURVE"), &[4, body.len() as u8][..], body].concat()).unwrap();
        assert!(refusal(meet(&mut listening)).contains("ZeroMQ peer"));
    }
}

/// A PAIR with CURVE that sends each message back: as its client, or as its server.
fn echo(folder: &Path, keys_at: &str, begin: &str) -> String {
    let key = |name: &str| format!("open('{}/{name}.key').read().strip().encode()", folder.display());
    format!(
        "socket = context.socket(zmq.PAIR)\nsocket.curve_publickey = {}\nsocket.curve_secretkey = {}\n\
         {keys_at} = {}\n{begin}\nwhile True:\n    socket.send_multipart(socket.recv_multipart(copy=False), copy=False)\n",
        key("public"),
        key("secret"),
        key("peer"),
    )
}

fn pass_and_back((mut outgoing, mut incoming): Connected) {
    let mut allocator = FramePool::new(64 << 20).allocator();
    for sizes in [&[][..], &[100_000], &[0, 1, 255, 256, 1000]] {
        let sent = data(sizes);
        outgoing.send(&sent).unwrap();
        let came = incoming.receive(&mut memory(&mut allocator)).unwrap();
        assert_eq!(payloads(&came), payloads(&sent));
    }
}

#[test]
fn libzmq_is_a_client_with_the_same_keys() {
    let Some(python) = livetime_testkit::python("zmq") else { return };
    let (_folder, [a, b, ..]) = keys();
    let (mut listening, address) = listening_with(read(&a));
    let _peer =
        Peer::start(&python, &echo(&b, "socket.curve_serverkey", "socket.connect(address)"), &address);
    pass_and_back(meet(&mut listening).unwrap());
}

#[test]
fn libzmq_is_a_server_with_the_same_keys() {
    let Some(python) = livetime_testkit::python("zmq") else { return };
    let (_folder, [a, b, ..]) = keys();
    // A port that was free a moment ago.
    let (probe, address) = listening_with(None);
    drop(probe);
    let begin = "socket.curve_server = True\nsocket.bind(address)";
    let _peer = Peer::start(&python, &echo(&b, "peer", begin), &address);
    pass_and_back(meet(&mut Zmq::connect_to(&address, read(&a), Vec::new(), MAX_FRAME_BYTES)).unwrap());
}
