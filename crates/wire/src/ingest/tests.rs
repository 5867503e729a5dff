use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use proptest::prelude::*;

use super::*;
use crate::{Interval, LinkLedger};

/// Stamp of the first golden frame.
const FIRST: u64 = 80_150_024_000_000_000;
const WIB1: usize = Wib1Frame::BYTES;

/// The frames of a golden file.
fn golden(name: &str, bytes: usize) -> Option<Vec<Vec<u8>>> {
    let packed = std::fs::read(livetime_testkit::data(name)?).unwrap();
    let all = zstd::decode_all(&packed[..]).unwrap();
    Some(all.chunks_exact(bytes).map(<[u8]>::to_vec).collect())
}

fn wib1() -> Option<Vec<Vec<u8>>> {
    golden("wib/wib1_frames.bin.zst", WIB1)
}

fn edit(frame: &mut [u8]) -> Wib1FrameMut<'_> {
    Wib1FrameMut::new(frame).unwrap()
}

/// An entry of the ledger: first frame, end, state, bits.
type Entry = (u64, u64, State, Faults);

/// Feeds the frames, and takes the rows every `every` frames. Returns the times that were passed on, and the ledger
/// without good time.
fn run(frames: &[Vec<u8>], options: IngestOptions, every: usize) -> (LinkIngest, Vec<u64>, Vec<Entry>) {
    let mut link = LinkIngest::new(RawFormat::Wib1, 0, options);
    let (mut rows, mut passed, mut end) = (Vec::new(), Vec::new(), None);
    let mut take = |frame: Settled<'_>| {
        match frame.step {
            Step::Append => assert_eq!(end, Some(frame.stamp)),
            Step::Begin => assert_ne!(end, Some(frame.stamp)),
            Step::Drop => return,
        }
        assert_eq!(Wib1Frame::parse(frame.bytes).unwrap().timestamp(), frame.stamp);
        end = Some(frame.stamp.wrapping_add(25));
        passed.push(frame.stamp.wrapping_sub(FIRST) / 25);
    };
    for (i, frame) in frames.iter().enumerate() {
        link.next(frame, &mut take);
        if i % every == 0 {
            link.take_rows(&mut rows);
        }
    }
    link.finish(&mut rows, &mut take);
    let mut ledger = LinkLedger::default();
    rows.iter().for_each(|row| ledger.tell(Interval::from(row)));
    assert_eq!(State::ALL.iter().map(|s| ledger.ticks_in(*s)).sum::<u64>(), ledger.ticks());
    assert_eq!(
        rows.iter().map(|r| r.end - r.begin).sum::<u64>(),
        ledger.ticks() - ledger.ticks_in(State::Unknown)
    );
    let odd = ledger.intervals().filter(|i| i.state != State::Good);
    let frame = |stamp: u64| stamp.wrapping_sub(FIRST) / 25;
    let entries = odd.map(|i| (frame(i.begin), frame(i.end), i.state, Faults::of_bits(i.bits))).collect();
    (link, passed, entries)
}

/// The expected result of a recipe, however often the rows are taken.
fn expect(
    change: impl Fn(&mut Vec<Vec<u8>>),
    options: IngestOptions,
    entries: &[Entry],
) -> Option<LinkIngest> {
    let mut frames = wib1()?;
    change(&mut frames);
    let results = [1, 7, 384, usize::MAX].map(|every| run(&frames, options, every));
    for (_, passed, found) in &results {
        assert!(passed.is_sorted_by(|a, b| a < b), "frames are passed on in the order of time");
        assert_eq!(found, entries);
    }
    results.into_iter().map(|(link, ..)| link).next()
}

#[test]
fn golden_frames_are_good() {
    let Some(link) = expect(|_| (), IngestOptions::default(), &[]) else { return };
    assert_eq!(link.counts(), &IngestCounts { frames: 3000, epochs: 1, ..Default::default() });
    let Some(frames) = golden("wib/wibeth_frames.bin.zst", 7200) else { return };
    let mut link = LinkIngest::new(RawFormat::WibEth, 0, IngestOptions::default());
    let mut rows = Vec::new();
    frames.iter().for_each(|frame| link.next(frame, |f| assert!(f.faults.is_empty())));
    link.finish(&mut rows, |f| assert!(f.faults.is_empty()));
    assert_eq!((rows.len(), rows[0].end - rows[0].begin, rows[0].state), (1, 120 * 2048, State::Good as u8));
}

