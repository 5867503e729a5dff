//! The client's state machine with servers that do as they should, and with some that mean harm.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::machine;

use std::time::{Duration, Instant};

use livetime_pva::data::{Dynamic, ScalarType, Type, Value};
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job, Put};
use livetime_pva::proto::{Command, sub};
use livetime_pva::request::parse;
use livetime_pva::wire::{Assembler, BitSet, Header, Order, Status, Writer};
use livetime_pva::{Result, nt};
use machine::{Machine, Told, feed, machine, split};
use proptest::prelude::*;

// ---- a server of our own

const SID: u32 = 77;

struct Server(Writer);

impl Server {
    fn new() -> Server {
        let mut writer = Writer::new(Order::Little);
        writer.control(true, 2, 0);
        writer
            .message(true, 1, |w| {
                w.u32(0x1_0000);
                w.u16(0x7FFF);
                w.size(2);
                w.str("anonymous");
                w.str("ca");
            })
            .unwrap();
        writer.message(true, 9, |w| Status::OK.encode(w)).unwrap();
        Server(writer)
    }

    fn created(mut self, cid: u32) -> Server {
        self.0
            .message(true, 7, |w| {
                w.u32(cid);
                w.u32(SID);
                w.u8(0xFF);
            })
            .unwrap();
        self
    }

    fn reply(mut self, command: Command, ioid: u32, sub: u8, body: impl FnOnce(&mut Writer)) -> Server {
        self.0
            .message(true, command as u8, |w| {
                w.u32(ioid);
                w.u8(sub);
                body(w);
            })
            .unwrap();
        self
    }

    fn opened(self, command: Command, ioid: u32, value: &Value) -> Server {
        self.reply(command, ioid, sub::INIT, |w| {
            w.u8(0xFF);
            value.structure().encode(w);
        })
    }

    fn bytes(self) -> Vec<u8> {
        self.0.to_vec()
    }
}

struct Session {
    machine: Machine,
    assembler: Assembler,
    told: Told,
}

impl Session {
    fn ready() -> (Session, u32) {
        let mut session =
            Session { machine: machine(), assembler: Assembler::new(1 << 20), told: Told::default() };
        let cid = session.machine.create_channel(1, "X").unwrap();
        session.feed(&Server::new().created(cid).bytes()).unwrap();
        session.sent();
        (session, cid)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        feed(&mut self.machine, &mut self.assembler, bytes, &mut self.told)
    }

    fn sent(&mut self) -> Vec<Vec<u8>> {
        let sent = split(&self.machine.output().to_vec());
        self.machine.output().clear();
        sent
    }

    fn begin(&mut self, cid: u32, job: Job, once: bool) -> u32 {
        self.machine.begin(cid, job, &parse("").unwrap(), once, 5).unwrap()
    }

    fn subs(&mut self) -> Vec<(u8, u8)> {
        self.sent().iter().map(|m| (m[3], m.get(16).copied().unwrap_or(0))).collect()
    }
}

fn blank() -> Server {
    Server(Writer::new(Order::Little))
}

fn number(value: i32) -> Value {
    let mut v = Value::new(&nt::scalar_with(ScalarType::I32, nt::Metadata::NONE));
    v.set("value", value).unwrap();
    v
}

#[test]
fn a_value_is_read_again_and_again_and_keeps_what_is_not_sent() {
    let (mut session, cid) = Session::ready();
    let ioid = session.begin(cid, Job::Get, false);
    let mut value = number(4);
    value.set("alarm.message", "HIGH").unwrap();
    session.feed(&blank().opened(Command::Get, ioid, &value).bytes()).unwrap();
    assert_eq!(session.subs(), [(0x0A, 0x08), (0x0A, 0x00)]);
    let reply = |value: &Value| {
        blank().reply(Command::Get, ioid, 0, |w| {
            w.u8(0xFF);
            value.encode_changed(w);
        })
    };
    let mut got = None;
    let mut take = |session: &mut Session, bytes: Vec<u8>| {
        let mut input = &bytes[..];
        let message = session.assembler.next(&mut input).unwrap().unwrap();
        session.machine.receive(&message, &mut |event| {
            if let Event::Answered(_, Ok(Answer::Value(value))) = event {
                got = Some(value);
            }
        })?;
        Ok::<_, livetime_pva::Error>(got.take().unwrap())
    };
    let first = take(&mut session, reply(&value).bytes()).unwrap();
    session.machine.get_again(ioid, first).unwrap();
    assert_eq!(session.sent()[0].len(), 17);
    let second = take(&mut session, reply(&Value::new(value.structure())).bytes()).unwrap();
    assert_eq!((second.i64("value"), second.str("alarm.message")), (Some(4), Some("HIGH")));
    assert!(second.changed().is_empty());
    session.machine.get_again(ioid, second.clone()).unwrap();
    assert_eq!(session.machine.get_again(ioid, second.clone()).unwrap_err(), second, "it is running");
    // An answer to no request.
    take(&mut session, reply(&value).bytes()).unwrap();
    assert!(session.feed(&reply(&value).bytes()).is_err());
}

