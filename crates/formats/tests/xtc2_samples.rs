//! Real and generated files of LCLS-II: all that their description promises is found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

use crate::common;

use std::path::{Path, PathBuf};

use livetime_formats::file::{Next, Reader};
use livetime_formats::xtc2::run::{EventBytes, Run};
use livetime_formats::xtc2::small_data::Original;
use livetime_formats::xtc2::summary::Summary;
use livetime_formats::xtc2::{Datagram, DatagramHeader, NamesTable, Transition};

/// Unpacks a sample into `folder`.
fn unpack(folder: &Path, name: &str, size: usize) -> Option<PathBuf> {
    let packed = std::fs::read(common::data(&format!("xtc2/lcls2/{name}.zst"))?).unwrap();
    let bytes = zstd::decode_all(&packed[..]).unwrap();
    assert_eq!(bytes.len(), size, "{name}");
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    Some(path)
}

fn open(path: &Path) -> Run {
    let run = Run::open(&[path]).unwrap();
    assert!(run.problems().is_empty(), "{:?}", run.problems());
    run
}

#[test]
fn epix10ka_has_four_panels_with_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = unpack(folder.path(), "test_epix_calib.xtc2", 3_922_114) else { return };
    let run = open(&path);
    assert_eq!(run.events().len(), 2);
    let mut bytes = EventBytes::default();
    let mut sums = Vec::new();
    for event in run.events() {
        run.read(event, &mut bytes).unwrap();
        let panels: Vec<_> =
            run.records(event, &bytes).filter(|r| r.names.detector_type == "epix10ka").collect();
        let segments: Vec<u32> = panels.iter().map(|p| p.names.segment).collect();
        assert_eq!(segments, [0, 1, 2, 3]);
        for panel in &panels {
            let raw = panel.value("raw").unwrap();
            assert_eq!(raw.shape(), [352, 384]);
            let pixels: Vec<u16> = raw.elements().unwrap().collect();
            assert_eq!(pixels.len(), 352 * 384);
            sums.push(pixels.iter().map(|p| u64::from(*p)).sum::<u64>());
            assert!(raw.elements::<f32>().is_err());
        }
    }
    assert!(sums.iter().all(|s| *s > 352 * 384 * 1000), "{sums:?}");
    assert_ne!(sums[0], sums[4]);
}

#[test]
fn jungfrau_has_one_panel_and_single_values() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = unpack(folder.path(), "test_jungfrau05M_calib.xtc2", 2_124_558) else { return };
    let run = open(&path);
    assert_eq!(run.events().len(), 2);
    assert_eq!(run.events()[1].step, Some(1));
    // By psana 4.3.4: 2025-03-28 19:08:11.582257.
    assert_eq!(run.events()[0].event_time_ns, 1_743_188_891_582_256_987);
    let mut bytes = EventBytes::default();
    for event in run.events() {
        run.read(event, &mut bytes).unwrap();
        let record = run.records(event, &bytes).find(|r| r.names.detector == "jungfrau").unwrap();
        assert_eq!(record.value("raw").unwrap().shape(), [1, 512, 1024]);
        assert_eq!(record.values().count(), 6);
        assert!(record.value("frame_cnt").unwrap().number().unwrap() > 0.0);
        assert!(record.value("nothing").unwrap_err().to_string().contains("`nothing`"));
    }
}

#[test]
fn digitiser_has_ten_waveforms() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = unpack(folder.path(), "dgramedit-test.xtc2", 2_643_928) else { return };
    let run = open(&path);
    assert_eq!(run.events().len(), 10);
    let transitions: Vec<Transition> = run.transitions().iter().map(|t| t.header.transition()).collect();
    use Transition::{BeginRun, BeginStep, Configure, Disable, Enable, EndRun, EndStep};
    assert_eq!(transitions, [Configure, BeginRun, BeginStep, Enable, Disable, EndStep, EndRun]);
    let mut bytes = EventBytes::default();
    for event in run.events() {
        run.read(event, &mut bytes).unwrap();
        let record = run.records(event, &bytes).find(|r| r.names.algorithm.name == "raw").unwrap();
        let waveform = record.value("chan00").unwrap();
        assert!((200_000..300_000).contains(&waveform.bytes.len()), "{}", waveform.bytes.len());
        assert_eq!(waveform.shape(), [waveform.bytes.len()]);
    }
}

