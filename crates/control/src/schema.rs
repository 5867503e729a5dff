//! The JSON schema of pipeline files, from the declarations of the nodes.
//!
//! It is for editors: completion, help, and red lines under most mistakes. `livetime check` is the judge.

use livetime_engine::{NodeKind, NodeType, ParamKind, ParamSpec, Value as ParamValue, WhenFull};
use serde_json::{Map, Value, json};

use livetime_pva::server::{TCP_PORT, UDP_PORT};

use crate::config::file::{MAX_POOL, MAX_QUEUE, ON_FAILURE, WAIT, WHEN_EXHAUSTED};
use crate::config::host::MAX_HOSTS;
use crate::config::hosts::{is_of_links, link_type};
use crate::config::{ALL_HOSTS, MAX_PREFIX};
use crate::describe::value_json;
use crate::web::PORT;

/// The schema for pipelines of these nodes.
pub fn schema_of(nodes: &[NodeType]) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Livetime pipeline",
        "description": "Nodes, and the edges between them. Each node names in `from` where its frames come from.",
        "type": "object",
        "properties": {
            "memory": quantity("Bound of the memory for frames, as `512 MiB`; a bare number is in bytes.", json!("1 GiB")),
            "pvaccess": pvaccess(),
            "web": web(),
            "hosts": hosts(nodes),
            "nodes": {
                "description": "The nodes by name.",
                "type": "object",
                "minProperties": 1,
                // The reader of pipeline files has the same pattern.
                "propertyNames": { "pattern": "^[A-Za-z0-9_-]{1,60}$" },
                "additionalProperties": { "$ref": "#/$defs/node" },
            },
        },
        "required": ["nodes"],
        "additionalProperties": false,
        "$defs": { "node": node(nodes), "edge": edge() },
    })
}

fn pvaccess() -> Value {
    let port = |text: &str, default: u16| json!({ "description": text, "type": "integer", "minimum": 0, "maximum": 65535, "default": default });
    let texts = |text: &str, default: Value| {
        let one = json!({ "type": "string" });
        json!({
            "description": text, "default": default,
            "oneOf": [one.clone(), { "type": "array", "items": one }],
        })
    };
    json!({
        "description": "How the run is served over pvAccess; a file with this block is served.",
        "type": "object",
        "properties": {
            "enabled": { "description": "Whether it is served.", "type": "boolean", "default": true },
            "prefix": {
                "description": "The names of all PVs begin with it.",
                "type": "string", "maxLength": MAX_PREFIX, "default": "13SIM1:",
            },
            "port": port("Port for connections; 0 for any. If it is taken, another one is found.", TCP_PORT),
            "search_port": port("Port for searches; 0: no searches are answered.", UDP_PORT),
            "channel_access": port("Port at which the same PVs are served over Channel Access, too; 0: any.", 5064),
            "interfaces": texts("Addresses and multicast groups at which to listen; local: this machine only; any: all.", json!(["local"])),
            "beacons": texts("Addresses at which the server is announced.", json!([])),
            "ignore": texts("Addresses whose searches are not answered.", json!([])),
            "writers": texts(
                "Who may write: local (this machine), loopback, any, an address, a network as 10.1.2.0/24, or user@ one of these.",
                json!(["local"]),
            ),
            "update_rate": quantity("Updates per second, as `10 Hz`.", json!("10 Hz")),
        },
        "additionalProperties": false,
    })
}

