//! HDF5 files as recorded runs: files of our writer, and files that h5py writes as other producers do.

use std::path::Path;
use std::process::Command;

use livetime_codecs::BlockpackTier;
use livetime_formats::hdf5::{Attribute, Element, Growing, StreamId, Tree, Writer};
use livetime_formats::xtc1::compressed::Engine;
use livetime_frame::{AttributeValue, DType, Flags};
use livetime_recording::convert::{FramesOptions, FramesReport, Packing, Target, convert_frames};
use livetime_recording::{
    Condition, FaultKind, MemoryLimit, OnDamage, Options, Picture, Reader, Recording, Step, Wanted,
};

use crate::common::{self, BAD, Leaf, leaf};

/// Runs lines of Python with `h5py`, `numpy as np` and the folder `at`. `None`: there is no h5py.
fn python(folder: &Path, lines: &str) -> Option<()> {
    let python = livetime_testkit::python("hdf5")?;
    let program = format!("import sys, os, h5py, hdf5plugin, numpy as np\nat = sys.argv[1] + '/'\n{lines}");
    let output = Command::new(python).arg("-c").arg(program).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// A file in areaDetector's layout, as it grows.
struct Growth {
    file: Writer,
    pictures: StreamId,
    columns: [StreamId; 3],
    count: u64,
}

impl Growth {
    fn begin(path: &Path) -> Growth {
        let mut tree = Tree::default();
        let column =
            |dtype| Growing { element: Element::Number(dtype), row: &[], chunk: 16, part: &[], filter: None };
        let entry = tree.group(Tree::ROOT, "entry", vec![Attribute::text("NX_class", "NXentry")]);
        let data = tree.group(entry, "data", vec![Attribute::text("signal", "data")]);
        let frames =
            Growing { element: Element::Number(DType::U16), row: &[3, 4], chunk: 1, part: &[], filter: None };
        let (data, pictures) = tree.growing(data, "data", frames, vec![Attribute::int("signal", 1)]);
        let instrument = tree.group(entry, "instrument", vec![]);
        let detector = tree.group(instrument, "detector", vec![]);
        tree.link(detector, "data", data);
        let group = tree.group(instrument, "NDAttributes", vec![]);
        let columns =
            [("Gain", DType::F64), ("NDArrayEventTime", DType::I64), ("NDArrayUniqueId", DType::I32)]
                .map(|(name, dtype)| tree.growing(group, name, column(dtype), vec![]).1);
        tree.text(entry, "title", "a run");
        Growth { file: Writer::create(path, tree, false).unwrap(), pictures, columns, count: 0 }
    }

    fn add(&mut self, rows: u64) {
        for _ in 0..rows {
            self.file.write_row(self.pictures, &pixels(self.count)).unwrap();
            let [gain, time, number] = self.columns;
            self.file.push(gain, &(self.count as f64 / 2.0).to_le_bytes());
            self.file.push(time, &(1_000_000_000 + self.count as i64).to_le_bytes());
            self.file.push(number, &(self.count as i32 + 1).to_le_bytes());
            self.count += 1;
        }
        self.file.flush().unwrap();
    }
}

fn pixels(number: u64) -> Vec<u8> {
    (0..12).flat_map(|pixel| ((number * 7 + pixel) as u16).to_le_bytes()).collect()
}

#[test]
fn a_file_of_ours_is_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let mut growth = Growth::begin(&path);
    growth.add(50);
    growth.file.close().unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!((recording.format().name(), recording.events()), ("hdf5", 50));
    assert!(!recording.may_grow() && recording.problems().is_empty());
    let detectors = recording.detectors().unwrap();
    let [only] = &detectors[..] else { panic!("{detectors:?}") };
    assert_eq!((only.name(), only.rank()), ("/entry/data/data", 2));
    for name in ["", "data", "/entry/data/data", "entry/instrument/detector/data", "data/data"] {
        assert_eq!(recording.detector(name).unwrap(), *only, "{name}");
    }
    let error = recording.detector("ata").unwrap_err().to_string();
    assert!(error.contains("`/entry/data/data`"), "{error}");
    for threads in [0, 3] {
        let frames: Vec<_> =
            recording.frames(only, Options { threads, ..Options::default() }).map(Result::unwrap).collect();
        assert_eq!(frames.len(), 50);
        for (number, event) in (0..).zip(&frames) {
            let (array, header) = (event.frame.array().unwrap(), event.frame.header());
            assert_eq!(array.bytes(), pixels(number));
            assert_eq!(array.layout().to_string(), "3x4 u16 mono");
            assert_eq!(header.event_time_ns, 1_000_000_000 + number as i64);
            assert_eq!(header.attributes.get("Gain"), Some(&AttributeValue::Float(number as f64 / 2.0)));
            let sequence = AttributeValue::Int(number as i64 + 1);
            assert_eq!(header.attributes.get("RecordedSequence"), Some(&sequence));
        }
    }
    let small = recording.small_data(7, &mut Reader::default()).unwrap();
    let gain = small.iter().find(|value| value.name == "Gain").unwrap();
    assert_eq!((gain.source.as_str(), gain.number()), ("/entry/instrument/NDAttributes", Some(3.5)));
    let set = recording.configuration(7, &mut Reader::default()).unwrap();
    assert!(set.iter().any(|value| value.name == "title" && value.text() == Some("a run")));
    let places = recording.places(10..20);
    let part = Recording::open_part(&recording.files(), recording.format(), &[], &places).unwrap();
    assert_eq!(part.time_ns(15), recording.time_ns(15));
    assert!(
        recording.place(3).ends_with("run.h5: event 3 at row 3, 1000000003 ns"),
        "{}",
        recording.place(3)
    );
}

