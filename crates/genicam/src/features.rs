//! The features that a camera describes, as parameters.

use std::collections::BTreeSet;

use livetime_engine::{Choice, ParamKind, ParamSpec, PvStyle, Refusal, Value, intern, intern_list};

use crate::aravis::{Access, Camera, Kind};
use crate::error::CameraError;

/// A feature of a camera and the parameter that it is.
#[derive(Clone, Debug)]
pub(crate) struct Feature {
    /// The feature's name in the camera's description.
    pub(crate) name: String,
    kind: Kind,
    access: Access,
    pub(crate) spec: ParamSpec,
    /// The feature's value when the camera was asked for its description.
    pub(crate) value: Value,
}

/// Most categories inside each other: a description that contains itself ends here.
const DEEPEST: usize = 8;
/// Most features. Real cameras have some hundreds; a hostile description may have any number.
const MOST: usize = 2000;
/// The part that the source itself does.
const OWN: [&str; 2] = ["AcquisitionStart", "AcquisitionStop"];

/// All features of a camera that can be parameters, in the order of its description.
pub(crate) fn describe(camera: &Camera) -> Vec<Feature> {
    let (mut found, mut names) = (Vec::new(), BTreeSet::new());
    collect(camera, "Root", 0, &mut names, &mut found);
    found
}

fn collect(
    camera: &Camera,
    name: &str,
    depth: usize,
    names: &mut BTreeSet<&'static str>,
    to: &mut Vec<Feature>,
) {
    let Some(node) = camera.node(name) else { return };
    if node.kind != Kind::Category {
        let feature = Feature::of(camera, name, &node).filter(|feature| names.insert(feature.spec.name));
        to.extend(feature);
        return;
    }
    for member in node.members.iter().filter(|_| depth < DEEPEST) {
        if to.len() < MOST && !OWN.contains(&&**member) {
            collect(camera, member, depth + 1, names, to);
        }
    }
}

impl Feature {
    /// `None` when it cannot be a parameter, as an enumeration without names.
    fn of(camera: &Camera, name: &str, node: &crate::aravis::Node) -> Option<Feature> {
        let (kind, value) = match node.kind {
            Kind::Category => return None,
            Kind::Command => (ParamKind::Bool, Value::Bool(false)),
            Kind::Boolean => (ParamKind::Bool, Value::Bool(false)),
            Kind::Integer => (ParamKind::Int, Value::Int(0)),
            Kind::Float => (ParamKind::Float, Value::Float(0.0)),
            Kind::Text => (ParamKind::Text, Value::Text(String::new())),
            Kind::Enumeration => {
                let choices = choices(camera, name);
                let first = choices.first()?.name;
                (ParamKind::Enum(choices), first.into())
            }
        };
        let spec = ParamSpec {
            name: intern(&parameter_name(name)),
            doc: intern(&document(name, &node.tooltip)),
            kind,
            unit: Some(&*node.unit).filter(|unit| !unit.is_empty()).map(intern),
            // The range depends on other features, so the camera is asked for it when a value is written.
            min: None,
            max: None,
            pv: Some(intern(&format!("GC_{name}"))),
            style: PvStyle::USUAL,
            role: None,
            readback: node.access == Access::Read && node.kind != Kind::Command,
            count: false,
        };
        let mut feature =
            Feature { name: name.to_owned(), kind: node.kind, access: node.access, spec, value };
        if let Ok(Some(value)) = feature.read(camera) {
            feature.value = value;
        }
        Some(feature)
    }

    /// The value now; `None` when it cannot be read.
    ///
    /// # Errors
    /// The error of libaravis.
    pub(crate) fn read(&self, camera: &Camera) -> Result<Option<Value>, CameraError> {
        if self.access == Access::Write || !camera.is_available(&self.name) {
            return Ok(None);
        }
        Ok(match self.kind {
            Kind::Category | Kind::Command => None,
            Kind::Boolean => Some(camera.boolean(&self.name)?.into()),
            Kind::Integer => Some(camera.integer(&self.name)?.into()),
            Kind::Float => Some(camera.float(&self.name)?.into()),
            Kind::Text => Some(camera.text(&self.name)?.into()),
            Kind::Enumeration => {
                Some(Value::Text(camera.text(&self.name)?)).filter(|value| self.knows(value))
            }
        })
    }

