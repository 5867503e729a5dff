//! Our trees beside the trees of ADCore's own NDFileHDF5, of the same pixels, attributes and settings.
//!
//! The lists in `adcore/` were made by `tree` below of files that ADCore (R3-14-185-gee039d24, HDF5 1.10.8) wrote:
//! four pictures of 10 x 6 u16 with the attributes Gain, Shot, Name and ColorMode, in stream mode.

use std::collections::BTreeSet;
use std::path::Path;

use livetime_formats::hdf5::Hdf5;
use tempfile::TempDir;

use super::{frame, sink};

/// The content of a file: of each data set its type and shape, of each group and data set its attributes.
fn tree(path: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for found in Hdf5::open(path).unwrap().content().found {
        let path = &found.path;
        lines.extend(found.array.as_ref().map(|a| format!("{path}: {} {:?}", a.element().name(), a.shape())));
        lines.extend(found.attributes.iter().map(|(name, values)| format!("{path} @{name} = {values:?}")));
    }
    lines
}

/// Lines that only one of the two has: ADCore's with `-`, ours with `+`.
fn differences(theirs: &str, settings: &[(&str, livetime_engine::Value)]) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, settings);
    [1, 2, 3, 7].into_iter().for_each(|number| drop(node.feed(&frame(number)).unwrap()));
    node.set("capture", false).unwrap();
    let ours = tree(&folder.path().join("run_001.h5"));
    let theirs: BTreeSet<String> = theirs.lines().map(str::to_owned).collect();
    let lacking = theirs.difference(&ours).map(|line| format!("- {line}"));
    lacking.chain(ours.difference(&theirs).map(|line| format!("+ {line}"))).collect()
}

/// Whether a difference is intended, or due to the descriptions in ADCore's frames; any other difference is a mistake.
fn is_meant(line: &str) -> bool {
    let ours = [
        "+ /entry/livetime",
        "+ /entry/instrument/loss",
        "+ /entry/program_name",
        "+  @",
        "+ /entry @default",
    ];
    let ours = ours.iter().any(|begin| line.starts_with(begin));
    let described = line.contains("@NDAttrDescription")
        || line.contains("@hostname")
        || line.contains("NDArrayEventTime");
    // Attributes that are integers have 64 bits here. The text of this one is another.
    let integer =
        line.contains("/Shot: i") || line.contains("/shot_at_close: i") || line.contains(" @last = ");
    ours || described || integer
}

fn unmeant(theirs: &str, settings: &[(&str, livetime_engine::Value)]) -> Vec<String> {
    differences(theirs, settings).into_iter().filter(|line| !is_meant(line)).collect()
}

#[test]
fn the_tree_is_that_of_adcore() {
    let more = [
        "+ /entry/data @signal = [Text(\"data\")]",
        "+ /entry/instrument/performance @NX_class = [Text(\"NXcollection\")]",
    ];
    assert_eq!(unmeant(include_str!("adcore/default.txt"), &[]), more);
}

#[test]
fn the_tree_of_a_layout_is_that_of_adcore() {
    let found =
        unmeant(include_str!("adcore/layout.txt"), &[("xml_file_name", super::layouts::LAYOUT.into())]);
    let more = [
        "- /entry/definition: text of 1 bytes [1]",
        "- /entry/instrument/dark: u16 [1, 6, 10]",
        "+ /entry/definition: text of 7 bytes [1]",
        "+ /entry/instrument/dark: u16 [0, 6, 10]",
        "+ /entry/instrument/shot_at_open @NDAttrName = [Text(\"Shot\")]",
        "+ /entry/instrument/shot_at_open @NDAttrSource = [Text(\"Driver\")]",
        "+ /entry/instrument/shot_at_open @NDAttrSourceType = [Text(\"NDAttrSourceDriver\")]",
        "+ /entry/instrument/shot_at_open: i64 [1]",
    ];
    assert_eq!(found, more);
}
