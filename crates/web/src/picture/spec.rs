//! The part of an array that a client wants to see, as it says it in JSON or in a query.

use serde_json::Value;

use crate::wrong::Wrong;

/// How the pixels of a bin become one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Reduce {
    #[default]
    Max = 1,
    Mean = 2,
    Pick = 3,
}

/// Whether a bin is as wide as it is high, or each axis has bins of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Axes {
    #[default]
    Equal,
    Own,
}

/// In which type pixels are sent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) enum Encoding {
    /// As they are.
    #[default]
    Native,
    /// Scaled from these two numbers to 0 to 255.
    U8(f64, f64),
}

/// The part of an array that a client wants to see.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Spec {
    /// x, y, width, height in the whole array.
    pub(crate) region: Option<[u32; 4]>,
    /// At most this wide and high. Of a table the height is the most rows.
    pub(crate) fit: Option<[u32; 2]>,
    pub(crate) axes: Axes,
    pub(crate) reduce: Reduce,
    pub(crate) encoding: Encoding,
}

/// The keys of a view.
const SIDES: &str = "a width and a height of at least 1";
const KEYS: [&str; 7] = ["from", "region", "fit", "axes", "reduce", "as", "range"];

impl Spec {
    /// The output and the part of it, from the body of a request.
    ///
    /// # Errors
    /// The wanted and the found value.
    pub(crate) fn from_json(body: &Value) -> Result<(String, Spec), Wrong> {
        let object = body.as_object().ok_or_else(|| Wrong::new("an object").found(body))?;
        // An unknown key is refused, so that a misspelt one does not silently give the whole picture.
        if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(Wrong::new(format!("one of {}", KEYS.join(", "))).at(key));
        }
        let text = |key: &str| match object.get(key) {
            // null is as a key that is left out: programs write it so.
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(Wrong::new("a text").at(key).found(other)),
        };
        let numbers = |key: &str| match object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(list)) => {
                let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
                numbers.map(Some).ok_or_else(|| Wrong::new("numbers").at(key).found(&object[key]))
            }
            Some(other) => Err(Wrong::new("a list of numbers").at(key).found(other)),
        };
        let from = text("from")?.ok_or_else(|| Wrong::new("an output").at("from").found("none"))?.to_owned();
        let spec = Spec::checked(
            numbers("region")?,
            numbers("fit")?,
            text("reduce")?,
            text("as")?,
            numbers("range")?,
        )?;
        Ok((from, Spec { axes: axes_of(text("axes")?)?, ..spec }))
    }

    /// The same from parts of a query, such as `region=0,0,100,100`.
    ///
    /// # Errors
    /// The wanted and the found value.
    pub(crate) fn from_query(get: impl Fn(&str) -> Option<String>) -> Result<Spec, Wrong> {
        let numbers = |key: &str| match get(key) {
            None => Ok(None),
            Some(text) => {
                let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
                let wanted = || Wrong::new("numbers with commas").at(key);
                numbers.map(Some).map_err(|_| wanted().found(format_args!("`{text}`")))
            }
        };
        let (axes, reduce) = (get("axes"), get("reduce"));
        let spec =
            Spec::checked(numbers("region")?, numbers("fit")?, reduce.as_deref(), None, numbers("range")?)?;
        Ok(Spec { axes: axes_of(axes.as_deref())?, ..spec })
    }

    fn checked(
        region: Option<Vec<f64>>,
        fit: Option<Vec<f64>>,
        reduce: Option<&str>,
        encoding: Option<&str>,
        range: Option<Vec<f64>>,
    ) -> Result<Spec, Wrong> {
        let region = region.map(|numbers| whole("region", &numbers)).transpose()?;
        // A region without pixels has no picture.
        if let Some([_, _, 0, _] | [_, _, _, 0]) = region {
            return Err(Wrong::new(SIDES).at("region").found(0));
        }
        let fit = fit.map(|numbers| whole("fit", &numbers)).transpose()?;
        if let Some([0, _] | [_, 0]) = fit {
            return Err(Wrong::new(SIDES).at("fit").found(0));
        }
        let reduce = match reduce {
            None | Some("max") => Reduce::Max,
            Some("mean") => Reduce::Mean,
            Some("pick") => Reduce::Pick,
            Some(other) => return Err(choice("reduce", "max, mean or pick", other)),
        };
        let range = range.map(|numbers| range_of(&numbers)).transpose()?;
        let encoding = match (encoding, range) {
            (None | Some("native"), _) => Encoding::Native,
            (Some("u8"), Some((low, high))) => Encoding::U8(low, high),
            // Without a range the u8 values would have no meaning.
            (Some("u8"), None) => return Err(Wrong::new("two numbers for u8").at("range").found("none")),
            (Some(other), _) => return Err(choice("as", "native or u8", other)),
        };
        Ok(Spec { region, fit, reduce, encoding, axes: Axes::default() })
    }
}

