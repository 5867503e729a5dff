//! Clients that break the protocol, or use more than their share.

use std::sync::Arc;
use std::time::Duration;

use super::{Client, NOW, number, service, service_with, set};
use crate::data::{ScalarType, Value};
use crate::nt;
use crate::proto::{ChannelId, Command, CreateChannel, GetField, RequestHead, RequestId, Search, sub};
use crate::request::parse;
use crate::server::{Limits, Put, ServerConfig, Service, SharedPv};
use crate::wire::{Header, Order, Reader, Writer};

#[test]
fn who_does_not_keep_to_the_rules_is_closed() {
    let service = service("a", &SharedPv::new(number()));
    let wrong: [(&str, &[u8]); 6] = [
        ("magic", &[0xCB, 2, 0, 2, 0, 0, 0, 0]),
        ("version", &[0xCA, 0, 0, 2, 0, 0, 0, 0]),
        ("direction", &[0xCA, 2, 0x40, 2, 0, 0, 0, 0]),
        ("before the handshake", &[0xCA, 2, 0, 7, 2, 0, 0, 0, 0, 0]),
        ("too long", &[0xCA, 2, 0, 1, 0, 0, 0, 1]),
        ("segment", &[0xCA, 2, 0x20, 1, 0, 0, 0, 0]),
    ];
    for (what, bytes) in wrong {
        assert!(Client::silent(&service).bring(bytes).is_err(), "{what}");
    }
    let mut client = Client::connected(&service);
    assert!(client.bring(&[0xCA, 2, 0, 0x77, 1, 0, 0, 0, 5]).is_ok(), "unknown messages are skipped");
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "");
    let again = RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 };
    assert!(client.send(|w| again.init(w, &parse("").unwrap(), None).unwrap()).is_err());
}

#[test]
fn time_runs_out() {
    let service = service("a", &SharedPv::new(number()));
    let seconds = Duration::from_secs;
    let mut client = Client::silent(&service);
    assert!(client.session.tick(seconds(5)).is_ok());
    assert!(client.session.tick(seconds(6)).unwrap_err().to_string().contains("handshake"));
    let mut client = Client::connected(&service);
    assert!(client.session.tick(seconds(40)).is_ok() && client.session.tick(seconds(41)).is_err());
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "");
    client.execute(Command::Get, sid, 1, 0, |_| {}).unwrap();
    client.session.sent(1, seconds(1));
    assert!(!client.session.accepts());
    client.session.sent(0, seconds(40));
    assert!(client.session.tick(seconds(41)).is_ok());
    assert!(client.session.tick(seconds(42)).unwrap_err().to_string().contains("read"));
}

#[test]
fn a_client_that_does_not_read_is_not_worked_for() {
    let pv = SharedPv::new(Value::new(&nt::scalar_array(ScalarType::F64)));
    pv.update(|value| value.set("value", vec![1.0; 100_000])).unwrap();
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "");
    let mut writer = Writer::new(Order::Little);
    for _ in 0..100 {
        RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 }.encode(&mut writer, |_| {}).unwrap();
    }
    let bytes = writer.to_vec();
    let consumed = client.session.receive(&bytes, NOW).unwrap();
    assert_eq!(consumed, 2 * 17, "no more than a megabyte is begun");
    client.session.sent(1, NOW);
    assert_eq!(client.session.receive(&bytes[consumed..], NOW).unwrap(), 0);
}

#[test]
fn one_client_takes_no_more_than_its_share() {
    let limits = Limits { channels: 3, requests: 2, ..Limits::default() };
    let config = ServerConfig { limits, ..ServerConfig::default() };
    let service = service_with("a", &SharedPv::new(number()), config);
    let mut client = Client::connected(&service);
    let channels = (0..5).map(|cid| (cid, "a".into())).collect();
    client.send(|w| CreateChannel { channels }.encode(w).unwrap()).unwrap();
    let refused = client.take().iter().filter(|(_, payload)| payload[4..8] == [0xFF; 4]).count();
    assert_eq!(refused, 2);
    let sid = u32::from_ne_bytes([0, 0, 0x10, 0]);
    for (ioid, fine) in [(1, true), (2, true), (3, false)] {
        assert_eq!(client.init_with(Command::Get, sid, ioid, "", None).is_ok(), fine);
    }
}

