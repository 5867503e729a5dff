//! Files of several hosts as one run.

use std::path::{Path, PathBuf};
use std::process::Command;

use livetime_formats::hdf5::{Attribute, Element, Filled, Growing, Hdf5, Scratch, Tree, Writer};
use livetime_frame::{AttributeValue, DType};
use livetime_recording::join::{Joined, Missing, Shape, join};
use livetime_recording::{Condition, FaultKind, Picture, Reader, Recording};
use proptest::prelude::*;

/// Pixels of a frame of 3 x 4 of u16; module 0 is the whole picture of files that share the frames.
fn pixels(number: i32, module: u16) -> Vec<u8> {
    let pixel = |at: u16| (number as u16).wrapping_mul(7).wrapping_add(at).wrapping_add(1000 * module);
    (0..12).flat_map(|at| pixel(at).to_le_bytes()).collect()
}

/// How a file is made.
struct Kind {
    module: u16,
    /// Added to the pixels, so that two frames of one number differ.
    changed: u16,
    rows: [u64; 2],
    dtype: DType,
    host: &'static str,
}

const PLAIN: Kind = Kind { module: 0, changed: 0, rows: [3, 4], dtype: DType::U16, host: "a" };

/// Writes frames of these numbers as `hdf5_files` lays them out; returns the writer before it is closed.
fn write(path: &Path, numbers: &[i32], kind: &Kind) -> Writer {
    let mut tree = Tree::default();
    let class = |name| vec![Attribute::text("NX_class", name)];
    let number =
        |dtype| Growing { element: Element::Number(dtype), row: &[], chunk: 16, part: &[], filter: None };
    let entry = tree.group(Tree::ROOT, "entry", class("NXentry"));
    tree.text(entry, "title", "a run");
    tree.text(entry, "host", kind.host);
    let instrument = tree.group(entry, "instrument", class("NXinstrument"));
    let detector = tree.group(instrument, "detector", class("NXdetector"));
    let row =
        Growing { element: Element::Number(kind.dtype), row: &kind.rows, chunk: 1, part: &[], filter: None };
    let (data, pictures) = tree.growing(detector, "data", row, vec![Attribute::int("signal", 1)]);
    let loss = tree.group(instrument, "loss", class("NXcollection"));
    let (_, before) = tree.growing(loss, "missing_before", number(DType::U32), vec![]);
    let one = (Element::Number(DType::U64), &[][..]);
    tree.fixed(loss, "lost", one, 99u64.to_le_bytes().to_vec(), vec![]);
    tree.fixed(loss, "finished", one, 1u64.to_le_bytes().to_vec(), vec![]);
    let group = tree.group(instrument, "NDAttributes", class("NXcollection"));
    let (_, gain) = tree.growing(group, "Gain", number(DType::F64), vec![]);
    let text = Growing { element: Element::Text(256), ..number(DType::U8) };
    let (_, note) = tree.growing(group, "Note", text, vec![]);
    let (_, time) = tree.growing(group, "NDArrayEventTime", number(DType::I64), vec![]);
    let (_, id) = tree.growing(group, "NDArrayUniqueId", number(DType::I32), vec![]);
    let shown = tree.group(
        entry,
        "data",
        vec![Attribute::text("NX_class", "NXdata"), Attribute::text("signal", "data")],
    );
    tree.link(shown, "data", data);
    let mut file = Writer::create(path, tree, false).unwrap();
    for number in numbers {
        let mut row = pixels(number + i32::from(kind.changed), kind.module);
        row.resize((kind.rows[0] * kind.rows[1]) as usize * kind.dtype.bytes(), 0);
        file.write_row(pictures, &row).unwrap();
        file.push(before, &7u32.to_le_bytes());
        file.push(gain, &(f64::from(*number) / 2.0).to_le_bytes());
        let mut text = format!("frame {number}").into_bytes();
        text.resize(256, 0);
        file.push(note, &text);
        file.push(time, &(1_000_000_000 + i64::from(*number)).to_le_bytes());
        file.push(id, &number.to_le_bytes());
    }
    file
}

fn finished(path: &Path, numbers: &[i32], kind: &Kind) -> PathBuf {
    write(path, numbers, kind).close().unwrap();
    path.to_owned()
}

fn whole(file: &Hdf5, path: &str) -> Vec<u8> {
    let array = file.array(path).unwrap();
    let mut bytes = vec![0; (array.rows() * array.row_bytes()) as usize];
    array.read(0, array.rows(), &mut bytes, &mut Scratch::default()).unwrap();
    bytes
}