fn choice(key: &str, wanted: &'static str, found: &str) -> Wrong {
    Wrong::new(wanted).at(key).found(format_args!("`{found}`"))
}

fn axes_of(text: Option<&str>) -> Result<Axes, Wrong> {
    match text {
        None | Some("equal") => Ok(Axes::Equal),
        Some("own") => Ok(Axes::Own),
        Some(other) => Err(choice("axes", "equal or own", other)),
    }
}

/// Two numbers, the lower one first.
pub(crate) fn range_of(numbers: &[f64]) -> Result<(f64, f64), Wrong> {
    match numbers {
        // Equal ends would divide by zero.
        [low, high] if low.is_finite() && high.is_finite() && low < high => Ok((*low, *high)),
        other => Err(Wrong::new("a lower and a higher number").at("range").found(format_args!("{other:?}"))),
    }
}

fn whole<const N: usize>(key: &str, numbers: &[f64]) -> Result<[u32; N], Wrong> {
    let wrong = || Wrong::new(format!("{N} whole numbers from 0 on")).at(key);
    let wanted = || wrong().found(format_args!("{numbers:?}"));
    let mut found = [0; N];
    if numbers.len() != N {
        return Err(wanted());
    }
    for (to, number) in found.iter_mut().zip(numbers) {
        // JSON has no whole numbers, so each number is checked.
        let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
        *to = if fits { *number as u32 } else { return Err(wanted()) };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_view_is_read() {
        let (from, spec) = Spec::from_json(&json!({"from": "cam"})).unwrap();
        assert_eq!((from.as_str(), spec), ("cam", Spec::default()));
        let body = json!({"from": "cam.out", "region": [1, 2, 3, 4], "fit": [5, 6], "reduce": "mean", "as": "u8",
                          "range": [0, 9.5]});
        let (_, spec) = Spec::from_json(&body).unwrap();
        assert_eq!((spec.region, spec.fit), (Some([1, 2, 3, 4]), Some([5, 6])));
        assert_eq!((spec.reduce, spec.encoding), (Reduce::Mean, Encoding::U8(0.0, 9.5)));
        let own = Spec::from_json(&json!({"from": "cam", "fit": [5, 6], "axes": "own"})).unwrap().1;
        assert_eq!((spec.axes, own.axes), (Axes::Equal, Axes::Own));
        let query = |key: &str| (key == "region").then(|| "0,1,2,3".to_owned());
        assert_eq!(Spec::from_query(query).unwrap().region, Some([0, 1, 2, 3]));
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_named() {
        for (body, named) in [
            (json!([]), "an object"),
            (json!({}), "`from`"),
            (json!({"from": 7}), "`from`"),
            (json!({"from": "cam", "form": 1}), "`form`"),
            (json!({"from": "cam", "region": [0, 0, 0, 1]}), "`region`"),
            (json!({"from": "cam", "region": [0, 0, 1]}), "`region`"),
            (json!({"from": "cam", "region": [0, 0, 1, -1]}), "`region`"),
            (json!({"from": "cam", "region": [0, 0, 1, 1e12]}), "`region`"),
            (json!({"from": "cam", "fit": [0, 5]}), "`fit`"),
            (json!({"from": "cam", "fit": ["a", 5]}), "`fit`"),
            (json!({"from": "cam", "axes": "x"}), "`axes`"),
            (json!({"from": "cam", "reduce": "sum"}), "`reduce`"),
            (json!({"from": "cam", "as": "jpeg"}), "`as`"),
            (json!({"from": "cam", "as": "u8"}), "`range`"),
            (json!({"from": "cam", "as": "u8", "range": [1, 1]}), "`range`"),
        ] {
            let error = Spec::from_json(&body).unwrap_err().to_string();
            assert!(error.contains(named), "{body}: {error}");
        }
        assert!(Spec::from_query(|_| Some("x".into())).is_err());
    }
}
