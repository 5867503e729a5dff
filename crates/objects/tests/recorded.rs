//! A recorded run behind a server that fails in the middle.

use livetime_formats::file::Stores;
use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_recording::{FaultKind, Options, Recording};

use crate::hostile::{Lie, Server, patient};

const EVENTS: usize = 64;

/// A run of pictures of a MB.
fn run() -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..EVENTS {
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000 + number as u64, 3));
        let leaf =
            XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
        let head = [1024u32, 1024, 8, 0].map(u32::to_le_bytes).concat();
        builder.leaf(leaf, &[&head, &vec![number as u8; 1 << 20]]).unwrap();
        builder.finish().unwrap();
    }
    bytes
}

#[test]
fn events_behind_a_failure_are_faults_and_none_is_left_out() {
    let server = Server::start(run(), Lie::None, 0);
    // The run does not fit into the memory for ranges.
    let stores = Stores::with(std::sync::Arc::new(patient(16 << 20)));
    let address = server.address.replace("run.bin", "e1-r0001-s00-c00.xtc");
    let recording = Recording::open_from(&stores, &[&address]).unwrap();
    assert_eq!(recording.events(), EVENTS);
    let detector = recording.detector("Opal1000").unwrap();
    let (mut good, mut bad) = (0, 0);
    for event in recording.frames(&detector, Options { threads: 2, ..Options::default() }) {
        match event {
            Ok(event) => {
                let first = event.frame.array().unwrap().elements::<u8>().unwrap()[0];
                assert_eq!(first as usize, event.event);
                good += 1;
            }
            Err(fault) => {
                assert_eq!(fault.kind, FaultKind::Unreadable, "{fault}");
                assert!(fault.to_string().contains("500"), "{fault}");
                bad += 1;
            }
        }
        if good == 8 && bad == 0 {
            server.becomes(Lie::Fails);
        }
    }
    assert!(good >= 8 && bad > 0 && good + bad == EVENTS, "{good} and {bad}");
}
