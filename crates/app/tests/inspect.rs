//! `livetime inspect`: recorded files, whole, cut and broken.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, or says that it is skipped"
)]

use crate::common;

use std::path::{Path, PathBuf};

use common::{livetime, stderr, stdout};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_testkit::data;
use serde_json::Value;

const PACKED: &str = "xtc1/container/e236-r0003-s04-c00.hist16.xtc";

#[test]
fn a_file_is_summed_up() {
    let Some(file) = data(PACKED) else { return };
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(text.contains("XTC of LCLS-I, 436 KiB, 10 datagrams, complete\n"), "{text}");
    assert!(
        text.contains("events: 2, 2013-04-03 14:40:02.008Z to 2013-04-03 14:40:02.016Z, 120.0000 Hz\n"),
        "{text}"
    );
    let row = text.lines().find(|l| l.contains("CspadElement_v2")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    let expected =
        ["CxiEndstation-0|Cspad-0", "CspadElement_v2", "2", "155", "KiB", "0", "2", "hist16", "0.551"];
    assert_eq!(cells, expected);
}

#[test]
fn json_has_the_same_numbers() {
    let (Some(file), Some(second)) =
        (data(PACKED), data("xtc2/lcls2/fakesteps/xpptut15-r0014-s000-c000.xtc2"))
    else {
        return;
    };
    let output = livetime(&["inspect", "--json", file.to_str().unwrap(), second.to_str().unwrap()]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json[0]["events"], &json[1]["events"]), (&2.into(), &10.into()));
    assert_eq!(json[0]["state"]["whole"], true);
    assert_eq!(json[0]["leaves"].as_array().unwrap().len(), 3);
    assert_eq!((&json[1]["format"], &json[1]["transitions"]["BeginStep"]), (&"xtc2".into(), &2.into()));
    assert!(json[1]["records"].as_array().unwrap().iter().any(|r| r["detector"] == "runinfo"));
}