#[test]
fn a_run_goes_on_in_the_chunk_that_it_names() {
    let Some(folder) = common::data("xtc2/lcls2/chunking") else { return };
    let run = open(&folder.join("xpptut15-r0014-s000-c000.xtc2"));
    assert_eq!(run.files().count(), 2);
    assert_eq!(run.events().len(), 15);
    let times: Vec<u64> = run.events().iter().map(|e| e.event_time_ns).collect();
    assert!(times.is_sorted());
    // The second file has no Configure: its records are understood with the first file's.
    let mut bytes = EventBytes::default();
    for event in run.events() {
        run.read(event, &mut bytes).unwrap();
        let record = run.records(event, &bytes).find(|r| r.names.algorithm.name == "fex").unwrap();
        assert_eq!(record.value("intFex").unwrap().number(), Some(42.0));
        assert_eq!(record.value("charStrFex").unwrap().text().as_deref(), Some("Test String"));
        assert_eq!(record.value("arrayFex").unwrap().shape(), [2, 3]);
    }
}

#[test]
fn streams_are_put_together_by_time() {
    for (folder, streams, events, full) in [
        ("fakesteps", 2, 10, 4),
        ("intg_det", 3, 17, 1),
        ("mixed_rate", 2, 100, 10),
        ("multi-seg-epics", 2, 15, 15),
    ] {
        let Some(path) = common::data(&format!("xtc2/lcls2/{folder}")) else { return };
        let files = Run::files_of(&path.join("xpptut15-r0014-s000-c000.xtc2")).unwrap();
        assert_eq!(files.len(), streams, "{folder}");
        let run = Run::open(&files).unwrap();
        assert!(run.problems().is_empty(), "{folder}: {:?}", run.problems());
        assert_eq!(run.events().len(), events, "{folder}");
        assert!(run.transitions().iter().all(|t| t.copies as usize == streams), "{folder}");
        let mut bytes = EventBytes::default();
        let mut whole = 0;
        for event in run.events() {
            run.read(event, &mut bytes).unwrap();
            whole += usize::from(bytes.pieces().count() == streams);
            for record in run.records(event, &bytes) {
                assert!(record.values().all(|v| v.is_ok()), "{folder}: {}", record.names.detector);
            }
        }
        assert_eq!(whole, full, "{folder}");
    }
}

#[test]
fn small_data_tell_where_the_datagrams_are() {
    for folder in ["chunking", "fakesteps", "intg_det", "mixed_rate", "multi-seg-epics"] {
        let Some(path) = common::data(&format!("xtc2/lcls2/{folder}/smalldata")) else { return };
        for small in std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()) {
            let name = small.file_name().unwrap().to_str().unwrap().replace(".smd", "");
            let mut big = std::fs::read(path.parent().unwrap().join(&name)).unwrap();
            let small = std::fs::read(small).unwrap();
            let mut reader = Reader::<DatagramHeader, _>::new(&small[..]);
            let (mut names, mut checked, mut last) = (NamesTable::default(), 0, 0);
            while let Next::Datagram(raw) = reader.next().unwrap() {
                let datagram = Datagram::parse(raw.bytes).unwrap();
                names.update(&datagram);
                if datagram.header.transition() != Transition::L1Accept {
                    continue;
                }
                let original = Original::find(&datagram, &names).unwrap();
                if original.offset < last {
                    // The run continues in the next chunk.
                    big = std::fs::read(path.parent().unwrap().join("data-r0001-s000-c001.xtc2")).unwrap();
                }
                last = original.offset;
                let event = Datagram::parse(&big[original.offset as usize..]).unwrap();
                assert_eq!(event.header.event_time_ns, datagram.header.event_time_ns, "{name}");
                assert_eq!(event.bytes.len() as u64, original.length, "{name}");
                checked += 1;
            }
            assert!(checked > 0, "{name}");
        }
    }
}

