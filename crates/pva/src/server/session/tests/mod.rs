//! One connection, driven by a client.

mod hostile;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::data::{Array, Dynamic, ScalarType, Type, TypeCache, Value};
use crate::nt;
use crate::proto::{
    ChannelId, ClientValidation, Command, CreateChannel, GetField, Reply, RequestHead, RequestId,
    ServerMessage, echo, sub,
};
use crate::request::parse;
use crate::server::{Access, Put, PvMap, ServerConfig, SharedPv};
use crate::wire::{BitSet, Order, Reader, Status, Writer};

const NOW: Duration = Duration::ZERO;

/// A client that sends prepared requests.
struct Client {
    session: Session,
    rung: Arc<AtomicUsize>,
    types: TypeCache,
}

impl Client {
    fn silent(service: &Service) -> Client {
        Client::from(service, "127.0.0.1:4000")
    }

    fn from(service: &Service, address: &str) -> Client {
        let rung = Arc::new(AtomicUsize::new(0));
        let bell = Arc::clone(&rung);
        let ring = move || {
            bell.fetch_add(1, Ordering::Relaxed);
        };
        let session = Session::new(service, address.parse().unwrap(), ring, NOW);
        Client { session, rung, types: TypeCache::new() }
    }

    fn connected(service: &Service) -> Client {
        let mut client = Client::silent(service);
        client.validate().unwrap();
        client
    }

    fn validate(&mut self) -> Result<()> {
        self.send(validation)?;
        assert_eq!(self.take().len(), 3);
        Ok(())
    }

    fn send(&mut self, write: impl FnOnce(&mut Writer)) -> Result<()> {
        let mut writer = Writer::new(Order::Little);
        write(&mut writer);
        self.bring(&writer.to_vec())
    }

    fn bring(&mut self, bytes: &[u8]) -> Result<()> {
        self.session.receive(bytes, NOW)?;
        self.session.work(usize::MAX)?;
        Ok(())
    }

    /// Everything that was sent, as payloads by command.
    fn take(&mut self) -> Vec<(u8, Vec<u8>)> {
        let bytes = self.bytes();
        let (mut input, mut messages) = (&bytes[..], Vec::new());
        let mut assembler = Assembler::new(1 << 30);
        while let Some(message) = assembler.next(&mut input).unwrap() {
            assert!(message.header.server && message.header.order == Order::HOST);
            messages.push((message.header.command, message.bytes().to_vec()));
        }
        messages
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.session.work(usize::MAX).unwrap();
        while self.session.pending() > 0 {
            let mut slices = [IoSlice::new(&[]); 5];
            let count = self.session.slices(&mut slices);
            // An odd number, so that pieces are cut.
            let piece: Vec<u8> = slices[..count].iter().flat_map(|s| s.iter().copied()).take(4999).collect();
            self.session.sent(piece.len(), NOW);
            bytes.extend(piece);
        }
        bytes
    }

    fn open(&mut self, name: &str) -> u32 {
        self.send(|w| CreateChannel { channels: vec![(9, name.into())] }.encode(w).unwrap()).unwrap();
        let answer = self.take().remove(0);
        match ServerMessage::decode(answer.0, Reader::new(&answer.1, Order::HOST)).unwrap() {
            ServerMessage::ChannelCreated(created) => {
                assert!(created.status.is_success() && created.cid == 9);
                created.sid
            }
            other => panic!("{other:?}"),
        }
    }

    fn init(&mut self, command: Command, sid: u32, ioid: u32, request: &str) -> Option<Type> {
        self.init_with(command, sid, ioid, request, None).unwrap()
    }

