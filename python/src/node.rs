//! Nodes that are Python objects.

use std::sync::Arc;

use livetime_engine as engine;
use livetime_engine::{
    Choice, Context, DeclaredParams, DynNode, Next, NodeError, NodeFactory, NodeKind, NodeSpec, ParamKind,
    ParamSpec, Params, PortSpec, PvStyle, Refusal, Value, intern, intern_list,
};
use livetime_frame::FrameMut;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};

use crate::array;
use crate::attach::attached;
use crate::errors::{Kind, OrRaise, OrRefused, raise};
use crate::frame::Frame;
use crate::value;

/// A type of node: of Rust, or of a Python declaration (`livetime.node.Declaration`).
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct NodeType(pub(crate) engine::NodeType);

#[pymethods]
impl NodeType {
    /// Of a declaration.
    #[new]
    fn new(declaration: &Bound<'_, PyAny>) -> PyResult<NodeType> {
        let py = declaration.py();
        let factory = Factory::new(declaration)?;
        engine::NodeType::dynamic(Arc::new(factory)).map(NodeType).or_refused(py)
    }

    /// Name of the type of node.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.spec.name
    }

    /// The description of the type, as in `livetime nodes NAME --json`.
    fn describe(&self) -> String {
        livetime_control::describe::describe_json(&self.0).to_string()
    }
}

/// The declaration by Python, and the function that makes an object of it.
struct Factory {
    spec: NodeSpec,
    params: Vec<(ParamSpec, Value)>,
    takes_frame: bool,
    build: Py<PyAny>,
}

impl Factory {
    fn new(declaration: &Bound<'_, PyAny>) -> PyResult<Factory> {
        let text = |name: &str| -> PyResult<&'static str> {
            Ok(intern(&declaration.getattr(name)?.extract::<String>()?))
        };
        let kind = match text("kind")? {
            "source" => NodeKind::Source,
            "sink" => NodeKind::Sink,
            _ => NodeKind::Process,
        };
        let takes_frame: bool = declaration.getattr("takes_frame")?.extract()?;
        let input = if takes_frame { PortSpec::any("in") } else { PortSpec::array("in") };
        let spec = NodeSpec {
            name: text("name")?,
            kind,
            summary: text("summary")?,
            inputs: if kind == NodeKind::Source { &[] } else { intern_list(&[input]) },
            outputs: if kind == NodeKind::Sink { &[] } else { intern_list(&[PortSpec::any("out")]) },
            parallel: declaration.getattr("parallel")?.extract()?,
        };
        let params = declaration.getattr("params")?;
        let params = params.try_iter()?.map(|param| declared(&param?)).collect::<PyResult<_>>()?;
        Ok(Factory { spec, params, takes_frame, build: declaration.getattr("build")?.unbind() })
    }
}

/// A parameter of a declaration.
fn declared(param: &Bound<'_, PyAny>) -> PyResult<(ParamSpec, Value)> {
    let text = |name: &str| -> PyResult<Option<&'static str>> {
        Ok(param.getattr(name)?.extract::<Option<String>>()?.map(|text| intern(&text)))
    };
    let choices: Vec<String> = param.getattr("choices")?.extract()?;
    let kind = match text("kind")?.unwrap_or_default() {
        "bool" => ParamKind::Bool,
        "int" => ParamKind::Int,
        "float" => ParamKind::Float,
        "list" => ParamKind::List,
        "enum" => {
            let choice = |name: &String| Choice { name: intern(name), doc: "", pv: intern(name) };
            ParamKind::Enum(intern_list(&choices.iter().map(choice).collect::<Vec<_>>()))
        }
        _ => ParamKind::Text,
    };
    let spec = ParamSpec {
        name: text("name")?.unwrap_or_default(),
        doc: text("doc")?.unwrap_or_default(),
        kind,
        unit: text("unit")?,
        min: param.getattr("min")?.extract()?,
        max: param.getattr("max")?.extract()?,
        pv: None,
        style: PvStyle::USUAL,
        role: None,
        readback: param.getattr("readback")?.extract()?,
        count: false,
    };
    let given = value::of_param(spec.name, &param.getattr("default")?)?;
    // A default is in its parameter's own type, as 10 for a float.
    let accepted = ParamSpec { readback: false, ..spec }.accept(&given).or_refused(param.py())?;
    Ok((spec, accepted))
}

