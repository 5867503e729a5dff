//! Random faults against a plain model of the ledger.

use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use livetime_kernels::random::Counter;

use super::*;
use crate::{Interval, LinkLedger};

const FRAMES: usize = 6000;
const FIRST: u64 = 80_000_000_000_000_000;
const STEP: u64 = 25;
/// Least number of frames between two faults, so that their effects can be told apart.
const APART: usize = 40;

/// A frame as it comes: time, capture errors in a block.
type Sent = (u64, Option<usize>);
/// The state that a time must have in the ledger.
type Wanted = (u64, State, Faults);

/// Frames with faults, and the state that the time of each sent frame must get; further the number of dropped frames.
struct Stream {
    sent: Vec<Sent>,
    wanted: Vec<Wanted>,
    dropped: u64,
}

fn stream(seed: u64) -> Stream {
    let numbers = Counter::new(seed, [7, 7]);
    let mut drawn = 0;
    let mut draw = |below: usize| {
        drawn += 1;
        (numbers.at(drawn) % below as u64) as usize
    };
    let mut s = Stream { sent: Vec::new(), wanted: Vec::new(), dropped: 0 };
    // Times at which frames with a wrong time pretend to be: nothing else must happen there.
    let mut taken: Vec<std::ops::Range<u64>> = Vec::new();
    let (mut at, mut clock) = (0, FIRST);
    let good = |s: &mut Stream, time: u64| {
        s.sent.push((time, None));
        s.wanted.push((time, State::Good, Faults::NONE));
    };
    while at < FRAMES {
        for _ in 0..APART + draw(60) {
            good(&mut s, clock + at as u64 * STEP);
            at += 1;
        }
        let length = 1 + draw(60);
        let time = |number: usize| clock + number as u64 * STEP;
        let here = time(at - APART)..time(at + 2 * length + APART);
        if taken.iter().any(|other| other.start < here.end && here.start < other.end) {
            continue;
        }
        match draw(9) {
            0 => {
                s.wanted.extend((at..at + length).map(|n| (time(n), State::Absent, Faults::NONE)));
                at += length;
            }
            1 => {
                let again: Vec<Sent> = s.sent[s.sent.len() - length.min(APART)..].to_vec();
                s.dropped += again.len() as u64;
                s.sent.extend(again);
            }
            2 => {
                s.sent.extend((at + length..at + 2 * length).chain(at..at + length).map(|n| (time(n), None)));
                let late = if length <= MOST_HELD {
                    (State::Late, Faults::NONE)
                } else {
                    (State::Dropped, Faults::BACK)
                };
                s.dropped += if length <= MOST_HELD { 0 } else { length as u64 };
                s.wanted.extend((at..at + length).map(|n| (time(n), late.0, late.1)));
                s.wanted.extend((at + length..at + 2 * length).map(|n| (time(n), State::Good, Faults::NONE)));
                at += 2 * length;
            }
            kind @ 3..7 => {
                let by = (1 + draw(9000) as u64) * STEP;
                let (wrong, fault) = match kind {
                    3 => (time(at) + by, Faults::JUMP),
                    4 => (time(at) - by, Faults::BACK),
                    5 => (time(at) + 7 + by, Faults::OFF_STEP),
                    _ => (time(at) + 600_000_000 + by, Faults::JUMP),
                };
                let around = wrong - wrong.min(60 * STEP)..wrong + 60 * STEP;
                let is_free = s.wanted.iter().all(|w| !around.contains(&w.0) || w.1 == State::Good);
                if !is_free {
                    continue;
                }
                taken.push(around);
                s.sent.push((wrong, None));
                s.wanted.push((time(at), State::Absent, fault));
                s.dropped += 1;
                at += 1;
            }
            7 => {
                let block = draw(4);
                s.sent.extend((at..at + length).map(|n| (time(n), Some(block))));
                s.wanted.extend((at..at + length).map(|n| (time(n), State::Corrupt, Faults::capture(block))));
                at += length;
            }
            // The clock is reset, far enough that no time is reported twice.
            _ if draw(3) == 0 => {
                let far = (11 + draw(1000) as u64) * 50_000_000;
                clock = if draw(2) == 0 { clock + far } else { clock - far - 3_000 * 50_000_000 }
                    + draw(25) as u64;
            }
            _ => {}
        }
    }
    // Missing time is known when a frame follows.
    (at..at + APART).for_each(|number| good(&mut s, clock + number as u64 * STEP));
    s
}

fn bytes_of((time, capture): Sent) -> [u8; Wib1Frame::BYTES] {
    let mut bytes = [0; Wib1Frame::BYTES];
    let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
    frame.set_identity(5, 2, 1);
    frame.set_timestamp(time);
    if let Some(block) = capture {
        frame.set_capture_errors(block, [1, 0]);
    }
    bytes
}

#[test]
fn under_random_faults_every_frame_and_every_tick_is_accounted_for() {
    for seed in 0..400 {
        let Stream { sent, mut wanted, dropped } = stream(seed);
        let mut link = LinkIngest::new(RawFormat::Wib1, 0, IngestOptions::default());
        let (mut rows, mut passed, mut refused) = (Vec::new(), Vec::new(), 0);
        let mut take = |frame: Settled<'_>| match frame.step {
            Step::Drop => refused += 1,
            _ => passed.push((frame.epoch, frame.stamp)),
        };
        for (i, frame) in sent.iter().enumerate() {
            link.next(&bytes_of(*frame), &mut take);
            if i % 100 == seed as usize % 100 {
                link.take_rows(&mut rows);
            }
        }
        link.finish(&mut rows, &mut take);
        assert_eq!((passed.len() as u64, refused), (link.counts().frames, link.counts().dropped));
        assert_eq!(link.counts().frames + link.counts().dropped, sent.len() as u64, "seed {seed}");
        assert!(passed.windows(2).all(|w| w[0].0 != w[1].0 || w[0].1 < w[1].1), "seed {seed}");

        // No row overlaps another one, and together they have the right state for each time.
        wanted.sort_by_key(|wanted| wanted.0);
        rows.sort_by_key(|row| row.begin);
        assert!(rows.windows(2).all(|w| w[0].end <= w[1].begin), "seed {seed}: rows overlap");
        let mut told = rows.iter().flat_map(|row| {
            let times = (row.begin..row.end).step_by(STEP as usize);
            times.map(|time| (time, State::of(row.state), Faults::of_bits(row.bits)))
        });
        for want in &wanted {
            let found = told.next();
            // While a frame with a wrong time waits, time may be absent because of the wait.
            let is_right = found.is_some_and(|found| {
                let jumped = want.1 == State::Absent && found.2 == want.2 | Faults::JUMP;
                (found.0, found.1) == (want.0, want.1) && (found.2 == want.2 || jumped)
            });
            assert!(
                is_right,
                "seed {seed}: wanted {want:?}, found {found:?}; frame {}",
                (want.0.wrapping_sub(FIRST)) / STEP
            );
        }
        assert_eq!(told.next(), None, "seed {seed}");
        assert_eq!(link.counts().dropped, dropped, "seed {seed}");

        let mut ledger = LinkLedger::default();
        rows.iter().for_each(|row| ledger.tell(Interval::from(row)));
        assert_eq!(State::ALL.iter().map(|s| ledger.ticks_in(*s)).sum::<u64>(), ledger.ticks());
        let received =
            [State::Good, State::Late, State::Corrupt].map(|s| ledger.ticks_in(s)).iter().sum::<u64>();
        assert_eq!(received, STEP * link.counts().frames, "seed {seed}");
    }
}
