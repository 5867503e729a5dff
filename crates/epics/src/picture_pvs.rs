//! The PVs that hold pictures, by type of node.

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

/// What a node of this type serves beside what every node does.
pub(super) fn served(type_name: &str) -> &'static [PicturePv] {
    match type_name {
        "image" => &[NEWEST],
        "pva_image" => &[EVERY, PV_NAME],
        ARRAY_SOURCE => &[IMAGE_IN, ARRAY_IN],
        _ => &[],
    }
}

/// The type of node that takes pictures from clients.
pub(super) const ARRAY_SOURCE: &str = "array_source";