#[test]
fn the_tree_shows_every_leaf_and_can_be_cut_short() {
    let Some(file) = data(PACKED) else { return };
    let output = livetime(&["inspect", "--tree", file.to_str().unwrap()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text.lines().filter(|l| l.contains("CspadElement_v2 compressed CxiEndstation-0|Cspad-0")).count(),
        2
    );
    let first = stdout(&livetime(&["inspect", "--tree", "--first", "1", file.to_str().unwrap()]));
    assert_eq!(first.lines().filter(|l| l.contains("UTC") || l.contains(" fiducial ")).count(), 1, "{first}");
}

#[test]
fn what_is_not_whole_is_shown_and_ends_with_3() {
    let Some(file) = data(PACKED) else { return };
    let bytes = std::fs::read(file).unwrap();
    let cut = common::temporary("inspect.xtc");
    std::fs::write(&cut, &bytes[..400_000]).unwrap();
    let output = livetime(&["inspect", cut.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    let text = stdout(&output);
    assert!(text.contains("ends inside a datagram: 32568 bytes from byte 367432 on"), "{text}");
    std::fs::write(&cut, "this is a text and no detector has ever written it, I think").unwrap();
    let output = livetime(&["inspect", cut.to_str().unwrap(), "/no/such/file.xtc"]);
    std::fs::remove_file(&cut).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("broken at byte 0: wanted"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("/no/such/file.xtc: wanted to open the file, found"),
        "{}",
        stderr(&output)
    );
}

/// A file of one record, of which a part of the data is missing.
fn trigger_records(folder: &Path) -> PathBuf {
    use livetime_formats::trigger::{
        Missing, MissingReason, NewFragment, RecordWriter, SourceId, TriggerRecordHeader, fragment_type,
    };
    let path = folder.join("run_0001.records");
    let mut writer = RecordWriter::create(&path).unwrap();
    let missing = [Missing { begin: 150, end: 200, reason: MissingReason::TooOld }];
    let fragment = |kind, subsystem, parts, missing| NewFragment {
        kind,
        detector: 3,
        source: SourceId { subsystem, id: 7 },
        window: [100, 200],
        parts,
        missing,
    };
    let (frames, hits): ([&[u8]; 1], [&[u8]; 1]) = ([&[1; 928]], [&[2; 48]]);
    let fragments = [
        fragment(fragment_type::PROTO_WIB, 1, &frames, &missing[..]),
        fragment(fragment_type::TRIGGER_PRIMITIVE, 3, &hits, &[]),
    ];
    let header = TriggerRecordHeader { trigger_number: 42, run: 5, ..TriggerRecordHeader::default() };
    writer.write(header, &fragments).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
fn trigger_records_are_listed_with_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = trigger_records(folder.path());
    let name = file.to_str().unwrap();
    let output = livetime(&["inspect", name]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(text.contains("trigger records, 1.32 KiB, 1 records, complete\n"), "{text}");
    let cells: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(cells, ["42", "5", "0", "0x0", "2", "1.32", "KiB", "2", "1", "50"]);
    let tree = stdout(&livetime(&["inspect", "--tree", name]));
    assert!(tree.contains("wib1 1 from readout 7, window 100 to 200, 928 bytes, errors 0x2\n"), "{tree}");
    assert!(tree.contains("missing from readout 7: 150 to 200, too_old\n"), "{tree}");
    let json: Value = serde_json::from_slice(&livetime(&["inspect", "--json", name]).stdout).unwrap();
    let record = &json[0]["records"][0];
    assert_eq!((&record["trigger"], &record["fragments"][1]["hits"]), (&42.into(), &2.into()));
    assert_eq!(record["missing"][0]["reason"], "too_old");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    let output = livetime(&["inspect", name]);
    assert!(stdout(&output).contains("0 records, ends inside a record: "), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(1));
}

/// The golden frames of the wire readout.
fn wire_frames() -> Option<Vec<u8>> {
    let packed = std::fs::read(data("wib/wib1_frames.bin.zst")?).unwrap();
    Some(zstd::decode_all(&packed[..]).unwrap())
}

#[test]
fn raw_frames_are_summed_up() {
    for (name, place, frames) in [
        (
            "wib/wib1_frames.bin.zst",
            "crate 5 slot 2 fiber 1: 3000 frames, dropped 0, missing 0, with faults 0\n",
            "wib1",
        ),
        (
            "wib/wibeth_frames.bin.zst",
            "detector 3 crate 1 slot 2 stream 65: 120 frames, dropped 0, missing 0",
            "wibeth",
        ),
    ] {
        let Some(file) = data(name) else { return };
        let output = livetime(&["inspect", file.to_str().unwrap()]);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(text.contains(place) && text.contains(frames), "{text}");
        assert!(text.contains("ledger: good 100.0000 %\n"), "{text}");
    }
    let Some(file) = data("wib/wib1_frames.bin.zst") else { return };
    let text = stdout(&livetime(&["inspect", file.to_str().unwrap()]));
    let row = text.lines().find(|line| line.starts_with("collection")).unwrap();
    let cells: Vec<f64> = row.split_whitespace().skip(1).map(|cell| cell.parse().unwrap()).collect();
    // 96 channels of collection around 900 counts, with some counts of noise.
    assert!(
        cells[0] == 96.0 && (800.0..1000.0).contains(&cells[1]) && (2.0..6.0).contains(&cells[4]),
        "{row}"
    );
}

#[test]
fn faults_of_raw_frames_are_found_where_they_are() {
    let Some(mut frames) = wire_frames() else { return };
    frames[70 * 464 + 4] |= 1;
    frames.drain(700 * 464..701 * 464);
    frames.drain(1000 * 464 + 50..1001 * 464);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("link.bin");
    std::fs::write(&file, &frames).unwrap();
    let output = livetime(&["inspect", "--json", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let link = &json[0]["links"][0];
    assert_eq!(
        (&json[0]["skipped_bytes"], &link["missing"], &link["frames"]),
        (&50.into(), &2.into(), &2998.into())
    );
    let first = 80_150_024_000_000_000u64;
    let odd: Vec<(u64, u64, &str)> = link["intervals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            (
                i["begin"].as_u64().unwrap() - first,
                i["end"].as_u64().unwrap() - first,
                i["state"].as_str().unwrap(),
            )
        })
        .collect();
    let at = |frame: u64| (25 * frame, 25 * frame + 25);
    let wanted = [(at(70), "corrupt"), (at(700), "absent"), (at(1001), "absent")];
    assert_eq!(odd, wanted.map(|((begin, end), state)| (begin, end, state)));
    assert_eq!((&link["faults"][0]["fault"], &link["faults"][0]["first_frame"]), (&"mm".into(), &70.into()));
    let text = stdout(&livetime(&["inspect", file.to_str().unwrap()]));
    assert!(text.contains("50 bytes belong to no frame"), "{text}");
}

#[test]
fn felix_blocks_are_summed_up() {
    use livetime_formats::felix::{BlockWriter, Trailer};
    let Some(frames) = wire_frames() else { return };
    let mut writer = BlockWriter::new(4096, Trailer::Bits32, 64).unwrap();
    let mut blocks = Vec::new();
    frames.chunks(12 * 464).for_each(|superchunk| writer.chunk(superchunk, &mut blocks));
    writer.flush(&mut blocks);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.blocks");
    std::fs::write(&file, &blocks).unwrap();
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        text.contains("FELIX blocks of 4096 bytes")
            && text.contains("e-link 64, crate 5 slot 2 fiber 1: 3000 frames"),
        "{text}"
    );
    blocks.drain(10 * 4096..11 * 4096);
    std::fs::write(&file, &blocks).unwrap();
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("missing 1, unreadable 0"), "{}", stdout(&output));
}

#[test]
fn an_incomplete_contribution_is_told_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
    let container = XtcHeader::new(Src::segment(1), TypeId::CONTAINER);
    builder.leaf(XtcHeader { damage: Damage::INCOMPLETE, ..container }, &[&[0; 40]]).unwrap();
    let opal = XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
    let picture = [&[2u32, 2, 8, 0].map(u32::to_le_bytes).concat()[..], &[1, 2, 3, 4]].concat();
    builder.leaf(XtcHeader { damage: Damage::DROPPED, ..opal }, &[&picture]).unwrap();
    builder.finish().unwrap();
    let file = folder.path().join("e1-r0001-s00-c00.xtc");
    std::fs::write(&file, bytes).unwrap();
    let file = file.to_str().unwrap();
    let text = stdout(&livetime(&["inspect", file]));
    assert!(
        text.contains("incomplete contributions: 1 of ") && text.contains("damage: incomplete"),
        "{text}"
    );
    assert!(
        text.contains("pictures with damage, and none without: CxiEndstation-0|Opal1000-1 in 1"),
        "{text}"
    );
    let json: Value = serde_json::from_slice(&livetime(&["inspect", "--json", file]).stdout).unwrap();
    let found = &json[0]["incomplete_contributions"][0];
    assert_eq!((&found["contributions"], &found["bytes"]), (&1.into(), &60.into()), "{json}");
    assert_eq!(json[0]["damaged_pictures"][0]["events"], 1);
}

#[test]
fn an_empty_file_is_not_complete() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["e1-r0001-s00-c00.xtc", "e1-r0001-s000-c000.xtc2", "run1.records", "hits.parquet", "frames.bin"]
    {
        let file = folder.path().join(name);
        std::fs::write(&file, b"").unwrap();
        let output = livetime(&["inspect", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stdout(&output).contains("empty: nothing was recorded"), "{name}: {}", stdout(&output));
        let output = livetime(&["inspect", "--json", file.to_str().unwrap()]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json[0]["state"]["whole"], false, "{name}");
    }
}

#[test]
fn what_is_no_recorded_file_is_told_all_that_could_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "these are notes, and no frames of any detector at all, whatever was wanted")
        .unwrap();
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    let all = ["LCLS-I or LCLS-II", "trigger records", "WIB", "FELIX", "zstd", "Parquet"];
    assert!(all.iter().all(|name| text.contains(name)), "{text}");
}