fn web() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "description": "How the page of the run is served.",
        "type": "object",
        "properties": {
            "enabled": { "description": "Whether it is served.", "type": "boolean", "default": true },
            "address": {
                "description": "PORT (this machine only) or ADDRESS:PORT; if it is taken, the next free port.",
                "type": ["string", "integer"], "default": PORT,
            },
            "hosts": {
                "description": "Names besides the machine's own by which clients may call it; * is every name.",
                "default": [], "oneOf": [text.clone(), { "type": "array", "items": text.clone() }],
            },
            "readers": {
                "description": "Machines that may read without a token: local, any, an address, a network as 10.1.2.0/24.",
                "default": ["local"], "type": ["string", "array"], "items": { "type": "string" },
            },
            "rules": {
                "description": "What others may without the token; the first rule that fits decides. If none fits, this machine and `readers` may read.",
                "default": [], "type": "array", "items": web_rule(),
            },
            "proxies": {
                "description": "Machines that ask people who they are, and say it in `user_header`; nobody else is believed.",
                "default": [], "oneOf": [text.clone(), { "type": "array", "items": text.clone() }],
            },
            "user_header": {
                "description": "The header in which `proxies` name their user.",
                "type": "string", "default": "X-Forwarded-User",
            },
            "control": {
                "description": "one: who makes changes takes control first; open: everybody with the token may.",
                "enum": ["one", "open"], "default": "one",
            },
            "files": {
                "description": "Folders whose recorded runs may be browsed, besides those that the run writes to.",
                "default": [], "oneOf": [text.clone(), { "type": "array", "items": text }],
            },
            "token_file": { "description": "A file with the token, which its owner alone can read; it is made if it is not there. Without it each run makes a new token.", "type": "string" },
        },
        "additionalProperties": false,
    })
}