#[test]
fn a_file_is_followed_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let mut growth = Growth::begin(&path);
    growth.file.flush().unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert!(recording.events() == 0 && recording.is_growing());
    let mut frames = recording.frames_of(Wanted::default(), Options { follow: true, ..Options::default() });
    assert!(matches!(frames.step(), Step::NotYet));
    let mut count = 0;
    for rows in [1, 3, 200, 0, 17] {
        growth.add(rows);
        // The mark of the end goes last, as it does in a run.
        while count < growth.count {
            match frames.step() {
                Step::Frame(event) => {
                    assert_eq!(event.frame.array().unwrap().bytes(), pixels(count));
                    count += 1;
                }
                Step::NotYet => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(frames.step(), Step::NotYet));
    }
    growth.add(2);
    growth.file.close().unwrap();
    assert_eq!(frames.by_ref().map(Result::unwrap).count(), 2);
    assert!(matches!(frames.step(), Step::End));
}

#[test]
fn what_is_damaged_or_was_never_written_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
with h5py.File(at + 'a.h5', 'w') as f:
    d = f.create_dataset('whole', shape=(4, 2, 4), dtype='u2', chunks=(1, 2, 4), compression='gzip')
    for i in [0, 1, 3]: d[i] = i
    d.id.write_direct_chunk((1, 0, 0), b'not zlib at all')
    d = f.create_dataset('halves', shape=(4, 2, 4), dtype='u2', chunks=(1, 2, 2))
    d[0] = 5; d[1, :, :2] = 6
    f.create_dataset('short', data=np.zeros((2, 2, 4), 'u1'))
    f['stamp'] = np.arange(4) * 0.5
    g = f.create_group('entry/instrument/NDAttributes'); g['Damage'] = np.array([0, 0, 0, 4], 'u4')
";
    if python(folder.path(), lines).is_none() {
        return;
    }
    let recording = Recording::open(&[folder.path().join("a.h5")]).unwrap();
    assert_eq!((recording.events(), recording.detectors().unwrap().len()), (4, 3));
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let mut judge = |name: &str, event| {
        let detector = recording.detector(name).unwrap();
        recording
            .read(&detector, event, &mut reader, &mut picture)
            .map(|()| picture.condition())
            .map_err(|f| f.kind)
    };
    assert_eq!(judge("whole", 0), Ok(Condition::Whole));
    assert_eq!(judge("whole", 1), Err(FaultKind::Broken));
    assert_eq!(judge("whole", 2), Err(FaultKind::Lost));
    assert_eq!(judge("whole", 3), Ok(Condition::Damaged));
    assert_eq!(judge("halves", 0), Ok(Condition::Whole));
    assert_eq!(judge("halves", 1), Ok(Condition::Damaged));
    assert_eq!(judge("halves", 2), Err(FaultKind::Lost));
    assert_eq!(judge("short", 1), Ok(Condition::Whole));
    assert_eq!(judge("short", 2), Err(FaultKind::Missing));
    let whole = recording.detector("whole").unwrap();
    let account = recording.judge(&whole);
    assert_eq!((account.whole, account.damaged, account.broken, account.lost), (1, 1, 1, 1));
    let skipping = recording.frames(&whole, Options { on_damage: OnDamage::Skip, ..Options::default() });
    assert_eq!(skipping.filter(Result::is_ok).count(), 1);
    assert!(recording.detector("").unwrap_err().to_string().contains("`/short`, `/whole`"));
    let small = recording.small_data(3, &mut Reader::default()).unwrap();
    assert_eq!(small.iter().find(|value| value.name == "stamp").unwrap().number(), Some(1.5));
}

