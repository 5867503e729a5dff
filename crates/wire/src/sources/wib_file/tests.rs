use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_formats::wib::{Faults, RawFormat, Wib1Frame, Wib1FrameMut};
use livetime_frame::Frame;

use super::*;
use crate::{Interval, LedgerRow, LinkLedger, RawBatch, RowTable, State};

fn golden(name: &str) -> Option<String> {
    Some(livetime_testkit::data(name)?.to_str().unwrap().to_owned())
}

/// Runs a source to its end: batches and ledgers.
fn run(params: &[(&str, Value)]) -> (Harness, Vec<Frame>, Vec<LedgerRow>) {
    let mut source = Harness::new::<WibFile>(params).unwrap();
    let (mut batches, mut rows, mut some) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let (frames, next) = source.produce().unwrap();
        for frame in frames {
            if RawBatch::of(&frame).is_ok() {
                batches.push(frame);
                continue;
            }
            RowTable::<LedgerRow>::default().read(&frame, &mut some).unwrap();
            rows.append(&mut some);
        }
        match next {
            Next::Finished => return (source, batches, rows),
            Next::At(ns) => drop(source.advance(ns)),
            _ => {}
        }
    }
}

fn ledger(rows: &[LedgerRow], link: u16) -> LinkLedger {
    let mut ledger = LinkLedger::default();
    rows.iter().filter(|row| row.link == link).for_each(|row| ledger.tell(Interval::from(row)));
    ledger
}

#[test]
fn golden_frames_come_out_unchanged() {
    for (name, format) in
        [("wib/wib1_frames.bin.zst", RawFormat::Wib1), ("wib/wibeth_frames.bin.zst", RawFormat::WibEth)]
    {
        let Some(file) = golden(name) else { return };
        let wanted = zstd::decode_all(std::fs::File::open(&file).unwrap()).unwrap();
        for batch in [0, 1, 7, 100_000] {
            let (mut source, batches, rows) = run(&[("file", file.as_str().into()), ("batch", batch.into())]);
            let bytes: Vec<u8> = batches.iter().flat_map(|f| f.bytes().iter().copied()).collect();
            assert!(bytes == wanted, "{name} in batches of {batch}");
            let batches: Vec<_> = batches.iter().map(|frame| RawBatch::of(frame).unwrap()).collect();
            assert!(batches.iter().all(|b| (b.format, b.link, b.faults) == (format, 0, 0)));
            assert!(batches.windows(2).all(|w| w[0].end() == w[1].first));
            let ledger = ledger(&rows, 0);
            assert_eq!(ledger.ticks_in(State::Good), format.step() * (wanted.len() / format.bytes()) as u64);
            assert_eq!(
                (ledger.ticks(), source.number_of("skipped_bytes")),
                (ledger.ticks_in(State::Good), 0.0)
            );
        }
    }
}

#[test]
fn a_cut_and_garbage_are_told() {
    let Some(file) = golden("wib/wib1_frames.bin.zst") else { return };
    let mut bytes = zstd::decode_all(std::fs::File::open(&file).unwrap()).unwrap();
    bytes.drain(700 * 464 + 100..701 * 464);
    bytes.splice(2000 * 464..2000 * 464, [0x5A; 1000]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.bin");
    std::fs::write(&path, bytes).unwrap();
    let (mut source, batches, rows) = run(&[("file", path.to_str().unwrap().into())]);
    let ledger = ledger(&rows, 0);
    assert_eq!((ledger.ticks_in(State::Good), ledger.ticks_in(State::Absent)), (2999 * 25, 25));
    assert_eq!(source.number_of("skipped_bytes"), 1100.0);
    assert_eq!((source.number_of("missing"), source.number_of("frames")), (1.0, 2999.0));
    assert_eq!(batches.iter().map(|frame| RawBatch::of(frame).unwrap().len()).sum::<usize>(), 2999);
}

/// Each recipe for faults, all in one file, for every size of batches.
#[test]
fn every_fault_is_in_the_ledger_where_it_is() {
    let Some(file) = golden("wib/wib1_frames.bin.zst") else { return };
    let whole = zstd::decode_all(std::fs::File::open(&file).unwrap()).unwrap();
    let first = Wib1Frame::parse(&whole[..464]).unwrap().timestamp();
    let mut frames: Vec<Vec<u8>> = whole.chunks(464).map(<[u8]>::to_vec).collect();
    fn edit(frames: &mut [Vec<u8>], frame: usize) -> Wib1FrameMut<'_> {
        Wib1FrameMut::new(&mut frames[frame]).unwrap()
    }
    edit(&mut frames, 60).set_timestamp(first + 60 * 25 - 1000);
    edit(&mut frames, 70).set_errors(true, false, 0);
    edit(&mut frames, 75).set_errors(false, true, 0);
    edit(&mut frames, 80).set_errors(false, false, 3);
    edit(&mut frames, 90).set_capture_errors(1, [0x80, 0]);
    edit(&mut frames, 100).set_identity(5, 2, 2);
    frames[2500].truncate(200);
    frames[900..2100].iter_mut().for_each(Vec::clear);
    frames[700].clear();
    frames.swap(50, 51);
    frames.insert(40, frames[40].clone());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faults.bin");
    std::fs::write(&path, frames.concat()).unwrap();
    use State::{Absent, Corrupt, Late};
    let none = Faults::NONE;
    let wanted = [
        (50, 51, Late, none),
        (60, 61, Absent, Faults::BACK),
        (70, 71, Corrupt, Faults::MM),
        (75, 76, Corrupt, Faults::OOS),
        (80, 81, Corrupt, Faults::WIB_ERRORS),
        (90, 91, Corrupt, Faults::capture(1)),
        (100, 101, Corrupt, Faults::IDENTITY),
        (700, 701, Absent, none),
        (900, 2100, Absent, none),
        (2500, 2501, Absent, none),
    ];
    for batch in [1, 5, 12, 384, 100_000] {
        let (mut source, batches, rows) =
            run(&[("file", path.to_str().unwrap().into()), ("batch", batch.into())]);
        let ledger = ledger(&rows, 0);
        let frame = |stamp: u64| (stamp - first) / 25;
        let odd = ledger.intervals().filter(|i| i.state != State::Good);
        let odd: Vec<_> =
            odd.map(|i| (frame(i.begin), frame(i.end), i.state, Faults::of_bits(i.bits))).collect();
        assert_eq!(odd, wanted, "batches of {batch}");
        assert_eq!(State::ALL.map(|state| ledger.ticks_in(state)).iter().sum::<u64>(), 3000 * 25);
        // All good or corrupt time was sent, each frame at its time.
        let mut sent = 0;
        for batch in batches.iter().map(|frame| RawBatch::of(frame).unwrap()) {
            for (i, bytes) in batch.frames().enumerate() {
                let stamp = batch.first + 25 * i as u64;
                assert!(bytes == &whole[frame(stamp) as usize * 464..][..464] || batch.faults != 0);
                assert_eq!(Wib1Frame::parse(bytes).unwrap().timestamp(), stamp);
            }
            sent += batch.len() as u64;
        }
        assert_eq!(
            sent * 25,
            [State::Good, Late, Corrupt].map(|state| ledger.ticks_in(state)).iter().sum::<u64>()
        );
        assert_eq!((source.number_of("dropped"), source.number_of("skipped_bytes")), (2.0, 200.0));
    }
}

