//! Losses of each kind on every face: no face may show fewer than the ledger, or others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use livetime_control::access::Access;
use livetime_control::model::{Bell, Model, Moment};
use livetime_engine::{
    Context, LossReason, Next, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Run, RunOptions,
};
use livetime_frame::{ColorMode, DType, Frame, Layout};
use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::server::ServerConfig;
use livetime_web::client::{Columns, Link};
use serde_json::Value;

use crate::commands::top::TopArgs;
use crate::config;
use crate::log::Level;
use crate::output::{Exit, Output};
use crate::pvs;
use crate::report::json::ending_json;
use crate::report::table::Style;
use crate::report::{EndedBy, Ending, live, summary};

const LONG: Duration = livetime_testkit::HANG;
const FRAMES: u64 = 40;

#[derive(Params)]
struct Nothing {}

/// Sends frames, misses 500, finds 30 that cannot be read, misses 20 and what else is unknown in a break; then says nothing.
struct Leaky(Nothing, u64);

impl Node for Leaky {
    type Params = Nothing;

    const SPEC: NodeSpec = NodeSpec::source(
        "leaky",
        "Loses frames before it sends them.",
        &[PortSpec::array_of_dims("out", 1, 2)],
    );

    fn new(params: Nothing) -> Result<Leaky, NodeError> {
        Ok(Leaky(params, 0))
    }

    fn params(&mut self) -> &mut Nothing {
        &mut self.0
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if self.1 == FRAMES {
            return Ok(Next::At(ctx.now_ns() + 10_000_000));
        }
        if self.1 == 0 {
            ctx.lost_at_source(500);
            ctx.unreadable(30, "wanted a frame, found half of one");
            ctx.lost_while_disconnected(20);
            ctx.unknown(1_000_000_000, "the server is another one");
        }
        let mut frame = ctx.array(Layout::packed(DType::U16, ColorMode::Mono, &[4])?)?;
        frame.header_mut().sequence = self.1;
        self.1 += 1;
        ctx.emit(frame)?;
        Ok(Next::Now)
    }
}

/// Is slow, fails once, and finds seven parts late.
struct Strict(Nothing, u64);

impl Node for Strict {
    type Params = Nothing;

    const SPEC: NodeSpec =
        NodeSpec::sink("strict", "Loses frames that it was given.", &[PortSpec::array_of_dims("in", 1, 2)]);

    fn new(params: Nothing) -> Result<Strict, NodeError> {
        Ok(Strict(params, 0))
    }

    fn params(&mut self) -> &mut Nothing {
        &mut self.0
    }

    fn frame(&mut self, _: usize, _: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.1 += 1;
        std::thread::sleep(Duration::from_millis(50));
        if self.1 == 1 {
            ctx.late(7);
            return Err(NodeError::new("asked to fail"));
        }
        Ok(())
    }
}

const TEXT: &str = "\
nodes:
  leaky: {type: leaky}
  strict: {type: strict, from: {node: leaky, queue: 1, when_full: drop_newest}}
  seldom: {type: statistics, from: {node: leaky, queue: 100, max_rate: 0.001 Hz}}
";

/// A moment after which nothing is lost any more.
fn quiet(model: &Model) -> Arc<Moment> {
    let settled = |moment: &Moment| {
        let edges = moment.report.edges.iter();
        moment.report.nodes[0].emitted == FRAMES
            && edges.filter(|edge| edge.nodes.1.is_some()).all(|edge| edge.queued == 0)
            && moment
                .report
                .nodes
                .iter()
                .all(|node| node.received == node.completed + node.lost_of_received())
    };
    model.moments(Duration::from_millis(20)).find(|moment| settled(moment)).unwrap()
}

struct Faces {
    model: Model,
    page: livetime_web::Served,
    pvs: pvs::Served,
    prefix: String,
}

impl Faces {
    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.page.address()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let body = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        answer.split_off(body)
    }

    fn moment(&self) -> Value {
        let link = Link::new(&self.page.link()).unwrap();
        let mut state = livetime_web::client::State::connect(&link).unwrap();
        loop {
            let message = state.next(LONG).unwrap().unwrap();
            if message["kind"] == "moment" {
                return message;
            }
        }
    }

    fn top(&self) -> String {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output = Output {
            out: &mut out,
            err: &mut err,
            is_terminal: false,
            is_coloured: false,
            level: Level::Info,
        };
        let args = TopArgs { link: self.page.link(), once: true };
        assert_eq!(crate::commands::top::top(&args, &mut output).unwrap(), Exit::Ok);
        String::from_utf8(out).unwrap()
    }

    fn pv(&self, name: &str) -> Option<i64> {
        let client = Client::new(ClientConfig::name_servers(&[self.pvs.address().unwrap()])).unwrap();
        let value = client.channel(&format!("{}{name}", self.prefix)).get().wait(LONG).unwrap();
        value.f64("value").map(|value| value as i64)
    }
}

fn start() -> Faces {
    let own = [NodeType::of::<Leaky>(), NodeType::of::<Strict>()];
    let nodes = [&*crate::standard_nodes(), &own].concat();
    let pipeline = config::parse("losses.yaml", TEXT, &nodes, &[]).unwrap();
    let run = Arc::new(Run::start(&pipeline.graph, RunOptions::default()).unwrap());
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = pvs::Options { enabled: true, server: ServerConfig::loopback(), ..pvs::Options::default() };
    let served = pvs::Served::of(&model, &pipeline.plan, &options).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let page = livetime_web::serve(listener, &model, livetime_web::Options::default()).unwrap();
    Faces { model, page, pvs: served, prefix: options.prefix }
}

