//! `attributes`: up to eight attributes of every frame as values, and their sums (areaDetector's NDPluginAttribute).
//!
//! In: frames of any kind. Out: the same frame, not copied. Output `values` gives the eight values of each frame as an
//! array of f64, for a `time_series` behind it.
//!
//! `attrN_attr_name` names an attribute; `NDArrayUniqueId`, `NDArrayTimeStamp`, `NDArrayEpicsTSSec` and
//! `NDArrayEpicsTSnSec` stand for properties that every frame has. A frame without the attribute, or with a text,
//! leaves value and sum unchanged.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::attributes::Attributes;
//!
//! let mut node = Harness::new::<Attributes>(&[("attr1_attr_name", "NDArrayUniqueId".into())])?;
//! for _ in 0..4 {
//!     let frame = node.image::<u8>(&[1], &[0])?;
//!     node.feed(&frame)?;
//! }
//! assert_eq!((node.number_of("attr1_value"), node.number_of("attr1_value_sum")), (3.0, 6.0));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ColorMode, DType, Frame, Layout};

use crate::attribute;

/// How many attributes a node shows.
pub const ATTRIBUTES: usize = 8;

/// Parameters of `attributes`.
#[derive(Params)]
pub struct AttributesParams {
    /// Sets all values and sums to 0; off again at once.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"])]
    pub reset: bool,
    /// The attributes.
    #[param(group = "attr")]
    pub attributes: [One; ATTRIBUTES],
}

/// One attribute.
#[derive(Params)]
pub struct One {
    /// Name of the attribute; empty: none.
    #[param(pv = "AttrName")]
    pub attr_name: String,
    /// Its latest value.
    #[param(readback, pv = "Value")]
    pub value: f64,
    /// Sum of its values since the last reset.
    #[param(readback, pv = "ValueSum")]
    pub value_sum: f64,
}

/// Shows attributes.
pub struct Attributes {
    params: AttributesParams,
}

impl Attributes {
    /// Sends the values on output 1, if an edge leads from there.
    fn send(&self, of: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if !ctx.is_connected(1) {
            return Ok(());
        }
        let mut out = ctx.array(values_layout()?)?;
        out.inherit(of);
        let values = self.params.attributes.iter().map(|one| one.value);
        out.elements_mut::<f64>()?.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        ctx.emit_to(1, out)
    }
}

fn values_layout() -> Result<Layout, NodeError> {
    Ok(Layout::packed(DType::F64, ColorMode::Mono, &[ATTRIBUTES])?)
}

impl Node for Attributes {
    type Params = AttributesParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "attributes",
        "Shows attributes of every frame as values, and sums them.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out"), PortSpec::array("values")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginAttribute", "Attr").or(&["NDAttr"]).with_series(&[
            "1:TSArrayValue",
            "2:TSArrayValue",
            "3:TSArrayValue",
            "4:TSArrayValue",
            "5:TSArrayValue",
            "6:TSArrayValue",
            "7:TSArrayValue",
            "8:TSArrayValue",
        ]));

    fn new(params: AttributesParams) -> Result<Attributes, NodeError> {
        Ok(Attributes { params })
    }

    fn params(&mut self) -> &mut AttributesParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let out = inputs.first().cloned().unwrap_or(Stream::Unknown);
        Ok(vec![out, Stream::Array(values_layout()?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        for one in self.params.attributes.iter_mut().filter(|one| !one.attr_name.is_empty()) {
            if let Some(value) = attribute::number(frame.header(), &one.attr_name) {
                one.value = value;
                one.value_sum += value;
            }
        }
        ctx.forward(0, frame)?;
        self.send(frame, ctx)
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.name(index) == "reset" {
            self.params.reset = false;
            self.params.attributes.iter_mut().for_each(|one| (one.value, one.value_sum) = (0.0, 0.0));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::AttributeValue;

    use super::*;

    /// Numbers of all kinds, a text, and a frame that lacks one.
    #[test]
    fn values_and_sums() {
        let mut node = Harness::new::<Attributes>(&[
            ("attr1_attr_name", "Gain".into()),
            ("attr2_attr_name", "Label".into()),
            ("attr8_attr_name", "NDArrayUniqueId".into()),
        ])
        .unwrap();
        let (gain, label) = ("Gain".into(), "Label".into());
        let values = [AttributeValue::Float(1.5), AttributeValue::Int(-4), AttributeValue::Uint(7)];
        for value in values.into_iter().map(Some).chain([None]) {
            let frame = node.bytes_with(&[1], |header| {
                header.attributes.set(&label, AttributeValue::Text("x".into()));
                value.into_iter().for_each(|value| header.attributes.set(&gain, value));
            });
            let frame = frame.unwrap();
            let sent = node.feed(&frame).unwrap();
            assert!(sent[0].is_same(&frame));
            assert_eq!(sent[1].header().sequence, frame.header().sequence);
            let wanted = ["attr1_value", "attr2_value"].map(|name| node.number_of(name));
            assert_eq!(sent[1].array().unwrap().elements::<f64>().unwrap()[..2], wanted);
        }
        let seen = ["attr1_value", "attr1_value_sum", "attr2_value", "attr8_value", "attr8_value_sum"];
        assert_eq!(seen.map(|name| node.number_of(name)), [7.0, 4.5, 0.0, 3.0, 6.0]);
        node.set("reset", true).unwrap();
        assert_eq!(seen.map(|name| node.number_of(name)), [0.0; 5]);
        assert_eq!(node.get("reset"), Some(false.into()));
        node.set("attr1_attr_name", "").unwrap();
        let frame = node.bytes(&[1]).unwrap();
        node.feed(&frame).unwrap();
        assert_eq!(seen.map(|name| node.number_of(name)), [0.0, 0.0, 0.0, 4.0, 4.0]);
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Attributes>(&[]);
    }
}
