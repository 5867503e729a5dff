//! Clients come, go, stall and draw pictures for a while: the server's memory does not grow, and what each client was sent is
//! what its account says. `LIVETIME_SOAK=10m` makes it as long as that; by default it takes 20 s.
//!
//! A program of its own, because it counts allocated bytes. The history, 10 minutes of every moment, grows as it is
//! meant to, up to its bound, and is taken off.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it saw"
)]

#[allow(dead_code, reason = "shared with the other tests")]
mod client;

use std::alloc::System;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use client::{Run, SMALL};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The length of the test by default.
const SHORT: Duration = Duration::from_secs(20);
/// The windows of recent times are full a minute after the begin, and the first third of the rounds is not judged.
const FULL: Duration = Duration::from_secs(180);
/// By how much the windows grow until then: pieces of a second for each histogram of each node. Measured: 8 kB a second.
const WINDOWS: i64 = 128 << 10;
/// Pictures of a client that behaves.
const PICTURES: u64 = 5;

#[test]
fn memory_is_flat_and_accounts_are_exact_while_clients_come_and_go() {
    let text = SMALL.replace("max_size_x: 64, max_size_y: 32", "max_size_x: 512, max_size_y: 256");
    let run = Run::start(&text);
    let begin = Instant::now();
    let length = wanted();
    let mut samples: Vec<i64> = Vec::new();
    // At least so many rounds, however slow the machine is.
    while begin.elapsed() < length || samples.len() < 9 {
        round(&run, samples.len() as u64);
        samples.push(live_bytes(&run));
    }
    judge(&samples, if length < FULL { WINDOWS } else { 0 });
    let ended = &run.get("/api/v1/views").json()["ended"];
    let number = |key: &str| ended[key].as_u64().unwrap();
    assert_eq!((number("waiting"), number("offered")), (0, number("sent") + number("left_out")), "{ended}");
    assert!(number("sent") >= PICTURES * samples.len() as u64, "{ended}");
    let pool = run.model.run().report().pool;
    assert_eq!(pool.exhausted, 0, "{pool:?}");
    run.end();
}

/// `LIVETIME_SOAK`, as 10m or 90s.
fn wanted() -> Duration {
    let Ok(text) = std::env::var("LIVETIME_SOAK") else { return SHORT };
    let (number, unit) = text.split_at(text.len().saturating_sub(1));
    let number: u64 = number.parse().unwrap_or_else(|_| panic!("wanted 10m or 90s, found {text}"));
    Duration::from_secs(if unit == "m" { 60 * number } else { number })
}

/// The first third of the rounds warms up; the least of the second is compared with the least of the last. Each round leaves an
/// entry in the log, of which a thousand are kept: in 20 s a fifth of the 1 % that is allowed. `filling` is what windows take
/// until they are full.
fn judge(samples: &[i64], filling: i64) {
    let part = samples.len() / 3;
    let least = |from: usize, to: usize| *samples[from..to].iter().min().unwrap();
    let (early, late) = (least(part, 2 * part), least(2 * part, samples.len()));
    let limit = early / 100 + filling;
    let percent = (late - early) as f64 * 100.0 / early as f64;
    println!("{} rounds; from {early} to {late} bytes, {percent:+.3} %", samples.len());
    assert!(late - early <= limit, "grew from {early} to {late}, more than {limit}: {samples:?}");
}

// ---- A round ----

fn round(run: &Run, number: u64) {
    let mut page = run.state();
    let mut deaf = run.state();
    page.say(&json!({ "kind": "watch", "nodes": ["roi", "stats"] }));
    let stalled = stalls(run);
    let left = leaves(run);
    draws(run);
    let set = json!({ "set": { "min_x": number % 16 } });
    let answer = run.send("PATCH", "/api/v1/nodes/roi", &set);
    assert_eq!(answer.status, 200, "{}", answer.text());
    page.wait_for("moment");
    // It never says what it has seen, so it has one moment at most.
    while deaf.next().unwrap()["kind"] != "moment" {}
    assert!(garbage(run) >= 400);
    drop((page, deaf, stalled.1));
    for url in [stalled.0, left] {
        // On a very slow machine it may have ended by itself.
        assert!([204, 404].contains(&run.ask("DELETE", &url, &[], None).status), "{url}");
    }
    settle(run);
}

