//! Settings of areaDetector's writers that have one value here: their names are there, so that screens show them, and writing
//! another value is refused.

use super::base::{Item, NO_YES};
use super::point::{About, Shape};
use super::table::{Served, Shows};

/// Settings of one kind.
struct Fixed {
    node: &'static str,
    /// `X`, and `X_RBV` if it can be written upstream. Each `#` stands for each of `of`.
    names: &'static str,
    of: &'static str,
    sides: Sides,
    shape: Shape,
    item: Item,
    doc: &'static str,
}

#[derive(Clone, Copy)]
enum Sides {
    Both,
    Plain,
    Readback,
}

/// The dimensions of a stack beside those of a frame.
const EXTRA: &str = "X Y 3 4 5 6 7 8 9";
const ALL_EXTRA: &str = "N X Y 3 4 5 6 7 8 9";
const NO_EXTRA: &str = "wanted none: a file has the frames one after the other; positions are attributes";

static FIXED: &[Fixed] = &[
    Fixed {
        node: "hdf5_files",
        names: "BoundaryAlign BoundaryThreshold",
        of: "",
        sides: Sides::Both,
        shape: Shape::I32,
        item: Item::Refused("wanted 0: chunks are not aligned"),
        doc: "Always 0: chunks are not aligned.",
    },
    Fixed {
        node: "hdf5_files",
        names: "FillValue",
        of: "",
        sides: Sides::Both,
        shape: Shape::F64,
        item: Item::Refused("wanted 0: what is missing is 0"),
        doc: "Always 0: what is missing is 0.",
    },
    Fixed {
        node: "hdf5_files",
        names: "ExtraDimSize#",
        of: ALL_EXTRA,
        sides: Sides::Both,
        shape: Shape::I32,
        item: Item::Refused(NO_EXTRA),
        doc: "Always 0: there are no dimensions beside those of the frame and their number.",
    },
    Fixed {
        node: "hdf5_files",
        names: "ExtraDimChunk#",
        of: EXTRA,
        sides: Sides::Both,
        shape: Shape::I32,
        item: Item::Refused(NO_EXTRA),
        doc: "Always 0: there are no dimensions beside those of the frame and their number.",
    },
    Fixed {
        node: "hdf5_files",
        names: "ExtraDimName#",
        of: ALL_EXTRA,
        sides: Sides::Readback,
        shape: Shape::Text,
        item: Item::NoText,
        doc: "Empty: there are no dimensions beside those of the frame and their number.",
    },
    Fixed {
        node: "hdf5_files",
        names: "PosNameDim# PosIndexDim#",
        of: ALL_EXTRA,
        sides: Sides::Both,
        shape: Shape::Text,
        item: Item::Refused(NO_EXTRA),
        doc: "Always empty: frames are not ordered by positions.",
    },
    Fixed {
        node: "hdf5_files",
        names: "DimAttDatasets",
        of: "",
        sides: Sides::Both,
        shape: Shape::choices(NO_YES),
        item: Item::Refused("wanted No: attributes have one dimension"),
        doc: "Always No: attributes have one dimension.",
    },
    Fixed {
        node: "hdf5_files",
        names: "RunTime IOSpeed",
        of: "",
        sides: Sides::Plain,
        shape: Shape::F64,
        item: Item::Constant(0),
        doc: "Always 0: ServiceP50_RBV and ArrayRate_RBV say how fast the writer is.",
    },
    Fixed {
        node: "png_files",
        names: "Quality",
        of: "",
        sides: Sides::Both,
        shape: Shape::I32,
        item: Item::Refused("wanted none: PNG loses nothing"),
        doc: "Always 0: PNG loses nothing.",
    },
    Fixed {
        node: "png_files",
        names: "BitDepth",
        of: "",
        sides: Sides::Both,
        shape: Shape::choices(&["As the frame"]),
        item: Item::Refused("wanted that of the frame: 8 or 16"),
        doc: "As the frame has: 8 or 16.",
    },
    Fixed {
        node: "png_files",
        names: "CompressType",
        of: "",
        sides: Sides::Both,
        shape: Shape::choices(&["Zip"]),
        item: Item::Refused("wanted Zip, the only one of PNG"),
        doc: "Zip, the only one of PNG.",
    },
];

/// Those of a type of node.
pub(super) fn served(node: &str) -> impl Iterator<Item = Served> {
    FIXED.iter().filter(move |fixed| fixed.node == node).flat_map(Fixed::served)
}

impl Fixed {
    fn served(&self) -> impl Iterator<Item = Served> {
        let one = |name: &str| -> Vec<String> {
            match name.contains('#') {
                true => self.of.split_whitespace().map(|of| name.replace('#', of)).collect(),
                false => vec![name.to_owned()],
            }
        };
        let names: Vec<String> = self.names.split_whitespace().flat_map(one).collect();
        names.into_iter().flat_map(|name| {
            let readback = (format!("{name}_RBV"), false);
            match self.sides {
                Sides::Both => vec![(name, true), readback],
                Sides::Plain => vec![(name, false)],
                Sides::Readback => vec![readback],
            }
            .into_iter()
            .map(|(name, is_writable)| Served {
                name,
                about: About::plain(self.shape.clone(), self.doc),
                is_writable,
                shows: Shows::Item(self.item),
            })
        })
    }
}
