//! The ladder in Rust: one idea a step, from one node to a joined graph (README.md). One argument is the number of a step;
//! without it all steps run, in order.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::error::Error;
use std::time::Duration;

use livetime_engine::{EdgeOptions, Graph, Report, Run, RunOptions, WhenFull};

#[path = "02-an-edge.rs"]
mod an_edge;
#[path = "04-fan-out.rs"]
mod fan_out;
#[path = "05-full-queue.rs"]
mod full_queue;
#[path = "01-one-node.rs"]
mod one_node;
#[path = "10-own-node.rs"]
mod own_node;
#[path = "03-parameters.rs"]
mod parameters;
#[path = "07-placement.rs"]
mod placement;
#[path = "08-record.rs"]
mod record;
#[path = "06-region.rs"]
mod region;
#[path = "09-replay.rs"]
mod replay;
#[path = "11-split-and-join.rs"]
mod split_and_join;
#[path = "12-two-detectors.rs"]
mod two_detectors;

pub(crate) type Outcome<T = Report> = Result<T, Box<dyn Error>>;

/// The number of a step, and its function.
type Step = (&'static str, fn() -> Outcome);

const STEPS: [Step; 12] = [
    ("01", one_node::run),
    ("02", an_edge::run),
    ("03", parameters::run),
    ("04", fan_out::run),
    ("05", full_queue::run),
    ("06", region::run),
    ("07", placement::run),
    ("08", record::run),
    ("09", replay::run),
    ("10", own_node::run),
    ("11", split_and_join::run),
    ("12", two_detectors::run),
];

fn main() -> Outcome<()> {
    let wanted = std::env::args().nth(1);
    let steps = STEPS.iter().filter(|(number, _)| wanted.as_deref().is_none_or(|wanted| wanted == *number));
    for (number, step) in steps {
        show(number, &step()?)?;
    }
    Ok(())
}

/// Runs a graph until each source has sent 100 frames and all of them are handled.
pub(crate) fn run_to_the_end(graph: &Graph) -> Outcome {
    let options = RunOptions { max_frames: Some(100), ..RunOptions::default() };
    let run = Run::start(graph, options).map_err(|problems| problems[0].clone())?;
    Ok(run.finish(Duration::from_secs(600)))
}

/// An edge whose sender waits when it is full: nothing is lost on it.
pub(crate) fn block() -> EdgeOptions {
    EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() }
}

/// Prints the ledger, which has to close.
fn show(step: &str, report: &Report) -> Outcome<()> {
    for node in report.nodes.iter().filter(|node| node.emitted > 0 && node.received == 0) {
        println!("{step}: {} sent {} frames", node.name, node.emitted);
    }
    for edge in &report.edges {
        let (lost, left_out) = (edge.unintended(), edge.intended());
        println!(
            "{step}: {} -> {}: {} of {}, {lost} lost, {left_out} left out",
            edge.from, edge.to, edge.delivered, edge.offered
        );
    }
    match report.imbalances().is_empty() {
        true => Ok(()),
        false => Err(format!("step {step}: wanted a closed ledger, found {:?}", report.imbalances()).into()),
    }
}
