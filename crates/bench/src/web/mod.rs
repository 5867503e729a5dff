//! `livetime-bench web`: the cost for a run of being shown on pages.
//!
//! The graph is the one of the areaDetector study, a picture of 1 MiB and eleven plugins, 200 frames a second. Server
//! and clients are threads of this program, on loopback. The server's use is read thread by thread, so it excludes the
//! clients, except for the system's work for both when bytes go from one to the other. Clients are our own and as small
//! as possible.

mod clients;
mod link;
mod rate;
mod scene;
mod witness;

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_control::config;
use livetime_control::report::table::{Style, Table};
use livetime_engine::Graph;
use serde_json::{Value, json};

use super::pva::rounded;
use super::{Allocations, CountAllocations, Progress, Record, Settings, Spread};
use clients::{Crowd, Seen, View};
use link::Requests;
use scene::{FIT, SOURCE, Scene, Used};

/// Clients that watch moments.
const WATCHERS: usize = 100;

/// Time from one picture to the next of slow clients.
const SLOW: Duration = Duration::from_millis(200);
/// Until views, queues and the allocator are as they stay.
const SETTLE: Duration = Duration::from_millis(500);
/// Changes that are timed, and the time between two: a session may make 20 a second.
const CHANGES: usize = 60;
const PAUSE: Duration = Duration::from_millis(60);
/// A change is shown after this time, or never.
const PATIENCE: Duration = Duration::from_secs(10);

const NOBODY: Case = Case { name: "", pictures: 0, fit: None, pace: Duration::ZERO, moments: 0 };

/// The kind of the clients.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    pictures: usize,
    fit: Option<u32>,
    /// From one picture to the next; 0: as fast as they come.
    pace: Duration,
    moments: usize,
}

const CASES: [Case; 7] = [
    Case { name: "nobody watches", ..NOBODY },
    Case { name: "one client, whole pictures", pictures: 1, ..NOBODY },
    Case { name: "one client, fitted pictures", pictures: 1, fit: Some(FIT), ..NOBODY },
    Case { name: "ten clients, whole pictures", pictures: 10, ..NOBODY },
    Case { name: "one client, moments", moments: 1, ..NOBODY },
    Case { name: "100 clients, moments", moments: WATCHERS, ..NOBODY },
    Case {
        name: "100 clients, moments and five fitted pictures a second",
        pictures: WATCHERS,
        fit: Some(FIT),
        pace: SLOW,
        moments: WATCHERS,
    },
];
const CHANGE: &str = "a change of a parameter";

pub(super) fn run(
    settings: &Settings,
    count: CountAllocations,
    progress: &mut Progress,
) -> Result<Record, Failed> {
    let graph = graph()?;
    let seconds = if settings.quick { 0.3 } else { settings.seconds };
    let mut rows = Vec::new();
    for case in CASES.iter().filter(|case| case.name.contains(&settings.filter)) {
        progress.log(case.name);
        rows.push(watched(&graph, *case, seconds, settings.repeats(), count)?);
    }
    if CHANGE.contains(&settings.filter) {
        progress.log(CHANGE);
        rows.push(changed(&graph, if settings.quick { 5 } else { CHANGES })?);
    }
    let rate = match rate::NAME.contains(&settings.filter) {
        true => Some(rate::measure(&graph, seconds, settings, progress)?),
        false => None,
    };
    Ok(record(rows, rate, seconds))
}

fn graph() -> Result<Graph, Failed> {
    let pipeline = config::parse(
        config::DEFAULT.0,
        config::DEFAULT.1,
        &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
        &[],
    );
    Ok(pipeline?.graph)
}

// ---- Clients that watch ----

/// The measurements of one window of time.
struct Window {
    begin: Instant,
    end: Instant,
    percent: Option<[f64; 2]>,
}