#[test]
fn what_is_missing_is_absent() {
    let none = Faults::NONE;
    expect(|f| drop(f.remove(700)), Default::default(), &[(700, 701, State::Absent, none)]);
    let link = expect(|f| drop(f.drain(900..2100)), Default::default(), &[(900, 2100, State::Absent, none)]);
    assert!(link.is_none_or(|link| (link.counts().missing, link.counts().gaps) == (1200, 1)));
    // 10 ms of silence are 20,000 frames.
    let stop = |frames: &mut Vec<Vec<u8>>| {
        for (i, frame) in frames.iter_mut().enumerate().skip(1000) {
            edit(frame).set_timestamp(FIRST + 25 * (i as u64 + 20_000));
        }
    };
    expect(stop, Default::default(), &[(1000, 21_000, State::Absent, none)]);
}

#[test]
fn what_comes_again_or_late_is_dropped() {
    let again = |f: &mut Vec<Vec<u8>>| f.insert(41, f[40].clone());
    let link = expect(again, Default::default(), &[]);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().dropped) == (3000, 1)));
    let link = expect(|f| f.swap(50, 51), Default::default(), &[(50, 51, State::Late, Faults::NONE)]);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().reordered) == (3000, 1)));
    // A whole superchunk twice.
    let superchunk = |f: &mut Vec<Vec<u8>>| drop(f.splice(60..60, f[48..60].to_vec()));
    let link = expect(superchunk, Default::default(), &[]);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().dropped) == (3000, 12)));
    // However many frames come again, they are dropped.
    let forty = |f: &mut Vec<Vec<u8>>| drop(f.splice(640..640, f[600..640].to_vec()));
    let link = expect(forty, Default::default(), &[]);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().dropped) == (3000, 40)));
}

#[test]
fn exchanged_blocks_are_put_in_order_or_dropped_as_late() {
    let exchange = |length: usize| {
        move |f: &mut Vec<Vec<u8>>| {
            let first: Vec<_> = f.drain(600..600 + length).collect();
            drop(f.splice(600 + length..600 + length, first));
        }
    };
    let late = |frames: u64| [(600, 600 + frames, State::Late, Faults::NONE)];
    let link = expect(exchange(16), Default::default(), &late(16));
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().reordered) == (3000, 16)));
    let dropped = [(600, 640, State::Dropped, Faults::BACK)];
    let link = expect(exchange(40), Default::default(), &dropped);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().late) == (2960, 40)));
}

#[test]
fn a_time_is_believed_when_later_frames_confirm_it() {
    let at = |frame: usize, by: u64| {
        move |f: &mut Vec<Vec<u8>>| edit(&mut f[frame]).set_timestamp(FIRST + 25 * (frame as u64 + by))
    };
    // One frame whole steps ahead, near and far.
    for by in [1, 2, 5, 17, 200, 683, 5000, 390_000] {
        let link = expect(at(60, by), Default::default(), &[(60, 61, State::Absent, Faults::JUMP)]);
        assert!(link.is_none_or(|link| (link.counts().frames, link.counts().missing) == (2999, 1)), "{by}");
    }
    // The first and the last one.
    let day = 24 * 3600 * 2_000_000;
    expect(at(0, 10 * day), Default::default(), &[(0, 1, State::Absent, Faults::JUMP)]);
    expect(at(2999, 10 * day), Default::default(), &[(2999, 3000, State::Absent, Faults::JUMP)]);
    expect(at(2999, 1000), Default::default(), &[(2999, 3000, State::Absent, Faults::JUMP)]);
    // Frames that are missing behind each other.
    let odd = |f: &mut Vec<Vec<u8>>| {
        let mut number = 0;
        f.retain(|_| {
            number += 1;
            !(500..600).contains(&number) || number % 3 != 0
        });
    };
    let absent: Vec<_> =
        (500..600).filter(|n| n % 3 == 0).map(|n| (n - 1, n, State::Absent, Faults::NONE)).collect();
    expect(odd, Default::default(), &absent);
}

