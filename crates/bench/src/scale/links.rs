//! Many links into one node: the senders are another process, so that the CPU time of this one is the receivers' alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use livetime_engine::{EdgeOptions, Graph, NodeType, Placement, Run, RunOptions, Value, WhenFull};
use livetime_measure::process_cpu;
use livetime_nodes::sinks::link_out::LinkOut;
use livetime_nodes::sources::link_in::LinkIn;
use serde_json::json;

use super::link::{Ages, Arrivals, BATCH_BYTES, Batches};
use super::row::{Row, spread};
use crate::{Failed, Settings, in_one_line};

pub(super) const CASE: &str = "150 links into one merger, 15,000 messages/s";

const LINKS: usize = 150;
/// Of each link, 100 messages a second.
const PERIOD_US: u64 = 10_000;

fn edge() -> EdgeOptions {
    EdgeOptions { when_full: WhenFull::Block, queue: 16, ..EdgeOptions::default() }
}

/// The windows of all links fit into the memory of a run.
fn bound(graph: &mut Graph, node: usize) -> Result<(), Failed> {
    for name in ["window_bytes", "max_frame_bytes"] {
        graph.set(node, name, &(1 << 20).into())?;
    }
    Ok(())
}

fn start(graph: &Graph) -> Result<Run, Failed> {
    Ok(Run::start(graph, RunOptions::default()).map_err(|e| in_one_line(&e))?)
}

/// Per cent of a core that the receivers of all links take together.
pub(super) fn measure(settings: &Settings, row: &mut Row) -> Result<(), Failed> {
    let (links, seconds) = if settings.quick { (3, 0.2) } else { (LINKS, 2.0) };
    let run = start(&receivers(links)?)?;
    let mut child = Command::new(&settings.program)
        .arg("link-peer")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut orders = child.stdin.take().ok_or("wanted a pipe to the process that sends, found none")?;
    writeln!(orders, "{}", json!(addresses(&run, links)?))?;
    let mut rates = Vec::new();
    let ages = run.service::<Ages>();
    let taken = || ages.take().len();
    let begun = Instant::now();
    // All links are there when the wanted messages come.
    let wanted = links as f64 * 1e6 / PERIOD_US as f64;
    while row.values.len() < settings.repeats() && begun.elapsed() < Duration::from_secs(120) {
        let (before, cpu) = (Instant::now(), process_cpu());
        taken();
        std::thread::sleep(Duration::from_secs_f64(seconds));
        let rate = taken() as f64 / before.elapsed().as_secs_f64();
        // A quick run shows that it works, also on a machine that is too busy for the rate.
        if settings.quick || rate > 0.9 * wanted {
            rates.push(rate);
            row.values.push((process_cpu() - cpu).as_secs_f64() / before.elapsed().as_secs_f64() * 100.0);
        }
    }
    drop(orders);
    child.wait()?;
    run.abort();
    run.finish(Duration::from_secs(20));
    if row.values.is_empty() {
        return Err(format!(
            "wanted {wanted} messages/s over {links} links, found fewer: the machine is busy"
        )
        .into());
    }
    row.more = json!({ "links": links, "messages_per_s": spread(rates) });
    Ok(())
}

fn receivers(links: usize) -> Result<Graph, Failed> {
    let mut graph = Graph::default();
    graph.add("merger", NodeType::of::<Arrivals>())?;
    for link in 0..links {
        let node = graph.add(&format!("link{link}"), NodeType::of::<LinkIn>())?;
        graph.set(node, "listen", &"zmq://127.0.0.1:0".into())?;
        bound(&mut graph, node)?;
        // A thread for each of them would cost half as much again.
        if let Some(options) = graph.options_mut(node) {
            options.placement = Placement::Group("links".into());
        }
        graph.connect(&format!("link{link}"), "merger", edge())?;
    }
    Ok(graph)
}

fn addresses(run: &Run, links: usize) -> Result<Vec<String>, Failed> {
    let address = |link| -> Result<String, Failed> {
        let params = run.params(&format!("link{link}"))?;
        let listening = params.into_iter().find(|(spec, _)| spec.name == "listening");
        match listening {
            Some((_, Value::Text(address))) => Ok(address.to_string()),
            _ => Err("wanted the address of a link, found none".into()),
        }
    };
    (0..links).map(address).collect()
}

/// The work of the other process: a line with the addresses on stdin, then messages until stdin ends.
///
/// # Errors
/// If the line has another form, or the graph does not start.
pub fn send_over_links() -> Result<(), Failed> {
    let mut orders = BufReader::new(std::io::stdin().lock());
    let mut line = String::new();
    orders.read_line(&mut line)?;
    let addresses: Vec<String> = serde_json::from_str(&line)?;
    let mut graph = Graph::default();
    for (link, address) in addresses.iter().enumerate() {
        let (source, name) = (format!("source{link}"), format!("link{link}"));
        let node = graph.add(&source, NodeType::of::<Batches>())?;
        graph.set(node, "bytes", &(BATCH_BYTES as i64).into())?;
        graph.set(node, "period_us", &(PERIOD_US as i64).into())?;
        let node = graph.add(&name, NodeType::of::<LinkOut>())?;
        graph.set(node, "to", &address.as_str().into())?;
        bound(&mut graph, node)?;
        // Both processes may share few cores, and only the receivers are measured.
        if let Some(options) = graph.options_mut(node) {
            options.placement = Placement::Inline;
        }
        graph.connect(&source, &name, edge())?;
    }
    let run = start(&graph)?;
    orders.read_to_string(&mut line)?;
    run.stop();
    run.finish(Duration::from_secs(20));
    Ok(())
}
