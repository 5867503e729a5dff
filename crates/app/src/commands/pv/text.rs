//! Values as people read them, one line each where one line is enough.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use livetime_pva::data::{Field, ScalarType, Value};
use livetime_pva::nt::{self, Severity, Time};

const STATUS: [&str; 8] = ["NONE", "DEVICE", "DRIVER", "RECORD", "DB", "CONF", "UNDEFINED", "CLIENT"];

/// Name, time, value, alarm.
pub(super) fn line(name: &str, value: &Value, clock: Clock) -> String {
    // A value of several lines stands below its name.
    let Some(text) = short(value) else { return format!("{name}\n{value}") };
    let time = time_of(value).and_then(|time| clock.tell(time));
    let parts = [Some(name.into()), time, Some(text), alarm(value)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn time_path(value: &Value) -> &'static str {
    // `dataTimeStamp` is the time of the picture, `timeStamp` the time of its update.
    let image =
        nt::is(value.id(), "NTNDArray") && value.i64("dataTimeStamp.secondsPastEpoch").is_some_and(|s| s > 0);
    if image { "dataTimeStamp" } else { "timeStamp" }
}

/// The value in one line; `None` if it has more to say.
fn short(value: &Value) -> Option<String> {
    if let Some(image) = image(value) {
        return Some(image);
    }
    if let (Some(index), Some(choices)) = (value.i64("value.index"), value.get("value.choices")) {
        let choices = choices.as_strings().unwrap_or_default();
        let choice = usize::try_from(index).ok().and_then(|index| choices.get(index));
        return Some(choice.map_or(format!("({index})"), |choice| format!("({index}) {choice}")));
    }
    match value.get("value")? {
        Field::Str(text) => Some(text.clone()),
        Field::Strings(texts) => Some(format!("{texts:?}")),
        Field::Array(array) => Some(elements(&format!("{array:#}"))),
        field => scalar(field),
    }
}

/// The elements of an array without their number.
fn elements(text: &str) -> String {
    text.split_once('}').map_or(text, |(_, list)| list).into()
}

fn scalar(field: &Field) -> Option<String> {
    Some(match field {
        Field::F64(v) => v.to_string(),
        Field::F32(v) => v.to_string(),
        Field::U64(v) => v.to_string(),
        Field::Bool(v) => v.to_string(),
        other => other.as_i64()?.to_string(),
    })
}

/// An image without its pixels.
pub(super) struct Image {
    pub(super) shape: Vec<i64>,
    pub(super) dtype: Option<ScalarType>,
    pub(super) codec: String,
    pub(super) bytes: usize,
    pub(super) id: Option<i64>,
}

/// The image that `value` is.
pub(super) fn image_of(value: &Value) -> Option<Image> {
    if !nt::is(value.id(), "NTNDArray") {
        return None;
    }
    let array = value.array("value");
    let codec = value.str("codec.name").unwrap_or_default().to_string();
    // Compressed pixels are bytes; their former type is written beside them.
    let original = || {
        let Field::Any(Some(code)) = value.get("codec.parameters")? else { return None };
        ScalarType::ALL.get(usize::try_from(code.field().as_i64()?).ok()?).copied()
    };
    let dtype = if codec.is_empty() { array.map(|array| array.kind()) } else { original() };
    let dimensions = value.get("dimension").and_then(Field::as_values).unwrap_or_default();
    let shape = dimensions.iter().flatten().filter_map(|dimension| dimension.i64("size")).collect();
    let bytes = array.map_or(0, |array| array.data().len());
    Some(Image { shape, dtype, codec, bytes, id: value.i64("uniqueId") })
}

fn image(value: &Value) -> Option<String> {
    let image = image_of(value)?;
    let shape = image.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
    let dtype = image.dtype.map_or("no pixels", ScalarType::name);
    let codec = if image.codec.is_empty() { "raw" } else { &image.codec };
    let id = image.id.map(|id| format!(", id {id}")).unwrap_or_default();
    Some(format!("[{shape}] {dtype}, {codec}, {} bytes{id}", image.bytes))
}

fn alarm(value: &Value) -> Option<String> {
    let alarm = nt::alarm_of(value)?;
    let severity = match alarm.severity {
        Severity::None => return None,
        Severity::Minor => "MINOR",
        Severity::Major => "MAJOR",
        Severity::Invalid => "INVALID",
        Severity::Undefined => "UNDEFINED",
    };
    let status = usize::try_from(alarm.status).ok().and_then(|status| STATUS.get(status));
    Some(format!("{severity} {} {}", status.unwrap_or(&"UNDEFINED"), alarm.message).trim_end().into())
}

/// Which clock times are told by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clock {
    /// The time of this place, as the tools of EPICS print it.
    Local,
    /// Coordinated universal time.
    Utc,
}

