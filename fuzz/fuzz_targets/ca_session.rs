//! Any bytes, cut anywhere, from three clients of one server of Channel Access: what it answers can be read, it keeps little of what they do
//! not read, and a fourth client is served all the time.
//!
//! The input is a row of pieces: a byte that says who (2 bits; 3: the server's own life goes on) and how long (6 bits, in fours), then the
//! piece.
//!
//! `cargo +nightly fuzz run --no-default-features ca_session`
#![no_main]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use livetime_ca::dbr::{About, Dbr, Values, decode};
use livetime_ca::server::{Limits, Put, Pv, PvMap, ServerConfig, Service, Session};
use livetime_ca::wire::{Assembler, Command, Header, Message};

/// What may wait for a client that does not read: the limit, and an answer of the largest kind on top.
const MOST: usize = 1 << 20;

/// Puts that are answered later.
type Late = Arc<Mutex<Vec<Put>>>;

fn pvs(number: &Pv, late: &Late) -> PvMap {
    let (pvs, late) = (PvMap::new(), Arc::clone(late));
    let kept = Pv::builder(Values::Double(vec![0.0]), About::default());
    pvs.add("a", number.clone());
    pvs.add("b", Pv::writable(Values::Char(vec![7; 100_000].into()), About::default()));
    pvs.add("c", kept.on_put(move |_, put| late.lock().unwrap_or_else(PoisonError::into_inner).push(put)).build());
    let choices = vec!["Done".into(), "Acquire".into()];
    pvs.add("d", Pv::writable(Values::Enum(vec![0]), About { choices, ..About::default() }));
    pvs.add("e", Pv::writable(Values::Text(vec!["text".into()]), About::default()));
    pvs.add("good", Pv::new(Values::Long(vec![5]), About::default()));
    pvs
}

/// A connection to the server.
struct Client {
    session: Session,
    output: Assembler,
}

impl Client {
    fn new(service: &Service) -> Client {
        let session = Session::new(service, ([127, 0, 0, 1], 1).into(), || (), Duration::ZERO);
        Client { session, output: Assembler::new(MOST) }
    }

    /// Whether the connection goes on.
    fn bring(&mut self, bytes: &[u8]) -> bool {
        if self.session.accepts() {
            self.session.receive(bytes, Duration::ZERO);
        }
        let goes_on = self.session.work(64).is_ok();
        assert!(self.session.pending() <= MOST, "{}", self.session.pending());
        goes_on
    }

    /// Reads all that the server has to say. Whether the connection goes on.
    fn read(&mut self, mut take: impl FnMut(&Message)) -> bool {
        loop {
            self.output.push(self.session.output());
            let sent = self.session.output().len();
            self.session.sent(sent);
            while let Some(message) = self.output.next().expect("messages of ours") {
                take(&message);
            }
            match self.session.work(64) {
                Ok(more) if !more && self.session.pending() == 0 => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }
}

fn check(message: &Message) {
    let Header { command, data_type, count, first, .. } = message.header;
    let command = Command::from_number(command).expect("a command that clients know");
    let has_values = matches!(command, Command::ReadNotify | Command::EventAdd) && first == 1;
    if has_values && !message.payload.is_empty() {
        let dbr = Dbr::from_number(data_type).expect("a type that clients know");
        decode(&message.payload, dbr, count as usize).expect("values of ours");
    }
}

/// A client that does everything right.
fn get(bystander: &mut Client) {
    let mut bytes = Vec::new();
    let command = Command::ReadNotify as u16;
    Header { command, size: 0, data_type: 5, count: 1, first: 1, second: 9 }.encode(&mut bytes);
    assert!(bystander.bring(&bytes));
    let mut answers = 0;
    assert!(bystander.read(|message| {
        assert_eq!(message.payload[..4], [0, 0, 0, 5]);
        answers += 1;
    }));
    assert_eq!(answers, 1);
}

fn bystander(service: &Service) -> Client {
    let mut bystander = Client::new(service);
    let mut bytes = Vec::new();
    let command = Command::CreateChannel as u16;
    Header { command, size: 8, data_type: 0, count: 0, first: 1, second: 13 }.encode(&mut bytes);
    bytes.extend(b"good\0\0\0\0");
    assert!(bystander.bring(&bytes) && bystander.read(|_| ()));
    bystander
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let late = Late::default();
    let number = Pv::writable(Values::Double(vec![1.5]), About::default());
    let limits = Limits { message: 1 << 18, channels: 50, monitors: 50, puts: 20, ..Limits::default() };
    let service = Service::new(&ServerConfig { limits, ..ServerConfig::loopback() }, 5064, pvs(&number, &late));
    let mut clients: [Option<Client>; 3] = std::array::from_fn(|_| Some(Client::new(&service)));
    let mut bystander = bystander(&service);
    let answer = || drop(std::mem::take(&mut *late.lock().unwrap_or_else(PoisonError::into_inner)));
    let mut rest = input;
    while let Some((&control, after)) = rest.split_first() {
        let (piece, next) = after.split_at(after.len().min(4 + usize::from(control >> 2) * 4));
        rest = next;
        let who = usize::from(control & 3);
        if let Some(slot) = clients.get_mut(who) {
            // The last one reads rarely.
            let goes_on = slot.as_mut().is_some_and(|client| client.bring(piece) && (who == 2 || client.read(check)));
            if !goes_on {
                *slot = None;
            }
            continue;
        }
        number.post(Values::Double(vec![piece.first().copied().unwrap_or(0).into()]));
        answer();
        for slot in &mut clients {
            if slot.as_mut().is_some_and(|client| !client.bring(&[]) || !client.read(check)) {
                *slot = None;
            }
        }
        get(&mut bystander);
    }
    get(&mut bystander);
    drop(clients);
    answer();
});
