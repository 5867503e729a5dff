use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{FramePool, TableLayout};
use livetime_kernels::wib::{pack_wib1, pack_wibeth};
use proptest::prelude::*;

use super::*;
use crate::{RawFormat, RawLabels, Row};

/// Not a multiple of the step.
const PHASE: u64 = 7;
const FROM: u64 = 50_000_003;

fn value(sample: u64, channel: usize) -> i16 {
    (sample * 31 + channel as u64 * 7) as i16 & 0xFFF | 1
}

fn time(format: RawFormat, sample: u64) -> u64 {
    sample * format.sample_step() + PHASE
}

/// Frames `first` to `end`, counted from `FROM`.
fn raw(format: RawFormat, link: u16, first: usize, end: usize) -> Frame {
    let per_frame = format.samples();
    let begin = FROM + (first * per_frame) as u64;
    let samples: Vec<i16> = (begin..begin + ((end - first) * per_frame) as u64)
        .flat_map(|sample| (0..format.channels()).map(move |channel| value(sample, channel)))
        .collect();
    let mut frame = FramePool::new(1 << 26).allocator().bytes((end - first) * format.bytes()).unwrap();
    match format {
        RawFormat::Wib1 => pack_wib1(&samples, frame.bytes_mut()).unwrap(),
        _ => pack_wibeth(&samples, frame.bytes_mut()).unwrap(),
    }
    RawLabels::new(format).put(frame.header_mut(), link, time(format, begin), 0);
    frame.freeze()
}

fn hits(rows: &[HitRow], watermark: u64, link: Option<u16>) -> Frame {
    RowTable::with(&FramePool::new(1 << 22), rows, link, watermark).unwrap()
}

fn node(params: &[(&str, Value)]) -> Harness {
    Harness::new::<RoiSelector>(&[&[("channel_map", "none".into())], params].concat()).unwrap()
}

/// Regions with their samples.
fn regions_of(frames: &[Frame]) -> Vec<(RegionRow, Vec<i16>)> {
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    for pair in frames.chunks(2) {
        RowTable::default().read(&pair[0], &mut rows).unwrap();
        let array = pair[1].array().unwrap();
        assert_eq!(array.layout().shape().collect::<Vec<_>>(), [rows.len(), 12, 16]);
        let samples = array.elements::<i16>().unwrap();
        all.extend(rows.iter().zip(samples.chunks(192)).map(|(row, samples)| (*row, samples.to_vec())));
    }
    all
}

/// Every block and group of channels, from the words of [`super`].
fn plain(
    format: RawFormat,
    has_frame: impl Fn(usize) -> bool,
    frames: usize,
    hits: &[HitRow],
    margin: u64,
    marks: impl Fn(&HitRow, usize) -> bool,
) -> Vec<(RegionRow, Vec<i16>)> {
    let has_sample = |sample: u64| {
        let frame = sample.checked_sub(FROM).map(|s| s as usize / format.samples());
        frame.is_some_and(|frame| frame < frames && has_frame(frame))
    };
    let is_marked = |block: u64, channel: usize| {
        hits.iter().filter(|hit| marks(hit, channel)).any(|hit| {
            let first = hit.time_start / format.sample_step();
            let last = first + u64::from(hit.samples_over) - 1 + margin;
            block * 12 <= last && first.saturating_sub(margin) < block * 12 + 12
        })
    };
    let mut all = Vec::new();
    for block in FROM / 12..=(FROM + (frames * format.samples()) as u64) / 12 {
        let ticks =
            (0..12).filter(|tick| has_sample(block * 12 + tick)).fold(0, |bits, tick| bits | 1 << tick);
        for group in 0..format.channels() / 16 {
            let marked = (0..16).filter(|lane| is_marked(block, 16 * group + lane));
            let channels = marked.fold(0, |bits, lane| bits | 1 << lane);
            if channels == 0 || ticks == 0 {
                continue;
            }
            let samples = (0..192).map(|i| {
                let (sample, channel) = (block * 12 + i / 16, 16 * group + (i % 16) as usize);
                if has_sample(sample) { value(sample, channel) } else { 0 }
            });
            let time_start = time(format, block * 12);
            let row = RegionRow { time_start, link: 3, group: group as u16, channels, ticks };
            all.push((row, samples.collect()));
        }
    }
    all
}

