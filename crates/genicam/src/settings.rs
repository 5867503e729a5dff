//! The settings that every camera has, as parameters: how they are written and read back.

use livetime_engine::{Refusal, Value};

use crate::aravis::Camera;
use crate::error::CameraError;

/// Names of parameters that are settings of a camera, in the order in which they are written: settings that change the
/// size of images come first, because rates depend on it.
pub(crate) const SETTINGS: [&str; 11] = [
    "bin_x",
    "bin_y",
    "pixel_format",
    "size_x",
    "size_y",
    "min_x",
    "min_y",
    "acquire_time",
    "acquire_period",
    "gain",
    "trigger_source",
];

/// The mode comes last, when its source is known.
pub(crate) const TRIGGER_MODE: &str = "trigger_mode";

/// Whether the parameter changes the size of images, which a camera allows only while it sends none.
pub(crate) fn changes_size(name: &str) -> bool {
    matches!(name, "bin_x" | "bin_y" | "pixel_format" | "size_x" | "size_y" | "min_x" | "min_y")
}

/// The requested values, by name of the parameter.
pub(crate) trait Wanted {
    /// The value that was given for the parameter, if one was.
    fn wanted(&self, name: &str) -> Option<&Value>;
}

/// Writes the setting `name`.
///
/// # Errors
/// The error of libaravis: the camera has no such setting, or does not take the value.
pub(crate) fn write(
    camera: &Camera,
    name: &str,
    value: &Value,
    given: &impl Wanted,
) -> Result<(), CameraError> {
    match (name, value) {
        // Nothing is given, as at the start.
        (_, Value::Text(text)) if text.is_empty() => Ok(()),
        ("bin_x" | "bin_y", Value::Int(0)) => Ok(()),
        ("acquire_time" | "acquire_period", Value::Float(0.0)) => Ok(()),
        ("bin_x", Value::Int(x)) => camera.set_binning([*x, camera.binning()?[1]]),
        ("bin_y", Value::Int(y)) => camera.set_binning([camera.binning()?[0], *y]),
        ("min_x" | "min_y" | "size_x" | "size_y", Value::Int(_)) => write_region(camera, given),
        ("acquire_time", Value::Float(seconds)) => camera.set_exposure_s(*seconds),
        ("acquire_period", Value::Float(seconds)) => camera.set_frame_rate(1.0 / seconds),
        ("gain", Value::Float(gain)) => camera.set_gain(*gain),
        ("pixel_format", Value::Text(name)) => camera.set_text("PixelFormat", name),
        ("trigger_source", Value::Text(name)) => camera.set_text("TriggerSource", name),
        (TRIGGER_MODE, Value::Text(mode)) => {
            camera.set_text("TriggerMode", if mode == "on" { "On" } else { "Off" })
        }
        ("trigger_software", Value::Bool(true)) => camera.execute("TriggerSoftware"),
        ("trigger_software", _) => Ok(()),
        _ => {
            let refused = Refusal::value("a value of its type", format_args!("`{value}`"));
            Err(refused.of(name.to_owned()).into())
        }
    }
}

/// All four numbers at once; a part beyond the sensor is cut off, as areaDetector does.
fn write_region(camera: &Camera, given: &impl Wanted) -> Result<(), CameraError> {
    let (now, bins, sensor) = (camera.region()?, camera.binning().unwrap_or([1, 1]), camera.sensor()?);
    let wanted = |name: &str| match given.wanted(name) {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    };
    let axis = |min: &str, size: &str, axis: usize| {
        let room = sensor[axis] / bins[axis].max(1);
        let min = wanted(min).unwrap_or(now[axis]).clamp(0, (room - 1).max(0));
        let size = wanted(size).filter(|size| *size > 0).unwrap_or(now[axis + 2]);
        (min, size.clamp(1, (room - min).max(1)))
    };
    let ((x, width), (y, height)) = (axis("min_x", "size_x", 0), axis("min_y", "size_y", 1));
    camera.set_region([x, y, width, height])
}

/// The camera's present settings: name and value of each.
pub(crate) fn read(camera: &Camera) -> Vec<(&'static str, Value)> {
    let mut found: Vec<(&'static str, Value)> = Vec::new();
    if let Ok([x, y, width, height]) = camera.region() {
        found.extend([("min_x", x), ("min_y", y), ("size_x", width), ("size_y", height)].map(int));
    }
    if let Ok([x, y]) = camera.binning() {
        found.extend([("bin_x", x), ("bin_y", y)].map(int));
    }
    if let Ok([width, height]) = camera.sensor() {
        found.extend([("max_size_x", width), ("max_size_y", height)].map(int));
    }
    found.extend(camera.exposure_s().map(|s| ("acquire_time", s.into())));
    found.extend(
        camera.frame_rate().ok().filter(|hz| *hz > 0.0).map(|hz| ("acquire_period", (1.0 / hz).into())),
    );
    found.extend(camera.gain().map(|gain| ("gain", gain.into())));
    found.extend(camera.text("PixelFormat").map(|name| ("pixel_format", name.into())));
    found.extend(camera.text("TriggerSource").map(|name| ("trigger_source", name.into())));
    let mode = camera.text("TriggerMode");
    found.extend(mode.map(|mode| (TRIGGER_MODE, if mode == "On" { "on" } else { "off" }.into())));
    found
}

fn int((name, value): (&'static str, i64)) -> (&'static str, Value) {
    (name, value.into())
}
