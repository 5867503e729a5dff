//! `livetime-bench pva-get`: for each of n channels a get, then all answers are waited for; the table of 2012.

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig, GetRequest, get_many};
use serde_json::{Value, json};

use super::peer::{Offer, Peer};
use super::raw::Raw;
use super::{PATIENCE, Rounds, cpu_seconds, rounded};
use crate::{Progress, Record, Settings, Spread};
use livetime_control::report::table::{Style, Table};

/// Channels and elements of the rows that are measured when nothing else is asked for.
const ROWS: [(usize, usize); 9] = [
    (1, 1),
    (1, 1_000),
    (1, 100_000),
    (1, 1_000_000),
    (1_000, 1),
    (1_000, 100),
    (1_000, 1_000),
    (10_000, 1),
    (10_000, 100),
];

pub(crate) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let mut rows = Vec::new();
    for (channels, elements) in rows_of(settings) {
        progress.log(format!("{channels} channels of {elements} elements"));
        rows.push(row(channels, elements, settings)?);
    }
    Ok(record(rows, settings.spin))
}

fn rows_of(settings: &Settings) -> Vec<(usize, usize)> {
    if settings.channels.is_empty() && settings.elements.is_empty() {
        return ROWS.to_vec();
    }
    let or_one = |list: &[usize]| if list.is_empty() { vec![1] } else { list.to_vec() };
    let elements = or_one(&settings.elements);
    or_one(&settings.channels).into_iter().flat_map(|c| elements.iter().map(move |e| (c, *e))).collect()
}

/// The measurement of one repeat.
struct Repeat {
    pva: Rounds,
    raw: Rounds,
    client_cpu: f64,
    server_cpu: f64,
}

fn row(channels: usize, elements: usize, settings: &Settings) -> Result<Value, Failed> {
    let peer = Peer::start(
        &settings.program,
        Offer { channels, elements, spin: settings.spin, ..Offer::default() },
    )?;
    let config = ClientConfig { spin: settings.spin, ..ClientConfig::name_servers(&[]) };
    let begin = Instant::now();
    let client = Client::new(config)?;
    let request = |n: usize| {
        let channel = client.channel_at(peer.pva, &format!("bench:{n}"));
        channel.get_request("field(value)").map_err(Failed::from)
    };
    let mut requests = (0..channels).map(request).collect::<Result<Vec<GetRequest>, Failed>>()?;
    // Connections are made here, before the rounds that are timed.
    get_many(&mut requests, PATIENCE)?;
    let first_s = begin.elapsed().as_secs_f64();
    // Answers are checked once, since a wrong length would make a rate look good.
    check(&requests, elements)?;
    let mut raw = Raw::connect(peer.raw, channels * REQUEST, channels * reply(elements))?;
    let time = Duration::from_millis(if settings.quick { 50 } else { 600 });
    let mut done = Vec::new();
    for _ in 0..settings.repeats() {
        done.push(repeat(&mut requests, &mut raw, &peer, time)?);
    }
    Ok(summary(channels, elements, first_s, &done))
}

/// Bytes of a get on the way there: header, channel, request, sub-command.
const REQUEST: usize = 8 + 4 + 4 + 1;

/// Bytes of an answer: header, request, sub-command, status, which fields, then the value.
fn reply(elements: usize) -> usize {
    // One double is a scalar; the length of an array takes one byte, or five from 254 on.
    let size = if elements == 1 { 0 } else { 1 + 4 * usize::from(elements >= 254) };
    8 + 4 + 1 + 1 + 2 + size + 8 * elements
}

fn check(requests: &[GetRequest], elements: usize) -> Result<(), Failed> {
    for request in requests {
        let value = request.value().ok_or("a channel has no value")?;
        let found = value.array("value").map_or(1, |array| array.len());
        if found != elements {
            return Err(
                format!("{}: wanted {elements} elements, found {found}", request.channel().name()).into()
            );
        }
    }
    Ok(())
}

fn repeat(requests: &mut [GetRequest], raw: &mut Raw, peer: &Peer, time: Duration) -> Result<Repeat, Failed> {
    let (client, server) = (cpu_seconds(std::process::id()), peer.cpu_seconds());
    let begin = Instant::now();
    let pva = match requests {
        // One by one through the call that a user makes for one channel.
        [one] => Rounds::of(time, || one.get(PATIENCE).map(|_| ()).map_err(Failed::from))?,
        many => Rounds::of(time, || get_many(many, PATIENCE).map_err(Failed::from))?,
    };
    let elapsed = begin.elapsed().as_secs_f64();
    let client_cpu = (cpu_seconds(std::process::id()) - client) / elapsed;
    let server_cpu = (peer.cpu_seconds() - server) / elapsed;
    // The plain sockets are measured in turn with the protocol, so that a change of the machine's speed meets both.
    let raw = Rounds::of(time, || raw.round())?;
    Ok(Repeat { pva, raw, client_cpu, server_cpu })
}

fn summary(channels: usize, elements: usize, first_s: f64, repeats: &[Repeat]) -> Value {
    let spread = |of: &dyn Fn(&Repeat) -> f64| Spread::of(repeats.iter().map(of).collect());
    let rate = spread(&|r| r.pva.per_second() * channels as f64);
    let raw = spread(&|r| r.raw.per_second() * channels as f64);
    let ratio = spread(&|r| r.pva.per_second() / r.raw.per_second());
    let gbit = |gets: f64| rounded(gets * elements as f64 * 64.0 / 1e9, 3);
    let median = |of: &dyn Fn(&Repeat) -> f64| rounded(spread(of).median, 1);
    json!({
        "channels": channels,
        "elements": elements,
        "gets_per_s": rate.median.round(),
        "min": rate.min.round(),
        "max": rate.max.round(),
        "gbit_per_s": gbit(rate.median),
        "p50_us": median(&|r| r.pva.quantile(0.5)),
        "p99_us": median(&|r| r.pva.quantile(0.99)),
        "client_cpu_percent": median(&|r| 100.0 * r.client_cpu),
        "server_cpu_percent": median(&|r| 100.0 * r.server_cpu),
        "connect_and_first_get_s": rounded(first_s, 4),
        "raw_tcp_per_s": raw.median.round(),
        "raw_tcp_gbit_per_s": gbit(raw.median),
        "raw_tcp_p50_us": median(&|r| r.raw.quantile(0.5)),
        "of_raw_tcp": rounded(ratio.median, 3),
    })
}

fn record(rows: Vec<Value>, spin: bool) -> Record {
    let columns = [
        ("channels", "channels"),
        ("elements", "elements"),
        ("gets/s", "gets_per_s"),
        ("Gbit/s", "gbit_per_s"),
        ("p50 us", "p50_us"),
        ("p99 us", "p99_us"),
        ("client CPU %", "client_cpu_percent"),
        ("server CPU %", "server_cpu_percent"),
        ("first s", "connect_and_first_get_s"),
        ("raw TCP/s", "raw_tcp_per_s"),
        ("of raw", "of_raw_tcp"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(0..columns.len());
    for row in &rows {
        table.row(columns.map(|(_, key)| row[key].to_string()));
    }
    let note = "\np50 and p99 are those of a round: a get on every channel until the last answer. `raw TCP` moves as many\n\
                bytes there and back between two processes.\n";
    Record { json: json!({ "rows": rows, "spin": spin }), table: table.render(Style::default()) + note }
}
