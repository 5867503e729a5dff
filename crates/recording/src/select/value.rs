//! The meaning of an expression's names in a run.

use std::collections::BTreeMap;

use livetime_frame::AttributeValue;

use super::error::SelectError;
use crate::SmallValue;

/// LCLS-I's name of the list of codes.
const EVENT_CODES: &str = "event codes";
/// LCLS-II's name of the bits of codes.
const EVENT_CODE_BITS: &str = "eventcodes";

/// A value that an expression asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Variable {
    /// Whether the event has this code.
    EventCode(u32),
    /// A process variable, which keeps its value until it has another one.
    Epics {
        /// The whole name.
        name: String,
        /// Which of its values.
        element: usize,
    },
    /// A value of the event itself.
    Value {
        /// The source or a part of it; empty: any.
        source: String,
        name: String,
        element: usize,
    },
}

impl Variable {
    /// `source.name`, or a name alone.
    pub(crate) fn named(text: &str, element: usize) -> Variable {
        // Sources have dots of their own: the last one divides.
        let (source, name) = text.rsplit_once('.').unwrap_or(("", text));
        Variable::Value { source: source.to_owned(), name: name.to_owned(), element }
    }

    /// The texts of `value("source", "name")` or `value("name")`.
    pub(crate) fn quoted(first: &str, second: Option<&str>, element: usize) -> Variable {
        let (source, name) = second.map_or(("", first), |second| (first, second));
        Variable::Value { source: source.to_owned(), name: name.to_owned(), element }
    }

    /// As it is written in an expression.
    pub(crate) fn text(&self) -> String {
        match self {
            Variable::EventCode(code) => format!("evr({code})"),
            Variable::Epics { name, .. } => format!("epics(\"{name}\")"),
            Variable::Value { source, name, .. } if source.is_empty() => name.clone(),
            Variable::Value { source, name, .. } => format!("{source}.{name}"),
        }
    }

    /// Whether its value holds until there is another one.
    pub(crate) fn keeps(&self) -> bool {
        matches!(self, Variable::Epics { .. })
    }
}

/// Where a variable is in the small data of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    EventCode(u32),
    Value { source: Option<String>, name: String, element: usize },
}

impl Place {
    /// The value at an event that has these small data.
    pub(super) fn find(&self, small: &[SmallValue]) -> Option<f64> {
        match self {
            Place::EventCode(code) => has_code(small, *code).map(|has| f64::from(u8::from(has))),
            // A source that is not given fits all.
            Place::Value { source, name, element } => {
                let is_meant = |v: &&SmallValue| {
                    v.name == *name && source.as_ref().is_none_or(|source| v.source == *source)
                };
                // A damaged value counts as missing.
                let found = small.iter().filter(is_meant).find(|v| v.damage == 0)?;
                found.values.get(*element).and_then(number)
            }
        }
    }
}

fn number(value: &AttributeValue) -> Option<f64> {
    match value {
        AttributeValue::Int(v) => Some(*v as f64),
        AttributeValue::Uint(v) => Some(*v as f64),
        AttributeValue::Float(v) => Some(*v),
        AttributeValue::Text(_) => None,
    }
}

/// `None` if no event receiver said anything.
fn has_code(small: &[SmallValue], code: u32) -> Option<bool> {
    let mut said =
        small.iter().filter(|v| v.damage == 0 && (v.name == EVENT_CODES || v.name == EVENT_CODE_BITS));
    let has = |v: &SmallValue| match &*v.name {
        EVENT_CODES => v.values.iter().any(|c| number(c) == Some(f64::from(code))),
        // 16 codes in each word, as the timing system of LCLS-II sends them.
        _ => {
            // A list that is shorter has no such code.
            let word = v.values.get(code as usize / 16).and_then(number).unwrap_or(0.0);
            word as u64 >> (code % 16) & 1 == 1
        }
    };
    let first = has(said.next()?);
    // Several receivers may each have a part of the codes.
    Some(said.fold(first, |found, value| found || has(value)))
}

