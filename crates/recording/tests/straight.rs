//! Pixels that are read straight into their frame equal the pixels of a reader that reads events as a whole.

use livetime_formats::xtc1::run::{Apart, Aside, EventBytes, Run};
use livetime_frame::{Flags, Frame, FramePool};
use livetime_recording::{FaultKind, Options, Picture, Reader, Recording};

use crate::common::{BAD, Leaf, OPAL, TIMEPIX, event, run};

/// Large enough to be read straight.
const SIZE: (u32, u32) = (200, 150);

fn large(name: &'static str, value: u16) -> Leaf {
    Leaf { name, value, damage: 0, cut: 0, size: SIZE }
}

/// Events of one length whose leaves are now in one order, now in the other, or of which one is of no use.
fn mixed() -> Vec<Vec<u8>> {
    let of = |number: u64| {
        let (a, b) = (large(OPAL, number as u16), large(TIMEPIX, 7));
        let damaged = Leaf { damage: BAD, ..large(OPAL, 1000 + number as u16) };
        match number % 7 {
            0..3 => event(number, &[a, b]),
            3 => event(number, &[b, a]),
            4 => event(number, &[b, b]),
            5 => event(number, &[damaged, a]),
            _ => event(number, &[Leaf { cut: 2, ..a }, Leaf { cut: 2, ..b }]),
        }
    };
    (0..28).map(of).collect()
}

/// Data that a reader of whole events gets: pixels, flags and number of attributes.
fn whole(recording: &Recording) -> Vec<Option<(Vec<u8>, Flags, usize)>> {
    let detector = recording.detector("Opal1000").unwrap();
    let mut allocator = FramePool::new(1 << 24).allocator();
    let mut read = |event| {
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        recording.read(&detector, event, &mut reader, &mut picture).ok()?;
        let mut frame = allocator.array(picture.layout().ok()?).unwrap();
        picture.fill(&mut frame);
        Some(parts(&frame.freeze()))
    };
    (0..recording.events()).map(&mut read).collect()
}

fn parts(frame: &Frame) -> (Vec<u8>, Flags, usize) {
    (frame.bytes().to_vec(), frame.header().flags, frame.header().attributes.len())
}

#[test]
fn every_event_is_as_if_it_were_read_as_a_whole() {
    let (_folder, path) = run(&mixed());
    let recording = Recording::open(&[&path]).unwrap();
    let wanted = whole(&recording);
    assert_eq!(wanted.iter().flatten().count(), 20, "some have no picture");
    let detector = recording.detector("Opal1000").unwrap();
    for threads in [0, 1, 2] {
        let mut found = vec![None; recording.events()];
        let mut faults = 0;
        for event in recording.frames(&detector, Options { threads, ..Options::default() }) {
            match event {
                Ok(event) => found[event.event] = Some(parts(&event.frame)),
                Err(fault) => {
                    assert_eq!(fault.kind, FaultKind::Broken);
                    faults += 1;
                }
            }
        }
        assert!(found == wanted, "{threads} threads");
        assert_eq!(faults, 4);
    }
}

/// A picture whose pixels are in a frame shows none, rather than another event's.
#[test]
fn a_picture_shows_no_pixels_that_are_elsewhere() {
    let events: Vec<_> = (0..3).map(|n| event(n, &[large(OPAL, n as u16)])).collect();
    let (_folder, path) = run(&events);
    let recording = Recording::open(&[&path]).unwrap();
    let detector = recording.detector("").unwrap();
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let mut allocator = FramePool::new(1 << 24).allocator();
    let layout = recording.layout(&detector).unwrap();
    let mut shown = Vec::new();
    for number in 0..3 {
        let mut frame = allocator.array(layout).unwrap();
        assert!(recording.read_frame(&detector, number, &mut reader, &mut picture, &mut frame).unwrap());
        let frame = frame.freeze();
        assert!(frame.array().unwrap().elements::<u16>().unwrap().iter().all(|p| *p == number as u16));
        shown.push(picture.panels().map(|panel| panel.bytes.len()).sum::<usize>());
    }
    assert_eq!(shown, [layout.span(), 0, 0]);
    recording.read(&detector, 2, &mut reader, &mut picture).unwrap();
    assert_eq!(picture.panels().map(|panel| panel.bytes.len()).sum::<usize>(), layout.span());
}

#[test]
fn a_guess_is_for_events_of_its_lengths_and_never_beyond_them() {
    let (_folder, path) = run(&[event(0, &[large(OPAL, 5)])]);
    let run = Run::open(&[path]).unwrap();
    let event = &run.events()[0];
    let mut plain = EventBytes::default();
    run.read(event, &mut plain).unwrap();
    let piece = plain.pieces().next().unwrap().to_vec();
    let length = [piece.len() as u64];
    let aside = |start: usize, end: usize| Aside { piece: 0, bytes: start..end, to: 0 };
    let tried = [
        (vec![aside(200, 300)], true, true),
        (vec![aside(200, piece.len() + 1)], true, false),
        (vec![aside(300, 200)], true, false),
        (vec![Aside { to: usize::MAX, ..aside(200, 300) }], true, false),
        (vec![aside(200, 300)], false, false),
    ];
    for (asides, is_length, is_read) in tried {
        let (mut target, lengths) = (vec![0; 100], if is_length { length } else { [1] });
        let places = Apart { lengths: &lengths, asides: &asides, ..Apart::default() };
        let mut apart = Apart { target: &mut target, ..places };
        let mut bytes = EventBytes::default();
        run.read_apart(event, &mut bytes, &mut apart).unwrap();
        assert_eq!(apart.is_used, is_length, "{asides:?}");
        assert_eq!(target == piece[200..300], is_read, "{asides:?}");
        let found = bytes.pieces().next().unwrap();
        assert_eq!(found == &piece[..], !is_read, "{asides:?}");
        assert!(found[..200] == piece[..200] && found[300..] == piece[300..]);
    }
}
