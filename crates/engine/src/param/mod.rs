//! Parameters: typed, documented values of a node that can be read or written while it runs.

mod group;
mod quantity;
mod refusal;
mod role;
mod style;
mod types;

use std::fmt;

pub use group::{group_get, group_len, group_set, group_specs};
pub use quantity::parse_quantity;
pub use refusal::{Refusal, RefusalKind};
pub use role::Role;
pub use style::{PvForm, PvStyle};
pub use types::{ParamEnum, ParamType};

/// The parameters of a node, declared once as a struct with `#[derive(Params)]`.
///
/// The doc comment of a field is its help text; a field without one does not compile. Attributes:
/// `default`, `min`, `max`, `unit`, `pv` (areaDetector's PV suffix), `form`, `words`, `shown`, `drv_info`, `setpoint` and `link` (how
/// PVs show it, where that differs from the usual: [`PvStyle`]), `role` (a [`Role`] that faces act by), `readback`
/// (written by the node, read by everybody else) and `count` (a readback that counts over all frames). A field may be a
/// struct of parameters itself, which several nodes share: with the attribute `flatten`, alone or with a `default`, its parameters come behind the others. A field may be an array of structs of
/// parameters: with `group = "region"` alone, the parameters of its members come behind the others, too, as
/// `region1_min_x` with the PV `1:MinX` (see [`ParamSpec::member`]). A node reads them as `self.params.regions[0].min_x`.
///
/// ```
/// use livetime_engine::{assign, Params};
///
/// /// Parameters of a threshold.
/// #[derive(Params)]
/// struct Threshold {
///     /// Pixels below this become 0.
///     #[param(default = 10.0, min = 0, unit = "counts", pv = "Threshold")]
///     level: f64,
///     /// Pixels above the level in the last frame.
///     #[param(readback)]
///     above: u64,
/// }
///
/// /// Parameters of a threshold for a region.
/// #[derive(Params)]
/// struct Region {
///     /// First row.
///     row: usize,
///     #[param(flatten)]
///     threshold: Threshold,
/// }
///
/// let mut region = Region::default();
/// assign(&mut region, "level", &12.5.into())?;
/// assert_eq!((region.threshold.level, region.get(1)), (12.5, Some(12.5.into())));
/// assert_eq!(region.specs().iter().map(|s| s.name).collect::<Vec<_>>(), ["row", "level", "above"]);
///
/// let mut threshold = Threshold::default();
/// assign(&mut threshold, "level", &12.5.into())?;
/// assert_eq!(threshold.level, 12.5);
/// let error = assign(&mut threshold, "levle", &1.0.into()).unwrap_err();
/// assert_eq!(error.to_string(), "unknown parameter `levle`; did you mean `level`?");
/// assert!(assign(&mut threshold, "level", &(-1.0).into()).is_err());
/// # Ok::<(), livetime_engine::Refusal>(())
/// ```
pub trait Params: Send + 'static {
    /// The declarations, in order.
    fn specs(&self) -> &'static [ParamSpec];

    /// The name of parameter `index`; empty if there is no such parameter.
    fn name(&self, index: usize) -> &'static str {
        self.specs().get(index).map_or("", |spec| spec.name)
    }

    /// The value of parameter `index`.
    fn get(&self, index: usize) -> Option<Value>;

    /// Sets parameter `index`. Checks the type only; [`assign`] checks the rest.
    ///
    /// # Errors
    /// [`Refusal`] when the value is not of the parameter's type.
    fn set(&mut self, index: usize, value: &Value) -> Result<(), Refusal>;
}

/// No parameters.
impl Params for () {
    fn specs(&self) -> &'static [ParamSpec] {
        &[]
    }

    fn get(&self, _: usize) -> Option<Value> {
        None
    }

    fn set(&mut self, index: usize, _: &Value) -> Result<(), Refusal> {
        Err(Refusal::unknown_index(index))
    }
}