fn numbers(file: &Hdf5) -> Vec<i32> {
    let bytes = whole(file, "/entry/instrument/NDAttributes/NDArrayUniqueId");
    bytes.as_chunks::<4>().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
}

/// Compares the whole master with the frames of these numbers.
fn check(master: &Path, wanted: &[i32]) {
    let file = Hdf5::open(master).unwrap();
    assert_eq!(numbers(&file), wanted);
    let pictures: Vec<u8> = wanted.iter().flat_map(|number| pixels(*number, 0)).collect();
    assert_eq!(whole(&file, "/entry/data/data"), pictures);
    let gains: Vec<u8> = wanted.iter().flat_map(|number| (f64::from(*number) / 2.0).to_le_bytes()).collect();
    assert_eq!(whole(&file, "/entry/instrument/NDAttributes/Gain"), gains);
    let notes = whole(&file, "/entry/instrument/NDAttributes/Note");
    for (note, number) in notes.as_chunks::<256>().0.iter().zip(wanted) {
        assert!(note.starts_with(format!("frame {number}\0").as_bytes()));
    }
    let missing = whole(&file, "/entry/instrument/loss/missing_before");
    let before = std::iter::once(0).chain(wanted.windows(2).map(|pair| pair[1].abs_diff(pair[0]) - 1));
    assert_eq!(missing, before.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
}

fn three_hosts(folder: &Path) -> Vec<PathBuf> {
    let share = |host: i32| (0..20).map(|n| 3 * n + host).collect::<Vec<i32>>();
    let file = |host: i32| finished(&folder.join(format!("host{host}.h5")), &share(host), &PLAIN);
    (0..3).map(file).collect()
}

fn missing(first: i64, last: i64, file: Option<usize>) -> Missing {
    Missing { first, last, file }
}

#[test]
fn hosts_that_take_turns_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let files = three_hosts(folder.path());
    let master = folder.path().join("master.h5");
    let joined = join(&files, &master, Shape::Shared).unwrap();
    assert_eq!((joined.frames, joined.numbers, joined.missing_frames()), (60, Some((0, 59)), 0));
    assert!(joined.left_out.is_empty(), "{:?}", joined.left_out);
    // A mapping for each host, however many frames there are.
    assert_eq!(joined.mapped[0], ("/entry/data/data".into(), 3));
    check(&master, &(0..60).collect::<Vec<i32>>());
    let recording = Recording::open(&[&master]).unwrap();
    assert_eq!((recording.format().name(), recording.events()), ("hdf5", 60));
    assert_eq!(recording.detectors().unwrap().len(), 1);
    // The files themselves are read once, also when they are given beside the master.
    let all: Vec<&PathBuf> = files.iter().chain([&master]).collect();
    assert_eq!(Recording::open(&all).unwrap().events(), 60);
}

#[test]
fn h5py_reads_the_same_numbers_also_after_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run 50%b");
    std::fs::create_dir_all(run.join("hosts")).unwrap();
    let mut files = three_hosts(&run.join("hosts"));
    let odd = run.join("hosts/100%b.h5");
    std::fs::rename(&files[0], &odd).unwrap();
    files[0] = odd;
    // A frame that is missing, and one host that took two in a row.
    let last = finished(&run.join("last.h5"), &[61, 62, 65], &PLAIN);
    let joined = join(&[files, vec![last]].concat(), &run.join("master.h5"), Shape::Shared).unwrap();
    assert_eq!(joined.missing, [missing(60, 60, None), missing(63, 64, None)]);
    let moved = folder.path().join("moved");
    std::fs::rename(&run, &moved).unwrap();
    let wanted: Vec<i32> = (0..60).chain([61, 62, 65]).collect();
    check(&moved.join("master.h5"), &wanted);
    let lines = "
