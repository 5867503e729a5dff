//! A repeated read takes no memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Instant;

use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job};
use livetime_pva::proto::{Command, ReplyHead, sub};
use livetime_pva::request::parse;
use livetime_pva::wire::{Assembler, Order, Status, Writer};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn receive(
    connection: &mut Connection<(), ()>,
    assembler: &mut Assembler,
    mut bytes: &[u8],
) -> Option<Value> {
    let mut got = None;
    while let Some(message) = assembler.next(&mut bytes).unwrap() {
        let mut take = |event: Event<'_, (), ()>| {
            if let Event::Answered((), Ok(Answer::Value(value))) = event {
                got = Some(value);
            }
        };
        connection.receive(&message, &mut take).unwrap();
    }
    got
}

#[test]
fn a_repeated_read_takes_no_memory() {
    let mut sent = Value::new(&nt::scalar(ScalarType::F64));
    sent.set("value", 4.5).unwrap();
    sent.set("alarm.message", "HIGH").unwrap();
    let mut connection = Connection::new(Identity::anonymous(), Instant::now());
    let mut assembler = Assembler::new(1 << 20);
    let cid = connection.create_channel((), "X").unwrap();
    let mut writer = Writer::new(Order::Little);
    writer.message(true, 1, |w| w.raw(&[0; 7])).unwrap();
    writer.message(true, 9, |w| Status::OK.encode(w)).unwrap();
    writer
        .message(true, 7, |w| {
            w.u32(cid);
            w.u32(1);
            w.u8(0xFF);
        })
        .unwrap();
    receive(&mut connection, &mut assembler, &writer.to_vec());
    let ioid = connection.begin(cid, Job::Get, &parse("").unwrap(), false, ()).unwrap();
    writer.clear();
    let head = ReplyHead { command: Command::Get, ioid, sub: sub::INIT };
    head.encode(&mut writer, Some(&Status::OK), |w| sent.structure().encode(w)).unwrap();
    receive(&mut connection, &mut assembler, &writer.to_vec());
    writer.clear();
    let head = ReplyHead { sub: sub::EXECUTE, ..head };
    head.encode(&mut writer, Some(&Status::OK), |w| sent.encode_changed(w)).unwrap();
    let reply = writer.to_vec();
    let mut value = receive(&mut connection, &mut assembler, &reply).unwrap();
    connection.output().clear();

    // The thread of the test's harness may take memory meanwhile, but not in each of some rounds.
    let mut least = usize::MAX;
    for _ in 0..5 {
        let region = Region::new(GLOBAL);
        for _ in 0..1000 {
            connection.get_again(ioid, value).unwrap();
            connection.output().clear();
            value = receive(&mut connection, &mut assembler, &reply).unwrap();
        }
        let change = region.change();
        least = least.min(change.allocations + change.reallocations);
    }
    assert_eq!(least, 0);
    assert_eq!(value.f64("value"), Some(4.5));
}
