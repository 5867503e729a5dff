//! The costs of trigger algorithms and of the selection of regions: ns for a hit, at a million hits a second as from an
//! anode plane at the surface; ns for a superchunk of one link, on recorded hits.
//!
//! `cargo run --release -p livetime-nodes --example trigger_speed`
//!
//! The second part reads `wib/wib1_frames.bin.zst` and `wib/wib1_hits_seed.txt` in the folder that `LIVETIME_DATA` names, else in
//! `../shared/data`, and says so when they are not there.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use livetime_engine::testing::Harness;
use livetime_engine::{Node, Value};
use livetime_frame::Frame;
use livetime_wire::process::roi_selector::RoiSelector;
use livetime_wire::process::trigger_candidate::TriggerCandidate;
use livetime_wire::process::triggers::adc_window::TriggerAdcWindow;
use livetime_wire::process::triggers::adjacency::TriggerAdjacency;
use livetime_wire::process::triggers::bundle::TriggerBundle;
use livetime_wire::process::triggers::chain_2019::Trigger2019;
use livetime_wire::process::triggers::channel_distance::TriggerChannelDistance;
use livetime_wire::process::triggers::dbscan::TriggerDbscan;
use livetime_wire::process::triggers::horizontal_muon::TriggerHorizontalMuon;
use livetime_wire::process::triggers::michel::TriggerMichel;
use livetime_wire::process::triggers::plane_coincidence::TriggerPlaneCoincidence;
use livetime_wire::process::triggers::prescale::TriggerPrescale;
use livetime_wire::process::triggers::supernova::TriggerSupernova;
use livetime_wire::{ActivityRow, HitRow, RawFormat, RawLabels, RowTable};

fn main() -> Result<(), Box<dyn Error>> {
    let hits = surface_hits();
    println!("{} hits in a second of 50 MHz ticks\n", hits.len());
    println!("{:<26} {:>8} {:>10} {:>10}", "node", "ns/hit", "collection", "activities");
    algorithm::<TriggerAdjacency>(&hits)?;
    algorithm::<TriggerAdcWindow>(&hits)?;
    algorithm::<TriggerHorizontalMuon>(&hits)?;
    algorithm::<TriggerPlaneCoincidence>(&hits)?;
    algorithm::<TriggerMichel>(&hits)?;
    algorithm::<TriggerChannelDistance>(&hits)?;
    algorithm::<TriggerDbscan>(&hits)?;
    algorithm::<TriggerSupernova>(&hits)?;
    algorithm::<TriggerPrescale>(&hits)?;
    algorithm::<TriggerBundle>(&hits)?;
    algorithm::<Trigger2019>(&hits)?;
    candidates()?;
    regions()
}

/// Noise on all channels, and 2000 tracks a second over 150 collection channels each.
fn surface_hits() -> Vec<HitRow> {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let plane = |channel: u32| ((channel >= 800) as u8) + ((channel >= 1600) as u8);
    let hit = |time_start: u64, channel: u32, adc_integral| HitRow {
        time_start,
        channel,
        adc_integral,
        adc_peak: 60,
        samples_over: 10,
        samples_to_peak: 4,
        plane: plane(channel),
        ..HitRow::default()
    };
    let mut hits = Vec::new();
    for _ in 0..700_000 {
        hits.push(hit(random(50_000_000), random(2560) as u32, 200));
    }
    for _ in 0..2000 {
        let (begin, first, slope) = (random(50_000_000), 1600 + random(810) as u32, random(60));
        hits.extend((0..150).map(|i| hit(begin + slope * u64::from(i), first + i, 1200)));
    }
    hits.sort_by_key(|hit| (hit.time_start, hit.channel));
    hits
}

fn feed<N: Node>(params: &[(&str, Value)], tables: &[Frame]) -> Result<(f64, f64), Box<dyn Error>> {
    let mut best = f64::INFINITY;
    let mut activities = 0.0;
    for _ in 0..3 {
        let mut node = Harness::new::<N>(params)?;
        let start = Instant::now();
        for table in tables {
            node.feed(table)?;
        }
        best = best.min(start.elapsed().as_nanos() as f64);
        activities = node.number_of("activities");
    }
    Ok((best, activities))
}

