//! Parts of a plan find the same bits as one process; what does not fit is refused.

use std::path::{Path, PathBuf};

use livetime_formats::hdf5::{Element, Growing, Tree, Writer};
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::{TypeId, id};
use livetime_frame::DType;
use proptest::prelude::*;

use super::lcls2;
use super::*;

/// A run of a camera in two chunks of one stream; a picture is missing and one is broken.
fn camera_run(folder: &Path, events: u64) -> PathBuf {
    let leaf = |event: u64| match event {
        7 => Leaf { src: OTHER, ..Leaf::new(frame(3, 3, 8, 0)) },
        9 => Leaf::new(frame(101, 77, 16, event)[..99].to_vec()),
        _ => Leaf { engine: Engine::BLOCKPACK, ..Leaf::new(frame(101, 77, 16, event)) },
    };
    let datagrams: Vec<Vec<u8>> = (0..events).map(|event| datagram(event, &[leaf(event)])).collect();
    let configure = configure(&[(OTHER, TypeId::new(id::FRAME, 1), vec![1; 100])]);
    let (first, second) = datagrams.split_at(events as usize / 2);
    let path = write_of(folder, &configure, first);
    std::fs::write(folder.join("e1-r0001-s00-c01.xtc"), second.concat()).unwrap();
    path
}

/// A run with two segments of floats, one of which is not in every event.
fn float_run(folder: &Path, events: u32) -> PathBuf {
    let dtype = DType::F32;
    let mut file = lcls2::datagram(2, 1, &[lcls2::names(0, dtype), lcls2::names(1, dtype)].concat());
    for event in 0..events {
        let record = |segment: u32| {
            let pixels = lcls2::pixels(dtype, 40 * 50, u64::from(2 * event + segment) + 1);
            lcls2::record(segment, 40, 50, &pixels)
        };
        let segments = if event % 5 == 3 { 1 } else { 2 };
        file.extend(lcls2::datagram(12, 2 + event, &(0..segments).flat_map(record).collect::<Vec<_>>()));
    }
    let path = folder.join("e1-r0001-s000-c000.xtc2");
    std::fs::write(&path, file).unwrap();
    path
}

/// Waveforms of any length.
fn waveform_run(folder: &Path, events: u32) -> PathBuf {
    let mut file = lcls2::datagram(2, 1, &lcls2::names_of(0, DType::F64, 1));
    for (event, number) in (0..events).zip(numbers(3)) {
        let length = (number % 3000) as u32;
        let bytes = lcls2::pixels(DType::F64, length as usize, u64::from(event) + 1);
        file.extend(lcls2::datagram(12, 2 + event, &lcls2::record_of(0, [length, 0, 0, 0, 0], &bytes)));
    }
    let path = folder.join("e1-r0001-s000-c000.xtc2");
    std::fs::write(&path, file).unwrap();
    path
}

/// Writes a run into a folder.
type Write = fn(&Path) -> PathBuf;

/// A plan of small blocks, and what one process finds.
fn planned(path: &Path, parts: usize, reducers: &Reducers) -> (Plan, Found) {
    let recording = Recording::open(&[path]).unwrap();
    let detectors = recording.detectors().unwrap();
    let detector = detectors.iter().find(|d| !d.to_string().contains("Cspad")).unwrap();
    let options = Options { block_bytes: 64 << 10, ..options(1) };
    let work = Work::new(&recording, detector, &options, reducers).unwrap();
    let found = analyze(&recording, detector, &options, reducers, &mut |_| GoOn::Yes).unwrap();
    (Plan::new(&recording, &work, Some(parts)).unwrap(), found)
}

fn part(plan: &Plan, reducers: &Reducers, number: usize, workers: usize) -> Part {
    plan.reduce(&plan.work(reducers).unwrap(), number, workers, &mut |_| GoOn::Yes).unwrap()
}

fn merged(plan: &Plan, reducers: &Reducers, folders: &[&Path]) -> Result<Merged> {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    plan.merge(&plan.work(reducers).unwrap(), &folders)
}

