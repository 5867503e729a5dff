//! A pipeline file, written for people who know the start-up script.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::ioc::{Ioc, Port, Sender};

/// The pipeline file of an IOC.
pub(super) fn text(ioc: &Ioc, script: &Path) -> String {
    let mut text = format!("# Made out of {} by `livetime import`.\n", script.display());
    if let Some(prefix) = &ioc.prefix {
        let _ = writeln!(text, "pvaccess: {{prefix: {}}}", quoted(prefix));
    }
    text.push_str("nodes:\n");
    let mut receivers = BTreeMap::new();
    for port in &ioc.ports {
        node(&mut text, port, ioc, &mut receivers);
    }
    text
}

fn node(text: &mut String, port: &Port, ioc: &Ioc, receivers: &mut BTreeMap<String, usize>) {
    let file = port.line.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let _ =
        writeln!(text, "  {}:  # {} of {file}, line {}", name_of(&port.name), port.command, port.line.number);
    let _ = writeln!(text, "    type: {}", quoted_if_needed(port.node_type.spec.name));
    let senders: Vec<String> = port.senders.iter().filter_map(|it| sender(it, ioc, receivers)).collect();
    match &senders[..] {
        [] => {}
        [one] => {
            let _ = writeln!(text, "    from: {one}");
        }
        more => {
            let _ = writeln!(text, "    from: [{}]", more.join(", "));
        }
    }
    if let Some(queue) = port.queue.filter(|_| !senders.is_empty() && !port.is_blocking) {
        let _ = writeln!(text, "    queue: {queue}");
    }
    if port.is_blocking && senders.len() == 1 {
        text.push_str("    placement: inline\n");
    }
    if let Some(instance) = &port.instance {
        let _ = writeln!(text, "    pv: {}", quoted(instance));
    }
    if !port.params.is_empty() {
        text.push_str("    params:\n");
    }
    for (name, value) in &port.params {
        let _ = writeln!(text, "      {name}: {value}");
    }
}

/// The output of a node, as an edge begins: `STATS1.values`.
fn sender(sender: &Sender, ioc: &Ioc, receivers: &mut BTreeMap<String, usize>) -> Option<String> {
    let port = ioc.ports.iter().find(|port| port.name == sender.port)?;
    let outputs = port.node_type.spec.outputs;
    let number = match port.node_type.spec.name {
        // All receivers name one port there; here each has an output of its own, in the order of the lines.
        "scatter" => {
            let next = receivers.entry(port.name.clone()).or_insert(0);
            *next += 1;
            *next - 1
        }
        _ => sender.address,
    };
    let name = name_of(&port.name);
    Some(match outputs.get(number) {
        Some(output) if number > 0 => format!("{name}.{}", output.name),
        _ => name,
    })
}

/// The name of a port as the name of a node: 1 to 60 letters, digits, `_`, `-`.
fn name_of(port: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = port.chars().map(fits).take(60).collect();
    // A name of digits, or `null`, is no text in YAML.
    let is_text = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_word_of_yaml(&name);
    if is_text { name } else { quoted(&name) }
}

fn is_word_of_yaml(text: &str) -> bool {
    ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str())
}

fn quoted_if_needed(text: &str) -> String {
    if is_word_of_yaml(text) { quoted(text) } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    serde_json::json!(text).to_string()
}
