//! Any bytes as what a server of Channel Access sends to a client that has channels and every kind of request: the
//! connection goes on or is closed, and remembers no more than it asked for. The first byte says into which pieces it is
//! cut. The same bytes are read as a datagram of a server and of a repeater.
//!
//! `cargo +nightly fuzz run ca_client`
#![no_main]

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use livetime_ca::Changes;
use livetime_ca::client::{Ask, Beacons, Circuit, ClientConfig, Heard};
use livetime_ca::dbr::{Dbr, Form, Native, Values};
use livetime_ca::wire::{Command, Header, append};

const CHANNELS: u32 = 3;

/// The server opens the channels of all kinds.
fn hello() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (cid, native) in [(0, Native::Double), (1, Native::Enum), (2, Native::Text)] {
        let data_type = Dbr::Value(Form::Plain, native).number();
        let command = Command::CreateChannel as u16;
        append(
            &mut bytes,
            Header { command, data_type, count: 4, first: cid, second: 40 + cid, size: 0 },
            &[],
        );
    }
    bytes
}

/// Begins requests, each with an answer that has its number from 0 on.
fn ask(circuit: &mut Circuit, cid: u32) {
    for form in [Form::Plain, Form::Alarm, Form::Time, Form::Graphic, Form::Control] {
        let _ = circuit.get(cid, form.into(), 1);
        let _ = circuit.monitor(cid, Ask::from(form).count(2), Changes::VALUE, 2);
    }
    let _ = circuit.get(cid, Dbr::ClassName.into(), 3);
    let _ = circuit.put(cid, &Values::Text(vec!["1".into()]), true, 4);
    let _ = circuit.put(cid, &Values::Text(vec!["1".into()]), false, 5);
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let server: SocketAddr = (Ipv4Addr::LOCALHOST, 5064).into();
    let config = ClientConfig { max_message: 1 << 16, ..ClientConfig::loopback(5064) };
    let mut circuit = Circuit::new(&config, server, Duration::ZERO);
    (0..CHANNELS).for_each(|cid| circuit.create(cid, "name"));
    circuit.receive(&hello(), Duration::ZERO);
    while let Ok(Some(heard)) = circuit.next() {
        if let Heard::Opened(cid) = heard {
            ask(&mut circuit, cid);
        }
    }
    let most = circuit.held();
    let Some((&cut, input)) = input.split_first() else { return };
    'all: for piece in input.chunks(1 + usize::from(cut) * 4) {
        circuit.receive(piece, Duration::from_secs(1));
        loop {
            match circuit.next() {
                Ok(Some(Heard::Read(_, Ok(reading)) | Heard::Update(_, Ok(reading)))) => {
                    assert!(reading.values.len() <= input.len());
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    break 'all;
                }
            }
        }
        let held = circuit.held();
        assert!(held.0 <= most.0 && held.1 <= most.1);
    }
    (0..40).for_each(|number| circuit.cancel(number));
    (0..CHANNELS).for_each(|cid| circuit.clear(cid));
    assert_eq!(circuit.held(), (0, 0));
    let mut beacons = Beacons::default();
    let come = beacons.hear(input, server, Duration::from_secs(1));
    assert!(come.iter().all(|come| beacons.servers().contains(come)));
});
