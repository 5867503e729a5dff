//! Talks with a client, byte by byte.

mod hostile;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};

use proptest::prelude::*;

use super::*;
use crate::Status;
use crate::dbr::{About, Alarm, Dbr, Form, Native, Values, decode};
use crate::server::{Changes, Limits, Log, Put, Pv, PvMap, ServerConfig};
use crate::wire::Message;

struct Talk {
    service: Service,
    session: Session,
    found: Assembler,
    rung: Arc<AtomicUsize>,
    puts: Receiver<Put>,
    number: Pv,
    /// Lines of the log.
    log: Arc<Mutex<Vec<String>>>,
}

const DOUBLE: u16 = 6;
const TIME_DOUBLE: u16 = 20;
const NAMES: [&str; 5] = ["number", "read", "kept", "choice", "picture"];

fn limits() -> Limits {
    Limits { channels: 8, monitors: 4, message: 1 << 16, output: 4096, ..Limits::default() }
}

fn talk() -> Talk {
    talk_with(limits())
}

fn talk_with(limits: Limits) -> Talk {
    let (pvs, (sender, puts)) = (PvMap::new(), channel());
    let number = Pv::writable(Values::Double(vec![1.5]), About { precision: 2, ..About::default() });
    let choices = vec!["Done".into(), "Acquire".into()];
    pvs.add(NAMES[0], number.clone());
    pvs.add(NAMES[1], Pv::new(Values::Long(vec![7, 8]), About::default()));
    let kept = Pv::builder(Values::Double(vec![0.0]), About::default());
    pvs.add(NAMES[2], kept.on_put(move |_, put| sender.send(put).unwrap()).build());
    pvs.add(
        NAMES[3],
        Pv::writable(Values::Enum(vec![0]), About { choices, class: "bo".into(), ..About::default() }),
    );
    pvs.add(NAMES[4], Pv::new(Values::Char(vec![3; 5000].into()), About::default()));
    let rung = Arc::new(AtomicUsize::new(0));
    let ring = {
        let rung = Arc::clone(&rung);
        move || _ = rung.fetch_add(1, SeqCst)
    };
    let address = "10.0.0.7:4000".parse().unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&log);
    let tell: Log = Arc::new(move |event| lines.lock().unwrap().push(event.to_string()));
    let config = ServerConfig { limits, log: Some(tell), ..ServerConfig::loopback() };
    let service = Service::new(&config, 5064, pvs);
    let session = Session::new(&service, address, ring, Duration::ZERO);
    let mut talk = Talk { service, session, found: Assembler::new(1 << 20), rung, puts, number, log };
    assert_eq!(talk.answers(), [(Command::Version, 0, 13, 0, 0)]);
    talk.say(Command::Version, 0, 13, 0, 0, &[]);
    talk
}

impl Talk {
    fn say(&mut self, command: Command, data_type: u16, count: u32, first: u32, second: u32, payload: &[u8]) {
        let size = payload.len().next_multiple_of(8);
        let mut bytes = Vec::new();
        Header { command: command as u16, size: size as u32, data_type, count, first, second }
            .encode(&mut bytes);
        bytes.extend(payload);
        bytes.resize(bytes.len() + size - payload.len(), 0);
        self.session.receive(&bytes, Duration::ZERO);
    }

    /// The whole messages that the session sends.
    fn messages(&mut self) -> Vec<Message> {
        let mut all = Vec::new();
        loop {
            let more = self.session.work(16).unwrap();
            self.found.push(self.session.output());
            let sent = self.session.output().len();
            self.session.sent(sent);
            while let Some(message) = self.found.next().unwrap() {
                all.push(message);
            }
            if !more && sent == 0 {
                return all;
            }
        }
    }

    fn answers(&mut self) -> Vec<(Command, u16, u32, u32, u32)> {
        let known = |number| Command::from_number(number).unwrap();
        let short =
            |Message { header: h, .. }: &Message| (known(h.command), h.data_type, h.count, h.first, h.second);
        self.messages().iter().map(short).collect()
    }

    /// Opens the channel of a name under this number of the client. Returns the server's number.
    fn open(&mut self, name: &str, cid: u32) -> u32 {
        self.say(Command::CreateChannel, 0, 0, cid, 13, name.as_bytes());
        let found = self.answers();
        let [(Command::AccessRights, ..), (Command::CreateChannel, .., sid)] = found[..] else {
            panic!("{found:?}")
        };
        sid
    }

