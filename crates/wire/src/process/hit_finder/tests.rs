use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_formats::wib::{Faults, Wib1FrameMut};
use livetime_frame::Frame;
use livetime_kernels::wib::{WIB1_BYTES, pack_wib1};

use super::*;
use crate::{RawFormat, RawLabels, State, link_of, watermark_of};

const FIRST: u64 = 80_150_024_000_000_000;

#[test]
fn keeps_the_contract() {
    assert_compliant::<HitFinder>(&[]);
}

/// Frames of a link of ProtoDUNE-SP with noise of a few counts, and pulses of 100 counts around the ticks and channels of `pulses`.
fn frames(ticks: usize, pulses: &[(usize, usize)]) -> Vec<u8> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as i16 % 7
    };
    let mut samples: Vec<i16> = (0..256 * ticks).map(|_| 900 + random()).collect();
    for (tick, channel) in pulses {
        for (i, part) in [10, 40, 80, 100, 80, 40, 10].into_iter().enumerate() {
            samples[(tick + i - 3) * 256 + channel] += part;
        }
    }
    let mut frames = vec![0; ticks * WIB1_BYTES];
    pack_wib1(&samples, &mut frames).unwrap();
    for (i, frame) in frames.chunks_exact_mut(WIB1_BYTES).enumerate() {
        let mut frame = Wib1FrameMut::new(frame).unwrap();
        frame.set_identity(5, 2, 1);
        frame.set_timestamp(FIRST + 25 * i as u64);
    }
    frames
}

struct Bench {
    node: Harness,
    hits: Vec<HitRow>,
    ledger: Vec<LedgerRow>,
    watermark: u64,
}

impl Bench {
    fn new(params: &[(&str, Value)]) -> Bench {
        let node = Harness::new::<HitFinder>(params).unwrap();
        Bench { node, hits: Vec::new(), ledger: Vec::new(), watermark: 0 }
    }

    fn batch(&mut self, frames: &[u8], first: u64, faults: Faults) -> Frame {
        let label = |header: &mut _| RawLabels::new(RawFormat::Wib1).put(header, 3, first, faults.bits());
        self.node.bytes_with(frames, label).unwrap()
    }

    fn feed(&mut self, frames: &[u8], from: usize, faults: Faults) {
        let batch = self.batch(frames, FIRST + 25 * from as u64, faults);
        let out = self.node.feed(&batch).unwrap();
        self.take(&out);
    }

    fn take(&mut self, tables: &[Frame]) {
        for table in tables {
            let (mut hits, mut ledger) = (Vec::new(), Vec::new());
            if RowTable::<HitRow>::default().read(table, &mut hits).is_ok() {
                assert_eq!(link_of(table), Some(3));
                let watermark = watermark_of(table).unwrap();
                assert!(
                    watermark >= self.watermark && hits.iter().all(|hit| hit.time_start >= self.watermark)
                );
                self.watermark = watermark;
                self.hits.append(&mut hits);
            } else {
                RowTable::<LedgerRow>::default().read(table, &mut ledger).unwrap();
                self.ledger.append(&mut ledger);
            }
        }
    }

    /// Feeds all in batches of `batch` frames; the hits by time and channel.
    fn run(&mut self, frames: &[u8], batch: usize) -> Vec<HitRow> {
        for (i, part) in frames.chunks(batch * WIB1_BYTES).enumerate() {
            self.feed(part, i * batch, Faults::NONE);
        }
        self.drain()
    }

    fn drain(&mut self) -> Vec<HitRow> {
        let out = self.node.drain().unwrap();
        self.take(&out);
        let mut hits = std::mem::take(&mut self.hits);
        hits.sort_by_key(|hit| (hit.time_start, hit.channel));
        hits
    }
}

/// Ticks of the hits' peaks, with their channels in the order of the wires.
fn peaks(hits: &[HitRow]) -> Vec<(u64, u32)> {
    hits.iter().map(|hit| ((hit.time_peak(25) - FIRST) / 25, hit.channel)).collect()
}

fn wire(channel: usize) -> u32 {
    livetime_formats::channel_map::sp_wire(5, 2, 1, channel).unwrap().offline
}

