//! The PVs that hold pictures, by type of node.

use livetime_engine::Node;
use livetime_nodes::process::image::Image;
use livetime_nodes::sinks::pva_image::PvaImage;
use livetime_nodes::sources::array_source::ArraySource;

use super::point::Shape;

/// A PV of a node that holds pictures.
pub(super) struct PicturePv {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) doc: &'static str,
}

pub(super) const NEWEST: PicturePv =
    PicturePv { name: "ArrayData", shape: Shape::Pixels, doc: "Pixels of the newest frame." };

pub(super) const EVERY: PicturePv =
    PicturePv { name: "Image", shape: Shape::Image, doc: "Every frame with its attributes." };

pub(super) const PV_NAME: PicturePv =
    PicturePv { name: "PvName_RBV", shape: Shape::Text, doc: "Name of the PV that shows the frames." };

pub(super) const IMAGE_IN: PicturePv =
    PicturePv { name: "Image", shape: Shape::Image, doc: "Written: an NTNDArray becomes a frame." };

pub(super) const ARRAY_IN: PicturePv =
    PicturePv { name: "ArrayIn", shape: Shape::F64s, doc: "Written: numbers become a frame." };

/// The PVs of pictures of a node of this type.
pub(super) fn served(type_name: &str) -> &'static [PicturePv] {
    match type_name {
        IMAGE => &[NEWEST],
        PVA_IMAGE => &[EVERY, PV_NAME],
        ARRAY_SOURCE => &[IMAGE_IN, ARRAY_IN],
        _ => &[],
    }
}

/// The types of nodes that hand pictures over, by their names.
pub(super) const IMAGE: &str = Image::SPEC.name;
pub(super) const PVA_IMAGE: &str = PvaImage::SPEC.name;
/// The type of node that takes pictures from clients.
pub(super) const ARRAY_SOURCE: &str = ArraySource::SPEC.name;
