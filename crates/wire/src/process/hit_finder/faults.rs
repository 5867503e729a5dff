//! Hits under random faults of the frames: they depend neither on batches, nor on the division of planes, nor on the
//! level.

use std::collections::HashSet;

use livetime_engine::Value;
use livetime_engine::testing::Harness;
use livetime_formats::wib::{Faults, Wib1FrameMut};
use livetime_frame::Frame;
use livetime_kernels::Level;
use livetime_kernels::random::Counter;
use livetime_kernels::wib::{WIB1_BYTES, pack_wib1};

use super::*;
use crate::process::hit_merger::HitMerger;
use crate::{IngestOptions, LinkIngest, RawFormat, RawLabels, Step};

const FIRST: u64 = 80_150_024_000_000_000;
const FRAMES: usize = 1500;

/// Numbers by chance, one after the other.
struct Draw(Counter, usize);

impl Draw {
    fn below(&mut self, below: usize) -> usize {
        self.1 += 1;
        (self.0.at(self.1) % below as u64) as usize
    }
}

/// Frames with noise, pulses and faults, as they come.
fn frames(draw: &mut Draw) -> Vec<Vec<u8>> {
    let mut samples: Vec<i16> = (0..256 * FRAMES).map(|_| 900 + draw.below(9) as i16).collect();
    for _ in 0..600 {
        let (tick, channel, height) = (draw.below(FRAMES - 40), draw.below(256), 30 + draw.below(400) as i16);
        for i in 0..3 + draw.below(30) {
            samples[(tick + i) * 256 + channel] += height;
        }
    }
    // A chip that dies and comes back.
    let (chip, dead) = (draw.below(32), draw.below(FRAMES - 300));
    for row in samples.chunks_exact_mut(256).skip(dead).take(60 + draw.below(100)) {
        row[8 * chip..8 * chip + 8].fill(4095);
    }
    let mut packed = vec![0; FRAMES * WIB1_BYTES];
    pack_wib1(&samples, &mut packed).unwrap();
    let (mut sent, mut clock, mut bad) = (Vec::new(), FIRST, (0, 0));
    for (i, bytes) in packed.chunks_exact_mut(WIB1_BYTES).enumerate() {
        let mut frame = Wib1FrameMut::new(bytes).unwrap();
        frame.set_identity(5, 2, 1);
        let mut stamp = clock + 25 * i as u64;
        let mut times = 1;
        match draw.below(1500) {
            // Blocks that are bad for long, wherever a batch begins.
            0..12 => bad = (1 + draw.below(70), draw.below(4)),
            12..20 => times = 0,
            20..24 => times = 2,
            24..28 => stamp += 25 * (1 + draw.below(2000)) as u64,
            28..32 => stamp -= 25 * (1 + draw.below(2000)) as u64,
            32..34 => stamp += 7,
            34..36 => frame.set_errors(true, false, 0),
            36 => clock += 25 * draw.below(60) as u64,
            37 if draw.below(2) == 0 => clock -= 50_000_000,
            37 => clock += 600_000_000,
            _ => {}
        }
        frame.set_timestamp(stamp);
        if bad.0 > 0 {
            bad.0 -= 1;
            frame.set_capture_errors(bad.1, [0, 1]);
            // The samples of a block with faults are nonsense.
            bytes[16 + 112 * bad.1 + 16..112 * (bad.1 + 1) + 16].fill(draw.below(256) as u8);
        }
        (0..times).for_each(|_| sent.push(bytes.to_vec()));
        let len = sent.len();
        if len > 40 && draw.below(300) == 0 {
            // Blocks that are exchanged.
            let block = 1 + draw.below(20);
            sent[len - 2 * block..].rotate_left(block);
        }
    }
    sent
}

/// Batches of at most `most` frames as a source sends them, and the times that were received.
fn batches(node: &Harness, frames: &[Vec<u8>], most: usize) -> (Vec<Frame>, HashSet<u64>) {
    struct Open {
        bytes: Vec<u8>,
        first: u64,
        epoch: u64,
        faults: Faults,
    }
    let (mut done, mut open, mut received): (Vec<Open>, Option<Open>, HashSet<_>) = Default::default();
    let mut link = LinkIngest::new(RawFormat::Wib1, 3, IngestOptions::default());
    let mut take = |frame: crate::Settled<'_>| {
        if frame.step == Step::Drop {
            return;
        }
        received.insert(frame.stamp);
        let is_full = open.as_ref().is_some_and(|open| open.bytes.len() == most * WIB1_BYTES);
        if frame.step == Step::Begin || is_full {
            done.extend(open.take());
        }
        let (first, epoch) = (frame.stamp, frame.epoch);
        let open = open.get_or_insert(Open { bytes: Vec::new(), first, epoch, faults: Faults::NONE });
        open.bytes.extend_from_slice(frame.bytes);
        open.faults |= frame.faults.without(Faults::GAP);
    };
    frames.iter().for_each(|frame| link.next(frame, &mut take));
    link.finish(&mut Vec::new(), &mut take);
    done.extend(open);
    let (labels, mut after) = (RawLabels::new(RawFormat::Wib1), 0);
    let mut memory = node.pool().allocator();
    let batches = done.iter().map(|batch| {
        let mut frame = memory.bytes(batch.bytes.len()).unwrap();
        frame.bytes_mut().copy_from_slice(&batch.bytes);
        labels.put(frame.header_mut(), 3, batch.first, batch.faults.bits());
        let is_new = after < batch.epoch || after > batch.first;
        labels.put_more(frame.header_mut(), batch.epoch, if is_new { batch.epoch } else { after }, 0);
        after = batch.first + 25 * (batch.bytes.len() / WIB1_BYTES) as u64;
        frame.freeze()
    });
    (batches.collect(), received)
}

