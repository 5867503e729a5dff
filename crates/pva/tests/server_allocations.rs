//! A get and an update of a small PV take no memory in the server.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::IoSlice;
use std::time::Duration;

use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::{Command, CreateChannel, RequestHead, sub};
use livetime_pva::request::parse;
use livetime_pva::server::{PvMap, ServerConfig, Service, Session, SharedPv};
use livetime_pva::wire::{Order, Writer};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The fewest allocations of ten rounds: threads that the test program or the server has just started take memory too, once.
fn allocations(mut run: impl FnMut()) -> usize {
    let mut round = || {
        let region = Region::new(GLOBAL);
        run();
        let change = region.change();
        change.allocations + change.reallocations
    };
    (0..10).map(|_| round()).min().unwrap_or_default()
}

/// Sends all; returns the last bytes.
fn flush(session: &mut Session) -> [u8; 8] {
    let mut last = [0; 8];
    session.work(1 << 20).unwrap();
    while session.pending() > 0 {
        let mut slices = [IoSlice::new(&[]); 4];
        let count = session.slices(&mut slices);
        let sent = slices[..count].iter().map(|slice| slice.len()).sum();
        let end = &slices[count - 1];
        last = *end.last_chunk().unwrap();
        session.sent(sent, Duration::ZERO);
    }
    last
}

#[test]
fn gets_and_updates_allocate_nothing() {
    let pv = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
    let pvs = PvMap::new();
    pvs.add("n", pv.clone());
    let service = Service::new(&ServerConfig::loopback(), pvs);
    let mut session = Session::new(&service, "127.0.0.1:1".parse().unwrap(), || (), Duration::ZERO);
    let bring = |session: &mut Session, write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::new(Order::Little);
        write(&mut writer);
        session.receive(&writer.to_vec(), Duration::ZERO).unwrap();
        flush(session)
    };
    bring(&mut session, &|w| w.raw(&[0xCA, 2, 0, 1, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    bring(&mut session, &|w| CreateChannel { channels: vec![(1, "n".into())] }.encode(w).unwrap());
    // The first channel of the first connection.
    let sid = 1 << 20;
    for (ioid, command) in [(1, Command::Get), (2, Command::Monitor)] {
        let head = RequestHead { command, sid, ioid, sub: 0 };
        bring(&mut session, &|w| head.init(w, &parse("field(value)").unwrap(), None).unwrap());
    }
    let start = RequestHead { command: Command::Monitor, sid, ioid: 2, sub: sub::START };
    bring(&mut session, &|w| start.encode(w, |_| {}).unwrap());
    let mut writer = Writer::new(Order::Little);
    RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 }.encode(&mut writer, |_| {}).unwrap();
    let get = writer.to_vec();
    let mut both = |number: f64| {
        pv.update(|value| value.set_bit(1, number)).unwrap();
        assert_eq!(flush(&mut session)[..7], number.to_ne_bytes()[1..]);
    };
    (0..10).for_each(|i| both(f64::from(i)));
    assert_eq!(allocations(|| (0..100).for_each(|i| both(f64::from(i)))), 0);

    session.receive(&get, Duration::ZERO).unwrap();
    assert_eq!(flush(&mut session), 99f64.to_ne_bytes());
    let many = allocations(|| {
        for _ in 0..100 {
            session.receive(&get, Duration::ZERO).unwrap();
            flush(&mut session);
        }
    });
    assert_eq!(many, 0);
}