#[test]
fn a_wrong_time_costs_its_frame() {
    let at = |frame: usize, stamp: u64| move |f: &mut Vec<Vec<u8>>| edit(&mut f[frame]).set_timestamp(stamp);
    let t60 = FIRST + 60 * 25;
    let entry = |fault| [(60, 61, State::Absent, fault)];
    expect(at(60, t60 - 1000), Default::default(), &entry(Faults::BACK));
    expect(at(60, t60 + 7), Default::default(), &entry(Faults::OFF_STEP));
    expect(at(60, t60 ^ 1 << 40), Default::default(), &entry(Faults::JUMP));
    let stuck = |f: &mut Vec<Vec<u8>>| (60..90).for_each(|i| edit(&mut f[i]).set_timestamp(t60 - 25));
    expect(stuck, Default::default(), &[(60, 90, State::Absent, Faults::BACK)]);
}

#[test]
fn faults_of_a_frame_are_its_own() {
    let corrupt = |frame, faults| [(frame, frame + 1, State::Corrupt, faults)];
    let none = IngestOptions::default();
    expect(|f| edit(&mut f[70]).set_errors(true, false, 0), none, &corrupt(70, Faults::MM));
    expect(|f| edit(&mut f[70]).set_errors(false, true, 0), none, &corrupt(70, Faults::OOS));
    expect(|f| edit(&mut f[80]).set_errors(false, false, 3), none, &corrupt(80, Faults::WIB_ERRORS));
    expect(|f| edit(&mut f[90]).set_capture_errors(2, [0, 1]), none, &corrupt(90, Faults::capture(2)));
    expect(|f| edit(&mut f[100]).set_identity(5, 2, 2), none, &corrupt(100, Faults::IDENTITY));
    expect(|f| edit(&mut f[100]).set_identity(5, 3, 1), none, &corrupt(100, Faults::IDENTITY));
    expect(|f| edit(&mut f[110]).set_convert_count(3, 9), none, &corrupt(110, Faults::CONVERT_COUNT));
}

#[test]
fn checksums_and_convert_counts_are_compared_when_asked_for() {
    let sums = |frames: &mut Vec<Vec<u8>>| frames.iter_mut().for_each(|f| edit(f).set_checksums());
    let options = IngestOptions { checksums: true, ..Default::default() };
    expect(sums, options, &[]);
    let flip = |frames: &mut Vec<Vec<u8>>| {
        sums(frames);
        frames[90][16 + 112 + 2] ^= 1;
    };
    expect(flip, options, &[(90, 91, State::Corrupt, Faults::checksum(1))]);
    let options = IngestOptions { convert_counts: true, ..Default::default() };
    let count = |frames: &mut Vec<Vec<u8>>, from: usize, by: u16| {
        for (i, frame) in frames.iter_mut().enumerate().skip(from) {
            (0..4).for_each(|block| edit(frame).set_convert_count(block, (i as u16).wrapping_add(by)));
        }
    };
    expect(|f| count(f, 0, 65_000), options, &[]);
    let once = |f: &mut Vec<Vec<u8>>| {
        count(f, 0, 0);
        (0..4).for_each(|block| edit(&mut f[95]).set_convert_count(block, 7));
        f.remove(500);
    };
    let absent = (500, 501, State::Absent, Faults::NONE);
    expect(once, options, &[(95, 96, State::Corrupt, Faults::CONVERT_COUNT), absent]);
    let anew = |f: &mut Vec<Vec<u8>>| {
        count(f, 0, 0);
        count(f, 95, 300);
    };
    expect(anew, options, &[(95, 96, State::Corrupt, Faults::CONVERT_COUNT)]);
}

#[test]
fn the_expected_link_can_be_given() {
    let Some(frames) = wib1() else { return };
    let right = Head::of_wib1(&Wib1Frame::parse(&frames[0]).unwrap(), 0).identity;
    let expecting = |identity| IngestOptions { identity: Some(identity), ..Default::default() };
    assert!(run(&frames, expecting(right), 100).2.is_empty());
    assert_eq!(
        run(&frames, expecting(right ^ 1 << 16), 100).2,
        [(0, 3000, State::Corrupt, Faults::IDENTITY)]
    );
}

