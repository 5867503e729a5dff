//! One run with every kind of damage: source, analysis, `inspect` and the iterator come to the same events and the same counts.

use crate::common;

use std::path::Path;

use common::{Pipeline, account_of, analyzed_in_parts, livetime, stderr};
use livetime_engine::testing::Harness;
use livetime_engine::{Next, NodeType};
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_nodes::sources::recording::Recording as Source;
use livetime_recording::convert::{Options as Conversion, convert};
use livetime_recording::{Account, Condition, FaultKind, OnDamage, Options, Picture, Reader, Recording};
use livetime_testkit::xtc2::{self, CONFIGURE, L1_ACCEPT, Names};
use serde_json::Value;

const OPAL: &str = "CxiEndstation-0|Opal1000-1";
const BAD: u32 = 1 << 14;
/// Pixels of a picture: enough to be compressed.
const SIDE: u32 = 30;

/// An event: damage of its root, and value, damage and missing bytes of its leaves.
fn event(number: u64, root: u32, leaves: &[(u16, u32, usize)]) -> Vec<u8> {
    let mut header = DatagramHeader::event(1_000_000_000 + number * 10_000_000, 3 * number as u32);
    header.root.damage = Damage(root);
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &header);
    for (value, damage, cut) in leaves {
        let words = [SIDE, SIDE, 16, 0].map(u32::to_le_bytes).concat();
        let pixels = value.to_le_bytes().repeat((SIDE * SIDE) as usize);
        let leaf = XtcHeader::new(Src::named(OPAL).unwrap(), TypeId::new(id::FRAME, 1));
        let leaf = XtcHeader { damage: Damage(*damage), ..leaf };
        builder.leaf(leaf, &[&words, &pixels[..pixels.len() - cut]]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn incomplete(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let header = DatagramHeader::event(1_000_000_000 + number * 10_000_000, 3 * number as u32);
    let mut builder = Builder::new(&mut bytes, &header);
    let container = XtcHeader::new(Src::segment(1), TypeId::CONTAINER);
    builder.leaf(XtcHeader { damage: Damage::INCOMPLETE, ..container }, &[&[0; 40]]).unwrap();
    builder.finish().unwrap();
    bytes
}

fn lcls1() -> Vec<u8> {
    let dropped = Damage::DROPPED.0;
    let events = [
        event(0, 0, &[(1, 0, 0)]),
        // Not read; damaged; broken; lost; lost in an incomplete contribution.
        event(1, 0, &[]),
        event(2, 0, &[(2, BAD, 0)]),
        event(3, 0, &[(3, 0, 5)]),
        event(4, dropped, &[]),
        incomplete(5),
        // A good one beside a bad or broken one; damage of the event that is about something else.
        event(6, 0, &[(90, BAD, 0), (6, 0, 0)]),
        event(7, 0, &[(90, 0, 5), (7, 0, 0)]),
        event(8, dropped, &[(8, 0, 0)]),
        // Damaged, and nothing can be read.
        event(9, 0, &[(9, BAD, 5)]),
        // Only damaged ones.
        event(10, 0, &[(10, BAD, 0), (90, BAD, 0)]),
        // The undamaged one cannot be read, the damaged one can: the picture is there, damaged.
        event(11, 0, &[(90, 0, 5), (11, BAD, 0)]),
        event(12, 0, &[(12, BAD, 0), (90, 0, 5)]),
        // None can be read, and one of them is said to be good.
        event(13, 0, &[(13, BAD, 5), (90, 0, 5)]),
    ];
    // The file breaks off in an event.
    let last = event(14, 0, &[(14, 0, 0)]);
    [&events.concat()[..], &last[..last.len() - 10]].concat()
}

fn lcls2() -> Vec<u8> {
    let fields = &[("raw", 1, 2)];
    let panel = |segment| Names { id: 0x100 + segment, detector: "epix", algorithm: "raw", segment, fields };
    let record = |segment: u32, value: u16, damage: u16, cut: usize| {
        let pixels = value.to_le_bytes().repeat(6);
        xtc2::record(panel(segment).id, damage, &[&[2, 3]], &pixels[..pixels.len() - cut])
    };
    let (bad, dropped) = (1 << 12, 1 << 4);
    let event = |number: u64, root: u16, records: &[Vec<u8>]| {
        xtc2::datagram(L1_ACCEPT, 1_000_000_000 + number * 10_000_000, root, records)
    };
    let both = |value| vec![record(0, value, 0, 0), record(1, value, 0, 0)];
    let events = [
        xtc2::datagram(CONFIGURE, 1, 0, &[xtc2::names(&panel(0)), xtc2::names(&panel(1))]),
        event(0, 0, &both(1)),
        event(1, 0, &[]),
        event(2, 0, &[record(0, 2, bad, 0), record(1, 2, bad, 0)]),
        event(3, 0, &[record(0, 3, 0, 0), record(1, 3, 0, 4)]),
        event(4, dropped, &[]),
        // One segment is damaged or missing.
        event(5, 0, &[record(0, 5, 0, 0), record(1, 90, bad, 0)]),
        event(6, 0, &[record(0, 6, 0, 0)]),
        event(7, dropped, &both(7)),
        // One segment has an undamaged record that cannot be read, beside a damaged one.
        event(8, 0, &[record(0, 8, 0, 0), record(1, 90, bad, 0), record(1, 8, 0, 4)]),
        // Damaged, and nothing can be read.
        event(9, 0, &[record(0, 9, bad, 4), record(1, 9, bad, 4)]),
        event(10, 0, &both(10)),
    ];
    let whole = events.concat();
    whole[..whole.len() - 10].to_vec()
}

/// Events with their marks, and what the iterator counted; problems of files at the end.
fn iterated(path: &Path, on_damage: OnDamage) -> (Vec<(i64, bool)>, Account, usize) {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("").unwrap();
    let mut frames = recording.frames(&detector, Options { threads: 2, on_damage, ..Options::default() });
    let marks: Vec<_> = frames.by_ref().flatten().map(|event| mark(&event.frame)).collect();
    (marks, frames.account(), recording.problems().len())
}

fn mark(frame: &livetime_frame::Frame) -> (i64, bool) {
    let header = frame.header();
    (header.event_time_ns, header.flags.contains(livetime_frame::Flags::DAMAGED))
}

/// The number of each event that gives an analysis no picture, and what that calls the reason.
fn judged(path: &Path) -> Vec<(u64, &'static str)> {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("").unwrap();
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let why = |event: usize| match recording.read(&detector, event, &mut reader, &mut picture) {
        Ok(()) if picture.condition() == Condition::Damaged => Some((event as u64, "damaged")),
        Ok(()) => None,
        // An analysis calls a lost picture damaged, too.
        Err(fault) if fault.kind == FaultKind::Lost => Some((event as u64, "damaged")),
        Err(fault) => Some((event as u64, fault.kind.name())),
    };
    (0..recording.events()).filter_map(why).collect()
}

/// The same from the source: events, and counts as `damaged`, `failures`, `missing`, `problems`.
fn played(path: &Path, damage: &str) -> (Vec<(i64, bool)>, [f64; 4]) {
    let params = [("file", path.to_str().unwrap().into()), ("damage", damage.into())];
    let mut source = Harness::of(NodeType::of::<Source>(), &params).unwrap();
    let mut marks = Vec::new();
    loop {
        // Errors are counted by the source.
        if let Ok((frames, next)) = source.produce() {
            marks.extend(frames.iter().map(mark));
            if next == Next::Finished {
                let names = ["damaged", "failures", "missing", "problems"];
                return (marks, names.map(|name| source.number_of(name)));
            }
        }
    }
}

fn json(args: &[&str]) -> Value {
    let output = livetime(args);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)))
}

