//! `livetime check --hosts`: the hosts of a pipeline, and the cuts between them.

use livetime_engine::{NodeDecl, NodeType, Value as ParamValue};
use serde_json::{Value, json};

use std::path::Path;

use super::host_keys::{self, Made};
use super::shown;
use crate::args::PipelineArgs;
use crate::commands::{count, refuse};
use crate::config::{self, Cut, HostPart, OverHosts, Pipeline};
use crate::output::{Exit, Failure, Output};
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table};

/// Each source with a period has its parameter for the PV of this name.
const PERIOD: &str = "AcquirePeriod";

pub(super) fn check(
    args: &PipelineArgs,
    keys: Option<&Path>,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let loaded = config::load_hosts(args.file.as_deref(), nodes, &args.settings);
    let over = loaded.map_err(|problems| refuse(&problems, args.json, output))?;
    let made = keys.map(|folder| host_keys::make(folder, &over)).transpose()?;
    if args.json {
        let mut json = as_json(&over);
        if let Some(Made { made, kept }) = made {
            json["keys"] = json!({ "made": made, "kept": kept });
        }
        output.json(&json)?;
    } else {
        output.data(&as_text(&over))?;
        if let Some(Made { made, kept }) = made {
            output.data(&format!(
                "keys: made for {}, kept for {}\n",
                count(made, "link"),
                count(kept, "link")
            ))?;
        }
    }
    Ok(Exit::Ok)
}

fn as_text(over: &OverHosts) -> String {
    let mut cuts = Table::new(&["from", "to", "link", "address", "frames", "bytes/s", "window"]);
    for cut in &over.cuts {
        let known = |number: Option<u64>| number.map_or("?".into(), bytes);
        cuts.row([
            format!("{} on {}", cut.from, cut.from_host),
            format!("{} on {}", cut.to.join(", "), cut.to_host),
            cut.name.clone(),
            ends(&cut.addresses),
            cut.stream.to_string(),
            known(bytes_per_s(over, cut).map(|rate| rate as u64)),
            known(window_bytes(over, cut)),
        ]);
    }
    let mut text = match over.cuts.is_empty() {
        true => String::new(),
        false => cuts.render(Style::default()) + "\n",
    };
    for (number, host) in over.hosts.iter().enumerate() {
        let is_of = |part: &&HostPart| part.host == host.host;
        // Workers are equal.
        if number > 0 && is_of(&&over.hosts[number - 1]) {
            continue;
        }
        let last = over.hosts.iter().rfind(is_of).filter(|last| last.name != host.name);
        let name = last.map_or_else(|| host.name.clone(), |last| format!("{} to {}", host.name, last.name));
        let each = if last.is_some() { "each " } else { "" };
        let nodes = own_nodes(host).join(", ");
        let page = page(host).map_or("no known page".into(), |page| format!("page at {page}"));
        text += &format!("{name}: {each}{nodes}; {}; {page}\n", shown::memory(&host.pipeline));
    }
    let (hosts, cuts) = (count(over.hosts.len(), "host"), count(over.cuts.len(), "cut"));
    text + &format!("ok: {hosts}, {cuts}; pipeline {}\n", over.hash)
}

/// The first and the last of some addresses.
fn ends(addresses: &[String]) -> String {
    match addresses {
        [first, .., last] => format!("{first} to {last}"),
        few => few.concat(),
    }
}

fn as_json(over: &OverHosts) -> Value {
    let cut = |cut: &Cut| {
        json!({
            "link": cut.name,
            "from": cut.from,
            "from_host": cut.from_host,
            "to": cut.to,
            "to_host": cut.to_host,
            "address": cut.addresses.join(", "),
            "frames": cut.stream.to_string(),
            "frame_bytes": frame_bytes(cut),
            "rate_hz": rate_hz(over, cut),
            "bytes_per_s": bytes_per_s(over, cut),
            "window_bytes": window_bytes(over, cut),
            "queue": cut.options.queue,
            "when_full": cut.options.when_full.name(),
        })
    };
    let host = |host: &HostPart| {
        let mut json = shown::as_json(&host.pipeline);
        json["name"] = host.name.clone().into();
        json["own_nodes"] = json!(own_nodes(host));
        json["page"] = page(host).into();
        json
    };
    json!({
        "ok": true,
        "pipeline": over.hash,
        "hosts": over.hosts.iter().map(host).collect::<Vec<_>>(),
        "cuts": over.cuts.iter().map(cut).collect::<Vec<_>>(),
    })
}

/// Where other hosts find its page.
fn page(host: &HostPart) -> Option<String> {
    host.pipeline.pages.iter().find(|page| page.name == host.name)?.page.clone()
}

/// The nodes of a host that the file names.
fn own_nodes(host: &HostPart) -> Vec<&str> {
    let whole = host.pipeline.whole.as_deref();
    let is_own = |node: &&NodeDecl| whole.is_none_or(|whole| whole.node(&node.name).is_ok());
    host.pipeline.graph.nodes().iter().filter(is_own).map(|node| &*node.name).collect()
}

/// Bytes of a frame, where its layout is known.
fn frame_bytes(cut: &Cut) -> Option<u64> {
    cut.stream.layout().map(|layout| layout.span() as u64)
}

/// Frames a second at most, where the file says it: by a limit of the edge, or by the period of a source right before it.
fn rate_hz(over: &OverHosts, cut: &Cut) -> Option<f64> {
    let period = source_period_s(over, cut).filter(|period| *period > 0.0);
    let by_source = period.map(|period| 1.0 / period / cut.options.every as f64);
    [by_source, cut.options.max_rate_hz].into_iter().flatten().min_by(f64::total_cmp)
}

fn source_period_s(over: &OverHosts, cut: &Cut) -> Option<f64> {
    let whole = over.hosts.first()?.pipeline.whole.as_ref()?;
    let node = cut.from.split('.').next().unwrap_or_default();
    let decl = whole.nodes().get(whole.node(node).ok()?)?;
    let period = decl.node_type.param_specs().iter().find(|spec| spec.pv == Some(PERIOD))?;
    match decl.value(period.name)? {
        ParamValue::Float(period) => Some(period),
        _ => None,
    }
}

fn bytes_per_s(over: &OverHosts, cut: &Cut) -> Option<f64> {
    Some(rate_hz(over, cut)? * frame_bytes(cut)? as f64)
}

/// Bytes of the sender's memory that the link may keep.
fn window_bytes(over: &OverHosts, cut: &Cut) -> Option<u64> {
    let host = over.hosts.iter().find(|host| host.host == cut.from_host)?;
    let Pipeline { graph, plan, .. } = &host.pipeline;
    plan.kept.get(graph.node(&cut.sender).ok()?).map(|kept| kept.of_run)
}
