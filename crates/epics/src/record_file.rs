//! A record file for a stock IOC whose records link to the PVs of a run, for clients of Channel Access.

use std::collections::BTreeMap;
use std::fmt::Write;

use livetime_engine::Graph;

use super::names::instances;
use super::point::{About, Shape};
use super::run_pvs::WHOLE;
use super::table::served_by;

/// Longest description that a record holds, without its final zero (EPICS base, `DESC`).
const DESCRIPTION: usize = 40;
/// Longest unit that a record holds, without its final zero (`EGU`).
const UNITS: usize = 15;
/// Longest text of a choice that a record holds, without its final zero.
const CHOICE: usize = 25;
/// The most choices of an mbbi or mbbo record, and their fields.
pub(super) const CHOICES: [&str; 16] =
    ["ZR", "ON", "TW", "TH", "FR", "FV", "SX", "SV", "EI", "NI", "TE", "EL", "TV", "TT", "FT", "FF"];
/// Elements of an array that a record holds: a profile of a row of 4096 pixels, or the names of as many nodes.
const ELEMENTS: usize = 4096;
/// Characters of a text, with the zero behind it.
const CHARACTERS: usize = 512;

/// The records of a graph, each with a `{pva:...}` link to the PV of the run. PVs begin with `prefix`, records with
/// `records`; `chosen` holds the instance names that the pipeline file chooses, by name of the node.
///
/// Records of readable values are processed by each update; they have its alarm and its time. Records of writable
/// values pass on writes to them; other clients' writes show in `X_RBV`. Pictures are left out: over Channel Access
/// they cost too much.
///
/// ```
/// let pipeline = "nodes:\n  detector: {type: sim_detector}\n  end: {type: null, from: detector}\n";
/// let graph = livetime_control::config::parse("f", pipeline, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph;
/// let file = livetime_epics::record_file(&graph, &Default::default(), "BL7:", "CA:");
/// assert!(file.contains(r#"record(ao, "CA:cam1:AcquireTime")"#));
/// assert!(file.contains(r#"{pva:{pv:"BL7:cam1:AcquireTime",proc:"PP"}}"#));
/// ```
pub fn record_file(graph: &Graph, chosen: &BTreeMap<String, String>, prefix: &str, records: &str) -> String {
    let mut text = INTRODUCTION.to_owned();
    let mut add = |name: &str, is_writable: bool, about: &About| {
        if let Some(record) =
            record(&format!("{records}{name}"), &format!("{prefix}{name}"), is_writable, about)
        {
            text += &record;
        }
    };
    for (node, instance) in graph.nodes().iter().zip(instances(graph, chosen)) {
        // A name with a point is a field, which only the record itself has.
        for served in served_by(&node.node_type).into_iter().filter(|served| !served.name.contains('.')) {
            add(&format!("{instance}:{}", served.name), served.is_writable, &served.about);
        }
    }
    WHOLE.iter().for_each(|whole| add(whole.name, whole.act.is_some(), &whole.about()));
    text
}

const INTRODUCTION: &str = "\
# Records of a stock IOC that link to the PVs of `livetime run` over pvAccess: Channel Access for older clients.
# Where records have the names of the PVs, the IOC must not serve them over pvAccess, too, or it finds itself:
#     PVXS_QSRV_ENABLE=NO
";

/// The record of a PV; `None` for a value that no record holds.
fn record(name: &str, pv: &str, is_writable: bool, about: &About) -> Option<String> {
    let (kind, more) = match (&about.shape, is_writable) {
        // A record has a field for each of 16 choices and no more.
        (Shape::Enum(choices), _) if choices.len() > CHOICES.len() => return None,
        (Shape::Enum(choices), true) => ("mbbo", enumerated(choices)),
        (Shape::Enum(choices), false) => ("mbbi", enumerated(choices)),
        (Shape::I32, true) => ("longout", limits(about)),
        (Shape::I32, false) => ("longin", String::new()),
        (Shape::I64, true) => ("int64out", limits(about)),
        // A readback needs no limits: it is never written.
        (Shape::I64, false) => ("int64in", String::new()),
        (Shape::F64, true) => ("ao", limits(about) + &field("PREC", "6")),
        (Shape::F64, false) => ("ai", field("PREC", "6")),
        (Shape::Text, true) => ("lso", field("SIZV", &CHARACTERS.to_string())),
        (Shape::Text, false) => ("lsi", field("SIZV", &CHARACTERS.to_string())),
        (Shape::I32s, false) => ("waveform", elements("LONG")),
        (Shape::F64s, false) => ("waveform", elements("DOUBLE")),
        (Shape::Texts, false) => ("waveform", elements("STRING")),
        (Shape::I32s, true) => ("aao", elements("LONG")),
        (Shape::F64s | Shape::Texts, true) => ("aao", elements("DOUBLE")),
        (Shape::Table(_) | Shape::Pixels | Shape::Image, _) => return None,
    };
    let mut text = format!("\nrecord({kind}, {}) {{\n", quoted(name));
    text += &field("DESC", &shortened(about.description, DESCRIPTION));
    // Records of choices and of texts have no field EGU.
    if !about.units.is_empty() && !matches!(about.shape, Shape::Enum(_) | Shape::Text) {
        text += &field("EGU", &shortened(about.units, UNITS));
    }
    text += &more;
    let pv = quoted(pv);
    let _ = match is_writable {
        // PP makes the PV act as after a put by a client.
        true => writeln!(text, "    field(OUT, {{pva:{{pv:{pv},proc:\"PP\"}}}})"),
        false => {
            // The time of the PV is kept, because the IOC reads it later.
            text += &field("TSE", "-2");
            // CP processes the record with each change, and MS hands the alarm on.
            writeln!(text, "    field(INP, {{pva:{{pv:{pv},proc:\"CP\",sevr:\"MS\",time:true}}}})")
        }
    };
    Some(text + "}\n")
}

fn enumerated(choices: &[&str]) -> String {
    let fields = CHOICES.iter().zip(choices).enumerate();
    fields.fold(String::new(), |text, (number, (name, choice))| {
        text + &field(&format!("{name}ST"), &shortened(choice, CHOICE))
            + &field(&format!("{name}VL"), &number.to_string())
    })
}

fn limits(about: &About) -> String {
    about.limits.map_or_else(String::new, |(low, high)| {
        let (low, high) = (low.to_string(), high.to_string());
        field("DRVL", &low) + &field("DRVH", &high) + &field("LOPR", &low) + &field("HOPR", &high)
    })
}

fn elements(kind: &str) -> String {
    field("FTVL", kind) + &field("NELM", &ELEMENTS.to_string())
}

fn field(name: &str, value: &str) -> String {
    format!("    field({name}, {})\n", quoted(value))
}

/// As EPICS reads texts in quotation marks; control characters have no business in names.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// At most `most` bytes, without a part of a character.
fn shortened(text: &str, most: usize) -> String {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].to_owned()
}
