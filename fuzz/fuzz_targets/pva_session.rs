//! Any bytes, cut anywhere, from three clients of one server: what it answers can be read, it keeps little of what
//! they do not read, and a fourth client is served all the time.
//!
//! The input is a row of pieces: a byte that says who (2 bits; 3: the server's own life goes on) and how long (6
//! bits, in fours), then the piece.
//!
//! `cargo +nightly fuzz run pva_session`
#![no_main]

use std::io::IoSlice;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job};
use livetime_pva::proto::{Command, Reply, ServerMessage};
use livetime_pva::request::parse;
use livetime_pva::server::{Call, Limits, Put, PvMap, ServerConfig, Service, Session, SharedPv};
use livetime_pva::wire::{Assembler, Message};

const HELLO: [u8; 17] = [0xCA, 2, 0, 1, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/// What may wait for a client that does not read: the limit, and a message of the largest kind on top.
const MOST: usize = 8 << 20;

/// Answers that come later.
#[derive(Clone, Default)]
struct Late(Arc<Mutex<(Vec<Put>, Vec<Call>)>>);

impl Late {
    fn with<T>(&self, run: impl FnOnce(&mut (Vec<Put>, Vec<Call>)) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn answer(&self, number: u8) {
        let (puts, calls) = self.with(std::mem::take);
        for put in puts {
            if number & 1 == 0 { put.post() } else { put.refuse("no") }
        }
        for call in calls {
            if number & 2 == 0 { call.done() } else { call.refuse("no") }
        }
    }
}

fn pvs(number: &SharedPv, late: &Late) -> PvMap {
    let value = || Value::new(&nt::scalar(ScalarType::F64));
    let (puts, calls) = (late.clone(), late.clone());
    let slow = SharedPv::builder().value(value()).on_put(move |put| puts.with(|late| late.0.push(put)));
    let procedure = SharedPv::builder().on_call(move |call| match call.argument("a").is_some() {
        true => call.reply(Value::new(&nt::scalar(ScalarType::I32))),
        false => calls.with(|late| late.1.push(call)),
    });
    let pvs = PvMap::new();
    pvs.add("a", number.clone());
    pvs.add("b", SharedPv::writable(Value::new(&nt::ndarray())));
    pvs.add("c", slow.build());
    pvs.add("d", procedure.build());
    pvs.add("good", SharedPv::new(value()));
    pvs
}

fn check(message: &Message<'_>) {
    assert!(message.header.server);
    if message.header.control {
        return;
    }
    let code = message.header.command;
    match Command::from_code(code).expect("a command that clients know") {
        command if command.is_operation() => drop(Reply::decode(command, message.reader()).expect("ours")),
        _ => drop(ServerMessage::decode(code, message.reader()).expect("ours")),
    }
}

/// A connection to the server.
struct Client {
    session: Session,
    // What the server does not take yet, and what it sent.
    backlog: Vec<u8>,
    output: Assembler,
}

impl Client {
    fn new(service: &Service) -> Client {
        let address = ([127, 0, 0, 1], 1).into();
        let session = Session::new(service, address, || (), Duration::ZERO);
        Client { session, backlog: Vec::new(), output: Assembler::new(MOST) }
    }

    /// Whether the connection goes on.
    fn bring(&mut self, bytes: &[u8]) -> bool {
        self.backlog.extend_from_slice(bytes);
        let Ok(consumed) = self.session.receive(&self.backlog, Duration::ZERO) else { return false };
        self.backlog.drain(..consumed);
        assert!(self.session.pending() <= MOST, "{}", self.session.pending());
        self.session.work(1 << 16).is_ok()
    }

    /// Reads all that the server has to say. Whether the connection goes on.
    fn read(&mut self, take: &mut dyn FnMut(&Message<'_>)) -> bool {
        loop {
            let mut slices = [IoSlice::new(&[]); 7];
            let count = self.session.slices(&mut slices);
            let bytes = slices[..count].iter().flat_map(|slice| slice.iter().copied()).collect::<Vec<u8>>();
            self.session.sent(bytes.len(), Duration::ZERO);
            let mut rest = &bytes[..];
            while let Some(message) = self.output.next(&mut rest).expect("messages of ours") {
                take(&message);
            }
            let waiting = !self.backlog.is_empty();
            if waiting && !self.bring(&[]) || self.session.work(1 << 16).is_err() {
                return false;
            }
            if self.session.pending() == 0 {
                return true;
            }
        }
    }
}

/// Somebody who does everything right.
struct Bystander {
    client: Client,
    connection: Connection<u8, u8>,
    held: Option<(u32, Value)>,
}

impl Bystander {
    fn new(service: &Service) -> Bystander {
        let mut connection = Connection::new(Identity::anonymous(), Instant::now());
        let cid = connection.create_channel(0, "good").expect("a channel");
        let mut bystander = Bystander { client: Client::new(service), connection, held: None };
        bystander.exchange();
        let everything = parse("").expect("everything");
        let ioid = bystander.connection.begin(cid, Job::Get, &everything, false, 0);
        bystander.held = Some((ioid.expect("an open channel"), Value::new(&nt::scalar(ScalarType::F64))));
        bystander.exchange();
        bystander
    }

    fn exchange(&mut self) {
        for _ in 0..4 {
            let bytes = self.connection.output().to_vec();
            self.connection.output().clear();
            assert!(self.client.bring(&bytes));
            let (connection, held) = (&mut self.connection, &mut self.held);
            let goes_on = self.client.read(&mut |message| {
                let told = connection.receive(message, &mut |event| {
                    if let Event::Answered(_, answer) = event {
                        let Ok(Answer::Value(value)) = answer else { panic!("{answer:?}") };
                        if let Some(held) = held {
                            held.1 = value;
                        }
                        ANSWERS.with(|answers| answers.set(answers.get() + 1));
                    }
                });
                told.expect("a server that does everything right");
            });
            assert!(goes_on);
        }
    }

    fn get(&mut self) {
        let (ioid, value) = self.held.take().expect("a request");
        let before = ANSWERS.with(std::cell::Cell::get);
        self.held = Some((ioid, Value::new(value.structure())));
        assert!(self.connection.get_again(ioid, value).is_ok());
        self.exchange();
        assert_eq!(ANSWERS.with(std::cell::Cell::get), before + 1, "an answer to the one who asked nicely");
    }
}

thread_local!(static ANSWERS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let (late, number) = (Late::default(), SharedPv::writable(Value::new(&nt::scalar(ScalarType::F64))));
    let limits = Limits { message: 1 << 20, queue_bytes: 1 << 20, ..Limits::default() };
    let config = ServerConfig { limits, ..ServerConfig::loopback() };
    let service = Service::new(&config, pvs(&number, &late));
    let mut clients: [Option<Client>; 3] = std::array::from_fn(|_| Some(Client::new(&service)));
    for client in clients.iter_mut().flatten() {
        assert!(client.bring(&HELLO));
    }
    let mut bystander = Bystander::new(&service);
    let mut rest = input;
    while let Some((&control, after)) = rest.split_first() {
        let (piece, next) = after.split_at(after.len().min(4 + usize::from(control >> 2) * 4));
        rest = next;
        let who = usize::from(control & 3);
        match clients.get_mut(who) {
            Some(slot) => {
                let goes_on = slot.as_mut().is_some_and(|client| client.bring(piece));
                // The last one reads rarely.
                let reads = who < 2 && slot.as_mut().is_some_and(|client| client.read(&mut check));
                if !goes_on || (who < 2 && !reads) {
                    *slot = None;
                }
            }
            None => {
                let byte = piece.first().copied().unwrap_or(0);
                number.update(|value| value.set("value", f64::from(byte))).expect("a number");
                late.answer(byte);
                for slot in &mut clients {
                    if slot.as_mut().is_some_and(|client| !client.bring(&[]) || !client.read(&mut check)) {
                        *slot = None;
                    }
                }
                bystander.get();
            }
        }
    }
    bystander.get();
    drop(clients);
    late.answer(0);
    drop(bystander);
    assert_eq!(service.statistics().channels, 0);
});