#[test]
fn any_parts_by_any_workers_in_any_order_find_the_same_bits() {
    let reducers = all();
    let runs: [(Write, u64); 3] = [
        (|folder| camera_run(folder, 40), 2),
        (|folder| float_run(folder, 150), 0),
        (|folder| waveform_run(folder, 120), 0),
    ];
    for (write, not_used) in runs {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path());
        for parts in [1, 2, 3, 5, 8] {
            let (plan, found) = planned(&path, parts, &reducers);
            assert_eq!(found.account.events() - found.account.used, not_used);
            assert_eq!(plan.parts(), parts);
            // Another process would read the saved plan.
            let plan = Plan::parse(&std::fs::read_to_string(saved(&plan, folder.path())).unwrap()).unwrap();
            let out = folder.path().join(format!("parts-{parts}"));
            for number in (0..plan.parts()).rev() {
                part(&plan, &reducers, number, 1 + (number + parts) % 4).write(&out).unwrap();
            }
            let merged = merged(&plan, &reducers, &[&out]).unwrap();
            assert_same_bits(&found, &merged.found);
            assert_eq!((merged.copies, merged.found.layout == found.layout), (0, true));
        }
    }
}

fn saved(plan: &Plan, folder: &Path) -> PathBuf {
    let path = folder.join("plan.json");
    plan.write(&path).unwrap();
    path
}

#[test]
fn a_part_that_was_killed_is_named_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = float_run(folder.path(), 150);
    let reducers = all();
    let (plan, found) = planned(&path, 8, &reducers);
    let out = folder.path().join("parts");
    let mut written: Vec<PathBuf> = Vec::new();
    for number in 0..plan.parts() {
        written.push(part(&plan, &reducers, number, 1).write(&out).unwrap().path);
    }
    // Killed while it wrote: the file that it left has no name of a part.
    let bytes = std::fs::read(&written[1]).unwrap();
    std::fs::remove_file(&written[1]).unwrap();
    std::fs::remove_file(&written[3]).unwrap();
    std::fs::write(out.join(".part-00001.ltpart.77"), &bytes[..bytes.len() / 2]).unwrap();
    let error = merged(&plan, &reducers, &[&out]).unwrap_err();
    assert!(matches!(&error, Error::MissingParts(missing) if missing == &[1, 3]), "{error}");
    assert_eq!(error.to_string(), "wanted every part, found none of 1, 3");

    part(&plan, &reducers, 3, 2).write(&out).unwrap();
    let again = part(&plan, &reducers, 1, 5);
    assert_eq!(again.bytes(), bytes);
    assert!(!again.write(&out).unwrap().is_repeated);
    assert!(again.write(&out).unwrap().is_repeated);
    // A part that cannot get its name leaves no file at all.
    std::fs::remove_file(&written[3]).unwrap();
    std::fs::create_dir(&written[3]).unwrap();
    assert!(part(&plan, &reducers, 3, 2).write(&out).is_err());
    std::fs::remove_dir(&written[3]).unwrap();
    part(&plan, &reducers, 3, 2).write(&out).unwrap();
    assert_eq!(
        std::fs::read_dir(&out).unwrap().count(),
        plan.parts() + 1,
        "the parts, and what the killed one left"
    );
    // Another folder has the same part, too.
    let other = folder.path().join("other");
    again.write(&other).unwrap();
    let merged_again = merged(&plan, &reducers, &[&out, &other]).unwrap();
    assert_same_bits(&found, &merged_again.found);
    assert_eq!(merged_again.copies, 1);
}

/// Merges files `width` at a time, and their files in turn, until one is left.
fn by_tree(plan: &Plan, reducers: &Reducers, width: usize, parts: &Path, folder: &Path) -> PathBuf {
    let work = plan.work(reducers).unwrap();
    let (mut span, mut from) = (1, parts.to_path_buf());
    while span < plan.parts() {
        span *= width;
        let into = folder.join(format!("merged-{width}-{span}"));
        for start in (0..plan.parts()).step_by(span).rev() {
            let numbers = start..(start + span).min(plan.parts());
            plan.merge_some(&work, numbers, std::slice::from_ref(&from)).unwrap().write(&into).unwrap();
        }
        from = into;
    }
    from
}