/// All that a client can say, in one piece.
fn conversation(sid: u32) -> Vec<u8> {
    let mut writer = Writer::new(Order::Little);
    let w = &mut writer;
    CreateChannel { channels: vec![(1, "a".into()), (2, "b".into())] }.encode(w).unwrap();
    let request = parse("value,alarm record[queueSize=3,pipeline=true]").unwrap();
    let commands = [Command::Get, Command::Put, Command::PutGet, Command::Process, Command::Rpc];
    for (ioid, command) in commands.into_iter().enumerate() {
        RequestHead { command, sid, ioid: ioid as u32, sub: 0 }.init(w, &request, None).unwrap();
    }
    RequestHead { command: Command::Monitor, sid, ioid: 10, sub: 0 }.init(w, &request, Some(2)).unwrap();
    let step = |w: &mut Writer, command, ioid, sub, body: &[u8]| {
        RequestHead { command, sid, ioid, sub }.encode(w, |w| w.raw(body)).unwrap();
    };
    step(w, Command::Get, 0, 0, &[]);
    step(w, Command::Put, 1, 0, &[1, 2, 3, 0, 0, 0]);
    step(w, Command::PutGet, 2, 0, &[1, 0x22, 3, 0, 0, 0, 2, b'h', b'i']);
    step(w, Command::Process, 3, 0, &[]);
    step(w, Command::Rpc, 4, 0, &[0x80, 0, 1, 1, b'a', 0x8A, 1, 1, 0xFD, 1, 0, 0x20, 7]);
    step(w, Command::Monitor, 10, sub::START, &[]);
    step(w, Command::Monitor, 10, sub::PIPELINE, &[1, 0, 0, 0]);
    GetField { sid, ioid: 20, field: "alarm".into() }.encode(w).unwrap();
    RequestId { sid, ioid: 10 }.destroy(w).unwrap();
    ChannelId { sid, cid: 1 }.destroy(w, false).unwrap();
    writer.to_vec()
}

fn prepared(service: &Service) -> (Client, u32) {
    let mut client = Client::connected(service);
    let sid = client.open("a");
    (client, sid)
}

#[test]
fn every_cut_and_every_wrong_byte_is_survived() {
    let pv = SharedPv::writable(number());
    let service = service("a", &pv);
    let (mut client, sid) = prepared(&service);
    let bytes = conversation(sid);
    client.bring(&bytes).unwrap();
    let whole = client.take().len();
    for cut in 0..bytes.len() {
        let (mut client, _) = prepared(&service);
        client.bring(&bytes[..cut]).unwrap();
        client.bring(&bytes[cut..]).unwrap();
        // One more if the monitor had time to say something.
        assert!((whole..=whole + 1).contains(&client.take().len()), "cut at {cut}");
    }
    for at in 0..bytes.len() {
        for wrong in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] {
            let (mut client, _) = prepared(&service);
            let mut bytes = bytes.clone();
            bytes[at] = wrong;
            let _ = client.bring(&bytes);
            client.bytes();
        }
    }
    let statistics = service.statistics();
    assert!(statistics.channels <= 1 && statistics.subscriptions == 0, "{statistics:?}");
}

#[test]
fn messages_that_end_too_soon_are_errors() {
    let service = service("a", &SharedPv::writable(number()));
    let (_, sid) = prepared(&service);
    let bytes = conversation(sid);
    let mut rest = &bytes[..];
    while let Some((header, after)) = rest.split_first_chunk::<8>() {
        let header = Header::decode(header).unwrap();
        let (payload, next) = after.split_at(header.size as usize);
        rest = next;
        // In front of it, all that it needs.
        let before = &bytes[..bytes.len() - after.len() - 8];
        for len in 0..payload.len() {
            let (mut client, _) = prepared(&service);
            client.bring(before).unwrap();
            let short = Header { size: len as u32, ..header }.encode();
            let _ = client.bring(&[&short[..], &payload[..len]].concat());
            client.bytes();
        }
    }
}