#[test]
fn frames_without_memory_are_told_of_as_dropped() {
    let Some(file) = golden("wib/wibeth_frames.bin.zst") else { return };
    // The batches of two links, begun together, are more than the node may have.
    let files = format!("{file}\n{file}");
    let mut source =
        Harness::new::<WibFile>(&[("file", files.as_str().into()), ("batch", 100_000.into())]).unwrap();
    let (mut kept, mut errors) = (Vec::new(), 0);
    for _ in 0..4 {
        match source.produce() {
            Ok((frames, _)) => kept.extend(frames),
            Err(_) => errors += 1,
        }
    }
    let (mut rows, mut some) = (Vec::new(), Vec::new());
    for frame in kept.iter().filter(|frame| frame.table().is_ok()) {
        RowTable::<LedgerRow>::default().read(frame, &mut some).unwrap();
        rows.append(&mut some);
    }
    assert_eq!((errors, ledger(&rows, 0).ticks_in(State::Good)), (1, 120 * 2048));
    assert_eq!(ledger(&rows, 1).ticks_in(State::Dropped), 120 * 2048);
}

#[test]
fn links_side_by_side_in_order_of_time_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    for link in 0..3u8 {
        let mut frames = vec![0; 100 * Wib1Frame::BYTES];
        for (i, bytes) in frames.chunks_mut(Wib1Frame::BYTES).enumerate() {
            let mut frame = Wib1FrameMut::new(bytes).unwrap();
            frame.set_identity(5, link, 1);
            frame.set_timestamp(1000 + u64::from(link) + 25 * i as u64);
            frame.set_errors(i == 50, false, 0);
        }
        std::fs::write(folder.path().join(format!("link-{link}.bin")), frames).unwrap();
    }
    let pattern = folder.path().join("link-*.bin");
    let params = [
        ("file", pattern.to_str().unwrap().into()),
        ("batch", 10.into()),
        ("first_link", 40.into()),
        ("loops", 3.into()),
        ("timing", "recorded".into()),
    ];
    let (mut source, batches, rows) = run(&params);
    let batches: Vec<_> = batches.iter().map(|frame| RawBatch::of(frame).unwrap()).collect();
    assert_eq!((batches.len(), source.number_of("links")), (90, 3.0));
    assert!(batches.windows(2).all(|w| w[0].first <= w[1].first), "the link that is behind comes first");
    for link in 40..43 {
        let own: Vec<_> = batches.iter().filter(|b| b.link == link).collect();
        // The other links are up to 2 ticks later, and time continues in whole frames.
        assert!(own.windows(2).all(|w| w[1].first - w[0].end() <= 25));
        assert_eq!(own.iter().filter(|b| b.faults == Faults::MM.bits()).count(), 3);
        assert_eq!(ledger(&rows, link).ticks_in(State::Corrupt), 75);
    }
    assert_eq!(source.get("faults"), Some("mm: 9".into()));
    assert_eq!((source.number_of("frames"), source.number_of("epochs")), (900.0, 3.0));
}

#[test]
fn what_holds_no_frames_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.bin");
    std::fs::write(&path, "no frames at all").unwrap();
    let error =
        Harness::new::<WibFile>(&[("file", path.to_str().unwrap().into())]).err().unwrap().to_string();
    assert!(error.contains("text.bin") && error.contains("found 16 bytes without"), "{error}");
    assert!(Harness::new::<WibFile>(&[("file", "/nowhere/x.bin".into())]).is_err());
}

#[test]
fn keeps_the_contract() {
    let Some(file) = golden("wib/wib1_frames.bin.zst") else { return };
    assert_compliant::<WibFile>(&[("file", file.as_str().into()), ("batch", 12.into())]);
}