#[test]
fn merges_of_merges_find_the_same_bits() {
    let reducers = all();
    let runs: [Write; 3] = [
        |folder| camera_run(folder, 40),
        |folder| float_run(folder, 150),
        |folder| waveform_run(folder, 120),
    ];
    for write in runs {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path());
        for parts in [1, 2, 7, 16] {
            let (plan, found) = planned(&path, parts, &reducers);
            let out = folder.path().join(format!("parts-{parts}"));
            for number in 0..parts {
                part(&plan, &reducers, number, 1).write(&out).unwrap();
            }
            let flat = merged(&plan, &reducers, &[&out]).unwrap();
            let whole = plan
                .merge_some(&plan.work(&reducers).unwrap(), 0..parts, std::slice::from_ref(&out))
                .unwrap();
            // Three does not fit the binary tree of leaves; the files are larger then, and the bits are the same.
            for width in [2, 3, 4] {
                let last =
                    by_tree(&plan, &reducers, width, &out, &folder.path().join(format!("tree-{parts}")));
                let found_by_tree = merged(&plan, &reducers, &[&last]).unwrap();
                assert_same_bits(&found, &found_by_tree.found);
                assert_eq!(found_by_tree.problems, flat.problems);
                let file = std::fs::read_dir(&last).unwrap().next().unwrap().unwrap().path();
                assert_eq!(std::fs::read(file).unwrap(), whole.bytes());
            }
        }
    }
}

#[test]
fn merges_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = float_run(folder.path(), 150);
    let reducers = all();
    let (plan, found) = planned(&path, 8, &reducers);
    let work = plan.work(&reducers).unwrap();
    let [out, pairs] = ["parts", "pairs"].map(|name| folder.path().join(name));
    for number in 0..plan.parts() {
        part(&plan, &reducers, number, 1).write(&out).unwrap();
    }
    let pair = plan.merge_some(&work, 2..4, std::slice::from_ref(&out)).unwrap();
    assert_eq!((pair.number(), pair.numbers()), (2, 2..4));
    let written = pair.write(&pairs).unwrap();
    assert!(written.path.ends_with("parts-00002-00003.ltpart"));
    assert!(pair.write(&pairs).unwrap().is_repeated);
    let refused = |numbers, folders: &[&PathBuf]| {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| (*folder).clone()).collect();
        plan.merge_some(&work, numbers, &folders).err().unwrap().to_string()
    };
    let twice = refused(0..8, &[&out, &pairs]);
    assert!(twice.starts_with("wanted every part once, found part 2 in "), "{twice}");
    assert!(
        twice.contains("part-00002.ltpart and ") || twice.contains("parts-00002-00003.ltpart"),
        "{twice}"
    );
    assert_eq!(refused(1..5, &[&pairs]), "wanted every part, found none of 1, 4");
    let half = refused(3..5, &[&pairs]);
    assert!(half.starts_with("wanted parts of 3..5 alone, found parts 2 to 3 in "), "{half}");
    assert_eq!(refused(4..9, &[&out]), "wanted some parts of 0..8, found 4..9");
    assert_eq!(refused(4..4, &[&out]), "wanted some parts of 0..8, found 4..4");
    // A file of several parts stands for each of them.
    for number in 2..4 {
        std::fs::remove_file(out.join(format!("part-0000{number}.ltpart"))).unwrap();
    }
    assert_same_bits(&found, &merged(&plan, &reducers, &[&out, &pairs]).unwrap().found);
    // Numbers that no plan has, in a file with a right checksum.
    let mut bytes = std::fs::read(&written.path).unwrap();
    bytes[20..24].copy_from_slice(&[0xff; 4]);
    let end = bytes.len() - 8;
    let sum = twox_hash::XxHash3_64::oneshot(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&written.path, bytes).unwrap();
    let error = refused(2..4, &[&pairs]);
    assert!(error.starts_with("wanted a part from 0 to 7, found 4294967297 in "), "{error}");
}

