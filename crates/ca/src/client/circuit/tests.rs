//! Talks with a server, byte by byte.

use proptest::prelude::*;

use super::*;
use crate::client::{Ask, Refusal};
use crate::dbr::{Form, Native, Values};
use crate::wire::Message;
use crate::{Changes, Rights, Status};

const CID: u32 = 7;
const SID: u32 = 40;
const DOUBLE: u16 = 6;

struct Talk {
    circuit: Circuit,
    said: Assembler,
}

fn config() -> ClientConfig {
    ClientConfig { user: "me".into(), host: "here".into(), max_message: 1 << 16, ..ClientConfig::loopback(1) }
}

fn circuit() -> Circuit {
    Circuit::new(&config(), "10.0.0.5:5064".parse().unwrap(), Duration::ZERO)
}

/// A talk whose client has greeted.
fn talk() -> Talk {
    let mut talk = Talk { circuit: circuit(), said: Assembler::new(1 << 20) };
    talk.messages();
    talk
}

/// A talk with an open channel of four doubles.
fn opened() -> Talk {
    let mut talk = talk();
    talk.circuit.create(CID, "T:1");
    talk.messages();
    assert_eq!(talk.hear(Command::AccessRights, 0, 0, CID, 3, &[]), None);
    assert_eq!(talk.hear(Command::CreateChannel, DOUBLE, 4, CID, SID, &[]), Some(Heard::Opened(CID)));
    talk
}

impl Talk {
    /// The server says something. Returns its meaning.
    fn hear(
        &mut self,
        command: Command,
        data_type: u16,
        count: u32,
        first: u32,
        second: u32,
        payload: &[u8],
    ) -> Option<Heard> {
        let mut bytes = Vec::new();
        append(
            &mut bytes,
            Header { command: command as u16, data_type, count, first, second, size: 0 },
            payload,
        );
        self.circuit.receive(&bytes, Duration::ZERO);
        let heard = self.circuit.next().unwrap();
        assert_eq!(self.circuit.next(), Ok(None));
        heard
    }

    fn bytes(&mut self) -> Vec<u8> {
        let bytes = self.circuit.output().to_vec();
        self.circuit.sent(bytes.len());
        bytes
    }

    /// The statements of the client, whole.
    fn messages(&mut self) -> Vec<Message> {
        let bytes = self.bytes();
        self.said.push(&bytes);
        std::iter::from_fn(|| self.said.next().unwrap()).collect()
    }