fn number(json: &Value) -> u64 {
    json.as_u64().unwrap_or_else(|| panic!("wanted a number, found {json}"))
}

/// All readers of one file; returns what they agree on.
fn agreed(path: &Path) -> Account {
    let (kept, account, problems) = iterated(path, OnDamage::Keep);
    let (skipped, of_skip, _) = iterated(path, OnDamage::Skip);
    let unmarked: Vec<_> = kept.iter().copied().filter(|(_, is_damaged)| !is_damaged).collect();
    assert_eq!(skipped, unmarked);
    assert_eq!(of_skip.skipped, account.not_whole());

    let counts =
        [account.not_whole(), account.failures(), account.missing, problems as u64].map(|n| n as f64);
    assert_eq!(played(path, "keep"), (kept, counts));
    assert_eq!(played(path, "skip"), (skipped, counts));

    let file = path.to_str().unwrap();
    let inspected = &json(&["inspect", file, "--pictures", "--json"])[0];
    assert_eq!(inspected["pictures"].as_array().unwrap().len(), 1);
    let pictures = &inspected["pictures"][0];
    let names = ["whole", "partial", "damaged", "missing", "lost", "broken", "unreadable"];
    let Account { whole, partial, damaged, missing, lost, broken, unreadable, .. } = account;
    let all = [whole, partial, damaged, missing, lost, broken, unreadable];
    assert_eq!(names.map(|name| number(&pictures[name])), all);
    assert_eq!(number(&inspected["run_events"]), all.iter().sum::<u64>());

    // An analysis calls lost pictures damaged, and pictures with damage, too. Every event is judged alike, not only
    // their number.
    let analysed = json(&["analyze", file, "--with", "mean", "--json"]);
    let why = |kind: &str| number(&analysed["not_used"][kind]);
    assert_eq!(number(&analysed["used"]), whole + partial);
    assert_eq!(number(&analysed["incomplete"]), partial);
    assert_eq!([why("damaged"), why("broken"), why("missing")], [damaged + lost, broken, missing]);
    let named = analysed["named"].as_array().unwrap().iter();
    let named: Vec<(u64, &str)> = named.map(|e| (number(&e["event"]), e["kind"].as_str().unwrap())).collect();
    assert_eq!(named, judged(path));
    assert_eq!(analysed["problems"].as_array().unwrap().len(), problems);
    ends(path, account, problems > 0, &analysed);
    through_a_pipeline(path, account, problems > 0);
    account
}