#[test]
fn hits_are_on_their_wires_whatever_the_batches_and_planes() {
    let pulses = [(150, 10), (150, 9), (300, 40), (700, 200), (995, 250)];
    let frames = frames(1000, &pulses);
    let all = Bench::new(&[]).run(&frames, 1000);
    let mut wanted: Vec<_> =
        pulses[..4].iter().map(|(tick, channel)| (*tick as u64, wire(*channel))).collect();
    wanted.sort();
    let mut found = peaks(&all);
    found.sort();
    assert_eq!(found[..4], wanted);
    // The last one was still open at the end.
    assert_eq!((all[4].channel, all[4].flags), (wire(250), HitRow::OPEN));
    for batch in [1, 12, 100, 384] {
        assert_eq!(Bench::new(&[]).run(&frames, batch), all, "{batch}");
    }
    // Two nodes, or a node that could shed, find the same.
    let mut parts = Bench::new(&[("planes", "collection".into())]).run(&frames, 96);
    assert!(parts.iter().all(|hit| hit.plane == 2) && !parts.is_empty());
    parts.extend(Bench::new(&[("planes", "induction".into())]).run(&frames, 96));
    parts.sort_by_key(|hit| (hit.time_start, hit.channel));
    assert_eq!(parts, all);
    assert_eq!(Bench::new(&[("shed_after", 1.0.into())]).run(&frames, 96), all);
}

#[test]
fn golden_frames_give_the_golden_hits() {
    let (Some(packed), Some(list)) =
        (livetime_testkit::data("wib/wib1_frames.bin.zst"), livetime_testkit::data("wib/wib1_hits_seed.txt"))
    else {
        return;
    };
    let frames = zstd::decode_all(std::fs::File::open(packed).unwrap()).unwrap();
    let mut wanted: Vec<(u64, u32, u32, u16)> = std::fs::read_to_string(list)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let n: Vec<u64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let [superchunk, channel, end, sum, over] = n[..] else { panic!("{line}") };
            let start = (superchunk * 12 + end).wrapping_sub(over);
            (FIRST.wrapping_add(start.wrapping_mul(25)), wire(channel as usize), sum as u32, over as u16)
        })
        .collect();
    wanted.sort();
    for batch in [12, 96, 500] {
        for planes in ["all", "parts"] {
            let mut hits = Vec::new();
            for planes in if planes == "all" { &["all"][..] } else { &["collection", "induction"] } {
                let mut bench = Bench::new(&[("algorithm", "seed".into()), ("planes", (*planes).into())]);
                hits.extend(bench.run(&frames, batch));
            }
            // Hits that are still open at the end of the frames are not in the list.
            hits.retain(|hit| hit.flags & HitRow::OPEN == 0);
            let mut found: Vec<_> =
                hits.iter().map(|h| (h.time_start, h.channel, h.adc_integral, h.samples_over)).collect();
            found.sort();
            assert_eq!(found, wanted, "{batch} {planes}");
        }
    }
}

#[test]
fn frames_that_are_missing_end_hits_and_make_none() {
    let frames = frames(1200, &[(150, 10), (400, 10), (800, 77)]);
    let part = |from: usize, to: usize| &frames[from * WIB1_BYTES..to * WIB1_BYTES];
    for (from, to) in [(400, 410), (400, 600), (390, 391)] {
        let mut bench = Bench::new(&[]);
        bench.feed(part(0, from), 0, Faults::NONE);
        bench.feed(part(to, 1200), to, Faults::NONE);
        let hits = bench.drain();
        let gap: Vec<_> = hits.iter().filter(|hit| hit.flags & HitRow::GAP != 0).collect();
        assert_eq!(gap.len(), usize::from(from == 400), "{hits:?}");
        assert!(gap.iter().all(|hit| hit.time_end(25) <= FIRST + 400 * 25), "{gap:?}");
        assert_eq!(hits.len(), 3, "{hits:?}");
        let dropped = LedgerRow {
            link: 3,
            begin: FIRST + 25 * from as u64,
            end: FIRST + 25 * to as u64,
            state: State::Dropped as u8,
            bits: 0,
        };
        assert_eq!(bench.ledger, [dropped]);
        assert_eq!(bench.node.number_of("gaps"), 1.0);
    }
}

