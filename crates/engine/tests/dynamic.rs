//! Node types that are made while the program runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use livetime_engine::testing::{Harness, assert_type_compliant};
use livetime_engine::{
    Choice, Context, DeclaredParams, DynNode, Graph, Next, NodeError, NodeFactory, NodeKind, NodeSpec,
    NodeType, ParamKind, ParamSpec, Params, Placement, PortSpec, PvStyle, Refusal, Run, RunOptions, Value,
    WhenFull, intern, intern_list,
};
use livetime_frame::Frame;

use crate::common::*;

const LIMIT: Duration = livetime_testkit::HANG;

/// Declares a node type from a description, as a binding to another language does.
#[derive(Clone)]
struct Factory {
    name: String,
    kind: NodeKind,
    params: Vec<(ParamSpec, Value)>,
    built: Arc<AtomicUsize>,
}

fn spec(name: &str, kind: ParamKind) -> ParamSpec {
    let (unit, pv) = (None, None);
    let doc = intern(&format!("The parameter {name}."));
    ParamSpec {
        name: intern(name),
        doc,
        kind,
        unit,
        min: None,
        max: None,
        pv,
        style: PvStyle::USUAL,
        role: None,
        readback: false,
        count: false,
    }
}

fn params() -> Vec<(ParamSpec, Value)> {
    let choices = intern_list(&[
        Choice { name: intern("pass"), doc: intern("Frames pass."), pv: intern("Pass") },
        Choice { name: intern("fail"), doc: intern("Frames fail."), pv: intern("Fail") },
    ]);
    vec![
        (spec("mode", ParamKind::Enum(choices)), "pass".into()),
        (
            ParamSpec { min: Some(0.0), unit: Some(intern("s")), ..spec("sleep", ParamKind::Float) },
            0.0.into(),
        ),
        (ParamSpec { readback: true, count: true, ..spec("seen", ParamKind::Int) }, 0.into()),
        (spec("note", ParamKind::Text), "".into()),
    ]
}

impl NodeFactory for Factory {
    fn spec(&self) -> NodeSpec {
        let (any, none) = (intern_list(&[PortSpec::any(intern("frames"))]), &[][..]);
        NodeSpec {
            name: intern(&self.name),
            kind: self.kind,
            summary: intern(&format!("The node {}.", self.name)),
            inputs: if self.kind == NodeKind::Source { none } else { any },
            outputs: if self.kind == NodeKind::Sink { none } else { any },
            parallel: true,
        }
    }

    fn params(&self) -> Result<DeclaredParams, Refusal> {
        DeclaredParams::new(&self.params)
    }

    fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError> {
        if params.value("note") == Some(&"impossible".into()) {
            return Err(NodeError::new("that cannot be"));
        }
        self.built.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Dynamic { params, kind: self.kind, sent: 0 }))
    }
}

struct Dynamic {
    params: DeclaredParams,
    kind: NodeKind,
    sent: u64,
}

impl DynNode for Dynamic {
    fn params(&mut self) -> &mut dyn Params {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let mut frame = ctx.bytes(8)?;
        frame.header_mut().sequence = self.sent;
        frame.bytes_mut().copy_from_slice(&self.sent.to_le_bytes());
        self.sent += 1;
        ctx.emit(frame)?;
        Ok(if self.sent == 100 { Next::Finished } else { Next::Now })
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.sent += 1;
        self.params.set(2, &(self.sent as i64).into())?;
        match self.params.value("mode") {
            Some(Value::Text(mode)) if mode == "fail" => {
                Err(NodeError::new("wanted another mode, found fail"))
            }
            Some(Value::Text(mode)) if mode == "panic" => panic!("a mode to panic at"),
            _ if self.kind == NodeKind::Process => ctx.forward(0, frame),
            _ => Ok(()),
        }
    }
}

fn factory(name: &str, kind: NodeKind) -> Factory {
    Factory { name: name.into(), kind, params: params(), built: Arc::default() }
}

fn node_type(name: &str, kind: NodeKind) -> NodeType {
    NodeType::dynamic(Arc::new(factory(name, kind))).unwrap()
}

#[test]
fn they_keep_the_contract() {
    for kind in [NodeKind::Source, NodeKind::Process, NodeKind::Sink] {
        assert_type_compliant(&node_type("some", kind), &[("mode", "pass".into())]);
    }
}

