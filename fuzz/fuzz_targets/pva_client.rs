//! Any bytes as what a server sends to a client that has channels and every kind of request: the connection goes on
//! or is closed, and remembers no more than it asked for. The first byte says into which pieces it is cut.
//!
//! `cargo +nightly fuzz run pva_client`
#![no_main]

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job, Put};
use livetime_pva::request::parse;
use livetime_pva::wire::{Assembler, Recycler};

const FIRST_CID: u32 = 0x1234_5678;
const HELLO: &[u8] = &[
    0xCA, 2, 0x41, 2, 0, 0, 0, 0, // byte order
    0xCA, 2, 0x40, 1, 10, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 1, 2, b'c', b'a', // greeting
    0xCA, 2, 0x40, 9, 1, 0, 0, 0, 0xFF, // welcome
    0xCA, 2, 0x40, 7, 9, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0xFF, // the first channel
];

fn jobs() -> Vec<(Job, bool)> {
    let argument = Value::new(&nt::scalar(ScalarType::F64));
    let put = |path, text: &str| Put::field(path, text);
    vec![
        (Job::Get, true),
        (Job::Get, false),
        (Job::Monitor(None), false),
        (Job::Monitor(Some(4)), false),
        (Job::Put(put("value", "1")), true),
        (Job::Put(put("value.index", "two")), false),
        (Job::PutGet(put("value", "2.5")), true),
        (Job::Call(argument.into()), true),
        (Job::Process, true),
        (Job::Describe, true),
    ]
}

/// What comes from a socket: never more than a piece at a time.
struct Pieces<'a> {
    rest: &'a [u8],
    step: usize,
}

impl<'a> Pieces<'a> {
    fn piece(&mut self) -> &'a [u8] {
        let (piece, rest) = self.rest.split_at(self.rest.len().min(self.step));
        self.rest = rest;
        piece
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let (piece, rest) = self.rest.split_at(self.rest.len().min(self.step).min(buffer.len()));
        buffer[..piece.len()].copy_from_slice(piece);
        self.rest = rest;
        Ok(piece.len())
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let now = Instant::now();
    let account = Some(("me".into(), "here".into()));
    let mut connection = Connection::new(Identity { account, ..Identity::anonymous() }, now);
    for channel in 0..3_u8 {
        connection.create_channel(channel, "name");
    }
    let Some((&cut, input)) = input.split_first() else { return };
    let mut stream = Pieces { rest: &[HELLO, input].concat(), step: 1 + usize::from(cut & 0x7F) * 8 };
    let mut assembler = Assembler::new(1 << 20);
    assembler.use_buffers(Arc::new(Recycler::default()));
    let (fills, mut rest) = (cut & 0x80 != 0, &[][..]);
    let (request, mut begun, mut got) = (parse("").expect("everything"), 0, Vec::new());
    loop {
        // As a connection does with what is large.
        if fills && rest.is_empty() && assembler.missing() >= 64 {
            let _ = assembler.fill(&mut stream);
        } else if rest.is_empty() {
            rest = stream.piece();
        }
        let message = match assembler.next(&mut rest) {
            Ok(Some(message)) => message,
            Ok(None) if stream.rest.is_empty() => break,
            Ok(None) => continue,
            Err(error) => return assert!(!error.to_string().is_empty()),
        };
        let mut opened = false;
        let done = connection.receive(&message, &mut |event| match event {
            Event::Opened(_) => opened = true,
            Event::Answered(number, Ok(Answer::Value(value))) => {
                assert!(!value.to_string().is_empty());
                got.push((*number, value));
            }
            Event::Update(_, value, changed, _) => {
                assert!(changed.end() <= value.structure().len().next_multiple_of(64));
            }
            _ => {}
        });
        if let Err(error) = done {
            return assert!(!error.to_string().is_empty());
        }
        if opened && begun == 0 {
            for (job, once) in jobs() {
                if connection.begin(FIRST_CID, job, &request, once, 0x1000_2000 + begun).is_ok() {
                    begun += 1;
                }
            }
        }
        for (ioid, value) in got.drain(..) {
            let _ = connection.get_again(ioid, value);
        }
        assert!(connection.counts().0 <= 3 && connection.counts().1 <= 10);
        connection.output().clear();
    }
    let _ = connection.tick(now + Duration::from_secs(20));
    connection.acknowledge(0x1000_2003, 2);
    connection.pause(0x1000_2002, true);
    connection.destroy(0x1000_2000);
    connection.destroy_channel(FIRST_CID);
    let (channels, _) = connection.into_lost();
    assert!(channels.len() <= 3);
});