import sys, h5py, numpy as np
with h5py.File(sys.argv[1]) as f:
    n = np.array(list(range(60)) + [61, 62, 65])
    assert (f['entry/instrument/NDAttributes/NDArrayUniqueId'][:] == n).all()
    want = (n[:, None] * 7 + np.arange(12)).astype('u2').reshape(len(n), 3, 4)
    d = f['entry/data/data']
    assert d.is_virtual and d.shape == want.shape and (d[:] == want).all()
    assert d == f['entry/instrument/detector/data'] and d.attrs['signal'] == 1
    assert (f['entry/instrument/NDAttributes/Gain'][:] == n / 2).all()
    notes = f['entry/instrument/NDAttributes/Note']
    assert notes.is_virtual and notes[62] == b'frame 65' and notes[0] == b'frame 0', notes[62]
    account = f['entry/join']
    names = ['hosts/100%b.h5', 'hosts/host1.h5', 'hosts/host2.h5', 'last.h5']
    assert [n.decode() for n in account['file'][:]] == names
    assert account['frames'][:].tolist() == [20, 20, 20, 3] and account['again'][:].tolist() == [0] * 4
    assert account['first'][:].tolist() == [0, 1, 2, 61] and account['last'][:].tolist() == [57, 58, 59, 65]
    assert account['missing_numbers'][:].tolist() == [[60, 60, -1], [63, 64, -1]]
    assert account['missing_frames'][()] == 3
    loss = f['entry/instrument/loss']
    assert loss['lost'][()] == 3 and loss['finished'][()] == 1
    assert loss['missing_before'][:].tolist()[-3:] == [1, 0, 2]
    assert f['entry'].attrs['NX_class'] == b'NXentry' and f['entry/title'][()] == b'a run'
";
    let Some(python) = livetime_testkit::python("hdf5") else { return };
    let output = Command::new(python).arg("-c").arg(lines).arg(moved.join("master.h5")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn modules_lie_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let module = |number: u16, frames: &[i32]| {
        let path = folder.path().join(format!("module{number}.h5"));
        finished(&path, frames, &Kind { module: number, host: ["a", "b"][usize::from(number)], ..PLAIN })
    };
    // Module 1 lacks frame 3; no module has frame 6.
    let files = [module(0, &[1, 2, 3, 4, 5, 7]), module(1, &[1, 2, 4, 5, 7])];
    let master = folder.path().join("master.h5");
    let joined = join(&files, &master, Shape::SideBySide).unwrap();
    assert_eq!(joined.missing, [missing(3, 3, Some(1)), missing(6, 6, None)]);
    assert_eq!((joined.frames, joined.files[0].missing, joined.files[1].missing), (6, 0, 1));
    assert_eq!(joined.left_out.len(), 1, "{:?}", joined.left_out);
    assert!(joined.left_out[0].starts_with("/entry/host: "), "{:?}", joined.left_out);
    let file = Hdf5::open(&master).unwrap();
    let data = file.array("/entry/data/data").unwrap();
    assert_eq!(data.shape(), [6, 2, 3, 4]);
    let read = |row| {
        let mut row_bytes = vec![0; 48];
        (data.read(row, 1, &mut row_bytes, &mut Scratch::default()).unwrap(), row_bytes)
    };
    for (row, number) in [1, 2, 3, 4, 5, 7].into_iter().enumerate() {
        let wanted = match number {
            3 => (Filled::Partial, [pixels(3, 0), vec![0; 24]].concat()),
            number => (Filled::Whole, [pixels(number, 0), pixels(number, 1)].concat()),
        };
        assert_eq!(read(row as u64), wanted, "{number}");
    }
    assert_eq!(whole(&file, "/entry/join/present"), [2u32, 2, 1, 2, 2, 2].map(u32::to_le_bytes).concat());
    // Masters above it tell of the frame without a module, too.
    let more = [7, 8].map(|first| {
        let path = folder.path().join(format!("more{first}.h5"));
        let module = |number: u16| {
            finished(
                &folder.path().join(format!("{first}{number}.h5")),
                &[first + 1],
                &Kind { module: number, ..PLAIN },
            )
        };
        join(&[module(0), module(1)], &path, Shape::SideBySide).unwrap();
        path
    });
    let above =
        join(&[master.clone(), more[0].clone()], &folder.path().join("above.h5"), Shape::Shared).unwrap();
    assert_eq!((above.files[0].partial, above.files[1].partial, above.is_whole()), (1, 0, false));
    let top = join(
        &[folder.path().join("above.h5"), more[1].clone()],
        &folder.path().join("top.h5"),
        Shape::Shared,
    );
    let top = top.unwrap();
    assert_eq!((top.files[0].partial, top.missing.len(), top.frames), (1, 1, 8));
    let recording = Recording::open(&[&master]).unwrap();
    let detector = recording.detector("data").unwrap();
    let account = recording.judge(&detector);
    assert_eq!((account.whole, account.damaged), (5, 1));
    let lines = "
import sys, h5py, numpy as np
with h5py.File(sys.argv[1]) as f:
    d = f['entry/data/data']
    n = np.array([1, 2, 3, 4, 5, 7])
    want = (n[:, None, None] * 7 + np.arange(12) + 1000 * np.arange(2)[:, None]).astype('u2').reshape(6, 2, 3, 4)
    want[2, 1] = 0
    assert d.shape == want.shape and (d[:] == want).all(), d[:]
";
    let Some(python) = livetime_testkit::python("hdf5") else { return };
    let output = Command::new(python).arg("-c").arg(lines).arg(master).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn masters_of_masters_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("second")).unwrap();
    let early = join(&three_hosts(folder.path()), &at("early.h5"), Shape::Shared).unwrap();
    let late =
        [finished(&at("second/a.h5"), &[60, 62], &PLAIN), finished(&at("second/b.h5"), &[61, 64], &PLAIN)];
    let joined = join(&late, &at("second/late.h5"), Shape::Shared).unwrap();
    assert_eq!((early.missing_frames(), joined.missing_frames()), (0, 1));
    let joined = join(&[at("early.h5"), at("second/late.h5")], &at("all.h5"), Shape::Shared).unwrap();
    assert_eq!((joined.frames, joined.missing), (64, vec![missing(63, 63, None)]));
    let wanted: Vec<i32> = (0..63).chain([64]).collect();
    check(&at("all.h5"), &wanted);
    // The account is that of the last join alone.
    let file = Hdf5::open(&at("all.h5")).unwrap();
    assert_eq!(whole(&file, "/entry/join/frames"), [60i64, 4].map(i64::to_le_bytes).concat());
}