    fn init_with(
        &mut self,
        command: Command,
        sid: u32,
        ioid: u32,
        request: &str,
        window: Option<u32>,
    ) -> std::result::Result<Option<Type>, Status> {
        let head = RequestHead { command, sid, ioid, sub: 0 };
        self.send(|w| head.init(w, &parse(request).unwrap(), window).unwrap()).unwrap();
        let (code, payload) = self.take().remove(0);
        assert_eq!(code, command as u8);
        let mut reply = Reply::decode(command, Reader::new(&payload, Order::HOST)).unwrap();
        assert_eq!((reply.head.ioid, reply.head.sub), (ioid, sub::INIT));
        match reply.status.clone() {
            Some(status) if !status.is_success() => Err(status),
            _ if reply.body.is_empty() => Ok(None),
            _ => Ok(Some(reply.ty(&mut self.types).unwrap())),
        }
    }

    fn execute(
        &mut self,
        command: Command,
        sid: u32,
        ioid: u32,
        sub: u8,
        body: impl FnOnce(&mut Writer),
    ) -> Result<()> {
        self.send(|w| RequestHead { command, sid, ioid, sub }.encode(w, body).unwrap())
    }

    /// The status of the only answer, and its data.
    fn answer(&mut self, command: Command, ioid: u32, sub: u8) -> (Status, Vec<u8>) {
        let mut all = self.take();
        assert_eq!(all.len(), 1, "{all:?}");
        let (code, payload) = all.remove(0);
        assert_eq!(code, command as u8);
        let reply = Reply::decode(command, Reader::new(&payload, Order::HOST)).unwrap();
        assert_eq!((reply.head.ioid, reply.head.sub), (ioid, sub));
        (reply.status.unwrap(), reply.body.rest().to_vec())
    }

    /// Number, changed and overrun bits of each update.
    fn updates(&mut self, like: &Value) -> VecDeque<(i64, Vec<usize>, Vec<usize>)> {
        let messages = self.take();
        messages
            .iter()
            .map(|(code, payload)| {
                assert_eq!(*code, Command::Monitor as u8);
                let mut reply = Reply::decode(Command::Monitor, Reader::new(payload, Order::HOST)).unwrap();
                assert!(reply.head.is_update());
                let mut value = Value::new(like.structure());
                let update = reply.update(&mut value, &mut self.types).unwrap();
                assert!(reply.body.is_empty());
                let number = value.i64("value").unwrap();
                (number, update.changed.iter().collect(), update.overrun.iter().collect())
            })
            .collect()
    }
}

fn validation(writer: &mut Writer) {
    let ty = crate::data::Builder::new("").member("user", ScalarType::Str).member("host", ScalarType::Str);
    let mut who = Value::new(&ty.structure().unwrap());
    who.set("user", "ann").unwrap();
    let validation = ClientValidation {
        buffer: 1 << 16,
        registry: 0x7FFF,
        qos: 0,
        method: "ca".into(),
        credentials: Some(who.into()),
    };
    validation.encode(writer).unwrap();
}

fn number() -> Value {
    Value::new(&nt::scalar_with(ScalarType::I32, nt::Metadata::NONE))
}

fn service(name: &str, pv: &SharedPv) -> Service {
    service_with(name, pv, ServerConfig::default())
}

fn service_with(name: &str, pv: &SharedPv, config: ServerConfig) -> Service {
    let pvs = PvMap::new();
    pvs.add(name, pv.clone());
    Service::new(&config, pvs)
}

fn set(pv: &SharedPv, number: i32) {
    pv.update(|value| value.set("value", number)).unwrap();
}

#[test]
fn the_server_speaks_first_and_learns_who_is_there() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::silent(&service);
    assert_eq!(client.bytes()[..16], [0xCA, 2, 0x41, 2, 0, 0, 0, 0, 0xCA, 2, 0x40, 1, 20, 0, 0, 0]);
    client.send(validation).unwrap();
    assert_eq!(client.take(), [(Command::ConnectionValidated as u8, vec![0xFF])]);
    assert_eq!((client.session.peer().account.as_str(), client.session.peer().is_local()), ("ann", true));
    client.send(|w| echo(w, false, b"there?").unwrap()).unwrap();
    assert_eq!(client.take(), [(Command::Echo as u8, b"there?".to_vec())]);
}

