//! Faults of events, and their fate in a run; all are counted.

use livetime_formats::xtc1::Damage;
use livetime_formats::xtc1::compressed::Engine;
use livetime_frame::{AttributeValue, Flags};
use livetime_recording::convert::{Options as Conversion, convert};
use livetime_recording::{Account, FaultKind, Frames, OnDamage, Options, Recording};

use crate::common::{BAD, Leaf, OPAL, add_incomplete, event, event_with, leaf, other, run};

/// Every kind of damage, in pictures that are large enough to be compressed.
fn damaged_run() -> Vec<Vec<u8>> {
    let leaf = |value| Leaf { size: (40, 30), ..leaf(value) };
    let bad = |value| Leaf { damage: BAD, ..leaf(value) };
    let broken = Leaf { cut: 5, ..leaf(90) };
    let dropped = Damage::DROPPED.0;
    let mut all = vec![
        event(0, &[leaf(0), other()]),
        // Not read.
        event(1, &[other()]),
        event(2, &[bad(2)]),
        event(3, &[broken]),
        // The recorder lost it.
        event_with(4, dropped, |_| {}),
        event_with(5, 0, add_incomplete),
        // A good one beside a bad one.
        event(6, &[bad(90), leaf(6)]),
        event(7, &[broken, leaf(7)]),
        // The best that can be read is damaged.
        event(8, &[broken, bad(8)]),
        // Damaged, and nothing can be read.
        event(9, &[Leaf { damage: BAD, ..broken }]),
    ];
    // Damage of the whole event is about something else than the picture.
    let mut with_damage = event(10, &[leaf(10)]);
    with_damage[20..24].copy_from_slice(&dropped.to_le_bytes());
    all.push(with_damage);
    all
}

/// The outcome of an event: its number, and either the value and whether it is marked, or the reason.
type Came = (Option<usize>, Result<(u16, bool), FaultKind>);

fn read(frames: &mut Frames) -> Vec<Came> {
    let one = |event: Result<livetime_recording::EventFrame, livetime_recording::Fault>| match event {
        Ok(event) => {
            let marked = event.frame.header().flags.contains(Flags::DAMAGED);
            let value = event.frame.array().unwrap().elements::<u16>().unwrap()[0];
            (Some(event.event), Ok((value, marked)))
        }
        Err(fault) => (fault.event, Err(fault.kind)),
    };
    frames.map(one).collect()
}

fn frames(recording: &Recording, threads: usize, on_damage: OnDamage) -> Frames {
    let detector = recording.detector(OPAL).unwrap();
    recording.frames(&detector, Options { threads, on_damage, ..Options::default() })
}

#[test]
fn every_event_is_given_or_counted_with_its_reason() {
    let (_folder, path) = run(&damaged_run());
    let recording = Recording::open(&[&path]).unwrap();
    use FaultKind::{Broken, Lost};
    let whole = |n: usize| (Some(n), Ok((n as u16, false)));
    let marked = |n: usize| (Some(n), Ok((n as u16, true)));
    let fault = |n: usize, kind| (Some(n), Err(kind));
    let wanted = [
        whole(0),
        marked(2),
        fault(3, Broken),
        fault(4, Lost),
        fault(5, Lost),
        whole(6),
        whole(7),
        marked(8),
        fault(9, Lost),
        whole(10),
    ];
    let account = Account { whole: 4, damaged: 2, missing: 1, lost: 3, broken: 1, ..Account::default() };
    for threads in [0, 1, 3] {
        let mut keep = frames(&recording, threads, OnDamage::Keep);
        assert_eq!(read(&mut keep), wanted, "{threads} threads");
        assert_eq!(keep.account(), Account { frames: 6, ..account });
        let mut skip = frames(&recording, threads, OnDamage::Skip);
        let unmarked: Vec<_> = wanted.iter().filter(|(_, e)| !matches!(e, Ok((_, true)))).cloned().collect();
        assert_eq!(read(&mut skip), unmarked);
        assert_eq!(skip.account(), Account { frames: 4, skipped: 2, ..account });
        let mut stop = frames(&recording, threads, OnDamage::Stop);
        assert_eq!(read(&mut stop), [whole(0), fault(2, FaultKind::Damaged)]);
        let read = Account { frames: 1, whole: 1, damaged: 1, missing: 1, ..Account::default() };
        assert_eq!(stop.account(), read);
    }
}

#[test]
fn frames_say_what_is_wrong_with_them() {
    let (_folder, path) = run(&damaged_run());
    let recording = Recording::open(&[&path]).unwrap();
    let found: Vec<_> = frames(&recording, 1, OnDamage::Keep).flatten().collect();
    let attribute = |n: usize, name| found[n].frame.header().attributes.get(name).cloned();
    assert_eq!(attribute(1, "Damage"), Some(AttributeValue::Uint(BAD.into())));
    assert_eq!((attribute(0, "Damage"), attribute(5, "Damage")), (None, None));
    assert_eq!(attribute(5, "EventDamage"), Some(AttributeValue::Uint(Damage::DROPPED.0.into())));
    let fault = frames(&recording, 1, OnDamage::Keep).find_map(Result::err).unwrap();
    assert!(fault.why.contains("c00.xtc: event 3 at 1.030000000: CxiEndstation-0|Opal1000-1: wanted"));
}