/// The words of a refusal; nothing may be left of the output.
fn refusal(files: &[PathBuf], folder: &Path, shape: Shape) -> String {
    let output = folder.join("refused.h5");
    let error = join(files, &output, shape).unwrap_err().to_string();
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("refused")), "{left:?}");
    error
}

#[test]
fn a_frame_that_two_files_have_is_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let one = finished(&at("one.h5"), &[0, 1, 2, 3], &PLAIN);
    let two = finished(&at("two.h5"), &[2, 3, 4, 5], &PLAIN);
    let joined = join(&[one.clone(), two], &at("master.h5"), Shape::Shared).unwrap();
    assert_eq!((joined.frames, joined.files[0].again, joined.files[1].again), (6, 0, 2));
    assert!(joined.missing.is_empty());
    check(&at("master.h5"), &[0, 1, 2, 3, 4, 5]);
    let other = finished(&at("other.h5"), &[3, 4], &Kind { changed: 1, ..PLAIN });
    let error = refusal(&[one, other], folder.path(), Shape::Shared);
    assert!(error.contains("equal frames of number 3: row 3") && error.contains("other.h5"), "{error}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |files: &[PathBuf]| refusal(files, folder.path(), Shape::Shared);
    let good = finished(&at("good.h5"), &[0, 1, 2], &PLAIN);
    let shape = finished(&at("shape.h5"), &[3], &Kind { rows: [3, 5], ..PLAIN });
    let error = refused(&[good.clone(), shape]);
    assert!(error.contains("[3, 4] u16") && error.contains("[1, 3, 5] u16"), "{error}");
    let dtype = finished(&at("dtype.h5"), &[3], &Kind { dtype: DType::I32, ..PLAIN });
    let error = refused(&[good.clone(), dtype]);
    assert!(error.contains("[3, 4] u16") && error.contains("[1, 3, 4] i32"), "{error}");
    // A writer that goes on, and one that was killed.
    let mut growing = write(&at("growing.h5"), &[3, 4], &PLAIN);
    growing.flush().unwrap();
    let error = refused(&[good.clone(), at("growing.h5")]);
    assert!(error.contains("still being written") && error.contains("growing.h5"), "{error}");
    drop(growing);
    assert!(refused(&[good.clone(), at("growing.h5")]).contains("livetime recover"));
    let bytes = std::fs::read(&good).unwrap();
    for part in [1, 5, 9] {
        std::fs::write(at("cut.h5"), &bytes[..bytes.len() * part / 10]).unwrap();
        assert!(refused(&[good.clone(), at("cut.h5")]).contains("cut.h5"));
    }
    std::fs::write(at("text.h5"), "no HDF5").unwrap();
    assert!(refused(&[good.clone(), at("text.h5")]).contains("text.h5"));
    assert!(refused(&[good.clone(), good.clone()]).contains("given twice"));
    assert!(refused(&[]).contains("at least one file"));
    let negative = finished(&at("negative.h5"), &[1, -2], &PLAIN);
    assert!(refused(&[negative]).contains("wanted numbers of frames from 0 on"));
    let empty = finished(&at("empty.h5"), &[], &PLAIN);
    assert!(refused(std::slice::from_ref(&empty)).contains("none in any of them"));
    // Beside others an empty file is no mistake: its host got no frame.
    let joined = join(&[empty, good.clone()], &at("master.h5"), Shape::Shared).unwrap();
    assert_eq!((joined.frames, joined.files[0].numbers), (3, None));
    check(&at("master.h5"), &[0, 1, 2]);
    let error = join(&[good], &at("master.h5"), Shape::Shared).unwrap_err();
    assert_eq!(error.io_error().unwrap().kind(), std::io::ErrorKind::AlreadyExists);
}