/// A file for one detector `d` with one field, written by hand.
fn described(field: &str, number: u32, value: &[u8]) -> (Vec<u8>, Vec<u8>) {
    fn xtc(src: u32, kind: u16, payload: &[u8]) -> Vec<u8> {
        let mut bytes = src.to_le_bytes().to_vec();
        bytes.extend([0, 0]);
        bytes.extend(kind.to_le_bytes());
        bytes.extend((12 + payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
        bytes
    }
    fn name(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(256, 0);
        bytes
    }
    let mut names = 0u32.to_le_bytes().to_vec();
    [name("t"), name("d"), name("1"), name("raw")].iter().for_each(|n| names.extend(n));
    names.extend(0x0001_0203u32.to_le_bytes());
    names.extend(0u32.to_le_bytes());
    [name(""), vec![0; 4], name(field)].iter().for_each(|n| names.extend(n));
    names.extend(number.to_le_bytes());
    names.extend(0u32.to_le_bytes());
    let datagram = |transition: u32, payload: &[u8]| {
        let mut bytes = [0u32, 1, transition << 24].map(u32::to_le_bytes).concat();
        bytes.extend(xtc(0, 0, payload));
        bytes
    };
    let data = xtc(0x105, 1, &xtc(0, 3, value));
    (datagram(2, &xtc(0x105, 4, &names)), datagram(12, &data))
}

#[test]
fn a_second_configure_gives_numbers_another_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x-r0001-s000-c000.xtc2");
    let (first, event) = described("a", 1, &7u16.to_le_bytes());
    let (second, other) = described("b", 9, &2.5f64.to_le_bytes());
    let mut bytes = [first, event, second, other].concat();
    // Times 1 to 4, so that the order of time is the order of the file.
    let mut at = 0;
    for seconds in 1u32..=4 {
        bytes[at + 4..at + 8].copy_from_slice(&seconds.to_le_bytes());
        at += 12 + u32::from_le_bytes(bytes[at + 20..at + 24].try_into().unwrap()) as usize;
    }
    std::fs::write(&path, &bytes).unwrap();
    let run = open(&path);
    let mut found = Vec::new();
    let mut event_bytes = EventBytes::default();
    for event in run.events() {
        run.read(event, &mut event_bytes).unwrap();
        for record in run.records(event, &event_bytes) {
            assert_eq!(record.names.algorithm.version, [1, 2, 3]);
            let value = record.values().next().unwrap().unwrap();
            found.push((value.field.name.clone(), value.number()));
        }
    }
    assert_eq!(found, [("a".into(), Some(7.0)), ("b".into(), Some(2.5))]);
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_its_last_datagram() {
    let Some(folder) = common::data("xtc2/lcls2/multi-seg-epics") else { return };
    let bytes = std::fs::read(folder.join("xpptut15-r0014-s000-c000.xtc2")).unwrap();
    let read = |file: &[u8]| {
        let mut reader = Reader::<DatagramHeader, _>::new(file);
        let mut ends = vec![0];
        while let Next::Datagram(raw) = reader.next().unwrap() {
            ends.push(raw.offset + raw.bytes.len() as u64);
        }
        ends
    };
    let all = read(&bytes);
    assert_eq!(all.last(), Some(&(bytes.len() as u64)));
    for cut in 0..bytes.len() {
        let expected: Vec<u64> = all.iter().copied().filter(|end| *end <= cut as u64).collect();
        assert_eq!(read(&bytes[..cut]), expected, "cut at {cut}");
    }
}

#[test]
fn a_summary_counts_records_by_detector() {
    let Some(folder) = common::data("xtc2/lcls2/chunking") else { return };
    let file = std::fs::File::open(folder.join("xpptut15-r0014-s000-c000.xtc2")).unwrap();
    let summary = Summary::scan(&file, |_| true).unwrap();
    assert!(summary.datagrams.is_whole());
    assert_eq!((summary.datagrams.events, summary.undescribed), (10, 0));
    let fex = summary.records.iter().filter(|(r, _)| r.detector == "xpphsd" && r.algorithm == "fex 4.5.6");
    // Two segments, in every event and once in Configure.
    assert_eq!(fex.map(|(_, c)| c.count).sum::<u64>(), 22);
}
