use std::fs::{self, File};
use std::path::Path;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, Random, assert_compliant};
use livetime_frame::{Frame, TableLayout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use tempfile::TempDir;

use super::*;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into()), ("run", 42.into())];
    Harness::new::<HitsParquet>(&[&path[..], params].concat()).unwrap()
}

fn table(harness: &Harness, rows: &[HitRow]) -> Frame {
    let mut allocator = harness.pool().allocator();
    let mut table = allocator.table(TableLayout::new(HitRow::schema(), rows.len()).unwrap()).unwrap();
    HitRow::put(rows, &mut table).unwrap();
    table.freeze()
}

fn write(rows: &[HitRow], params: &[(&str, Value)]) -> (TempDir, Harness) {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, params);
    for rows in rows.chunks(1000) {
        let table = table(&harness, rows);
        harness.feed(&table).unwrap();
    }
    harness.drain().unwrap();
    (folder, harness)
}

/// Rows as the library reads them.
fn read(file: &Path) -> Vec<HitRow> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        HitRow {
            time_start: row.get_ulong(0).unwrap(),
            channel: row.get_uint(1).unwrap(),
            adc_integral: row.get_uint(2).unwrap(),
            adc_peak: row.get_ushort(3).unwrap(),
            samples_over: row.get_ushort(4).unwrap(),
            samples_to_peak: row.get_ushort(5).unwrap(),
            link: row.get_ushort(6).unwrap(),
            plane: row.get_ubyte(7).unwrap(),
            flags: row.get_ubyte(8).unwrap(),
        }
    });
    rows.collect()
}

/// Bytes that the columns take per hit, without the index at the end.
fn bytes_per_hit(file: &Path) -> f64 {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let groups = reader.metadata().row_groups();
    let bytes: i64 = groups.iter().map(|group| group.compressed_size()).sum();
    bytes as f64 / groups.iter().map(|group| group.num_rows()).sum::<i64>() as f64
}

fn random_hits(count: u64) -> Vec<HitRow> {
    let mut random = Random::new(5);
    let mut time = 80_150_024_000_000_000;
    (0..count)
        .map(|_| {
            time += random.next_u64() % 100;
            let bits = random.next_u64();
            HitRow {
                time_start: time,
                channel: (bits % 2560) as u32,
                adc_integral: (bits >> 20) as u32 & 0xFFF,
                adc_peak: (bits >> 32) as u16 & 0x7F,
                samples_over: (bits >> 40) as u16 & 0xF,
                samples_to_peak: (bits >> 44) as u16 & 7,
                link: (bits % 2560 / 256) as u16,
                plane: (bits >> 50) as u8 % 3,
                flags: u8::from(bits >> 52 == 0),
            }
        })
        .collect()
}

#[test]
fn what_is_written_is_read() {
    let mut rows = random_hits(5000);
    rows[7] = HitRow {
        time_start: u64::MAX,
        channel: u32::MAX,
        adc_integral: u32::MAX,
        adc_peak: u16::MAX,
        samples_over: u16::MAX,
        samples_to_peak: u16::MAX,
        link: u16::MAX,
        plane: u8::MAX,
        flags: u8::MAX,
    };
    let (folder, mut harness) = write(&rows, &[("row_group", 1500.into()), ("clock_hz", 62_500_000.into())]);
    let file = folder.path().join("hits_0001.parquet");
    assert_eq!(read(&file), rows);
    let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
    let metadata = reader.metadata();
    let groups: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [1500, 1500, 1500, 500]);
    let about = metadata.file_metadata().key_value_metadata().unwrap();
    let about: Vec<_> = about.iter().map(|kv| (kv.key.as_str(), kv.value.as_deref().unwrap())).collect();
    assert_eq!(about[..2], [("run", "42"), ("clock_hz", "62500000")]);
    let counts = ["hits_written", "hits_waiting", "hits_lost", "num_captured", "bytes_written"];
    let size = fs::metadata(&file).unwrap().len() as f64;
    assert_eq!(counts.map(|name| harness.number_of(name)), [5000.0, 0.0, 0.0, 1.0, size]);
    assert_eq!(harness.get("full_file_name"), Some(file.to_str().unwrap().into()));
}

