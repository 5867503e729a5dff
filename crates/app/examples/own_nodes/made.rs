//! A node type that is made while the program runs: a function and its name become a node, as they would for functions of another
//! language. `brighten` and `darken` are two node types of one Rust type.

use std::fmt;
use std::sync::Arc;

use livetime_engine::{
    Accepts, Context, DeclaredParams, DynNode, NodeError, NodeFactory, NodeKind, NodeSpec, NodeType,
    ParamKind, ParamSpec, Params, PortSpec, PvStyle, Refusal, Stream, Value, intern, intern_list,
};
use livetime_frame::{DType, Frame, PayloadKind};

/// The function of a pixel and of the parameter `by`.
type Function = fn(u16, f64) -> Result<u16, TooBright>;

/// The node types `brighten` and `darken`.
pub(crate) fn all() -> Result<[NodeType; 2], Refusal> {
    Ok([
        made("brighten", |pixel, by| checked(f64::from(pixel) * by))?,
        made("darken", |pixel, by| checked(f64::from(pixel) / by))?,
    ])
}

fn made(name: &str, function: Function) -> Result<NodeType, Refusal> {
    NodeType::dynamic(Arc::new(Factory { name: name.into(), function }))
}

/// The cause of an error, as a value.
#[derive(Debug)]
pub(crate) struct TooBright(f64);

impl fmt::Display for TooBright {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted a pixel of at most {}, found {}", u16::MAX, self.0)
    }
}

impl std::error::Error for TooBright {}

fn checked(pixel: f64) -> Result<u16, TooBright> {
    if pixel <= f64::from(u16::MAX) { Ok(pixel as u16) } else { Err(TooBright(pixel)) }
}

/// Makes nodes that apply `function`.
struct Factory {
    name: String,
    function: Function,
}

impl NodeFactory for Factory {
    fn spec(&self) -> NodeSpec {
        NodeSpec {
            name: intern(&self.name),
            kind: NodeKind::Process,
            summary: intern(&format!("Applies the function `{}` to every pixel.", self.name)),
            inputs: intern_list(&[pixels("in")]),
            outputs: intern_list(&[pixels("out")]),
            parallel: true,
        }
    }

    fn params(&self) -> Result<DeclaredParams, Refusal> {
        let by = ParamSpec {
            name: "by",
            doc: "What the function takes beside the pixel.",
            kind: ParamKind::Float,
            unit: None,
            min: Some(1.0),
            max: None,
            pv: None,
            style: PvStyle::USUAL,
            role: None,
            readback: false,
            count: false,
        };
        DeclaredParams::new(&[(by, Value::Float(2.0))])
    }

    fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError> {
        Ok(Box::new(Made { params, function: self.function }))
    }
}

/// A port for arrays of `u16`.
fn pixels(name: &'static str) -> PortSpec {
    PortSpec { name, accepts: Accepts { kinds: &[PayloadKind::Array], dtypes: &[DType::U16], ndim: None } }
}

/// A function as a node.
struct Made {
    params: DeclaredParams,
    function: Function,
}

impl DynNode for Made {
    fn params(&mut self) -> &mut dyn Params {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(&Value::Float(by)) = self.params.value("by") else { return Ok(()) };
        let array = frame.array()?;
        let pixels = array.elements::<u16>()?;
        let mut out = ctx.array(*array.layout())?;
        out.inherit(frame);
        for (to, from) in out.elements_mut::<u16>()?.iter_mut().zip(pixels) {
            *to = (self.function)(*from, by)
                .map_err(|cause| NodeError::with_source("cannot apply the function", Arc::new(cause)))?;
        }
        ctx.emit(out)
    }
}