/// Files as ADCore, odin and the writer of DECTRIS detectors make them, by their layouts.
const OTHERS: &str = "
def pixels(n, first=0): return ((np.arange(n)[:, None] + first) * 7 + np.arange(12)).astype('u2').reshape(n, 3, 4)
with h5py.File(at + 'adcore.h5', 'w', libver='latest') as f:
    e = f.create_group('entry'); e.attrs['NX_class'] = 'NXentry'; e.attrs['default'] = 'data'
    d = e.create_dataset('instrument/detector/data', shape=(5, 3, 4), maxshape=(None, 3, 4), chunks=(1, 3, 4), dtype='u2',
        **hdf5plugin.Blosc(cname='lz4', shuffle=1))
    d[:] = pixels(5); d.attrs['signal'] = np.int32(1)
    g = e.create_group('instrument/NDAttributes'); g.attrs['NX_class'] = 'NXcollection'
    for i in range(12): g.create_dataset('attr%d' % i, data=np.arange(5.) + i, maxshape=(None,), chunks=(16,))
    g.create_dataset('NDArrayUniqueId', data=np.arange(5, dtype='i4') + 1, maxshape=(None,), chunks=(16,))
    g.create_dataset('NDArrayTimeStamp', data=np.arange(5.) + 1e9, maxshape=(None,), chunks=(16,))
    g.create_dataset('NDArrayEpicsTSSec', data=np.arange(5, dtype='u4') + 1000000000, maxshape=(None,), chunks=(16,))
    g.create_dataset('NDArrayEpicsTSnSec', data=np.full(5, 7, 'u4'), maxshape=(None,), chunks=(16,))
    g.create_dataset('Name', data=np.array([b'one', b'two', b'three', b'four', b'five'], 'S256'), maxshape=(None,), chunks=(16,))
    e.create_group('data').attrs.update(NX_class='NXdata', signal='data'); e['data/data'] = h5py.SoftLink('/entry/instrument/detector/data')
for i, n in enumerate([3, 2]):
    with h5py.File(at + 'dectris_data_%06d.h5' % (i + 1), 'w') as f:
        d = f.create_dataset('entry/data/data', data=pixels(n, 3 * i), chunks=(1, 3, 4), **hdf5plugin.Bitshuffle())
        d.attrs['image_nr_low'] = 3 * i + 1
with h5py.File(at + 'dectris_master.h5', 'w') as f:
    g = f.create_group('entry/data'); g.attrs['NX_class'] = 'NXdata'; g.attrs['signal'] = 'data_000001'
    for i in range(2): g['data_%06d' % (i + 1)] = h5py.ExternalLink('dectris_data_%06d.h5' % (i + 1), '/entry/data/data')
    f['entry/instrument/detector/detectorSpecific/flatfield'] = np.ones((3, 4), 'f4')
    f['entry/instrument/detector/bit_depth_image'] = 16
for i in range(2):
    with h5py.File(at + 'odin_%06d.h5' % i, 'w', libver='latest') as f:
        f.create_dataset('data', data=pixels(5)[i::2], maxshape=(None, 3, 4), chunks=(1, 3, 4), **hdf5plugin.Bitshuffle())
        f.create_dataset('uid', data=np.arange(5)[i::2], maxshape=(None,), chunks=(16,))