#[test]
fn an_unknown_way_to_say_who_one_is_makes_nobody() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::silent(&service);
    client.bytes();
    let method = "x509".to_string();
    let validation = ClientValidation { buffer: 0, registry: 0, qos: 0, method, credentials: None };
    client.send(|w| validation.encode(w).unwrap()).unwrap();
    let (_, payload) = client.take().remove(0);
    assert_eq!(payload[0], 2);
    assert_eq!(client.session.peer().method, "anonymous");
    client.open("a");
}

#[test]
fn channels_come_and_go() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let names = [(1, "a"), (2, "b"), (3, ""), (4, &"x".repeat(501)[..]), (5, "a")];
    let channels = names.iter().map(|(cid, name)| (*cid, (*name).into())).collect();
    client.send(|w| CreateChannel { channels }.encode(w).unwrap()).unwrap();
    let answers = client.take();
    let refused: Vec<bool> = answers.iter().map(|(_, payload)| payload[4..8] == [0xFF; 4]).collect();
    assert_eq!(refused, [false, true, true, true, false]);
    assert_eq!(service.statistics().channels, 2);

    let sid = u32::from_ne_bytes(answers[0].1[4..8].try_into().unwrap());
    client.init(Command::Get, sid, 1, "");
    client.send(|w| ChannelId { sid, cid: 1 }.destroy(w, false).unwrap()).unwrap();
    assert_eq!(client.take()[0].0, Command::DestroyChannel as u8);
    client.execute(Command::Get, sid, 1, 0, |_| {}).unwrap();
    assert_eq!(client.answer(Command::Get, 1, 0).0.message, "bad request id");

    pv.close();
    assert_eq!(client.rung.load(Ordering::Relaxed), 1);
    let gone = client.take();
    assert_eq!((gone.len(), gone[0].0), (1, Command::DestroyChannel as u8));
    assert_eq!(service.statistics().channels, 0);
}

#[test]
fn a_get_brings_everything_that_was_asked_for() {
    let pv = SharedPv::new(number());
    set(&pv, 42);
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    let Some(Type::Structure(ty)) = client.init(Command::Get, sid, 1, "") else { panic!() };
    assert_eq!(ty, *number().structure());
    for expected in [42, 43] {
        set(&pv, expected);
        client.execute(Command::Get, sid, 1, 0, |_| {}).unwrap();
        let (status, body) = client.answer(Command::Get, 1, 0);
        let mut value = number();
        value.decode_changed(&mut Reader::new(&body, Order::HOST), &mut TypeCache::new()).unwrap();
        assert_eq!((status, value.i64("value")), (Status::OK, Some(expected.into())));
    }
    client.init(Command::Get, sid, 2, "value");
    client.execute(Command::Get, sid, 2, sub::DESTROY, |_| {}).unwrap();
    assert_eq!(client.answer(Command::Get, 2, sub::DESTROY).1, [1, 2, 43, 0, 0, 0]);
    client.execute(Command::Get, sid, 2, 0, |_| {}).unwrap();
    assert!(!client.answer(Command::Get, 2, 0).0.is_success());
    let refused = client.init_with(Command::Get, sid, 3, "field(nosuch)", None).unwrap_err();
    assert_eq!(refused.message, "pvRequest must select at least one field");
    let refused = client.init_with(Command::Get, sid + 1, 3, "", None).unwrap_err();
    assert_eq!(refused.message, "bad channel id");
    let refused = client.init_with(Command::Array, sid, 3, "", None).unwrap_err();
    assert_eq!(refused.message, "this operation is not supported");
}

fn put_number(writer: &mut Writer, number: i32) {
    BitSet::from_iter([1]).encode(writer);
    writer.i32(number);
}

