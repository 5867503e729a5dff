use std::fs;
use std::path::{Path, PathBuf};

use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{
    EdgeOptions, Graph, LossReason, Next, NodeType, Run as EngineRun, RunOptions, Value, WhenFull,
};
use livetime_formats::xtc1::{
    Builder, Damage, DatagramHeader, Src, Transition, TypeId, Writer, XtcHeader, id,
};
use livetime_frame::{AttributeValue, Flags, Frame, FramePool};
use tempfile::TempDir;

use super::Recording;

const OPAL: &str = "CxiEndstation-0|Opal1000-1";
const TIMEPIX: &str = "CxiDs1-0|Timepix-0";

/// A leaf of a picture of u16; all its pixels have this value.
struct Leaf {
    name: &'static str,
    value: u16,
    damage: u32,
    cut: usize,
    /// Columns and rows.
    size: (u32, u32),
}

fn leaf(name: &'static str, value: u16) -> Leaf {
    Leaf { name, value, damage: 0, cut: 0, size: (3, 2) }
}

fn datagram(header: &DatagramHeader, leaves: &[Leaf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, header);
    for leaf in leaves {
        let (columns, rows) = leaf.size;
        let words = [columns, rows, 16, 0].map(u32::to_le_bytes).concat();
        let pixels = leaf.value.to_le_bytes().repeat((columns * rows) as usize);
        let xtc = XtcHeader {
            damage: Damage(leaf.damage),
            ..XtcHeader::new(Src::named(leaf.name).unwrap(), TypeId::new(id::FRAME, 1))
        };
        builder.leaf(xtc, &[&words, &pixels[..pixels.len() - leaf.cut]]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn event(number: u64, leaves: &[Leaf]) -> Vec<u8> {
    datagram(&DatagramHeader::event(1_000_000_000 + number * 10_000_000, 3 * number as u32), leaves)
}

fn transition(transition: Transition, ns: u64) -> Vec<u8> {
    datagram(&DatagramHeader::new(transition, ns, 0), &[])
}

fn path(folder: &TempDir) -> PathBuf {
    folder.path().join("e1-r0001-s00-c00.xtc")
}

/// A run of these events in one file.
fn run(events: &[Vec<u8>]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(path(&folder), events.concat()).unwrap();
    folder
}

fn ten_events() -> TempDir {
    run(&(0..10).map(|n| event(n, &[leaf(OPAL, n as u16)])).collect::<Vec<_>>())
}

fn source(file: &Path, params: &[(&str, Value)]) -> Result<Harness, String> {
    let file = [("file", file.to_str().unwrap().into())];
    Harness::new::<Recording>(&[&file[..], params].concat()).map_err(|e| e.to_string())
}

/// Produces to the end; errors as texts.
fn play(harness: &mut Harness) -> (Vec<Frame>, Vec<String>) {
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        match harness.produce() {
            Ok((more, next)) => {
                frames.extend(more);
                if next == Next::Finished {
                    return (frames, errors);
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    panic!("no end after {} frames and {errors:?}", frames.len());
}

fn values(frames: &[Frame]) -> Vec<u16> {
    frames.iter().map(|f| f.array().unwrap().elements::<u16>().unwrap()[0]).collect()
}

#[test]
fn frames_are_those_of_the_run_with_any_number_of_threads() {
    let folder = ten_events();
    for threads in [0, 1, 3] {
        let mut harness = source(&path(&folder), &[("threads", threads.into())]).unwrap();
        let (frames, errors) = play(&mut harness);
        assert_eq!(errors, [""; 0]);
        assert_eq!(values(&frames), (0..10).collect::<Vec<u16>>(), "{threads} threads");
        let numbers: Vec<u64> = frames.iter().map(|f| f.header().sequence).collect();
        assert_eq!(numbers, (1..=10).collect::<Vec<u64>>());
        assert_eq!(frames[2].header().event_time_ns, 1_020_000_000);
        assert_eq!(frames[2].header().attributes.get("Fiducial"), Some(&AttributeValue::Uint(6)));
        assert_eq!(frames[2].array().unwrap().layout().to_string(), "2x3 u16 mono");
        assert_eq!((harness.number_of("num_events"), harness.number_of("missing")), (10.0, 0.0));
    }
}

#[test]
fn what_is_missing_damaged_or_broken_is_counted_and_named() {
    let incomplete = Leaf { damage: 1 << 14, ..leaf(OPAL, 2) };
    let broken = Leaf { cut: 5, ..leaf(OPAL, 3) };
    let other = |n| leaf(TIMEPIX, n);
    let events = [
        event(0, &[other(9), leaf(OPAL, 0)]),
        event(1, &[other(9)]),
        event(2, &[incomplete]),
        event(3, &[broken]),
        event(4, &[leaf(OPAL, 4), other(9)]),
    ];
    let folder = run(&events);
    for threads in [0, 2] {
        let params = [("detector", "Opal1000".into()), ("threads", threads.into())];
        let mut harness = source(&path(&folder), &params).unwrap();
        let (frames, errors) = play(&mut harness);
        assert_eq!(values(&frames), [0, 2, 4]);
        let numbers: Vec<u64> = frames.iter().map(|f| f.header().sequence).collect();
        assert_eq!(numbers, [1, 2, 3]);
        let damaged: Vec<bool> = frames.iter().map(|f| f.header().flags.contains(Flags::DAMAGED)).collect();
        assert_eq!(damaged, [false, true, false]);
        assert_eq!(frames[1].header().attributes.get("Damage"), Some(&AttributeValue::Uint(1 << 14)));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].contains("c00.xtc: event 3 at 1.030000000: CxiEndstation-0|Opal1000-1: wanted"));
        let count = |harness: &mut Harness, name| harness.number_of(name);
        assert_eq!(["missing", "failures", "damaged"].map(|n| count(&mut harness, n)), [1.0; 3]);
    }
}

#[test]
fn an_event_with_damage_and_no_picture_is_a_failure() {
    let mut dropped = event(1, &[leaf(TIMEPIX, 9)]);
    // The damage of the whole event, behind clock, stamp and env.
    dropped[20..24].copy_from_slice(&Damage::DROPPED.0.to_le_bytes());
    let folder = run(&[event(0, &[leaf(OPAL, 0)]), dropped, event(2, &[leaf(OPAL, 2)])]);
    for threads in [0, 2] {
        let params = [("detector", "Opal1000".into()), ("threads", threads.into())];
        let mut harness = source(&path(&folder), &params).unwrap();
        let (frames, errors) = play(&mut harness);
        assert_eq!((values(&frames), errors.len()), (vec![0, 2], 1));
        assert!(
            errors[0].ends_with("found none in an event with damage: dropped contribution"),
            "{errors:?}"
        );
        assert_eq!(["missing", "failures"].map(|n| harness.number_of(n)), [0.0, 1.0]);
    }
}

/// Compresses undamaged leaves, as `convert` does.
fn packed(folder: &TempDir) -> PathBuf {
    use livetime_formats::xtc1::compressed::Engine;
    use livetime_recording::convert::{Options, convert};
    let to = folder.path().join("packed.xtc");
    let _ = fs::remove_file(&to);
    let options = Options { codec: Some(Engine::BLOCKPACK), ..Options::default() };
    convert(&[path(folder).as_path()], &to, &options, |_| true).unwrap();
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    assert!(size(&to) < size(&path(folder)) * 3 / 4);
    to
}

#[test]
fn an_undamaged_picture_is_sent_whatever_lies_beside_it() {
    let leaf = |name, value| Leaf { size: (40, 30), ..leaf(name, value) };
    let bad = |value| Leaf { damage: 1 << 14, ..leaf(OPAL, value) };
    // Damage of the event's root is about something else where the picture is there.
    let mut dropped = event(3, &[leaf(OPAL, 3)]);
    dropped[20..24].copy_from_slice(&Damage::DROPPED.0.to_le_bytes());
    let broken = Leaf { cut: 5, ..leaf(OPAL, 90) };
    let events = [
        event(0, &[bad(90), leaf(OPAL, 0)]),
        event(1, &[leaf(OPAL, 1), bad(90)]),
        event(2, &[broken, leaf(OPAL, 2)]),
        dropped,
        event(4, &[bad(4), bad(90)]),
    ];
    let folder = run(&events);
    for file in [path(&folder), packed(&folder)] {
        let mut harness = source(&file, &[]).unwrap();
        let (frames, errors) = play(&mut harness);
        assert_eq!((values(&frames), errors), (vec![0, 1, 2, 3, 4], vec![]), "{}", file.display());
        let damaged: Vec<bool> = frames.iter().map(|f| f.header().flags.contains(Flags::DAMAGED)).collect();
        assert_eq!(damaged, [false, false, false, false, true]);
        let of_event = frames.iter().map(|f| f.header().attributes.get("EventDamage").is_some());
        assert_eq!(of_event.collect::<Vec<_>>(), [false, false, false, true, false]);
    }
}

#[test]
fn an_incomplete_contribution_may_have_held_the_picture() {
    let mut incomplete = Vec::new();
    let mut builder = Builder::new(&mut incomplete, &DatagramHeader::event(1_010_000_000, 3));
    let container = XtcHeader::new(Src::segment(1), TypeId::CONTAINER);
    builder.leaf(XtcHeader { damage: Damage::INCOMPLETE, ..container }, &[&[0; 40]]).unwrap();
    builder.finish().unwrap();
    let folder = run(&[event(0, &[leaf(OPAL, 0)]), incomplete]);
    let (frames, errors) = play(&mut source(&path(&folder), &[]).unwrap());
    assert_eq!((values(&frames), errors.len()), (vec![0], 1));
    assert!(errors[0].ends_with("in an event with damage: incomplete contribution"), "{errors:?}");
}

/// A file made of a run may lie beside it: the files whose names end alike are one run.
#[test]
fn a_run_and_what_was_made_of_it_lie_in_one_folder() {
    let folder = run(&[event(0, &[leaf(OPAL, 1)])]);
    let second = folder.path().join("e1-r0001-s01-c00.xtc");
    fs::write(&second, event(1, &[leaf(OPAL, 2)])).unwrap();
    for ending in ["hist16.xtc", "histn.xtc"] {
        fs::write(path(&folder).with_extension(ending), event(0, &[leaf(OPAL, 7)])).unwrap();
    }
    assert_eq!(values(&play(&mut source(&path(&folder), &[]).unwrap()).0), [1, 2]);
    let other = path(&folder).with_extension("hist16.xtc");
    assert_eq!(values(&play(&mut source(&other, &[]).unwrap()).0), [7]);
}

#[test]
fn detectors_that_there_are_are_listed() {
    let folder = run(&[event(0, &[leaf(OPAL, 1), leaf(TIMEPIX, 2)])]);
    let all = "`CxiEndstation-0|Opal1000-1`, `CxiDs1-0|Timepix-0`";
    let error = source(&path(&folder), &[]).err().unwrap();
    assert_eq!(error, format!("wanted the name of one detector, found {all}"));
    let error = source(&path(&folder), &[("detector", "Cspad".into())]).err().unwrap();
    assert_eq!(error, format!("wanted the pictures of a detector called `Cspad`, found {all}"));
    let mut harness = source(&path(&folder), &[("detector", TIMEPIX.into())]).unwrap();
    assert_eq!(values(&play(&mut harness).0), [2]);
    let missing = folder.path().join("e1-r0002-s00-c00.xtc");
    assert!(source(&missing, &[]).err().unwrap().ends_with("wanted a recorded file, found none"));
    fs::write(folder.path().join("e1-r0001-s01-c00.xtc"), event(1, &[leaf(OPAL, 7)])).unwrap();
    let mut harness = source(&path(&folder), &[("detector", OPAL.into())]).unwrap();
    assert_eq!(values(&play(&mut harness).0), [1, 7]);
    let one = folder.path().join("*-s01-*.xtc");
    assert_eq!(values(&play(&mut source(&one, &[]).unwrap()).0), [7]);
}

#[test]
fn a_part_again_and_again() {
    let folder = ten_events();
    let params = [("events", "3..5".into()), ("loops", 3.into())];
    let (frames, _) = play(&mut source(&path(&folder), &params).unwrap());
    assert_eq!(values(&frames), [3, 4, 3, 4, 3, 4]);
    assert_eq!(frames.last().unwrap().header().sequence, 6);
    let mut harness = source(&path(&folder), &[("loops", 0.into())]).unwrap();
    assert_eq!(values(&harness.run_source(25).unwrap())[20..], [0, 1, 2, 3, 4]);
    harness.set("events", "9..").unwrap();
    assert_eq!(values(&harness.run_source(2).unwrap()), [9, 9]);
    assert!(harness.set("events", "9").is_err());
    let none = source(&path(&folder), &[("events", "20..30".into()), ("loops", 0.into())]).err().unwrap();
    assert!(none.to_string().contains("wanted numbers of the run's 10 events"), "{none}");
}

#[test]
fn events_come_as_they_were_recorded() {
    let folder = ten_events();
    let at = |frames: Vec<Frame>| frames.iter().map(|f| f.header().entry_ns).collect::<Vec<_>>();
    let params = [("timing", "recorded".into()), ("speed", 2.0.into())];
    let mut harness = source(&path(&folder), &params).unwrap();
    assert_eq!(at(harness.run_source(4).unwrap()), [0, 5_000_000, 10_000_000, 15_000_000]);
}

#[test]
fn a_run_that_is_being_written_is_followed_to_its_end() {
    let folder = TempDir::new().unwrap();
    let mut writer = Writer::create(&path(&folder)).unwrap();
    writer.write(&event(0, &[leaf(OPAL, 10)])).unwrap();
    writer.write(&event(1, &[leaf(OPAL, 11)])).unwrap();
    let file = writer.written_path().to_owned();
    let mut harness = source(&file, &[("follow", true.into())]).unwrap();
    // The last event may still be preceded by one of another stream.
    assert_eq!(values(&harness.run_source(1).unwrap()), [10]);
    assert!(matches!(harness.produce().unwrap(), (none, Next::At(_)) if none.is_empty()));
    writer.write(&event(2, &[leaf(OPAL, 12)])).unwrap();
    assert_eq!(values(&harness.run_source(1).unwrap()), [11]);
    // Between two chunks.
    writer.finish().unwrap();
    assert_eq!(values(&harness.run_source(1).unwrap()), [12]);
    assert!(matches!(harness.produce().unwrap(), (none, Next::At(_)) if none.is_empty()));
    let mut next = Writer::create(&folder.path().join("e1-r0001-s00-c01.xtc")).unwrap();
    next.write(&event(3, &[leaf(OPAL, 13)])).unwrap();
    next.write(&transition(Transition::EndRun, 2_000_000_000)).unwrap();
    next.finish().unwrap();
    assert_eq!(values(&play(&mut harness).0), [13]);
}

#[test]
fn compressed_quadrants_are_those_that_were_compressed() {
    let mut seen = Vec::new();
    for name in ["", ".hist16", ".histn"] {
        let name = format!("xtc1/container/e236-r0003-s04-c00{name}.xtc");
        let Some(file) = crate::test_data::find(&name) else { return };
        let folder = TempDir::new().unwrap();
        fs::copy(file, path(&folder)).unwrap();
        let (frames, errors) = play(&mut source(&path(&folder), &[]).unwrap());
        assert_eq!((frames.len(), errors.len()), (2, 0), "{name}: {errors:?}");
        assert_eq!(frames[0].array().unwrap().layout().to_string(), "1x185x388 u16 mono");
        seen.push(frames.iter().map(|f| f.bytes().to_vec()).collect::<Vec<_>>());
    }
    assert!(seen[0] == seen[1] && seen[0] == seen[2] && seen[0][0] != seen[0][1]);
}

/// A graph with this source alone, run to its end.
fn played(file: &Path) -> livetime_engine::Report {
    let mut graph = Graph::default();
    let run = graph.add("run", NodeType::of::<Recording>()).unwrap();
    graph.add("end", NodeType::of::<crate::sinks::null::Null>()).unwrap();
    graph.set(run, "file", &file.to_str().unwrap().into()).unwrap();
    let options = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
    graph.connect("run", "end", options).unwrap();
    EngineRun::start(&graph, RunOptions::default()).unwrap().finish(livetime_testkit::HANG)
}

#[test]
fn what_cannot_be_read_is_a_loss_at_the_source() {
    let folder = ten_events();
    let whole = fs::read(path(&folder)).unwrap();
    let bytes_per_event = whole.len() / 10;
    let unreadable = |report: &livetime_engine::Report| {
        assert_eq!(report.imbalances(), Vec::<String>::new());
        let lost = &report.nodes[0].lost;
        (report.nodes[1].completed, lost.get(&LossReason::Unreadable).copied().unwrap_or(0))
    };
    assert_eq!(unreadable(&played(&path(&folder))), (10, 0));
    // Cut inside the last event.
    fs::write(path(&folder), &whole[..whole.len() - 4]).unwrap();
    assert_eq!(unreadable(&played(&path(&folder))), (9, 1));
    // A meaningless header in the middle hides where the next one begins.
    let mut broken = whole.clone();
    broken[5 * bytes_per_event + 32..5 * bytes_per_event + 36].copy_from_slice(&[0xFF; 4]);
    fs::write(path(&folder), &broken).unwrap();
    assert_eq!(unreadable(&played(&path(&folder))), (5, 1));
    // An event whose picture cannot be read counts too, with the reason of its error.
    let cut = Leaf { cut: 5, ..leaf(OPAL, 1) };
    fs::write(path(&folder), [event(0, &[leaf(OPAL, 0)]), event(1, &[cut])].concat()).unwrap();
    let report = played(&path(&folder));
    assert_eq!((report.nodes[1].completed, report.nodes[0].lost.values().sum::<u64>()), (1, 1));
    fs::write(path(&folder), &broken).unwrap();
    // Once, however often its events are sent.
    let mut harness = source(&path(&folder), &[("loops", 3.into())]).unwrap();
    assert_eq!(play(&mut harness).0.len(), 15);
    let errors = harness.events().iter().filter(|e| e.message.contains("at byte")).count();
    assert_eq!((errors, harness.number_of("problems")), (1, 1.0));
}

/// A source with many threads in a run with memory for few frames, which waits for memory and never for itself.
#[test]
fn little_memory_makes_it_slow_and_nothing_else() {
    let folder = ten_events();
    let mut graph = Graph::default();
    graph.memory_bytes = 3 * FramePool::cost_bytes(12);
    let run = graph.add("run", NodeType::of::<Recording>()).unwrap();
    let end = graph.add("end", NodeType::of::<crate::sinks::null::Null>()).unwrap();
    graph.set(run, "file", &path(&folder).to_str().unwrap().into()).unwrap();
    graph.set(run, "threads", &4.into()).unwrap();
    graph.set(run, "loops", &50.into()).unwrap();
    graph.options_mut(run).unwrap().wait_for_memory = true;
    let options = EdgeOptions { when_full: WhenFull::Block, queue: 1, ..EdgeOptions::default() };
    graph.connect("run", "end", options).unwrap();
    let run = EngineRun::start(&graph, RunOptions::default()).unwrap();
    let report = run.finish(livetime_testkit::HANG);
    assert_eq!(report.nodes[end].completed, 500);
    assert_eq!(report.imbalances(), Vec::<String>::new());
}

#[test]
fn keeps_the_contract() {
    let folder = ten_events();
    assert_compliant::<Recording>(&[("file", path(&folder).to_str().unwrap().into()), ("loops", 0.into())]);
}
