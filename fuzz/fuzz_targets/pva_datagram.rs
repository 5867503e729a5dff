//! Any bytes as a datagram: to a server and to a client. What is read is written and read again the same; a server
//! answers who asked and nobody else, not much more than it was asked, and passes on what its neighbours understand.
//!
//! `cargo +nightly fuzz run pva_datagram`
#![no_main]

use std::net::Ipv4Addr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use livetime_pva::data::TypeCache;
use livetime_pva::proto::client::Searcher;
use livetime_pva::proto::{ClientMessage, Search, SearchResponse, ServerMessage};
use livetime_pva::server::{Answer, Arrival, PvMap, ServerConfig, Service, SharedPv};
use livetime_pva::wire::{Assembler, HEADER_LEN, Order, Reader, Writer};

const LONGEST: usize = 1 << 16;

fn again(writer: &Writer) -> Vec<u8> {
    writer.to_vec().split_off(HEADER_LEN)
}

fn check_search(search: &Search<'_>) {
    let mut writer = Writer::new(Order::Big);
    // Longer texts than a message may hold are refused.
    if search.encode(&mut writer).is_err() {
        return;
    }
    let bytes = again(&writer);
    let copy = Search::decode(&mut Reader::new(&bytes, Order::Big)).expect("ours");
    assert_eq!(&copy, search);
    let _ = search.speaks("tcp");
}

fn check_response(response: &SearchResponse<'_>) {
    let mut writer = Writer::new(Order::Big);
    if response.encode(&mut writer).is_err() {
        return;
    }
    let bytes = again(&writer);
    let copy = SearchResponse::decode(&mut Reader::new(&bytes, Order::Big)).expect("ours");
    assert_eq!(&copy, response);
}

fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let pvs = PvMap::new();
        for name in ["a", "b", "name", "here"] {
            pvs.add(name, SharedPv::builder().build());
        }
        Service::new(&ServerConfig::loopback(), pvs)
    })
}

/// What a server does with a datagram that came so, the neighbours included.
fn serve(datagram: &[u8], arrival: Arrival) {
    let any = Ipv4Addr::UNSPECIFIED.into();
    let answers = match service().search(datagram, arrival, any) {
        Ok(answers) => answers,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(answers.len() <= 16);
    let mut bytes = 0;
    for answer in answers {
        match answer {
            Answer::Reply { to, datagram, asked } => {
                assert!(arrival.forwarded || to.ip() == arrival.source.ip());
                assert!(arrival.forwarded || asked.is_none());
                let (mut assembler, mut rest) = (Assembler::new(LONGEST), &datagram[..]);
                let message = assembler.next(&mut rest).expect("ours").expect("a message");
                assert!(rest.is_empty() && message.header.server);
                let answer = ServerMessage::decode(message.header.command, message.reader());
                let Ok(ServerMessage::SearchResponse(response)) = answer else { panic!("{answer:?}") };
                assert_eq!(response.found, !response.ids.is_empty());
                bytes += datagram.len();
            }
            Answer::Forward(passed) => {
                assert!(!arrival.forwarded && arrival.source.is_ipv4());
                let arrival = Arrival { forwarded: true, unicast: Some(false), ..arrival };
                let again = service().search(&passed, arrival, any).expect("what we pass on");
                for answer in again {
                    let Answer::Reply { to, asked, .. } = answer else { panic!("passed on twice") };
                    assert_eq!((to.ip(), asked), (arrival.source.ip(), arrival.destination));
                }
            }
        }
    }
    assert!(bytes <= 2 * datagram.len(), "{bytes} bytes for {}", datagram.len());
}

fn serve_all(datagram: &[u8]) {
    let destination = Some([10, 0, 0, 1].into());
    for source in ["10.0.0.5:4000", "[fe80::5%7]:4000"] {
        let source = source.parse().expect("an address");
        for (unicast, forwarded) in
            [(Some(true), false), (Some(false), false), (None, false), (Some(false), true)]
        {
            serve(datagram, Arrival { source, destination, unicast, forwarded });
        }
    }
}

libfuzzer_sys::fuzz_target!(|datagram: &[u8]| {
    serve_all(datagram);
    let now = Instant::now();
    let mut searcher = Searcher::default();
    for number in 0..4 {
        searcher.add(number, "name", now);
    }
    searcher.poll(now + Duration::from_secs(1), |_| {});
    let (mut assembler, mut rest) = (Assembler::new(LONGEST), datagram);
    while let Ok(Some(message)) = assembler.next(&mut rest) {
        let command = message.header.command;
        if !message.header.server {
            match ClientMessage::decode(command, message.reader(), &mut TypeCache::new()) {
                Ok(ClientMessage::Search(search)) => check_search(&search),
                Ok(_) => {}
                Err(error) => assert!(!error.to_string().is_empty()),
            }
            continue;
        }
        match ServerMessage::decode(command, message.reader()) {
            Ok(ServerMessage::SearchResponse(response)) => {
                check_response(&response);
                searcher.answer(&response, |_| {});
            }
            Ok(ServerMessage::Beacon(beacon)) => {
                searcher.beacon((beacon.address, beacon.port).into(), &beacon, now);
            }
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    searcher.poll(now + Duration::from_secs(2), |names| assert!(names.len() <= 4));
});