#[test]
fn a_bad_block_makes_no_hit_and_moves_no_pedestal() {
    let mut frames = frames(1000, &[(150, 10), (500, 70), (700, 140)]);
    // The second block is 4095 for 100 frames, and says so; others have a pulse meanwhile.
    let high = vec![4095i16; 256];
    let mut bad = vec![0; WIB1_BYTES];
    pack_wib1(&high, &mut bad).unwrap();
    for frame in frames.chunks_exact_mut(WIB1_BYTES).skip(600).take(200) {
        frame[128 + 16..128 + 112].copy_from_slice(&bad[128 + 16..128 + 112]);
        Wib1FrameMut::new(frame).unwrap().set_capture_errors(1, [1, 0]);
    }
    for batch in [12, 250, 1000] {
        let mut bench = Bench::new(&[]);
        for (i, part) in frames.chunks(batch * WIB1_BYTES).enumerate() {
            bench.feed(part, i * batch, Faults::capture(1));
        }
        let found = peaks(&bench.drain());
        assert_eq!(found, [(150, wire(10)), (500, wire(70)), (700, wire(140))], "{batch}");
        assert_eq!(bench.node.number_of("faulty_frames"), 200.0);
    }
}

#[test]
fn a_chip_that_does_not_change_is_named_with_its_time() {
    let mut frames = frames(1000, &[]);
    let mut samples = vec![0i16; 256 * 1000];
    livetime_kernels::wib::unpack_wib1(livetime_kernels::Level::best(), &frames, &mut samples).unwrap();
    for row in samples.chunks_exact_mut(256).skip(200).take(500) {
        row[24..32].fill(0);
    }
    pack_wib1(&samples, &mut frames).unwrap();
    for batch in [7, 12, 500] {
        let mut bench = Bench::new(&[]);
        bench.run(&frames, batch);
        let constant = LedgerRow {
            link: 3,
            begin: FIRST + 25 * 200,
            end: FIRST + 25 * 700,
            state: State::Corrupt as u8,
            bits: Faults::CONSTANT.bits(),
        };
        assert_eq!(bench.ledger, [constant]);
    }
}

#[test]
fn what_waits_too_long_is_searched_in_part_and_told() {
    let frames = frames(1200, &[(150, 10), (150, 40), (450, 11), (450, 41), (1050, 12)]);
    let mut bench = Bench::new(&[("shed_after", 0.001.into())]);
    // An entry at 0 is none.
    bench.node.advance(1_000_000).unwrap();
    let batches: Vec<Frame> = (0..4)
        .map(|i| {
            let part = &frames[i * 300 * WIB1_BYTES..(i + 1) * 300 * WIB1_BYTES];
            bench.batch(part, FIRST + 25 * 300 * i as u64, Faults::NONE)
        })
        .collect();
    let feed = |bench: &mut Bench, batch: usize, now_ns: u64| {
        bench.node.advance(now_ns).unwrap();
        let out = bench.node.feed(&batches[batch]).unwrap();
        bench.take(&out);
    };
    feed(&mut bench, 0, 1_000_000);
    feed(&mut bench, 1, 2_500_000);
    feed(&mut bench, 2, 6_000_000);
    feed(&mut bench, 3, 6_000_000);
    let mut found = peaks(&bench.drain());
    found.sort();
    let mut wanted = [(150, wire(10)), (150, wire(40)), (450, wire(11))];
    wanted.sort();
    assert_eq!(found, wanted);
    let row = |batches: std::ops::Range<u64>, state: State| LedgerRow {
        link: 3,
        begin: FIRST + 25 * 300 * batches.start,
        end: FIRST + 25 * 300 * batches.end,
        state: state as u8,
        bits: 0,
    };
    // Every second batch is left out altogether: by their times the last one is.
    assert_eq!(bench.ledger, [row(1..3, State::InductionShed), row(3..4, State::Shed)]);
    assert_eq!(bench.node.number_of("batches_shed"), 3.0);
}

#[test]
fn other_links_are_let_alone_and_nonsense_is_refused() {
    let mut bench = Bench::new(&[("links", "0-2".into())]);
    let batch = bench.batch(&frames(12, &[]), FIRST, Faults::NONE);
    assert!(bench.node.feed(&batch).unwrap().is_empty());
    let plain = bench.node.bytes(&[0; 464]).unwrap();
    assert!(bench.node.feed(&plain).unwrap_err().to_string().contains("`format`"));
    assert!(Harness::new::<HitFinder>(&[("links", "a".into())]).is_err());
    assert!(Harness::new::<HitFinder>(&[("masked", "1,b".into())]).is_err());
}
