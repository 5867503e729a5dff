//! A run at the highest rate at which it loses nothing, with pages that watch it and without, in turn.

use crate::Failed;
use std::time::{Duration, Instant};

use livetime_engine::{EdgeAccount, Graph};
use serde_json::{Value, json};

use livetime_measure::{Neighbours, Pace, Ran, paces, search};

use super::clients::{Crowd, Seen};
use super::scene::{FIT, SOURCE, Scene};
use super::witness::Witness;
use crate::{Progress, Settings, tenths};

pub(super) const NAME: &str = "highest rate without a loss";
/// Pages that watch.
const PAGES: usize = 10;
/// The search begins here.
const FIRST_HZ: f64 = 400.0;
/// Rates at which runs are compared, as parts of the highest.
const PARTS: [f64; 2] = [1.0, 0.9];
/// Runs of each kind at each rate: at the highest rate, few lose anything.
const TURNS: usize = 20;

/// The result of one run.
struct Turn {
    ran: Ran,
    /// Pictures that pages were sent.
    pictures: usize,
    /// The share of all cores that other programs used meanwhile.
    others: Option<f64>,
    /// The longest time that a thread which wanted a core had none.
    stall: Duration,
}

pub(super) fn measure(
    graph: &Graph,
    seconds: f64,
    settings: &Settings,
    progress: &mut Progress,
) -> Result<Value, Failed> {
    let (paces, _) = paces(graph);
    let mut run_at = |hz: f64, pages: usize| {
        let turn = turn(graph, &paces, hz, pages, seconds)?;
        progress.log(format_args!("{NAME}: wanted {hz:.0} frames/s, {pages} pages: {}", turn.ran.line()));
        Ok::<Turn, Failed>(turn)
    };
    let found = search(FIRST_HZ, settings.repeats(), &mut |hz| run_at(hz, 0).map(|turn| turn.ran))?;
    let mut parts = Vec::new();
    for part in PARTS {
        // Runs alone and runs with pages alternate, so that a change of the machine's speed meets both.
        let (mut alone, mut watched) = (Vec::new(), Vec::new());
        for repeat in 0..if settings.quick { 1 } else { TURNS } {
            // Every other time the other way round.
            if repeat % 2 == 0 {
                alone.push(run_at(part * found.hz, 0)?);
            }
            watched.push(run_at(part * found.hz, PAGES)?);
            if repeat % 2 == 1 {
                alone.push(run_at(part * found.hz, 0)?);
            }
        }
        parts.push(json!({ "part": part, "alone": turns(&alone), "watched": turns(&watched) }));
    }
    let mut json = found.json();
    json["pages"] = json!(PAGES);
    json["page"] =
        json!(format!("moments at 10 Hz, and a picture of at most {FIT} x {FIT} up to 30 times a second"));
    json["turns"] = json!(parts);
    Ok(json)
}

fn turn(graph: &Graph, paces: &[Pace], hz: f64, pages: usize, seconds: f64) -> Result<Turn, Failed> {
    let mut graph = graph.clone();
    // Several sources keep the ratios of their rates.
    let declared: f64 = paces.iter().map(|pace| pace.hz).sum();
    paces.iter().try_for_each(|pace| pace.set(&mut graph, pace.hz * hz / declared))?;
    let scene = Scene::start(&graph)?;
    let (neighbours, witness) = (Neighbours::begin(), Witness::start()?);
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let mut crowd = Crowd::default();
    crowd.moments(scene.address(), pages, 0)?;
    crowd.pictures(scene.address(), pages, SOURCE, Some(FIT), Duration::ZERO)?;
    std::thread::sleep(until.saturating_duration_since(Instant::now()));
    // Pages that wait for a picture see at the next one that they are to end.
    let seen = crowd.end()?;
    let (others, stall) = (neighbours.share(), witness.end());
    let seconds = scene.model.run().report().elapsed_ns as f64 / 1e9;
    let report = scene.end()?;
    let pictures = seen.iter().map(|seen: &Seen| seen.pictures.len()).sum();
    Ok(Turn { ran: Ran { report, seconds, ended_early: false }, pictures, others, stall })
}

fn turns(turns: &[Turn]) -> Value {
    let of = |turn: &Turn| {
        json!({
            "hz": tenths(turn.ran.hz()),
            "lost": turn.ran.total_dropped(),
            "frames": turn.ran.frames(),
            "cpu_percent": tenths(turn.ran.cpu_percent()),
            "pictures": turn.pictures,
            "others_percent": turn.others.map(|share| tenths(100.0 * share)),
            "longest_stall_ms": tenths(1e3 * turn.stall.as_secs_f64()),
            "lost_at": lost_at(&turn.ran),
        })
    };
    turns.iter().map(of).collect()
}

/// Where frames were lost: on which edge, why, how long its queue is, and the longest time that a frame waited in it.
fn lost_at(ran: &Ran) -> Value {
    let edges = ran.report.edges.iter().filter(|edge| edge.unintended() > 0);
    let of = |edge: &EdgeAccount| {
        let reasons: Vec<String> = edge.lost.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        json!({
            "edge": format!("{} -> {}", edge.from, edge.to),
            "lost": reasons.join(", "),
            "queue": edge.capacity,
            "longest_wait_ms": tenths(edge.waiting.max_ns as f64 / 1e6),
        })
    };
    edges.map(of).collect()
}

/// For people.
pub(super) fn text(rate: &Value) -> String {
    let mut text = format!("{NAME}: {} frames/s\n", rate["loss_free_hz"]);
    for part in rate["turns"].as_array().into_iter().flatten() {
        let lost = |who: &str| {
            let turns = part[who].as_array().into_iter().flatten();
            turns.map(|turn| format!("{} of {}", turn["lost"], turn["frames"])).collect::<Vec<_>>().join(", ")
        };
        text += &format!(
            "at {} of it, run by run: alone lost {}; with {} pages {}\n",
            part["part"],
            lost("alone"),
            rate["pages"],
            lost("watched")
        );
    }
    text
}