fn open(run: &Run, view: &Value) -> String {
    let open = run.ask("POST", "/api/v1/views", &[], Some(view));
    assert_eq!(open.status, 201, "{}", open.text());
    open.json()["url"].as_str().unwrap().to_owned()
}

/// A client that behaves: the server's counts agree with the client's.
fn draws(run: &Run) {
    let url = open(run, &json!({ "from": "cam", "fit": [256, 256] }));
    let (mut last, mut shown, mut left_out) = (String::new(), 0, 0);
    while shown < PICTURES {
        let answer = run.get(&format!("{url}{last}"));
        if answer.status == 204 {
            continue;
        }
        assert_eq!((answer.status, answer.body.len()), (200, 64 + 256 * 128 * 2), "{}", answer.head);
        let sequence = u64::from_le_bytes(answer.body[8..16].try_into().unwrap());
        left_out += u64::from(u32::from_le_bytes(answer.body[52..56].try_into().unwrap()));
        (last, shown) = (format!("?after={sequence}"), shown + 1);
    }
    let account = account(run, &url);
    let number = |key: &str| account[key].as_u64().unwrap();
    assert_eq!((number("sent"), number("left_out")), (shown, left_out), "{account}");
    assert_eq!(number("offered"), shown + left_out + number("waiting"), "{account}");
    assert_eq!(run.ask("DELETE", &url, &[], None).status, 204);
}

fn account(run: &Run, url: &str) -> Value {
    let views = run.get("/api/v1/views").json();
    let id = url.rsplit('/').next().unwrap();
    views["views"].as_array().unwrap().iter().find(|view| view["id"] == id).unwrap().clone()
}

/// A client that asks and never reads. Stays until its stream is dropped.
fn stalls(run: &Run) -> (String, TcpStream) {
    let url = open(run, &json!({ "from": "cam" }));
    let mut stream = TcpStream::connect(run.address()).unwrap();
    let ask = format!("GET {url} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // The server may stop reading before all of them are sent.
    stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    let _ = stream.write_all(ask.repeat(20).as_bytes());
    (url, stream)
}

/// A client that goes while a picture is on its way.
fn leaves(run: &Run) -> String {
    let url = open(run, &json!({ "from": "cam" }));
    for _ in 0..3 {
        let mut stream = TcpStream::connect(run.address()).unwrap();
        stream.write_all(format!("GET {url} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    }
    url
}

/// The status of a request that means nothing.
fn garbage(run: &Run) -> u16 {
    run.send("POST", "/api/v1/views", &json!({ "from": "nobody", "fit": [0, -1] })).status
}

/// Waits until no client watches and no view is left.
fn settle(run: &Run) {
    let until = Instant::now() + client::LONG;
    loop {
        let views = run.get("/api/v1/views").json();
        let control = run.send("POST", "/api/v1/control", &json!({ "take": false })).json();
        if views["views"] == json!([]) && control["watching"] == 0 {
            return;
        }
        assert!(Instant::now() < until, "{views} {control}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

// ---- Memory ----

/// Bytes that are allocated now, without the history.
fn live_bytes(run: &Run) -> i64 {
    let series = run.get("/api/v1/history").json()["series"].as_array().unwrap().len();
    let rows = |step: &str| {
        let bytes = run.get(&format!("/api/v1/history?of=run.hz&step={step}")).body;
        livetime_web::client::Columns::read(&bytes).unwrap().times_ms.len()
    };
    // A row is its values, and its place in a queue that doubles when it is full.
    let of = |rows: usize| rows * series * 4 + rows.next_power_of_two() * 24;
    let history = of(rows("fine")) + of(rows("coarse"));
    let all = ALLOCATOR.stats();
    all.bytes_allocated as i64 - all.bytes_deallocated as i64 - history as i64
}