#[test]
fn a_choice_is_read_before_it_is_written() {
    let (mut session, cid) = Session::ready();
    let ioid = session.begin(cid, Job::Put(Put::field("value", "On")), true);
    let mut value = Value::new(&nt::enumerated());
    session.feed(&blank().opened(Command::Put, ioid, &value).bytes()).unwrap();
    assert_eq!(session.subs(), [(0x0B, 0x08), (0x0B, 0x40)]);
    value.set("value.choices", &["Off", "On"][..]).unwrap();
    let back = blank().reply(Command::Put, ioid, sub::GET, |w| {
        w.u8(0xFF);
        value.encode_changed(w);
    });
    session.feed(&back.bytes()).unwrap();
    let sent = session.sent();
    assert_eq!(sent[0][16..], [0x10, 1, 4, 1, 0, 0, 0], "destroyed after it, field 2 is 1");
    session.feed(&blank().reply(Command::Put, ioid, sub::DESTROY, |w| w.u8(0xFF)).bytes()).unwrap();
    assert_eq!(
        (session.told.answers.as_slice(), session.machine.counts()),
        (&["done".to_string()][..], (1, 0))
    );
    assert!(session.sent().is_empty());
}

#[test]
fn requests_end_as_they_should() {
    let (mut session, cid) = Session::ready();
    let refused =
        |command, ioid, sub| blank().reply(command, ioid, sub, |w| Status::error("no").encode(w)).bytes();
    // It could not begin: the server knows nothing of it.
    let ioid = session.begin(cid, Job::Get, false);
    session.sent();
    session.feed(&refused(Command::Get, ioid, sub::INIT)).unwrap();
    assert!(session.sent().is_empty());
    // A put that does not fit the structure.
    let ioid = session.begin(cid, Job::Put(Put::field("nosuch", 1)), true);
    session.sent();
    session.feed(&blank().opened(Command::Put, ioid, &number(0)).bytes()).unwrap();
    assert_eq!(session.subs(), [(0x0F, 0)]);
    // A read fails that could be repeated.
    let ioid = session.begin(cid, Job::Get, false);
    session.feed(&blank().opened(Command::Get, ioid, &number(0)).bytes()).unwrap();
    session.sent();
    session.feed(&refused(Command::Get, ioid, 0)).unwrap();
    assert_eq!(session.subs(), [(0x0F, 0)]);
    // One is cancelled; the late answer does no harm.
    let ioid = session.begin(cid, Job::Get, true);
    session.sent();
    assert_eq!(session.machine.destroy(ioid), Some(5));
    assert_eq!(session.subs(), [(0x15, 0), (0x0F, 0)]);
    session.feed(&blank().opened(Command::Get, ioid, &number(0)).bytes()).unwrap();
    assert_eq!(session.told.answers.len(), 3);
    // The channel goes with everything on it.
    let ioid = session.begin(cid, Job::Monitor(None), false);
    session.feed(&blank().opened(Command::Monitor, ioid, &number(0)).bytes()).unwrap();
    let mut gone = blank();
    gone.0
        .message(true, 8, |w| {
            w.u32(SID);
            w.u32(cid);
        })
        .unwrap();
    session.feed(&gone.bytes()).unwrap();
    assert_eq!((session.told.lost, session.told.closed, session.machine.counts()), (1, 1, (0, 0)));
}

#[test]
fn a_monitor_with_a_window_acknowledges_and_ends() {
    let (mut session, cid) = Session::ready();
    let ioid = session.begin(cid, Job::Monitor(Some(4)), false);
    let value = number(3);
    session.feed(&blank().opened(Command::Monitor, ioid, &value).bytes()).unwrap();
    assert_eq!(session.subs(), [(0x0D, 0x88), (0x0D, 0x44)]);
    let update = |sub: u8, status: bool| {
        blank().reply(Command::Monitor, ioid, sub, |w| {
            if status {
                w.u8(0xFF);
            }
            value.encode_changed(w);
            BitSet::new().encode(w);
        })
    };
    session.feed(&update(0, false).bytes()).unwrap();
    session.machine.acknowledge(ioid, 2);
    assert_eq!(session.subs(), [(0x0D, 0x80), (0x0D, 0x44)]);
    session.feed(&update(sub::DESTROY, true).bytes()).unwrap();
    assert_eq!((session.told.updates.len(), session.told.ended), (2, 1));
    assert_eq!(session.told.updates[1].i64("value"), Some(3));
    session.feed(&update(0, false).bytes()).unwrap();
    assert_eq!(session.told.updates.len(), 2);
}

