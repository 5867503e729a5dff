//! Clients that break the protocol, or use more than their share.

use super::*;
use livetime_guests::Bounds;

/// A client of a service with these limits, from this address.
fn from(talk: &Talk, address: &str) -> Session {
    Session::new(&talk.service, address.parse().unwrap(), || (), Duration::ZERO)
}

fn message(command: Command, data_type: u16, count: u32, first: u32, second: u32, payload: &[u8]) -> Vec<u8> {
    let size = payload.len() as u32;
    let mut bytes = Vec::new();
    Header { command: command as u16, size, data_type, count, first, second }.encode(&mut bytes);
    bytes.extend(payload);
    bytes
}

/// All that a session says to these bytes, or why it ends.
fn said(session: &mut Session, bytes: &[u8]) -> Result<Vec<u8>> {
    session.receive(bytes, Duration::ZERO);
    let mut all = Vec::new();
    loop {
        let more = session.work(64)?;
        all.extend(session.output());
        let count = session.output().len();
        session.sent(count);
        if !more && count == 0 {
            return Ok(all);
        }
    }
}

/// A conversation with everything that a client can say.
fn conversation() -> Vec<u8> {
    let mut all = message(Command::Version, 0, 13, 0, 0, &[]);
    all.extend(message(Command::ClientName, 0, 0, 0, 0, b"operator"));
    all.extend(message(Command::HostName, 0, 0, 0, 0, b"console\0"));
    for (cid, name) in NAMES.iter().enumerate() {
        let mut name = name.as_bytes().to_vec();
        name.resize(name.len().next_multiple_of(8), 0);
        all.extend(message(Command::CreateChannel, 0, 0, cid as u32, 13, &name));
    }
    for sid in 1..=5 {
        all.extend(message(Command::ReadNotify, TIME_DOUBLE, 1, sid, 7, &[]));
        all.extend(message(Command::EventAdd, DOUBLE, 1, sid, sid, &mask(7)));
        all.extend(message(Command::WriteNotify, DOUBLE, 1, sid, 9, &bytes(1.0)));
        all.extend(message(Command::Write, 0, 1, sid, 9, b"1.5\0\0\0\0\0"));
    }
    all.extend(message(Command::Search, 10, 13, 4, 4, b"number\0\0"));
    all.extend(message(Command::EventsOff, 0, 0, 0, 0, &[]));
    all.extend(message(Command::EventsOn, 0, 0, 0, 0, &[]));
    all.extend(message(Command::EventCancel, DOUBLE, 1, 1, 1, &[]));
    all.extend(message(Command::ClearChannel, 0, 0, 2, 1, &[]));
    all.extend(message(Command::Echo, 0, 0, 0, 0, &[]));
    all
}

#[test]
fn every_cut_and_every_wrong_byte_is_survived() {
    let talk = talk();
    let good = conversation();
    for cut in 0..good.len() {
        let mut session = from(&talk, "10.0.0.1:1");
        said(&mut session, &good[..cut]).unwrap();
        said(&mut session, &good[cut..]).unwrap();
        drop(session);
        for wrong in [0x00, 0x7F, 0xFF] {
            let mut bad = good.clone();
            bad[cut] = wrong;
            let mut session = from(&talk, "10.0.0.1:1");
            // It is answered, refused, or closed with a reason.
            if let Err(error) = said(&mut session, &bad) {
                assert!(error.to_string().starts_with("wanted "), "{error}");
            }
            drop(session);
        }
        // Puts that are kept hold nothing of their session.
        talk.puts.try_iter().for_each(drop);
    }
    assert_eq!(talk.service.0.guests.memory(), talk.session.account.used());
}

#[test]
fn a_message_without_end_takes_no_memory_that_is_not_there() {
    let bounds = Bounds { memory_per_connection: 1 << 20, ..Bounds::default() };
    let talk = talk_with(Limits { message: 64 << 20, bounds, ..limits() });
    let mut session = from(&talk, "10.0.0.1:1");
    said(&mut session, &message(Command::CreateChannel, 0, 0, 1, 13, b"number\0\0")).unwrap();
    let announced = message(Command::WriteNotify, DOUBLE, 8 << 20, 1, 5, &vec![1; 48 << 20]);
    // A put is refused when its header has come, and its payload is passed over.
    let found = said(&mut session, &announced[..24]).unwrap();
    assert_eq!(found[8..12], (Status::NoMemory as u32).to_be_bytes());
    for piece in announced[24..].chunks(64 << 10) {
        assert_eq!(said(&mut session, piece).unwrap(), []);
        assert!(session.input.held() <= 64 << 10);
    }
    let echo = message(Command::Echo, 0, 0, 0, 0, &[]);
    assert_eq!(said(&mut session, &echo).unwrap(), echo);
    // Other messages have no use for so many bytes.
    let error =
        said(&mut session, &message(Command::Search, 5, 13, 1, 1, &vec![0; 2 << 20])[..40]).unwrap_err();
    assert!(error.to_string().contains("no memory for a message of 2097176 bytes"), "{error}");
}