/// A kind of loss: reason, how many, name and number of the node, whether it was intended.
type Kind = (&'static str, u64, &'static str, u64, bool);

#[test]
fn every_face_says_the_same_of_every_kind_of_loss() {
    let faces = start();
    let moment = quiet(&faces.model);
    let full = moment.report.edges[0].lost[&LossReason::QueueFull];
    assert!(full > 0, "{:?}", moment.report.edges[0]);
    let kinds: [Kind; 8] = [
        ("source_gap", 500, "leaky", 0, false),
        ("unreadable", 30, "leaky", 0, false),
        ("disconnected", 20, "leaky", 0, false),
        ("unknown", 1, "leaky", 0, false),
        ("late", 7, "strict", 1, false),
        ("node_error", 1, "strict", 1, false),
        ("queue_full", full, "strict", 1, false),
        ("rate_limited", FRAMES - 1, "seldom", 2, true),
    ];
    let sum = |intended: bool| kinds.iter().filter(|kind| kind.4 == intended).map(|kind| kind.1).sum();
    let (lost, asked): (u64, u64) = (sum(false), sum(true));
    let sums = moment.losses.sums;
    assert_eq!((sums.unintended, sums.intended), (lost, asked));
    let nodes: Vec<u64> = moment.losses.nodes.iter().map(|node| node.unintended()).collect();
    assert_eq!(nodes, [551, 8 + full, 0]);
    let text = newest(&moment);

    page_says_the_same(&faces, &kinds, (lost, asked), &text);
    metrics_say_the_same(&faces, &kinds, (lost, asked), &text);
    let columns = faces.get("/api/v1/history?of=run.unintended,leaky.lost,strict.lost,seldom.left_out");
    let last: Vec<f32> =
        Columns::read(&columns).unwrap().series.iter().map(|values| *values.last().unwrap()).collect();
    assert_eq!(last, [lost as f32, 551.0, (8 + full) as f32, asked as f32]);

    // Terminals and the log. Losses are of now for ten seconds, which may have passed on a busy machine.
    let line = live::line(&(&*moment).into());
    for said in [faces.top(), line.clone()] {
        let is_said = |when: &str| said.contains(&format!("lost {lost}, {when}: {text}, "));
        assert!(is_said("losing now") || is_said("has lost"), "{said}");
    }
    assert!(line.contains("leaky 551"), "{line}");
    let table = live::lines(&(&*moment).into(), "running", (250, 50), false).join("\n");
    for kind in ["500 source_gap", "30 unreadable", "20 disconnected", "1 unknown"] {
        assert!(table.contains(kind), "{table}");
    }
    assert_eq!(faces.pv("Run:UnintendedLosses_RBV"), Some(lost as i64));
    ends_with_the_same(faces, lost, asked);
}

fn page_says_the_same(faces: &Faces, kinds: &[Kind], (lost, asked): (u64, u64), text: &str) {
    let shown = faces.moment();
    assert_eq!((&shown["run"]["unintended"], &shown["run"]["intended"]), (&lost.into(), &asked.into()));
    let rows = shown["losses"].as_array().unwrap();
    for (reason, count, _, node, intended) in kinds {
        let is_it =
            |row: &&Value| row[1] == *reason && row[2] == *count && row[3] == *node && row[4] == *intended;
        assert!(rows.iter().any(|row| is_it(&row)), "{reason}: {rows:?}");
    }
    let state = shown["loss"]["state"].as_str().unwrap();
    assert!(["losing", "has_lost"].contains(&state) && shown["loss"]["text"] == text, "{}", shown["loss"]);
}

fn metrics_say_the_same(faces: &Faces, kinds: &[Kind], (lost, asked): (u64, u64), text: &str) {
    let metrics = String::from_utf8(faces.get("/metrics")).unwrap();
    let has = |line: &str| assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    has(&format!("livetime_losses_total{{intentional=\"false\"}} {lost}"));
    has(&format!("livetime_losses_total{{intentional=\"true\"}} {asked}"));
    // A loss on an edge has its names, too.
    for (reason, count, node, ..) in &kinds[..6] {
        has(&format!(
            "livetime_frames_discarded_total{{node=\"{node}\",reason=\"{reason}\",intentional=\"false\"}} {count}"
        ));
    }
    assert!(metrics.contains(&format!("livetime_newest_loss_age_seconds{{place=\"{text}\"")), "{metrics}");
}

fn newest(moment: &Moment) -> String {
    moment.losses.newest().unwrap().loss.describe(&moment.report)
}

fn ends_with_the_same(faces: Faces, lost: u64, asked: u64) {
    let Faces { model, page, pvs, .. } = faces;
    drop((page, pvs));
    let report = model.finish(LONG);
    let ending = Ending::new("losses.yaml", &report, EndedBy::Interrupt);
    assert_eq!(ending.exit().0, Exit::Loss);
    let json = ending_json(&ending);
    assert_eq!((&json["unintended_losses"], &json["intended_losses"]), (&lost.into(), &asked.into()));
    let text = summary::summary(&ending, Style::default());
    assert!(
        text.ends_with("UNKNOWN what is missing: unknown in leaky since 1970-01-01T00:00:01.000Z\n"),
        "{text}"
    );
    assert_eq!(json["nodes"][0]["unknown_since"], "1970-01-01T00:00:01.000Z");
    assert!(text.contains(&format!("ledger closed; {} frames and 7 late parts", lost - 8)), "{text}");
}