#[test]
fn random_bytes_after_the_handshake() {
    use proptest::prelude::*;
    let service = service("a", &SharedPv::writable(number()));
    proptest!(|(bytes in proptest::collection::vec(any::<u8>(), 0..200), command in 0u8..0x18)| {
        let (mut client, sid) = prepared(&service);
        client.init(Command::Put, sid, 1, "");
        client.init(Command::Monitor, sid, 2, "");
        let header = Header::message(Order::Little, false, command, bytes.len() as u32).encode();
        let _ = client.bring(&[&header[..], &bytes[..]].concat());
        let mut aimed = sid.to_le_bytes().to_vec();
        aimed.extend([1, 0, 0, 0]);
        aimed.extend(&bytes);
        let header = Header::message(Order::Little, false, command, aimed.len() as u32).encode();
        let _ = client.bring(&[&header[..], &aimed[..]].concat());
        client.bytes();
    });
}

/// Found by `pva_session`: a client that left while an update was waiting for it leaked its memory for ever.
#[test]
fn who_leaves_before_an_update_leaves_nothing_behind() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let pv = SharedPv::builder().value(number()).on_put(move |put| {
        let _ = &inside;
        put.post();
    });
    let pv = pv.build();
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Monitor, sid, 1, "");
    client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
    client.take();
    set(&pv, 1);
    drop(client);
    set(&pv, 2);
    drop((service, pv));
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn segments_that_bring_nothing_do_not_go_on_for_ever() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::connected(&service);
    let empty = |segment: u8| [0xCA, 2, segment, 2, 0, 0, 0, 0];
    client.bring(&empty(0x10)).unwrap();
    let refused = (0..1000).position(|_| client.bring(&empty(0x30)).is_err());
    assert!(refused.is_some_and(|count| count < 100), "{refused:?}");

    // Nor do segments that bring a little, for ever.
    let mut client = Client::connected(&service);
    client.session.receive(&[0xCA, 2, 0x10, 2, 1, 0, 0, 0, 7], NOW).unwrap();
    let seconds = Duration::from_secs;
    for second in (10..=120).step_by(10) {
        client.session.receive(&[0xCA, 2, 0x30, 2, 1, 0, 0, 0, 7], seconds(second)).unwrap();
        assert!(client.session.tick(seconds(second)).is_ok());
    }
    assert!(client.session.tick(seconds(121)).unwrap_err().to_string().contains("the whole of a message"));
}

/// A monitor of everything, with a window, started.
fn watch(client: &mut Client, sid: u32, ioid: u32, queue: u32) -> bool {
    let request = format!("record[pipeline=true,queueSize={queue}]field()");
    if client.init_with(Command::Monitor, sid, ioid, &request, Some(1)).is_err() {
        return false;
    }
    client.execute(Command::Monitor, sid, ioid, sub::START, |_| {}).unwrap();
    // The value as it is; the window is then closed.
    assert_eq!(client.take().len(), 1);
    true
}

fn image(pixel: u8) -> Value {
    let mut value = Value::new(&nt::ndarray());
    value.set("value", vec![pixel; 1 << 20]).unwrap();
    value
}

#[test]
fn monitors_in_masses_take_no_more_memory_than_is_said() {
    let pv = SharedPv::new(image(0));
    let limits = Limits {
        memory_per_connection: 8 << 20,
        memory_per_host: 12 << 20,
        memory: 16 << 20,
        monitors_per_pv: 100,
        ..Limits::default()
    };
    let service = service_with("a", &pv, ServerConfig { limits, ..ServerConfig::default() });
    let mut clients: Vec<Client> = ["127.0.0.1:1", "127.0.0.1:2", "10.0.0.1:1", "10.0.0.2:1"]
        .map(|address| {
            let mut client = Client::from(&service, address);
            client.validate().unwrap();
            client
        })
        .into();
    let mut watched = 0;
    for client in &mut clients {
        let sid = client.open("a");
        watched += (1..=300).filter(|ioid| watch(client, sid, *ioid, 100)).count();
    }
    assert_eq!(watched, 3 * 100, "so many of one PV from one host");
    for pixel in 0..50 {
        let posted = image(pixel);
        pv.post(&posted, &crate::wire::BitSet::from_iter([0])).unwrap();
        let memory = service.statistics().memory;
        assert!(memory <= 16 << 20, "{memory}");
    }
    // The newest is seen all the same, by everybody, once he asks for more.
    for client in &mut clients[2..] {
        client.take();
        let sid = 1 << 20;
        client.execute(Command::Monitor, sid, 1, sub::PIPELINE, |w| w.u32(100)).unwrap();
        let last = client.take().pop().unwrap();
        assert!(last.1.windows(100).any(|pixels| pixels == [49; 100]));
    }
    drop(clients);
    assert_eq!((service.statistics().memory, pv.subscribers()), (0, 0));
}