with h5py.File(at + 'odin.h5', 'w', libver='latest') as f:
    l = h5py.VirtualLayout((5, 3, 4), 'u2')
    for i in range(2): l[i::2] = h5py.VirtualSource('odin_%06d.h5' % i, 'data', shape=((5 - i + 1) // 2, 3, 4))
    f.create_virtual_dataset('data', l)
with h5py.File(at + 'plain.h5', 'w') as f: f['images'] = pixels(5); f['x'] = np.arange(5.)
";

#[test]
fn files_of_other_producers_are_runs() {
    let folder = tempfile::tempdir().unwrap();
    if python(folder.path(), OTHERS).is_none() {
        return;
    }
    for (name, detector, files) in [
        ("adcore", "/entry/data/data", 1),
        ("dectris_master", "/entry/data/data", 3),
        ("odin", "/data", 3),
        ("plain", "/images", 1),
    ] {
        let path = folder.path().join(format!("{name}.h5"));
        let recording = Recording::open(&[&path]).unwrap();
        assert_eq!(recording.problems(), [], "{name}");
        let found = recording.detector("").unwrap();
        assert_eq!((found.to_string().as_str(), recording.files().len()), (detector, files), "{name}");
        let frames: Vec<_> = recording.frames(&found, Options::default()).map(Result::unwrap).collect();
        assert_eq!(frames.len(), 5, "{name}");
        for (number, event) in (0..).zip(&frames) {
            assert_eq!(event.frame.array().unwrap().bytes(), pixels(number), "{name}");
            assert!(!recording.pieces(number as usize).is_empty(), "{name}");
        }
        let places = recording.places(2..5);
        let part = Recording::open_part(&recording.files(), recording.format(), &[], &places).unwrap();
        assert_eq!(part.files(), recording.files());
    }
    let recording = Recording::open(&[folder.path().join("adcore.h5")]).unwrap();
    assert_eq!(recording.time_ns(2), (1_000_000_002 + 631_152_000) * 1_000_000_000 + 7);
    let small = recording.small_data(2, &mut Reader::default()).unwrap();
    let value = |name: &str| small.iter().find(|value| value.name == name).unwrap();
    assert_eq!((value("attr11").number(), value("Name").text()), (Some(13.0), Some("three")));
    // All files of the detector, whatever their order: the master shows the others.
    let all = Recording::find(folder.path().join("dectris_*.h5").to_str().unwrap(), None).unwrap();
    assert_eq!((all.events(), all.files().len()), (5, 3));
    let two = Recording::find(folder.path().join("odin_00*.h5").to_str().unwrap(), None).unwrap();
    assert_eq!((two.events(), two.files().len()), (5, 2));
    std::fs::remove_file(folder.path().join("dectris_data_000002.h5")).unwrap();
    let cut = Recording::open(&[folder.path().join("dectris_master.h5")]).unwrap();
    assert_eq!((cut.events(), cut.problems().len()), (3, 1));
    assert!(cut.problems()[0].why.contains("dectris_data_000002.h5"), "{:?}", cut.problems());
    let error = Recording::open(&[Path::new("/dev/null")]).unwrap_err().to_string();
    assert!(error.contains("an HDF5 file"), "{error}");
}

/// Converts all events of a run; its report.
fn converted(from: &Path, to: &Path, target: Target) -> FramesReport {
    let options = FramesOptions { detector: Wanted::default(), events: 0..usize::MAX, target, threads: 2 };
    convert_frames(&Recording::open(&[from]).unwrap(), to, &options, |_| true).unwrap()
}

/// Everything that a reader sees of a run.
type Seen = Vec<(usize, String, Vec<u8>, i64, bool)>;

fn seen(path: &Path) -> Seen {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("").unwrap();
    let frames = recording.frames(&detector, Options::default()).map(Result::unwrap);
    let one = |event: livetime_recording::EventFrame| {
        let (array, header) = (event.frame.array().unwrap(), event.frame.header());
        let is_damaged = header.flags.contains(Flags::DAMAGED);
        (event.event, array.layout().to_string(), array.bytes().to_vec(), header.event_time_ns, is_damaged)
    };
    frames.map(one).collect()
}

#[test]
fn pictures_go_to_hdf5_and_back_whatever_the_codec() {
    let events: Vec<Vec<u8>> = (0..20)
        .map(|number| {
            common::event(
                number,
                &[Leaf { damage: if number == 7 { BAD } else { 0 }, size: (40, 30), ..leaf(number as u16) }],
            )
        })
        .collect();
    let (folder, xtc) = common::run(&events);
    let wanted = seen(&xtc);
    assert_eq!((wanted.len(), wanted.iter().filter(|event| event.4).count()), (20, 1));
    for (name, packing) in Packing::all() {
        let [h5, back] = ["h5", "xtc"].map(|ending| folder.path().join(format!("{name}.{ending}")));
        let report = converted(&xtc, &h5, Target::Hdf5(packing));
        assert!(
            report.is_complete() && report.account.frames == 20 && report.raw_bytes == 20 * 2400,
            "{report:?}"
        );
        assert_eq!(report.left_out.len(), 0, "{report:?}");
        assert_eq!(seen(&h5), wanted, "{name}");
        let engine = if packing == Packing::NONE { Engine::HIST16 } else { Engine::NONE };
        converted(&h5, &back, Target::Xtc(engine, BlockpackTier::Fast));
        assert_eq!(seen(&back), wanted, "{name}");
        assert!(!h5.with_extension("h5.unproved").exists());
    }
    let recording = Recording::open(&[folder.path().join("bslz4.h5")]).unwrap();
    let small = recording.small_data(7, &mut Reader::default()).unwrap();
    let number = |name: &str| small.iter().find(|value| value.name == name).and_then(|value| value.number());
    assert_eq!(
        (number("Damage"), number("Fiducial"), number("NDArrayUniqueId")),
        (Some(16384.0), Some(21.0), Some(8.0))
    );
    let lines = "
for name in ['none', 'bslz4', 'lz4', 'blosc', 'zlib', 'zstd']:
    with h5py.File(at + name + '.h5', 'r') as f:
        d = f['entry/data/data']
        assert d.shape == (20, 30, 40) and (d[:] == np.arange(20)[:, None, None]).all(), name
        assert f['entry/instrument/loss/finished'][()] == 1
";
    python(folder.path(), lines);
}

#[test]
fn what_cannot_be_converted_leaves_nothing_behind() {
    let gap =
        [0, 1, 2].map(|n| common::event(n, if n == 1 { &[] } else { std::slice::from_ref(const { &TWO }) }));
    let (folder, xtc) = common::run(&gap);
    let h5 = folder.path().join("a.h5");
    let report = converted(&xtc, &h5, Target::Hdf5(Packing::NONE));
    assert_eq!((report.account.frames, report.account.missing), (2, 1));
    let small = Recording::open(&[&h5]).unwrap().small_data(1, &mut Reader::default()).unwrap();
    assert_eq!(small.iter().find(|value| value.name == "missing_before").unwrap().number(), Some(1.0));
    let options = |detector: &str| FramesOptions {
        detector: detector.into(),
        events: 0..usize::MAX,
        target: Target::Hdf5(Packing::named("bslz4").unwrap()),
        threads: 1,
    };
    let recording = Recording::open(&[&xtc]).unwrap();
    let refused = |path: &str, detector: &str, run: &Recording| {
        convert_frames(run, &folder.path().join(path), &options(detector), |_| true).unwrap_err().to_string()
    };
    assert!(refused("a.h5", "", &recording).contains("not there yet"));
    assert!(refused("b.h5", "Cspad-0", &recording).contains("Opal1000-1"));
    let (_folder, odd) =
        common::run(&[common::event(0, &[leaf(1)]), common::event(1, &[Leaf { size: (2, 2), ..leaf(1) }])]);
    assert!(refused("b.h5", "", &Recording::open(&[&odd]).unwrap()).contains("one type and shape"));
    let stopped = convert_frames(&recording, &folder.path().join("b.h5"), &options(""), |_| false);
    assert!(stopped.unwrap_err().to_string().contains("stopped"));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

const TWO: Leaf = Leaf { name: common::OPAL, value: 2, damage: 0, cut: 0, size: (3, 2) };

/// Files of HDF5 name any other file. Where only some folders may be read, no other one is opened, neither by a link
/// nor by a virtual data set, and not behind a symbolic link.
#[test]
fn no_file_outside_of_the_folders_is_opened() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let (inside, outside) = (top.join("inside"), top.join("outside"));
    [&inside, &outside].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let lines = "
for name in ['inside/near', 'outside/far']:
    with h5py.File(at + name + '.h5', 'w') as f: f['data'] = np.full((3, 2, 2), 7, 'u2')
def leads(name, target):
    with h5py.File(at + 'inside/link_' + name + '.h5', 'w') as f:
        f['own'] = np.zeros((3, 2, 2), 'u2')
        f['data'] = h5py.ExternalLink(target, '/data')
    with h5py.File(at + 'inside/virtual_' + name + '.h5', 'w', libver='latest') as f:
        layout = h5py.VirtualLayout(shape=(3, 2, 2), dtype='u2')
        layout[:] = h5py.VirtualSource(target, 'data', shape=(3, 2, 2))
        f.create_virtual_dataset('data', layout)
leads('near', 'near.h5')
leads('far', '../outside/far.h5')
leads('whole', at + 'outside/far.h5')
leads('around', 'way.h5')
";
    if python(&top, lines).is_none() {
        return;
    }
    std::os::unix::fs::symlink(outside.join("far.h5"), inside.join("way.h5")).unwrap();
    let folders = [inside.clone()];
    // The first pixel, if the array is there at all.
    let pixel = |name: &str| {
        let recording =
            Recording::open_within(&inside.join(format!("{name}.h5")), &folders, MemoryLimit::default())
                .unwrap();
        assert!(!recording.files().contains(&outside.join("far.h5")), "{name}");
        let detector = recording.detector("data").ok()?;
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        recording.read(&detector, 1, &mut reader, &mut picture).ok()?;
        let panel = picture.panels().next()?;
        Some(u16::from_le_bytes([panel.bytes[0], panel.bytes[1]]))
    };
    assert_eq!([pixel("near"), pixel("link_near"), pixel("virtual_near")], [Some(7); 3]);
    for name in ["far", "whole", "around"] {
        assert_ne!(pixel(&format!("link_{name}")), Some(7), "{name}");
        assert_ne!(pixel(&format!("virtual_{name}")), Some(7), "{name}");
    }
    for path in ["outside/far.h5", "inside/way.h5", "inside/../outside/far.h5", "inside/none.h5", "inside"] {
        assert!(Recording::open_within(&top.join(path), &folders, MemoryLimit::default()).is_err(), "{path}");
    }
    assert!(Recording::open(&[inside.join("link_far.h5")]).unwrap().detector("data").is_ok());
}

/// Files that areaDetector's own NDFileHDF5 wrote (`testdata/README.md`).
fn of_adcore(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/adcore").join(name)
}

/// Two steps of three frames, compressed: the columns have a row for each frame, the events are the steps.
#[test]
fn a_scan_that_adcore_wrote_has_times_and_attributes_of_its_steps() {
    let recording = Recording::open(&[of_adcore("scan.h5")]).unwrap();
    assert_eq!((recording.events(), recording.problems().len()), (2, 0));
    let detector = recording.detector("").unwrap();
    let numbers = [1, 2, 3, 7, 8, 9_u64];
    for (step, frames) in numbers.chunks(3).enumerate() {
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        recording.read(&detector, step, &mut reader, &mut picture).unwrap();
        let wanted = frames.iter().flat_map(|number| (0..60).map(move |i| (number * 3 + i) as u16));
        let wanted: Vec<u8> = wanted.flat_map(u16::to_le_bytes).collect();
        assert_eq!(picture.panels().next().unwrap().bytes, wanted);
        assert_eq!(picture.time_ns(), (631_152_000 + 1_000_000 + frames[0]) * 1_000_000_000 + 500);
        let values = recording.small_data(step, &mut reader).unwrap();
        let value = |name: &str| values.iter().find(|value| value.name == name).unwrap().values[0].clone();
        assert_eq!(value("Gain"), AttributeValue::Float(frames[0] as f64 / 2.0));
        assert_eq!(value("Shot"), AttributeValue::Int(-(frames[0] as i64)));
        assert_eq!(value("Name"), AttributeValue::Text(format!("name {}", frames[0]).into()));
    }
}

/// Its pixels are numbers of 12 bits, which are not read: the times of writing are not shown in their place.
#[test]
fn what_adcore_packed_by_bits_is_refused() {
    let error = Recording::open(&[of_adcore("nbit.h5")]).unwrap_err().to_string();
    assert!(error.contains("a data set of numbers"), "{error}");
}

/// Pictures of zeros in a file of a few kilobytes: the memory that they need is known before it is taken, and named in
/// the error.
#[test]
fn pictures_that_need_more_memory_than_may_be_taken_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.h5");
    let mut tree = Tree::default();
    let frames = Growing {
        element: Element::Number(DType::U16),
        row: &[2000, 2000],
        chunk: 1,
        part: &[],
        filter: Some(livetime_formats::hdf5::Filter { id: 1, values: vec![1] }),
    };
    let (_, data) = tree.growing(Tree::ROOT, "data", frames, vec![]);
    let mut file = Writer::create(&path, tree, false).unwrap();
    let (zeros, mut zlib) = (vec![0; 8_000_000], livetime_codecs::Zlib::new(1));
    let mut stream = vec![0; livetime_codecs::Codec::bound(&zlib, zeros.len())];
    let pixels = livetime_codecs::Array::new(&zeros, DType::U16, &[4_000_000]).unwrap();
    let size = livetime_codecs::Codec::encode(&mut zlib, pixels, &mut stream).unwrap();
    (0..3).for_each(|row| file.write_chunk(data, row, 1, &[&stream[..size]]).unwrap());
    file.close().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);

    let all = Recording::open(&[&path]).unwrap();
    let detector = all.detector("").unwrap();
    let limited = all.clone().with_memory(MemoryLimit::of(1 << 20));
    assert_eq!(limited.layout(&detector).unwrap().to_string(), "2000x2000 u16 mono");
    let fault = limited.read(&detector, 0, &mut Reader::default(), &mut Picture::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::NoMemory);
    let wanted =
        "wanted at most 1 MiB of memory (as `--memory` says), found a picture of `/data`, for which 7.6";
    assert!(fault.why.starts_with(wanted), "{}", fault.why);
    assert_eq!(limited.judge(&detector).no_memory, 3);
    let options = FramesOptions {
        detector: "data".into(),
        events: 0..usize::MAX,
        target: Target::Hdf5(Packing::named("bslz4").unwrap()),
        threads: 1,
    };
    let new = folder.path().join("new.h5");
    let refused = convert_frames(&limited, &new, &options, |_| true).unwrap_err().to_string();
    assert!(refused.contains("found a conversion of /data, for which "), "{refused}");
    assert!(!new.exists());
    let enough = all.with_memory(MemoryLimit::of(200 << 20));
    assert_eq!(enough.judge(&detector).whole, 3);
    assert_eq!(convert_frames(&enough, &new, &options, |_| true).unwrap().account.whole, 3);
}