    /// The only statement of the client.
    fn said(&mut self) -> (Command, u16, u32, u32, u32) {
        let messages = self.messages();
        assert_eq!(messages.len(), 1, "{messages:?}");
        let h = messages[0].header;
        (Command::from_number(h.command).unwrap(), h.data_type, h.count, h.first, h.second)
    }
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

#[test]
fn a_client_greets_and_opens_a_channel() {
    let mut talk = Talk { circuit: circuit(), said: Assembler::new(1 << 20) };
    talk.circuit.create(CID, "T:1");
    #[rustfmt::skip]
    let wanted = [
        &[0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0][..], // version
        &[0, 20, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], b"me\0\0\0\0\0\0", // user
        &[0, 21, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], b"here\0\0\0\0", // host
        &[0, 18, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 13], b"T:1\0\0\0\0\0", // channel
    ];
    assert_eq!(talk.bytes(), wanted.concat());
    assert_eq!(talk.circuit.facts(CID), None);
    talk.hear(Command::AccessRights, 0, 0, CID, 1, &[]);
    assert_eq!(talk.hear(Command::CreateChannel, DOUBLE, 4, CID, SID, &[]), Some(Heard::Opened(CID)));
    let rights = Rights { read: true, write: false };
    assert_eq!(talk.circuit.facts(CID), Some(Facts { native: Native::Double, count: 4, rights }));
    assert_eq!(talk.hear(Command::AccessRights, 0, 0, CID, 3, &[]), Some(Heard::Rights(CID)));
    assert!(talk.circuit.facts(CID).unwrap().rights.write);
    talk.circuit.clear(CID);
    assert_eq!(talk.said(), (Command::ClearChannel, 0, 0, SID, CID));
    assert_eq!(talk.circuit.held(), (0, 0));
}

#[test]
fn a_get_is_answered_or_refused() {
    let mut talk = opened();
    let ioid = talk.circuit.get(CID, Form::Plain.into(), 100).unwrap();
    assert_eq!(talk.said(), (Command::ReadNotify, DOUBLE, 0, SID, ioid));
    let heard = talk.hear(Command::ReadNotify, DOUBLE, 2, 1, ioid, &doubles(&[1.5, 2.5]));
    let Some(Heard::Read(100, Ok(reading))) = heard else { panic!("{heard:?}") };
    assert_eq!(reading.values, Values::Double(vec![1.5, 2.5]));
    // The same answer again belongs to nothing.
    assert_eq!(talk.hear(Command::ReadNotify, DOUBLE, 1, 1, ioid, &doubles(&[1.5])), None);
    let texts = Dbr::Value(Form::Time, Native::Text);
    let ioid = talk.circuit.get(CID, Ask::from(texts).count(9), 101).unwrap();
    // No more than the channel has.
    assert_eq!(talk.said(), (Command::ReadNotify, 14, 4, SID, ioid));
    let refused = talk.hear(Command::ReadNotify, 14, 0, Status::GetFailed as u32, ioid, &[]);
    assert_eq!(refused, Some(Heard::Read(101, Err(Refusal::new(Status::GetFailed as u32)))));
    for (data_type, count, payload) in [(DOUBLE, 3, doubles(&[1.0])), (5, 1, doubles(&[1.0]))] {
        let ioid = talk.circuit.get(CID, Form::Plain.into(), 102).unwrap();
        let heard = talk.hear(Command::ReadNotify, data_type, count, 1, ioid, &payload);
        assert!(matches!(heard, Some(Heard::Read(102, Err(_)))), "{heard:?}");
    }
}

#[test]
fn a_put_travels_with_its_values() {
    let mut talk = opened();
    let ioid = talk.circuit.put(CID, &Values::Double(vec![1.0, 2.0]), true, 5).unwrap();
    let message = talk.messages().remove(0);
    let Header { command, data_type, count, first, second, .. } = message.header;
    assert_eq!(
        (command, data_type, count, first, second),
        (Command::WriteNotify as u16, DOUBLE, 2, SID, ioid)
    );
    assert_eq!(message.payload, doubles(&[1.0, 2.0]));
    assert_eq!(talk.hear(Command::WriteNotify, DOUBLE, 2, 1, ioid, &[]), Some(Heard::Written(5, Ok(()))));
    let ioid = talk.circuit.put(CID, &Values::Double(vec![1.0]), true, 6).unwrap();
    let refused = talk.hear(Command::WriteNotify, DOUBLE, 1, Status::PutFailed as u32, ioid, &[]);
    assert_eq!(refused, Some(Heard::Written(6, Err(Refusal::new(Status::PutFailed as u32)))));
    assert!(talk.circuit.put(CID, &Values::Double(vec![0.0; 5]), true, 7).is_err());
    assert!(talk.circuit.put(CID, &Values::Double(Vec::new()), true, 7).is_err());
    talk.hear(Command::AccessRights, 0, 0, CID, 1, &[]);
    assert!(talk.circuit.put(CID, &Values::Double(vec![1.0]), true, 7).is_err());
    assert_eq!(talk.circuit.held(), (1, 0));
}

#[test]
fn an_error_ends_the_request_that_it_names() {
    let mut talk = opened();
    let error = |talk: &mut Talk, command: Command, second| {
        let mut payload = Vec::new();
        Header { command: command as u16, first: SID, second, ..Header::default() }.encode(&mut payload);
        payload.extend(b"no reason\0");
        talk.hear(Command::Error, 0, 0, CID, 160, &payload)
    };
    let refusal = Refusal { status: 160, reason: "no reason".into() };
    let put = talk.circuit.put(CID, &Values::Double(vec![1.0]), true, 1).unwrap();
    assert_eq!(error(&mut talk, Command::WriteNotify, put), Some(Heard::Written(1, Err(refusal.clone()))));
    let monitor = talk.circuit.monitor(CID, Form::Time.into(), Changes::VALUE, 2).unwrap();
    assert_eq!(error(&mut talk, Command::ReadNotify, monitor), None);
    assert_eq!(error(&mut talk, Command::EventAdd, monitor), Some(Heard::Update(2, Err(refusal.clone()))));
    talk.messages();
    talk.circuit.put(CID, &Values::Double(vec![1.0]), false, 3).unwrap();
    let (command, .., number) = talk.said();
    assert_eq!(error(&mut talk, command, number), Some(Heard::Complaint(CID, refusal)));
    assert_eq!(talk.circuit.held(), (1, 0));
}

#[test]
fn a_monitor_is_updated_until_it_is_cancelled() {
    let mut talk = opened();
    let changes = Changes::VALUE.and(Changes::PROPERTY);
    let subid = talk.circuit.monitor(CID, Form::Plain.into(), changes, 9).unwrap();
    let message = talk.messages().remove(0);
    assert_eq!((message.header.command, message.payload[12..].to_vec()), (1, vec![0, 9, 0, 0]));
    for value in [1.0, 2.0] {
        let heard = talk.hear(Command::EventAdd, DOUBLE, 1, 1, subid, &doubles(&[value]));
        let Some(Heard::Update(9, Ok(reading))) = heard else { panic!("{heard:?}") };
        assert_eq!(reading.values, Values::Double(vec![value]));
    }
    talk.circuit.cancel(subid);
    assert_eq!(talk.said(), (Command::EventCancel, DOUBLE, 0, SID, subid));
    // The confirmation, and an update that was on its way.
    assert_eq!(talk.hear(Command::EventAdd, DOUBLE, 0, 1, subid, &[]), None);
    assert_eq!(talk.hear(Command::EventAdd, DOUBLE, 1, 1, subid, &doubles(&[3.0])), None);
}

#[test]
fn a_server_refuses_and_closes_channels() {
    let mut talk = opened();
    talk.circuit.get(CID, Form::Plain.into(), 1).unwrap();
    talk.circuit.create(8, "T:2");
    assert_eq!(talk.hear(Command::CreateFailed, 0, 0, 8, 0, &[]), Some(Heard::Refused(8)));
    talk.circuit.create(9, "T:3");
    // No kind of values has this number.
    assert_eq!(talk.hear(Command::CreateChannel, 99, 1, 9, 41, &[]), Some(Heard::Refused(9)));
    assert_eq!(talk.hear(Command::ServerDisconnected, 0, 0, CID, 0, &[]), Some(Heard::Closed(CID)));
    assert_eq!(talk.circuit.held(), (0, 0));
    assert!(talk.circuit.get(CID, Form::Plain.into(), 2).is_err());
}

#[test]
fn a_channel_that_opens_after_it_was_closed_is_given_back() {
    let mut talk = talk();
    talk.circuit.create(CID, "T:1");
    talk.messages();
    talk.circuit.clear(CID);
    assert!(talk.messages().is_empty());
    assert_eq!(talk.hear(Command::CreateChannel, DOUBLE, 1, CID, SID, &[]), None);
    assert_eq!(talk.said(), (Command::ClearChannel, 0, 0, SID, CID));
}

#[test]
fn an_old_server_is_asked_for_a_count() {
    let mut talk = opened();
    talk.hear(Command::Version, 0, 11, 0, 0, &[]);
    talk.circuit.get(CID, Form::Plain.into(), 1).unwrap();
    let (_, _, count, ..) = talk.said();
    assert_eq!(count, 4);
}

#[test]
fn a_silent_server_is_asked_and_left() {
    let (mut talk, s) = (opened(), Duration::from_secs);
    assert_eq!(talk.circuit.tick(s(30)), Ok(()));
    assert!(talk.messages().is_empty());
    assert_eq!(talk.circuit.tick(s(31)), Ok(()));
    assert_eq!(talk.said(), (Command::Echo, 0, 0, 0, 0));
    talk.circuit.receive(&[0, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], s(32));
    assert_eq!(talk.circuit.next(), Ok(None));
    talk.circuit.probe(s(40));
    assert_eq!(talk.circuit.tick(s(45)), Ok(()));
    let error = talk.circuit.tick(s(46)).unwrap_err().to_string();
    assert_eq!(error, "wanted an answer of the server within 5s, found silence for 14s");
}

proptest! {
    /// Any bytes of a server, cut anywhere: the client goes on or ends, and remembers no more than it asked for.
    #[test]
    fn anything_is_understood_or_refused(
        messages in prop::collection::vec((0_u16..30, 0_u16..40, 0_u32..6, 0_u32..12, 0_u32..6, prop::collection::vec(any::<u8>(), 0..80)), 0..40),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        cut in 1_usize..60,
    ) {
        let mut talk = opened();
        for (id, form) in [Form::Plain, Form::Time, Form::Control].into_iter().enumerate() {
            talk.circuit.get(CID, form.into(), id as u64).unwrap();
            talk.circuit.monitor(CID, form.into(), Changes::VALUE, id as u64).unwrap();
        }
        let mut stream = Vec::new();
        for (command, data_type, count, first, second, payload) in messages {
            append(&mut stream, Header { command, data_type, count, first, second, size: 0 }, &payload);
        }
        stream.extend(noise);
        'stream: for piece in stream.chunks(cut) {
            talk.circuit.receive(piece, Duration::ZERO);
            loop {
                match talk.circuit.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => break 'stream,
                }
            }
            let (channels, requests) = talk.circuit.held();
            prop_assert!(channels <= 1 && requests <= 6);
        }
    }
}
