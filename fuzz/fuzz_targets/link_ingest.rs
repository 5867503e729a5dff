//! Frames with any headers, as those of one link: each is passed on or dropped, and all of their time is in the ledger once.
//!
//! `cargo +nightly fuzz run --no-default-features --features nodes link_ingest`
#![no_main]

use livetime_formats::wib::RawFormat;
use livetime_wire::{IngestOptions, Interval, LinkIngest, LinkLedger, Settled, State, Step};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let format = RawFormat::ALL[usize::from(*first) % 3];
    let options = IngestOptions { checksums: first & 4 != 0, convert_counts: first & 8 != 0, ..Default::default() };
    let mut link = LinkIngest::new(format, 1, options);
    let (mut rows, mut passed, mut dropped) = (Vec::new(), 0u64, 0u64);
    let mut settled = |frame: Settled<'_>| {
        let _ = frame.faults.to_string();
        match frame.step {
            Step::Drop => dropped += 1,
            _ => passed += 1,
        }
    };
    let mut frame = vec![0; format.bytes()];
    // Of each piece the first byte says what comes: a frame that should, or one with another header.
    for (i, piece) in rest.chunks(9).enumerate() {
        format.delay(&mut frame, format.step());
        let mut given = frame.clone();
        if piece[0] & 1 == 1 {
            let at = usize::from(piece[0] >> 4) * 2;
            given[at..at + piece.len() - 1].copy_from_slice(&piece[1..]);
        }
        if piece[0] & 6 == 6 {
            frame = given.clone();
        }
        link.next(&given, &mut settled);
        if i % 10 == 0 {
            link.take_rows(&mut rows);
        }
    }
    link.finish(&mut rows, &mut settled);
    assert_eq!(passed + dropped, rest.chunks(9).count() as u64);
    assert_eq!((link.counts().frames, link.counts().dropped), (passed, dropped));
    let mut ledger = LinkLedger::default();
    rows.iter().for_each(|row| ledger.tell(Interval::from(row)));
    assert_eq!(State::ALL.iter().map(|state| u128::from(ledger.ticks_in(*state))).sum::<u128>(), u128::from(ledger.ticks()));
});
