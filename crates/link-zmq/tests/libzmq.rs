//! libzmq itself, by pyzmq, as a peer.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use livetime_frame::FramePool;

use crate::meeting::{data, listening, meet, memory, payloads, refusal};

/// A PAIR that sends each message back as it came.
const ECHO: &str = "
socket = context.socket(zmq.PAIR)
socket.connect(address)
while True:
    socket.send_multipart(socket.recv_multipart(copy=False), copy=False)
";

/// Sockets that have no place at the end of a link.
const PUSH: &str = "
socket = context.socket(zmq.PUSH)
socket.connect(address)
while True:
    socket.send(b'x' * 1000)
";
const SUB: &str = "
socket = context.socket(zmq.SUB)
socket.subscribe(b'')
socket.connect(address)
socket.recv()
";

/// A PAIR with other messages than those of a link.
const HUGE: &str = "
socket = context.socket(zmq.PAIR)
socket.connect(address)
socket.send_multipart([b'LTLK' + bytes(50_000_000)] * 3)
socket.recv()
";

pub(crate) struct Peer(Child);

impl Peer {
    pub(crate) fn start(python: &Path, script: &str, address: &str) -> Peer {
        let begin = format!("import zmq\ncontext = zmq.Context()\naddress = 'tcp://{address}'\n");
        let mut command = Command::new(python);
        command.args(["-c", &(begin + script)]).stdin(Stdio::null());
        Peer(command.spawn().unwrap())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn messages_pass_through_it_and_back() {
    let Some(python) = livetime_testkit::python("zmq") else { return };
    let (mut carrier, address) = listening();
    let _peer = Peer::start(&python, ECHO, &address);
    let (mut outgoing, mut incoming) = meet(&mut carrier).unwrap();
    let mut allocator = FramePool::new(64 << 20).allocator();
    for sizes in [&[][..], &[1 << 20], &[0, 1, 255, 256, 100_000], &[200; 64]] {
        let sent = data(sizes);
        outgoing.send(&sent).unwrap();
        let came = incoming.receive(&mut memory(&mut allocator)).unwrap();
        assert_eq!(payloads(&came), payloads(&sent));
        assert_eq!((came.from, came.to), (sent.from, sent.to));
    }
}

#[test]
fn other_sockets_are_refused_and_keep_no_right_one_away() {
    let Some(python) = livetime_testkit::python("zmq") else { return };
    for (script, name) in [(PUSH, "PUSH"), (SUB, "SUB")] {
        let (mut carrier, address) = listening();
        let stranger = Peer::start(&python, script, &address);
        let why = refusal(meet(&mut carrier));
        assert!(why.contains(&format!("wanted PAIR, found {name}")), "{why}");
        let _right = Peer::start(&python, ECHO, &address);
        // The stranger may come again before it.
        while meet(&mut carrier).is_err() {}
        drop(stranger);
    }
}

#[test]
fn huge_messages_end_the_connection_before_memory_is_taken() {
    let Some(python) = livetime_testkit::python("zmq") else { return };
    let (mut carrier, address) = listening();
    let _peer = Peer::start(&python, HUGE, &address);
    let (_outgoing, mut incoming) = meet(&mut carrier).unwrap();
    let why = refusal(incoming.receive(&mut |head| panic!("memory for {head:?}")));
    assert!(why.contains("wanted at most 1048576 bytes, found 50000004"), "{why}");
}