    /// The reason of the only answer, which is an error.
    fn error(&mut self) -> (u32, String) {
        let found = self.messages();
        assert_eq!((found.len(), found[0].header.command), (1, Command::Error as u16), "{found:?}");
        let (_, begin) = Header::decode(&found[0].payload).unwrap();
        let text: Vec<u8> = found[0].payload[begin..].iter().copied().take_while(|&byte| byte != 0).collect();
        (found[0].header.second, String::from_utf8(text).unwrap())
    }
}

fn bytes(number: f64) -> [u8; 8] {
    number.to_be_bytes()
}

fn mask(mask: u16) -> [u8; 16] {
    let mut payload = [0; 16];
    payload[12..14].copy_from_slice(&mask.to_be_bytes());
    payload
}

#[test]
fn a_channel_is_opened_read_and_closed() {
    let mut talk = talk();
    talk.say(Command::CreateChannel, 0, 0, 5, 13, b"read\0");
    let sid = 1;
    let wanted = [(Command::AccessRights, 0, 0, 5, 1), (Command::CreateChannel, 5, 2, 5, sid)];
    assert_eq!(talk.answers(), wanted);
    talk.say(Command::ReadNotify, Dbr::Value(Form::Time, Native::Double).number(), 0, sid, 77, &[]);
    let found = talk.messages();
    let Header { count, first, second, .. } = found[0].header;
    assert_eq!((count, first, second), (2, Status::Normal as u32, 77));
    let dbr = Dbr::from_number(TIME_DOUBLE).unwrap();
    assert_eq!(decode(&found[0].payload, dbr, 2).unwrap().values, Values::Double(vec![7.0, 8.0]));
    talk.say(Command::ClearChannel, 0, 0, sid, 5, &[]);
    assert_eq!(talk.answers(), [(Command::ClearChannel, 0, 0, sid, 5)]);
    talk.say(Command::ReadNotify, DOUBLE, 1, sid, 78, &[]);
    assert_eq!(talk.answers(), [(Command::ReadNotify, DOUBLE, 1, Status::BadChannel as u32, 78)]);
}

#[test]
fn names_that_are_none_and_channels_beyond_the_limit_fail() {
    let mut talk = talk();
    for (cid, name) in [(1, &b"nothing"[..]), (2, b""), (3, b"\xFF\xFE"), (4, &[b'a'; 501])] {
        talk.say(Command::CreateChannel, 0, 0, cid, 13, name);
        assert_eq!(talk.answers(), [(Command::CreateFailed, 0, 0, cid, 0)]);
    }
    (0..8).for_each(|cid| _ = talk.open("read", cid));
    talk.say(Command::CreateChannel, 0, 0, 9, 13, b"read");
    assert_eq!(talk.answers(), [(Command::CreateFailed, 0, 0, 9, 0)]);
    assert_eq!(talk.session.held(), (8, 0));
}

#[test]
fn a_put_with_notify_ends_when_its_owner_says_so() {
    let mut talk = talk();
    let sid = talk.open("kept", 1);
    talk.say(Command::WriteNotify, DOUBLE, 1, sid, 9, &bytes(2.5));
    assert_eq!(talk.answers(), []);
    let put = talk.puts.try_recv().unwrap();
    assert_eq!((put.waits, &put.values), (true, &Values::Double(vec![2.5])));
    let rung = talk.rung.load(SeqCst);
    put.done.finish(Ok(()));
    assert_eq!(talk.rung.load(SeqCst), rung + 1);
    assert_eq!(talk.answers(), [(Command::WriteNotify, DOUBLE, 1, Status::Normal as u32, 9)]);
    // An owner that forgets a put fails it.
    talk.say(Command::WriteNotify, DOUBLE, 1, sid, 10, &bytes(2.5));
    talk.answers();
    drop(talk.puts.try_recv().unwrap());
    assert_eq!(talk.answers(), [(Command::WriteNotify, DOUBLE, 1, Status::PutFailed as u32, 10)]);
    // A put without an answer is answered when it fails.
    talk.say(Command::Write, DOUBLE, 1, sid, 11, &bytes(2.5));
    talk.answers();
    drop(talk.puts.try_recv().unwrap());
    assert_eq!(talk.error(), (Status::PutFailed as u32, "the put was given up".into()));
}