/// The names that a run has: source and name, with an example of how many values there are.
#[derive(Default, Debug)]
pub(super) struct Known {
    /// Source and name; whether it came with an event, and not only with the configuration.
    names: BTreeMap<(String, String), bool>,
}

/// Names that an error lists; more would not fit on a screen.
const MOST_LISTED: usize = 60;

/// Whether a source and a name fit a variable.
type Rule<'a> = &'a dyn Fn(&(String, String)) -> bool;

impl Known {
    pub(super) fn add(&mut self, small: &[SmallValue], of_event: bool) {
        // A value without elements cannot be compared.
        for value in small.iter().filter(|value| !value.values.is_empty()) {
            let key = (value.source.clone(), value.name.clone());
            *self.names.entry(key).or_default() |= of_event;
        }
    }

    /// The place of a variable; the error lists the names that the run has.
    pub(super) fn place(&self, variable: &Variable) -> Result<Place, SelectError> {
        match variable {
            Variable::EventCode(code) => {
                let has = self.names.keys().any(|(_, name)| name == EVENT_CODES || name == EVENT_CODE_BITS);
                has.then_some(Place::EventCode(*code)).ok_or_else(|| self.refuse(variable))
            }
            Variable::Epics { name, element } => {
                // Names of process variables are known from the configuration, before the first value.
                let is_known = self.names.keys().any(|(_, known)| known == name);
                let place = Place::Value { source: None, name: name.clone(), element: *element };
                is_known.then_some(place).ok_or_else(|| self.refuse(variable))
            }
            Variable::Value { source, name, element } => {
                let found = self.named(source, name);
                match found[..] {
                    [] => Err(self.refuse(variable)),
                    [(source, name)] => {
                        let (source, name) = (Some(source.clone()), name.clone());
                        Ok(Place::Value { source, name, element: *element })
                    }
                    _ => {
                        let found = found.iter().map(|key| written(key)).collect();
                        Err(SelectError::Ambiguous { variable: variable.text(), found })
                    }
                }
            }
        }
    }

