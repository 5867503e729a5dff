//! How fast files are written, read, scanned, and read event by event: `cargo run --release --example xtc_speed [FOLDER] [GB]`.
//!
//! Writes a run of CSPad-sized events to FOLDER (the system's folder for temporary files), and measures from the page cache.

#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::path::PathBuf;
use std::time::Instant;

use livetime_formats::file::{Follower, Progress};
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::summary::Summary;
use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, Src, TypeId, Writer, XtcHeader, id};
use livetime_formats::{Error, Result};

const ELEMENT: usize = 4_594_064;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let gigabytes: f64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1.0);
    for (what, payload) in [("4.6 MB events", ELEMENT), ("2 kB events", 2000)] {
        let count = (gigabytes * 1e9 / payload as f64) as u64;
        let path = folder.join(format!("livetime-speed-{}-s00-c00.xtc", std::process::id()));
        let measured = measure(what, payload, count, &path);
        let _ = std::fs::remove_file(&path);
        measured?;
    }
    Ok(())
}

fn measure(what: &str, payload: usize, count: u64, path: &PathBuf) -> Result<()> {
    let size = timed(what, "write", || write(path, payload, count))?;
    for _ in 0..3 {
        timed(what, "read in order", || read(path))?;
    }
    timed(what, "scan", || {
        let file = std::fs::File::open(path).map_err(|e| Error::io("to open the file", e))?;
        let summary = Summary::scan(&file, |_| true)?;
        assert_eq!(summary.datagrams.events, count);
        Ok(size)
    })?;
    let mut run = None;
    timed(what, "open as a run", || {
        run = Some(Run::open(&[path])?);
        Ok(size)
    })?;
    let Some(run) = run else { return Ok(()) };
    for workers in [1, 2] {
        timed(what, &format!("read event by event, {workers} threads"), || read_events(&run, workers))?;
    }
    Ok(())
}

fn timed(what: &str, how: &str, work: impl FnOnce() -> Result<u64>) -> Result<u64> {
    let begin = Instant::now();
    let bytes = work()?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{what}: {how}: {:.0} MB/s ({seconds:.4} s)", bytes as f64 / seconds / 1e6);
    Ok(bytes)
}

fn write(path: &std::path::Path, payload: usize, count: u64) -> Result<u64> {
    let mut writer = Writer::create(path)?;
    let pixels = vec![7; payload];
    let mut bytes = Vec::new();
    for event in 0..count {
        bytes.clear();
        let mut builder = Builder::new(
            &mut bytes,
            &DatagramHeader::event(1_365_000_000_000_000_000 + event * 8_333_333, 0),
        );
        builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER))?;
        builder.leaf(
            XtcHeader::new(Src::detector(32, 0, 10, 0), TypeId::new(id::CSPAD_ELEMENT, 2)),
            &[&pixels],
        )?;
        builder.finish()?;
        writer.write(&bytes)?;
    }
    let size = writer.len();
    writer.finish().map(|()| size)
}

fn read(path: &std::path::Path) -> Result<u64> {
    let mut follower = Follower::<DatagramHeader>::open(path)?;
    let mut bytes = 0;
    while let Progress::Datagram(raw) = follower.next()? {
        bytes += Datagram { header: raw.head, bytes: raw.bytes }
            .leaves()
            .map(|l| l.payload.len() as u64)
            .sum::<u64>();
    }
    Ok(bytes)
}

fn read_events(run: &Run, workers: usize) -> Result<u64> {
    let share = run.events().len().div_ceil(workers);
    std::thread::scope(|scope| {
        let read = |events: &[livetime_formats::xtc1::run::Event]| {
            let (mut buffer, mut bytes) = (EventBytes::default(), 0);
            for event in events {
                run.read(event, &mut buffer)?;
                bytes += buffer.size();
            }
            Ok(bytes)
        };
        let threads: Vec<_> =
            run.events().chunks(share.max(1)).map(|part| scope.spawn(move || read(part))).collect();
        let parts =
            threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(Error::new("a thread", "a panic"))));
        parts.sum()
    })
}
