//! Pipeline files with a camera.

use livetime_control::config::{Setting, parse};

use crate::common::*;

const EXAMPLE: &str = include_str!("../../../examples/genicam/camera.yaml");

/// The problems of the example with these settings of the command line.
fn problems(settings: &[(&str, &str)]) -> String {
    let types = [&livetime_genicam::all()[..], livetime_nodes::ALL].concat();
    let setting = |(param, value): &(&str, &str)| Setting {
        node: "cam1".into(),
        param: (*param).into(),
        value: (*value).into(),
    };
    let settings: Vec<Setting> = settings.iter().map(setting).collect();
    parse("camera.yaml", EXAMPLE, &types, &settings).map_or_else(|e| e.to_string(), |_| String::new())
}

#[test]
fn the_example_is_right_and_knows_the_features_of_its_camera() {
    if !has_aravis() {
        return;
    }
    assert_eq!(problems(&[]), "");
    assert_eq!(problems(&[("gc_trigger_activation", "RisingEdge"), ("gc_offset_x", "4")]), "");
    let unknown = problems(&[("gc_ofset_x", "4")]);
    assert!(unknown.contains("did you mean `gc_offset_x`?"), "{unknown}");
    let wrong = problems(&[("gc_trigger_activation", "Sideways")]);
    assert!(wrong.contains("wanted one of RisingEdge"), "{wrong}");
}

#[test]
fn a_file_is_right_without_its_camera_and_without_the_library() {
    // No camera has this name, and none is needed to look at a file.
    assert_eq!(problems(&[("camera", "Fake_99")]), "");
}