/// The nodes of a pipeline are given every picture, whatever the pipeline is for, and all say the same of damage.
fn through_a_pipeline(path: &Path, account: Account, is_cut: bool) {
    let file = path.to_str().unwrap();
    let text = "nodes:\n  cam: {type: sim_detector}\n  \
         packed: {type: compress, from: cam, params: {compressor: zstd}}\n  same: {type: decompress, from: packed}\n";
    let pipeline = Pipeline::new("through", text);
    let through = ["analyze", file, "--pipeline", pipeline.path()];
    let graph = json(&[&through[..], &["--json"]].concat());
    let [pictures, damaged] = [account.whole + account.not_whole(), account.not_whole()];
    assert_eq!([&graph["used"], &graph["damaged"]].map(number), [pictures, damaged]);

    let with = livetime(&[&through[..], &["--with", "mean", "--json"]].concat());
    let found: Value = serde_json::from_slice(&with.stdout).unwrap();
    let counts =
        ["given", "used", "left_out", "lost", "damaged"].map(|name| number(&found["pipeline"][name]));
    assert_eq!(counts, [pictures, account.whole, 0, damaged, damaged], "{found:#}");
    assert_eq!(number(&found["not_used"]["damaged"]), account.lost);
    let is_lossy = is_cut || account.failures() + damaged > 0;
    assert_eq!(with.status.code(), Some(if is_lossy { 3 } else { 0 }));
    let (merged, parts) = analyzed_in_parts(file, &["--pipeline", pipeline.path(), "--with", "mean"]);
    assert_eq!((merged, &parts["pipeline"]), (with.status.code(), &found["pipeline"]));
}