    /// The values that `source` and `name` may mean: exactly first, then by words, then by a part of the source.
    fn named(&self, source: &str, name: &str) -> Vec<&(String, String)> {
        let whole = if source.is_empty() { name.to_owned() } else { format!("{source}.{name}") };
        let of_events = || self.names.iter().filter(|(_, of_event)| **of_event).map(|(key, _)| key);
        let source = source.to_lowercase();
        let rules: [Rule; 3] = [
            &|(s, n)| *n == whole || n == name && s.to_lowercase() == source,
            &|(s, n)| n == name && (source.is_empty() || word(s) == source || begins(s, &source)),
            &|(s, n)| n == name && s.to_lowercase().contains(&source),
        ];
        let found = rules.iter().map(|rule| of_events().filter(|key| rule(key)).collect::<Vec<_>>());
        // The first rule that finds something decides, so that an exact name is never ambiguous.
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn refuse(&self, variable: &Variable) -> SelectError {
        // Process variables keep their values, so names without an event count for them.
        let wants_epics = variable.keeps();
        let listed = self.names.iter().filter(|(_, of_event)| wants_epics || **of_event);
        let mut known: Vec<String> = listed.map(|(key, _)| written(key)).collect();
        known.dedup();
        let more = known.len().saturating_sub(MOST_LISTED);
        known.truncate(MOST_LISTED);
        SelectError::Unknown { variable: variable.text(), known, more }
    }
}

/// The last word of a source: `EBeam` of `BldInfo(EBeam)`, `Ipimb-0` of `CxiDg2-0|Ipimb-0`, in lower case.
fn word(source: &str) -> String {
    let inner = source.rsplit_once('(').map_or(source, |(_, inner)| inner.trim_end_matches(')'));
    inner.rsplit_once('|').map_or(inner, |(_, inner)| inner).to_lowercase()
}

/// Whether `source` begins with the words of `wanted`: `timing.raw` with `timing`.
fn begins(source: &str, wanted: &str) -> bool {
    source.to_lowercase().strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
}

/// How a value is written in an expression.
fn written((source, name): &(String, String)) -> String {
    if name == EVENT_CODES || name == EVENT_CODE_BITS {
        return "evr(…)".to_owned();
    }
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
    };
    let word = if is_word(source) { source.clone() } else { word(source) };
    if source.starts_with("Epics") || source.contains("|Epics") || source.to_lowercase().contains("epicsarch")
    {
        format!("epics(\"{name}\")")
    } else if is_word(&word) && is_word(name) {
        format!("{word}.{name}")
    } else {
        format!("value(\"{source}\", \"{name}\")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(source: &str, name: &str, values: &[f64]) -> SmallValue {
        let values = values.iter().map(|v| AttributeValue::Float(*v)).collect();
        SmallValue { source: source.into(), name: name.into(), unit: "", values, damage: 0 }
    }

    fn run() -> (Known, Vec<SmallValue>) {
        let all = vec![
            small("BldInfo(EBeam)", "charge", &[0.25]),
            small("BldInfo(FEEGasDetEnergy)", "f_11_energy", &[1.5]),
            small("CxiDg1-0|Ipimb-0", "channel_0", &[7.0]),
            small("CxiDg2-0|Ipimb-0", "channel_0", &[8.0]),
            small("NoDetector-0|Evr-0", EVENT_CODES, &[140.0, 41.0]),
            small("EpicsArch-0|NoDevice-0", "GDET:1", &[3.0, 4.0]),
            small("timing.raw", "eventcodes", &[0.0, 2.0]),
        ];
        let mut known = Known::default();
        known.add(&all, true);
        (known, all)
    }

    fn find(variable: &Variable) -> Result<Option<f64>, SelectError> {
        let (known, all) = run();
        known.place(variable).map(|place| place.find(&all))
    }

    #[test]
    fn names_mean_values() {
        for (name, value) in
            [("ebeam.charge", 0.25), ("charge", 0.25), ("gasdet.f_11_energy", 1.5), ("EBeam.charge", 0.25)]
        {
            assert_eq!(find(&Variable::named(name, 0)), Ok(Some(value)), "{name}");
        }
        assert_eq!(find(&Variable::quoted("CxiDg2-0|Ipimb-0", Some("channel_0"), 0)), Ok(Some(8.0)));
        assert_eq!(find(&Variable::Epics { name: "GDET:1".into(), element: 1 }), Ok(Some(4.0)));
        assert_eq!(find(&Variable::Epics { name: "GDET:1".into(), element: 2 }), Ok(None));
        assert_eq!(
            [140, 41, 17, 16].map(|code| find(&Variable::EventCode(code))),
            [Ok(Some(1.0)), Ok(Some(1.0)), Ok(Some(1.0)), Ok(Some(0.0))]
        );
    }

    #[test]
    fn unknown_and_ambiguous_names_are_refused_with_those_that_there_are() {
        let error = find(&Variable::named("ebeam.energy", 0)).unwrap_err().to_string();
        assert!(error.starts_with("wanted a value of the run for `ebeam.energy`, found "), "{error}");
        assert!(error.contains("ebeam.charge") && error.contains("epics(\"GDET:1\")"), "{error}");
        let error = find(&Variable::named("channel_0", 0)).unwrap_err().to_string();
        assert!(error.contains("wanted one value for `channel_0`"), "{error}");
        assert!(error.contains("value(\"CxiDg1-0|Ipimb-0\", \"channel_0\")"), "{error}");
    }

    #[test]
    fn damaged_values_are_missing() {
        let (known, mut all) = run();
        all[0].damage = 2;
        all[4].damage = 2;
        all[6].damage = 2;
        let place = |v| known.place(&v).unwrap();
        assert_eq!(place(Variable::named("charge", 0)).find(&all), None);
        assert_eq!(place(Variable::EventCode(140)).find(&all), None);
    }
}
