//! Any bytes as a datagram: to a server and to a client. What is read is written and read again the same.
//!
//! `cargo +nightly fuzz run pva_datagram`
#![no_main]

use std::time::{Duration, Instant};

use livetime_pva::data::TypeCache;
use livetime_pva::proto::client::Searcher;
use livetime_pva::proto::{ClientMessage, Search, SearchResponse, ServerMessage};
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

libfuzzer_sys::fuzz_target!(|datagram: &[u8]| {
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
