//! `livetime-bench ingest`: the time that a source of raw frames spends per frame, on one core.
//!
//! Frames lie in some ten MB that are read repeatedly, so that they come from memory rather than from a cache.
//! Datagrams go over the machine's own network, in bursts that its buffer holds; the measured time is the receiver's.

use crate::Failed;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use livetime_engine::testing::Harness;
use livetime_formats::wib::{DumpReader, RawFormat};
use livetime_wire::sources::wibeth_udp::WibethUdp;
use livetime_wire::{IngestOptions, LinkIngest};
use serde_json::json;

use super::{Progress, Record, Settings, Spread};
use livetime_control::report::table::{Style, Table};

/// Bytes of all frames.
const BYTES: usize = 16 << 20;
/// Frames of a batch of WIB1.
const BATCH: usize = 384;
/// Datagrams of a burst.
const BURST: usize = 10;

struct Row {
    format: RawFormat,
    what: &'static str,
    ns: Spread,
}

/// Goes over frames once; how many there were.
type Pass<'a> = Box<dyn FnMut() -> Result<usize, Failed> + 'a>;

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let mut rows = Vec::new();
    for format in RawFormat::ALL {
        let frames = frames(format, BYTES / format.bytes());
        for (what, mut pass) in passes(format, &frames) {
            if format!("{} {what}", format.name()).contains(&settings.filter) {
                progress.log(format!("{} {what}", format.name()));
                // Not timed: it loads code, and touches memory for the first time.
                pass()?;
                let samples = (0..settings.repeats()).map(|_| sample(&mut pass, settings.quick));
                rows.push(Row { format, what, ns: Spread::of(samples.collect::<Result<_, _>>()?) });
            }
        }
    }
    for (what, at_once) in
        [("datagrams one by one", 1), ("datagrams 16 at once", 16), ("datagrams 64 at once", 64)]
    {
        if what.contains(&settings.filter) {
            progress.log(what);
            let samples =
                (0..settings.repeats()).map(|_| datagrams(at_once, if settings.quick { 10 } else { 1000 }));
            let ns = Spread::of(samples.collect::<Result<_, _>>()?);
            rows.push(Row { format: RawFormat::WibEth, what, ns });
        }
    }
    Ok(record(&rows))
}

/// Good frames of a link.
fn frames(format: RawFormat, count: usize) -> Vec<u8> {
    let mut frames = vec![0; count * format.bytes()];
    for (i, frame) in frames.chunks_exact_mut(format.bytes()).enumerate() {
        if format == RawFormat::WibEth {
            // The length of the block, and crate 1.
            frame[..8].copy_from_slice(&(0x382u64 << 52 | 1 << 12).to_le_bytes());
        }
        format.delay(frame, (i as u64 + 1) * format.step());
    }
    frames
}

fn passes(format: RawFormat, frames: &[u8]) -> Vec<(&'static str, Pass<'_>)> {
    let link = move || LinkIngest::new(format, 0, IngestOptions::default());
    let one_by_one = move || {
        let mut link = link();
        frames.chunks_exact(format.bytes()).for_each(|frame| link.next(frame, |_| ()));
        Ok(link.counts().frames as usize)
    };
    let in_runs = move || {
        let mut link = link();
        // The first frame is believed when the second has come.
        link.next(&frames[..format.bytes()], |_| ());
        link.next(&frames[format.bytes()..2 * format.bytes()], |_| ());
        link.calm_run(&frames[2 * format.bytes()..]);
        Ok(link.counts().frames as usize)
    };
    let mut batch = vec![0; BATCH * 464];
    let copied = move || {
        let mut link = link();
        // The first frame is believed when the second has come.
        link.next(&frames[..format.bytes()], |_| ());
        link.next(&frames[format.bytes()..2 * format.bytes()], |_| ());
        let whole = batch.len() / format.bytes() * format.bytes();
        for part in frames[2 * format.bytes()..].chunks(whole) {
            let run = link.calm_run(part) * format.bytes();
            batch[..run].copy_from_slice(&part[..run]);
            // Else the compiler could leave the copy out.
            std::hint::black_box(&batch);
        }
        Ok(link.counts().frames as usize)
    };
    let dump = move || {
        let (mut link, mut reader) = (link(), DumpReader::new(frames));
        while let Some(some) = reader.next_frames(BATCH)? {
            let run = link.calm_run(some) * format.bytes();
            some[run..].chunks_exact(format.bytes()).for_each(|frame| link.next(frame, |_| ()));
        }
        Ok(link.counts().frames as usize)
    };
    vec![
        ("checked one by one", Box::new(one_by_one)),
        ("checked in runs", Box::new(in_runs)),
        ("checked and copied", Box::new(copied)),
        ("read from a dump and checked", Box::new(dump)),
    ]
}