#[test]
fn a_put_may_be_answered_later() {
    let held = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&held);
    let handler = move |put: Put| *keep.lock().unwrap() = Some(put);
    let pv = SharedPv::builder().value(number()).on_put(handler).build();
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Put, sid, 1, "record[block=true,process=false]");
    client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 7)).unwrap();
    assert_eq!(client.take(), []);
    // One at a time, and reading back goes on.
    client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 8)).unwrap();
    assert_eq!(client.answer(Command::Put, 1, 0).0.message, "other request pending");
    client.execute(Command::Put, sid, 1, sub::GET, |_| {}).unwrap();
    assert_eq!(client.answer(Command::Put, 1, sub::GET).1[..6], [1, 1, 0, 0, 0, 0]);

    let put = held.lock().unwrap().take().unwrap();
    assert_eq!((put.value.i64("value"), put.peer.account.as_str()), (Some(7), "ann"));
    assert!(put.options.block && put.value.changed().iter().eq([1]));
    let before = client.rung.load(Ordering::Relaxed);
    std::thread::spawn(move || put.post()).join().unwrap();
    assert_eq!(client.rung.load(Ordering::Relaxed), before + 1);
    assert_eq!(client.answer(Command::Put, 1, 0).0, Status::OK);
    assert_eq!(pv.value().unwrap().i64("value"), Some(7));

    client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 9)).unwrap();
    drop(held.lock().unwrap().take());
    assert!(client.answer(Command::Put, 1, 0).0.message.contains("without an answer"));
    client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 9)).unwrap();
    client.send(|w| RequestId { sid, ioid: 1 }.cancel(w).unwrap()).unwrap();
    held.lock().unwrap().take().unwrap().accept();
    assert_eq!(client.take(), []);
}

#[test]
fn writing_is_for_some() {
    let pv = SharedPv::writable(number());
    let (service, log) = logged(&pv);
    // A client that comes from any address of this machine is on this machine.
    let own = crate::net::own_addresses().into_iter().map(|address| (SocketAddr::new(address, 5), true));
    let local: Vec<_> = own.collect();
    for (address, allowed) in local {
        let mut client = Client::from(&service, &address.to_string());
        client.validate().unwrap();
        let sid = client.open("a");
        client.init(Command::Put, sid, 1, "");
        client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 7)).unwrap();
        assert_eq!(client.answer(Command::Put, 1, 0).0.is_success(), allowed, "{address}");
    }
    log.lock().unwrap().clear();
    for (address, allowed) in [("127.0.0.1:5", true), ("10.0.0.1:5", false)] {
        let mut client = Client::from(&service, address);
        client.validate().unwrap();
        let sid = client.open("a");
        client.init(Command::Put, sid, 1, "");
        client.execute(Command::Put, sid, 1, 0, |w| put_number(w, 7)).unwrap();
        let status = client.answer(Command::Put, 1, 0).0;
        assert_eq!(
            (status.is_success(), status.message.starts_with("Put not permitted: ")),
            (allowed, !allowed)
        );
    }
    let refused = "ann at 10.0.0.1:5 was refused to write a: value = 7: Put not permitted: \
                   ann at 10.0.0.1 is not among those who may write; ask for 10.0.0.1";
    assert_eq!(*log.lock().unwrap(), ["ann at 127.0.0.1:5 wrote a: value = 7", refused]);
}

/// A service of `pv` as `a`, and its lines in the log.
fn logged(pv: &SharedPv) -> (Service, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let write = Arc::clone(&log);
    let config = ServerConfig {
        hint: "ask for {host}".into(),
        log: Some(Arc::new(move |event| write.lock().unwrap().push(event.to_string()))),
        ..ServerConfig::default()
    };
    (service_with("a", pv, config), log)
}

