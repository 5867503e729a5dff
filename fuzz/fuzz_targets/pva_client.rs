//! Any bytes as what a server sends to a client that has channels and every kind of request: the connection goes on
//! or is closed, and remembers no more than it asked for.
//!
//! `cargo +nightly fuzz run pva_client`
#![no_main]

use std::time::{Duration, Instant};

use livetime_pva::data::{Kind, Value};
use livetime_pva::nt;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job, Put};
use livetime_pva::request::parse;
use livetime_pva::wire::Assembler;

const FIRST_CID: u32 = 0x1234_5678;
const HELLO: &[u8] = &[
    0xCA, 2, 0x41, 2, 0, 0, 0, 0, // byte order
    0xCA, 2, 0x40, 1, 10, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 1, 2, b'c', b'a', // greeting
    0xCA, 2, 0x40, 9, 1, 0, 0, 0, 0xFF, // welcome
    0xCA, 2, 0x40, 7, 9, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0xFF, // the first channel
];

fn jobs() -> Vec<(Job, bool)> {
    let argument = Value::new(&nt::scalar(Kind::F64));
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

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let now = Instant::now();
    let account = Some(("me".into(), "here".into()));
    let mut connection = Connection::new(Identity { account, ..Identity::anonymous() }, now);
    for channel in 0..3_u8 {
        connection.create_channel(channel, "name");
    }
    let stream = [HELLO, input].concat();
    let (mut assembler, mut rest) = (Assembler::new(1 << 20), &stream[..]);
    let (request, mut begun, mut got) = (parse("").expect("everything"), 0, Vec::new());
    while let Ok(Some(message)) = assembler.next(&mut rest) {
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
