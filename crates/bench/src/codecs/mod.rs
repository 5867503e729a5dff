//! `livetime-bench codecs`: ratio and speed of every codec, per instruction-set level, on one core; with `--peer` also
//! of the C libraries, each in turn with ours.

mod frames;
mod peers;
mod row;

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_codecs::{
    ALL, Array, Blockpack, BlockpackTier, BloscCompressor, BloscShuffle, Codec, CodecError, CodecType, DType,
    Reference, Settings as Set,
};
use livetime_kernels::Level;
use serde_json::{Value, json};

use super::{Progress, Record, Settings, Spread};
use frames::Frames;
use livetime_control::report::table::{Style, Table};
use peers::Files;
use row::{Row, span_s};

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let mut rows = Vec::new();
    for frames in frames::all(progress)? {
        let files = settings.peer.as_ref().map(|_| Files::write(&frames)).transpose();
        let files = files.map_err(|e| format!("wanted a folder for frames, found: {e}"))?;
        for level in Level::available() {
            for Case { name, codec, settings: set } in cases(level, &settings.filter) {
                let mut made = codec.make_at(level, &set)?;
                progress.log(format!("{} {name} {}", frames.name, level.name()));
                let mut plain = Plain { name, codec: made.as_mut() };
                rows.push(measure(&frames, "none", level, settings, &mut plain)?);
                // Peers have no levels, so they are measured once, beside the best one.
                let is_last = level == Level::best() || !codec.has_own_loops;
                if let (Some(python), Some(files), true) = (&settings.peer, &files, is_last) {
                    rows.extend(peers::measure(python, files, frames.name, name, settings)?);
                }
            }
            let tiers = TIERS.into_iter().filter(|(name, _)| name.contains(&settings.filter));
            for ((name, tier), (reference, references)) in
                tiers.flat_map(|tier| frames.references.iter().map(move |reference| (tier, reference)))
            {
                progress.log(format!("{} {name} {} {reference}", frames.name, level.name()));
                let mut with = With { name, codec: Blockpack::with_level(level).with_tier(tier), references };
                rows.push(measure(&frames, reference, level, settings, &mut with)?);
            }
        }
    }
    Ok(record(&rows))
}

/// A codec with its settings, and how rows call it.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    codec: &'static CodecType,
    settings: Set,
}

/// The cases of a level whose names contain `filter`; codecs without loops of ours come with the first level.
fn cases(level: Level, filter: &str) -> Vec<Case> {
    let is_here = |case: &Case| level == Level::PORTABLE || case.codec.has_own_loops;
    let all = ALL.iter().filter(|codec| codec.is_written()).flat_map(of_codec);
    all.filter(|case| is_here(case) && case.name.contains(filter)).collect()
}

/// The rows of a codec: its rows in [`NAMED`], or one.
fn of_codec(codec: &'static CodecType) -> Vec<Case> {
    let named = NAMED.iter().filter(|(of, ..)| *of == codec.name);
    let named: Vec<Case> = named.map(|&(_, name, settings)| Case { name, codec, settings }).collect();
    let one = || vec![Case { name: codec.name, codec, settings: Set::USUAL }];
    if named.is_empty() { one() } else { named }
}

/// Codecs with several rows: the codec, the name of a row, how it is set.
const NAMED: [(&str, &str, Set); 10] = [
    ("blockpack", "blockpack", Set::USUAL),
    ("blockpack", "blockpack dense", Set { blockpack_tier: BlockpackTier::Dense, ..Set::USUAL }),
    ("blosc", "blosc blosclz none", blosc(BloscCompressor::BloscLz, BloscShuffle::None)),
    ("blosc", "blosc blosclz byte", blosc(BloscCompressor::BloscLz, BloscShuffle::Byte)),
    ("blosc", "blosc lz4 byte", blosc(BloscCompressor::Lz4, BloscShuffle::Byte)),
    ("blosc", "blosc lz4 bit", blosc(BloscCompressor::Lz4, BloscShuffle::Bit)),
    ("blosc", "blosc zlib byte", blosc(BloscCompressor::Zlib, BloscShuffle::Byte)),
    ("blosc", "blosc zstd bit", blosc(BloscCompressor::Zstd, BloscShuffle::Bit)),
    ("zlib", "zlib 1", Set::USUAL.at(1)),
    ("zlib", "zlib 6", Set::USUAL.at(6)),
];

const fn blosc(blosc_compressor: BloscCompressor, blosc_shuffle: BloscShuffle) -> Set {
    Set { level: Some(3), blosc_compressor, blosc_shuffle, ..Set::USUAL }
}

/// The tiers of blockpack, and their names in rows.
const TIERS: [(&str, BlockpackTier); 2] =
    [("blockpack", BlockpackTier::Fast), ("blockpack dense", BlockpackTier::Dense)];