/// Feeds frames in batches. After each batch come the hits up to its end, as a hit finder sends them.
fn run(node: &mut Harness, format: RawFormat, batches: &[(usize, usize)], all: &[HitRow]) -> Vec<Frame> {
    let (mut out, mut rest) = (Vec::new(), all);
    for (first, end) in batches {
        out.extend(node.feed(&raw(format, 3, *first, *end)).unwrap());
        let watermark = time(format, FROM + (end * format.samples()) as u64);
        let (now, later) = rest.split_at(rest.partition_point(|hit| hit.time_start < watermark));
        out.extend(node.feed_to(1, &hits(now, watermark, Some(3))).unwrap());
        rest = later;
    }
    // Hits after the last frame may still mark blocks before them.
    out.extend(node.feed_to(1, &hits(rest, u64::MAX, Some(3))).unwrap());
    out.extend(node.drain().unwrap());
    out
}

fn hits_from(raw: Vec<(u64, usize, u16)>, format: RawFormat) -> Vec<HitRow> {
    let mut hits: Vec<HitRow> = raw
        .into_iter()
        .map(|(sample, channel, samples_over)| HitRow {
            time_start: time(format, FROM + sample),
            channel: 3 << 16 | (channel % format.channels()) as u32,
            samples_over,
            link: 3,
            plane: 2,
            ..HitRow::default()
        })
        .collect();
    hits.sort_by_key(|hit| hit.time_start);
    hits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn regions_are_as_defined_however_frames_are_cut(
        is_eth in any::<bool>(),
        lengths in prop::collection::vec((1usize..40, 0usize..4), 1..12),
        raw_hits in prop::collection::vec((0u64..300, 0usize..256, 1u16..30), 0..12),
        margin in 0u64..60,
    ) {
        let format = if is_eth { RawFormat::WibEth } else { RawFormat::Wib1 };
        // Batches with missing frames between some of them.
        let (mut batches, mut at) = (Vec::new(), 0);
        for (length, gap) in lengths {
            let length = if is_eth { 1 + length / 16 } else { length };
            batches.push((at, at + length));
            at += length + gap.saturating_sub(2) * if is_eth { 1 } else { 5 };
        }
        let has_frame = |frame| batches.iter().any(|(first, end)| (*first..*end).contains(&frame));
        let all = hits_from(raw_hits, format);
        let mut node = node(&[("margin", (margin as i64).into()), ("wait", 10_000.0.into())]);
        let found = regions_of(&run(&mut node, format, &batches, &all));
        let marks = |hit: &HitRow, channel: usize| hit.channel & 0xFFFF == channel as u32;
        let expected = plain(format, has_frame, at, &all, margin, marks);
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(node.number_of("regions"), expected.len() as f64);
        prop_assert_eq!((node.number_of("late_hits"), node.number_of("unknown_hits")), (0.0, 0.0));
    }
}

/// Frames of crate 5, slot 2, fiber 1 without signals from sample 12,000 on, as link 0.
fn mapped_raw(frames: usize) -> Frame {
    let mut frame = FramePool::new(1 << 22).allocator().bytes(frames * 464).unwrap();
    for bytes in frame.bytes_mut().chunks_exact_mut(464) {
        livetime_formats::wib::Wib1FrameMut::new(bytes).unwrap().set_identity(5, 2, 1);
    }
    RawLabels::new(RawFormat::Wib1).put(frame.header_mut(), 0, 12_000 * 25, 0);
    frame.freeze()
}