#[test]
fn what_does_not_fit_the_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = camera_run(folder.path(), 40);
    let reducers = all();
    let (plan, _) = planned(&path, 5, &reducers);
    let out = folder.path().join("parts");
    for number in 0..plan.parts() {
        part(&plan, &reducers, number, 1).write(&out).unwrap();
    }
    let refused = |bytes: &[u8]| {
        let other = folder.path().join("other");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("part-00002.ltpart"), bytes).unwrap();
        merged(&plan, &reducers, &[&out, &other]).unwrap_err().to_string()
    };
    let good = std::fs::read(out.join("part-00002.ltpart")).unwrap();
    let with_sum = |mut bytes: Vec<u8>| {
        let end = bytes.len() - 8;
        let sum = twox_hash::XxHash3_64::oneshot(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    };
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let middle = good.len() / 2;
    assert!(refused(&changed(middle)).contains("wanted a part with a right checksum"));
    assert!(refused(&good[..middle]).contains("wanted a part with a right checksum"));
    assert!(refused(&with_sum(changed(middle))).starts_with("wanted the same bits in all files of part 2"));
    assert!(refused(&with_sum(changed(8))).contains("wanted a part of the plan"));
    assert!(refused(&with_sum(changed(7))).contains("wanted a part of version 4"));
    assert!(refused(&good[..20]).contains("part-00002.ltpart"));
    // A part of another plan is not replaced.
    let (other_plan, _) = planned(&path, 3, &reducers);
    let error = part(&other_plan, &reducers, 1, 1).write(&out).err().unwrap().to_string();
    assert!(error.starts_with("wanted part 1 with the same bits, or none"), "{error}");
    let work = plan.work(&reducers).unwrap();
    let error = plan.reduce(&work, 5, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
    assert_eq!(error, "wanted a part from 0 to 4, found 5");
    let error = plan.work(&Reducers::default().with(InOrder)).err().unwrap().to_string();
    assert!(error.starts_with("wanted the reducers of the plan: pixels mean,"), "{error}");
}

#[test]
fn a_run_that_changed_since_the_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = camera_run(folder.path(), 40);
    let reducers = all();
    let (plan, _) = planned(&path, 4, &reducers);
    let work = plan.work(&reducers).unwrap();
    let good = std::fs::read(&path).unwrap();
    let mut other = good.clone();
    *other.last_mut().unwrap() ^= 1;
    for bytes in [&other[..], &good[..good.len() - 1], &[&good[..], &[0]].concat()] {
        std::fs::write(&path, bytes).unwrap();
        let error = plan.reduce(&work, 0, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
        assert!(error.contains("e1-r0001-s00-c00.xtc as it was at the plan"), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(plan.reduce(&work, 0, 1, &mut |_| GoOn::Yes).is_err());
    // Merging needs the plan only.
    std::fs::write(&path, &good).unwrap();
    let out = folder.path().join("parts");
    for number in 0..plan.parts() {
        part(&plan, &reducers, number, 1).write(&out).unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(merged(&plan, &reducers, &[&out]).unwrap().found.account.used, 38);
}

#[test]
fn a_run_that_lies_elsewhere_is_known_by_its_names_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = camera_run(folder.path(), 40);
    let reducers = all();
    let (plan, found) = planned(&path, 3, &reducers);
    let planned_bytes: Vec<Vec<u8>> =
        (0..plan.parts()).map(|number| part(&plan, &reducers, number, 1).bytes().to_vec()).collect();
    let other = folder.path().join("elsewhere");
    std::fs::create_dir(&other).unwrap();
    for name in ["e1-r0001-s00-c00.xtc", "e1-r0001-s00-c01.xtc"] {
        std::fs::rename(folder.path().join(name), other.join(name)).unwrap();
    }
    let work = plan.work(&reducers).unwrap();
    let error = plan.reduce(&work, 0, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
    assert!(error.contains("c00.xtc of the run that was planned, found none (--run FOLDER"), "{error}");

    let moved = plan.clone().in_folder(&other).unwrap();
    assert_eq!(moved.to_string(), plan.to_string());
    let out = folder.path().join("parts");
    for (number, planned) in planned_bytes.iter().enumerate() {
        let part = part(&moved, &reducers, number, 2);
        assert!(part.bytes() == planned);
        part.write(&out).unwrap();
    }
    // The merge does not need to know where the run lies.
    assert_same_bits(&found, &merged(&plan, &reducers, &[&out]).unwrap().found);

    // Another run under the same names: of the same size, and of another.
    let whole = std::fs::read(other.join("e1-r0001-s00-c00.xtc")).unwrap();
    let mut begins_otherwise = whole.clone();
    begins_otherwise[100] ^= 1;
    for (bytes, wanted) in [
        (&begins_otherwise[..], "found another one of that size, which begins or ends otherwise"),
        (&whole[..whole.len() - 4], "found another one, with "),
    ] {
        std::fs::write(other.join("e1-r0001-s00-c00.xtc"), bytes).unwrap();
        let error = moved.reduce(&work, 0, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
        assert!(error.contains("as it was at the plan") && error.contains(wanted), "{error}");
    }
}

#[test]
fn files_of_one_name_cannot_lie_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..4).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 8, e))])).collect();
    let files = ["a", "b"].map(|name| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("run.xtc");
        std::fs::write(&path, datagrams.concat()).unwrap();
        path
    });
    let recording = Recording::open(&files).unwrap();
    let detector = detector(&recording, None).unwrap();
    let reducers = all();
    let work = Work::new(&recording, &detector, &options(1), &reducers).unwrap();
    let plan = Plan::new(&recording, &work, None).unwrap();
    let error = plan.in_folder(folder.path()).unwrap_err().to_string();
    assert_eq!(error, "wanted files of a run in one folder, found two named run.xtc");
}

