//! Node types that are made at run time: their declaration comes from a value and not from a Rust type.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use livetime_frame::Frame;

use super::{Context, Counterpart, Kept, Next, Node, NodeError, NodeSpec, Stream};
use crate::{ParamKind, ParamSpec, Params, Refusal, RefusalKind, Value};

/// Makes the nodes of one type, for [`NodeType::dynamic`](crate::NodeType::dynamic): the counterpart at run time of the
/// constants and functions of [`Node`].
///
/// A node type made this way stands in lists of node types as any other: pipeline files, descriptions and
/// [`assert_type_compliant`](crate::testing::assert_type_compliant) know it.
///
/// ```
/// use std::sync::Arc;
/// use livetime_engine::*;
/// use livetime_engine::testing::{Harness, assert_type_compliant};
/// use livetime_frame::Frame;
///
/// /// A node made of a closure.
/// struct Function {
///     params: DeclaredParams,
///     call: fn(&Frame, f64) -> bool,
/// }
///
/// impl DynNode for Function {
///     fn params(&mut self) -> &mut dyn Params {
///         &mut self.params
///     }
///
///     fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
///         let Some(Value::Float(level)) = self.params.value("level") else { return Ok(()) };
///         if (self.call)(frame, *level) { ctx.forward(0, frame) } else { Ok(()) }
///     }
/// }
///
/// /// How it is declared; `name` may come from anywhere.
/// struct Factory {
///     name: String,
///     call: fn(&Frame, f64) -> bool,
/// }
///
/// impl NodeFactory for Factory {
///     fn spec(&self) -> NodeSpec {
///         NodeSpec {
///             name: intern(&self.name),
///             kind: NodeKind::Process,
///             summary: "Passes frames that a function wants.",
///             inputs: intern_list(&[PortSpec::any("in")]),
///             outputs: intern_list(&[PortSpec::any("out")]),
///             parallel: false,
///         }
///     }
///
///     fn params(&self) -> Result<DeclaredParams, Refusal> {
///         let level = ParamSpec {
///             name: "level", doc: "What the function compares with.", kind: ParamKind::Float, unit: None,
///             min: Some(0.0), max: None, pv: None, style: PvStyle::USUAL, role: None, readback: false, count: false,
///         };
///         DeclaredParams::new(&[(level, 10.0.into())])
///     }
///
///     fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError> {
///         Ok(Box::new(Function { params, call: self.call }))
///     }
/// }
///
/// let larger = |frame: &Frame, level: f64| frame.bytes().len() as f64 > level;
/// let node_type = NodeType::dynamic(Arc::new(Factory { name: "larger".into(), call: larger }))?;
/// assert_type_compliant(&node_type, &[]);
/// let mut harness = Harness::of(node_type, &[("level", 3.0.into())])?;
/// let image = harness.image(&[2, 2], &[1u8, 2, 3, 4])?;
/// assert_eq!(harness.feed(&image)?.len(), 1);
/// harness.set("level", 4.0)?;
/// assert_eq!(harness.feed(&image)?.len(), 0);
/// # Ok::<(), NodeError>(())
/// ```
pub trait NodeFactory: Send + Sync {
    /// Name, ports and abilities; asked once. Texts and lists made at run time are kept by
    /// [`intern`](fn@crate::intern) and [`intern_list`](crate::intern_list).
    fn spec(&self) -> NodeSpec;

    /// The name of such a node in areaDetector, if it has one; asked once.
    fn counterpart(&self) -> Option<Counterpart> {
        None
    }

    /// The parameters with their default values; asked once.
    ///
    /// # Errors
    /// [`Refusal`] when the declaration is not sound; then there is no such node type.
    fn params(&self) -> Result<DeclaredParams, Refusal>;

    /// The declaration for one node, if nodes of this type differ in their parameters: a source may ask its device for
    /// the device's features. `given` returns the value that the node's pipeline gives for a parameter. Called once for
    /// each node of a pipeline, when the pipeline is read; `None` means that the node has the declaration of the type.
    fn for_node(&self, given: &dyn Fn(&str) -> Option<Value>) -> Option<Arc<dyn NodeFactory>> {
        let _ = given;
        None
    }

    /// Makes a node with these parameters, as [`Node::new`]: must not touch files, sockets or devices.
    ///
    /// # Errors
    /// [`NodeError`] when the parameters contradict each other.
    fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError>;
}

/// A node without its type: [`Node`] as the engine calls it. Every [`Node`] is one; implement it for nodes that a
/// [`NodeFactory`] makes.
///
/// The hooks are the same as in [`Node`], which states the duties of each.
pub trait DynNode: Any + Send {
    /// See [`Node::params`].
    fn params(&mut self) -> &mut dyn Params;