/// Two columns in two row groups, as the sink of hits writes them.
fn hits(file: &Path) {
    use parquet::data_type::{Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    let schema = "message hits { required int64 time_start (INTEGER(64,false)); \
                  required int32 channel (INTEGER(32,false)); }";
    let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
    let about = vec![parquet::file::metadata::KeyValue::new("clock_hz".into(), "62500000".to_owned())];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(about)).build();
    let to = std::fs::File::create(file).unwrap();
    let mut writer = SerializedFileWriter::new(to, schema.into(), properties.into()).unwrap();
    for group in 0..2 {
        let mut rows = writer.next_row_group().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[group, 5, 9], None, None).unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1, 2, 3], None, None).unwrap();
        column.close().unwrap();
        rows.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn files_of_hits_tell_columns_rows_and_what_they_say_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hits.parquet");
    hits(&file);
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let wanted =
        ["6 rows in 2 row groups, complete", "clock_hz: 62500000", "time_start", "u64", "channel", "u32"];
    assert!(wanted.iter().all(|part| text.contains(part)), "{text}");
    let json: Value =
        serde_json::from_slice(&livetime(&["inspect", "--json", file.to_str().unwrap()]).stdout).unwrap();
    assert_eq!((&json[0]["rows"], &json[0]["columns"][1]["name"]), (&6.into(), &"channel".into()), "{json}");
    assert_eq!(json[0]["metadata"]["clock_hz"], "62500000");

    // It was not written by us, and says nothing by which it could be checked.
    assert!(text.contains("not checked: the index and 8 of 8 pages have no checksum"), "{text}");
    assert_eq!(
        (&json[0]["checksums"]["checked"], &json[0]["checksums"]["pages_with"]),
        (&false.into(), &0.into())
    );

    // Its writer was killed: there is no footer.
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    let output = livetime(&["inspect", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let told = stdout(&output);
    assert!(told.contains("without a whole footer") && told.contains("livetime recover"), "{told}");
}
