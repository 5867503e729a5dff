//! Rust types that can be parameters.

use super::{Choice, ParamKind, Refusal, Value};

/// A Rust type that a parameter may have.
pub trait ParamType: Sized {
    /// The matching [`ParamKind`].
    const KIND: ParamKind;

    /// The value as others see it.
    fn to_value(&self) -> Value;

    /// The Rust value.
    ///
    /// # Errors
    /// [`Refusal`] when `value` is of another type or does not fit.
    fn from_value(value: &Value) -> Result<Self, Refusal>;
}

/// An enum whose variants are the choices of a parameter; derived with `#[derive(ParamEnum)]`.
///
/// The index of a variant is its value on the wire. `#[pv("…")]` on a variant gives areaDetector's string
/// for it where it differs from the variant's name.
pub trait ParamEnum: Copy {
    /// All choices, in order.
    const CHOICES: &'static [Choice];
    /// Position of this choice.
    fn index(&self) -> usize;
    /// The choice at this position.
    fn from_index(index: usize) -> Option<Self>;
}

impl<T: ParamEnum> ParamType for T {
    const KIND: ParamKind = ParamKind::Enum(T::CHOICES);

    fn to_value(&self) -> Value {
        Value::Text(T::CHOICES[self.index()].name.into())
    }

    fn from_value(value: &Value) -> Result<T, Refusal> {
        let Value::Text(text) = value else { return Err(wrong("the name of a choice", value)) };
        let index = T::CHOICES.iter().position(|c| c.name == *text);
        index.and_then(T::from_index).ok_or_else(|| wrong("the name of a choice", value))
    }
}

fn wrong(wanted: &'static str, found: &Value) -> Refusal {
    Refusal::value(wanted, format_args!("`{found}`"))
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl ParamType for $t {
            const KIND: ParamKind = ParamKind::Int;

            fn to_value(&self) -> Value {
                Value::Int(i64::try_from(*self).unwrap_or(i64::MAX))
            }

            fn from_value(value: &Value) -> Result<$t, Refusal> {
                let Value::Int(v) = value else { return Err(wrong("int", value)) };
                let limits = || format!("{} to {}", <$t>::MIN, <$t>::MAX);
                <$t>::try_from(*v).map_err(|_| Refusal::value(limits(), v))
            }
        }
    )*};
}

integers!(i32 u32 i64 u64 usize);

macro_rules! simple {
    ($($t:ty, $v:ident, $wanted:literal);*) => {$(
        impl ParamType for $t {
            const KIND: ParamKind = ParamKind::$v;

            fn to_value(&self) -> Value {
                Value::$v(self.clone())
            }

            fn from_value(value: &Value) -> Result<$t, Refusal> {
                let Value::$v(v) = value else { return Err(wrong($wanted, value)) };
                Ok(v.clone())
            }
        }
    )*};
}

simple!(bool, Bool, "true or false"; f64, Float, "float"; String, Text, "text"; Vec<f64>, List, "list of numbers");
