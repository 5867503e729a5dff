//! A type of node: its declaration, and how its parameters and nodes are made.

use std::fmt;
use std::sync::Arc;

use super::{Counterpart, DeclaredParams, DynNode, Node, NodeError, NodeFactory, NodeSpec};
use crate::{ParamSpec, Params, Refusal, Value};

/// A type of node as the engine and the program know it: one entry of the list of nodes.
#[derive(Clone)]
pub struct NodeType {
    /// Name, ports and abilities.
    pub spec: NodeSpec,
    /// The newer name of the same type, if this is an older one that pipelines may still have.
    pub alias_of: Option<&'static str>,
    /// [`Node::IS_STORED`].
    pub is_stored: bool,
    /// [`Node::LIVE_IF`].
    pub live_if: Option<&'static str>,
    /// The name of such a node in areaDetector, if it has one.
    pub counterpart: Option<Counterpart>,
    maker: Maker,
}

/// How parameters and nodes of a type are made.
#[derive(Clone)]
enum Maker {
    /// A type of Rust.
    Static { params: fn() -> Box<dyn Params>, build: Build },
    /// A value.
    Dynamic { factory: Arc<dyn NodeFactory>, params: DeclaredParams },
}

/// Makes a node from parameters given by number.
type Build = fn(&[(usize, Value)]) -> Result<Box<dyn DynNode>, NodeError>;

impl NodeType {
    /// The entry for `N`.
    pub const fn of<N: Node>() -> NodeType {
        let maker = Maker::Static { params: || Box::new(N::Params::default()), build: build::<N> };
        NodeType {
            spec: N::SPEC,
            alias_of: None,
            counterpart: N::COUNTERPART,
            is_stored: N::IS_STORED,
            live_if: N::LIVE_IF,
            maker,
        }
    }

    /// An older name of `N`, with a sentence that says so: pipelines that have it go on to work.
    pub const fn alias<N: Node>(name: &'static str, summary: &'static str) -> NodeType {
        let maker = Maker::Static { params: || Box::new(N::Params::default()), build: build::<N> };
        // The declaration is the type's own but for name and summary.
        let spec = NodeSpec { name, summary, ..N::SPEC };
        NodeType {
            spec,
            alias_of: Some(N::SPEC.name),
            counterpart: N::COUNTERPART,
            is_stored: N::IS_STORED,
            live_if: N::LIVE_IF,
            maker,
        }
    }

    /// An entry made while the program runs, such as for a function of another language.
    ///
    /// # Errors
    /// [`Refusal`] when the declaration of the parameters is not sound.
    pub fn dynamic(factory: Arc<dyn NodeFactory>) -> Result<NodeType, Refusal> {
        let (spec, params, counterpart) = (factory.spec(), factory.params()?, factory.counterpart());
        Ok(NodeType {
            spec,
            alias_of: None,
            counterpart,
            is_stored: false,
            live_if: None,
            maker: Maker::Dynamic { factory, params },
        })
    }

    /// This type as one node of a pipeline has it. `given` returns the value that the pipeline gives for a parameter;
    /// see [`NodeFactory::for_node`].
    #[must_use]
    pub fn for_node(&self, given: &dyn Fn(&str) -> Option<Value>) -> NodeType {
        let own = match &self.maker {
            Maker::Static { .. } => None,
            Maker::Dynamic { factory, .. } => factory.for_node(given),
        };
        // A factory that fails for this node leaves the common type, whose start tells the mistake.
        own.and_then(|factory| NodeType::dynamic(factory).ok()).unwrap_or_else(|| self.clone())
    }

    /// The parameters with their default values.
    pub fn params(&self) -> Box<dyn Params> {
        match &self.maker {
            Maker::Static { params, .. } => params(),
            Maker::Dynamic { params, .. } => Box::new(params.clone()),
        }
    }

    /// The declarations of the parameters.
    pub fn param_specs(&self) -> &'static [ParamSpec] {
        self.params().specs()
    }

    /// A node with the given parameters set, which were checked before.
    pub(crate) fn build(&self, values: &[(usize, Value)]) -> Result<Box<dyn DynNode>, NodeError> {
        match &self.maker {
            Maker::Static { build, .. } => build(values),
            Maker::Dynamic { factory, params } => factory.build(with_values(params.clone(), values)?),
        }
    }
}

impl fmt::Debug for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NodeType").field(&self.spec.name).finish()
    }
}

fn build<N: Node>(values: &[(usize, Value)]) -> Result<Box<dyn DynNode>, NodeError> {
    Ok(Box::new(N::new(with_values(N::Params::default(), values)?)?))
}

fn with_values<P: Params>(mut params: P, values: &[(usize, Value)]) -> Result<P, Refusal> {
    values.iter().try_for_each(|(index, value)| params.set(*index, value))?;
    Ok(params)
}