#[test]
fn late_answers_still_define_types() {
    let (mut session, cid) = Session::ready();
    // A server that numbers types: 1 is what its values are.
    let ty = nt::ndarray();
    let ioid = session.begin(cid, Job::Monitor(None), false);
    let opened = blank().reply(Command::Monitor, ioid, sub::INIT, |w| {
        w.u8(0xFF);
        w.raw(&[0xFD, 1, 0]);
        ty.encode(w);
    });
    session.feed(&opened.bytes()).unwrap();
    session.machine.destroy(ioid);
    let mut value = Value::new(&ty);
    value.set("codec.parameters", Dynamic::from(Value::new(&nt::time()))).unwrap();
    let mut encoded = Writer::new(Order::Little);
    value.encode_changed(&mut encoded);
    // In front of the type inside: it is number 2 from now on.
    let mut bytes = encoded.to_vec();
    let at = bytes.windows(2).position(|pair| pair == [0x80, 6]).unwrap();
    bytes.splice(at..at, [0xFD, 2, 0]);
    let late = blank().reply(Command::Monitor, ioid, 0, |w| {
        w.raw(&bytes);
        w.size(0);
    });
    session.feed(&late.bytes()).unwrap();
    let ioid = session.begin(cid, Job::Get, false);
    let known = blank().reply(Command::Get, ioid, sub::INIT, |w| w.raw(&[0xFF, 0xFE, 2, 0]));
    session.feed(&known.bytes()).unwrap();
    assert!(session.told.updates.is_empty());
}

#[test]
fn the_clock_keeps_a_connection_alive_or_ends_it() {
    let start = Instant::now();
    let mut machine: Machine = Connection::new(Identity::anonymous(), start);
    assert_eq!(machine.deadline(), start + Duration::from_secs(5));
    assert!(machine.tick(start + Duration::from_secs(6)).is_err());
    let mut told = Told::default();
    feed(&mut machine, &mut Assembler::new(1000), &Server::new().bytes(), &mut told).unwrap();
    machine.output().clear();
    machine.heard(start);
    assert!(machine.tick(start + Duration::from_secs(15)).is_ok());
    assert_eq!(machine.output().to_vec(), [0xCA, 2, 0, 2, 0, 0, 0, 0]);
    machine.heard(start + Duration::from_secs(20));
    assert!(machine.tick(start + Duration::from_secs(59)).is_ok());
    let error = machine.tick(start + Duration::from_secs(60)).unwrap_err();
    assert_eq!(error.to_string(), "wanted a sign of life within 40s, found none");
}

// ---- servers that mean harm

/// All kinds of requests under way, and a stream of a server that answers all of them.
fn busy() -> (Session, Vec<u8>) {
    let (mut session, cid) = Session::ready();
    let get = session.begin(cid, Job::Get, false);
    let put = session.begin(cid, Job::Put(Put::field("value", "On")), true);
    let call = session.begin(cid, Job::Call(number(1).into()), true);
    let follow = session.begin(cid, Job::Monitor(Some(4)), false);
    let info = session.begin(cid, Job::Describe, true);
    session.sent();
    let mut image = Value::new(&nt::ndarray());
    image.set("value", vec![1u16, 2, 3]).unwrap();
    image.set("codec.parameters", Dynamic::new(Type::Scalar(ScalarType::I32), 6).unwrap()).unwrap();
    let choice = Value::new(&nt::enumerated());
    let mut server = blank()
        .opened(Command::Get, get, &number(1))
        .opened(Command::Put, put, &choice)
        .reply(Command::Rpc, call, sub::INIT, |w| w.u8(0xFF))
        .opened(Command::Monitor, follow, &image)
        .reply(Command::Get, get, 0, |w| {
            w.u8(0xFF);
            number(7).encode_changed(w);
        })
        .reply(Command::Rpc, call, sub::DESTROY, |w| {
            w.u8(0xFF);
            Dynamic::from(number(2)).encode(w);
        })
        .reply(Command::Monitor, follow, 0, |w| {
            image.encode_changed(w);
            w.size(0);
        })
        .reply(Command::Put, put, sub::GET, |w| Status::error("not now").encode(w));
    server
        .0
        .message(true, 0x11, |w| {
            w.u32(info);
            w.u8(0xFF);
            image.structure().encode(w);
        })
        .unwrap();
    server
        .0
        .message(true, 0x12, |w| {
            w.u32(get);
            w.u8(2);
            w.str("something");
        })
        .unwrap();
    (session, server.bytes())
}