#[test]
fn a_part_scans_its_own_places_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = camera_run(folder.path(), 40);
    let reducers = all();
    let (plan, _) = planned(&path, 4, &reducers);
    let number = plan.parts() - 1;
    let last = part(&plan, &reducers, number, 1);
    // Between its ends, the first chunk is overwritten: a scan of it finds no datagrams.
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len() - 4096;
    bytes[4096..end].fill(0xFF);
    std::fs::write(&path, bytes).unwrap();
    assert!(part(&plan, &reducers, number, 1).bytes() == last.bytes());
    let work = plan.work(&reducers).unwrap();
    let error = plan.reduce(&work, 0, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
    assert!(error.contains("e1-r0001-s00-c00.xtc"), "{error}");
}

#[test]
fn what_only_the_whole_run_tells_is_found_by_a_scan_of_all() {
    let folder = tempfile::tempdir().unwrap();
    // The second half of the events is written first.
    let leaf = |event| Leaf::new(frame(101, 77, 16, event));
    let datagrams: Vec<Vec<u8>> =
        (20..40).chain(0..20).map(|event| datagram(event, &[leaf(event)])).collect();
    let path = write(folder.path(), &datagrams);
    // A slow camera has two pieces for event 10: neither can be believed, but the part with this event sees one only.
    let other = |event| datagram(event, &[Leaf { src: OTHER, ..Leaf::new(frame(3, 3, 8, event)) }]);
    let slow: Vec<Vec<u8>> = (0..40).chain([10]).map(other).collect();
    std::fs::write(folder.path().join("e1-r0001-s80-c00.xtc"), slow.concat()).unwrap();
    let reducers = all();
    let (plan, found) = planned(&path, 5, &reducers);
    let out = folder.path().join("parts");
    for number in 0..plan.parts() {
        part(&plan, &reducers, number, 1).write(&out).unwrap();
    }
    assert_same_bits(&found, &merged(&plan, &reducers, &[&out]).unwrap().found);
}

#[test]
fn a_run_that_is_being_written_is_planned_as_far_as_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..40).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 8, e))])).collect();
    let path = write(folder.path(), &datagrams[..30]);
    let growing = path.with_extension("xtc.inprogress");
    std::fs::rename(&path, &growing).unwrap();
    // A half datagram is at its end, as a writer may leave it for a moment.
    let append = |bytes: &[u8]| {
        let mut file = std::fs::OpenOptions::new().append(true).open(&growing).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    };
    let (first, second) = datagrams[30].split_at(70);
    append(first);
    let reducers = all();
    let (plan, found) = planned(&growing, 4, &reducers);
    assert!(plan.is_of_growing_run());
    // The last datagram may still be preceded by another one.
    assert_eq!(found.account.used, 29);
    let plan = Plan::parse(&std::fs::read_to_string(saved(&plan, folder.path())).unwrap()).unwrap();
    let out = folder.path().join("parts");
    part(&plan, &reducers, 0, 1).write(&out).unwrap();
    append(second);
    append(&datagrams[31..].concat());
    part(&plan, &reducers, 1, 1).write(&out).unwrap();
    // The run has ended: its plan stays as it was.
    std::fs::rename(&growing, &path).unwrap();
    (2..4).for_each(|number| drop(part(&plan, &reducers, number, 1).write(&out).unwrap()));
    assert_same_bits(&found, &merged(&plan, &reducers, &[&out]).unwrap().found);

    let mut other = std::fs::read(&path).unwrap();
    other[100] ^= 1;
    let work = plan.work(&reducers).unwrap();
    for bytes in [&other[..], &other[..200]] {
        std::fs::write(&path, bytes).unwrap();
        let error = plan.reduce(&work, 0, 1, &mut |_| GoOn::Yes).err().unwrap().to_string();
        assert!(error.contains("e1-r0001-s00-c00.xtc as it was at the plan"), "{error}");
    }
}

#[test]
fn a_run_without_places_is_not_planned_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let mut tree = Tree::default();
    let what =
        Growing { element: Element::Number(DType::U16), row: &[8, 8], chunk: 1, part: &[], filter: None };
    let (_, data) = tree.growing(Tree::ROOT, "data", what, vec![]);
    let mut file = Writer::create(&path, tree, true).unwrap();
    (0..6).for_each(|_| file.write_row(data, &[1; 128]).unwrap());
    file.flush().unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert!(recording.is_growing());
    let detector = detector(&recording, None).unwrap();
    let reducers = all();
    let work = Work::new(&recording, &detector, &options(1), &reducers).unwrap();
    let error = Plan::new(&recording, &work, None).unwrap_err().to_string();
    assert_eq!(error, "wanted a run that is complete, found one that is still being written");
}

