//! Wire readout as users run it: recorded frames to hits in a file, a simulated anode plane to triggers and records.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![cfg(feature = "parquet")]

use crate::common;

use std::fs::File;
use std::path::Path;

use common::{Pipeline, livetime, stderr, stdout};
use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use livetime_testkit::data;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

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

/// Start, channel, sum and ticks over of the hits in the folder's file, without hits that were still open at the end.
fn hits(folder: &Path) -> Vec<(u64, u64, u64, u64)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| file.extension().is_some_and(|e| e == "parquet")).unwrap();
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let names: Vec<String> =
        reader.metadata().file_metadata().schema_descr().columns().iter().map(|c| c.name().into()).collect();
    let column = |name: &str| names.iter().position(|n| n == name).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    rows.filter(|row| row.get_ubyte(column("flags")).unwrap() & 16 == 0)
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

/// Frames of a link whose samples do not compress to nothing.
fn frames(count: u64) -> Vec<u8> {
    frames_from(80_150_024_000_000_000, count)
}

/// The same, of a clock that begins at `begin`.
fn frames_from(begin: u64, count: u64) -> Vec<u8> {
    let mut state = 1u64;
    let mut frames = vec![0; count as usize * Wib1Frame::BYTES];
    for (bytes, i) in frames.chunks_mut(Wib1Frame::BYTES).zip(0..) {
        for byte in &mut *bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = (state >> 60) as u8;
        }
        let mut frame = Wib1FrameMut::new(bytes).unwrap();
        frame.set_identity(5, 2, 1);
        frame.set_timestamp(begin + 25 * i);
        frame.set_errors(false, false, 0);
        for block in 0..4 {
            frame.set_capture_errors(block, [0, 0]);
            frame.set_convert_count(block, i as u16);
        }
    }
    frames
}

/// The exit code and JSON of `inspect` for a file, and of a run of it.
fn inspected_and_run(file: &Path) -> [(Option<i32>, Value); 2] {
    let json = |output: std::process::Output| {
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    };
    let pipeline = Pipeline::new(
        "recorded-link",
        &format!(
            "nodes:\n  link: {{type: wib_file, params: {{file: \"{}\"}}}}\n  end: {{type: null, from: {{node: link, when_full: block}}}}\n",
            file.display()
        ),
    );
    [
        json(livetime(&["inspect", "--json", file.to_str().unwrap()])),
        json(livetime(&["run", pipeline.path(), "--json", "--no-pva"])),
    ]
}