/// The hits behind the merger, and the ledger of the finders.
fn hits(
    frames: &[Vec<u8>],
    most: usize,
    shares: &[&str],
    more: &[(&str, Value)],
) -> (Vec<HitRow>, Vec<LedgerRow>) {
    let mut merger = Harness::new::<HitMerger>(&[("links", "3".into())]).unwrap();
    let (mut merged, mut ledger) = (Vec::new(), Vec::new());
    let finder = |planes: &&str| {
        let params = [&[("planes", (*planes).into())][..], more].concat();
        Harness::new::<HitFinder>(&params).unwrap()
    };
    let mut finders: Vec<Harness> = shares.iter().map(finder).collect();
    let (batches, _) = batches(&merger, frames, most);
    let mut take = |tables: Vec<Frame>, number: usize, merger: &mut Harness| {
        for table in tables {
            let mut rows = Vec::new();
            if RowTable::<LedgerRow>::default().read(&table, &mut rows).is_ok() {
                ledger.append(&mut rows);
                continue;
            }
            // All harnesses have one name.
            let mut named = merger.pool().allocator().table(table.table().unwrap().layout().clone()).unwrap();
            let mut rows = Vec::new();
            RowTable::<HitRow>::default().read(&table, &mut rows).unwrap();
            <HitRow as crate::Row>::put(&rows, &mut named).unwrap();
            let labels = RowTable::<HitRow>::default();
            labels.set_link(&mut named, 3);
            labels.set_watermark(&mut named, crate::watermark_of(&table).unwrap());
            let name: Arc<str> = Arc::from(format!("finder{number}"));
            labels.set_finder(&mut named, &name, crate::planes_of(&table));
            for out in merger.feed(&named.freeze()).unwrap() {
                let mut rows = Vec::new();
                RowTable::<HitRow>::default().read(&out, &mut rows).unwrap();
                merged.append(&mut rows);
            }
        }
    };
    // One is as many batches ahead of the others as may be.
    for batch in &batches {
        let out = finders[0].feed(batch).unwrap();
        take(out, 0, &mut merger);
    }
    for (number, finder) in finders.iter_mut().enumerate() {
        if number > 0 {
            for batch in &batches {
                let out = finder.feed(batch).unwrap();
                take(out, number, &mut merger);
            }
        }
        let out = finder.drain().unwrap();
        take(out, number, &mut merger);
    }
    let out = merger.drain().unwrap();
    for table in out {
        let mut rows = Vec::new();
        RowTable::<HitRow>::default().read(&table, &mut rows).unwrap();
        merged.append(&mut rows);
    }
    assert_eq!(merger.number_of("hits_tardy"), 0.0);
    (merged, ledger)
}

#[test]
fn hits_depend_on_the_frames_alone() {
    for seed in 0..12 {
        let sent = frames(&mut Draw(Counter::new(seed, [1, 2]), 0));
        let algorithm = ["default", "seed", "tpg"][seed as usize % 3];
        let mut more: Vec<(&str, Value)> =
            vec![("algorithm", algorithm.into()), ("noisy_rate", 300_000.into())];
        if algorithm == "tpg" {
            more.push(("tpg_from_first", true.into()));
        }
        if seed % 4 == 0 {
            more.push(("remove_coherent", true.into()));
        }
        let (wanted, told) = hits(&sent, 64, &["all"], &more);
        assert!(wanted.len() > 100, "seed {seed}: {} hits", wanted.len());
        assert!(
            told.iter().all(|row| row.state == crate::State::Corrupt as u8),
            "nothing was lost on the way"
        );
        for most in [1, 3, 384] {
            assert_eq!(hits(&sent, most, &["all"], &more).0, wanted, "seed {seed}, batches of {most}");
        }
        for most in [1, 64] {
            let shared = hits(&sent, most, &["collection", "induction"], &more).0;
            assert_eq!(shared, wanted, "seed {seed}, planes shared, batches of {most}");
        }
        for level in Level::available() {
            Level::set_limit(Some(level));
            let found = hits(&sent, 48, &["all"], &more).0;
            Level::set_limit(None);
            assert_eq!(found, wanted, "seed {seed}, level {}", level.name());
        }
        let node = Harness::new::<HitFinder>(&[]).unwrap();
        let (_, received) = batches(&node, &sent, 64);
        for hit in &wanted {
            let times = [hit.time_start, hit.time_end(25) - 25];
            assert!(
                times.iter().all(|time| received.contains(time)),
                "seed {seed}: a hit in time that never came: {hit:?}"
            );
        }
    }
}
