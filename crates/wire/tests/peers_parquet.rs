//! Files of `hits_parquet` with the Parquet library of Apache Arrow in Python.
//!
//! The library comes from `tools/peers.sh parquet`; without it the test says so and passes.

#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use livetime_engine::testing::{Harness, Random};
use livetime_frame::TableLayout;
use livetime_wire::sinks::hits_parquet::HitsParquet;
use livetime_wire::{HitRow, Row};

fn python() -> Option<PathBuf> {
    livetime_testkit::python("parquet")
}

fn hits() -> Vec<HitRow> {
    let mut random = Random::new(3);
    let hit = |number: u64| HitRow {
        time_start: 80_150_024_000_000_000 + 25 * number,
        channel: random.below(15_360) as u32,
        adc_integral: random.next_u64() as u32,
        adc_peak: random.next_u64() as u16,
        samples_over: random.below(100) as u16,
        samples_to_peak: random.below(10) as u16,
        link: random.below(60) as u16,
        plane: random.below(3) as u8,
        flags: random.below(16) as u8,
    };
    let mut hits: Vec<HitRow> = (0..3000).map(hit).collect();
    hits[5].time_start = u64::MAX;
    hits[5].channel = u32::MAX;
    hits
}

#[test]
fn the_reference_library_reads_what_was_written() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let hits = hits();
    let params =
        [("path", folder.path().to_str().unwrap().into()), ("run", 42.into()), ("row_group", 1000.into())];
    let mut node = Harness::new::<HitsParquet>(&params).unwrap();
    let layout = TableLayout::new(HitRow::schema(), hits.len()).unwrap();
    let mut table = node.pool().allocator().table(layout).unwrap();
    HitRow::put(&hits, &mut table).unwrap();
    node.feed(&table.freeze()).unwrap();
    node.drain().unwrap();

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/parquet_hits.py");
    let file = folder.path().join("hits_0001.parquet");
    let read = || Command::new(&python).arg(&script).arg(&file).output().unwrap();
    let ran = read();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "time_start:uint64 channel:uint32 adc_integral:uint32 adc_peak:uint16 samples_over:uint16 \
         samples_to_peak:uint16 link:uint16 plane:uint8 flags:uint8"
    );
    assert_eq!(lines.next().unwrap(), "42 50000000 3");
    let row = |h: &HitRow| {
        format!(
            "{} {} {} {} {} {} {} {} {}",
            h.time_start,
            h.channel,
            h.adc_integral,
            h.adc_peak,
            h.samples_over,
            h.samples_to_peak,
            h.link,
            h.plane,
            h.flags
        )
    };
    assert!(lines.eq(hits.iter().map(row)));
    // It finds a wrong bit in a page by our checksum.
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1000] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    let (refused, told) = (read(), "CRC checksum verification failed");
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains(told),
        "{refused:?}"
    );
}