impl NodeFactory for Factory {
    fn spec(&self) -> NodeSpec {
        self.spec
    }

    fn params(&self) -> Result<DeclaredParams, Refusal> {
        DeclaredParams::new(&self.params)
    }

    fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError> {
        let built = attached(|py| {
            let values = PyDict::new(py);
            for (index, spec) in params.specs().iter().enumerate() {
                if let Some(found) = params.get(index) {
                    values.set_item(spec.name, value::to_python(py, &found)?)?;
                }
            }
            let object = self.build.bind(py).call1((values,))?;
            PyNode::new(&object, params, self.takes_frame)
        });
        Ok(Box::new(result(built, "cannot be made")?))
    }
}

/// An object as `livetime.node` makes it, with its properties that are needed at every frame.
struct PyNode {
    params: DeclaredParams,
    takes_frame: bool,
    object: Py<PyAny>,
    /// The function that takes a frame.
    call: Py<PyAny>,
    /// The arguments of `emit` and `tell`, and the written readbacks; of classes only.
    emitted: Option<Py<PyList>>,
    told: Option<Py<PyList>>,
    readbacks: Option<Py<PyDict>>,
    /// Seconds between two calls of `timer` or of a source.
    period_s: Option<f64>,
    /// Frames that a source has sent.
    sequence: u64,
    due_ns: u64,
}

impl PyNode {
    fn new(object: &Bound<'_, PyAny>, params: DeclaredParams, takes_frame: bool) -> PyResult<PyNode> {
        let list = |name: &str| -> PyResult<Option<Py<PyList>>> {
            let found = object.getattr(name)?;
            Ok(if found.is_none() { None } else { Some(found.cast_into::<PyList>()?.unbind()) })
        };
        let readbacks = object.getattr("readbacks")?;
        Ok(PyNode {
            params,
            takes_frame,
            call: object.getattr("call")?.unbind(),
            emitted: list("emitted")?,
            told: list("told")?,
            readbacks: if readbacks.is_none() { None } else { Some(readbacks.cast_into()?.unbind()) },
            period_s: object.getattr("period")?.extract()?,
            sequence: 0,
            due_ns: 0,
            object: object.clone().unbind(),
        })
    }

    /// Calls a hook of the object, then carries out its requests.
    fn hook(
        &mut self,
        ctx: &mut Context,
        of: Option<&livetime_frame::Frame>,
        name: &str,
    ) -> Result<(), NodeError> {
        let done = attached(|py| {
            let result = self.object.bind(py).call_method0(name)?;
            self.send(&result, of, ctx)
        });
        result(done, &format!("{name}()"))
    }

    /// Sends the frames that a call returned and emitted, reports its messages, and takes its readbacks.
    fn send(
        &mut self,
        returned: &Bound<'_, PyAny>,
        of: Option<&livetime_frame::Frame>,
        ctx: &mut Context,
    ) -> PyResult<()> {
        let py = returned.py();
        if !returned.is_none() {
            self.send_all(returned, of, ctx)?;
        }
        if let Some(emitted) = self.emitted.as_ref().map(|e| e.bind(py).clone()).filter(|e| !e.is_empty()) {
            let items: Vec<Bound<'_, PyAny>> = emitted.iter().collect();
            emitted.call_method0("clear")?;
            for item in items {
                let (what, attributes): (Bound<'_, PyAny>, Option<Bound<'_, PyDict>>) = item.extract()?;
                self.send_one(&what, attributes.as_ref(), of, ctx)?;
            }
        }
        if let Some(told) = self.told.as_ref().map(|t| t.bind(py).clone()).filter(|t| !t.is_empty()) {
            for text in told.iter() {
                ctx.tell(text.extract::<String>()?);
            }
            told.call_method0("clear")?;
        }
        if let Some(readbacks) = self.readbacks.as_ref().map(|r| r.bind(py).clone()).filter(|r| !r.is_empty())
        {
            for (name, found) in readbacks.iter() {
                let name: String = name.extract()?;
                let index = engine::find(self.params.specs(), &name).or_refused(py)?;
                let spec = ParamSpec { readback: false, ..self.params.specs()[index] };
                let accepted = spec.accept(&value::of_param(&name, &found)?).or_refused(py)?;
                self.params.set(index, &accepted).or_refused(py)?;
            }
            readbacks.clear();
        }
        Ok(())
    }