#[test]
fn a_stream_that_ends_anywhere_does_no_harm() {
    let (mut session, stream) = busy();
    session.feed(&stream).unwrap();
    assert_eq!((session.told.answers.len(), session.told.updates.len()), (4, 1));
    for end in 0..stream.len() {
        let (mut session, stream) = busy();
        session.feed(&stream[..end]).unwrap();
        let (_, lost) = session.machine.into_lost();
        assert_eq!(
            lost.len() + session.told.answers.len() - usize::from(!lost.is_empty() && done(&session)),
            5
        );
    }
}

// The repeatable read stays after its answer.
fn done(session: &Session) -> bool {
    session.told.answers.iter().any(|answer| answer.starts_with("value"))
}

#[test]
fn every_message_that_is_too_short_is_an_error_and_not_a_value() {
    let (_, stream) = busy();
    for (index, message) in split(&stream).iter().enumerate().take(8) {
        for length in 5..message.len() - 8 {
            let (mut session, stream) = busy();
            let before: Vec<u8> = split(&stream)[..index].concat();
            session.feed(&before).unwrap();
            let told = session.told.answers.len() + session.told.updates.len();
            let mut cut = message[..8 + length].to_vec();
            cut[4..8].copy_from_slice(&(length as u32).to_le_bytes());
            // A type or value may end early only if nothing of it is left to read.
            if session.feed(&cut).is_ok() {
                let more = session.told.answers.len() + session.told.updates.len() - told;
                assert!(more <= 1, "message {index} of {length} bytes");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_do_no_harm(changes in prop::collection::vec((0usize..4000, any::<u8>()), 1..6)) {
        let (mut session, mut stream) = busy();
        let length = stream.len();
        changes.into_iter().for_each(|(at, byte)| stream[at % length] = byte);
        let _ = session.feed(&stream);
        let _ = session.machine.into_lost();
    }

    #[test]
    fn random_messages_do_no_harm(
        messages in prop::collection::vec((0u8..0x18, prop::collection::vec(any::<u8>(), 0..60), 0u32..6), 1..8)
    ) {
        let (mut session, _) = busy();
        for (command, mut payload, request) in messages {
            // Mostly requests that exist.
            payload.splice(0..payload.len().min(4), (0x1000_2000 + request).to_le_bytes());
            let header = Header::message(Order::Little, true, command, payload.len() as u32);
            if session.feed(&[&header.encode()[..], &payload].concat()).is_err() {
                break;
            }
        }
    }
}

#[test]
fn numbers_of_others_are_ignored_and_wrong_steps_end_the_connection() {
    let (mut session, _) = busy();
    for ioid in [0, 0x1000_1FFF, 0x1000_2000 + 77, u32::MAX] {
        session.feed(&blank().reply(Command::Get, ioid, 0, |w| w.u8(0xFF)).bytes()).unwrap();
        session.feed(&blank().opened(Command::Get, ioid, &number(0)).bytes()).unwrap();
    }
    let (mut session, _) = busy();
    let error =
        session.feed(&blank().reply(Command::Put, 0x1000_2000, 0, |w| w.u8(0xFF)).bytes()).unwrap_err();
    assert_eq!(error.to_string(), "wanted an answer to Get, found Put");
    let (mut session, _) = busy();
    let error =
        session.feed(&blank().reply(Command::Get, 0x1000_2000, 0, |w| w.u8(0xFF)).bytes()).unwrap_err();
    assert!(error.to_string().contains("Opening"), "{error}");
    let (mut session, _) = busy();
    let header = Header::message(Order::Little, false, 2, 0).encode();
    assert!(session.feed(&header).is_err(), "a client's message");
    let mut session = Session::ready().0;
    session.feed(&Server::new().created(3).created(0x1234_5678).bytes()).unwrap();
    assert_eq!(session.told.opened, 1, "opened once");
}

#[test]
fn endless_segments_and_huge_counts_end_at_a_limit() {
    let (mut session, _) = busy();
    let segment = |flags: u8| {
        let mut bytes = Header::message(Order::Little, true, 0x0A, 60_000).encode().to_vec();
        bytes[2] |= flags;
        bytes.resize(60_008, 0);
        bytes
    };
    session.feed(&segment(0x10)).unwrap();
    let error = (0..100).find_map(|_| session.feed(&segment(0x30)).err()).unwrap();
    assert_eq!(error.to_string(), "wanted a payload of at most 1048576 bytes, found 1080000 at byte 4");
    let (mut session, _) = busy();
    let huge = blank().reply(Command::Get, 0x1000_2000, sub::INIT, |w| {
        w.raw(&[0xFF, 0x80, 0, 254, 0xFF, 0xFF, 0xFF, 0x7F]);
    });
    assert!(session.feed(&huge.bytes()).is_err());
}
