//! Any bytes as what a client sends: the connection goes on or is closed, and what it says can be read.
//!
//! `cargo +nightly fuzz run pva_session`
#![no_main]

use std::io::IoSlice;
use std::time::Duration;

use livetime_pva::data::{Kind, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, ServerConfig, Service, Session, SharedPv};

const HELLO: [u8; 17] = [0xCA, 2, 0, 1, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let pvs = PvMap::new();
    pvs.add("a", SharedPv::writable(Value::new(&nt::scalar(Kind::F64))));
    pvs.add("b", SharedPv::writable(Value::new(&nt::ndarray())));
    let service = Service::new(&ServerConfig::loopback(), pvs);
    let address = ([127, 0, 0, 1], 1).into();
    let mut session = Session::new(&service, address, || (), Duration::ZERO);
    let mut rest = [&HELLO[..], input].concat();
    while !rest.is_empty() {
        let Ok(consumed) = session.receive(&rest, Duration::ZERO) else { return };
        rest.drain(..consumed);
        let Ok(_) = session.work(1 << 16) else { return };
        while session.pending() > 0 {
            let mut slices = [IoSlice::new(&[]); 16];
            let count = session.slices(&mut slices);
            let sent = slices[..count].iter().map(|slice| slice.len()).sum();
            session.sent(sent, Duration::ZERO);
        }
    }
});