    /// Whether it is something to do, which has no value.
    pub(crate) fn is_command(&self) -> bool {
        self.kind == Kind::Command
    }

    /// An enumeration may have a value that it cannot be set to.
    fn knows(&self, value: &Value) -> bool {
        match (self.spec.kind, value) {
            (ParamKind::Enum(choices), Value::Text(text)) => choices.iter().any(|choice| choice.name == text),
            _ => true,
        }
    }

    /// # Errors
    /// That the value is not allowed now, or the error of libaravis.
    pub(crate) fn write(&self, camera: &Camera, value: &Value) -> Result<(), CameraError> {
        match (self.kind, value) {
            (Kind::Command, Value::Bool(true)) => camera.execute(&self.name),
            (Kind::Command, _) => Ok(()),
            (Kind::Boolean, Value::Bool(value)) => camera.set_boolean(&self.name, *value),
            (Kind::Integer, Value::Int(value)) => {
                within(*value, camera.integer_range(&self.name))?;
                camera.set_integer(&self.name, *value)
            }
            (Kind::Float, Value::Float(value)) => {
                within(*value, camera.float_range(&self.name))?;
                camera.set_float(&self.name, *value)
            }
            (Kind::Text | Kind::Enumeration, Value::Text(value)) => camera.set_text(&self.name, value),
            _ => Err(Refusal::value(self.spec.describe(), format_args!("`{value}`")).into()),
        }
    }
}

/// A camera that does not say a range is left to check the value itself.
fn within<T: PartialOrd + Copy + std::fmt::Display>(
    value: T,
    range: Result<(T, T), CameraError>,
) -> Result<(), Refusal> {
    match range {
        Ok((min, max)) if min < max && !(min..=max).contains(&value) => {
            Err(Refusal::value(format!("{min} to {max} as the camera is set now"), value))
        }
        _ => Ok(()),
    }
}

fn choices(camera: &Camera, name: &str) -> &'static [Choice] {
    let entries = camera.entries(name).unwrap_or_default();
    let choice = |entry: &String| Choice {
        name: intern(entry),
        doc: intern(&format!("The camera's {entry}.")),
        pv: intern(entry),
    };
    intern_list(&entries.iter().map(choice).collect::<Vec<_>>())
}

fn document(name: &str, tooltip: &str) -> String {
    let tooltip = tooltip.split_whitespace().collect::<Vec<_>>().join(" ");
    match tooltip.trim_end_matches('.') {
        "" => format!("The camera's feature {name}."),
        text => format!("The camera's feature {name}: {text}."),
    }
}

/// `gc_exposure_time_abs` for `ExposureTimeAbs`.
fn parameter_name(name: &str) -> String {
    let mut snake = String::from("gc");
    let letters: Vec<char> = name.chars().collect();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|place| letters[place]);
        let is_end_of_capitals = before.is_some_and(|c| c.is_ascii_uppercase())
            && letters.get(place + 1).is_some_and(|c| c.is_ascii_lowercase());
        let begins = letter.is_ascii_uppercase()
            && (before.is_some_and(|c| !c.is_ascii_uppercase() && c != '_') || is_end_of_capitals);
        if begins || place == 0 {
            snake.push('_');
        }
        snake.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_those_of_parameters() {
        let names = ["ExposureTimeAbs", "GevSCPSPacketSize", "DeviceID", "Line0Mode", "chunk_on", "X"];
        let wanted = [
            "gc_exposure_time_abs",
            "gc_gev_scps_packet_size",
            "gc_device_id",
            "gc_line0_mode",
            "gc_chunk_on",
            "gc_x",
        ];
        assert_eq!(names.map(parameter_name), wanted);
    }

    #[test]
    fn help_is_a_sentence() {
        assert_eq!(document("Gamma", ""), "The camera's feature Gamma.");
        assert_eq!(document("Gamma", " Controls\n gamma. "), "The camera's feature Gamma: Controls gamma.");
    }

    #[test]
    fn values_outside_the_range_of_now_are_refused() {
        assert!(within(5, Ok((0, 5))).is_ok() && within(9, Err(CameraError::NoCamera)).is_ok());
        let refused = within(6, Ok((0, 5))).unwrap_err().to_string();
        assert_eq!(refused, "wanted 0 to 5 as the camera is set now, found 6");
    }
}