#[test]
fn the_regions_of_2020_hold_all_collection_channels() {
    let mut node =
        Harness::new::<RoiSelector>(&[("block", "coarse_2020".into()), ("margin", 0.into())]).unwrap();
    node.feed(&mapped_raw(48)).unwrap();
    let offline = |channel| livetime_formats::channel_map::sp_wire(5, 2, 1, channel).unwrap().offline;
    let hit = |channel: usize, sample: u64| HitRow {
        time_start: sample * 25,
        channel: offline(channel),
        samples_over: 1,
        ..HitRow::default()
    };
    // Channel 0 is of an induction plane, channel 10 of the collection plane.
    let out = node.feed_to(1, &hits(&[hit(0, 12_003), hit(10, 12_030)], 20_000 * 25, None)).unwrap();
    let rows: Vec<RegionRow> = regions_of(&out).iter().map(|(row, _)| *row).collect();
    assert_eq!(rows.len(), 16);
    assert!(rows.iter().all(|row| row.time_start == 12_024 * 25));
    assert_eq!(rows.iter().map(|row| row.channels.count_ones()).sum::<u32>(), 96);
    assert_eq!(node.number_of("marked_fraction"), 0.25 * 96.0 / 256.0);
}

#[test]
fn fine_regions_find_their_channel_through_the_map() {
    let mut node = Harness::new::<RoiSelector>(&[("margin", 0.into())]).unwrap();
    node.feed(&mapped_raw(24)).unwrap();
    let channel = livetime_formats::channel_map::sp_wire(5, 2, 1, 77).unwrap().offline;
    let known = HitRow { time_start: 12_000 * 25, channel, samples_over: 2, ..HitRow::default() };
    let unknown = HitRow { channel: channel + 2560, ..known };
    let out = node.feed_to(1, &hits(&[known, unknown], 20_000 * 25, None)).unwrap();
    let (row, _) = regions_of(&out)[0];
    assert_eq!((row.group, row.channels), (4, 1 << 13));
    assert_eq!((node.number_of("unknown_hits"), node.number_of("kept_fraction")), (1.0, 1.0 / 32.0));
}

#[test]
fn hits_before_their_link_wait_for_it_and_hits_too_late_are_counted() {
    let mut node = node(&[("margin", 0.into())]);
    let format = RawFormat::Wib1;
    let all = hits_from(vec![(13, 5, 1)], format);
    assert!(node.feed_to(1, &hits(&all, time(format, FROM + 13), Some(3))).unwrap().is_empty());
    assert!(node.feed(&raw(format, 3, 0, 48)).unwrap().is_empty());
    let out = node.feed_to(1, &hits(&[], time(format, FROM + 100), Some(3))).unwrap();
    assert_eq!(regions_of(&out).len(), 1);
    node.feed_to(1, &hits(&all, time(format, FROM + 100), Some(3))).unwrap();
    assert_eq!((node.number_of("late_hits"), node.number_of("hits")), (1.0, 2.0));
    let other = HitRow { link: 9, ..all[0] };
    node.feed_to(1, &hits(&[other], time(format, FROM + 100), Some(9))).unwrap();
    node.drain().unwrap();
    assert_eq!(node.number_of("unknown_hits"), 1.0);
}