#[test]
fn a_stranger_out_of_time_tells_nothing() {
    let stranger = |f: &mut Vec<Vec<u8>>| {
        let mut frame = f[300].clone();
        edit(&mut frame).set_identity(1, 1, 1);
        edit(&mut frame).set_timestamp(FIRST + 25 * 1000);
        f.insert(300, frame);
    };
    let link = expect(stranger, Default::default(), &[]);
    assert!(link.is_none_or(|link| (link.counts().dropped, link.counts().with(Faults::IDENTITY)) == (1, 1)));
}

#[test]
fn a_clock_that_begins_anew_is_an_epoch_and_costs_nothing() {
    let Some(frames) = wib1() else { return };
    let shifted = |by: u64, from: usize| {
        let mut frames = frames.clone();
        for (i, frame) in frames.iter_mut().enumerate().skip(from) {
            edit(frame).set_timestamp((FIRST + 25 * i as u64).wrapping_add(by));
        }
        let (link, passed, odd) = run(&frames, Default::default(), 7);
        let counts = *link.counts();
        assert_eq!((counts.epochs, counts.dropped, passed.len()), (2, 0, 3000), "{by}");
        odd
    };
    let away = 11_000_000_000 / 500;
    let none = Faults::NONE;
    assert_eq!(shifted(25 * away, 1000), [(1000, 1000 + away, State::Unknown, none)]);
    // Confirmed by the end of the data only.
    assert_eq!(shifted(25 * away, 2990), [(2990, 2990 + away, State::Unknown, none)]);
    let hour = 3600 * 50_000_000u64;
    let odd = shifted(hour.wrapping_neg(), 1000);
    assert_eq!((odd.len(), odd[0].2, odd[0].3), (1, State::Unknown, none));
    // The phase has slipped.
    shifted(7, 1000);
}

#[test]
fn a_clock_set_back_by_little_is_waited_for() {
    let back = |f: &mut Vec<Vec<u8>>| {
        for (i, frame) in f.iter_mut().enumerate().skip(1000) {
            edit(frame).set_timestamp(FIRST + 25 * (i as u64 - 500));
        }
    };
    let link = expect(back, Default::default(), &[]);
    assert!(link.is_none_or(|link| (link.counts().frames, link.counts().dropped) == (2500, 500)));
}

#[test]
fn a_time_that_was_believed_is_corrected_when_it_comes() {
    // Thirty frames say that they come 8000 later; then time continues.
    let ahead = |f: &mut Vec<Vec<u8>>| {
        (1000..1030).for_each(|i| edit(&mut f[i]).set_timestamp(FIRST + 25 * (i as u64 + 8000)));
    };
    let Some(mut frames) = wib1() else { return };
    ahead(&mut frames);
    let (link, passed, odd) = run_overlapping(&frames);
    assert_eq!((link.counts().dropped, link.counts().epochs, passed), (0, 2, 3000));
    // Only frames that never came are absent.
    let absent: Vec<_> = odd.iter().filter(|entry| entry.2 == State::Absent).map(|e| (e.0, e.1)).collect();
    assert_eq!(absent, [(1000, 1030), (3000, 9000)]);
}

/// As [`run`], for recipes in which the same time may be reported twice.
fn run_overlapping(frames: &[Vec<u8>]) -> (LinkIngest, usize, Vec<Entry>) {
    let mut link = LinkIngest::new(RawFormat::Wib1, 0, IngestOptions::default());
    let (mut rows, mut passed) = (Vec::new(), 0);
    frames.iter().for_each(|frame| link.next(frame, |f| passed += usize::from(f.step != Step::Drop)));
    link.finish(&mut rows, |f| passed += usize::from(f.step != Step::Drop));
    let mut ledger = LinkLedger::default();
    rows.iter().rev().for_each(|row| ledger.tell(Interval::from(row)));
    let odd = ledger.intervals().filter(|i| i.state != State::Good);
    let entry =
        |i: &Interval| ((i.begin - FIRST) / 25, (i.end - FIRST) / 25, i.state, Faults::of_bits(i.bits));
    (link, passed, odd.map(entry).collect())
}

