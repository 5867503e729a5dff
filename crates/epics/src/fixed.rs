//! Settings of areaDetector's writers that have one value here: their names are there, so that screens show them, and writing
//! another value is refused.

use super::base::Item;
use super::point::{About, Shape};
use super::served_pv::{ServedPv, Shows};

/// Settings of one kind, each as `X` and `X_RBV`.
struct Fixed {
    node: &'static str,
    names: &'static str,
    shape: Shape,
    item: Item,
    doc: &'static str,
}

static FIXED: &[Fixed] = &[
    Fixed {
        node: "hdf5_files",
        names: "BoundaryAlign BoundaryThreshold",
        shape: Shape::I32,
        item: Item::Only(0, "wanted 0: chunks are not aligned"),
        doc: "Always 0: chunks are not aligned.",
    },
    Fixed {
        node: "png_files",
        names: "Quality",
        shape: Shape::I32,
        item: Item::Only(0, "wanted none: PNG loses nothing"),
        doc: "Always 0: PNG loses nothing.",
    },
    Fixed {
        node: "png_files",
        names: "BitDepth",
        shape: Shape::choices(&["1", "8", "16", "32", "As the frame"]),
        item: Item::Only(4, "wanted `As the frame`: a file has the 8 or 16 bits of its frame"),
        doc: "As the frame has: 8 or 16.",
    },
    Fixed {
        node: "png_files",
        names: "CompressType",
        shape: Shape::choices(&["None", "BZip", "FAX", "Group 4", "JPEG", "LZW", "RLE", "Zip"]),
        item: Item::Only(7, "wanted Zip, the only one of PNG"),
        doc: "Zip, the only one of PNG.",
    },
];

/// Those of a type of node.
pub(super) fn served(node: &str) -> impl Iterator<Item = ServedPv> {
    FIXED.iter().filter(move |fixed| fixed.node == node).flat_map(Fixed::served)
}

impl Fixed {
    fn served(&self) -> impl Iterator<Item = ServedPv> {
        let both = |name: &str| [(name.to_owned(), true), (format!("{name}_RBV"), false)];
        self.names.split_whitespace().flat_map(both).map(|(name, is_writable)| ServedPv {
            name,
            about: About::plain(self.shape.clone(), self.doc),
            is_writable,
            shows: Shows::Item(self.item),
        })
    }
}
