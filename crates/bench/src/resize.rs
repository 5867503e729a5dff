//! A colour picture of 468 x 249 pixels enlarged by four, on one core: the picture that articles on actor frameworks
//! resize.

use livetime_engine::NodeError;
use livetime_engine::testing::Harness;
use livetime_frame::{ColorMode, Layout};

use super::calls::sample;
use super::{Settings, Spread};

/// Height, width and colours of the picture.
pub(super) const SHAPE: [usize; 3] = [249, 468, 3];

/// The methods, with the names of their rows.
pub(super) const METHODS: [(&str, &str); 4] = [
    ("resize x4 nearest", "nearest"),
    ("resize x4 bilinear", "bilinear"),
    ("resize x4 cubic", "cubic"),
    ("resize x4 area", "area"),
];

/// Time in ns that the node takes for a picture.
pub(super) fn measure(method: &str, settings: &Settings) -> Result<Spread, NodeError> {
    let node = livetime_nodes::find("resize").map_err(NodeError::new)?;
    let mut harness = Harness::of(node, &[("method", method.into()), ("factor", 4.0.into())])?;
    let pixels: Vec<u8> = (0..SHAPE.iter().product()).map(|i: usize| (i * 7 % 251) as u8).collect();
    let layout = Layout::packed(livetime_frame::DType::U8, ColorMode::Rgb1, &SHAPE)?;
    let picture = harness.array(layout, &pixels)?;
    let mut handle = move |harness: &mut Harness| harness.feed(&picture).map(drop);
    let samples = (0..settings.repeats()).map(|_| sample(&mut harness, &mut handle, settings.quick));
    Ok(Spread::of(samples.collect::<Result<_, _>>()?))
}
