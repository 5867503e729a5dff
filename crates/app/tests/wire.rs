//! Wire readout as users run it: recorded frames to hits in a file, a simulated anode plane to triggers and records.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![cfg(feature = "parquet")]

mod common;

use std::fs::File;
use std::path::{Path, PathBuf};

use common::{Pipeline, livetime, stderr};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

/// Recorded data, which are not part of the repository.
fn data(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let file = std::env::var_os("LIVETIME_DATA").map_or(beside, PathBuf::from).join(name);
    if file.is_file() {
        return Some(file);
    }
    eprintln!("SKIPPED: no `{}`; LIVETIME_DATA names the folder with test data", file.display());
    None
}

fn run(args: &[&str], codes: &[i32]) -> Value {
    let output = livetime(args);
    assert!(codes.contains(&output.status.code().unwrap()), "{args:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Golden frames through the program give the golden hits: superchunk, channel, end tick in it, sum, ticks over.
#[test]
fn recorded_frames_become_the_hits_of_the_experiment() {
    let (Some(frames), Some(list)) = (data("wib/wib1_frames.bin.zst"), data("wib/wib1_hits_seed.txt")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let pipeline = Pipeline::new(
        "golden-hits",
        &format!(
            "nodes:
  link: {{type: wib_file, params: {{file: \"{}\"}}}}
  finder: {{type: hit_finder, from: {{node: link, when_full: block}}, params: {{algorithm: seed, channel_map: none}}}}
  merged: {{type: hit_merger, from: {{node: finder, when_full: block}}}}
  hits: {{type: hits_parquet, from: {{node: merged, when_full: block}}, params: {{path: \"{}\"}}}}
  ledger: {{type: link_ledger, from: [link.ledger, finder.ledger, merged.ledger], params: {{file: \"{}\"}}}}
",
            frames.display(),
            folder.path().display(),
            folder.path().join("ledger.json").display(),
        ),
    );
    let report = run(&["run", pipeline.path(), "--json", "--no-pva"], &[0]);
    assert_eq!((&report["ledger_closed"], &report["unintended_losses"]), (&true.into(), &0.into()));
    let mut wanted: Vec<(u64, u64, u64, u64)> = std::fs::read_to_string(list)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let n: Vec<u64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            (80_150_024_000_000_000 + 25 * (12 * n[0] + n[2] - n[4]), n[1], n[3], n[4])
        })
        .collect();
    wanted.sort_unstable();
    let found = hits(folder.path());
    assert!(found.is_sorted_by_key(|hit| (hit.0, hit.1)));
    let mut found = found;
    found.sort_unstable();
    assert_eq!(found, wanted);
    let ledger: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("ledger.json")).unwrap()).unwrap();
    assert_eq!(
        (&ledger["links"][0]["balanced"], &ledger["links"][0]["ticks"]),
        (&true.into(), &75_000.into())
    );
}

/// Start, channel, sum and ticks over of the hits in the folder's file, without those that were still open at the end.
fn hits(folder: &Path) -> Vec<(u64, u64, u64, u64)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| file.extension().is_some_and(|e| e == "parquet")).unwrap();
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let names: Vec<String> =
        reader.metadata().file_metadata().schema_descr().columns().iter().map(|c| c.name().into()).collect();
    let column = |name: &str| names.iter().position(|n| n == name).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    rows.filter(|row| row.get_ubyte(column("flags")).unwrap() & 2 == 0)
        .map(|row| {
            (
                row.get_ulong(column("time_start")).unwrap(),
                row.get_uint(column("channel")).unwrap().into(),
                row.get_uint(column("adc_integral")).unwrap().into(),
                row.get_ushort(column("samples_over")).unwrap().into(),
            )
        })
        .collect()
}

#[test]
fn a_simulated_anode_plane_is_triggered_on_and_read_out() {
    let folder = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/protodune-apa.yaml");
    let records = folder.path().join("records");
    let ledger = folder.path().join("ledger.json");
    let set = |name: &str, path: &Path| format!("{name}={}", path.display());
    let report = run(
        &[
            "run",
            example.to_str().unwrap(),
            "--json",
            "--no-pva",
            "--duration",
            "2s",
            "--set",
            "apa.links=2",
            "--set",
            "apa.rate=0.1",
            "--set",
            "apa.faults=drop 1000; mm 3000",
            "--set",
            &set("records.path", &records),
            "--set",
            &set("ledger.file", &ledger),
        ],
        // Frames may be lost where the machine has much else to do.
        &[0, 3],
    );
    assert_eq!(report["ledger_closed"], true);
    let ledger: Value = serde_json::from_slice(&std::fs::read(ledger).unwrap()).unwrap();
    let links = ledger["links"].as_array().unwrap();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|link| link["balanced"] == true), "{ledger}");
    let file = std::fs::read_dir(&records).unwrap().next().unwrap().unwrap().path();
    let inspected = run(&["inspect", file.to_str().unwrap(), "--json"], &[0]);
    assert!(!inspected[0]["records"].as_array().unwrap().is_empty(), "{inspected}");
}