#[test]
fn a_client_that_does_not_read_is_not_worked_for() {
    let talk = talk();
    let mut session = from(&talk, "10.0.0.1:1");
    said(&mut session, &message(Command::CreateChannel, 0, 0, 1, 13, b"picture\0")).unwrap();
    let get = message(Command::ReadNotify, 4, 5000, 1, 5, &[]);
    session.receive(&get.repeat(1000), Duration::ZERO);
    while session.work(64).unwrap() {}
    assert!(session.pending() < 4096 + 5100 && !session.accepts(), "{}", session.pending());
}

#[test]
fn a_slow_reader_holds_no_more_than_what_it_has_not_read() {
    let talk = talk();
    let mut session = from(&talk, "10.0.0.1:1");
    said(&mut session, &message(Command::CreateChannel, 0, 0, 1, 13, b"picture\0")).unwrap();
    let get = message(Command::ReadNotify, 4, 1000, 1, 5, &[]);
    for _ in 0..10_000 {
        session.receive(&get, Duration::ZERO);
        session.work(8).unwrap();
        session.sent(1016.min(session.pending().saturating_sub(500)));
        assert!(session.output.held() < 64 << 10, "{}", session.output.held());
    }
}

#[test]
fn monitors_in_masses_take_no_more_memory_than_is_said() {
    let bounds = Bounds {
        memory_per_connection: 300 << 10,
        memory_per_host: 500 << 10,
        memory: 600 << 10,
        ..Bounds::default()
    };
    let wide = Limits { channels: 10_000, monitors: 10_000, monitors_per_record: 150, bounds, ..limits() };
    let talk = talk_with(wide);
    let addresses = ["10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1", "10.0.0.3:1"];
    let mut sessions = addresses.map(|address| from(&talk, address));
    for session in &mut sessions {
        said(session, &message(Command::CreateChannel, 0, 0, 1, 13, b"number\0\0")).unwrap();
        for id in 0..200 {
            said(session, &message(Command::EventAdd, TIME_DOUBLE, 1, 1, id, &mask(1))).unwrap();
        }
    }
    // The first host has 150 in all; the third one finds no memory.
    let held = sessions.each_ref().map(|session| session.held().1);
    assert_eq!((held[0] + held[1], held[2]), (150, 150), "{held:?}");
    for value in 0..100 {
        talk.number.post(Values::Double(vec![value.into()]));
        let memory = talk.service.0.guests.memory();
        assert!(memory <= 600 << 10, "{memory}");
    }
    // The newest value is seen all the same.
    let found = said(&mut sessions[2], &[]).unwrap();
    assert_eq!(found.windows(8).filter(|window| *window == bytes(99.0)).count(), 150);
    let log = talk.log.lock().unwrap();
    let has = |text: &str| log.iter().any(|line| line.contains(text));
    assert!(has("this host has 150 monitors of this record already"), "{log:?}");
    drop(log);
    drop(sessions);
    assert_eq!(talk.service.0.guests.memory(), talk.session.account.used());
    talk.number.post(Values::Double(vec![0.0]));
}

#[test]
fn refusals_in_masses_are_few_lines_of_the_log() {
    let mut talk = talk();
    let sid = talk.open("read", 1);
    (0..1000).for_each(|_| talk.say(Command::Write, 5, 1, sid, 1, &[0; 4]));
    assert_eq!(talk.answers().len(), 1000);
    let log = talk.log.lock().unwrap();
    assert_eq!(&log[..], ["10.0.0.7:4000: refused Write of `read`: this client may not write it"]);
}

#[test]
fn puts_that_are_not_done_are_bounded() {
    let mut talk = talk_with(Limits { puts: 3, ..limits() });
    let sid = talk.open("kept", 1);
    (0..5).for_each(|id| talk.say(Command::WriteNotify, DOUBLE, 1, sid, id, &bytes(2.5)));
    let no_memory = Status::NoMemory as u32;
    assert_eq!(talk.answers(), [3, 4].map(|id| (Command::WriteNotify, DOUBLE, 1, no_memory, id)));
    talk.puts.try_iter().for_each(|put| put.done.finish(Ok(())));
    assert_eq!(talk.answers().len(), 3);
    talk.say(Command::WriteNotify, DOUBLE, 1, sid, 9, &bytes(2.5));
    assert_eq!((talk.answers(), talk.puts.try_iter().count()), (vec![], 1));
}

#[test]
fn a_flood_gets_one_turn_after_the_other() {
    let mut talk = talk_with(Limits { output: 1 << 20, ..limits() });
    let sid = talk.open("number", 1);
    (0..3000).for_each(|id| talk.say(Command::ReadNotify, DOUBLE, 1, sid, id, &[]));
    let mut turns = 0;
    while talk.session.work(1000).unwrap() {
        turns += 1;
        assert!(talk.session.pending() <= turns * 1000 * 24);
    }
    assert_eq!(turns, 3);
}

#[test]
fn rights_that_have_not_changed_are_not_told_again() {
    let mut talk = talk();
    talk.open("number", 1);
    (0..100).for_each(|_| talk.say(Command::ClientName, 0, 0, 0, 0, b"operator"));
    assert_eq!(talk.answers(), []);
}