#[test]
fn puts_are_refused_with_a_status() {
    let mut talk = talk();
    let (number, read, choice) = (talk.open("number", 1), talk.open("read", 2), talk.open("choice", 3));
    let mut status = |sid, data_type, count, payload: &[u8]| {
        talk.say(Command::WriteNotify, data_type, count, sid, 1, payload);
        talk.answers()[0].3
    };
    assert_eq!(status(read, 5, 1, &[0; 4]), Status::NoWriteAccess as u32);
    assert_eq!(status(number, DOUBLE, 0, &[]), Status::BadCount as u32);
    assert_eq!(status(number, DOUBLE, 2, &[0; 16]), Status::BadCount as u32);
    assert_eq!(status(number, DOUBLE, 1, &[0; 3].map(|_: u8| 0)), Status::Normal as u32);
    assert_eq!(status(number, DOUBLE, 1, &[]), Status::BadCount as u32);
    assert_eq!(status(number, 38, 1, &[0; 40]), Status::BadType as u32);
    assert_eq!(status(number, 99, 1, &[0; 40]), Status::BadType as u32);
    assert_eq!(status(choice, 0, 1, b"Neither\0"), Status::PutFailed as u32);
    assert_eq!(status(choice, 0, 1, b"Acquire\0"), Status::Normal as u32);
    talk.say(Command::ReadNotify, 0, 1, choice, 1, &[]);
    assert_eq!(&talk.messages()[0].payload[..8], b"Acquire\0");
    // Without an answer of its own, a put that is refused is an error.
    talk.say(Command::Write, 5, 1, read, 1, &[0; 4]);
    assert_eq!(talk.error(), (Status::NoWriteAccess as u32, "this client may not write it".into()));
}

#[test]
fn a_monitor_hears_of_what_it_wants() {
    let mut talk = talk();
    let sid = talk.open("number", 1);
    talk.say(Command::EventAdd, DOUBLE, 0, sid, 30, &mask(Changes::VALUE.0));
    talk.say(Command::EventAdd, DOUBLE, 0, sid, 31, &mask(Changes::ALARM.0));
    let normal = Status::Normal as u32;
    assert_eq!(talk.answers(), [30, 31].map(|id| (Command::EventAdd, DOUBLE, 1, normal, id)));
    (2..5).for_each(|value| talk.number.post(Values::Double(vec![value.into()])));
    let found: Vec<_> = talk.messages().iter().map(|m| (m.header.second, m.payload.to_vec())).collect();
    assert_eq!(found, [2.0, 3.0, 4.0].map(|value| (30, bytes(value).to_vec())));
    talk.number.alarm(Alarm { status: 3, severity: 2 });
    assert_eq!(talk.answers(), [(Command::EventAdd, DOUBLE, 1, normal, 31)]);
    talk.say(Command::EventCancel, DOUBLE, 1, sid, 30, &[]);
    assert_eq!(talk.answers(), [(Command::EventAdd, DOUBLE, 1, sid, 30)]);
    talk.number.post(Values::Double(vec![9.0]));
    assert_eq!((talk.answers(), talk.session.held()), (vec![], (1, 1)));
    talk.say(Command::EventCancel, DOUBLE, 1, sid, 30, &[]);
    assert_eq!(talk.error().0, Status::BadChannel as u32);
}

#[test]
fn a_client_that_pauses_gets_the_newest_values_afterwards() {
    let mut talk = talk();
    let sid = talk.open("number", 1);
    talk.say(Command::EventAdd, DOUBLE, 0, sid, 30, &mask(Changes::VALUE.0));
    talk.say(Command::EventsOff, 0, 0, 0, 0, &[]);
    assert_eq!(talk.answers().len(), 1);
    (0..100).for_each(|value| talk.number.post(Values::Double(vec![value.into()])));
    assert_eq!(talk.answers(), []);
    talk.say(Command::EventsOn, 0, 0, 0, 0, &[]);
    let found: Vec<_> = talk.messages().iter().map(|m| m.payload.to_vec()).collect();
    // Sixteen wait; the newest takes the place of the last one.
    assert_eq!(found.len(), 16);
    assert_eq!((&found[0][..], &found[15][..]), (&bytes(0.0)[..], &bytes(99.0)[..]));
}

