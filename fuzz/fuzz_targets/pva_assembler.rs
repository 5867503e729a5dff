//! Any bytes as a stream of messages, cut anywhere: however it is cut, the same messages come out.
//!
//! `cargo +nightly fuzz run pva_assembler`
#![no_main]

use livetime_pva::wire::Assembler;

const LIMIT: usize = 1 << 16;

/// The messages up to the first error, and whether there was one.
fn messages(stream: &[u8], piece: usize, fill: bool) -> (Vec<(u8, bool, Vec<u8>)>, bool) {
    let (mut assembler, mut messages) = (Assembler::new(LIMIT), Vec::new());
    let mut rest = stream;
    while !rest.is_empty() {
        let missing = assembler.missing();
        let mut input = if fill && missing > 0 {
            let Ok(count) = assembler.fill(&rest[..rest.len().min(piece)]) else { return (messages, true) };
            rest = &rest[count..];
            &[][..]
        } else {
            let (input, after) = rest.split_at(rest.len().min(piece));
            rest = after;
            input
        };
        loop {
            match assembler.next(&mut input) {
                Ok(Some(message)) => {
                    assert!(message.bytes().len() <= LIMIT);
                    messages.push((message.header.command, message.header.server, message.bytes().to_vec()));
                }
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return (messages, true);
                }
            }
        }
        assert!(input.is_empty());
    }
    (messages, false)
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&piece, stream)) = input.split_first() else { return };
    let piece = usize::from(piece).max(1);
    let whole = messages(stream, stream.len().max(1), false);
    assert_eq!(messages(stream, piece, false), whole);
    assert_eq!(messages(stream, piece, true), whole);
});
