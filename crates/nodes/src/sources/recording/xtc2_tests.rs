use std::fs;

use livetime_codecs::{Codec, DType, Zstd};
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{Next, Value};
use livetime_frame::Frame;
use tempfile::TempDir;

use super::Recording;

/// A sample, unpacked into a folder of its own.
fn sample(name: &str, size: usize) -> Option<TempDir> {
    let packed = fs::read(crate::test_data::find(&format!("xtc2/lcls2/{name}.zst"))?).unwrap();
    let mut bytes = vec![0; size];
    Zstd::new(1).unwrap().decode(&packed, DType::U8, &mut bytes).unwrap();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    Some(folder)
}

fn source(folder: &TempDir, name: &str, params: &[(&str, Value)]) -> Result<Harness, String> {
    let file = [("file", folder.path().join(name).to_str().unwrap().into())];
    Harness::new::<Recording>(&[&file[..], params].concat()).map_err(|e| e.to_string())
}

fn play(harness: &mut Harness) -> Vec<Frame> {
    let mut frames = Vec::new();
    for _ in 0..1000 {
        let (more, next) = harness.produce().unwrap();
        frames.extend(more);
        if next == Next::Finished {
            return frames;
        }
    }
    panic!("no end after {} frames", frames.len());
}

#[test]
fn segments_become_one_array() {
    let name = "test_epix_calib.xtc2";
    let Some(folder) = sample(name, 3_922_114) else { return };
    let epix = [("field", "raw".into())];
    let frames = play(&mut source(&folder, name, &epix).unwrap());
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0].array().unwrap().layout().to_string(), "4x352x384 u16 mono");
    assert!(frames[0].header().event_time_ns > 0);
    assert_eq!(frames[1].header().sequence, 2);
    let mean =
        |f: &Frame| f.array().unwrap().elements::<u16>().unwrap().iter().map(|p| u64::from(*p)).sum::<u64>();
    assert!(frames.iter().all(|f| mean(f) > 4 * 352 * 384 * 1000));
    let error = source(&folder, name, &[("detector", "nobody".into())]).err().unwrap();
    assert!(error.contains("wanted a field with arrays called `") && error.contains("field: raw"), "{error}");
}

#[test]
fn a_picture_is_preferred_to_lists() {
    let name = "test_jungfrau05M_calib.xtc2";
    let Some(folder) = sample(name, 2_124_558) else { return };
    let frames = play(&mut source(&folder, name, &[("detector", "jungfrau".into())]).unwrap());
    let layouts: Vec<String> = frames.iter().map(|f| f.array().unwrap().layout().to_string()).collect();
    assert_eq!(layouts, ["1x512x1024 u16 mono"; 2]);
}

#[test]
fn events_without_the_detector_are_counted() {
    let name = "xtc2/lcls2/intg_det/xpptut15-r0014-s000-c000.xtc2";
    let Some(file) = crate::test_data::find(name) else { return };
    let source = |params: &[(&str, Value)]| {
        let file = [("file", file.to_str().unwrap().into())];
        Harness::new::<Recording>(&[&file[..], params].concat()).map_err(|e| e.to_string())
    };
    let error = source(&[]).err().unwrap();
    assert!(error.contains("`detector: andor, algorithm: raw, field: calib`; `detector: epix"), "{error}");
    let mut harness = source(&[("detector", "andor".into())]).unwrap();
    let frames = play(&mut harness);
    assert!(!frames.is_empty() && harness.number_of("missing") > 0.0);
    assert_eq!(frames.len() as f64 + harness.number_of("missing"), 17.0);
}

#[test]
fn keeps_the_contract() {
    let name = "test_jungfrau05M_calib.xtc2";
    let Some(folder) = sample(name, 2_124_558) else { return };
    let file = folder.path().join(name);
    let params =
        [("file", file.to_str().unwrap().into()), ("detector", "jungfrau".into()), ("loops", 0.into())];
    assert_compliant::<Recording>(&params);
}