/// The exit codes of all commands: of commands that leave damaged pictures out, and of commands that hand them on.
fn ends(path: &Path, account: Account, is_cut: bool, analysed: &Value) {
    let file = path.to_str().unwrap();
    let text = format!(
        "nodes:\n  run: {{type: recording, params: {{file: \"{file}\"}}}}\n  end: {{type: \"null\", from: {{node: run, when_full: block}}}}\n"
    );
    let pipeline = Pipeline::new("damage", &text);
    let code = |args: &[&str]| livetime(args).status.code();
    let is_lossy = is_cut || account.failures() > 0;
    let wanted = Some(if is_lossy { 3 } else { 0 });
    let copy = tempfile::tempdir().unwrap();
    let h5 = copy.path().join("copy.h5");
    assert_eq!(code(&["run", pipeline.path(), "--no-pva"]), wanted);
    assert_eq!(code(&["inspect", file, "--pictures"]), wanted);
    assert_eq!(code(&["analyze", file, "--pipeline", pipeline.path()]), wanted);
    // Pictures that lack a segment have another shape, for which there is no place in the file.
    if account.partial == 0 {
        assert_eq!(code(&["convert", file, "-o", h5.to_str().unwrap()]), wanted);
    }
    let is_left_out = is_lossy || account.damaged > 0;
    let wanted = Some(if is_left_out { 3 } else { 0 });
    assert_eq!(code(&["analyze", file]), wanted);
    let (merged, parts) = analyzed_in_parts(file, &["--with", "mean"]);
    assert_eq!((merged, account_of(&parts)), (wanted, account_of(analysed)));
}

/// A marked picture is there: a command that hands it on has lost nothing.
#[test]
fn pictures_that_the_recorder_marked_are_no_loss_but_to_an_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) =
        (folder.path().join("e1-r0001-s00-c00.xtc"), folder.path().join("x-r0001-s000-c000.xtc2"));
    std::fs::write(&first, [event(0, 0, &[(1, 0, 0)]), event(1, 0, &[(2, BAD, 0)])].concat()).unwrap();
    assert_eq!(agreed(&first), Account { frames: 2, whole: 1, damaged: 1, ..Account::default() });
    let fields = &[("raw", 1, 2)];
    let panel = Names { id: 0x100, detector: "epix", algorithm: "raw", segment: 0, fields };
    let picture = |damage| xtc2::record(panel.id, damage, &[&[2, 3]], &[1; 12]);
    let events = [
        xtc2::datagram(CONFIGURE, 1, 0, &[xtc2::names(&panel)]),
        xtc2::datagram(L1_ACCEPT, 1_000_000_000, 0, &[picture(0)]),
        xtc2::datagram(L1_ACCEPT, 1_010_000_000, 0, &[picture(1 << 12)]),
    ];
    std::fs::write(&second, events.concat()).unwrap();
    assert_eq!(agreed(&second), Account { frames: 2, whole: 1, damaged: 1, ..Account::default() });
}

#[test]
fn all_readers_of_a_damaged_run_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) =
        (folder.path().join("e1-r0001-s00-c00.xtc"), folder.path().join("x-r0001-s000-c000.xtc2"));
    std::fs::write(&first, lcls1()).unwrap();
    let of_lcls1 = agreed(&first);
    assert_eq!(
        of_lcls1,
        Account { frames: 8, whole: 4, damaged: 4, missing: 1, lost: 3, broken: 2, ..Account::default() }
    );
    std::fs::write(&second, lcls2()).unwrap();
    let of_lcls2 = agreed(&second);
    let wanted = Account {
        frames: 5,
        whole: 2,
        partial: 2,
        damaged: 1,
        missing: 1,
        lost: 2,
        broken: 2,
        ..Account::default()
    };
    assert_eq!(of_lcls2, wanted);
    // And `convert` makes nothing better or worse.
    let packed = folder.path().join("packed.xtc");
    let codec = Some(Engine::BLOCKPACK);
    convert(&[first.as_path()], &packed, &Conversion { codec, ..Conversion::default() }, |_| true).unwrap();
    assert_eq!(agreed(&packed), of_lcls1);
}

/// Recorded samples are whole, and all readers say so.
#[test]
fn all_readers_of_recorded_samples_agree() {
    let Some(file) = livetime_testkit::data("xtc1/container/e236-r0003-s04-c00.hist16.xtc") else { return };
    assert_eq!(agreed(&file).whole, 2);
}
