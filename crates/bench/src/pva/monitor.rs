//! `livetime-bench pva-monitor`: images and numbers to subscribers that lose none.

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig, Event, Monitor};
use serde_json::{Value, json};

use super::peer::{Offer, Peer};
use super::raw::Raw;
use super::{PATIENCE, Rounds, cpu_seconds, rounded};
use crate::{Progress, Record, Settings, Spread};
use livetime_control::report::table::{Style, Table};

pub(crate) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let bytes = settings.image_bytes;
    let mut rows = Vec::new();
    for &subscribers in if settings.subscribers.is_empty() { &[1, 4][..] } else { &settings.subscribers } {
        progress.log(format!("images of {bytes} bytes to {subscribers}"));
        rows.push(row(&Case { pv: "bench:image", field: "uniqueId", bytes, subscribers }, settings)?);
    }
    progress.log("numbers to one".to_owned());
    rows.push(row(&Case { pv: "bench:counter", field: "value", bytes: 0, subscribers: 1 }, settings)?);
    Ok(record(rows))
}

struct Case {
    pv: &'static str,
    /// The field that counts the updates.
    field: &'static str,
    bytes: usize,
    subscribers: usize,
}

/// The updates that one subscriber received.
#[derive(Clone, Copy, Default)]
struct Seen {
    updates: u64,
    lost: u64,
    last: Option<i64>,
}

impl Seen {
    fn note(&mut self, number: i64) {
        if let Some(last) = self.last {
            // A number that begins again is no loss.
            self.lost += (number - last - 1).max(0) as u64;
        }
        self.last = Some(number);
        self.updates += 1;
    }
}

fn row(case: &Case, settings: &Settings) -> Result<Value, Failed> {
    let peer = Peer::start(
        &settings.program,
        Offer { image_bytes: case.bytes, spin: settings.spin, ..Offer::default() },
    )?;
    let time = Duration::from_millis(if settings.quick { 100 } else { 1000 });
    let (mut rates, mut ratios, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    let mut lost = 0;
    for _ in 0..settings.repeats() {
        let (client_before, server_before) = (cpu_seconds(std::process::id()), peer.cpu_seconds());
        let seen = watch(case, &peer, time, settings.spin)?;
        let used = (cpu_seconds(std::process::id()) - client_before, peer.cpu_seconds() - server_before);
        let rate = seen.iter().map(|s| s.updates).sum::<u64>() as f64 / time.as_secs_f64();
        rates.push(rate / case.subscribers as f64);
        cpu.push((used.0 + used.1) / rate / time.as_secs_f64());
        lost += seen.iter().map(|s| s.lost).sum::<u64>();
        // Plain TCP has one receiver, so only one subscriber is compared with it.
        if case.bytes > 0 && case.subscribers == 1 {
            let mut raw = Raw::connect(peer.raw, 0, case.bytes)?;
            ratios.push(rate / Rounds::of(time, || raw.round())?.per_second());
        }
    }
    let (rate, cpu) = (Spread::of(rates), Spread::of(cpu).median);
    let ratio = Spread::of(ratios).median;
    Ok(json!({
        "pv": case.pv,
        "bytes": case.bytes,
        "subscribers": case.subscribers,
        "updates_per_s": rate.median.round(),
        "min": rate.min.round(),
        "max": rate.max.round(),
        "gb_per_s": rounded(rate.median * (case.bytes * case.subscribers) as f64 / 1e9, 3),
        "lost": lost,
        "updates_per_cpu_second": (1.0 / cpu).round(),
        "of_raw_tcp": if ratio.is_nan() { Value::Null } else { rounded(ratio, 3).into() },
    }))
}

/// All subscribers for `time`, each with a client and a thread of its own.
fn watch(case: &Case, peer: &Peer, time: Duration, spin: bool) -> Result<Vec<Seen>, Failed> {
    std::thread::scope(|scope| {
        let subscriber = || scope.spawn(|| subscribe(case, peer, time, spin));
        let threads: Vec<_> = (0..case.subscribers).map(|_| subscriber()).collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|_| Err("a subscriber panicked".into())))
            .collect()
    })
}

fn subscribe(case: &Case, peer: &Peer, time: Duration, spin: bool) -> Result<Seen, Failed> {
    let config = ClientConfig { spin, ..ClientConfig::name_servers(&[]) };
    let client = Client::new(config)?;
    // With pipelining the server waits for room, so that no update is merged.
    let request = if case.bytes > 0 {
        "record[pipeline=true,queueSize=8]field()"
    } else {
        "record[pipeline=true,queueSize=200]field(value)"
    };
    let monitor = client.channel_at(peer.pva, case.pv).monitor(request);
    let mut monitor = monitor?;
    let mut seen = Seen::default();
    // The first update is the value as it was.
    while seen.updates < 2 {
        step(&mut monitor, case.field, &mut seen)?;
    }
    // The last number stays, so that a loss right behind it is seen.
    seen = Seen { last: seen.last, ..Seen::default() };
    let begin = Instant::now();
    while begin.elapsed() < time {
        step(&mut monitor, case.field, &mut seen)?;
    }
    Ok(seen)
}

fn step(monitor: &mut Monitor, field: &str, seen: &mut Seen) -> Result<(), Failed> {
    match monitor.next(PATIENCE)? {
        Some(Event::Update(update)) => {
            let number = update.value.f64(field).ok_or("an update without a number")?;
            seen.note(number as i64);
            // Its memory is used for the next update.
            monitor.recycle(update);
            Ok(())
        }
        Some(Event::Connected { .. }) => Ok(()),
        other => Err(format!("wanted an update, found {other:?}").into()),
    }
}

fn record(rows: Vec<Value>) -> Record {
    let columns = [
        ("PV", "pv"),
        ("bytes", "bytes"),
        ("subscribers", "subscribers"),
        ("updates/s each", "updates_per_s"),
        ("GB/s", "gb_per_s"),
        ("lost", "lost"),
        ("updates/CPU s", "updates_per_cpu_second"),
        ("of raw TCP", "of_raw_tcp"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(1..columns.len());
    for row in &rows {
        table.row(columns.map(|(_, key)| row[key].as_str().map_or(row[key].to_string(), str::to_owned)));
    }
    Record { json: json!({ "rows": rows }), table: table.render(Style::default()) }
}
