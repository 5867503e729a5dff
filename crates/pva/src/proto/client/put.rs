//! The content of a put, before the type is known.

use crate::data::{Field, Structure, Type, Value};
use crate::{Error, Result};

/// The content of a put: fields by name, or a value.
///
/// The type is known only after the answer of the server; until then names and types may be wrong.
///
/// ```
/// use livetime_pva::proto::client::Put;
///
/// let one = Put::from(("value", 4.2));
/// let two = Put::field("value", "Closed").and("alarm.message", "by hand");
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Put(Content);

#[derive(Clone, PartialEq, Debug)]
enum Content {
    Fields(Vec<(String, Field)>),
    Value(Box<Value>),
}

/// The result of making a value of a [`Put`].
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Attempt {
    Ready(Value),
    /// Only the present value gives a text its meaning.
    NeedsCurrent,
}

impl Put {
    /// Writes `field` to `path`.
    pub fn field(path: &str, field: impl Into<Field>) -> Put {
        Put(Content::Fields(vec![(path.into(), field.into())]))
    }

    /// Writes also `field` to `path`.
    pub fn and(mut self, path: &str, field: impl Into<Field>) -> Put {
        match &mut self.0 {
            Content::Fields(fields) => fields.push((path.into(), field.into())),
            Content::Value(value) => {
                // A value has its type already: a misfit is noticed when the server's type is known.
                let mut fields = named(value);
                fields.push((path.into(), field.into()));
                self.0 = Content::Fields(fields);
            }
        }
        self
    }

    /// The value to send, with its changes marked. `current` is the server's value, if it was asked.
    pub(super) fn attempt(&self, mut value: Value, current: bool) -> Result<Attempt> {
        value.clear_changed();
        let fields = match &self.0 {
            Content::Fields(fields) => fields,
            // A value of the server's own type is sent as it is.
            Content::Value(own) if own.structure() == value.structure() => {
                let mut own = (**own).clone();
                // A value in which nothing is marked is written whole.
                if own.changed().is_empty() {
                    own.mark(0);
                }
                return Ok(Attempt::Ready(own));
            }
            Content::Value(own) => &named(own),
        };
        for (path, field) in fields {
            if !assign(&mut value, path, field, current)? {
                return Ok(Attempt::NeedsCurrent);
            }
        }
        Ok(Attempt::Ready(value))
    }
}

impl<F: Into<Field>> From<(&str, F)> for Put {
    fn from((path, field): (&str, F)) -> Put {
        Put::field(path, field)
    }
}

impl From<Value> for Put {
    /// Writes the fields marked as changed, or all if none is.
    fn from(value: Value) -> Put {
        Put(Content::Value(Box::new(value)))
    }
}

/// The changed fields of `value` by name.
fn named(value: &Value) -> Vec<(String, Field)> {
    let structure = value.structure();
    let all = [0].into_iter().collect();
    let changed = if value.changed().is_empty() { &all } else { value.changed() };
    let leaves = structure.expand(changed);
    leaves.iter().filter_map(|bit| Some((structure.path(bit), value.field(bit)?.clone()))).collect()
}

/// Sets one field; `false`: its present value is needed for that.
fn assign(value: &mut Value, path: &str, field: &Field, current: bool) -> Result<bool> {
    let structure = value.structure();
    // An enumeration is a structure with `index` and `choices`.
    let choices = structure.bit(path).filter(|&bit| structure.is_structure(bit));
    let choices =
        choices.and_then(|bit| Some((child(structure, bit, "index")?, child(structure, bit, "choices")?)));
    match (choices, field) {
        (None, _) | (_, Field::Struct(_)) => value.set(path, field.clone())?,
        // The server has the choices: without its present value, the number of a text is unknown.
        (Some(_), Field::Str(_)) if !current => return Ok(false),
        (Some((index, choices)), Field::Str(text)) => {
            let chosen = choose(value.field(choices).and_then(Field::as_strings).unwrap_or_default(), text)?;
            value.set_bit(index, chosen)?;
        }
        (Some((index, _)), number) => value.set_bit(index, number.clone())?,
    }
    Ok(true)
}

fn child(structure: &Structure, parent: usize, name: &str) -> Option<usize> {
    let wanted = |ty: &Type| match ty {
        Type::Scalar(_) => name == "index",
        Type::Array(..) => name == "choices",
        _ => false,
    };
    structure.child(parent, name).filter(|&bit| wanted(&structure.nodes()[bit].ty))
}

/// A choice by its text, else by its number.
fn choose(choices: &[String], text: &str) -> Result<i32> {
    // A choice may be a text of digits: texts count before numbers.
    if let Some(index) = choices.iter().position(|choice| choice == text) {
        return Ok(index as i32);
    }
    let number =
        text.trim().parse::<i32>().ok().filter(|&index| index >= 0 && (index as usize) < choices.len());
    number.ok_or_else(|| Error::new(format!("one of the choices {choices:?}"), format!("{text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalarType;
    use crate::nt;

    fn changed(put: &Put, value: &Value, current: bool) -> Result<Vec<usize>> {
        match put.attempt(value.clone(), current)? {
            Attempt::Ready(value) => Ok(value.changed().iter().collect()),
            Attempt::NeedsCurrent => Ok(vec![999]),
        }
    }

    #[test]
    fn a_choice_is_a_number_or_a_text() {
        let mut value = Value::new(&nt::enumerated());
        value.set("value.choices", &["Off", "On", "7"][..]).unwrap();
        assert_eq!(changed(&Put::field("value", 1), &value, false), Ok(vec![2]));
        assert_eq!(changed(&Put::field("value", "On"), &value, false), Ok(vec![999]));
        let chosen = |text: &str| match Put::field("value", text).attempt(value.clone(), true) {
            Ok(Attempt::Ready(value)) => value.i64("value.index"),
            _ => None,
        };
        assert_eq!((chosen("On"), chosen("7"), chosen("0")), (Some(1), Some(2), Some(0)));
        let error = changed(&Put::field("value", "Perhaps"), &value, true).unwrap_err();
        assert_eq!(error.to_string(), r#"wanted one of the choices ["Off", "On", "7"], found "Perhaps""#);
    }

    #[test]
    fn fields_are_found_by_name() {
        let value = Value::new(&nt::scalar(ScalarType::F64));
        let put = Put::from(("value", "4.5")).and("alarm.message", "x");
        assert_eq!(changed(&put, &value, false), Ok(vec![1, 5]));
        assert!(changed(&Put::field("nosuch", 1), &value, false).is_err());
        let mut other = Value::new(&nt::scalar(ScalarType::I32));
        other.set("value", 3).unwrap();
        assert_eq!(changed(&Put::from(other.clone()), &value, false), Ok(vec![1]));
        assert_eq!(changed(&Put::from(other.clone()), &other, false), Ok(vec![1]));
        assert_eq!(changed(&Put::from(value.clone()), &value, false), Ok(vec![0]));
    }
}