    /// An array or a frame, or several in a list or an iterator.
    fn send_all(
        &mut self,
        returned: &Bound<'_, PyAny>,
        of: Option<&livetime_frame::Frame>,
        ctx: &mut Context,
    ) -> PyResult<()> {
        let is_several = returned.is_instance_of::<PyIterator>() || returned.is_instance_of::<PyList>();
        if !is_several && !returned.is_instance_of::<PyTuple>() {
            return self.send_one(returned, None, of, ctx);
        }
        returned.try_iter()?.try_for_each(|item| self.send_one(&item?, None, of, ctx))
    }

    fn send_one(
        &mut self,
        what: &Bound<'_, PyAny>,
        attributes: Option<&Bound<'_, PyDict>>,
        of: Option<&livetime_frame::Frame>,
        ctx: &mut Context,
    ) -> PyResult<()> {
        let py = what.py();
        let mut frame = match (what.cast::<Frame>(), what.cast::<PyUntypedArray>()) {
            (Ok(frame), _) if attributes.is_none() && of.is_some() => {
                let frame = frame.get().frame.clone();
                return apart(py, ctx, |ctx| ctx.forward(0, &frame)).or_raise(py, Kind::Frame);
            }
            (Ok(frame), _) => {
                let frame = frame.get().frame.clone();
                apart(py, ctx, |ctx| ctx.relabel(&frame)).or_raise(py, Kind::Frame)?
            }
            (_, Ok(array)) => new_frame(array, of, ctx)?,
            _ => {
                let array = py.import("numpy")?.call_method1("atleast_1d", (what,))?;
                new_frame(array.cast()?, of, ctx)?
            }
        };
        for (name, found) in attributes.into_iter().flatten() {
            let name: Arc<str> = Arc::from(name.extract::<String>()?);
            frame.header_mut().attributes.set(&name, value::attribute_from(&found)?);
        }
        if of.is_none() {
            self.sequence += 1;
            frame.header_mut().sequence = self.sequence;
        }
        apart(py, ctx, |ctx| ctx.emit(frame)).or_raise(py, Kind::Frame)
    }

    fn wait(&mut self, ctx: &Context) -> Next {
        let Some(period_s) = self.period_s else { return Next::Now };
        let now_ns = ctx.now_ns();
        self.due_ns = self.due_ns.saturating_add((period_s.max(0.0) * 1e9) as u64);
        if self.due_ns > now_ns { Next::At(self.due_ns) } else { Next::Now }
    }
}

/// Does work that may wait for room in a queue, or for memory, without the interpreter: the thread that makes room may
/// need the interpreter.
fn apart<T: Send>(py: Python<'_>, ctx: &mut Context, work: impl FnOnce(&mut Context) -> T + Send) -> T {
    py.detach(|| work(ctx))
}

