use livetime_engine::{EdgeOptions, Graph, Value, WhenFull};

use super::*;

const TEXT: &str = "# A camera and two regions.
memory: 64 MiB # enough
web: {address: 8100}
nodes:
  cam:
    type: sim_detector # simulated
    params:
      gain: 2 # as in March
      max_size_x: 64
  # Around the beam.
  roi: {type: roi, from: cam, params: {min_x: 3, \"name\": 'the \"beam\"'}} # small
  stats: {type: statistics, from: [{node: roi, queue: 7}, cam], when_full: block}
  plain:
    type: statistics # nothing said
    from: roi
";

fn graph(text: &str) -> Graph {
    parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph
}

fn set(name: &'static str, value: impl Into<Value>) -> Standing {
    Standing { values: vec![(name, value.into())], ..Standing::default() }
}

fn nothing() -> Standing {
    Standing::default()
}

#[test]
fn what_has_not_changed_is_the_file_itself() {
    let saved = save(&graph(TEXT), &[nothing(), nothing(), nothing(), nothing()]);
    assert_eq!((saved.text.as_str(), saved.differences.len(), saved.problem), (TEXT, 0, None));
}

#[test]
fn values_change_in_place_and_comments_stay() {
    let mut cam = set("gain", 2.5);
    cam.values.push(("max_size_y", 48.into()));
    let mut roi = set("min_x", 12);
    roi.values.extend([("name", "it's".into()), ("bin_x", 2.into())]);
    let saved = save(&graph(TEXT), &[cam, roi, nothing(), set("compute_centroid", true)]);
    let wanted = TEXT
        .replace("      gain: 2 #", "      max_size_y: 48\n      gain: 2.5 #")
        .replace("{min_x: 3, \"name\": 'the \"beam\"'}", "{bin_x: 2, min_x: 12, \"name\": \"it's\"}")
        .replace("# nothing said\n", "# nothing said\n    params: {compute_centroid: true}\n");
    assert_eq!((saved.text, saved.problem), (wanted, None));
    let found: Vec<_> = saved.differences.iter().map(|d| (&*d.node, &*d.what, &*d.was, &*d.now)).collect();
    assert!(found.contains(&("roi", "min_x", "3", "12")), "{found:?}");
    assert!(found.contains(&("roi", "name", "\"the \\\"beam\\\"\"", "\"it's\"")), "{found:?}");
    assert_eq!(found.len(), 6);
}

#[test]
fn inputs_change_with_their_options() {
    let thin = EdgeOptions { every: 3, max_rate_hz: Some(2.5), ..EdgeOptions::default() };
    let latest = EdgeOptions { when_full: WhenFull::Latest, queue: 1, ..EdgeOptions::default() };
    let plain = Standing { inputs: vec![("cam.out".into(), "plain.in".into(), thin)], ..nothing() };
    let stats = Standing { inputs: vec![("cam.out".into(), "stats.in".into(), latest)], ..nothing() };
    let saved = save(&graph(TEXT), &[nothing(), nothing(), stats, plain]);
    let wanted = TEXT
        .replace("    from: roi\n", "    from: {node: cam, every: 3, max_rate: 2.5}\n")
        .replace("[{node: roi, queue: 7}, cam]", "{node: cam, queue: 1, when_full: latest, every: 1}");
    assert_eq!((saved.text, saved.problem), (wanted, None));
}

#[test]
fn what_cannot_be_edited_is_written_anew_with_what_stands_around() {
    let text = "memory: 64 MiB # enough\nnodes:\n  cam: {type: sim_detector, pv: C, cpus: [0]}\n  a: &a {type: roi, from: cam, params: {min_x: 5}}\n  \
                b: {type: roi, from: a, params: {min_x: &x 1, min_y: *x}, placement: inline}\npvaccess: {enabled: false}\n";
    let saved = save(&graph(text), &[nothing(), nothing(), set("min_x", 9)]);
    let wanted = "memory: 64 MiB # enough\nnodes:\n  cam:\n    type: sim_detector\n    cpus: [0]\n    pv: C\n  a:\n    type: roi\n    from: cam\n    \
                  params:\n      min_x: 5\n  b:\n    type: roi\n    from: a\n    placement: inline\n    params:\n      min_x: 9\n      min_y: 1\n\
                  pvaccess: {enabled: false}\n";
    assert_eq!((saved.text.as_str(), saved.problem), (wanted, None));
}

#[test]
fn a_file_in_one_flow_mapping_says_what_it_loses() {
    let text = "{memory: 64 MiB, pvaccess: {enabled: false}, nodes: {cam: {type: sim_detector}, \
                b: {type: roi, from: cam, params: {min_x: &x 1, min_y: *x}}}}";
    let saved = save(&graph(text), &[nothing(), set("min_x", 9)]);
    assert_eq!(saved.problem, None, "{}", saved.text);
    assert_eq!(
        saved.notes,
        ["`pvaccess` is not in the file, whose text is one flow mapping"],
        "{}",
        saved.text
    );
}

#[test]
fn a_graph_without_a_file_gets_one() {
    let mut made = graph(TEXT);
    made.text = "".into();
    let saved =
        save(&made, &[set("gain", 4.0), nothing(), nothing(), Standing { is_enabled: false, ..nothing() }]);
    assert_eq!(saved.problem, None);
    assert!(
        saved.text.starts_with("memory: 67108864\n\nnodes:\n  cam:\n    type: sim_detector\n"),
        "{}",
        saved.text
    );
    assert!(saved.text.contains("gain: 4\n"), "{}", saved.text);
    assert_eq!(saved.notes, ["plain is turned off in the run; it is on in a run of this file"]);
}

#[test]
fn values_are_read_back_as_they_were() {
    for value in
        ["", "null", "7", "true", "a b", "x: y # z", "a\"b\\c\n\u{7}", "/data/run_1.h5", "~", "ü", "- a"]
    {
        let saved = save(&graph(TEXT), &[nothing(), set("name", value), nothing(), nothing()]);
        assert_eq!(saved.problem, None, "{value:?}: {}", saved.text);
        assert_eq!(graph(&saved.text).nodes()[1].value("name"), Some(value.into()), "{}", saved.text);
    }
    for value in [1e-9, -0.5, 3e300, 123_456_789.25, 1e16] {
        let saved = save(&graph(TEXT), &[set("gain", value), nothing(), nothing(), nothing()]);
        assert_eq!((saved.problem, graph(&saved.text).nodes()[0].value("gain")), (None, Some(value.into())));
    }
}