/// A run that `convert` has compressed is judged as the run was.
#[test]
fn a_compressed_run_is_judged_as_it_was() {
    let (folder, path) = run(&damaged_run());
    let packed = folder.path().join("packed.xtc");
    let options = Conversion { codec: Some(Engine::BLOCKPACK), ..Conversion::default() };
    convert(&[path.as_path()], &packed, &options, |_| true).unwrap();
    let [plain, packed] = [path, packed].map(|path| {
        let recording = Recording::open(&[path]).unwrap();
        let mut frames = frames(&recording, 2, OnDamage::Keep);
        (read(&mut frames), frames.account())
    });
    assert_eq!(plain, packed);
}

/// The reader cannot know the data behind a place that cannot be read: this is an error behind the last event.
#[test]
fn a_file_that_breaks_off_is_read_up_to_there_and_says_so() {
    let events: Vec<Vec<u8>> = (0..4).map(|n| event(n, &[leaf(n as u16)])).collect();
    let (_folder, path) = run(&events);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!(recording.problems().len(), 1);
    let found = read(&mut frames(&recording, 1, OnDamage::Keep));
    assert_eq!(found.len(), 4);
    assert_eq!(found[3], (None, Err(FaultKind::Unreadable)));
    // A head that means nothing.
    let mut broken = whole.clone();
    let at = 2 * events[0].len() + 32;
    broken[at..at + 4].copy_from_slice(&[0xFF; 4]);
    std::fs::write(&path, &broken).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let found = read(&mut frames(&recording, 1, OnDamage::Keep));
    assert_eq!(found.last(), Some(&(None, Err(FaultKind::Unreadable))));
    assert_eq!((found.len(), recording.events()), (3, 2));
}

/// A bit that flips in the last datagram, which is no event: the summary of the file and the run say the same of it.
#[test]
fn what_is_broken_in_a_transition_is_a_problem_of_the_run() {
    use livetime_formats::xtc1::summary::Summary;
    use livetime_formats::xtc1::{Builder, DatagramHeader, Src, Transition, TypeId, XtcHeader, id};

    let transition = |what, has_leaf: bool| {
        let (mut bytes, header) = (Vec::new(), DatagramHeader::new(what, 3_000_000_000, 0));
        let mut builder = Builder::new(&mut bytes, &header);
        if has_leaf {
            let src = Src::named(OPAL).unwrap();
            builder.open(XtcHeader::new(src, TypeId::CONTAINER)).unwrap();
            builder.leaf(XtcHeader::new(src, TypeId::new(id::FRAME, 1)), &[&[0; 8]]).unwrap();
            builder.close();
        }
        builder.finish().unwrap();
        bytes
    };
    let begin = [event(0, &[leaf(0)]), event(1, &[leaf(1)]), transition(Transition::Disable, false)].concat();
    let last = transition(Transition::EndRun, true);
    let mut kinds = [0, 0];
    for place in 0..2 * last.len() {
        let mut changed = last.clone();
        changed[place / 2] ^= if place % 2 == 0 { 1 } else { 1 << 6 };
        let (folder, path) = run(&[begin.clone(), changed]);
        let is_whole =
            Summary::scan(std::fs::File::open(&path).unwrap(), |_| true).unwrap().datagrams.is_whole();
        let found = Recording::open(&[&path]).unwrap();
        assert_eq!(found.problems().is_empty(), is_whole, "bit {place}: {:?}", found.problems());
        kinds[usize::from(is_whole)] += 1;
        drop(folder);
    }
    assert!(kinds.iter().all(|count| *count > 10), "{kinds:?}");
}

/// The same in a run of two streams: the problem names the file that is broken.
#[test]
fn a_broken_transition_is_a_problem_of_its_file() {
    use livetime_formats::xtc2::run::Run;

    let Some(data) = livetime_testkit::data("xtc2/lcls2/multi-seg-epics") else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = [0, 1].map(|stream| {
        let name = format!("xpptut15-r0014-s00{stream}-c000.xtc2");
        let path = folder.path().join(&name);
        std::fs::copy(data.join(name), &path).unwrap();
        path
    });
    let run = Run::open(&files).unwrap();
    let pieces: Vec<_> =
        run.transitions().iter().map(|t| run.transition_pieces(t).collect::<Vec<_>>()).collect();
    // Behind the head of the datagram lies the head of its first part, with the size at byte 8. The first change of state describes the
    // detectors, so a later one is broken.
    let piece = pieces.iter().skip(1).flatten().find(|piece| piece.file == 1 && piece.length > 24 + 12);
    let at = piece.expect("a change of state with content").offset as usize + 24 + 8;
    let mut bytes = std::fs::read(&files[1]).unwrap();
    bytes[at..at + 4].copy_from_slice(&3u32.to_le_bytes());
    std::fs::write(&files[1], bytes).unwrap();
    let recording = Recording::open(&files).unwrap();
    let problems = recording.problems();
    assert!(problems.iter().any(|problem| problem.why.starts_with("SlowUpdate: ")), "{problems:?}");
    assert!(problems.iter().all(|problem| problem.path == files[1]), "{problems:?}");
}
