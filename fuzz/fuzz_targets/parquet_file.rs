//! Any bytes as a Parquet file, as a sealed index behind any pages, or as damage to a sound file: it is refused, or its survey ends
//! within bounds, and damage to a page that has a checksum is found.
//!
//! `cargo +nightly fuzz run --no-default-features parquet_file`
#![no_main]

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, OnceLock};

use livetime_formats::parquet::{MAGIC, Survey, index, write_column};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::FileMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    match kind % 3 {
        0 => survey(rest),
        1 => survey(&sealed(rest)),
        _ => damaged(rest),
    }
});

fn survey(bytes: &[u8]) {
    let (file, end) = (file_of(bytes), bytes.len() as u64);
    let Ok(mut survey) = Survey::new(&file, end) else { return };
    assert!(survey.index_begin() <= end);
    for group in 0..survey.metadata().num_row_groups() {
        if let Ok(checked) = survey.check(group) {
            assert!(checked.proved <= checked.pages && checked.pages <= end);
        }
    }
}

fn file_of(bytes: &[u8]) -> File {
    let path = std::env::temp_dir().join(format!("livetime-fuzz-{}.parquet", std::process::id()));
    let write = || {
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        file.write_all(bytes)?;
        std::fs::remove_file(&path).map(|()| file)
    };
    write().expect("a folder that can be written to")
}

/// Pages, of which the first two bytes say how long they are, and an index with its seal.
fn sealed(rest: &[u8]) -> Vec<u8> {
    let (length, rest) = rest.split_at(rest.len().min(2));
    let length = length.iter().fold(0, |sum, byte| sum * 256 + usize::from(*byte));
    let (pages, index) = rest.split_at(length.min(rest.len()));
    let index = [index, &(index.len() as u32).to_le_bytes(), MAGIC].concat();
    let seal = crc32fast::hash(&index).to_le_bytes();
    [MAGIC, pages, b"LTINDEX1", &seal, &index].concat()
}

/// Flips bits of a sound file: three bytes for each say which byte and which bits.
fn damaged(flips: &[u8]) {
    let (sound, index) = sound();
    let mut bytes = sound.clone();
    for flip in flips.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([flip[0], flip[1]])) % bytes.len();
        bytes[at] ^= flip[2];
    }
    survey(&bytes);
    // Magic word, pages, index: what lies in pages of a sound index is proved.
    if bytes[MAGIC.len()..*index] != sound[MAGIC.len()..*index] && bytes[*index..] == sound[*index..] {
        let file = file_of(&bytes);
        let mut survey = Survey::new(&file, bytes.len() as u64).expect("its index is sound");
        let groups = 0..survey.metadata().num_row_groups();
        let found = groups.filter(|group| survey.check(*group).is_err()).count();
        assert!(found > 0, "damage to pages that is not found");
    }
}

/// A file of two row groups, and where its index begins.
fn sound() -> &'static (Vec<u8>, usize) {
    static SOUND: OnceLock<(Vec<u8>, usize)> = OnceLock::new();
    SOUND.get_or_init(|| written().expect("it fits into memory"))
}

fn written() -> Result<(Vec<u8>, usize)> {
    let schema = Arc::new(parse_message_type("message m { required int64 time; required int32 channel; }")?);
    let columns = Arc::new(SchemaDescriptor::new(schema.clone()));
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties.clone())?;
    for from in [0, 100] {
        let (times, channels) = ((from..from + 100).collect::<Vec<i64>>(), (0..100).collect::<Vec<i32>>());
        let mut group = writer.next_row_group()?;
        write_column::<Int64Type>(&mut group, columns.column(0), &properties, &times)?;
        write_column::<Int32Type>(&mut group, columns.column(1), &properties, &channels)?;
        group.close()?;
    }
    writer.flush()?;
    let about = FileMetaData::new(1, 200, None, None, columns, None);
    let index = index(&about, writer.flushed_row_groups())?;
    let mut bytes = writer.inner().clone();
    let begin = bytes.len();
    bytes.extend_from_slice(&index);
    Ok((bytes, begin))
}
