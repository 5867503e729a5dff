//! The type of node: its declaration is the one of any camera, plus the features of the camera that was asked for its
//! description.

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::{
    Counterpart, DeclaredParams, DynNode, NodeError, NodeFactory, NodeSpec, NodeType, ParamSpec, Params,
    PortSpec, Refusal, Value, intern_list,
};

use crate::aravis::Camera;
use crate::control::is_of_the_camera;
use crate::features::{self, Feature};
use crate::node::{AllParams, Genicam};
use crate::params::GenicamParams;

/// The types of nodes of this crate.
pub fn all() -> Vec<NodeType> {
    NodeType::dynamic(Arc::new(Factory { features: Vec::new() })).into_iter().collect()
}

struct Factory {
    features: Vec<Feature>,
}

impl Factory {
    fn specs(&self) -> &'static [ParamSpec] {
        let base = GenicamParams::default().specs().iter().copied();
        intern_list(&base.chain(self.features.iter().map(|feature| feature.spec)).collect::<Vec<_>>())
    }

    fn defaults(&self) -> Vec<Value> {
        let base = GenicamParams::default();
        let values = (0..base.specs().len()).filter_map(|index| base.get(index));
        values.chain(self.features.iter().map(|feature| feature.value.clone())).collect()
    }
}

impl NodeFactory for Factory {
    fn spec(&self) -> NodeSpec {
        NodeSpec::source(
            "genicam",
            "A camera that speaks GenICam (GigE Vision, USB3 Vision), through libaravis.",
            const { &[PortSpec::array_of_dims("out", 2, 3)] },
        )
    }

    fn counterpart(&self) -> Option<Counterpart> {
        Some(Counterpart::new("ADGenICam", "cam").or(&["ADAravis", "aravisGigE", "ADSpinnaker", "ADVimba"]))
    }

    fn params(&self) -> Result<DeclaredParams, Refusal> {
        let params: Vec<_> = self.specs().iter().copied().zip(self.defaults()).collect();
        DeclaredParams::new(&params)
    }

    /// Asks the camera for its features. One that is not there has none, nor is the library needed to check a pipeline.
    fn for_node(&self, given: &dyn Fn(&str) -> Option<Value>) -> Option<Arc<dyn NodeFactory>> {
        let name = match given("camera") {
            Some(Value::Text(name)) => name,
            _ => String::new(),
        };
        let camera = Camera::open(&name).ok()?;
        Some(Arc::new(Factory { features: features::describe(&camera) }))
    }

    /// Parameters that differ from their defaults were given in the pipeline file, and are written to the camera.
    fn build(&self, params: DeclaredParams) -> Result<Box<dyn DynNode>, NodeError> {
        let specs = self.specs();
        let mut base = GenicamParams::default();
        let base_len = base.specs().len();
        let (mut features, mut given) = (Vec::new(), BTreeMap::new());
        for (index, (spec, default)) in specs.iter().zip(self.defaults()).enumerate() {
            let value = params.get(index).unwrap_or_else(|| default.clone());
            if value != default && is_of_the_camera(spec.name) {
                given.insert(spec.name, value.clone());
            }
            if index < base_len {
                base.set(index, &value)?;
            } else {
                features.push(value);
            }
        }
        let all = AllParams { base, features, specs };
        Ok(Box::new(Genicam::new(all, self.features.clone(), given)))
    }
}
