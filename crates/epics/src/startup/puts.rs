//! Lines that write to PVs, as parameters of the pipeline file.

use super::Fate;
use super::ioc::{Ioc, Port, Put, Sender};
use super::ports::as_yaml;

/// Takes the values that the script writes with `dbpf`.
pub(super) fn put(ioc: &mut Ioc) {
    let names: Vec<String> = ioc.ports.iter().map(|port| port.name.clone()).collect();
    // The lines are in the order of the script, so that a later write replaces an earlier one as in the IOC.
    for put in std::mem::take(&mut ioc.puts) {
        let found = ioc.ports.iter_mut().find_map(|port| {
            let suffix = suffix(port, &put.pv)?.to_owned();
            Some((port, suffix))
        });
        let fate = match found {
            Some((port, suffix)) => written(port, &suffix, &put, &names),
            None => Fate::Left("no node of the pipeline has this PV".into()),
        };
        ioc.fates.push((put.line, fate));
    }
}

/// The part of a PV's name behind the instance of the port.
fn suffix<'a>(port: &Port, pv: &'a str) -> Option<&'a str> {
    let instance = port.instance.as_deref()?;
    let at = pv.find(instance)?;
    // The prefix ends with a colon in nearly all beam lines, and `Stats1` is no part of `MyStats1`.
    let is_whole = at == 0 || !pv[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    pv[at + instance.len()..].strip_prefix(':').filter(|_| is_whole)
}

fn written(port: &mut Port, suffix: &str, put: &Put, names: &[String]) -> Fate {
    let taken = |text: String| Fate::Taken(text);
    match suffix {
        // A port that does not exist would leave the node without frames, so the line is left out.
        "NDArrayPort" if names.contains(&put.value) => {
            port.senders = vec![Sender { port: put.value.clone(), address: 0 }];
            return taken(format!("{} gets frames of {}", port.name, put.value));
        }
        "NDArrayAddress" => {
            let Ok(address) = put.value.parse() else { return Fate::Left("wanted a number".into()) };
            // The address is kept apart from the port: a script may write it before or after.
            port.senders.iter_mut().for_each(|sender| sender.address = address);
            return taken(format!("output {address}"));
        }
        "QueueSize" => {
            // A queue of 0 is no queue; the usual length takes its place.
            port.queue = put.value.parse().ok().filter(|queue| *queue > 0);
            return taken(format!("queue of {}", port.name));
        }
        "BlockingCallbacks" => {
            port.is_blocking = matches!(put.value.as_str(), "1" | "Yes");
            return taken(format!("placement of {}", port.name));
        }
        // Nodes cannot begin without frames from the pipeline file, so only the enabling is taken.
        "EnableCallbacks" if matches!(put.value.as_str(), "1" | "Enable") => {
            return taken("nodes run from the start".into());
        }
        _ => {}
    }
    let specs = port.node_type.param_specs();
    // A readback of the same suffix cannot be written.
    let Some(spec) = specs.iter().find(|spec| spec.pv == Some(suffix) && !spec.readback) else {
        return Fate::Left(format!(
            "`{suffix}` is no parameter of {}; write the PV when it runs",
            port.node_type.spec.name
        ));
    };
    match as_yaml(spec, &put.value) {
        Some(value) => {
            port.params.insert(spec.name, value);
            taken(format!("{}.{}", port.name, spec.name))
        }
        None => Fate::Left(format!("`{}` is no value of {}.{}", put.value, port.name, spec.name)),
    }
}