#[test]
fn the_log_is_told_what_became_of_a_write() {
    let held = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&held);
    let handler = move |put: Put| *keep.lock().unwrap() = Some(put);
    let pv = SharedPv::builder().value(number()).on_put(handler).build();
    let (service, log) = logged(&pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Put, sid, 1, "");
    let mut put = |number| {
        // The one before is answered.
        client.bring(&[]).unwrap();
        client.execute(Command::Put, sid, 1, 0, |w| put_number(w, number)).unwrap();
        held.lock().unwrap().take().unwrap()
    };
    let first = put(7);
    assert_eq!(*log.lock().unwrap(), [""; 0]);
    first.post();
    put(8).refuse("8 is too much");
    drop(put(9));
    let who = "ann at 127.0.0.1:4000";
    let refused = format!("{who} was refused to write a: value =");
    let expected = [
        format!("{who} wrote a: value = 7"),
        format!("{refused} 8: 8 is too much"),
        format!("{refused} 9: the request was dropped without an answer"),
    ];
    assert_eq!(*log.lock().unwrap(), expected);
}

#[test]
fn put_get_process_and_calls() {
    let pv = SharedPv::builder()
        .value(number())
        .access(Access::everybody())
        .on_put(|put| if put.process_only { put.refuse("not today") } else { put.post() })
        .on_call(|call| match call.argument("a").and_then(|a| a.as_i64()) {
            Some(a) => call.reply(Dynamic::new(ScalarType::I64.into(), a * 2).unwrap()),
            None => call.done(),
        })
        .build();
    let service = service("a", &pv);
    let mut client = Client::from(&service, "10.0.0.1:5");
    client.validate().unwrap();
    let sid = client.open("a");
    client.init(Command::PutGet, sid, 1, "putField(value)getField(value)");
    client.execute(Command::PutGet, sid, 1, 0, |w| put_number(w, 5)).unwrap();
    assert_eq!(client.answer(Command::PutGet, 1, 0).1, [1, 2, 5, 0, 0, 0]);
    for sub in [sub::GET, sub::PIPELINE] {
        client.execute(Command::PutGet, sid, 1, sub, |_| {}).unwrap();
        assert_eq!(client.answer(Command::PutGet, 1, sub).1, [1, 2, 5, 0, 0, 0]);
    }
    assert!(client.init(Command::Process, sid, 2, "").is_none());
    client.execute(Command::Process, sid, 2, 0, |_| {}).unwrap();
    assert_eq!(client.answer(Command::Process, 2, 0).0.message, "not today");

    assert!(client.init(Command::Rpc, sid, 3, "").is_none());
    let mut uri = Value::new(&nt::uri(&[("a", ScalarType::I32.into())]).unwrap());
    uri.set("query.a", 21).unwrap();
    client.execute(Command::Rpc, sid, 3, 0, |w| Dynamic::from(uri).encode(w)).unwrap();
    let (_, body) = client.answer(Command::Rpc, 3, 0);
    let result = Dynamic::decode(&mut Reader::new(&body, Order::HOST), &mut TypeCache::new()).unwrap();
    assert_eq!(result.unwrap().field().as_i64(), Some(42));
    client.execute(Command::Rpc, sid, 3, sub::DESTROY, |w| w.null()).unwrap();
    assert_eq!(client.answer(Command::Rpc, 3, sub::DESTROY), (Status::OK, vec![0xFF]));
}

#[test]
fn the_server_itself_can_be_asked() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::connected(&service);
    let sid = client.open("server");
    client.init(Command::Rpc, sid, 1, "");
    let mut ask = |op: &str| {
        let mut uri = Value::new(&nt::uri(&[("op", ScalarType::Str.into())]).unwrap());
        uri.set("query.op", op).unwrap();
        client.execute(Command::Rpc, sid, 1, 0, |w| Dynamic::from(uri).encode(w)).unwrap();
        let (status, body) = client.answer(Command::Rpc, 1, 0);
        let mut reader = Reader::new(&body, Order::HOST);
        status.is_success().then(|| Dynamic::decode(&mut reader, &mut TypeCache::new()).unwrap().unwrap())
    };
    let channels = ask("channels").unwrap().into_value().unwrap();
    assert_eq!(channels.get("value").and_then(|v| v.as_strings()), Some(&["a".to_string()][..]));
    assert_eq!(ask("info").unwrap().into_value().unwrap().str("implLang"), Some("rust"));
    assert!(ask("reboot").is_none());
}