#[test]
fn real_runs_of_lcls2_have_the_same_bits_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    for (name, detector) in [
        ("test_epix_calib.xtc2", "epixquad.raw.raw"),
        ("dgramedit-test.xtc2", "hsd.raw.chan00"),
        ("dgramedit-test.xtc2", "hsd.raw.eventHeader"),
    ] {
        let Some(path) = lcls2::sample(folder.path(), name) else { return };
        let recording = Recording::open(&[&path]).unwrap();
        let detector = livetime_analysis::detector(&recording, Some(detector)).unwrap();
        let (options, reducers) = (Options { block_bytes: 1, ..options(2) }, all());
        let found = analyze(&recording, &detector, &options, &reducers, &mut |_| GoOn::Yes).unwrap();
        let work = Work::new(&recording, &detector, &options, &reducers).unwrap();
        let plan = Plan::new(&recording, &work, Some(3)).unwrap();
        let out = folder.path().join(format!("parts-{plan}"));
        for number in 0..plan.parts() {
            part(&plan, &reducers, number, 2).write(&out).unwrap();
        }
        assert_same_bits(&found, &merged(&plan, &reducers, &[&out]).unwrap().found);
    }
}

/// The saved partial results of each part, and the plan to load them with.
fn saved_partials() -> (tempfile::TempDir, Plan, Vec<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = waveform_run(folder.path(), 12);
    let (plan, _) = planned(&path, 2, &all());
    let bodies = (0..plan.parts()).map(|number| {
        let bytes = part(&plan, &all(), number, 1).bytes().to_vec();
        bytes[24..bytes.len() - 8].to_vec()
    });
    let bodies = bodies.collect();
    (folder, plan, bodies)
}

#[test]
fn any_bytes_are_a_partial_result_or_refused() {
    let (_folder, plan, bodies) = saved_partials();
    let reducers = all();
    let work = plan.work(&reducers).unwrap();
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let words = prop_oneof![any::<u64>(), 0u64..100, Just(u64::MAX), Just(1 << 40)];
    let strategy = (0..4096usize, words, 0..8usize, any::<bool>());
    proptest!(config, |((at, word, shift, is_cut) in strategy)| {
        let mut bytes = bodies[0].clone();
        // Most faults are in the first words: lengths, counts, ranges.
        let at = (at / 8 * 8 + if shift == 7 { 3 } else { 0 }) % (bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        if is_cut {
            bytes.truncate(at + shift);
        }
        // A partial result that passes the checks of every number must be of use, too.
        if let Ok(mut partial) = work.load(&bytes)
            && work.merge(&mut partial, work.load(&bodies[1]).unwrap()).is_ok()
        {
            let _ = work.finish(partial);
        }
    });
}

#[test]
fn any_text_is_a_plan_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = float_run(folder.path(), 20);
    let reducers = all();
    let (plan, _) = planned(&path, 2, &reducers);
    let text = std::fs::read_to_string(saved(&plan, folder.path())).unwrap();
    let numbers: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| c.is_ascii_digit() && !text.as_bytes()[at - 1].is_ascii_alphanumeric())
        .map(|(at, _)| at)
        .collect();
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let words = prop_oneof!["[0-9]{1,3}", Just("18446744073709551615".to_owned()), "[a-z\"{}\\[\\],]{0,3}"];
    proptest!(config, |((which, word) in (any::<prop::sample::Index>(), words))| {
        let start = *which.get(&numbers);
        let end = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap();
        let changed = format!("{}{word}{}", &text[..start], &text[end..]);
        let parsed = Plan::parse(&changed);
        prop_assert!(parsed.as_ref().map_or(true, |parsed| *parsed == plan));
        // A change with a hash that fits it.
        let Err(error) = parsed else { return Ok(()) };
        let error = error.to_string();
        if let Some((_, hash)) = error.split_once("found one with ") {
            let Ok(other) = Plan::parse(&changed.replace(&plan.to_string(), hash)) else { return Ok(()) };
            if let Ok(work) = other.work(&reducers) {
                let _ = other.reduce(&work, 0, 1, &mut |_| GoOn::Yes);
            }
        }
    });
}