/// The golden hits of ProtoDUNE-SP's algorithm: superchunk, channel, end tick in it, sum, ticks over.
#[test]
fn golden_hits_take_few_bytes() {
    let Some(file) = livetime_testkit::data("wib/wib1_hits_seed.txt") else { return };
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut rows: Vec<HitRow> = lines
        .map(|line| {
            let n: Vec<u64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let time_start = 80_150_024_000_000_000 + 25 * (12 * n[0] + n[2]) - 25 * n[4];
            let plane = if (10..22).contains(&(n[1] % 32)) { 2 } else { (n[1] / 3 % 2) as u8 };
            HitRow {
                time_start,
                channel: n[1] as u32,
                adc_integral: n[3] as u32,
                // The experiment wrote this value in place of the peak, which its file lacks.
                adc_peak: (n[3] / 20) as u16,
                samples_over: n[4] as u16,
                samples_to_peak: (n[4] / 2) as u16,
                plane,
                ..HitRow::default()
            }
        })
        .collect();
    rows.sort_by_key(|hit| (hit.time_start, hit.channel));
    assert_eq!(rows.len(), 831);
    let (folder, _) = write(&rows, &[]);
    let file = folder.path().join("hits_0001.parquet");
    assert_eq!(read(&file), rows);
    let bytes = bytes_per_hit(&file);
    println!("{bytes:.2} bytes per golden hit");
    assert!(bytes < 10.5, "{bytes}");
}

#[test]
fn files_end_by_rows_bytes_and_age() {
    let rows = random_hits(3000);
    let names = |folder: &TempDir| {
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        names.iter().flat_map(|file| read(file)).collect::<Vec<_>>() == rows && names.len() == 3
    };
    let (folder, _) = write(&rows, &[("max_rows", 1000.into())]);
    assert!(names(&folder));
    let (folder, _) = write(&rows, &[("max_bytes", 1.into()), ("row_group", 1000.into())]);
    assert!(names(&folder));
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("max_seconds", 5.0.into())]);
    for (second, rows) in rows.chunks(1000).enumerate() {
        let table = table(&harness, rows);
        harness.feed(&table).unwrap();
        let name = format!("hits_{:04}.parquet", second + 1);
        assert!(folder.path().join(format!("{name}.inprogress")).exists());
        harness.advance((5 * second as u64 + 5) * 1_000_000_000).unwrap();
        assert!(folder.path().join(name).exists());
    }
    assert!(names(&folder));
}

#[test]
fn what_cannot_be_written_is_counted_and_tried_again() {
    let folder = TempDir::new().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let mut harness =
        Harness::new::<HitsParquet>(&[("path", gone.to_str().unwrap().into()), ("row_group", 10.into())])
            .unwrap();
    fs::remove_dir(&gone).unwrap();
    let rows = random_hits(25);
    let table = table(&harness, &rows);
    assert!(harness.feed(&table).unwrap_err().to_string().contains("wanted a folder"));
    fs::create_dir(&gone).unwrap();
    assert!(harness.feed(&table).is_err(), "not yet tried again");
    harness.advance(1_000_000_000).unwrap();
    harness.feed(&table).unwrap();
    harness.set("capture", false).unwrap();
    harness.feed(&table).unwrap();
    let counts = ["hits_written", "hits_lost", "ignored"].map(|name| harness.number_of(name));
    assert_eq!(counts, [25.0, 50.0, 1.0]);
    assert_eq!(read(&gone.join("hits_0001.parquet")), rows);
}

/// Hits of a file that cannot have its name are not lost, and the log names their place.
#[test]
fn a_file_that_cannot_have_its_name_is_told() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("max_rows", 30.into())]);
    let rows = random_hits(40);
    let [first, second] = [&rows[..20], &rows[20..]].map(|rows| table(&harness, rows));
    harness.feed(&first).unwrap();
    fs::write(folder.path().join("hits_0001.parquet"), "of somebody else").unwrap();
    harness.feed(&second).unwrap();
    let told =
        |event: &livetime_engine::Event| event.is_error && event.message.contains("parquet.inprogress");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    assert_eq!(["hits_written", "hits_lost"].map(|name| harness.number_of(name)), [40.0, 0.0]);
    assert_eq!(read(&folder.path().join("hits_0001.parquet.inprogress")), rows);
}