#[test]
fn relief_lets_go_of_what_slow_clients_hold() {
    let pv = SharedPv::new(image(0));
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    watch(&mut client, sid, 1, 100);
    client.take();
    client.execute(Command::Monitor, sid, 1, sub::PIPELINE, |w| w.u32(3)).unwrap();
    let alive: Vec<Arc<()>> = (0..10).map(|_| Arc::new(())).collect();
    for (pixel, token) in alive.iter().enumerate() {
        struct Lent {
            pixels: Vec<u8>,
            _token: Arc<()>,
        }
        impl AsRef<[u8]> for Lent {
            fn as_ref(&self) -> &[u8] {
                &self.pixels
            }
        }
        let lent = Lent { pixels: vec![pixel as u8; 1 << 20], _token: Arc::clone(token) };
        let pixels = crate::data::Array::new(ScalarType::U8, bytes::Bytes::from_owner(lent)).unwrap();
        pv.update(|value| value.set("value", pixels)).unwrap();
        if pixel == 0 {
            // The first is half sent.
            client.session.work(1).unwrap();
            client.session.sent(100_000, NOW);
        }
    }
    let held = || alive.iter().filter(|token| Arc::strong_count(token) > 1).count();
    assert_eq!(held(), 10);
    pv.relieve();
    client.session.work(1).unwrap();
    assert_eq!(held(), 1, "the present value");
    // An update that was sent in part continues unchanged, and the newest follows.
    let (rest, next) = (client.bytes(), client.bytes());
    assert!(rest.windows(100).any(|w| w == [0; 100]) && !rest.windows(100).any(|w| w == [9; 100]));
    assert!(next.windows(100).any(|w| w == [9; 100]));
    client.session.tick(NOW).unwrap();
    assert!(service.statistics().memory < 64 << 10);
}

#[test]
fn a_refusal_is_short_in_the_log_however_long_the_put_was() {
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let write = Arc::clone(&told);
    let text = SharedPv::builder().value(Value::new(&nt::scalar_with(ScalarType::Str, nt::Metadata::NONE)));
    let pv = text.on_put(|put| {
        let text = put.value.str("value").unwrap_or_default().to_owned();
        put.refuse(format!("wanted a number, found `{text}`"));
    });
    let log: crate::server::Log = Arc::new(move |event| write.lock().unwrap().push(event.to_string()));
    let service = service_with("a", &pv.build(), ServerConfig { log: Some(log), ..ServerConfig::default() });
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Put, sid, 1, "");
    client
        .execute(Command::Put, sid, 1, 0, |w| {
            w.raw(&[1, 2]);
            w.str(&"x".repeat(100_000));
        })
        .unwrap();
    assert!(client.answer(Command::Put, 1, 0).0.message.len() < 2000);
    assert!(told.lock().unwrap()[0].len() < 1000, "{:?}", told.lock().unwrap());
}

/// A put that is too long, in one message or in segments, is answered with the reason, and the client goes on.
#[test]
fn a_put_that_is_too_long_is_refused_and_the_client_goes_on() {
    let pv = SharedPv::builder().value(image(0)).on_put(|put: Put| put.accept()).build();
    for (message, memory, why) in [
        (1 << 20, 64 << 20, "wanted a message of at most 1048576 bytes, found "),
        (64 << 20, 1 << 20, "no memory for this while others wait"),
    ] {
        let limits = Limits { message, memory_per_connection: memory, ..Limits::default() };
        let service = service_with("a", &pv, ServerConfig { limits, ..ServerConfig::default() });
        let mut client = Client::connected(&service);
        let sid = client.open("a");
        client.init(Command::Put, sid, 1, "value");
        let picture = image(7);
        client.execute(Command::Put, sid, 1, 0, |writer| picture.encode_changed(writer)).unwrap();
        let (status, _) = client.answer(Command::Put, 1, 0);
        assert!(status.message.starts_with(why), "{}", status.message);
        client.init(Command::Get, sid, 2, "uniqueId");
        client.execute(Command::Get, sid, 2, 0, |_| {}).unwrap();
        assert!(client.answer(Command::Get, 2, 0).0.is_success());
        assert!(service.statistics().memory < 1 << 20);
    }
}