fn hosts(nodes: &[NodeType]) -> Value {
    let links: Map<String, Value> = nodes
        .iter()
        .filter(|node| link_type(node.spec.name))
        .flat_map(|node| {
            let defaults = node.params();
            let given = node.param_specs().iter().enumerate().filter(|(_, spec)| is_of_links(spec));
            given.map(|(i, spec)| (spec.name.to_owned(), param(spec, defaults.get(i)))).collect::<Vec<_>>()
        })
        .collect();
    let host = json!({
        "type": ["object", "null"],
        "properties": {
            "count": {
                "description": "Number of workers: then the host is a pool. Its nodes work on the frames of one edge, which the workers share.",
                "type": "integer", "minimum": 1, "maximum": MAX_HOSTS,
            },
            "address": {
                "description": "host:port where other hosts find its first link; further links have the next ports. {} is the number of a worker. Without it: this machine, from 7440 on.",
                "type": "string",
            },
            "listen": {
                "description": "Where it listens itself, if that is not the host of `address`: a name or an address, as 0.0.0.0.",
                "type": "string",
            },
            "page": {
                "description": "host:port where other hosts find its page. {} is the number of a worker. Without it: the machine of `address`, with the port of `web`.",
                "type": "string",
            },
            "beyond_loopback": {
                "description": "Whether other machines may reach its links, which have neither password nor encryption.",
                "type": "boolean", "default": false,
            },
            "keys": {
                "description": "Folder with the keys of its links over ZeroMQ, each in a folder of its own (`livetime check FILE --hosts --keys OUT`). {} is the number of a worker.",
                "type": "string",
            },
            "memory": quantity("Bound of the memory for frames on this host, in place of the file's.", Value::Null),
            "links": {
                "description": "Parameters of the links to this host.",
                "type": ["object", "null"], "properties": links, "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    });
    json!({
        "description": "The hosts that run the nodes, by name: each node names one in `host`.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": { "pattern": "^[A-Za-z0-9_-]{1,60}$", "not": { "const": ALL_HOSTS } },
        "additionalProperties": host,
    })
}

fn web_rule() -> Value {
    json!({
        "type": "object",
        "properties": {
            "user": { "description": "As a proxy names them; * is everybody with a name. Absent: everybody.", "type": "string" },
            "host": {
                "description": "local (this machine), any, an address, a network as 10.1.2.0/24; behind a proxy that of the proxy.",
                "type": "string", "default": "any",
            },
            "may": { "enum": ["none", "read", "write"] },
        },
        "required": ["may"],
        "additionalProperties": false,
    })
}

fn node(nodes: &[NodeType]) -> Value {
    let types: Vec<&str> = nodes.iter().map(|n| n.spec.name).collect();
    let summary = |n: &NodeType| format!("- `{}` ({}): {}", n.spec.name, n.spec.kind.name(), n.spec.summary);
    let summaries: Vec<String> = nodes.iter().map(summary).collect();
    let mut properties = edge_options();
    properties.extend(node_options());
    properties.insert("type".into(), json!({ "description": summaries.join("\n"), "enum": types }));
    properties
        .insert("params".into(), json!({ "description": "Parameters that differ from their defaults." }));
    properties.insert("from".into(), from());
    json!({
        "type": "object",
        "properties": properties,
        "required": ["type"],
        "additionalProperties": false,
        "allOf": nodes.iter().map(of_type).collect::<Vec<_>>(),
    })
}

/// The schema of a node's type.
fn of_type(node: &NodeType) -> Value {
    let is_source = node.spec.kind == NodeKind::Source;
    // A source has no input, so a `from` is refused already by the editor.
    let mut then = json!({ "properties": { "params": params(node) } });
    if is_source {
        then["properties"]["from"] = json!(false);
    } else {
        then["required"] = json!(["from"]);
    }
    let is_it = json!({ "properties": { "type": { "const": node.spec.name } }, "required": ["type"] });
    json!({ "if": is_it, "then": then })
}

fn params(node: &NodeType) -> Value {
    let defaults = node.params();
    let written = node.param_specs().iter().enumerate().filter(|(_, spec)| !spec.readback);
    let properties: Map<String, Value> =
        written.map(|(i, spec)| (spec.name.to_owned(), param(spec, defaults.get(i)))).collect();
    // `params:` with nothing behind it is null.
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

fn param(spec: &ParamSpec, default: Option<ParamValue>) -> Value {
    let mut schema = match spec.kind {
        ParamKind::Bool => json!({ "type": "boolean" }),
        // Numbers with units are texts: `10 ms`.
        ParamKind::Int if spec.unit.is_none() => json!({ "type": "integer" }),
        ParamKind::Int => json!({ "type": ["integer", "string"] }),
        ParamKind::Float => json!({ "type": ["number", "string"] }),
        // YAML reads `1` and `true` as other types, and both may be meant as texts.
        ParamKind::Text => json!({ "type": ["string", "number", "boolean"] }),
        ParamKind::Enum(choices) => json!({ "enum": choices.iter().map(|c| c.name).collect::<Vec<_>>() }),
        ParamKind::List => json!({ "type": "array", "items": { "type": "number" } }),
    };
    schema["description"] = json!(description(spec));
    for (key, limit) in [("minimum", spec.min), ("maximum", spec.max)] {
        if let Some(limit) = limit {
            schema[key] = json!(limit);
        }
    }
    if let Some(default) = &default {
        schema["default"] = value_json(default);
    }
    schema
}

fn description(spec: &ParamSpec) -> String {
    let unit = spec.unit.map(|unit| format!(" In {unit}.")).unwrap_or_default();
    let pv = spec.pv.map(|pv| format!(" PV: {pv}.")).unwrap_or_default();
    let choices = match spec.kind {
        ParamKind::Enum(choices) => choices.iter().map(|c| format!("\n- `{}`: {}", c.name, c.doc)).collect(),
        _ => String::new(),
    };
    format!("{}{unit}{pv}{choices}", spec.doc)
}

fn from() -> Value {
    let name = json!({ "type": "string", "description": "`node` or `node.output`." });
    let edge = json!({ "$ref": "#/$defs/edge" });
    let one = [name, edge];
    let [name, edge] = one.clone();
    json!({
        "description": "Where its frames come from: `node`, `node.output`, or a list of these with options.",
        // One edge needs no list, and a list may mix both forms.
        "oneOf": [name, edge, { "type": "array", "items": { "oneOf": one } }],
    })
}

fn edge() -> Value {
    let mut properties = edge_options();
    properties.insert("node".into(), json!({ "type": "string", "description": "`node` or `node.output`." }));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["node"],
        "additionalProperties": false,
    })
}

fn edge_options() -> Map<String, Value> {
    let options = [
        (
            "to",
            json!({ "type": "string", "description": "Name of the input; the first one if it is not given." }),
        ),
        (
            "queue",
            json!({
                "type": "integer", "minimum": 1, "maximum": MAX_QUEUE, "default": 20,
                "description": "Most frames that wait.",
            }),
        ),
        (
            "when_full",
            words(
                "What happens to a frame that is offered to a full queue.",
                WhenFull::ALL.map(|w| w.1),
                WhenFull::default().name(),
            ),
        ),
        (
            "every",
            json!({
                "type": "integer", "minimum": 1, "default": 1,
                "description": "Passes one frame in so many; the others are an intended loss.",
            }),
        ),
        (
            "max_rate",
            quantity(
                "Passes at most this many frames a second, as `10 Hz`; the others are an intended loss.",
                Value::Null,
            ),
        ),
    ];
    options.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn node_options() -> Map<String, Value> {
    let options = [
        ("placement", placement()),
        ("on_error", words("What to do when the node returns an error.", ON_FAILURE.map(|w| w.1), "skip")),
        ("on_panic", words("What to do when the node panics.", ON_FAILURE.map(|w| w.1), "restart")),
        (
            "when_exhausted",
            words("What to do without memory for a frame.", WHEN_EXHAUSTED.map(|w| w.1), "drop"),
        ),
        ("host", json!({ "type": "string", "description": "The host that runs the node, one of `hosts`." })),
        (
            "pv",
            json!({
                "type": "string", "pattern": "^[A-Za-z0-9_:-]{1,60}$",
                "description": "Instance name of its PVs, as `Stats7`, instead of the one made from type and name.",
            }),
        ),
        ("wait", words("How the node's thread waits for work.", WAIT.map(|w| w.1), "adaptive")),
        (
            "cpus",
            json!({
                "type": "array", "items": { "type": "integer", "minimum": 0 },
                "description": "CPUs that the node's thread may run on; all if the list is empty.",
            }),
        ),
    ];
    options.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn placement() -> Value {
    json!({
        "description": "Which thread the node runs on.",
        "default": "own",
        "oneOf": [
            { "enum": ["own", "inline"] },
            {
                "type": "object",
                "properties": { "group": { "type": "string", "description": "A thread shared by the group." } },
                "required": ["group"], "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": { "pool": { "type": "integer", "minimum": 1, "maximum": MAX_POOL } },
                "required": ["pool"], "additionalProperties": false,
            },
        ],
    })
}

fn words<const N: usize>(description: &str, words: [&str; N], default: &str) -> Value {
    json!({ "description": description, "enum": words.to_vec(), "default": default })
}

fn quantity(description: &str, default: Value) -> Value {
    let mut schema =
        json!({ "description": description, "type": ["string", "number"], "exclusiveMinimum": 0 });
    if !default.is_null() {
        schema["default"] = default;
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::file::{EDGE_KEYS, NODE_KEYS};
    use crate::config::host::HOST_KEYS;
    use crate::test_nodes;

    #[test]
    fn the_schema_knows_the_keys_that_the_reader_knows() {
        let schema = schema_of(&test_nodes::all());
        let keys = |of: &Value| of["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let mut known = [NODE_KEYS, EDGE_KEYS].concat();
        known.sort_unstable();
        assert_eq!(keys(&schema["$defs"]["node"]), known);
        let mut known = [EDGE_KEYS, &["node"]].concat();
        known.sort_unstable();
        assert_eq!(keys(&schema["$defs"]["edge"]), known);
        let mut known = HOST_KEYS.to_vec();
        known.sort_unstable();
        assert_eq!(keys(&schema["properties"]["hosts"]["additionalProperties"]), known);
    }

    #[test]
    fn parameters_carry_their_declaration() {
        let nodes = test_nodes::all();
        let counter = nodes.iter().find(|n| n.spec.name == "counter").unwrap();
        let params = params(counter);
        let size = &params["properties"]["size_x"];
        assert_eq!((&size["default"], &size["minimum"]), (&json!(4), &json!(1.0)));
        assert_eq!(size["description"], "Width of the images. In px. PV: SizeX.");
        assert_eq!(of_type(counter)["then"]["properties"]["from"], json!(false));
        let slow = nodes.iter().find(|n| n.spec.name == "slow").unwrap();
        assert!(super::params(slow)["properties"].get("frames").is_none(), "readbacks cannot be written");
    }
}