/// Mean time per frame in ns, over as many passes as fit into a tenth of a second.
fn sample(pass: &mut Pass, quick: bool) -> Result<f64, Failed> {
    let span = Duration::from_millis(if quick { 1 } else { 100 });
    let (start, mut frames) = (Instant::now(), 0);
    while start.elapsed() < span || frames == 0 {
        frames += pass()?;
    }
    Ok(start.elapsed().as_nanos() as f64 / frames as f64)
}

/// Mean time in ns that the source takes for a datagram.
fn datagrams(at_once: i64, bursts: usize) -> Result<f64, Failed> {
    let wrong = |e: std::io::Error| e.to_string();
    let params = [("address", "127.0.0.1:0".into()), ("datagrams", at_once.into())];
    let mut source = Harness::new::<WibethUdp>(&params)?;
    let sender = UdpSocket::bind("127.0.0.1:0").map_err(wrong)?;
    sender.connect(("127.0.0.1", source.number_of("port") as u16)).map_err(wrong)?;
    let frames = frames(RawFormat::WibEth, BURST * bursts);
    let mut taken = Duration::ZERO;
    for burst in frames.chunks(BURST * RawFormat::WibEth.bytes()) {
        for frame in burst.chunks(RawFormat::WibEth.bytes()) {
            sender.send(frame).map_err(wrong)?;
        }
        let wanted = source.number_of("received") + BURST as f64;
        // The sender is not measured: its burst waits in the buffer of the socket.
        let start = Instant::now();
        while source.number_of("received") < wanted {
            source.produce()?;
        }
        taken += start.elapsed();
    }
    Ok(taken.as_nanos() as f64 / (BURST * bursts) as f64)
}

fn record(rows: &[Row]) -> Record {
    // Links of an anode plane: 10 with 256 channels, or 40 streams with 64.
    let links = |row: &Row| if row.format == RawFormat::WibEth { 40.0 } else { 10.0 };
    let frame_ns = |row: &Row| (row.format.step() * row.format.tick_ns()) as f64;
    let cores = |row: &Row| links(row) * row.ns.median / frame_ns(row);
    let gb_s = |row: &Row| row.format.bytes() as f64 / row.ns.median;
    let round = |value: f64| (value * 1000.0).round() / 1000.0;
    let json: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "format": row.format.name(),
                "what": row.what,
                "ns_per_frame": round(row.ns.median),
                "min": round(row.ns.min),
                "max": round(row.ns.max),
                "gb_per_s": round(gb_s(row)),
                "cores_per_apa": round(cores(row)),
            })
        })
        .collect();
    let header = ["format", "what", "ns/frame", "min", "max", "GB/s", "cores/APA"];
    let mut table = Table::new(&header).right(2..7);
    for row in rows {
        let numbers =
            [row.ns.median, row.ns.min, row.ns.max, gb_s(row), cores(row)].map(|n| format!("{n:.2}"));
        table.row([row.format.name().to_owned(), row.what.to_owned()].into_iter().chain(numbers));
    }
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}
