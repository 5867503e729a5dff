//! Any bytes as messages of a link, to a decoder, a sender and a receiver: each is refused or makes sense, no memory is taken beyond the
//! limits, and both accounts close after each message.
//!
//! The input is a row of pieces: a length (1 byte, in eights), then the head of a message; the prefix is corrected, so that the rest is
//! reached.
//!
//! `cargo +nightly fuzz run --no-default-features link_messages`
#![no_main]

use livetime_frame::{Codec, Frame, FramePool};
use livetime_link::wire::{Decoder, MAX_FRAMES, PREFIX_BYTES, VERSION, encode};
use livetime_link::{Message, Receiver, ReceiverEvent, Retain, Sender, Settings, Settlement, Step};

const MAX_FRAME: u64 = 1 << 14;

/// Numbers of connections that the ends know are put into the head, else no message would be looked at.
fn corrected(piece: &[u8], ends: [u64; 2]) -> Vec<u8> {
    let mut head = piece.to_vec();
    head.resize(head.len().max(PREFIX_BYTES), 0);
    let len = head.len() as u32;
    head[..4].copy_from_slice(b"LTLK");
    head[4] = VERSION;
    head[8..12].copy_from_slice(&len.to_le_bytes());
    if head[20] & 3 != 3 {
        head[20..28].copy_from_slice(&ends[0].to_le_bytes());
        head[28..36].copy_from_slice(&ends[1].to_le_bytes());
    }
    head
}

fn send<F>(step: Step<F>) -> Option<Message<F>> {
    if let Step::Send(message) = step { Some(message) } else { None }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&kind, mut rest)) = input.split_first() else { return };
    let retain = Retain::ALL[usize::from(kind) % 3];
    let settings =
        Settings { retain, window_frames: 8, window_bytes: 4096, max_frame_bytes: MAX_FRAME, ..Settings::default() };
    let pool = FramePool::new(4 << 20);
    let mut allocator = pool.allocator();
    let mut decoder = Decoder::new(vec![Codec("lz4")], MAX_FRAME);
    let mut sender = Sender::<Frame>::new(settings.clone(), 1);
    let mut receiver = Receiver::<Frame>::new(settings, 2);
    sender.connected(0);
    receiver.connected(0);
    let (mut sender_ends, mut receiver_ends) = ([0, 0], [0, 0]);
    for _ in 0..4 {
        sender.offer(allocator.bytes(9).unwrap().freeze()).unwrap();
    }
    let mut now = 1;
    while let Some((&len, after)) = rest.split_first() {
        let (piece, next) = after.split_at(after.len().min(usize::from(len) * 8));
        rest = next;
        now += 1_000_000;
        for side in 0..2 {
            let ends = if side == 0 { sender_ends } else { receiver_ends };
            let head = corrected(piece, ends);
            let Ok(message) = decoder.head(&head) else { continue };
            let Ok(message) = message.allocate(&mut allocator) else { continue };
            let message = message.freeze();
            let mut again = Vec::new();
            encode(&message, &mut again).expect("a message that was decoded");
            assert!(message_frames(&message) <= MAX_FRAMES);
            let result = if side == 0 { sender.receive(message, now) } else { receiver.receive(message, now) };
            if result.is_err() {
                sender.connected(now);
                receiver.connected(now);
            }
        }
        while let Some(event) = receiver.next_event() {
            if let ReceiverEvent::Frame(token, _) = event {
                receiver.settle(token, Settlement::Completed, now);
            }
        }
        while sender.next_event().is_some() {}
        if let Some(message) = send(sender.step(now)) {
            sender_ends = [message.to, message.from];
            _ = receiver.receive(message, now);
        }
        if let Some(message) = send(receiver.step(now)) {
            receiver_ends = [message.to, message.from];
            _ = sender.receive(message, now);
        }
        assert!(sender.account().closes() && receiver.account().closes());
    }
});

fn message_frames(message: &Message<Frame>) -> usize {
    if let livetime_link::Body::Data(data) = &message.body { data.frames.len() } else { 0 }
}