/// How many messages of `message` a turn takes of a flood of them.
fn of_a_turn(client: &mut Client, message: impl Fn(&mut Writer)) -> usize {
    let mut writer = Writer::new(Order::Little);
    message(&mut writer);
    let one = writer.to_vec();
    let flood = one.repeat(5000);
    client.session.allow(crate::server::TURN);
    let worked = client.session.receive(&flood, NOW).unwrap();
    client.session.allow(usize::MAX);
    client.take();
    worked / one.len()
}

#[test]
fn a_flood_gets_one_turn_after_the_other() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "");
    client.init(Command::Put, sid, 2, "");
    let get = |w: &mut Writer| {
        RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 }.encode(w, |_| {}).unwrap()
    };
    assert!((500..=1024).contains(&of_a_turn(&mut client, get)));
    // Both are refused, since they have no handler, each with a reason for the log.
    let put = |w: &mut Writer| {
        let head = RequestHead { command: Command::Put, sid, ioid: 2, sub: 0 };
        head.encode(w, |w| w.raw(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0])).unwrap();
    };
    assert_eq!(of_a_turn(&mut client, put), 64);
    // A monitor that is made and destroyed again and again.
    let monitor = |w: &mut Writer| {
        let head = RequestHead { command: Command::Monitor, sid, ioid: 3, sub: 0 };
        head.init(w, &parse("").unwrap(), None).unwrap();
        RequestHead { sub: sub::START, ..head }.encode(w, |_| {}).unwrap();
        RequestId { sid, ioid: 3 }.destroy(w).unwrap();
    };
    assert!(of_a_turn(&mut client, monitor) <= 32);
}

/// Works in turns until all requests of the client are done. Returns the number of turns, and the sent messages.
fn turns_until_done(client: &mut Client) -> (usize, Vec<(u8, Vec<u8>)>) {
    let mut sent = Vec::new();
    for turn in 1..10_000 {
        client.session.allow(crate::server::TURN);
        client.session.receive(&[], NOW).unwrap();
        sent.extend(client.take());
        if !client.session.has_rest() {
            return (turn, sent);
        }
    }
    panic!("nothing is finished");
}

const NAMES: u32 = 60_000;

const TEXTS: usize = 100_000;

fn texts_of(value: &Value) -> &[String] {
    value.get("value").and_then(crate::data::Field::as_strings).unwrap()
}

/// Many texts in one put are read over turns, and the client's next requests wait for them.
#[test]
fn many_texts_that_are_written_take_many_turns() {
    let pv = SharedPv::writable(Value::new(&nt::scalar_array(ScalarType::Str)));
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Put, sid, 1, "");
    let texts: Vec<String> = (0..TEXTS).map(|number| number.to_string()).collect();
    let mut value = Value::new(&nt::scalar_array(ScalarType::Str));
    value.set("value", texts.clone()).unwrap();
    client.session.allow(crate::server::TURN);
    client.execute(Command::Put, sid, 1, 0, |w| value.encode_changed(w)).unwrap();
    assert!(client.session.has_rest() && client.take().is_empty());
    client.session.allow(crate::server::TURN);
    assert_eq!(client.session.receive(&[0xCA, 2, 0, 2, 0, 0, 0, 0], NOW).unwrap(), 0, "later");
    assert_eq!(texts_of(&pv.value().unwrap()).len(), 0, "not in part");
    let kept = service.statistics().memory;
    assert!(kept > 5 * TEXTS as u64, "{kept}");
    let (turns, answers) = turns_until_done(&mut client);
    let wanted = TEXTS / (crate::server::TURN * super::super::price::READ);
    assert!((wanted..=wanted + 2).contains(&turns), "{turns}");
    assert_eq!((answers.len(), answers[0].0), (1, Command::Put as u8));
    assert_eq!(texts_of(&pv.value().unwrap()), texts);
    assert!(service.statistics().memory < kept, "{}", service.statistics().memory);
}