fn watched(
    graph: &Graph,
    case: Case,
    seconds: f64,
    repeats: usize,
    count: CountAllocations,
) -> Result<Value, Failed> {
    let scene = Scene::start(graph)?;
    std::thread::sleep(SETTLE);
    let before = count();
    let mut crowd = Crowd::default();
    // Moments come at 10 Hz: room for twice as many, so that no buffer grows while memory is counted.
    let room = (20.0 * (seconds * repeats as f64 + 10.0)) as usize;
    crowd.moments(scene.address(), case.moments, room)?;
    crowd.pictures(scene.address(), case.pictures, SOURCE, case.fit, case.pace)?;
    // Clients allocate memory once, for their whole life: the size of their buffers is known.
    std::thread::sleep(SETTLE);
    let windows: Vec<Window> = (0..repeats).map(|_| window(seconds)).collect();
    let after = count();
    let seen = crowd.end()?;
    let clients = seen.iter().map(Seen::bytes).sum::<usize>() + case.moments * link::LONGEST_MESSAGE;
    let report = scene.end()?;
    let mut row = row(case, &windows, &seen, seconds);
    if case.moments > 0 && case.pictures == 0 {
        row["server_bytes_per_client"] = json!(per_client(before, after, clients, case.moments));
    }
    row["lost"] = json!(report.unintended_losses());
    Ok(row)
}

fn window(seconds: f64) -> Window {
    let (begin, before) = (Instant::now(), Used::now());
    std::thread::sleep(Duration::from_secs_f64(seconds));
    let (end, after) = (Instant::now(), Used::now());
    let elapsed = (end - begin).as_secs_f64();
    Window {
        begin,
        end,
        percent: before.zip(after).map(|(before, after)| after.percent_since(before, elapsed)),
    }
}

/// Bytes that the program has allocated for each client, without the clients' own buffers.
fn per_client(before: Allocations, after: Allocations, clients: usize, number: usize) -> usize {
    after.bytes.saturating_sub(before.bytes).saturating_sub(clients) / number.max(1)
}

fn row(case: Case, windows: &[Window], seen: &[Seen], seconds: f64) -> Value {
    let mut row = json!({ "run": case.name, "pictures": case.pictures, "watching": case.moments });
    let percent = |of: usize| {
        let all: Option<Vec<f64>> = windows.iter().map(|window| Some(window.percent?[of])).collect();
        all.map(|all| three(&Spread::of(all), 2))
    };
    row["server_cpu_percent"] = json!(percent(0));
    row["model_cpu_percent"] = json!(percent(1));
    let rate = |of: &dyn Fn(&Window) -> usize, clients: usize| {
        let rates = windows.iter().map(|window| of(window) as f64 / clients as f64 / window.seconds());
        three(&Spread::of(rates.collect()), 1)
    };
    if case.pictures > 0 {
        let pictures = || seen.iter().flat_map(|seen| &seen.pictures);
        let within = |window: &Window| pictures().filter(|shown| window.has(shown.at)).count();
        row["pictures_per_s"] = json!(rate(&within, case.pictures));
        row["age_answered_us"] = percentiles(pictures().map(|shown| shown.answered_us));
        row["age_whole_us"] = percentiles(pictures().map(|shown| shown.whole_us));
    }
    if case.moments > 0 {
        let moments = || seen.iter().flat_map(|seen| &seen.moments);
        let within = |window: &Window| moments().filter(|told| window.has(told.at)).count();
        row["moments_per_s"] = json!(rate(&within, case.moments));
        row["bytes_per_moment"] = percentiles(moments().map(|told| told.bytes as f64));
    }
    row["seconds"] = json!(seconds);
    row
}

impl Window {
    fn has(&self, at: Instant) -> bool {
        (self.begin..self.end).contains(&at)
    }

    fn seconds(&self) -> f64 {
        (self.end - self.begin).as_secs_f64()
    }
}

// ---- Changes ----

