//! Pictures: `image1:ArrayData` and `Pva1:Image`.

use livetime_engine::{Graph, Plan, Report, Run, time_of_day_ns};
use livetime_frame::{DType, Frame};
use livetime_nodes::ntndarray::{kind_of, pixels};
use livetime_nodes::process::image::Image;
use livetime_nodes::sinks::pva_image::PvaImage;
use livetime_pva::data::{Kind, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, SharedPv};
use livetime_pva::wire::BitSet;

use super::point::time_of;

/// The nodes that hold pictures, and where these are shown.
pub(super) struct Pictures {
    newest: Vec<Newest>,
    streams: Vec<Stream>,
}

/// The newest picture of an `image`, as an array of numbers.
struct Newest {
    node: String,
    pv: SharedPv,
    kind: Kind,
    /// The one that is shown.
    shown: Option<Frame>,
}

/// Every picture of a `pva_image`.
struct Stream {
    number: usize,
    node: String,
    pv: SharedPv,
    /// How often the node had been built anew when its outlet was attached.
    restarts: Option<u64>,
}

impl Pictures {
    pub(super) fn new(
        graph: &Graph,
        plan: &Plan,
        instances: &[String],
        prefix: &str,
        map: &PvMap,
    ) -> livetime_pva::Result<Pictures> {
        let mut pictures = Pictures { newest: Vec::new(), streams: Vec::new() };
        for (number, (decl, instance)) in graph.nodes().iter().zip(instances).enumerate() {
            let node = decl.name.clone();
            match decl.node_type.spec.name {
                "image" => {
                    let kind = kind_of(input_dtype(graph, plan, number));
                    let pv = SharedPv::new(array_value(kind)?);
                    map.add(format!("{prefix}{instance}:ArrayData"), pv.clone());
                    pictures.newest.push(Newest { node, pv, kind, shown: None });
                }
                "pva_image" => {
                    let pv = SharedPv::new(Value::new(&nt::ndarray()));
                    let name = format!("{prefix}{instance}:Image");
                    map.add(format!("{prefix}{instance}:PvName_RBV"), SharedPv::new(text_value(&name)?));
                    map.add(name, pv.clone());
                    pictures.streams.push(Stream { number, node, pv, restarts: None });
                }
                _ => {}
            }
        }
        Ok(pictures)
    }

    pub(super) fn update(&mut self, run: &Run, report: &Report) {
        self.newest.iter_mut().for_each(|newest| newest.update(run));
        for stream in &mut self.streams {
            stream.attach(run, report.nodes.get(stream.number).map_or(0, |n| n.restarts));
        }
    }
}

impl Newest {
    fn update(&mut self, run: &Run) {
        let newest = run.visit(&self.node, |node: &mut Image| node.newest());
        let Ok(Some(frame)) = newest else { return };
        if self.shown.as_ref().is_some_and(|shown| shown.is_same(&frame)) {
            return;
        }
        // What is no array, or too large for a message, is not shown.
        let _ = self.show(&frame);
        self.shown = Some(frame);
    }

    fn show(&mut self, frame: &Frame) -> livetime_pva::Result<()> {
        let Ok(array) = frame.array() else { return Ok(()) };
        let elements = pixels(frame, array)?;
        if elements.kind() != self.kind {
            self.kind = elements.kind();
            self.pv.replace(array_value(self.kind)?);
        }
        self.pv.update(|value| {
            value.set_bit(1, elements)?;
            nt::set_time(value, "timeStamp", time_of(frame.header().event_time_ns))
        })
    }
}

impl Stream {
    fn attach(&mut self, run: &Run, restarts: u64) {
        if self.restarts == Some(restarts) {
            return;
        }
        let pv = self.pv.clone();
        let everything = BitSet::from_iter([0]);
        // An image that cannot be sent, because it is too large, is missed by the clients.
        let outlet = Box::new(move |image: &Value| _ = pv.post(image, &everything));
        if run.visit(&self.node, move |node: &mut PvaImage| node.attach(outlet)).is_ok() {
            self.restarts = Some(restarts);
        }
    }
}

/// The elements that a node will get, as far as that is known before the run.
fn input_dtype(graph: &Graph, plan: &Plan, node: usize) -> DType {
    let edge = graph.edges().iter().find(|e| e.to.0 == node);
    let stream = edge.and_then(|e| plan.streams.get(e.from.0)?.get(e.from.1));
    stream.and_then(|s| s.layout()).map_or(DType::U8, |l| l.dtype())
}

fn array_value(kind: Kind) -> livetime_pva::Result<Value> {
    let mut value = Value::new(&nt::scalar_array(kind));
    value.set("display.description", "Pixels of the newest frame.")?;
    nt::set_time(&mut value, "timeStamp", time_of(time_of_day_ns()))?;
    Ok(value)
}

fn text_value(text: &str) -> livetime_pva::Result<Value> {
    let mut value = Value::new(&nt::scalar(Kind::Str));
    value.set("value", text)?;
    nt::set_time(&mut value, "timeStamp", time_of(time_of_day_ns()))?;
    Ok(value)
}