/// The arguments of a call are read over turns too, however deep the texts are in them, also for a call without an
/// answer.
#[test]
fn many_texts_in_a_call_take_many_turns() {
    let count = |call: crate::server::Call| {
        let all = call.arguments.as_ref().unwrap().as_value().unwrap();
        let count = texts_of(all.field(1).unwrap().as_value().unwrap()).len();
        assert_eq!(count, TEXTS);
        call.done();
    };
    let pv = SharedPv::builder().value(number()).on_call(count).build();
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Rpc, sid, 1, "");
    let mut inner = Value::new(&nt::scalar_array(ScalarType::Str));
    inner.set("value", vec!["x".to_owned(); TEXTS]).unwrap();
    let outer = crate::data::Builder::new("").member("any", crate::data::Type::Any).structure().unwrap();
    let mut arguments = Value::new(&outer);
    arguments.set("any", crate::data::Field::Any(Some(Box::new(inner.into())))).unwrap();
    let arguments = crate::data::Dynamic::from(arguments);
    for (ioid, is_known) in [(1, true), (2, false)] {
        client.session.allow(crate::server::TURN);
        client.execute(Command::Rpc, sid, ioid, 0, |w| arguments.encode(w)).unwrap();
        let (turns, mut answers) = turns_until_done(&mut client);
        assert!(turns >= TEXTS / (crate::server::TURN * super::super::price::READ), "{turns}");
        assert_eq!(answers.len(), 1);
        let (_, payload) = answers.remove(0);
        let reply = crate::proto::Reply::decode(Command::Rpc, Reader::new(&payload, Order::HOST)).unwrap();
        assert_eq!((reply.head.ioid, reply.is_success()), (ioid, is_known));
    }
}

/// As many names as a message holds are handled over turns, and the client's next requests wait for them.
#[test]
fn a_long_list_of_names_takes_many_turns() {
    let service = service("a", &SharedPv::new(number()));
    let names = || (0..NAMES).map(|id| (id, if id % 2 == 0 { "a" } else { "b" }.into())).collect();
    let echo_after = |writer: &mut Writer| crate::proto::echo(writer, false, b"after").unwrap();

    let mut client = Client::connected(&service);
    client.session.allow(crate::server::TURN);
    let create = |w: &mut Writer| CreateChannel { channels: names() }.encode(w).unwrap();
    client.send(create).unwrap();
    assert!(service.statistics().channels < 1000, "{:?}", service.statistics());
    assert_eq!(client.session.receive(&[0xCA, 2, 0, 2, 0, 0, 0, 0], NOW).unwrap(), 0, "later");
    let (turns, mut answers) = turns_until_done(&mut client);
    assert!(turns > 100, "{turns}");
    client.session.allow(usize::MAX);
    client.send(echo_after).unwrap();
    answers.extend(client.take());
    assert_eq!(service.statistics().channels, u64::from(NAMES) / 2);
    let cids = answers.iter().take(NAMES as usize).map(|(code, payload)| {
        assert_eq!(*code, Command::CreateChannel as u8);
        u32::from_ne_bytes(*payload.first_chunk().unwrap())
    });
    assert!(cids.eq(0..NAMES));
    assert_eq!(answers.last().unwrap().1, b"after");

    let mut client = Client::connected(&service);
    client.session.allow(crate::server::TURN);
    let address = std::net::Ipv4Addr::UNSPECIFIED.into();
    let search = |w: &mut Writer| {
        let protocols = vec!["tcp".into()];
        Search { sequence: 7, flags: 0, address, port: 0, protocols, channels: names() }.encode(w).unwrap();
    };
    client.send(search).unwrap();
    assert!(client.session.pending() == 0 && client.session.has_rest());
    let (turns, mut answers) = turns_until_done(&mut client);
    assert!(turns > 50, "{turns}");
    let (_, answer) = answers.remove(0);
    let found = crate::proto::SearchResponse::decode(&mut Reader::new(&answer, Order::HOST)).unwrap();
    assert!(found.found && found.sequence == 7);
    assert!(found.ids.iter().copied().eq((0..NAMES).step_by(2)));
}

/// A list with a broken end ends the connection, however many turns it takes to get there.
#[test]
fn a_long_list_of_names_that_is_cut_short_is_an_error() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::connected(&service);
    let mut writer = Writer::new(Order::Little);
    CreateChannel { channels: (0..NAMES).map(|id| (id, "b".into())).collect() }.encode(&mut writer).unwrap();
    let mut bytes = writer.to_vec();
    bytes.truncate(bytes.len() - 1);
    let size = (bytes.len() - 8) as u32;
    bytes[4..8].copy_from_slice(&size.to_le_bytes());
    client.session.allow(crate::server::TURN);
    client.bring(&bytes).unwrap();
    let turns = (0..1000).position(|_| {
        // Reading answers lets the server go on, too, so that is not part of a turn.
        client.session.allow(0);
        client.bytes();
        client.session.allow(crate::server::TURN);
        client.session.receive(&[], NOW).is_err()
    });
    assert!(turns.is_some_and(|turns| turns > 100), "{turns:?}");
}

