use std::sync::atomic::{AtomicU16, Ordering};

use clap::Parser;
use livetime_engine::{Context, EdgeOptions, Node, NodeError, NodeSpec, Note, PortSpec, Stream, Trail};
use livetime_frame::Frame;

use super::files::SinkFile;
use super::*;
use crate::cli::Cli;
use crate::log::Level;

fn find(name: &str) -> NodeType {
    crate::standard_nodes().into_iter().find(|node| node.spec.name == name).unwrap()
}

fn graph() -> Graph {
    let mut graph = Graph::default();
    // Declared against the flow.
    graph.add("last", find("null")).unwrap();
    graph.add("middle", find("statistics")).unwrap();
    graph.add("first", find("sim_detector")).unwrap();
    graph.connect("middle", "last", EdgeOptions::default()).unwrap();
    graph.connect("first", "middle", EdgeOptions::default()).unwrap();
    graph
}

fn trails(late: &[(u64, u64)], early: &[(u64, u64)]) -> Vec<Trail> {
    let note = |(frame, digest): &(u64, u64)| Note { frame: *frame, digest: *digest, part: None };
    vec![
        Trail { from: (1, 0), to: (0, 0), notes: late.iter().map(note).collect() },
        Trail { from: (2, 0), to: (1, 0), notes: early.iter().map(note).collect() },
    ]
}

#[test]
fn the_node_nearest_to_the_source_is_named_and_its_first_frame() {
    let graph = graph();
    let (one, other) = (trails(&[(1, 5)], &[(1, 5), (2, 6)]), trails(&[(1, 9)], &[(1, 5), (2, 7)]));
    assert_eq!(Difference::in_frames(&graph, &one, &one), None);
    let text = |difference: Option<Difference>| difference.unwrap().text(4, false);
    let difference = Difference::in_frames(&graph, &one, &other);
    assert_eq!(difference.as_ref().unwrap().json()["node"], "first");
    let wanted = "not the same: run 4 against run 1: first.out to middle: frame 1 (number 2) differs\n";
    assert_eq!(text(difference), wanted);
    let short = text(Difference::in_frames(&graph, &one, &trails(&[(1, 5)], &[(1, 5)])));
    assert!(short.ends_with("first.out to middle: 1 frames came, not 2\n"), "{short}");
}

#[test]
fn a_live_source_is_refused_with_what_to_do() {
    let refused = refuse_endless(&graph()).unwrap_err();
    assert!(format!("{refused:?}").contains("`first` (sim_detector), which may not: give --frames N"));
}

/// Counts over all copies of it, and over all runs but for what is below 1000: what it sends depends on which copy is first.
struct Numbered(());

static NUMBERS: AtomicU16 = AtomicU16::new(0);

impl Node for Numbered {
    type Params = ();

    const SPEC: NodeSpec = NodeSpec {
        name: "numbered",
        kind: NodeKind::Process,
        summary: "Adds a number that all nodes of this type count.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new((): ()) -> Result<Numbered, NodeError> {
        Ok(Numbered(()))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed) % FRAMES_OF_BOTH;
        let mut image = ctx.array(*frame.array()?.layout())?;
        image.header_mut().sequence = frame.header().sequence;
        image.elements_mut::<u8>()?.fill(number as u8);
        ctx.emit(image)
    }
}

/// Frames that the two nodes of a run handle together, so that each run begins with 0.
const FRAMES_OF_BOTH: u16 = 200;

/// Exit code, and what is written.
fn called(args: &[&str]) -> (Exit, String, String) {
    let cli = Cli::try_parse_from([&["livetime", "verify"], args].concat()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Output {
        out: &mut out,
        err: &mut err,
        is_terminal: false,
        is_coloured: false,
        level: Level::default(),
    };
    let nodes = [crate::standard_nodes(), vec![NodeType::of::<Numbered>()]].concat();
    let exit = crate::execute(cli, &nodes, &mut output);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn what_depends_on_the_schedule_differs_and_the_command_says_where_and_in_which_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbered.yaml");
    let text = "nodes:
  cam: {type: sim_detector, params: {size_x: 8, size_y: 6, acquire_period: 0 ms}}
  one: {type: numbered, from: cam}
  other: {type: numbered, from: cam}
  end: {type: 'null', from: one}
  end2: {type: 'null', from: other}
";
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let (exit, out, err) = called(&[file, "--frames", "100", "--runs", "30"]);
    assert_eq!(exit, Exit::Failed, "{out}{err}");
    let is_named =
        ["one.out to end: frame ", "other.out to end2: frame "].iter().any(|name| out.contains(name));
    assert!(out.starts_with("not the same: run ") && is_named && out.ends_with(" differs\n"), "{out}{err}");
}

fn written(files: &[(&str, &[u8])], scratch: &Scratch, graph: &Graph) -> Vec<SinkFile> {
    scratch.clear(graph).unwrap();
    let folder = graph.nodes()[1].value("path").unwrap().to_string();
    files
        .iter()
        .for_each(|(name, bytes)| std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap());
    scratch.files(graph).unwrap()
}

#[test]
fn the_first_file_that_differs_is_named() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::make(Some(parent.path())).unwrap();
    let mut graph = Graph::default();
    graph.add("cam", find("sim_detector")).unwrap();
    graph.add("npy", find("npy_files")).unwrap();
    graph.set(1, "path", &Value::from("/data/of/the/user")).unwrap();
    scratch.lead_here(&mut graph, &crate::standard_nodes()).unwrap();
    let first = written(&[("a", b"one"), ("b", b"two")], &scratch, &graph);
    let said = |files: &[(&str, &[u8])]| {
        let other = written(files, &scratch, &graph);
        Difference::in_files(&first, &other).map_or_else(String::new, |difference| difference.text(2, false))
    };
    assert_eq!(said(&[("a", b"one"), ("b", b"two")]), "");
    for (files, wanted) in [
        (&[("a", &b"one"[..]), ("b", b"twx")][..], "b: another content of 3 bytes\n"),
        (&[("a", b"more"), ("b", b"two")], "a: 4 bytes, not 3\n"),
        (&[("b", b"two")], "a: is not there\n"),
        (&[("a", b"one"), ("aa", b""), ("b", b"two")], "aa: a file that was not there\n"),
    ] {
        assert_eq!(said(files), format!("not the same: run 2 against run 1: file of npy: {wanted}"));
    }
    drop(scratch);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}