/// A data set that cannot be read is named where the run is opened, with its reason, and not where its events are read.
#[test]
fn filters_and_types_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
n = np.arange(60).reshape(5, 3, 4)
with h5py.File(at + 'scaled.h5', 'w') as f: f.create_dataset('data', data=n, chunks=(1, 3, 4), scaleoffset=0)
with h5py.File(at + 'zfp.h5', 'w') as f: f.create_dataset('data', data=n * 1.5, chunks=(1, 3, 4), **hdf5plugin.Zfp(rate=16))
with h5py.File(at + 'complex.h5', 'w') as f: f['data'] = n * 1j
with h5py.File(at + 'half.h5', 'w') as f: f['data'] = (n / 4).astype('f2')
with h5py.File(at + 'mixed.h5', 'w') as f:
    f['good/data'] = n.astype('u2'); f['bad/data'] = n * 1j
";
    if python(folder.path(), lines).is_none() {
        return;
    }
    let open = |name: &str| Recording::open(&[folder.path().join(format!("{name}.h5"))]);
    for (name, wanted) in [
        (
            "scaled",
            "found scaleoffset, filter 6 of HDF5: `h5repack -f GZIP=1 FILE NEW` writes what can be read",
        ),
        ("zfp", "found zfp, filter 32013 of HDF5"),
        ("complex", "found complex numbers"),
    ] {
        let error = open(name).unwrap_err().to_string();
        assert!(error.contains("found `/data`: wanted") && error.contains(wanted), "{error}");
    }
    let half = open("half").unwrap();
    let detector = half.detector("").unwrap();
    let event = half.frames(&detector, Options::default()).nth(2).unwrap().unwrap();
    let array = event.frame.array().unwrap();
    assert_eq!(array.layout().to_string(), "3x4 f32 mono");
    assert_eq!(array.elements::<f32>().unwrap()[..3], [6.0, 6.25, 6.5]);
    let mixed = open("mixed").unwrap();
    assert_eq!(mixed.detector("").unwrap().to_string(), "/good/data");
    let error = mixed.detector("/bad/data").unwrap_err().to_string();
    assert!(error.contains("`/bad/data`") && error.contains("complex numbers"), "{error}");
}
