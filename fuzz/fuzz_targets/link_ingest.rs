//! Frames with any headers, as those of one link: each is passed on or dropped, and all of their time is in the ledger once.
//!
//! `cargo +nightly fuzz run --no-default-features --features nodes link_ingest`
#![no_main]

use livetime_formats::wib::RawFormat;
use livetime_nodes::wire::{IngestOptions, Interval, LinkIngest, LinkLedger, State, Step};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let format = RawFormat::ALL[usize::from(*first) % 3];
    let options = IngestOptions { checksums: first & 4 != 0, convert_counts: first & 8 != 0, ..Default::default() };
    let mut link = LinkIngest::new(format, 1, options);
    let (mut rows, mut passed) = (Vec::new(), 0);
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
        let expected = link.expected();
        let (step, faults) = link.next(&given);
        passed += u64::from(step != Step::Drop);
        assert!(step != Step::Append || expected == format.head(&given, expected.unwrap_or(0)).map(|head| head.stamp));
        let _ = faults.to_string();
        if i % 10 == 0 {
            link.take_rows(&mut rows);
        }
    }
    link.finish(&mut rows);
    let counts = link.counts();
    assert_eq!((counts.frames, counts.frames + counts.dropped), (passed, rest.chunks(9).count() as u64));
    let ticks = |state: State| {
        let own = rows.iter().filter(|row| row.state == state as u8);
        own.fold(0u64, |sum, row| sum.wrapping_add(row.end.wrapping_sub(row.begin)))
    };
    assert_eq!(ticks(State::Good).wrapping_add(ticks(State::Corrupt)), format.step() * passed);
    let mut ledger = LinkLedger::default();
    rows.iter().for_each(|row| ledger.tell(Interval::from(row)));
    assert_eq!(State::ALL.iter().map(|state| u128::from(ledger.ticks_in(*state))).sum::<u128>(), u128::from(ledger.ticks()));
});