impl Clock {
    /// `2026-11-20 13:50:19.123`, for UTC with a `Z`; `None` for a time without a date.
    fn tell(self, time: Time) -> Option<String> {
        let (zone, format) = match self {
            Clock::Local => (TimeZone::system(), "%Y-%m-%d %H:%M:%S%.3f"),
            Clock::Utc => (TimeZone::UTC, "%Y-%m-%d %H:%M:%S%.3fZ"),
        };
        Some(timestamp(time)?.to_zoned(zone).strftime(format).to_string())
    }
}

/// `2026-11-20T13:50:19.123456789Z`: when `value` is from, if it says so.
pub(super) fn iso(value: &Value) -> Option<String> {
    Some(timestamp(time_of(value)?)?.to_string())
}

fn time_of(value: &Value) -> Option<Time> {
    // A time of 0 was never set.
    nt::time_of(value, time_path(value)).filter(|time| time.seconds > 0)
}

/// Seconds may come from anywhere, and be of no date.
fn timestamp(time: Time) -> Option<Timestamp> {
    Timestamp::new(time.seconds, time.nanoseconds.clamp(0, 999_999_999)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(value: &mut Value, path: &str, field: impl Into<Field>) {
        assert_eq!(value.set(path, field), Ok(()), "{path}");
    }

    #[test]
    fn a_line_has_name_time_value_and_alarm() {
        let mut value = Value::new(&nt::scalar(ScalarType::F64));
        set(&mut value, "value", 4.25);
        assert_eq!(line("X", &value, Clock::Utc), "X 4.25");
        set(&mut value, "timeStamp.secondsPastEpoch", 1_795_164_220i64);
        set(&mut value, "timeStamp.nanoseconds", 5_000_000);
        set(&mut value, "alarm.severity", 1);
        set(&mut value, "alarm.status", 1);
        set(&mut value, "alarm.message", "HIGH");
        assert_eq!(line("X", &value, Clock::Utc), "X 2026-11-20 08:43:40.005Z 4.25 MINOR DEVICE HIGH");
    }

    #[test]
    fn arrays_choices_and_images_are_short() {
        let mut value = Value::new(&nt::scalar_array(ScalarType::U16));
        set(&mut value, "value", vec![1u16; 30]);
        assert_eq!(line("A", &value, Clock::Utc), format!("A [{}1]", "1, ".repeat(29)));
        let mut value = Value::new(&nt::enumerated());
        set(&mut value, "value.choices", &["Off", "On"][..]);
        set(&mut value, "value.index", 1);
        assert_eq!(line("E", &value, Clock::Utc), "E (1) On");
        set(&mut value, "value.index", -3);
        assert_eq!(line("E", &value, Clock::Utc), "E (-3)");
        let mut value = Value::new(&nt::ndarray());
        set(&mut value, "value", vec![1u16, 2, 3]);
        assert_eq!(line("I", &value, Clock::Utc), "I [] uint16_t, raw, 6 bytes, id 0");
        let uri = nt::uri(&[]).map(|ty| line("U", &Value::new(&ty), Clock::Utc));
        assert!(uri.is_ok_and(|text| text.starts_with("U\nstruct \"epics:nt/NTURI:1.0\" {")));
    }

    #[test]
    fn times_are_local_or_utc() {
        let told = |clock: Clock, seconds, nanoseconds| clock.tell(Time { seconds, nanoseconds, tag: 0 });
        let utc = |seconds, nanoseconds| told(Clock::Utc, seconds, nanoseconds);
        assert_eq!(utc(951_782_400, 999_999_999).as_deref(), Some("2000-02-29 00:00:00.999Z"));
        assert_eq!(utc(1_795_164_220, -5).as_deref(), Some("2026-11-20 08:43:40.000Z"));
        assert_eq!((utc(i64::MIN, i32::MIN), utc(i64::MAX, i32::MAX)), (None, None));
        // Wherever this runs: as many ms, no more than a day away, and no zone.
        let local = told(Clock::Local, 1_795_164_220, 5_000_000).unwrap_or_default();
        assert!(local.starts_with("2026-11-") && local.ends_with(".005") && local.len() == 23, "{local}");
    }
}