#[test]
fn they_run_in_every_placement() {
    for placement in [Placement::Own, Placement::Inline, Placement::Pool(3)] {
        let mut graph = Graph::default();
        graph.add("from", node_type("from", NodeKind::Source)).unwrap();
        graph.add("via", node_type("via", NodeKind::Process)).unwrap();
        graph.add("to", TALLY).unwrap();
        graph.connect("from", "via.frames", options(WhenFull::Block, 4)).unwrap();
        graph.connect("via", "to", options(WhenFull::Block, 4)).unwrap();
        graph.options_mut(1).unwrap().placement = placement;
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(LIMIT));
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        let via = &report.nodes[1];
        assert_eq!((via.type_name, via.completed, report.nodes[2].completed), ("via", 100, 100));
        let seen = via.readbacks().find(|(spec, _)| spec.name == "seen").unwrap().1;
        assert_eq!(*seen, Value::Int(100));
    }
}

#[test]
fn their_parameters_are_checked_as_declared() {
    let mut harness = Harness::of(node_type("some", NodeKind::Sink), &[]).unwrap();
    harness.set("mode", 1).unwrap();
    assert_eq!(harness.get("mode"), Some("fail".into()));
    harness.set("sleep", "10 ms").unwrap();
    assert_eq!(harness.get("sleep"), Some(0.01.into()));
    assert!(harness.set("sleep", -1.0).unwrap_err().to_string().contains("at least 0"));
    assert!(harness.set("mode", "fale").unwrap_err().to_string().contains("one of pass, fail"));
    assert!(harness.set("seen", 3).unwrap_err().to_string().contains("readback"));
    assert!(harness.set("sleeep", 3).unwrap_err().to_string().contains("did you mean `sleep`"));
    let bytes = harness.bytes(b"x").unwrap();
    assert!(harness.feed(&bytes).is_err());
    assert_eq!(harness.get("seen"), Some(1.into()));
    let mut graph = Graph::default();
    let some = graph.add("some", node_type("some", NodeKind::Sink)).unwrap();
    assert!(graph.set(some, "sleep", &(-1.0).into()).is_err());
    graph.set(some, "note", &"impossible".into()).unwrap();
    let messages: Vec<String> = graph.check().unwrap_err().into_iter().map(|e| e.to_string()).collect();
    assert!(messages.contains(&"some: that cannot be".into()), "{messages:?}");
}

#[test]
fn what_is_declared_badly_is_refused() {
    let refused = |params: &[(ParamSpec, Value)]| DeclaredParams::new(params).unwrap_err().to_string();
    let level = spec("level", ParamKind::Int);
    assert_eq!(refused(&[(level, 1.into()), (level, 2.into())]), "parameter `level` is declared twice");
    assert_eq!(refused(&[(level, 1.5.into())]), "`level`: wanted int, found `1.5`");
    let bad = Factory { params: vec![(level, "x".into())], ..factory("bad", NodeKind::Sink) };
    assert!(NodeType::dynamic(Arc::new(bad)).is_err());
    let mut params = DeclaredParams::new(&[(level, 1.into())]).unwrap();
    assert!(params.set(0, &"x".into()).is_err() && params.set(1, &1.into()).is_err());
}

#[test]
fn the_same_declaration_made_again_leaks_nothing() {
    let first = node_type("again", NodeKind::Process);
    for _ in 0..100 {
        let again = node_type("again", NodeKind::Process);
        assert!(std::ptr::eq(again.spec.name, first.spec.name));
        assert!(std::ptr::eq(again.spec.summary, first.spec.summary));
        assert!(std::ptr::eq(again.spec.inputs, first.spec.inputs));
        assert!(std::ptr::eq(again.param_specs(), first.param_specs()));
    }
}

#[test]
fn nodes_are_built_anew_after_a_panic_and_gone_with_the_run() {
    let factory = factory("panics", NodeKind::Sink);
    let built = factory.built.clone();
    let mut graph = Graph::default();
    graph.add("from", node_type("from", NodeKind::Source)).unwrap();
    let mut params = params();
    let ParamKind::Enum(choices) = params[0].0.kind else { unreachable!() };
    let panic = Choice { name: "panic", doc: "Panics.", pv: "Panic" };
    params[0].0.kind = ParamKind::Enum(intern_list(&[choices, &[panic]].concat()));
    let node_type = NodeType::dynamic(Arc::new(Factory { params, ..factory })).unwrap();
    let to = graph.add("to", node_type).unwrap();
    graph.set(to, "mode", &"panic".into()).unwrap();
    graph.connect("from", "to", options(WhenFull::Block, 4)).unwrap();
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!((report.nodes[1].restarts, lost(&report, "to")), (100, vec![("node_panic".into(), 100)]));
    drop(graph);
    // At check once or more, at start once, and 100 times again.
    assert!(built.load(Ordering::Relaxed) > 101);
    assert_eq!(Arc::strong_count(&built), 1, "nothing keeps the factory");
}
