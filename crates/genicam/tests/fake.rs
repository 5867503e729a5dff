//! The camera that libaravis simulates inside the program.

use livetime_engine::testing::{Harness, assert_type_compliant};
use livetime_engine::{NodeType, ParamKind, Run, RunOptions, time_of_day_ns};
use livetime_frame::{AttributeValue, ColorMode};

use crate::common::*;

#[test]
fn frames_go_through_a_run_and_the_ledger_closes() {
    if !has_aravis() {
        return;
    }
    let run = start(&[
        ("camera", "Fake_1".into()),
        ("image_mode", "multiple".into()),
        ("num_images", 20.into()),
        ("acquire_period", 0.01.into()),
    ]);
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_closed(&report);
    assert_eq!(report.nodes[1].completed, 20, "{report:?}");
}

fn with_features() -> NodeType {
    genicam().for_node(&|name| (name == "camera").then(|| "Fake_1".into()))
}

#[test]
fn features_become_parameters_out_of_the_description() {
    if !has_aravis() {
        return;
    }
    let camera = with_features();
    let specs = camera.param_specs();
    let find = |name: &str| specs.iter().find(|spec| spec.name == name).unwrap();
    let exposure = find("gc_exposure_time_abs");
    assert_eq!((exposure.pv, exposure.unit), (Some("GC_ExposureTimeAbs"), None));
    assert!(matches!(exposure.kind, ParamKind::Float) && !exposure.readback);
    let ParamKind::Enum(choices) = find("gc_pixel_format").kind else { panic!("not a choice") };
    assert!(choices.iter().any(|choice| choice.name == "Mono8"), "{choices:?}");
    assert!(find("gc_sensor_width").readback && find("gc_device_vendor_name").readback);
    assert!(matches!(find("gc_trigger_software").kind, ParamKind::Bool));
    assert!(specs.iter().all(|spec| spec.name != "gc_acquisition_start"));
}

#[test]
fn the_contract_is_kept_with_features_and_without() {
    if !has_aravis() {
        return;
    }
    let params = [("camera", "Fake_1".into())];
    assert_type_compliant(&genicam(), &params);
    assert_type_compliant(&with_features(), &params);
}

#[test]
fn what_is_written_is_read_back_and_what_the_camera_refuses_is_told() {
    if !has_aravis() {
        return;
    }
    let graph = graph_of(with_features(), &[("camera", "Fake_1".into()), ("gc_offset_x", 8.into())]);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    wait_until("frames", || number(&run, "array_counter") > 2.0);
    // Given in the pipeline for a feature, read back as the setting that every camera has.
    wait_until("the first column", || number(&run, "min_x") == 8.0);
    assert_eq!(value(&run, "manufacturer"), "Aravis".into());
    run.set("cam", "acquire_time", &0.002.into()).unwrap();
    wait_until("the feature", || number(&run, "gc_exposure_time_abs") == 2000.0);
    run.set("cam", "gc_exposure_time_abs", &5000.0.into()).unwrap();
    wait_until("the setting", || number(&run, "acquire_time") == 0.005);
    let refused = run.set("cam", "gc_offset_x", &1_000_000.into()).unwrap_err().to_string();
    assert!(refused.contains("found 1000000"), "{refused}");
    assert_eq!(number(&run, "gc_offset_x"), 8.0);
    run.stop();
    assert_closed(&run.finish(LIMIT));
}

#[test]
fn region_and_pixel_format_change_while_frames_come() {
    if !has_aravis() {
        return;
    }
    let run = start(&[("camera", "Fake_1".into()), ("acquire_period", 0.005.into())]);
    wait_until("frames", || number(&run, "array_counter") > 2.0);
    run.set("cam", "size_x", &64.into()).unwrap();
    run.set("cam", "size_y", &32.into()).unwrap();
    wait_until("the new size", || number(&run, "array_size") == 64.0 * 32.0);
    run.set("cam", "pixel_format", &"Mono16".into()).unwrap();
    wait_until("two bytes", || number(&run, "array_size") == 64.0 * 32.0 * 2.0);
    run.set("cam", "min_x", &1_000_000.into()).unwrap();
    wait_until("what reaches beyond is cut off", || number(&run, "min_x") < number(&run, "max_size_x"));
    let refused = run.set("cam", "pixel_format", &"Mono7".into()).unwrap_err().to_string();
    assert!(refused.contains("Mono7") || refused.contains("not found"), "{refused}");
    let counter = number(&run, "array_counter");
    wait_until("frames go on", || number(&run, "array_counter") > counter + 2.0);
    run.stop();
    assert_closed(&run.finish(LIMIT));
}

#[test]
fn an_acquisition_can_be_started_again_and_the_source_stays() {
    if !has_aravis() {
        return;
    }
    let run = start(&[
        ("camera", "Fake_1".into()),
        ("acquire", false.into()),
        ("finish_when_done", false.into()),
        ("image_mode", "multiple".into()),
        ("num_images", 3.into()),
    ]);
    for acquisition in 1..=3 {
        run.set("cam", "acquire", &true.into()).unwrap();
        wait_until("the end of an acquisition", || value(&run, "acquire") == false.into());
        assert_eq!(number(&run, "array_counter"), f64::from(3 * acquisition));
        assert_eq!(number(&run, "num_images_counter"), 3.0);
        assert_eq!(value(&run, "detector_state"), "idle".into());
    }
    run.stop();
    let report = run.finish(LIMIT);
    assert_closed(&report);
    assert_eq!(report.nodes[1].completed, 9);
}

#[test]
fn frames_have_the_cameras_time_and_are_where_they_were_on_the_sensor() {
    if !has_aravis() {
        return;
    }
    let before = time_of_day_ns();
    let size = [("size_x", 64.into()), ("size_y", 16.into()), ("min_x", 32.into()), ("min_y", 4.into())];
    let params = [&[("camera", "Fake_1".into()), ("pixel_format", "BayerRG8".into())], &size[..]].concat();
    let mut harness = Harness::of(genicam(), &params).unwrap();
    let mut frames = Vec::new();
    wait_until("a frame", || {
        frames.extend(harness.produce().unwrap().0);
        frames.len() > 1
    });
    let layout = *frames[0].array().unwrap().layout();
    assert_eq!(layout.shape().collect::<Vec<_>>(), [16, 64]);
    assert_eq!(layout.dims().iter().map(|dim| dim.offset).collect::<Vec<_>>(), [4, 32]);
    assert_eq!(layout.color(), ColorMode::Bayer);
    assert_eq!(frames[0].header().attributes.get("BayerPattern"), Some(&AttributeValue::Int(0)));
    let times: Vec<i64> = frames.iter().map(|frame| frame.header().event_time_ns).collect();
    assert!(before <= times[0] && times[0] < times[1] && times[1] <= time_of_day_ns(), "{times:?}");
}