/// The declaration of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Name in pipeline files, `snake_case`.
    pub name: &'static str,
    /// The meaning of the value, for people.
    pub doc: &'static str,
    /// Type.
    pub kind: ParamKind,
    /// Unit of the value, if it has one.
    pub unit: Option<&'static str>,
    /// Smallest allowed value.
    pub min: Option<f64>,
    /// Largest allowed value.
    pub max: Option<f64>,
    /// Suffix of areaDetector's PV for it, if there is one.
    pub pv: Option<&'static str>,
    /// How PVs show it, where that differs from the usual.
    pub style: PvStyle,
    /// The use that faces make of it, beside showing it and letting it be written.
    pub role: Option<Role>,
    /// True when only the node writes it.
    pub readback: bool,
    /// True for a whole number that counts over all frames: of copies in a pool, the sum is the node's.
    pub count: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum ParamKind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// A text.
    Text,
    /// One of the named choices.
    Enum(&'static [Choice]),
    /// A list of numbers.
    List,
}

/// One choice of a [`ParamEnum`].
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name in pipeline files, `snake_case`.
    pub name: &'static str,
    /// The meaning of the value, for people.
    pub doc: &'static str,
    /// areaDetector's enumeration string.
    pub pv: &'static str,
}

impl ParamKind {
    /// `"bool"`, `"int"`, `"float"`, `"text"`, `"enum"` or `"list"`.
    pub fn name(self) -> &'static str {
        match self {
            ParamKind::Bool => "bool",
            ParamKind::Int => "int",
            ParamKind::Float => "float",
            ParamKind::Text => "text",
            ParamKind::Enum(_) => "enum",
            ParamKind::List => "list",
        }
    }
}

/// The value of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text, or the name of a choice.
    Text(String),
    /// Numbers.
    List(Vec<f64>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(v) => v.fmt(f),
            Value::Int(v) => v.fmt(f),
            Value::Float(v) => v.fmt(f),
            Value::Text(v) => v.fmt(f),
            Value::List(v) => write!(f, "{v:?}"),
        }
    }
}

macro_rules! value_from {
    ($($t:ty => $v:ident),*) => {$(
        impl From<$t> for Value {
            fn from(value: $t) -> Value {
                Value::$v(value.into())
            }
        }
    )*};
}

value_from!(bool => Bool, i64 => Int, i32 => Int, u32 => Int, f64 => Float, &str => Text, String => Text);

/// Sets the parameter called `name` after checking that it may be written, its type, unit and range.
///
/// Texts are parsed where the parameter is none: `"10 ms"` for a parameter in seconds, `"64 MiB"` for one
/// in bytes. Returns the index of the parameter.
///
/// # Errors
/// [`Refusal`] with the wanted and the found value.
pub fn assign(params: &mut dyn Params, name: &str, value: &Value) -> Result<usize, Refusal> {
    let index = find(params.specs(), name)?;
    let spec = &params.specs()[index];
    let value = spec.accept(value)?;
    params.set(index, &value).map_err(|e| e.of(spec.name))?;
    Ok(index)
}

/// Index of the parameter called `name`.
///
/// # Errors
/// [`Refusal`] with the nearest right name.
pub fn find(specs: &[ParamSpec], name: &str) -> Result<usize, Refusal> {
    specs.iter().position(|s| s.name == name).ok_or_else(|| {
        // areaDetector's name is certain where it is known; the nearest name is a guess.
        let hint = has_pv(specs, name).unwrap_or_else(|| nearest(name, specs.iter().map(|s| s.name)));
        Refusal::new(RefusalKind::UnknownParameter { hint }).of(name.to_owned())
    })
}

/// For areaDetector's name of a parameter, however it is written: `FileWriteMode`, `file_write_mode`.
fn has_pv(specs: &[ParamSpec], name: &str) -> Option<String> {
    let plain = |name: &str| name.replace(['_', ':'], "").to_ascii_lowercase();
    let wanted = plain(name.strip_suffix("_RBV").or_else(|| name.strip_suffix("_rbv")).unwrap_or(name));
    let has_it = |spec: &&ParamSpec| spec.pv.is_some_and(|pv| plain(pv) == wanted);
    // A set-point and a readback may have one PV.
    let found =
        specs.iter().find(|spec| !spec.readback && has_it(spec)).or_else(|| specs.iter().find(has_it))?;
    // Where both names differ in the way of writing alone, the nearest one is meant.
    (plain(found.name) != wanted).then_some(())?;
    Some(format!("; areaDetector's {} is `{}` here", found.pv.unwrap_or_default(), found.name))
}

/// `"; did you mean `x`?"` for the candidate nearest to `name`, or the list of all when none is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    // In thousandths, because `max_by_key` needs a total order and `f64` has none.
    let near = |c: &&str| (strsim::jaro_winkler(name, c) * 1000.0) as u32;
    match candidates.iter().max_by_key(|c| near(c)) {
        Some(best) if near(best) > 750 => format!("; did you mean `{best}`?"),
        Some(_) => format!("; known are {}", candidates.join(", ")),
        None => "; there is none".into(),
    }
}