/// The best of three passes in tables of a 200 us each, all planes and the collection plane alone.
fn algorithm<N: Node>(hits: &[HitRow]) -> Result<(), Box<dyn Error>> {
    let pool = livetime_frame::FramePool::new(1 << 30);
    let tables = hits.chunk_by(|a, b| a.time_start / 10_000 == b.time_start / 10_000);
    let tables = tables.map(|rows| {
        let watermark = rows.last().map_or(0, |hit| hit.time_start / 10_000 * 10_000 + 10_000);
        RowTable::with(&pool, rows, None, watermark)
    });
    let tables: Vec<Frame> = tables.collect::<Result<_, _>>()?;
    let (all, activities) = feed::<N>(&[], &tables)?;
    let (collection, _) = feed::<N>(&[("planes", "collection".into())], &tables)?;
    let count = hits.len() as f64;
    println!("{:<26} {:>8.1} {:>10.1} {:>10}", N::SPEC.name, all / count, collection / count, activities);
    Ok(())
}

/// A hundred thousand activities a second.
fn candidates() -> Result<(), Box<dyn Error>> {
    let pool = livetime_frame::FramePool::new(1 << 30);
    let row =
        |time| ActivityRow { time_start: time, time_activity: time, kind: 24, ..ActivityRow::default() };
    let rows: Vec<ActivityRow> = (0..100_000).map(|i| row(500 * i)).collect();
    let tables = rows.chunks(20).map(|rows| RowTable::with(&pool, rows, None, rows[0].time_start + 10_000));
    let tables: Vec<Frame> = tables.collect::<Result<_, _>>()?;
    let (all, _) = feed::<TriggerCandidate>(&[], &tables)?;
    println!("{:<26} {:>8.1}  (activities)", "trigger_candidate", all / rows.len() as f64);
    Ok(())
}

/// Golden frames of one link with their hits, in batches of 32 superchunks.
fn regions() -> Result<(), Box<dyn Error>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LIVETIME_DATA").map_or(beside, Into::into).join("wib");
    let (Ok(packed), Ok(hits)) = (
        std::fs::read(folder.join("wib1_frames.bin.zst")),
        std::fs::read_to_string(folder.join("wib1_hits_seed.txt")),
    ) else {
        println!("\nSKIPPED: no golden frames in `{}`; LIVETIME_DATA names the folder", folder.display());
        return Ok(());
    };
    let frames = zstd::decode_all(&packed[..])?;
    let mut hits: Vec<HitRow> = hits.lines().filter_map(golden_hit).collect();
    hits.sort_by_key(|hit| (hit.time_start, hit.channel));
    println!("\n{:<26} {:>14} {:>8} {:>8}", "roi_selector", "ns/superchunk", "kept", "marked");
    for (name, block, share) in
        [("fine", "fine", 1), ("fine, one hit in 5", "fine", 5), ("2020", "coarse_2020", 1)]
    {
        let hits: Vec<HitRow> = hits.iter().copied().step_by(share).collect();
        select(name, block, &frames, &hits)?;
    }
    Ok(())
}

/// Superchunk, channel, end tick in it, sum, ticks over.
fn golden_hit(line: &str) -> Option<HitRow> {
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [superchunk, channel, end, _, over] = numbers[..] else { return None };
    let sample = FIRST / 25 + (superchunk * 12 + end).saturating_sub(over + 5);
    let wire = livetime_formats::channel_map::sp_wire(5, 2, 1, channel as usize)?;
    Some(HitRow {
        time_start: sample * 25,
        channel: wire.offline,
        samples_over: over as u16,
        plane: wire.plane.number(),
        ..HitRow::default()
    })
}

const FIRST: u64 = 80_150_024_000_000_000;

fn select(name: &str, block: &str, frames: &[u8], hits: &[HitRow]) -> Result<(), Box<dyn Error>> {
    let batch = 384 * 464;
    let superchunks = frames.len() / 5568;
    let (mut best, mut fractions) = (f64::INFINITY, (0.0, 0.0));
    for _ in 0..50 {
        let mut node = Harness::new::<RoiSelector>(&[("block", block.into())])?;
        let mut messages = Vec::new();
        for (number, bytes) in frames.chunks(batch).enumerate() {
            let first = FIRST + 25 * 384 * number as u64;
            let raw =
                node.bytes_with(bytes, |header| RawLabels::new(RawFormat::Wib1).put(header, 0, first, 0))?;
            let end = first + 25 * 384;
            let rows: Vec<HitRow> =
                hits.iter().copied().filter(|hit| (first..end).contains(&hit.time_start)).collect();
            messages.push((raw, RowTable::with(node.pool(), &rows, Some(0), end)?));
        }
        let start = Instant::now();
        for (raw, hits) in &messages {
            node.feed(raw)?;
            node.feed_to(1, hits)?;
        }
        node.drain()?;
        best = best.min(start.elapsed().as_nanos() as f64);
        fractions = (node.number_of("kept_fraction"), node.number_of("marked_fraction"));
    }
    println!("{name:<26} {:>14.0} {:>8.3} {:>8.3}", best / superchunks as f64, fractions.0, fractions.1);
    Ok(())
}
