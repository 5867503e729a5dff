//! Inputs that fuzz targets found, once and for all.

#![cfg(feature = "client")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::wire::{BufferSource, Recycler};

const HELLO: &[u8] = &[
    0xCA, 2, 0x41, 2, 0, 0, 0, 0, // byte order
    0xCA, 2, 0x40, 1, 10, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 1, 2, b'c', b'a', // greeting
    0xCA, 2, 0x40, 9, 1, 0, 0, 0, 0xFF, // welcome
];
const OPENED: &[u8] = &[0xCA, 2, 0x40, 7, 9, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0xFF];
const CLOSED: &[u8] = &[0xCA, 2, 0x40, 8, 8, 0, 0, 0, 1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12];
const NONSENSE: &[u8] = &[0; 8];

/// Says all that at once, and waits until the client has closed the connection.
fn say(mut stream: TcpStream, all: &[&[u8]]) {
    stream.write_all(&all.concat()).unwrap();
    // It may be reset.
    let _ = stream.read_to_end(&mut Vec::new());
}

/// `pva_client_socket`: the work due for messages before the nonsense was kept for ever, and the connection with it.
#[test]
fn a_connection_that_ends_in_nonsense_leaves_nothing_behind() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let buffers: Arc<dyn BufferSource> = Arc::new(Recycler::default());
    let server = listener.local_addr().unwrap();
    let config = ClientConfig { buffers: Arc::clone(&buffers), ..ClientConfig::name_servers(&[server]) };
    let client = Client::new(config).unwrap();
    say(listener.accept().unwrap().0, &[HELLO, NONSENSE]);
    drop(client);
    assert_eq!(Arc::strong_count(&buffers), 1);
}

/// Likewise: a channel that was closed just before was not looked for again.
#[test]
fn a_channel_that_is_closed_before_nonsense_is_opened_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::new(ClientConfig::name_servers(&[])).unwrap();
    let _channel = client.channel_at(listener.local_addr().unwrap(), "a");
    say(listener.accept().unwrap().0, &[HELLO, OPENED, CLOSED, NONSENSE]);
    listener.accept().unwrap();
}