#[test]
fn frames_of_a_file_that_is_gone_are_unreadable_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let files = three_hosts(folder.path());
    let master = folder.path().join("master.h5");
    join(&files, &master, Shape::Shared).unwrap();
    let judge = || {
        let recording = Recording::open(&[&master]).unwrap();
        let detector = recording.detector("data").unwrap();
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        let mut one =
            |event| recording.read(&detector, event, &mut reader, &mut picture).map(|()| picture.condition());
        let all: Vec<_> = (0..60).map(|event| one(event).map_err(|fault| fault.kind)).collect();
        (all, recording.problems().len())
    };
    // A file that was cut later, then one that was removed.
    let size = std::fs::metadata(&files[1]).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&files[1]).unwrap().set_len(size / 8).unwrap();
    std::fs::remove_file(&files[2]).unwrap();
    let (all, problems) = judge();
    assert!(problems >= 1);
    for (event, found) in all.into_iter().enumerate() {
        match event % 3 {
            0 => assert_eq!(found, Ok(Condition::Whole), "{event}"),
            1 => assert!(found.is_err(), "{event}"),
            _ => assert_eq!(found, Err(FaultKind::Unreadable), "{event}"),
        }
    }
    // A master that lacks a file would hide that.
    let error = refusal(&[master], folder.path(), Shape::Shared);
    assert!(error.contains("everything that the file leads to"), "{error}");
}

/// A table of a file that is joined, for the next test.
fn values(master: &Path, name: &str) -> Vec<AttributeValue> {
    let file = Hdf5::open(master).unwrap();
    file.array(&format!("/entry/join/{name}")).unwrap().values(0, 100, &mut Scratch::default()).unwrap()
}

fn int(value: &AttributeValue) -> i64 {
    if let AttributeValue::Int(number) = value { *number } else { -1 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever host takes which frame: each frame is once in the master, in order, and missing numbers are named.
    #[test]
    fn frames_of_any_share_are_in_order(owners in prop::collection::vec(0..6usize, 1..120)) {
        let folder = tempfile::tempdir().unwrap();
        // Owner 4 is nobody: the frame is missing. Owner 5 is two hosts: a kill made one of them handle it again.
        let share = |host: usize| -> Vec<i32> {
            let has = |owner: usize| owner == host || (owner == 5 && host < 2);
            owners.iter().enumerate().filter(|(_, owner)| has(**owner)).map(|(n, _)| n as i32).collect()
        };
        let files: Vec<PathBuf> = (0..4)
            .map(|host| finished(&folder.path().join(format!("{host}.h5")), &share(host), &PLAIN))
            .collect();
        let wanted: Vec<i32> =
            owners.iter().enumerate().filter(|(_, owner)| **owner != 4).map(|(n, _)| n as i32).collect();
        let master = folder.path().join("master.h5");
        let joined: Joined = match join(&files, &master, Shape::Shared) {
            Ok(joined) => joined,
            Err(error) => {
                prop_assert!(wanted.is_empty(), "{}", error);
                return Ok(());
            }
        };
        check(&master, &wanted);
        let span = wanted[wanted.len() - 1] - wanted[0] + 1;
        prop_assert_eq!(joined.missing_frames(), span as u64 - wanted.len() as u64);
        let named = joined.missing.iter().flat_map(|missing| missing.first..=missing.last);
        let all: Vec<i64> = named.chain(wanted.iter().map(|number| i64::from(*number))).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), all.len());
        let twice = owners.iter().filter(|owner| **owner == 5).count() as i64;
        let again: i64 = values(&master, "again").iter().map(int).sum();
        prop_assert_eq!(again, twice);
    }
}