#[test]
fn a_channel_that_has_outgrown_its_count_is_opened_again() {
    let mut talk = talk();
    let sid = talk.open("number", 1);
    talk.say(Command::EventAdd, DOUBLE, 0, sid, 30, &mask(Changes::VALUE.0));
    talk.answers();
    talk.number.post(Values::Double(vec![1.0, 2.0]));
    let found = talk.answers();
    assert_eq!(found[1], (Command::ServerDisconnected, 0, 0, 1, 0));
    assert_eq!((found.len(), talk.session.held()), (2, (0, 0)));
}

#[test]
fn requests_wait_while_the_client_reads_nothing() {
    let mut talk = talk();
    let sid = talk.open("picture", 1);
    for ioid in 0..50 {
        talk.say(Command::ReadNotify, 4, 0, sid, ioid, &[]);
    }
    assert!(!talk.session.work(1000).unwrap());
    // One answer is longer than what may wait; the second one is not made.
    assert_eq!(talk.session.pending(), 16 + 5000);
    assert!(!talk.session.accepts());
    assert_eq!(talk.answers().len(), 50);
}

#[test]
fn bad_requests_are_answered_and_the_talk_goes_on() {
    let mut talk = talk();
    let sid = talk.open("number", 1);
    talk.say(Command::EventAdd, DOUBLE, 1, sid, 1, &mask(0));
    assert_eq!(talk.error().0, Status::BadMask as u32);
    talk.say(Command::EventAdd, DOUBLE, 1, sid, 1, &[]);
    assert_eq!(talk.error().0, Status::BadMask as u32);
    talk.say(Command::EventAdd, 99, 1, sid, 1, &mask(1));
    assert_eq!(talk.error(), (Status::BadType as u32, "no values are of type 99".into()));
    talk.say(Command::EventAdd, DOUBLE, u32::MAX, sid, 1, &mask(1));
    assert_eq!(talk.error(), (Status::BadCount as u32, "wanted at most 1 values, found 4294967295".into()));
    talk.say(Command::ReadNotify, DOUBLE, u32::MAX, sid, 4, &[]);
    assert_eq!(talk.answers(), [(Command::ReadNotify, DOUBLE, u32::MAX, Status::BadCount as u32, 4)]);
    talk.say(Command::ClearChannel, 0, 0, 99, 5, &[]);
    assert_eq!(talk.error().0, Status::BadChannel as u32);
    talk.say(Command::RepeaterConfirm, 0, 0, 0, 0, &[]);
    assert_eq!(talk.error(), (Status::Internal as u32, "no server answers command 17".into()));
    (0..4).for_each(|id| talk.say(Command::EventAdd, DOUBLE, 1, sid, id, &mask(1)));
    assert_eq!(talk.answers().len(), 4);
    talk.say(Command::EventAdd, DOUBLE, 1, sid, 4, &mask(1));
    assert_eq!(talk.error().0, Status::NoMemory as u32);
    talk.say(Command::Echo, 0, 0, 0, 0, &[]);
    assert_eq!(talk.answers(), [(Command::Echo, 0, 0, 0, 0)]);
    // Closing the channel ends its monitors.
    talk.say(Command::ClearChannel, 0, 0, sid, 1, &[]);
    talk.answers();
    assert_eq!(talk.session.held(), (0, 0));
}

#[test]
fn searches_come_over_connections_too() {
    let mut talk = talk();
    talk.say(Command::Search, 10, 13, 4, 4, b"number\0");
    talk.say(Command::Search, 10, 13, 5, 5, b"nothing\0");
    talk.say(Command::Search, 5, 13, 6, 6, b"nothing\0");
    let wanted = [(Command::Search, 5064, 0, u32::MAX, 4), (Command::NotFound, 10, 13, 5, 5)];
    assert_eq!(talk.answers(), wanted);
}

#[test]
fn a_silent_client_stays_and_one_that_does_not_read_or_end_its_message_is_left() {
    let mut talk = talk();
    let sid = talk.open("picture", 1);
    let Limits { arrival, stalled, .. } = limits();
    // libca says nothing as long as beacons and updates come.
    talk.session.tick(Duration::from_secs(86_400)).unwrap();
    assert_eq!(talk.answers(), []);
    talk.say(Command::ReadNotify, 4, 0, sid, 1, &[]);
    talk.session.work(1000).unwrap();
    let now = Duration::from_secs(90_000);
    talk.session.tick(now).unwrap();
    talk.session.tick(now + stalled).unwrap();
    talk.session.sent(1);
    talk.session.tick(now + stalled * 2).unwrap();
    let error = talk.session.tick(now + stalled * 3 + Duration::from_secs(1)).unwrap_err();
    assert!(error.to_string().starts_with("wanted a client that reads within 300s, found 50"), "{error}");

    let mut talk = talk_with(limits());
    talk.session.receive(&[0, 15, 0, 0], Duration::from_secs(1));
    talk.answers();
    talk.session.tick(arrival + Duration::from_secs(1)).unwrap();
    talk.session.receive(&[0], arrival + Duration::from_secs(1));
    talk.answers();
    let error = talk.session.tick(arrival + Duration::from_secs(2)).unwrap_err();
    assert_eq!(error.to_string(), "wanted a whole message within 120s, found a part of one");
}