impl ParamSpec {
    /// `value` in the parameter's own type, if it may be written.
    ///
    /// # Errors
    /// [`Refusal`] when it is read-only, of another type, out of range or no choice.
    pub fn accept(&self, value: &Value) -> Result<Value, Refusal> {
        if self.readback {
            return Err(Refusal::new(RefusalKind::ReadOnly).of(self.name));
        }
        self.accept_any(value)
    }

    /// As [`ParamSpec::accept`], in a run: there a result ([`PvForm::Result`]) can be written over until the next frame.
    pub(crate) fn accept_in_run(&self, value: &Value) -> Result<Value, Refusal> {
        if self.style.form == PvForm::Result { self.accept_any(value) } else { self.accept(value) }
    }

    fn accept_any(&self, value: &Value) -> Result<Value, Refusal> {
        let value = self.convert(value).ok_or_else(|| self.refuse(format_args!("`{value}`")))?;
        self.check_range(&value)?;
        Ok(value)
    }

    fn convert(&self, value: &Value) -> Option<Value> {
        match (self.kind, value) {
            (ParamKind::Bool, Value::Bool(_)) | (ParamKind::Int, Value::Int(_)) => Some(value.clone()),
            (ParamKind::Float, Value::Float(_)) | (ParamKind::List, Value::List(_)) => Some(value.clone()),
            (ParamKind::Bool, Value::Text(t)) => t.parse().ok().map(Value::Bool),
            (ParamKind::Float, Value::Int(v)) => Some(Value::Float(*v as f64)),
            // A whole number may be written as `1e6`.
            (ParamKind::Int, Value::Float(v)) => whole(*v),
            (ParamKind::Int, Value::Text(t)) => parse_quantity(t, self.unit).and_then(whole),
            (ParamKind::Float, Value::Text(t)) => parse_quantity(t, self.unit).map(Value::Float),
            (ParamKind::Text, Value::List(_)) => None,
            (ParamKind::Text, other) => Some(Value::Text(other.to_string())),
            (ParamKind::Enum(choices), Value::Int(v)) => {
                choices.get(usize::try_from(*v).ok()?).map(|c| Value::Text(c.name.into()))
            }
            (ParamKind::Enum(choices), other) => {
                let text = other.to_string();
                // PVs give areaDetector's string, pipeline files our name.
                let choice = choices.iter().find(|c| c.name == text || c.pv == text)?;
                Some(Value::Text(choice.name.into()))
            }
            _ => None,
        }
    }

    fn check_range(&self, value: &Value) -> Result<(), Refusal> {
        let number = match value {
            Value::Int(v) => *v as f64,
            Value::Float(v) => *v,
            _ => return Ok(()),
        };
        // NaN is neither below nor above a limit, and would pass both comparisons.
        let low = self.min.is_some_and(|min| number < min || number.is_nan());
        let high = self.max.is_some_and(|max| number > max || number.is_nan());
        if low || high {
            return Err(self.refuse(value));
        }
        Ok(())
    }

    pub(crate) fn refuse(&self, found: impl fmt::Display) -> Refusal {
        Refusal::value(self.describe(), found).of(self.name)
    }

    /// Type, unit, range and choices in words: `float in s, at least 0`.
    pub fn describe(&self) -> String {
        let mut text = match self.kind {
            ParamKind::Enum(choices) => {
                format!("one of {}", choices.iter().map(|c| c.name).collect::<Vec<_>>().join(", "))
            }
            kind => kind.name().to_owned(),
        };
        if let Some(unit) = self.unit {
            text += &format!(" in {unit}");
        }
        match (self.min, self.max) {
            (Some(min), Some(max)) => text += &format!(", {min} to {max}"),
            (Some(min), None) => text += &format!(", at least {min}"),
            (None, Some(max)) => text += &format!(", at most {max}"),
            (None, None) => {}
        }
        text
    }
}

fn whole(value: f64) -> Option<Value> {
    // Above 2^53, about 9.007e15, a float does not distinguish neighbouring whole numbers.
    (value.fract() == 0.0 && value.abs() < 9.0e15).then_some(Value::Int(value as i64))
}

#[cfg(test)]
mod tests;