/// Within a second; then the next file is begun.
#[test]
fn a_file_that_is_taken_away_is_noticed() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("flush_seconds", 100.0.into())]);
    let rows = random_hits(20);
    let table = table(&harness, &rows);
    harness.feed(&table).unwrap();
    fs::remove_file(folder.path().join("hits_0001.parquet.inprogress")).unwrap();
    harness.advance(2_000_000_000).unwrap();
    harness.feed(&table).unwrap();
    let told = |event: &livetime_engine::Event| event.message.contains("the data are gone");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    harness.drain().unwrap();
    assert_eq!(read(&folder.path().join("hits_0002.parquet")), rows);
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    assert_compliant::<HitsParquet>(&[("path", folder.path().to_str().unwrap().into())]);
}

/// Counts of safe hits and of waiting hits.
fn safe_and_waiting(harness: &mut Harness) -> (f64, f64) {
    (harness.number_of("hits_written"), harness.number_of("hits_waiting"))
}

#[test]
fn what_is_being_written_can_be_read_at_any_moment_up_to_what_is_safe() {
    let rows = random_hits(3000);
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("row_group", 400.into()), ("flush_seconds", 2.0.into())]);
    let (file, saved) = (folder.path().join("hits_0001.parquet.inprogress"), folder.path().join("saved"));
    let mut indexes = 0;
    for (i, some) in rows.chunks(100).enumerate() {
        let table = table(&harness, some);
        harness.feed(&table).unwrap();
        let (safe, waiting) = safe_and_waiting(&mut harness);
        assert_eq!(safe + waiting, 100.0 * (i + 1) as f64);
        if safe == 0.0 {
            assert!(matches!(recover(&file, &saved), Ok(None)));
            continue;
        }
        let found = recover(&file, &saved).unwrap().unwrap();
        assert_eq!((found.rows as f64, found.input_bytes), (safe, fs::metadata(&file).unwrap().len()));
        assert_eq!(read(&saved), rows[..safe as usize]);
        fs::remove_file(&saved).unwrap();
        indexes += usize::from(found.bytes == found.input_bytes);
    }
    assert!(indexes > 3, "{indexes}");
    // Time brings the rest to safety, too.
    harness.advance(2_000_000_000).unwrap();
    assert_eq!(safe_and_waiting(&mut harness), (3000.0, 0.0));
    assert_eq!(read(&file), rows, "it is a whole Parquet file at this moment");
    harness.drain().unwrap();
    assert_eq!(read(&folder.path().join("hits_0001.parquet")), rows);
}

/// A file that is cut anywhere has at least the hits that an index was written for before the cut.
#[test]
fn a_file_that_is_cut_anywhere_is_saved_up_to_its_last_index() {
    let rows = random_hits(2000);
    let (folder, _) = write(&rows, &[("row_group", 100.into())]);
    let whole = fs::read(folder.path().join("hits_0001.parquet")).unwrap();
    let (file, saved) = (folder.path().join("cut"), folder.path().join("saved"));
    let (mut random, mut most) = (Random::new(3), 0);
    let mut cuts: Vec<usize> = (0..60).map(|_| random.next_u64() as usize % whole.len()).collect();
    cuts.extend([0, 4, 11, 12, whole.len() - 1, whole.len()]);
    cuts.sort_unstable();
    for cut in cuts {
        fs::write(&file, &whole[..cut]).unwrap();
        let found = recover(&file, &saved).unwrap();
        let rows_found = found.map_or(0, |found| found.rows);
        assert!(rows_found >= most, "{cut}: {rows_found} after {most}");
        most = rows_found;
        if found.is_some() {
            assert_eq!(read(&saved), rows[..rows_found as usize]);
            fs::remove_file(&saved).unwrap();
        }
    }
    assert_eq!(most, 2000);
    // Pages that a failing machine has not kept.
    let mut broken = whole.clone();
    let middle = broken.len() / 2;
    broken[middle..middle + 2000].fill(0);
    fs::write(&file, &broken).unwrap();
    let found = recover(&file, &saved).unwrap().unwrap();
    assert!(
        found.rows >= 1000 && found.rows + found.damaged_rows == 2000 && !found.is_complete(),
        "{found:?}"
    );
    let left = read(&saved);
    let is_kept = |group: &&[HitRow]| left.chunks(100).any(|kept| kept == *group);
    assert_eq!(left.len() as u64, found.rows);
    assert_eq!(rows.chunks(100).filter(is_kept).count(), found.row_groups);
}