    /// See [`Node::plan`]. Outputs that are not in the list carry frames of unknown kind.
    ///
    /// # Errors
    /// As [`Node::plan`].
    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let _ = inputs;
        Ok(Vec::new())
    }

    /// See [`Node::writes`].
    fn writes(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// See [`Node::keeps`].
    fn keeps(&self, inputs: &[Stream], outputs: &[Stream]) -> Kept {
        let _ = (inputs, outputs);
        Kept::default()
    }

    /// See [`Node::look`].
    ///
    /// # Errors
    /// As [`Node::look`].
    fn look(&self) -> Result<(), NodeError> {
        Ok(())
    }

    /// See [`Node::start`].
    ///
    /// # Errors
    /// As [`Node::start`].
    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// See [`Node::produce`].
    ///
    /// # Errors
    /// As [`Node::produce`].
    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let _ = ctx;
        Ok(Next::Finished)
    }

    /// See [`Node::frame`].
    ///
    /// # Errors
    /// As [`Node::frame`].
    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (input, frame, ctx);
        Ok(())
    }

    /// See [`Node::MOST_AT_ONCE`].
    fn most_at_once(&self) -> usize {
        1
    }

    /// See [`Node::together`].
    fn together(&mut self, waiting: &[Frame]) -> usize {
        let _ = waiting;
        1
    }

    /// See [`Node::frames`].
    ///
    /// # Errors
    /// As [`Node::frames`].
    fn frames(&mut self, input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        frames.iter().try_for_each(|frame| self.frame(input, frame, ctx))
    }

    /// See [`Node::timer`].
    ///
    /// # Errors
    /// As [`Node::timer`].
    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// See [`Node::changed`].
    ///
    /// # Errors
    /// As [`Node::changed`].
    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (index, ctx);
        Ok(())
    }

    /// See [`Node::drain`].
    ///
    /// # Errors
    /// As [`Node::drain`].
    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// See [`Node::stop`].
    fn stop(&mut self) {}
}

impl<N: Node> DynNode for N {
    fn params(&mut self) -> &mut dyn Params {
        Node::params(self)
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Node::plan(self, inputs)
    }

    fn writes(&self) -> Vec<PathBuf> {
        Node::writes(self)
    }

    fn keeps(&self, inputs: &[Stream], outputs: &[Stream]) -> Kept {
        Node::keeps(self, inputs, outputs)
    }

    fn look(&self) -> Result<(), NodeError> {
        Node::look(self)
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::start(self, ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        Node::produce(self, ctx)
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        Node::frame(self, input, frame, ctx)
    }

    fn most_at_once(&self) -> usize {
        N::MOST_AT_ONCE.max(1)
    }

    fn together(&mut self, waiting: &[Frame]) -> usize {
        Node::together(self, waiting)
    }

    fn frames(&mut self, input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        Node::frames(self, input, frames, ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::timer(self, ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        Node::changed(self, index, ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::drain(self, ctx)
    }

    fn stop(&mut self) {
        Node::stop(self)
    }
}

/// Parameters that are declared at run time, and their values.
#[derive(Clone, Debug)]
pub struct DeclaredParams {
    specs: &'static [ParamSpec],
    values: Vec<Value>,
}

impl DeclaredParams {
    /// The parameters of these declarations with these default values, in this order. The list of declarations is
    /// interned.
    ///
    /// # Errors
    /// [`Refusal`] when a name comes twice, or a default value is not of its parameter's type.
    pub fn new(params: &[(ParamSpec, Value)]) -> Result<DeclaredParams, Refusal> {
        for (number, (spec, value)) in params.iter().enumerate() {
            if params[..number].iter().any(|(other, _)| other.name == spec.name) {
                return Err(Refusal::new(RefusalKind::DeclaredTwice).of(spec.name));
            }
            check_type(spec, value)?;
        }
        let specs: Vec<ParamSpec> = params.iter().map(|(spec, _)| *spec).collect();
        let values = params.iter().map(|(_, value)| value.clone()).collect();
        Ok(DeclaredParams { specs: crate::intern_list(&specs), values })
    }

    /// The value of the parameter or readback called `name`; `None` when there is none of this name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(self.specs.iter().position(|spec| spec.name == name)?)
    }
}

impl Params for DeclaredParams {
    fn specs(&self) -> &'static [ParamSpec] {
        self.specs
    }

    fn get(&self, index: usize) -> Option<Value> {
        self.values.get(index).cloned()
    }

    fn set(&mut self, index: usize, value: &Value) -> Result<(), Refusal> {
        let (Some(spec), Some(place)) = (self.specs.get(index), self.values.get_mut(index)) else {
            return Err(Refusal::unknown_index(index));
        };
        check_type(spec, value)?;
        place.clone_from(value);
        Ok(())
    }
}

fn check_type(spec: &ParamSpec, value: &Value) -> Result<(), Refusal> {
    let fits = match (spec.kind, value) {
        (ParamKind::Enum(choices), Value::Text(name)) => choices.iter().any(|choice| choice.name == name),
        (ParamKind::Bool, Value::Bool(_))
        | (ParamKind::Int, Value::Int(_))
        | (ParamKind::Float, Value::Float(_))
        | (ParamKind::Text, Value::Text(_))
        | (ParamKind::List, Value::List(_)) => true,
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err(spec.refuse(format_args!("`{value}`"))),
    }
}