#[test]
fn a_put_beyond_the_limit_is_refused_and_the_talk_goes_on() {
    let mut talk = talk();
    let sid = talk.open("number", 1);
    talk.say(Command::WriteNotify, DOUBLE, 9000, sid, 8, &vec![0; (1 << 16) + 8]);
    talk.say(Command::Echo, 0, 0, 0, 0, &[]);
    let refused = (Command::WriteNotify, DOUBLE, 9000, Status::TooLarge as u32, 8);
    assert_eq!(talk.answers(), [refused, (Command::Echo, 0, 0, 0, 0)]);
    let log = talk.log.lock().unwrap();
    let wanted = "refused WriteNotify of `number`: wanted a message of at most 65536 bytes, found 65544";
    assert!(log[0].ends_with(wanted), "{log:?}");
}

#[test]
fn a_message_beyond_the_limit_ends_the_talk() {
    let mut talk = talk();
    talk.say(Command::Search, 10, 13, 1, 1, &vec![0; (1 << 16) + 8]);
    assert!(talk.session.work(2).is_err());
}

proptest::proptest! {
    /// Any requests of a client: nothing panics, and memory stays bounded.
    #[test]
    fn anything_is_answered_or_refused(
        requests in proptest::collection::vec((0_u16..28, 0_u32..40, 0_u16..40, 0_u32..4, 0_u32..4, 0_u32..4), 1..60),
    ) {
        let mut talk = talk();
        NAMES.iter().zip(0..).for_each(|(name, cid)| _ = talk.open(name, cid));
        for (command, size, data_type, count, first, second) in requests {
            let mut bytes = Vec::new();
            Header { command, size, data_type, count, first, second }.encode(&mut bytes);
            bytes.resize(bytes.len() + size as usize, 1);
            talk.session.receive(&bytes, Duration::ZERO);
        }
        talk.messages();
        let (channels, monitors) = talk.session.held();
        proptest::prop_assert!(channels <= 8 && monitors <= 4);
    }
}

/// Something that happens to the number.
#[derive(Clone, Debug)]
enum Step {
    Post(f64),
    Alarm(u16),
    Get(u16, u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Few types and counts, so that the same get comes again.
    let get = (prop::sample::select(vec![0, 4, 6, 13, 20, 27, 34, 38]), 0..3_u32);
    let step = prop_oneof![
        1 => (0..3_u8).prop_map(|number| Step::Post(number.into())),
        1 => (0..3_u16).prop_map(Step::Alarm),
        4 => get.prop_map(|(data_type, count)| Step::Get(data_type, count)),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    /// A client that gets again and again finds the same bytes as one that has just come.
    #[test]
    fn answers_that_are_kept_are_those_that_would_be_made(steps in steps()) {
        let mut talk = talk();
        let sid = talk.open("number", 1);
        for (id, step) in (1..).zip(steps) {
            match step {
                Step::Post(number) => talk.number.post(Values::Double(vec![number])),
                Step::Alarm(severity) => talk.number.alarm(Alarm { status: severity, severity }),
                Step::Get(data_type, count) => {
                    let ask = |talk: &mut Talk, sid| {
                        talk.say(Command::ReadNotify, data_type, count, sid, id, &[]);
                        talk.messages()
                    };
                    let found = ask(&mut talk, sid);
                    let (address, ring) = ("10.0.0.8:4000".parse().unwrap(), || ());
                    let other = Session::new(&talk.service, address, ring, Duration::ZERO);
                    let session = std::mem::replace(&mut talk.session, other);
                    talk.answers();
                    talk.say(Command::Version, 0, 13, 0, 0, &[]);
                    let new = talk.open("number", 1);
                    let wanted = ask(&mut talk, new);
                    talk.session = session;
                    prop_assert_eq!(found, wanted);
                }
            }
        }
    }
}
