//! Peers with other wishes: each is refused with a reason before memory is taken for it, and keeps no other away.

use std::io::{Read, Write};
use std::net::TcpStream;

use livetime_link::carrier::CarrierError;
use livetime_link::wire::encode;

use crate::meeting::{MAX_FRAME_BYTES, data, greeting, listening, meet, ready, refusal, says};

/// What the receiver says of a peer that sends these bytes behind a right handshake. No memory may be asked for.
fn after_handshake(bytes: &[u8]) -> String {
    let (mut carrier, address) = listening();
    let _peer = says(&address, &[&ready("PAIR"), bytes].concat());
    let (_outgoing, mut incoming) = meet(&mut carrier).unwrap();
    refusal(incoming.receive(&mut |head| panic!("memory for {head:?}")))
}

fn long(flags: u8, len: u64) -> Vec<u8> {
    [&[flags | 2][..], &len.to_be_bytes()].concat()
}

/// A part of a message.
fn part(more: bool, bytes: &[u8]) -> Vec<u8> {
    [&long(more.into(), bytes.len() as u64), bytes].concat()
}

/// The head of a message with frames of these sizes.
fn head(sizes: &[usize]) -> Vec<u8> {
    let mut head = Vec::new();
    encode(&data(sizes), &mut head).unwrap();
    head
}

#[test]
fn strangers_are_refused_with_a_reason() {
    let http = b"GET / HTTP/1.1\r\nHost: daq2\r\n\r\n".repeat(10);
    let (mut carrier, address) = listening();
    let mut stranger = TcpStream::connect(&address).unwrap();
    stranger.write_all(&http).unwrap();
    assert!(refusal(meet(&mut carrier)).contains("wanted the signature of ZMTP, found G"));
    for socket in ["PUSH", "SUB", "DEALER", "PAIRS"] {
        let mut peer = says(&address, &ready(socket));
        let why = refusal(meet(&mut carrier));
        assert!(why.contains(&format!("wanted PAIR, found {socket}")), "{why}");
        let mut told = Vec::new();
        peer.read_to_end(&mut told).unwrap();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(told.contains("ERROR") && told.contains("wanted PAIR"), "the peer is told: {told}");
    }
    let mut curve = TcpStream::connect(&address).unwrap();
    curve.write_all(&greeting("CURVE")).unwrap();
    assert!(refusal(meet(&mut carrier)).contains("wanted NULL, found CURVE"));
    let _long = says(&address, &long(4, 1 << 40));
    assert!(refusal(meet(&mut carrier)).contains("a command of at most 512 bytes"));
}

#[test]
fn a_silent_peer_and_one_that_leaves_give_way_to_the_next() {
    let (mut carrier, address) = listening();
    let _silent = TcpStream::connect(&address).unwrap();
    drop(TcpStream::connect(&address).unwrap());
    let _halfway = says(&address, &[]);
    let _right = says(&address, &ready("PAIR"));
    assert!(meet(&mut carrier).is_ok());
}

#[test]
fn sizes_are_checked_before_memory_is_taken() {
    assert!(after_handshake(&long(0, u64::MAX)).contains("wanted at most 1048576 bytes"));
    assert!(after_handshake(&long(4, 1 << 30)).contains("command: wanted at most 512 bytes"));
    assert!(after_handshake(&[0xf0, 0]).contains("flags of a frame"));
    let too_large = part(true, &head(&[MAX_FRAME_BYTES as usize + 1]));
    assert!(after_handshake(&too_large).contains("wanted at most 2097152, found 2097153"));
    let other_size = [part(true, &head(&[100])), long(0, 1 << 40)].concat();
    assert!(after_handshake(&other_size).contains("payload of a frame: wanted 100 bytes"));
    assert!(after_handshake(&part(false, &head(&[100]))).contains("wanted another part, found its end"));
    assert!(after_handshake(&part(true, &head(&[]))).contains("wanted its end, found another part"));
    assert!(after_handshake(&part(false, b"no link")).contains("message of a link"));
}

#[test]
fn a_refusal_in_the_middle_is_named() {
    let error = b"\x05ERROR\x07no room";
    let why = after_handshake(&[&[4, error.len() as u8][..], error].concat());
    assert!(why.contains("a refusal: no room"), "{why}");
    // Other commands are passed over, as a version that is still to come may have them.
    let then = [&[4, 5][..], b"\x04PING", &long(0, u64::MAX)].concat();
    assert!(after_handshake(&then).contains("head of a message"));
}

#[test]
fn without_memory_the_connection_ends() {
    let (mut carrier, address) = listening();
    let bytes = [ready("PAIR"), part(true, &head(&[100])), part(false, &[0; 100])].concat();
    let _peer = says(&address, &bytes);
    let (_outgoing, mut incoming) = meet(&mut carrier).unwrap();
    assert!(matches!(incoming.receive(&mut |_| None), Err(CarrierError::NoMemory)));
}