#[test]
fn types_can_be_asked_for() {
    let service = service("a", &SharedPv::new(number()));
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    for (field, expected) in [("", Some(0x80)), ("alarm.severity", Some(0x22)), ("nosuch", None)] {
        client.send(|w| GetField { sid, ioid: 5, field: field.into() }.encode(w).unwrap()).unwrap();
        let (_, payload) = client.take().remove(0);
        let ServerMessage::Field { status, mut body, .. } =
            ServerMessage::decode(Command::GetField as u8, Reader::new(&payload, Order::HOST)).unwrap()
        else {
            panic!()
        };
        assert_eq!(status.is_success(), expected.is_some());
        if expected.is_some() {
            Type::decode_some(&mut body, &mut client.types).unwrap();
        }
    }
}

#[test]
fn a_slow_client_gets_the_latest_and_is_told_what_it_missed() {
    let pv = SharedPv::new(number());
    set(&pv, 1);
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Monitor, sid, 1, "record[queueSize=3]");
    set(&pv, 2);
    assert_eq!(client.take(), [], "nothing before it is started");
    client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
    let like = number();
    assert_eq!(client.updates(&like), [(2, vec![0], vec![])]);
    (3..10).for_each(|number| set(&pv, number));
    let updates = client.updates(&like);
    assert_eq!(updates, [(3, vec![1], vec![]), (4, vec![1], vec![]), (9, vec![1], vec![1])]);
    assert_eq!(service.statistics().squashed, 4);
    // Merged with something else, and then something comes after it.
    (20..23).for_each(|number| set(&pv, number));
    pv.update(|value| value.set("alarm.severity", 2)).unwrap();
    client.execute(Command::Monitor, sid, 1, sub::STOP, |_| {}).unwrap();
    set(&pv, 30);
    assert_eq!(client.take(), [], "what waits when it is stopped is not sent");
    client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
    set(&pv, 31);
    assert_eq!(client.updates(&like), [(30, vec![0], vec![]), (31, vec![1], vec![])]);
    pv.finish();
    assert_eq!(client.answer(Command::Monitor, 1, sub::DESTROY).0, Status::OK);
    assert_eq!(service.statistics().subscriptions, 0);
}

/// A client that has all updates of `a` for which it has credits, and its number of the channel.
fn watching(service: &Service, credits: u32) -> (Client, u32) {
    let mut client = Client::connected(service);
    let sid = client.open("a");
    let request = "value record[pipeline=true,queueSize=2]";
    client.init_with(Command::Monitor, sid, 1, request, Some(credits)).unwrap();
    client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
    assert_eq!(client.updates(&number()).len(), usize::from(credits > 0));
    (client, sid)
}

#[test]
fn updates_that_waited_for_a_client_are_counted_when_it_is_gone_without_a_word() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let [mut quick, slow, mut polite] = [10, 0, 0].map(|credits| watching(&service, credits));
    set(&pv, 1);
    assert_eq!(quick.0.updates(&number()).len(), 1);
    drop(quick.0.session.leave());
    polite.0.send(|w| RequestId { sid: polite.1, ioid: 1 }.destroy(w).unwrap()).unwrap();
    drop(polite.0.session.leave());
    assert_eq!(pv.unsent(), 0);
    drop(slow.0.session.leave());
    assert_eq!(pv.unsent(), 2);
}

#[test]
fn a_pv_that_ends_says_so_to_clients_that_have_every_update() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let mut clients = [10, 0].map(|credits| watching(&service, credits).0);
    pv.end(Duration::ZERO);
    // Without credits the updates of the second one wait.
    let closed = |client: &mut Client| {
        client.take().iter().filter(|(command, _)| *command == Command::DestroyChannel as u8).count()
    };
    assert_eq!(clients.each_mut().map(closed), [1, 0]);
}