/// A frame of the node's memory with the elements of an array, under the header of the frame that it is made of.
fn new_frame(
    array: &Bound<'_, PyUntypedArray>,
    of: Option<&livetime_frame::Frame>,
    ctx: &mut Context,
) -> PyResult<FrameMut> {
    let py = array.py();
    let array = &array::plain(array)?;
    let layout = array::layout_of(array)?;
    let mut frame = apart(py, ctx, |ctx| ctx.array(layout)).or_raise(py, Kind::Frame)?;
    of.into_iter().for_each(|of| frame.inherit(of));
    array::fill(array, &mut frame)?;
    Ok(frame)
}

/// The error of a call with the exception as its cause; without one, the interpreter is ending.
fn result<T>(done: Option<PyResult<T>>, what: &str) -> Result<T, NodeError> {
    match done {
        Some(Ok(value)) => Ok(value),
        Some(Err(exception)) => Err(NodeError::with_source(what, Arc::new(exception))),
        None => Err(NodeError::new("wanted Python's interpreter, found its end")),
    }
}

/// Says on an exception where it happened.
fn note(py: Python<'_>, exception: PyErr, node: &str, frame: &livetime_frame::Frame) -> PyErr {
    let what = frame.payload();
    let text = format!("in node `{node}`, frame {}, {what}", frame.header().sequence);
    // An exception that takes no notes is raised without.
    let _ = exception.value(py).call_method1("add_note", (text,));
    exception
}

impl DynNode for PyNode {
    fn params(&mut self) -> &mut dyn Params {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.due_ns = ctx.now_ns();
        self.hook(ctx, None, "start")?;
        if let Some(period_s) = self.period_s {
            ctx.set_timer(Some(self.due_ns + (period_s.max(0.0) * 1e9) as u64));
        }
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let done = attached(|py| {
            let made = self.call.bind(py).call0()?;
            if made.is_none() {
                return Ok(Next::Finished);
            }
            self.send(&made, None, ctx)?;
            Ok(self.wait(ctx))
        });
        result(done, &format!("frame {}", self.sequence + 1))
    }

    fn frame(&mut self, _: usize, frame: &livetime_frame::Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let done = attached(|py| {
            let handled = self.handle(py, frame, ctx);
            handled.map_err(|exception| note(py, exception, ctx.name(), frame))
        });
        match done {
            Some(Ok(())) => Ok(()),
            failed => result(failed, &format!("frame {}", frame.header().sequence)),
        }
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.hook(ctx, None, "timer")?;
        if let Some(period_s) = self.period_s {
            self.due_ns = ctx.now_ns() + (period_s.max(0.0) * 1e9) as u64;
            ctx.set_timer(Some(self.due_ns));
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let (Some(spec), Some(found)) = (self.params.specs().get(index), self.params.get(index)) else {
            return Ok(());
        };
        let done = attached(|py| {
            let object = self.object.bind(py);
            let returned = object.call_method1("changed", (spec.name, value::to_python(py, &found)?))?;
            self.call = object.getattr("call")?.unbind();
            self.send(&returned, None, ctx)
        });
        result(done, "changed()")
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.hook(ctx, None, "drain")
    }

    fn stop(&mut self) {
        // The error of `stop` has no place to be reported: the run is over.
        let _ = attached(|py| self.object.bind(py).call_method0("stop").map(drop));
    }
}

impl PyNode {
    fn handle(&mut self, py: Python<'_>, frame: &livetime_frame::Frame, ctx: &mut Context) -> PyResult<()> {
        let own = Bound::new(py, Frame::new(frame.clone()))?;
        let call = self.call.bind(py);
        if self.takes_frame {
            let returned = call.call1((own,))?;
            return self.send(&returned, Some(frame), ctx);
        }
        let array = Frame::array(&own)?;
        let returned = call.call1((&array,))?;
        if returned.is(&array) {
            // The very picture that came: the same frame goes on, no pixel is copied.
            let none = py.None().into_bound(py);
            apart(py, ctx, |ctx| ctx.forward(0, frame)).map_err(|e| raise(py, Kind::Frame, e))?;
            return self.send(&none, Some(frame), ctx);
        }
        self.send(&returned, Some(frame), ctx)
    }
}