#[test]
fn batches_without_hits_are_dropped_in_time_and_named() {
    let format = RawFormat::Wib1;
    let mut node = node(&[("wait", 0.1.into())]);
    for batch in 0..20 {
        node.feed(&raw(format, 3, 48 * batch, 48 * (batch + 1))).unwrap();
    }
    // 0.1 ms are 200 samples, which the four newest hold besides the last.
    assert_eq!((node.number_of("waiting"), node.number_of("batches_dropped")), (5.0, 15.0));
    assert!(node.events()[0].message.contains("link 3: wanted the hits of raw frames within 0.1 ms"));
    let mut few = self::node(&[("most_batches", 2.into())]);
    for batch in 0..5 {
        few.feed(&raw(format, 3, 48 * batch, 48 * (batch + 1))).unwrap();
    }
    assert_eq!((few.number_of("waiting"), few.number_of("batches_dropped")), (2.0, 3.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut node = node(&[]);
    let format = RawFormat::Wib1;
    node.feed(&raw(format, 3, 48, 96)).unwrap();
    let error = node.feed(&raw(format, 3, 0, 48)).unwrap_err().to_string();
    assert!(error.contains("link 3: wanted wib1 frames from"), "{error}");
    assert!(node.feed(&raw(RawFormat::WibEth, 3, 9, 10)).unwrap_err().to_string().contains("found wibeth"));
    let layout = TableLayout::new(HitRow::schema(), 0).unwrap();
    let unmarked = node.pool().allocator().table(layout).unwrap();
    assert!(node.feed_to(1, &unmarked.freeze()).unwrap_err().to_string().contains("`watermark`"));
}

#[test]
fn a_new_margin_acts_from_the_next_hit() {
    let format = RawFormat::Wib1;
    let mut node = node(&[("margin", 0.into())]);
    let all = hits_from(vec![(20, 5, 1), (100, 5, 1)], format);
    node.feed(&raw(format, 3, 0, 144)).unwrap();
    node.feed_to(1, &hits(&all[..1], time(format, FROM + 50), Some(3))).unwrap();
    node.set("margin", 12).unwrap();
    let out = node.feed_to(1, &hits(&all[1..], time(format, FROM + 400), Some(3))).unwrap();
    assert_eq!(regions_of(&out).len(), 1 + 3);
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<RoiSelector>(&[]);
}

fn hits_of(finder: &str, rows: &[HitRow], watermark: u64, link: u16) -> Frame {
    let labels = RowTable::<HitRow>::default();
    let layout = TableLayout::new(HitRow::schema(), rows.len()).unwrap();
    let mut table = FramePool::new(1 << 22).allocator().table(layout).unwrap();
    HitRow::put(rows, &mut table).unwrap();
    labels.set_link(&mut table, link);
    labels.set_finder(&mut table, &Arc::from(finder), 0b100);
    labels.set_watermark(&mut table, watermark);
    table.freeze()
}

#[test]
fn two_finders_on_one_link_are_waited_for() {
    let format = RawFormat::Wib1;
    let mut node = node(&[("margin", 0.into())]);
    let mut out = node.feed(&raw(format, 0, 0, 96)).unwrap();
    let at = |sample: u64, channel: u32| HitRow {
        time_start: time(format, FROM + sample),
        channel,
        samples_over: 1,
        ..HitRow::default()
    };
    let late = time(format, FROM + 1000);
    // Both begin at once, then one is far ahead.
    out.extend(node.feed_to(1, &hits_of("hits0", &[], time(format, FROM), 0)).unwrap());
    out.extend(node.feed_to(1, &hits_of("hits1", &[], time(format, FROM), 0)).unwrap());
    out.extend(node.feed_to(1, &hits_of("hits0", &[at(20, 3)], late, 0)).unwrap());
    out.extend(node.feed_to(1, &hits_of("hits1", &[at(20, 40)], late, 0)).unwrap());
    out.extend(node.drain().unwrap());
    assert_eq!(regions_of(&out).len(), 2);
    assert_eq!(node.number_of("late_hits"), 0.0);
}

#[test]
fn a_clock_that_is_set_back_begins_an_epoch() {
    let format = RawFormat::Wib1;
    let mut node = node(&[("margin", 0.into())]);
    let at = |sample: u64| HitRow {
        time_start: time(format, FROM + sample),
        samples_over: 1,
        ..HitRow::default()
    };
    let of_epoch = |first: usize| {
        let frame = raw(format, 0, first, first + 96);
        let begin = RawBatch::of(&frame).unwrap().first;
        let mut told = FramePool::new(1 << 26).allocator().relabel(&frame).unwrap();
        RawLabels::new(format).put(told.header_mut(), 0, begin, 0);
        RawLabels::new(format).put_more(told.header_mut(), begin, begin, 0);
        told.freeze()
    };
    let mut out = node.feed(&of_epoch(1000)).unwrap();
    out.extend(node.feed(&of_epoch(0)).unwrap());
    out.extend(node.feed_to(1, &hits(&[at(1050)], time(format, FROM + 1060), None)).unwrap());
    out.extend(node.feed_to(1, &hits(&[at(50)], time(format, FROM + 60), None)).unwrap());
    out.extend(node.drain().unwrap());
    let begins: Vec<u64> = regions_of(&out).iter().map(|(row, _)| row.time_start / 25 - FROM).collect();
    assert_eq!(begins.len(), 2);
    assert!((1039..=1050).contains(&begins[0]) && (39..=50).contains(&begins[1]), "{begins:?}");
    assert_eq!((node.number_of("late_hits"), node.number_of("waiting")), (0.0, 0.0));
}