const GETS: u32 = 5000;

/// A client with [`GETS`] operations on its channel.
fn client_with_operations(service: &Service) -> (Client, u32) {
    let mut client = Client::connected(service);
    let sid = client.open("a");
    (0..GETS).for_each(|ioid| _ = client.init(Command::Get, sid, ioid, ""));
    (client, sid)
}

#[test]
fn a_channel_with_many_operations_ends_over_turns() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let (mut client, sid) = client_with_operations(&service);
    client.session.allow(crate::server::TURN);
    client.send(|w| ChannelId { sid, cid: 9 }.destroy(w, false).unwrap()).unwrap();
    assert!(client.session.has_rest() && client.session.pending() == 0);
    let (turns, answers) = turns_until_done(&mut client);
    assert!(turns > 5, "{turns}");
    assert_eq!((answers.len(), answers[0].0), (1, Command::DestroyChannel as u8));
    assert_eq!(service.statistics().channels, 0);
    client.session.allow(usize::MAX);
    // The numbers are free again.
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "");

    // A PV that goes closes its channels in the same way.
    let (mut client, _) = client_with_operations(&service);
    client.session.allow(crate::server::TURN);
    pv.close();
    client.session.work(usize::MAX).unwrap();
    let (turns, answers) = turns_until_done(&mut client);
    assert!(turns > 5, "{turns}");
    assert_eq!(answers.last().unwrap().0, Command::DestroyChannel as u8);
}

#[test]
fn what_a_client_leaves_behind_ends_over_turns() {
    let service = service("a", &SharedPv::new(number()));
    let (client, _) = client_with_operations(&service);
    let mut leaving = client.session.leave();
    let turns = (0..1000).position(|_| !leaving.work(crate::server::TURN));
    assert!(turns.is_some_and(|turns| turns > 5), "{turns:?}");
    drop(leaving);
    assert_eq!((service.statistics().channels, service.statistics().memory), (0, 0));
    // The server ends before that is done.
    let (client, _) = client_with_operations(&service);
    drop(client.session.leave());
    assert_eq!((service.statistics().channels, service.statistics().memory), (0, 0));
}

/// Updates of many monitors go out in portions, too.
#[test]
fn a_turn_sends_some_of_many_updates() {
    let pv = SharedPv::new(number());
    let limits = Limits { monitors_per_pv: GETS as usize, ..Limits::default() };
    let service = service_with("a", &pv, ServerConfig { limits, ..ServerConfig::default() });
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    for ioid in 0..GETS {
        client.init(Command::Monitor, sid, ioid, "");
        client.execute(Command::Monitor, sid, ioid, sub::START, |_| {}).unwrap();
        client.take();
    }
    let before = service.statistics().updates;
    set(&pv, 1);
    client.session.allow(crate::server::TURN);
    assert!(client.session.work(usize::MAX).unwrap());
    assert_eq!(service.statistics().updates - before, crate::server::TURN as u64);
    client.session.allow(usize::MAX);
    client.take();
    assert_eq!(service.statistics().updates - before, u64::from(GETS));
}

/// The list of all names, which tools ask for, is work for a turn where there are many.
#[test]
fn a_turn_lists_the_names_of_a_large_server_once() {
    let pvs = crate::server::PvMap::new();
    (0..5000).for_each(|i| _ = pvs.add(format!("n{i}"), SharedPv::builder().build()));
    let service = Service::new(&ServerConfig::default(), pvs);
    let mut client = Client::connected(&service);
    let sid = client.open("server");
    client.init(Command::Rpc, sid, 1, "");
    let mut uri = Value::new(&nt::uri(&[("op", ScalarType::Str.into())]).unwrap());
    uri.set("query.op", "channels").unwrap();
    let uri = crate::data::Dynamic::from(uri);
    let list = |w: &mut Writer| {
        RequestHead { command: Command::Rpc, sid, ioid: 1, sub: 0 }.encode(w, |w| uri.encode(w)).unwrap();
    };
    assert_eq!(of_a_turn(&mut client, list), 1);
}