/// A codec, with or without references.
trait Measured {
    fn name(&self) -> &'static str;
    fn bound(&self, bytes: usize) -> usize;
    fn encode(&mut self, i: usize, frame: &[u8], output: &mut [u8]) -> Result<usize, CodecError>;
    fn decode(&mut self, i: usize, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError>;
}

struct Plain<'a> {
    name: &'static str,
    codec: &'a mut dyn Codec,
}

impl Measured for Plain<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bound(&self, bytes: usize) -> usize {
        self.codec.bound(bytes)
    }

    fn encode(&mut self, _: usize, frame: &[u8], output: &mut [u8]) -> Result<usize, CodecError> {
        self.codec.encode(Array::new(frame, DType::U16, &[frame.len() / 2])?, output)
    }

    fn decode(&mut self, _: usize, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        self.codec.decode(stream, DType::U16, output)
    }
}

struct With<'a> {
    name: &'static str,
    codec: Blockpack,
    /// One for each frame.
    references: &'a [Vec<u8>],
}

impl Measured for With<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bound(&self, bytes: usize) -> usize {
        self.codec.bound(bytes)
    }

    fn encode(&mut self, i: usize, frame: &[u8], output: &mut [u8]) -> Result<usize, CodecError> {
        let reference = Reference::new(i as u64 + 1, &self.references[i]);
        self.codec.encode_with(Array::new(frame, DType::U16, &[frame.len() / 2])?, Some(reference), output)
    }

    fn decode(&mut self, i: usize, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let reference = Reference::new(i as u64 + 1, &self.references[i]);
        self.codec.decode_with(stream, DType::U16, Some(reference), output)
    }
}

/// Encodes and decodes all frames; that they come back is checked.
fn measure(
    frames: &Frames,
    reference: &'static str,
    level: Level,
    settings: &Settings,
    codec: &mut dyn Measured,
) -> Result<Row, CodecError> {
    let total: usize = frames.frames.iter().map(Vec::len).sum();
    let mut streams: Vec<Vec<u8>> = frames.frames.iter().map(|f| vec![0; codec.bound(f.len())]).collect();
    let mut sizes = vec![0; streams.len()];
    let mut encode = || {
        for (i, frame) in frames.frames.iter().enumerate() {
            sizes[i] = codec.encode(i, frame, &mut streams[i])?;
        }
        Ok(())
    };
    let compress = speed(total, settings, &mut encode)?;
    let mut back: Vec<Vec<u8>> = frames.frames.iter().map(|f| vec![0; f.len()]).collect();
    let mut decode = || {
        for (i, output) in back.iter_mut().enumerate() {
            codec.decode(i, &streams[i][..sizes[i]], output)?;
        }
        Ok(())
    };
    let decompress = speed(total, settings, &mut decode)?;
    // A codec that returns other pixels must not appear with a speed.
    if back != frames.frames {
        return Err(CodecError::Length {
            what: "frames that came back unchanged",
            wanted: back.len(),
            found: 0,
        });
    }
    let ratio = sizes.iter().sum::<usize>() as f64 / total as f64;
    let (data, name, level) = (frames.name, codec.name(), level.name());
    Ok(Row { data, codec: name, level, reference, version: None, ratio, compress, decompress })
}

/// MB/s of frames in repeats of a fifth of a second, after one round to warm up.
fn speed(
    bytes: usize,
    settings: &Settings,
    work: &mut dyn FnMut() -> Result<(), CodecError>,
) -> Result<Spread, CodecError> {
    let span = Duration::from_secs_f64(span_s(settings));
    // The first call fills caches and memory of the codec, so it is not timed.
    work()?;
    let mut speeds = Vec::new();
    for _ in 0..settings.repeats() {
        let start = Instant::now();
        let mut rounds = 0;
        // At least one round, however long it takes.
        while rounds == 0 || start.elapsed() < span {
            work()?;
            rounds += 1;
        }
        speeds.push((bytes * rounds) as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    Ok(Spread::of(speeds))
}

fn record(rows: &[Row]) -> Record {
    let speeds =
        |s: &Spread| json!({ "median": s.median.round(), "min": s.min.round(), "max": s.max.round() });
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "data": row.data,
                "codec": row.codec,
                "level": row.level,
                "reference": row.reference,
                "version": row.version,
                "ratio": (row.ratio * 10_000.0).round() / 10_000.0,
                "compress_mb_s": row.compress.median.round(),
                "decompress_mb_s": row.decompress.median.round(),
                "compress_spread": speeds(&row.compress),
                "decompress_spread": speeds(&row.decompress),
            })
        })
        .collect();
    let heads = ["data", "codec", "level", "reference", "ratio", "compress MB/s", "decompress MB/s"];
    let mut table = Table::new(&heads).right(4..7);
    for row in rows {
        table.row([
            row.data.to_owned(),
            row.codec.to_owned(),
            row.level.to_owned(),
            row.reference.to_owned(),
            format!("{:.3}", row.ratio),
            format!("{:.0}", row.compress.median),
            format!("{:.0}", row.decompress.median),
        ]);
    }
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}