#[test]
fn a_run_of_a_recorded_link_ends_as_its_inspection_does() {
    /// Name, file, exit code, and how much is lost at least for which reason.
    type Case<'a> = (&'a str, &'a [u8], Option<i32>, &'a [(&'a str, u64)]);
    let folder = tempfile::tempdir().unwrap();
    let whole = frames(3000);
    let packed = zstd::encode_all(&whole[..], 1).unwrap();
    let mut missing = whole.clone();
    missing.drain(1000 * 464..1010 * 464);
    let mut garbage = whole.clone();
    garbage.splice(500 * 464..500 * 464, [7; 100]);
    let mut faulty = whole.clone();
    Wib1FrameMut::new(&mut faulty[700 * 464..701 * 464]).unwrap().set_errors(true, false, 0);
    // Two frames in the other order, and a clock that begins again: nothing is lost.
    let mut swapped = whole.clone();
    let (first, second) = swapped[900 * 464..902 * 464].split_at_mut(464);
    first.swap_with_slice(second);
    let again = [&whole[..], &frames_from(81_150_024_000_000_000, 3000)].concat();
    let cases: [Case<'_>; 9] = [
        ("swapped", &swapped, Some(0), &[]),
        ("again", &again, Some(0), &[]),
        ("whole", &whole, Some(0), &[]),
        ("packed", &packed, Some(0), &[]),
        ("packed-and-cut", &packed[..packed.len() / 2], Some(3), &[("unreadable", 1)]),
        ("cut", &whole[..whole.len() - 300], Some(3), &[("unreadable", 1)]),
        ("missing", &missing, Some(3), &[("source_gap", 10)]),
        ("garbage", &garbage, Some(3), &[("unreadable", 1)]),
        ("faulty", &faulty, Some(3), &[("unreadable", 1)]),
    ];
    for (name, bytes, exit, losses) in cases {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let [(inspect_exit, inspected), (run_exit, report)] = inspected_and_run(&file);
        assert_eq!((inspect_exit, run_exit), (exit, exit), "{name}: {inspected} {report}");
        assert_eq!(report["ledger_closed"], true, "{name}");
        let lost = report["nodes"][0]["lost"].as_object().unwrap();
        for (reason, least) in losses {
            assert!(lost[*reason].as_u64().unwrap() >= *least, "{name}: {lost:?}");
        }
        assert_eq!(lost.is_empty(), losses.is_empty(), "{name}: {lost:?}");
        let readback = |name: &str| report["nodes"][0]["readbacks"][name].as_u64().unwrap();
        let link = &inspected[0]["links"][0];
        assert_eq!(Some(readback("frames")), link["frames"].as_u64(), "{name}");
        assert_eq!(Some(readback("missing")), link["missing"].as_u64(), "{name}");
        assert_eq!(Some(readback("skipped_bytes")), inspected[0]["skipped_bytes"].as_u64(), "{name}");
        assert!(readback("frames") > 1000, "{name}");
        assert_eq!(inspected[0]["broken"].is_string(), name == "packed-and-cut", "{inspected}");
    }
}

/// Simulated files are the same again, are read as they were made, and each fault is found.
#[test]
fn simulated_links_become_files_with_their_faults_and_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let sim = |name: &str, workers: &str| {
        let (name, truth) = (folder.path().join(name), folder.path().join(format!("{name}.csv")));
        let faults = "link 0 drop 700; link 0 mm 900+5; link 1 back 300 1000";
        let args = [
            "sim",
            "wib",
            name.to_str().unwrap(),
            "--links",
            "2",
            "--duration",
            "0.01",
            "--faults",
            faults,
            "--truth",
            truth.to_str().unwrap(),
            "--set",
            "argon_rate=500",
            "--workers",
            workers,
            "--json",
        ];
        (run(&args, &[0]), std::fs::read_to_string(truth).unwrap())
    };
    let (made, truth) = sim("one", "1");
    let (_, again) = sim("two", "2");
    let file = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(file("one-l00.wib") == file("two-l00.wib") && file("one-l01.wib") == file("two-l01.wib"));
    assert_eq!((truth.lines().count() as u64 - 1, &truth), (made["true_pulses"].as_u64().unwrap(), &again));
    assert_eq!(
        truth.lines().next().unwrap(),
        "time_peak,channel,adc_integral,adc_peak,width,link,plane,origin,bipolar"
    );
    assert!(truth.lines().count() > 100);
    let path = |link: u32| folder.path().join(format!("one-l0{link}.wib"));
    let [(_, first), (exit, report)] = inspected_and_run(&path(0));
    let link = &first[0]["links"][0];
    assert_eq!([&link["missing"], &link["corrupt"]].map(|n| n.as_u64().unwrap()), [1, 5]);
    assert_eq!((exit, report["nodes"][0]["readbacks"]["missing"].as_u64()), (Some(3), Some(1)));
    let [(_, second), _] = inspected_and_run(&path(1));
    assert_eq!(second[0]["links"][0]["dropped"], 1);
    // Nothing is overwritten, and what is refused leaves no other file.
    for (name, truth) in [("one", "new.csv"), ("new", "one.csv")] {
        let (name, truth) = (folder.path().join(name), folder.path().join(truth));
        let args =
            ["sim", "wib", name.to_str().unwrap(), "--duration", "0.001", "--truth", truth.to_str().unwrap()];
        let refused = livetime(&args);
        assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    }
    let names = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    assert!(names.map(|name| name.into_string().unwrap()).all(|name| !name.contains("new")));
    for wrong in [["--faults", "explode 7"], ["--set", "noise=5"], ["--duration", "0"]] {
        let refused = livetime(&[&["sim", "wib", "x"][..], &wrong[..]].concat());
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {}", stderr(&refused));
    }
}

/// Raw frames and the truth of a run are kept, and the frames are played again.
#[test]
fn a_run_is_dumped_and_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let pipeline = Pipeline::new(
        "dumped",
        &format!(
            "memory: 256 MiB
nodes:
  apa: {{type: wib_simulator, params: {{links: 2, rate: 0, duration: 20 ms, loop_time: 10 ms, first_timestamp: 50000}}}}
  dump: {{type: wib_dump, from: {{node: apa, when_full: block}}, params: {{path: \"{}\", stop_after_frames: 60000}}}}
  truth: {{type: table_csv, from: {{node: apa.truth, when_full: block}}, params: {{file: \"{}\"}}}}
",
            folder.path().display(),
            at("truth.csv"),
        ),
    );
    let report = run(&["run", pipeline.path(), "--json", "--no-pva"], &[0]);
    let dump = &report["nodes"][1]["readbacks"];
    assert!(dump["frames_written"].as_u64().unwrap() >= 60_000, "{dump}");
    assert_eq!((&dump["num_captured"], &dump["capture"]), (&2.into(), &Value::Null));
    let [(exit, inspected), (_, played)] = inspected_and_run(Path::new(&at("link_0001-l01.wib")));
    assert_eq!((exit, &inspected[0]["whole"]), (Some(0), &true.into()));
    let readbacks = &played["nodes"][0]["readbacks"];
    assert_eq!(readbacks["frames"], inspected[0]["links"][0]["frames"]);
    assert!(std::fs::read_to_string(at("truth.csv")).unwrap().lines().count() > 10);
}

/// A file of hits whose writer was killed is saved up to its last index.
#[test]
fn a_file_of_hits_that_was_not_finished_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = Pipeline::new(
        "recovered-hits",
        &format!(
            "memory: 256 MiB
nodes:
  apa: {{type: wib_simulator, params: {{links: 1, rate: 0, duration: 100 ms, loop_time: 20 ms, argon_rate: 3000}}}}
  finder: {{type: hit_finder, from: {{node: apa, when_full: block}}}}
  merged: {{type: hit_merger, from: {{node: finder, when_full: block}}}}
  hits: {{type: hits_parquet, from: {{node: merged, when_full: block}}, params: {{path: \"{}\", row_group: 1000}}}}
",
            folder.path().display()
        ),
    );
    run(&["run", pipeline.path(), "--json", "--no-pva"], &[0]);
    let whole = folder.path().join("hits_0001.parquet");
    let all = hits(folder.path());
    let (cut, saved, again) =
        (folder.path().join("x.inprogress"), folder.path().join("saved"), folder.path().join("again"));
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 100]).unwrap();
    let recover = |from: &Path, to: &Path, code| {
        run(&["recover", "--json", from.to_str().unwrap(), "-o", to.to_str().unwrap()], &[code])
    };
    let told = recover(&cut, &saved, 3);
    let rows = told["rows"].as_u64().unwrap();
    assert!(
        rows >= 1000 && (rows as usize) < all.len() && told["lost_bytes"].as_u64().unwrap() > 0,
        "{told}"
    );
    let reader = SerializedFileReader::new(File::open(&saved).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows() as u64, rows);
    let told = recover(&whole, &again, 0);
    assert_eq!((&told["complete"], &told["checked"]), (&true.into(), &true.into()));
    let rows_of_whole = told["rows"].as_u64().unwrap();
    assert!(std::fs::read(&again).unwrap() == bytes);
    // A wrong bit costs its row group, and all say so.
    let told = |path: &Path, code| {
        let output = livetime(&["inspect", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(code), "{}", stdout(&output));
        stdout(&output)
    };
    assert!(told(&whole, 0).contains("checksums: right, of "));
    let mut flipped = bytes.clone();
    flipped[500] ^= 16;
    std::fs::write(&cut, &flipped).unwrap();
    assert!(told(&cut, 3).contains("DAMAGED: row group 0 (1000 rows): wanted the bytes that were written"));
    let rest = folder.path().join("rest");
    let told_rest = recover(&cut, &rest, 3);
    assert_eq!((&told_rest["damaged_rows"], &told_rest["damaged_row_groups"]), (&1000.into(), &1.into()));
    assert!(told(&rest, 0).contains(&format!("{} rows in ", rows_of_whole - 1000)));
    std::fs::write(&cut, &bytes[..200]).unwrap();
    assert_eq!(recover(&cut, &folder.path().join("none"), 1)["output"], Value::Null);
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

/// The set-up that the documents recommend: the finders find the hits that one finder finds, at each run.
#[test]
fn two_finders_on_the_planes_of_one_link_lose_no_hit() {
    let Some(frames) = data("wib/wib1_frames.bin.zst") else { return };
    let found = |finders: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let nodes: String = finders
            .iter()
            .enumerate()
            .map(|(i, planes)| {
                format!("  finder{i}: {{type: hit_finder, from: {{node: link, when_full: block}}, params: {{planes: {planes}}}}}\n")
            })
            .collect();
        let from: Vec<String> =
            (0..finders.len()).map(|i| format!("{{node: finder{i}, when_full: block}}")).collect();
        let pipeline = Pipeline::new(
            &format!("planes-{}", finders.len()),
            &format!(
                "nodes:
  link: {{type: wib_file, params: {{file: \"{}\", batch: 24}}}}
{nodes}  merged: {{type: hit_merger, from: [{}]}}
  hits: {{type: hits_parquet, from: {{node: merged, when_full: block}}, params: {{path: \"{}\"}}}}
",
                frames.display(),
                from.join(", "),
                folder.path().display(),
            ),
        );
        run(&["run", pipeline.path(), "--json", "--no-pva"], &[0]);
        hits(folder.path())
    };
    let wanted = found(&["all"]);
    assert!(wanted.len() > 500, "{}", wanted.len());
    for _ in 0..3 {
        assert_eq!(found(&["collection", "induction"]), wanted);
    }
}

/// Hits that a node cannot put in order are a loss of the run, which ends with 3.
#[test]
fn a_trigger_with_two_streams_of_hits_says_so_and_the_run_ends_with_loss() {
    let Some(frames) = data("wib/wib1_frames.bin.zst") else { return };
    let pipeline = Pipeline::new(
        "two-streams",
        &format!(
            "nodes:
  link: {{type: wib_file, params: {{file: \"{}\"}}}}
  a: {{type: hit_finder, from: {{node: link, when_full: block}}, params: {{planes: collection}}}}
  b: {{type: hit_finder, from: {{node: link, when_full: block}}, params: {{planes: induction}}}}
  trigger: {{type: trigger_prescale, from: [{{node: a, when_full: block}}, {{node: b, when_full: block}}]}}
  off: {{type: \"null\", from: trigger}}
",
            frames.display(),
        ),
    );
    let report = run(&["run", pipeline.path(), "--json", "--no-pva"], &[3]);
    let events = report["events"].as_array().unwrap();
    assert!(
        events.iter().any(|event| event["message"].as_str().unwrap().contains("hit_merger")),
        "{events:?}"
    );
}