#[test]
fn sequence_and_status_of_ethernet_frames() {
    let Some(frames) = golden("wib/wibeth_frames.bin.zst", 7200) else { return };
    let faults = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut frames = frames.clone();
        change(&mut frames);
        let mut link = LinkIngest::new(RawFormat::WibEth, 3, IngestOptions::default());
        let (mut found, mut rows) = (Vec::new(), Vec::new());
        let first = RawFormat::WibEth.stamp(&frames[0]);
        let mut take = |frame: Settled<'_>| {
            if !frame.faults.is_empty() {
                found.push((frame.stamp.saturating_sub(first) / 2048, frame.faults));
            }
        };
        frames.iter().for_each(|frame| link.next(frame, &mut take));
        link.finish(&mut rows, &mut take);
        found
    };
    assert_eq!(faults(&|f| f[10][5] ^= 1), [(10, Faults::SEQUENCE)]);
    assert_eq!(faults(&|f| drop(f.drain(5..9))), [(9, Faults::GAP)]);
    assert_eq!(faults(&|f| f[11][20] ^= 0b110), [(11, Faults::CRC)]);
    assert_eq!(faults(&|f| f[12][20] ^= 1 << 5), [(12, Faults::LOCK)]);
    assert_eq!(faults(&|f| f[13][21] ^= 1 << 3), [(13, Faults::STATUS)]);
    assert_eq!(faults(&|f| f[14][7] ^= 1), [(14, Faults::LENGTH)]);
    assert_eq!(faults(&|f| _ = f[15].pop()), [(0, Faults::CUT), (16, Faults::GAP)]);
}

#[test]
fn runs_are_the_same_as_one_by_one() {
    let Some(mut frames) = wib1() else { return };
    frames.remove(700);
    edit(&mut frames[90]).set_errors(true, false, 0);
    let (one, _, entries) = run(&frames, Default::default(), 100);
    let all = frames.concat();
    let mut link = LinkIngest::new(RawFormat::Wib1, 0, Default::default());
    let mut at = 0;
    while at < frames.len() {
        at += link.calm_run(&all[at * WIB1..]);
        if at < frames.len() {
            link.next(&frames[at], |_| ());
            at += 1;
        }
    }
    assert_eq!(link.counts(), one.counts());
    let mut rows = Vec::new();
    link.finish(&mut rows, |_| ());
    assert_eq!((rows.len(), entries.len()), (5, 2));
}

proptest! {
    /// For any stamps, rows neither overlap nor leave time out within an epoch, and every frame is counted once.
    #[test]
    fn any_stamps_are_accounted_for(steps in prop::collection::vec((0u8..12, any::<u64>()), 1..300)) {
        let mut link = LinkIngest::new(RawFormat::Wib1, 0, IngestOptions::default());
        let (mut stamp, mut rows) = (1 << 40, Vec::new());
        let mut bytes = vec![0; WIB1];
        for (i, (kind, value)) in steps.iter().enumerate() {
            stamp = match kind {
                0 => stamp + value % 1000,
                1 => stamp + 25 * (value % 100),
                2 => stamp - value % 5000,
                3 if value % 10 == 0 => value >> 1,
                _ => stamp + 25,
            };
            edit(&mut bytes).set_timestamp(stamp & ((1 << 62) - 1));
            edit(&mut bytes).set_errors(kind == &4, false, 0);
            link.next(&bytes, |_| ());
            if i % 50 == 0 {
                link.take_rows(&mut rows);
            }
        }
        link.finish(&mut rows, |_| ());
        let counts = link.counts();
        prop_assert_eq!(counts.frames + counts.dropped, steps.len() as u64);
        let ticks = |wanted: State| rows.iter().filter(|r| r.state == wanted as u8).map(|r| r.end - r.begin).sum::<u64>();
        prop_assert_eq!(ticks(State::Good) + ticks(State::Late) + ticks(State::Corrupt), 25 * counts.frames);
        prop_assert_eq!(ticks(State::Corrupt), 25 * counts.corrupt);
        let breaks = rows.windows(2).filter(|w| w[0].end != w[1].begin).count() as u64;
        prop_assert!(breaks < 2 * counts.epochs);
    }

    #[test]
    fn any_bytes_are_endured(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 460..470), 1..40)) {
        let mut link = LinkIngest::new(RawFormat::Wib1, 0, IngestOptions { checksums: true, ..Default::default() });
        for frame in &frames {
            link.next(frame, |_| ());
        }
        let mut rows = Vec::new();
        link.finish(&mut rows, |_| ());
        prop_assert_eq!(link.counts().frames + link.counts().dropped, frames.len() as u64);
    }
}