/// After any wrong bit, either the rows are the rows that were written, or the loss is reported.
#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let rows = random_hits(600);
    let (folder, _) = write(&rows, &[("row_group", 200.into())]);
    let whole = fs::read(folder.path().join("hits_0001.parquet")).unwrap();
    let (file, saved) = (folder.path().join("flipped"), folder.path().join("saved"));
    let mut random = Random::new(5);
    let (mut damaged, mut harmless) = (0, 0);
    for _ in 0..400 {
        let mut bytes = whole.clone();
        bytes[random.next_u64() as usize % whole.len()] ^= 1 << (random.next_u64() % 8);
        fs::write(&file, &bytes).unwrap();
        let Some(found) = recover(&file, &saved).unwrap() else {
            damaged += 1;
            continue;
        };
        let left = read(&saved);
        match found.is_complete() {
            true => assert_eq!((left == rows, found.is_proved), (true, true), "{found:?}"),
            false => {
                assert!(left.chunks(200).all(|group| rows.chunks(200).any(|own| own == group)), "{found:?}")
            }
        }
        // The file that was saved of a damaged one is whole.
        let again = folder.path().join("again");
        let twice = recover(&saved, &again).unwrap().unwrap();
        assert!(twice.is_complete() && twice.rows == found.rows, "{twice:?}");
        *if found.is_complete() { &mut harmless } else { &mut damaged } += 1;
        fs::remove_file(&saved).unwrap();
        fs::remove_file(&again).unwrap();
    }
    // No reader reads old indexes.
    assert!(damaged > 200 && harmless > 0, "{damaged} {harmless}");
}

/// The name in the documents: a file in progress gets its final name.
#[test]
fn an_unfinished_file_is_recovered_to_its_own_name() {
    let rows = random_hits(300);
    let (folder, _) = write(&rows, &[("row_group", 100.into())]);
    let name = folder.path().join("hits_0001.parquet");
    let unfinished = folder.path().join("hits_0001.parquet.inprogress");
    fs::rename(&name, &unfinished).unwrap();
    assert!(recover(&unfinished, &name).unwrap().is_some_and(|saved| saved.is_complete()));
    assert_eq!(read(&name), rows);
}

#[test]
fn columns_say_their_units_and_flags_in_the_file_itself() {
    let (folder, _) = write(&random_hits(10), &[]);
    let reader =
        SerializedFileReader::new(File::open(folder.path().join("hits_0001.parquet")).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let about = metadata.key_value_metadata().unwrap();
    for column in metadata.schema_descr().columns() {
        let told = about.iter().find(|kv| kv.key == column.name()).and_then(|kv| kv.value.as_deref());
        assert!(told.is_some_and(|told| told.len() > 20), "{}: {told:?}", column.name());
        let document = include_str!("../../../../../docs/formats/hits-parquet.md");
        assert!(document.contains(&format!("| `{}` |", column.name())), "{}", column.name());
    }
    let flags = about.iter().find(|kv| kv.key == "flags").and_then(|kv| kv.value.clone()).unwrap();
    for (bit, name) in [
        (HitRow::CUT, "cut"),
        (HitRow::GAP, "gap"),
        (HitRow::FAULTY, "faulty"),
        (HitRow::SATURATED, "saturated"),
        (HitRow::OPEN, "open"),
    ] {
        let at = flags.find(&format!("({name})")).unwrap();
        let before = flags[..at].rsplit(", ").next().unwrap();
        assert!(before.trim_start_matches("bits: ").starts_with(&format!("{bit} ")), "{flags}");
    }
}