#[test]
fn a_window_is_kept() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    let request = "value record[pipeline=true,queueSize=2]";
    client.init_with(Command::Monitor, sid, 1, request, Some(0)).unwrap();
    client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
    let like = number();
    let ack = |client: &mut Client, count: u32| {
        client.execute(Command::Monitor, sid, 1, sub::PIPELINE, |w| w.u32(count)).unwrap();
        client.updates(&like)
    };
    assert_eq!(client.updates(&like), []);
    assert_eq!(ack(&mut client, 1), [(0, vec![1], vec![])]);
    (1..6).for_each(|number| set(&pv, number));
    assert_eq!(client.updates(&like), []);
    assert_eq!(ack(&mut client, 1), [(1, vec![1], vec![])]);
    // With room again, the merged update is sent as it was.
    set(&pv, 6);
    assert_eq!(ack(&mut client, u32::MAX), [(5, vec![1], vec![1]), (6, vec![1], vec![])]);
    assert_eq!(ack(&mut client, u32::MAX), []);
    set(&pv, 7);
    assert_eq!(client.updates(&like).len(), 1);
}

#[test]
fn images_are_encoded_once_and_not_copied() {
    let pv = SharedPv::new(Value::new(&nt::ndarray()));
    let service = service("a", &pv);
    let mut clients = [Client::connected(&service), Client::connected(&service)];
    for client in &mut clients {
        let sid = client.open("a");
        client.init(Command::Monitor, sid, 1, "");
        client.execute(Command::Monitor, sid, 1, sub::START, |_| {}).unwrap();
        client.bytes();
    }
    let pixels = Array::from(vec![3u8; 1 << 20]);
    let memory = pixels.data().as_ptr();
    pv.update(|value| value.set("value", pixels)).unwrap();
    for client in &mut clients {
        client.session.work(usize::MAX).unwrap();
        let mut slices = [IoSlice::new(&[]); 8];
        let count = client.session.slices(&mut slices);
        assert!(slices[..count].iter().any(|slice| slice.as_ptr() == memory && slice.len() == 1 << 20));
    }
}

#[test]
fn what_is_posted_encoded_is_what_is_read() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Monitor, sid, 1, "record[queueSize=2]");
    client.init(Command::Monitor, sid, 2, "value");
    for ioid in [1, 2] {
        client.execute(Command::Monitor, sid, ioid, sub::START, |_| {}).unwrap();
    }
    client.bytes();
    let post = |number: i32| {
        let mut value = Value::new(pv.structure().as_ref().unwrap());
        value.set("value", number).unwrap();
        let mut writer = Writer::new(Order::HOST);
        value.encode(&mut writer);
        pv.post_encoded(writer.take()).unwrap();
    };
    (1..=4).for_each(post);
    let like = number();
    let updates = client.updates(&like);
    let whole: Vec<_> = updates.iter().filter(|(_, bits, _)| bits[0] == 0).collect();
    assert_eq!(whole, [&(1, vec![0], vec![]), &(4, vec![0], vec![0])]);
    let part: Vec<_> = updates.iter().filter(|(_, bits, _)| bits[0] == 1).map(|u| u.0).collect();
    assert_eq!(part, [1, 2, 3, 4]);
    assert_eq!(pv.value().unwrap().i64("value"), Some(4));
    post(5);
    client.init(Command::Get, sid, 3, "value");
    client.bytes();
    client.execute(Command::Get, sid, 3, 0, |_| {}).unwrap();
    assert_eq!(client.answer(Command::Get, 3, 0).1, [1, 2, 5, 0, 0, 0]);
}

#[test]
fn thousands_of_requests_in_one_piece_are_answered_in_order() {
    let pv = SharedPv::new(number());
    let service = service("a", &pv);
    let mut client = Client::connected(&service);
    let sid = client.open("a");
    client.init(Command::Get, sid, 1, "value");
    let mut writer = Writer::new(Order::Little);
    for _ in 0..5000 {
        RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 }.encode(&mut writer, |_| {}).unwrap();
    }
    client.bring(&writer.to_vec()).unwrap();
    assert_eq!(client.take().len(), 5000);
    assert_eq!(service.statistics().gets, 5000);
}