/// From a request to its answer, and to the first picture that shows it.
fn changed(graph: &Graph, changes: usize) -> Result<Value, Failed> {
    let scene = Scene::start(graph)?;
    let mut requests = Requests::open(scene.address())?;
    let mut view = View::open(scene.address(), "ROI1.out", None)?;
    let (mut answered, mut shown) = (Vec::new(), Vec::new());
    for number in 0..changes {
        // The width changes each time, so that the picture tells which change it shows.
        let width = 256 + number as u32 % 2;
        let body = json!({ "set": { "size_x": width, "size_y": 256 } }).to_string();
        let begin = Instant::now();
        let answer = requests.ask("PATCH", "/api/v1/nodes/ROI1", Some(scene.token()), &body)?;
        if answer.status != 200 {
            return Err(format!("wanted a change, found {}", String::from_utf8_lossy(answer.body)).into());
        }
        answered.push(begin.elapsed().as_secs_f64() * 1e6);
        while view.next()?.is_none_or(|picture| picture.width != width) {
            if begin.elapsed() > PATIENCE {
                return Err(format!("no picture shows change {number}").into());
            }
        }
        shown.push(begin.elapsed().as_secs_f64() * 1e6);
        std::thread::sleep(PAUSE);
    }
    drop(view);
    let lost = scene.end()?.unintended_losses();
    Ok(json!({
        "run": CHANGE,
        "changes": changes,
        "answered_us": percentiles(answered.into_iter()),
        "shown_us": percentiles(shown.into_iter()),
        "lost": lost,
    }))
}

// ---- The record ----

/// Median, smallest and largest.
fn three(spread: &Spread, digits: i32) -> [f64; 3] {
    [spread.median, spread.min, spread.max].map(|value| rounded(value, digits))
}

fn percentiles(values: impl Iterator<Item = f64>) -> Value {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let at = |share: f64| values.get((share * last as f64).round() as usize).map(|value| value.round());
    json!({ "count": values.len(), "p50": at(0.5), "p99": at(0.99), "max": at(1.0) })
}

fn record(rows: Vec<Value>, rate: Option<Value>, seconds: f64) -> Record {
    let columns = [
        ("run", "run"),
        ("pictures/s each", "pictures_per_s"),
        ("server % of a core", "server_cpu_percent"),
        ("model %", "model_cpu_percent"),
        ("age p50/p99 us", "age_whole_us"),
        ("moments/s each", "moments_per_s"),
        ("bytes", "bytes_per_moment"),
        ("answer p50/p99 us", "answered_us"),
        ("shown p50/p99 us", "shown_us"),
        ("lost", "lost"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(1..columns.len());
    rows.iter().for_each(|row| table.row(columns.map(|(_, key)| cell(&row[key]))));
    let mut text = table.render(Style::default());
    if let Some(rate) = &rate {
        text += &format!("\n{}", rate::text(rate));
    }
    let json = json!({
        "rows": rows,
        "loss_free": rate,
        "seconds_per_run": seconds,
        "graph": config::DEFAULT.0,
        "clients": "threads of this program, on loopback; the server's CPU time is that of its own threads",
    });
    Record { table: text, json }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(three) if three.len() == 3 => format!("{} ({} to {})", three[0], three[1], three[2]),
        Value::Object(found) => format!("{} / {}", found["p50"], found["p99"]),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_were_sent_is_counted_in_the_window_alone() {
        let begin = Instant::now();
        let at = |ms: u64| begin + Duration::from_millis(ms);
        let window = Window { begin: at(100), end: at(1100), percent: Some([5.0, 1.0]) };
        let shown = |ms| clients::Shown { at: at(ms), answered_us: 10.0, whole_us: 20.0 };
        let seen = Seen { pictures: [50, 100, 600, 1100].map(shown).into(), moments: vec![] };
        let case = Case { name: "x", pictures: 1, ..NOBODY };
        let row = row(case, &[window], &[seen], 1.0);
        assert_eq!(row["pictures_per_s"], json!([2.0, 2.0, 2.0]));
        assert_eq!((&row["age_whole_us"]["p50"], &row["server_cpu_percent"][0]), (&json!(20.0), &json!(5.0)));
    }

    #[test]
    fn percentiles_of_nothing_are_unknown() {
        assert_eq!(percentiles([].into_iter())["p50"], Value::Null);
        assert_eq!(percentiles((0..=100).map(f64::from))["p99"], json!(99.0));
    }
}
